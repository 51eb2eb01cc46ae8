// The writes of a published proposal: a version, a deprecation, a move, a mode.

import type { Asset } from '../../asset.ts';
import type { Contract, ContractChangeType } from '../../contract.ts';
import type { EventDraft } from '../../event.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { ProposalId, Timestamp } from '../../id.ts';
import type { ForceRequest, ProposedTerms } from '../../proposal.ts';
import type { ProposalAct, ProposalStep } from '../../proposal-machine.ts';
import type { Consumer } from '../../registration.ts';
import type { PublishedProposal } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import {
  assetEvent,
  contractRetired,
  proposalEvent,
  registrationEvent,
  teamNames,
} from '../events.ts';
import type { ProposalFacts } from '../facts.ts';
import { contractOfTerms, publishWrites } from '../publishing/new-version.ts';
import { teamIdsOf, updatedProposal, updateOf } from '../publishing/proposing.ts';
import { type NextVersion, nextVersion } from '../publishing/version.ts';
import type { ProposalUpdate, Write } from '../write.ts';

export interface Conclusion {
  readonly proposalId: ProposalId;
  readonly act: Extract<ProposalAct, 'publish' | 'force' | 'auto_publish'>;
  /** Why it was forced. */
  readonly reason: string | null;
  /** The round that whoever forces it has read. */
  readonly round?: number | undefined;
  /** For admins: publish even though the asset is managed elsewhere. */
  readonly override: boolean;
}

/** What the proposal is now compared with: as before, or silently rebased. */
export type Compared = Pick<ProposalUpdate, 'baseContractId' | 'changes' | 'breakingChanges'>;

interface Concluding {
  readonly conclusion: Conclusion;
  /** With FOUR_EYES: the request of another administrator. */
  readonly requested: ForceRequest | null;
  readonly step: ProposalStep;
  readonly compared: Compared;
  /**
   * For a force: whether the change would break under backward; null if the consumers approved it.
   */
  readonly breaksBackward: boolean | null;
}

export function carryOut(
  facts: ProposalFacts,
  decided: Concluding,
  by: By,
): Outcome<Decided<PublishedProposal>> {
  const { proposal } = facts;
  const made = effectsOf(facts, decided, by);
  if (!made.ok) return made;
  const { contract, writes } = made.value;
  const set: ProposalUpdate = {
    ...updateOf(proposal),
    ...decided.compared,
    status: decided.step.to,
    reason: decided.conclusion.reason,
    forceRequested: decided.requested,
    publishedContractId: contract?.id ?? null,
    resolvedAt: by.at,
    decidedConsumers: proposal.consumers,
  };
  const event = concludedEvent(facts, contract, decided);
  return accept({
    writes: [...writes, { kind: 'update_proposal', id: proposal.id, set, events: [event] }],
    answer: { proposal: updatedProposal(proposal, set), contract },
  });
}

function concludedEvent(
  facts: ProposalFacts,
  contract: Contract | null,
  decided: Concluding,
): EventDraft {
  const { proposal } = facts;
  const { conclusion, requested, step, compared } = decided;
  const notAgreed = proposal.consumers.filter((consumer) => !consumer.acknowledged);
  return proposalEvent(
    step.event,
    facts.asset,
    proposal,
    { from: proposal.status, to: step.to },
    {
      teamIds: teamIdsOf(facts.consumers),
      more: {
        version: contract?.version ?? null,
        contract_id: contract?.id ?? null,
        by_itself: conclusion.act === 'auto_publish',
        rebased: compared.baseContractId !== proposal.baseContractId,
        not_agreed: notAgreed.map(({ teamName }) => teamName),
        ...(proposal.escalatedAt !== null && {
          no_answer: teamNames(notAgreed.filter(({ response }) => response === null)),
        }),
        ...(conclusion.reason === null ? {} : { reason: conclusion.reason }),
        ...(requested !== null && {
          requested_by: requested.userId,
          requested_by_name: requested.by.name,
          requested_at: requested.requestedAt,
          requested_reason: requested.reason,
        }),
      },
    },
  );
}

interface Effects {
  /** Null if the proposal is not about a schema or a mode, so there is no new version. */
  readonly contract: Contract | null;
  readonly writes: readonly Write[];
}

function effectsOf(facts: ProposalFacts, decided: Concluding, by: By): Outcome<Effects> {
  const { at } = by;
  const { proposed } = facts.proposal;
  switch (proposed.kind) {
    case 'schema':
      return versionOf(facts, decided, by);
    case 'deprecation':
      return accept({ contract: null, writes: deprecationWrites(facts, at) });
    case 'move': {
      const { environment, ownerTeamId } = proposed;
      return accept({
        contract: null,
        writes: assetWrites(facts, { environment, ownerTeamId }, at),
      });
    }
    case 'guarantee_mode': {
      const { guaranteeMode } = proposed;
      return accept({ contract: null, writes: assetWrites(facts, { guaranteeMode }, at) });
    }
    case 'needs_mode': {
      const { needsMode } = proposed;
      return accept({ contract: null, writes: assetWrites(facts, { needsMode }, at) });
    }
    default:
      return proposed satisfies never;
  }
}

function versionOf(
  facts: ProposalFacts,
  { compared, conclusion, breaksBackward }: Concluding,
  by: By,
): Outcome<Effects> {
  const { proposed } = facts.proposal;
  if (proposed.kind !== 'schema') return accept({ contract: null, writes: [] });
  const next = proposedVersion(facts, proposed, facts.proposal.changeType);
  if (!next.ok) return next;
  const contract = contractOfTerms(facts, proposed, next.value, by);
  const writes = publishWrites(facts, contract, {
    ...next.value,
    changes: compared.changes,
    breaksBackward,
    isForced: conclusion.act === 'force',
    moved: agreedConsumers(facts),
    // What was asked of another version says nothing about the one before this.
    verdicts: facts.base?.id === facts.proposal.baseContractId ? facts.proposal.verdicts : {},
    proposalId: facts.proposal.id,
  });
  return accept({ contract, writes: [...writes, ...migrationWrites(facts, by.at)] });
}

/** The publisher's requested version may be taken by now, which cannot be changed in a proposal. */
export function proposedVersion(
  { highestVersion }: Pick<ProposalFacts, 'highestVersion'>,
  { version }: Pick<ProposedTerms, 'version'>,
  changeType: ContractChangeType,
): Outcome<NextVersion> {
  const bump = changeType === 'initial' ? 'major' : changeType;
  const change = { highestEver: highestVersion, bump };
  const next = nextVersion({ ...change, requested: version ?? undefined });
  if (next.ok || version === null) return next;
  const possible = nextVersion(change);
  if (!possible.ok) return next;
  return refuse(
    next.failure.code,
    `This proposal asks for the version ${version}, which cannot be given any more: the asset has had ${highestVersion} since. Withdraw it, and publish the change again without a version, or with ${possible.value.version} or a higher one.`,
    { field: 'version' },
  );
}

/**
 * Consumers that approved move to the new version, and those that were not asked and read the last
 * one. Those that migrate, or never agreed, stay on theirs.
 */
function agreedConsumers(facts: ProposalFacts): readonly Consumer[] {
  const asked = new Map(facts.proposal.consumers.map((each) => [each.teamId, each.response]));
  return facts.consumers.filter(({ teamId, contractId }) =>
    asked.has(teamId) ? asked.get(teamId) === 'approved' : contractId === facts.base?.id,
  );
}

/** Consumers that gave a date move on that date automatically. */
function migrationWrites(facts: ProposalFacts, at: Timestamp): readonly Write[] {
  const dates = new Map(
    facts.proposal.consumers.flatMap(({ teamId, response, until }) =>
      response === 'migrating' && until !== null ? [[teamId, until] as const] : [],
    ),
  );
  return facts.consumers.flatMap((consumer): Write[] => {
    const until = dates.get(consumer.teamId);
    if (until === undefined) return [];
    return [
      {
        kind: 'schedule_migration',
        id: consumer.registrationId,
        migratesAt: until,
        at,
        events: [
          registrationEvent(
            'registration.updated',
            { ...consumer, consumerTeamId: consumer.teamId, consumerTeamName: consumer.teamName },
            facts.asset,
            { migrates_at: until, reason: 'the team is migrating until then' },
          ),
        ],
      },
    ];
  });
}

function deprecationWrites(facts: ProposalFacts, at: Timestamp): readonly Write[] {
  const { asset, base, consumers, proposal } = facts;
  if (base === null) return [];
  const event = contractRetired('contract.deprecated', asset, base, consumers, {
    proposal_id: proposal.id,
  });
  return [{ kind: 'set_contract_status', id: base.id, status: 'deprecated', at, events: [event] }];
}

function assetWrites(
  facts: ProposalFacts,
  change: Partial<
    Pick<ProposalFacts['asset'], 'environment' | 'ownerTeamId' | 'guaranteeMode' | 'needsMode'>
  >,
  at: Timestamp,
): readonly Write[] {
  const { asset, proposal } = facts;
  const isHandedOver = change.ownerTeamId !== undefined && change.ownerTeamId !== asset.ownerTeamId;
  // An owning user belongs to the old team, and is not kept.
  const ownerUserId = isHandedOver ? null : asset.ownerUserId;
  const next = { ...asset, ...change, ownerUserId, updatedAt: at };
  const told = (each: Asset) => ({
    environment: each.environment,
    owner_team_id: each.ownerTeamId,
    guarantee_mode: each.guaranteeMode,
    ...('needsMode' in change && { needs_mode: each.needsMode }),
  });
  const event = assetEvent('asset.updated', next, {
    proposal_id: proposal.id,
    from: told(asset),
    to: told(next),
  });
  return [{ kind: 'update_asset', asset: next, events: [event] }];
}
