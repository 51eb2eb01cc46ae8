// Completes the terms of a command from the contract that it is compared with.

import type { Asset } from '../../core/asset.ts';
import type { Comparison, ContractTerms, Direction, GuaranteeMode } from '../../core/comparison.ts';
import { type Contract, termsOf } from '../../core/contract.ts';
import type { PublishContract } from '../../core/decide/commands.ts';
import { isSameTerms } from '../../core/decide/publishing/publish.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { parseGuarantees } from '../../core/guarantees.ts';
import { alignTerms, directionOfForm } from '../../core/import/openapi/align-terms.ts';
import type { Json } from '../../core/value/json.ts';
import type { Engine } from '../ports.ts';

type AskedTerms = Pick<
  PublishContract,
  'schema' | 'compatibilityMode' | 'guarantees' | 'dialect' | 'format' | 'direction'
>;

export interface ExaminedTerms {
  readonly schemaDigest: string;
  readonly terms: ContractTerms;
  /** Null if there is nothing to compare with, or no difference. */
  readonly comparison: Comparison | null;
}

/** The parts of the existing contract that matter to a comparison. */
interface ComparedWith {
  readonly asset: Pick<Asset, 'guaranteeMode'>;
  readonly base: Contract | null;
}

/**
 * Checks shape, metaschema and limits, computes the digest, and compares with the base, in one call
 * of the engine.
 */
export async function examineTerms(
  engine: Engine,
  asked: AskedTerms,
  field: string,
  { asset, base }: ComparedWith,
): Promise<Outcome<ExaminedTerms>> {
  const { problems } = parseGuarantees(asked.guarantees);
  const [problem] = problems;
  if (problem !== undefined) {
    return refuse('VALIDATION_ERROR', problem.message, {
      field: problem.path,
      details: { errors: problems.map(({ path, message }) => ({ field: path, message })) },
    });
  }
  const terms = completeTerms(asked, base);
  // The digest is of the schema as it was sent. Terms that must be aligned are compared separately.
  const isAsSent = base === null || alignTerms(termsOf(base), terms)[1] === terms;
  const examined = await engine.examine({
    old: base === null || !isAsSent ? null : alignTerms(termsOf(base), terms)[0],
    next: terms,
    options: { guaranteeMode: asset.guaranteeMode },
  });
  if (!examined.ok) {
    const { failure } = examined;
    return { ok: false, failure: { ...failure, field: failure.field ?? field } };
  }
  const { digest: schemaDigest, comparison } = examined.value;
  const next = { terms, schemaDigest };
  if (base === null || isSameTerms(base, next)) return accept({ ...next, comparison: null });
  if (comparison === null) {
    return accept({
      ...next,
      comparison: await compareTerms(engine, base, terms, asset.guaranteeMode),
    });
  }
  const [old] = alignTerms(termsOf(base), terms);
  return accept({ ...next, comparison: judgedOf(comparison, old, terms.direction) });
}

/** Fills in mode and guarantees from the base; a first contract is backward. */
export function completeTerms(asked: AskedTerms, base: Contract | null): ContractTerms {
  return {
    schema: asked.schema,
    compatibilityMode: asked.compatibilityMode ?? base?.compatibilityMode ?? 'backward',
    guarantees: asked.guarantees === undefined ? (base?.guarantees ?? null) : asked.guarantees,
    direction: asked.direction ?? directionOf(asked.schema, base),
    ...(asked.dialect === undefined ? {} : { dialect: asked.dialect }),
  };
}

/**
 * The default direction is that of the contract: for a GraphQL type, in either of its two forms.
 */
function directionOf(schema: Json, base: Contract | null): Direction {
  if (base === null) return 'data';
  return base.format === 'graphql' ? directionOfForm(schema, base.direction) : base.direction;
}

/** Null if there is nothing to compare with, or no difference. */
export async function compareWithBase(
  engine: Engine,
  base: Contract | null,
  next: { readonly terms: ContractTerms; readonly schemaDigest: string },
  guaranteeMode: GuaranteeMode,
): Promise<Comparison | null> {
  if (base === null || isSameTerms(base, next)) return null;
  return compareTerms(engine, base, next.terms, guaranteeMode);
}

export async function compareTerms(
  engine: Engine,
  base: Contract,
  next: ContractTerms,
  guaranteeMode: GuaranteeMode,
): Promise<Comparison> {
  const [old, aligned] = alignTerms(termsOf(base), next);
  const comparison = await engine.compare(old, aligned, { guaranteeMode });
  return judgedOf(comparison, old, aligned.direction);
}

function judgedOf(
  comparison: Comparison,
  base: Pick<ContractTerms, 'direction' | 'compatibilityMode'>,
  direction: Direction,
): Comparison {
  return base.direction === direction
    ? comparison
    : withTurnedDirection(comparison, base, direction);
}

/**
 * Marks a changed direction as breaking: the direction decides which changes break. If it could
 * change without asking consumers, a removal would pass in two steps.
 */
export function withTurnedDirection(
  comparison: Comparison,
  base: Pick<ContractTerms, 'direction' | 'compatibilityMode'>,
  direction: Direction,
): Comparison {
  const change = {
    type: 'schema_changed' as const,
    path: '$',
    description: `The contract described ${base.direction} values and would describe ${direction} values, for which compatibility is checked in the opposite direction.`,
    breaking: base.compatibilityMode !== 'none',
    old: base.direction,
    new: direction,
  };
  return {
    ...comparison,
    changes: [change, ...comparison.changes],
    isBreaking: comparison.isBreaking || change.breaking,
    breaksBackward: true,
    bump: 'major',
    bumpReason: change.description,
  };
}
