// The common result of reading a document that holds schemas by name, and that no registry imports:
// each is compared on its own.

import type { CandidateTerms, ImportProblem } from '../candidate.ts';

export interface ParsedParts {
  readonly parts: readonly SchemaPart[];
  /** With a fatal problem, nothing of the file is compared. */
  readonly problems: readonly ImportProblem[];
}

export interface SchemaPart {
  /** Parts of the two sides with the same name are compared with each other. */
  readonly name: string;
  /** Null if the schema cannot be read, which a problem at the same place reports. */
  readonly terms: CandidateTerms | null;
  /** JSON path of the schema in the file. */
  readonly place: string;
}
