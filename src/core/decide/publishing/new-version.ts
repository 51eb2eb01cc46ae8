// The common part of every publish: the writes that make a version the active one.

import { actorReference } from '../../actor.ts';
import type { Change } from '../../comparison.ts';
import type { Contract, ContractChangeType } from '../../contract.ts';
import { meetsUnaffected, type Verdicts } from '../../need.ts';
import type { ProposedTerms } from '../../proposal.ts';
import type { Consumer } from '../../registration.ts';
import type { Asking } from '../asking.ts';
import type { By } from '../decided.ts';
import { contractPublished, contractRetired } from '../events.ts';
import type { AssetFacts } from '../facts.ts';
import type { Write } from '../write.ts';

interface NewVersion {
  readonly version: string;
  readonly changeType: ContractChangeType;
  readonly changes: readonly Change[];
  /** Null if the consumers were asked. */
  readonly breaksBackward: boolean | null;
  /** An administrator decided in place of the consumers. */
  readonly isForced?: boolean;
  /** For a version that nobody was asked about. */
  readonly asking?: Asking;
  /** The consumers that move to the new version. */
  readonly moved: readonly Consumer[];
  /** What the version does to each need that the version before it met. */
  readonly verdicts: Verdicts;
  readonly proposalId: string | null;
  /** The reason for an override. */
  readonly reason?: string | undefined;
}

export function contractOfTerms(
  facts: AssetFacts,
  terms: ProposedTerms,
  next: Pick<NewVersion, 'version' | 'changeType'>,
  by: By,
): Contract {
  return {
    id: by.newId(),
    assetId: facts.asset.id,
    assetFqn: facts.asset.fqn,
    version: next.version,
    status: 'active',
    schema: terms.schema,
    schemaDigest: terms.schemaDigest,
    compatibilityMode: terms.compatibilityMode,
    guarantees: terms.guarantees,
    format: terms.format,
    direction: terms.direction,
    dialect: terms.dialect,
    changeType: next.changeType,
    previousContractId: facts.base?.id ?? null,
    publishedAt: by.at,
    publishedBy: facts.asset.ownerTeamId,
    publishedByActor: actorReference(by.actor),
    source: terms.source,
    sourceReference: terms.sourceReference,
    commit: terms.commit,
  };
}

/** Deprecates the old version, adds the new one, and moves the consumers who agreed. */
export function publishWrites(
  facts: AssetFacts,
  contract: Contract,
  next: NewVersion,
): readonly Write[] {
  const { asset, base, consumers } = facts;
  const at = contract.publishedAt;
  const writes: Write[] = [];
  if (base?.status === 'active') {
    const event = contractRetired('contract.deprecated', asset, base, consumers, {
      reason: 'superseded',
      superseded_by_version: contract.version,
      superseded_by: contract.id,
    });
    writes.push({
      kind: 'set_contract_status',
      id: base.id,
      status: 'deprecated',
      at,
      events: [event],
    });
  }
  const published = contractPublished(asset, contract, {
    changes: next.changes,
    previousVersion: base?.version ?? null,
    breaksBackward: next.breaksBackward,
    consumers,
    moved: next.moved,
    asking: next.asking,
    proposalId: next.proposalId,
    reason: next.reason,
    isUnasked: next.proposalId === null || next.isForced === true,
  });
  const moved = next.moved.map(({ registrationId }) => registrationId);
  const met = consumers
    .filter(({ needDigest }) => next.verdicts[needDigest ?? '']?.verdict === 'unaffected')
    .filter(() => meetsUnaffected(next.changes))
    .map(({ registrationId }) => registrationId);
  writes.push({ kind: 'insert_contract', contract, moved, met, events: [published] });
  return writes;
}

/** Consumers on the version that was compared: for them the change is compatible. */
export function followersOf(facts: AssetFacts): readonly Consumer[] {
  return facts.consumers.filter(({ contractId }) => contractId === facts.base?.id);
}
