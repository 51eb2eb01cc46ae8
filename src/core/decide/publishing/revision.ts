// An earlier round of a proposal, and what is different since.

import type { Change } from '../../comparison.ts';
import type { ContractId, ProposalId, TeamId, Timestamp } from '../../id.ts';
import type { AcknowledgementResponse } from '../../proposal.ts';
import { canonicalJson } from '../../value/canonical-json.ts';
import type { Json } from '../../value/json.ts';

export interface Revision {
  /** The proposal itself, or one of the same kind that it replaced. */
  readonly proposalId: ProposalId;
  readonly round: number;
  /** The contract that it was compared with; null if there was none. */
  readonly baseContractId: ContractId | null;
  readonly baseVersion: string | null;
  readonly changes: readonly Change[];
  /** The last answer of each team in that round. */
  readonly answers: readonly RevisionAnswer[];
}

interface RevisionAnswer {
  readonly teamId: TeamId;
  readonly teamName: string;
  readonly response: AcknowledgementResponse;
  readonly notes: string | null;
  readonly answeredAt: Timestamp;
}

interface Difference {
  readonly added: readonly Change[];
  readonly removed: readonly Change[];
}

/**
 * The changes that a later round has and an earlier one had not, and the reverse; breaking ones
 * first.
 *
 * @example differenceOf([removedA], [removedA, removedB]) // { added: [removedB], removed: [] }
 */
export function differenceOf(then: readonly Change[], now: readonly Change[]): Difference {
  return { added: without(now, then), removed: without(then, now) };
}

function without(changes: readonly Change[], others: readonly Change[]): readonly Change[] {
  const keys = new Set(others.map(changeKey));
  const left = changes.filter((change) => !keys.has(changeKey(change)));
  return [...left.filter(({ breaking }) => breaking), ...left.filter(({ breaking }) => !breaking)];
}

/** Wording and witnesses do not matter. */
export function changeKey(change: Change): string {
  const sides: Json = [change.old ?? null, change.new ?? null];
  return `${change.type} ${change.path} ${canonicalJson(sides)}`;
}
