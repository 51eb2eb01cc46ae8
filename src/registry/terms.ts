// The terms that a command asks for, made whole from the contract that it is compared with.

import type { Dialect } from '../core/containment/containment.types.ts';
import { type Contract, type ContractFormat, termsOf } from '../core/contract.ts';
import type {
  Comparison,
  CompatibilityMode,
  ContractTerms,
  Direction,
  GuaranteeMode,
  Guarantees,
} from '../core/diff/diff.types.ts';
import { accept, type Outcome, refuse } from '../core/failure.ts';
import { parseGuarantees } from '../core/guarantees.ts';
import type { Json } from '../core/json.ts';
import { isSameTerms } from '../core/publish.ts';
import type { Engine } from './ports.ts';

export interface AskedTerms {
  readonly schema: Json;
  readonly compatibilityMode?: CompatibilityMode | undefined;
  readonly guarantees?: Guarantees | null | undefined;
  readonly dialect?: Dialect | undefined;
  readonly format?: ContractFormat | undefined;
  readonly direction?: Direction | undefined;
}

/** What can be seen without a contract to compare with: shape, metaschema, limits, digest. */
export async function checkTerms(
  engine: Engine,
  asked: AskedTerms,
  field: string,
): Promise<Outcome<{ readonly schemaDigest: string }>> {
  const { problems } = parseGuarantees(asked.guarantees);
  const [problem] = problems;
  if (problem !== undefined) {
    return refuse('VALIDATION_ERROR', problem.message, {
      field: problem.path,
      details: { errors: problems.map(({ path, message }) => ({ field: path, message })) },
    });
  }
  const checked = await engine.checkSchema(asked.schema, asked.dialect);
  if (checked.ok) return accept({ schemaDigest: checked.value.digest });
  const { failure } = checked;
  return { ok: false, failure: { ...failure, field: failure.field ?? field } };
}

/** Mode and guarantees that are absent are those of the base; the first contract is backward. */
export function completeTerms(asked: AskedTerms, base: Contract | null): ContractTerms {
  return {
    schema: asked.schema,
    compatibilityMode: asked.compatibilityMode ?? base?.compatibilityMode ?? 'backward',
    guarantees: asked.guarantees === undefined ? (base?.guarantees ?? null) : asked.guarantees,
    direction: asked.direction ?? base?.direction ?? 'data',
    ...(asked.dialect === undefined ? {} : { dialect: asked.dialect }),
  };
}

/** Null where there is nothing to compare with, or nothing that differs. */
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
  const comparison = await engine.compare(termsOf(base), next, { guaranteeMode });
  return base.direction === next.direction
    ? comparison
    : withTurnedDirection(comparison, base, next.direction);
}

/**
 * Who writes the values decides what breaks: turning that round is a question to the consumers,
 * else a removal would pass in two steps.
 */
function withTurnedDirection(
  comparison: Comparison,
  base: Contract,
  direction: Direction,
): Comparison {
  const change = {
    type: 'schema_changed' as const,
    path: '$',
    description: `The contract described ${base.direction} values and would describe ${direction} values, which are judged the other way round.`,
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
