// Facts as a transaction reads them, for decisions that are asked without a database.

import type { Actor } from '../../../src/core/actor.ts';
import type { Asset } from '../../../src/core/asset.ts';
import type { Comparison } from '../../../src/core/comparison.ts';
import type { Contract } from '../../../src/core/contract.ts';
import type { By } from '../../../src/core/decide/decided.ts';
import type { AssetFacts, ProposalFacts } from '../../../src/core/decide/facts.ts';
import type { AskingFacts } from '../../../src/core/decide/proposals/ask.ts';
import { proposalOfFacts } from '../../../src/core/decide/publishing/proposing.ts';
import type { Outcome } from '../../../src/core/failure.ts';
import type { AcknowledgementResponse, Proposed } from '../../../src/core/proposal.ts';
import { progressOf } from '../../../src/core/proposal.ts';
import type { ProposalState } from '../../../src/core/proposal-machine.ts';

export const now = '2026-02-01T12:00:00.000Z';

export function actorOf(team: string | 'all', more: Partial<Actor> = {}): Actor {
  const teams = team === 'all' ? 'all' : [team];
  return { type: 'api_key', id: `key of ${team}`, name: team, scope: 'write', teams, ...more };
}

export const admin = actorOf('all', { scope: 'admin' });

/** New ids are counted, so that a test can name them. */
export function byOf(actor: Actor): By {
  let count = 0;
  return { actor, at: now, newId: () => `new-${++count}` };
}

export const asset: Asset = {
  id: 'orders',
  fqn: 'shop.orders',
  environment: 'production',
  ownerTeamId: 'shop',
  ownerTeamName: 'Shop',
  ownerUserId: null,
  ownerUserName: null,
  serviceId: null,
  serviceName: null,
  guaranteeMode: 'strict',
  needsMode: 'narrow',
  autoPublish: false,
  onDeadline: 'nothing',
  metadata: {},
  managedBy: null,
  activeContractId: 'v1',
  activeContractVersion: '1.0.0',
  createdAt: now,
  updatedAt: now,
  deletedAt: null,
};

export const contract: Contract = {
  id: 'v1',
  assetId: asset.id,
  assetFqn: asset.fqn,
  version: '1.0.0',
  status: 'active',
  schema: { type: 'object' },
  schemaDigest: 'digest of v1',
  compatibilityMode: 'backward',
  guarantees: null,
  format: 'jsonschema',
  direction: 'data',
  dialect: null,
  changeType: 'initial',
  previousContractId: null,
  publishedAt: now,
  publishedBy: 'shop',
  publishedByActor: { type: 'api_key', id: 'key of shop', name: 'shop' },
  source: 'api',
  sourceReference: null,
  commit: null,
};

/** An asset with version 1.0.0, which these teams consume. */
export function factsOf(teams: readonly string[], changed: Partial<Asset> = {}): AssetFacts {
  return {
    asset: { ...asset, ...changed },
    base: contract,
    highestVersion: contract.version,
    consumers: teams.map((teamId) => ({
      teamId,
      teamName: teamId,
      registrationId: `registration of ${teamId}`,
      contractId: contract.id,
      contractVersion: contract.version,
      needDigest: null,
      foundDigest: null,
      isLeaving: false,
    })),
    openProposal: null,
  };
}

export const asking = (facts: AssetFacts): AskingFacts => ({ ...facts, open: null });

const breaking = {
  type: 'property_removed' as const,
  path: '$.properties.amount',
  description: 'The property amount is gone.',
  breaking: true,
};

const proposedSchema: Proposed = {
  kind: 'schema',
  schema: { type: 'object', required: ['amount'] },
  schemaDigest: 'digest of v2',
  compatibilityMode: 'backward',
  guarantees: null,
  format: 'jsonschema',
  direction: 'data',
  dialect: null,
  version: null,
  source: 'api',
  sourceReference: null,
  commit: null,
};

/** A proposal about a break, with what each consumer has answered. */
export function proposalFactsOf(
  answers: Readonly<Record<string, AcknowledgementResponse | null>>,
  more: {
    readonly status?: ProposalState;
    readonly round?: number;
    readonly asset?: Partial<Asset>;
    readonly proposed?: Proposed;
  } = {},
): ProposalFacts {
  const facts = factsOf(Object.keys(answers), more.asset);
  const proposed = more.proposed ?? proposedSchema;
  const made = proposalOfFacts(facts, { proposed, changes: [breaking] }, byOf(actorOf('shop')));
  const status = more.status ?? 'pending';
  const consumers = made.consumers.map((each) => {
    const response = answers[each.teamId] ?? null;
    const acknowledged = response !== null && response !== 'blocked';
    return { ...each, response, acknowledged, acknowledgedAt: acknowledged ? now : null };
  });
  return {
    ...facts,
    proposedDigest: 'digest of the proposal',
    proposal: {
      ...made,
      id: 'proposal',
      status,
      round: more.round ?? 1,
      consumers,
      progress: progressOf(status, consumers),
    },
  };
}

export function comparisonOf(changed: Partial<Comparison>): Comparison {
  const none = { changes: [], isBreaking: false, breaksBackward: false };
  return { ...none, bump: 'minor', bumpReason: '', undecidedCount: 0, steps: 1, ...changed };
}

export const breakingComparison = comparisonOf({
  changes: [breaking],
  isBreaking: true,
  breaksBackward: true,
  bump: 'major',
});

/** What a table compares: the kinds of writes, or the code of the refusal. */
export function writtenOf(
  decided: Outcome<{ readonly writes: readonly { readonly kind: string }[] }> | object,
): string {
  if ('startOver' in decided) return 'starts over';
  if (!('ok' in decided)) throw new Error('This is no decision.');
  const outcome = decided as Outcome<{ readonly writes: readonly { readonly kind: string }[] }>;
  if (!outcome.ok) return outcome.failure.code;
  return outcome.value.writes.map(({ kind }) => kind).join(', ') || 'nothing';
}
