// Decides which schemas of a file are valid for a contract. A schema with exactly the text of the
// existing contract was already checked when that was published.

import {
  type Candidate,
  type CandidateTerms,
  type ImportProblem,
  itemProblem,
  type ParsedImport,
  termsBeside,
} from '../../core/import/candidate.ts';
import { assetKey } from '../../core/import/plan/assess.ts';
import type { FoundBase, ImportFound } from '../../core/import/plan/found.ts';
import { inNamesOfContract } from '../../core/import/plan/identity.ts';
import type { AssetKey } from '../../core/import/plan/plan.types.ts';
import type { ImportQuestion, ReadImport } from './import.types.ts';

export interface CheckedImport {
  /** An invalid schema is reported, and its asset gets no contract. */
  readonly parsed: ParsedImport;
  /** The terms as they are written in the file, including invalid ones. */
  readonly stated: ReadonlyMap<AssetKey, CandidateTerms>;
  /** The digest of a schema in the file. Computed once, because this is slow. */
  readonly digestOf: (key: AssetKey) => string;
}

export function checkImport(
  { parsed, checkSchema, digestOf }: Pick<ReadImport, 'parsed' | 'checkSchema' | 'digestOf'>,
  { names }: Pick<ImportQuestion, 'names'>,
  found: Pick<ImportFound, 'assets' | 'predecessors'>,
): CheckedImport {
  const lines = linesOf(found);
  const problems: ImportProblem[] = [...parsed.problems];
  const stated = new Map<AssetKey, CandidateTerms>();
  const named = new Map<AssetKey, CandidateTerms>();
  const digests = new Map<AssetKey, string>();
  const candidates = parsed.candidates.map((candidate, index): Candidate => {
    const { fqn, place } = candidate;
    const name = names[index];
    if (name === undefined) return candidate;
    const key = assetKey(name.fqn, name.environment);
    const line = lines.get(key);
    const base = line?.base ?? null;
    // A file need not mention a contract that is no longer active.
    const written = termsBeside(candidate, base?.status === 'active' ? base.format : undefined);
    if (written === null) return candidate;
    const terms = inNamesOfContract(written, candidate, line?.importedAs ?? {});
    stated.set(key, written);
    named.set(key, terms);
    if (terms === written && isWrittenSo(base, terms)) {
      digests.set(key, base.schemaDigest);
      return candidate;
    }
    const checked = checkSchema(terms);
    if (checked.ok) return { ...candidate, terms };
    const { code, message } = checked.failure;
    const told = `${fqn} is imported without a contract: ${message}`;
    const itemCode = code === 'SCHEMA_TOO_LARGE' ? 'TOO_LARGE' : 'UNREADABLE_ITEM';
    problems.push(itemProblem(itemCode, told, place));
    return { ...candidate, terms: null };
  });
  return {
    parsed: { candidates, problems },
    stated,
    digestOf: (key) => {
      const terms = named.get(key);
      if (terms === undefined) throw new Error(`The file states no terms of ${key}.`);
      const digest = digests.get(key) ?? digestOf(terms);
      digests.set(key, digest);
      return digest;
    },
  };
}

/** Prefers an existing asset to a deleted one. */
function linesOf({ assets, predecessors }: Pick<ImportFound, 'assets' | 'predecessors'>) {
  return new Map(
    [...predecessors, ...assets].map((each) => [
      assetKey(each.asset.fqn, each.asset.environment),
      each,
    ]),
  );
}

/** The same text has the same meaning only in the same dialect. */
function isWrittenSo(base: FoundBase | null, terms: CandidateTerms): base is FoundBase {
  return base !== null && base.schema === null && base.dialect === (terms.dialect ?? null);
}
