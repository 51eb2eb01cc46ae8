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
import type { Engine, PublishBase } from './ports.ts';

export interface AskedTerms {
  readonly schema: Json;
  readonly compatibilityMode?: CompatibilityMode | undefined;
  readonly guarantees?: Guarantees | null | undefined;
  readonly dialect?: Dialect | undefined;
  readonly format?: ContractFormat | undefined;
  readonly direction?: Direction | undefined;
}

export interface ExaminedTerms {
  readonly schemaDigest: string;
  readonly terms: ContractTerms;
  /** Null where there is nothing to compare with, or nothing that differs. */
  readonly comparison: Comparison | null;
}

/** Shape, metaschema, limits, digest, and the comparison with the base: one question. */
export async function examineTerms(
  engine: Engine,
  asked: AskedTerms,
  field: string,
  { asset, base }: PublishBase,
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
  const examined = await engine.examine({
    old: base === null ? null : termsOf(base),
    next: terms,
    options: { guaranteeMode: asset.guaranteeMode },
  });
  if (!examined.ok) {
    const { failure } = examined;
    return { ok: false, failure: { ...failure, field: failure.field ?? field } };
  }
  const { digest: schemaDigest, comparison } = examined.value;
  const next = { terms, schemaDigest };
  if (base === null || comparison === null || isSameTerms(base, next)) {
    return accept({ ...next, comparison: null });
  }
  return accept({ ...next, comparison: judgedOf(comparison, base, terms.direction) });
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
  return judgedOf(comparison, base, next.direction);
}

function judgedOf(comparison: Comparison, base: Contract, direction: Direction): Comparison {
  return base.direction === direction
    ? comparison
    : withTurnedDirection(comparison, base, direction);
}

/**
 * Who writes the values decides what breaks: turning that round is a question to the consumers,
 * else a removal would pass in two steps.
 */
export function withTurnedDirection(
  comparison: Comparison,
  base: Pick<ContractTerms, 'direction' | 'compatibilityMode'>,
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
