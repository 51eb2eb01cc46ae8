// The query of an import and its result: one query for all of its assets.

import type { AssetName } from '../../core/decide/facts.ts';
import type { Outcome } from '../../core/failure.ts';
import type { TeamId } from '../../core/id.ts';
import type { CandidateTerms, ParsedImport } from '../../core/import/candidate.ts';
import type { ImportSource } from '../../core/import/import-source.ts';
import type { SourceTitle } from '../../core/import/plan/report-kinds.ts';

/** A file that was read. */
export interface ReadImport {
  readonly parsed: ParsedImport;
  /** The digest of each candidate's schema as it is written, in order; null without a schema. */
  readonly fingerprints: readonly (string | null)[];
  /** Whether a contract may hold it. */
  readonly checkSchema: (terms: CandidateTerms) => Outcome<true>;
  /** The digest of the normal form, which takes most of the time of an import to compute. */
  readonly digestOf: (terms: CandidateTerms) => string;
  readonly title: SourceTitle | null;
}

export interface ImportQuestion {
  readonly names: readonly ImportName[];
  /** Where an earlier import of the same source may have put what is gone now. */
  readonly environments: readonly string[];
  readonly source: ImportSource | null;
  /** In lower case. */
  readonly teamNames: readonly string[];
  readonly teamIds: readonly TeamId[];
  /** In lower case. */
  readonly emails: readonly string[];
}

interface ImportName extends AssetName {
  /** A schema that is written so is known to the caller: it is not sent again. */
  readonly fingerprint: string | null;
}
