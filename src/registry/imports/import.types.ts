// The query of an import and its result: one query for all of its assets.

import type { AssetName } from '../../core/decide/facts.ts';
import type { Outcome } from '../../core/failure.ts';
import type { TeamId } from '../../core/id.ts';
import type { CandidateTerms, ParsedImport } from '../../core/import/candidate.ts';
import type { ImportSource } from '../../core/import/plan/import-source.ts';
import type { SourceTitle } from '../../core/import/plan/report-kinds.ts';

/** An import file after parsing. */
export interface ReadImport {
  readonly parsed: ParsedImport;
  /** The digest of the text of each candidate's schema, in order; null without a schema. */
  readonly fingerprints: readonly (string | null)[];
  /** Whether a contract may have this schema. */
  readonly checkSchema: (terms: CandidateTerms) => Outcome<true>;
  /** The digest of the normal form, which takes most of the time of an import to compute. */
  readonly digestOf: (terms: CandidateTerms) => string;
  readonly title: SourceTitle | null;
}

export interface ImportQuestion {
  readonly names: readonly ImportName[];
  /**
   * The environments in which an earlier import of the same source may have put assets that are now
   * gone.
   */
  readonly environments: readonly string[];
  readonly source: ImportSource | null;
  /** In lower case. */
  readonly teamNames: readonly string[];
  readonly teamIds: readonly TeamId[];
  /** In lower case. */
  readonly emails: readonly string[];
}

interface ImportName extends AssetName {
  /** The caller already has a schema with this digest, so it is not sent again. */
  readonly fingerprint: string | null;
}
