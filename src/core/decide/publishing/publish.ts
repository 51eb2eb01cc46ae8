// The outcome of a publish: nothing, a version, or a proposal.

import type { Asset } from '../../asset.ts';
import type {
  Change,
  Comparison,
  CompatibilityMode,
  ContractTerms,
  Direction,
  Guarantees,
} from '../../comparison.ts';
import type { ContractChangeType, ContractStatus } from '../../contract.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { ContractId, ProposalId } from '../../id.ts';
import type { Proposed } from '../../proposal.ts';
import { canonicalJson, isSameJson } from '../../value/canonical-json.ts';
import type { Asking } from '../asking.ts';
import { changeKey } from './revision.ts';
import { nextVersion } from './version.ts';

interface PublishFacts {
  readonly asset: Pick<Asset, 'fqn'>;
  readonly base: {
    readonly id: ContractId;
    readonly version: string;
    readonly status: ContractStatus;
    readonly compatibilityMode: CompatibilityMode;
    readonly guarantees: Guarantees | null;
    readonly direction: Direction;
    readonly schemaDigest: string;
  } | null;
  readonly highestVersion: string | null;
  readonly openProposal: {
    readonly id: ProposalId;
    readonly proposedDigest: string;
    /** The requested version, if any. */
    readonly version: string | null;
  } | null;
}

interface PublishQuestion {
  readonly terms: ContractTerms;
  readonly schemaDigest: string;
  /** The comparison with the base; null if there is no base, or no difference. */
  readonly comparison: Comparison | null;
  readonly asking: Pick<Asking, 'isProposed'>;
  readonly proposedDigest: string;
  readonly version: string | undefined;
  readonly supersede: boolean;
}

export type PublishDecision =
  | { readonly action: 'unchanged' }
  | {
      readonly action: 'publish';
      readonly version: string;
      readonly changeType: ContractChangeType;
    }
  /** The same change is already proposed. */
  | { readonly action: 'existing'; readonly proposalId: ProposalId }
  | { readonly action: 'propose'; readonly supersedes: ProposalId | null };

/**
 * @example
 * decidePublish(factsWithoutContract, question)
 * // { action: 'publish', version: '1.0.0', changeType: 'initial' }
 */
export function decidePublish(
  facts: PublishFacts,
  question: PublishQuestion,
): Outcome<PublishDecision> {
  const { base } = facts;
  if (base?.status === 'active' && isSameTerms(base, question)) {
    return accept({ action: 'unchanged' });
  }
  const breaks = question.comparison?.isBreaking ?? false;
  const next = nextVersion({
    highestEver: facts.highestVersion,
    bump: breaks ? 'major' : (question.comparison?.bump ?? 'none'),
    requested: question.version,
  });
  if (!next.ok) return next;
  if (!question.asking.isProposed) return accept({ action: 'publish', ...next.value });
  const open = facts.openProposal;
  const isSameVersion = question.version === undefined || question.version === open?.version;
  if (open?.proposedDigest === question.proposedDigest && isSameVersion) {
    return accept({ action: 'existing', proposalId: open.id });
  }
  return decidePropose(facts, question.supersede);
}

/** An asset has one open proposal: a second one replaces it or is refused. */
export function decidePropose(
  facts: Pick<PublishFacts, 'asset' | 'openProposal'>,
  supersede: boolean,
): Outcome<{ readonly action: 'propose'; readonly supersedes: ProposalId | null }> {
  const { openProposal } = facts;
  if (openProposal !== null && !supersede) {
    return refuse(
      'PROPOSAL_PENDING',
      `${facts.asset.fqn} already has an open proposal (${openProposal.id}). Publish or withdraw it first, or send "supersede": true to replace it.`,
      { details: { proposal_id: openProposal.id } },
    );
  }
  return accept({ action: 'propose', supersedes: openProposal?.id ?? null });
}

export function isSameTerms(
  base: NonNullable<PublishFacts['base']>,
  next: { readonly terms: ContractTerms; readonly schemaDigest: string },
): boolean {
  return (
    base.schemaDigest === next.schemaDigest &&
    base.compatibilityMode === next.terms.compatibilityMode &&
    base.direction === next.terms.direction &&
    isSameJson(base.guarantees, next.terms.guarantees)
  );
}

/** The identity of a proposal: what it would set, whoever made it. */
export function proposedDigestOf(proposed: Proposed): string {
  switch (proposed.kind) {
    case 'schema':
      return canonicalJson({
        kind: proposed.kind,
        schema: proposed.schemaDigest,
        mode: proposed.compatibilityMode,
        guarantees: proposed.guarantees,
        direction: proposed.direction,
        dialect: proposed.dialect,
      });
    case 'deprecation':
      return canonicalJson({ kind: proposed.kind, contract: proposed.contractId });
    case 'move':
      return canonicalJson({
        kind: proposed.kind,
        environment: proposed.environment,
        owner: proposed.ownerTeamId,
      });
    case 'guarantee_mode':
      return canonicalJson({ kind: proposed.kind, mode: proposed.guaranteeMode });
    case 'needs_mode':
      return canonicalJson({ kind: proposed.kind, mode: proposed.needsMode });
    default:
      return proposed satisfies never;
  }
}

export function breakingOf(changes: readonly Change[]): readonly Change[] {
  return changes.filter((change) => change.breaking);
}

/**
 * Whether consumers who answered one list of changes have also answered the other: the same breaks
 * at the same locations, between the same values. Wording and witnesses do not matter.
 */
export function hasSameBreaks(a: readonly Change[], b: readonly Change[]): boolean {
  const [left, right] = [breakKeysOf(a), breakKeysOf(b)];
  return left.length === right.length && left.every((key, index) => key === right[index]);
}

/** The breaks in a fixed order, as far as they are the same for every base. */
export function breakKeysOf(changes: readonly Change[]): readonly string[] {
  return breakingOf(changes).map(changeKey).sort();
}
