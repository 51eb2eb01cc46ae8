// Whether a team may read, deploy against or change an asset now, and why.

import type { Actor } from '../../actor.ts';
import { type Asset, managerText } from '../../asset.ts';
import type { Contract } from '../../contract.ts';
import type { TeamId } from '../../id.ts';
import type { Proposal, ProposalSummary } from '../../proposal.ts';
import type { Incident, QualityRun } from '../../quality-run.ts';
import type { Consumer } from '../../registration.ts';
import { decideAccess, managedElsewhere } from '../access.ts';

/** `deploy`: put code into service that reads the asset, or, for its owner, writes it. */
export const preflightActs = ['read', 'deploy', 'change'] as const;

export type PreflightAct = (typeof preflightActs)[number];

export const preflightCodes = [
  'no_contract',
  'deprecated',
  'open_proposal',
  'blocked',
  'incident',
  'freshness_failed',
  'not_registered',
  'managed_elsewhere',
  'not_allowed',
] as const;

export interface PreflightReason {
  readonly code: (typeof preflightCodes)[number];
  /** Whether it is why the answer is no; otherwise it should be known. */
  readonly blocks: boolean;
  readonly message: string;
}

export interface PreflightFacts {
  readonly asset: Asset;
  readonly contract: Pick<Contract, 'version' | 'status' | 'publishedAt'> | null;
  readonly consumers: readonly Pick<Consumer, 'teamId'>[];
  /** Pending or approved. */
  readonly proposal: Pick<Proposal, 'id' | 'status' | 'breakingChanges'> | null;
  /** The last one, whatever its state. */
  readonly newest: Pick<ProposalSummary, 'id' | 'status' | 'proposedAt'> | null;
  readonly incidents: readonly Incident[];
  readonly lastRun: Pick<QualityRun, 'guarantees' | 'occurredAt'> | null;
}

/** For which acts each reason is a no; for the others it is only said. Absent acts are not concerned. */
const concerns: Readonly<
  Record<PreflightReason['code'], Readonly<Partial<Record<PreflightAct, 'blocks' | 'warns'>>>>
> = {
  no_contract: { read: 'blocks', deploy: 'blocks', change: 'warns' },
  deprecated: { read: 'warns', deploy: 'warns', change: 'warns' },
  open_proposal: { read: 'warns', deploy: 'warns', change: 'blocks' },
  blocked: { deploy: 'warns', change: 'blocks' },
  incident: { read: 'blocks', deploy: 'blocks', change: 'warns' },
  freshness_failed: { read: 'blocks', deploy: 'warns', change: 'warns' },
  not_registered: { read: 'warns', deploy: 'blocks' },
  managed_elsewhere: { change: 'blocks' },
  not_allowed: { change: 'blocks' },
};

/**
 * The reasons that concern an act. The answer is yes if none of them blocks.
 *
 * @example decidePreflight(facts, { act: 'read', actor, teamId: null }) // []
 */
export function decidePreflight(
  facts: PreflightFacts,
  { act, actor, teamId }: { act: PreflightAct; actor: Actor; teamId: TeamId | null },
): readonly PreflightReason[] {
  return [
    ...ofContract(facts),
    ...ofProposal(facts),
    ...ofQuality(facts),
    ...ofTeam(facts, teamId),
    ...ofChanging(facts, actor),
  ].flatMap(([code, message]) => {
    const concern = concerns[code][act];
    return concern === undefined ? [] : [{ code, message, blocks: concern === 'blocks' }];
  });
}

type Reason = readonly [PreflightReason['code'], string];

function ofContract({ asset, contract }: PreflightFacts): readonly Reason[] {
  if (contract === null || contract.status === 'archived') {
    return [['no_contract', `${asset.fqn} has no contract in force, so nothing is promised.`]];
  }
  if (contract.status === 'active') return [];
  const message = `Version ${contract.version} of ${asset.fqn} is deprecated. Ask ${asset.ownerTeamName} what replaces it.`;
  return [['deprecated', message]];
}

function ofProposal({ asset, proposal, contract, newest }: PreflightFacts): readonly Reason[] {
  if (proposal !== null) {
    const count = proposal.breakingChanges.length;
    const what = count === 1 ? '1 breaking change' : `${count} breaking changes`;
    const { status, id } = proposal;
    return [['open_proposal', `A proposal for ${asset.fqn} with ${what} is ${status}: ${id}.`]];
  }
  // A version that was published since then settles it.
  const isSettled = contract !== null && contract.publishedAt > (newest?.proposedAt ?? '');
  if (newest?.status !== 'rejected' || isSettled) return [];
  const message = `A consumer blocked the last proposal for ${asset.fqn}: ${newest.id}. Agree with it first.`;
  return [['blocked', message]];
}

function ofQuality({ asset, incidents, lastRun }: PreflightFacts): readonly Reason[] {
  const failed = lastRun?.guarantees.find(
    ({ name, status }) => status === 'failed' && /^freshness\b/.test(name),
  );
  return [
    ...incidents.map(
      ({ triggeredBy, since }): Reason => [
        'incident',
        `The checks of ${asset.fqn} by ${triggeredBy} have failed since ${since}.`,
      ],
    ),
    ...(failed === undefined || lastRun === null
      ? []
      : ([
          [
            'freshness_failed',
            `The data of ${asset.fqn} was not fresh at the last check, ${lastRun.occurredAt}.`,
          ],
        ] as const)),
  ];
}

function ofTeam({ asset, consumers }: PreflightFacts, teamId: TeamId | null): readonly Reason[] {
  if (teamId === asset.ownerTeamId || consumers.some((each) => each.teamId === teamId)) return [];
  const message =
    teamId === null
      ? `No team was named, so it is not known whether it is registered for ${asset.fqn}. Name it in team_id.`
      : `The team is not registered for ${asset.fqn}, so nobody asks it before a change. Register it.`;
  return [['not_registered', message]];
}

function ofChanging({ asset }: PreflightFacts, actor: Actor): readonly Reason[] {
  const access = decideAccess(actor, 'publish_contract', asset.ownerTeamId);
  const manager = managedElsewhere(actor, asset);
  return [
    ...(access.ok ? [] : ([['not_allowed', access.failure.message]] as const)),
    ...(manager === null
      ? []
      : ([
          [
            'managed_elsewhere',
            `${asset.fqn} is managed by ${managerText(manager)}. Change it there.`,
          ],
        ] as const)),
  ];
}
