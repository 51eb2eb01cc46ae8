// What every import is read into, whatever its file: assets as they would be, and what could not
// be read. Nothing here is decided yet; plan.ts does that.

import type { CompatibilityMode, ContractTerms, Direction, Guarantees } from '../comparison.ts';
import { type ContractFormat, readingOf } from '../contract.ts';
import type { FailureCode } from '../failure.ts';
import type { Dialect } from '../schema/dialects.ts';
import type { Json, JsonObject } from '../value/json.ts';

export type ImportKind = CandidateLabel['kind'];

/** A file to import, or the results of a build tool's run. */
export type DocumentKind = ImportKind | 'run_results';

export interface ParsedImport {
  readonly candidates: readonly Candidate[];
  /** In the order of the file. A fatal one means that nothing of the file is imported. */
  readonly problems: readonly ImportProblem[];
}

/** An asset as the file describes it. */
export interface Candidate {
  readonly fqn: string;
  /** Where the file itself says it; else the caller's choice. */
  readonly environment?: string;
  readonly resourceType: string;
  readonly metadata: JsonObject;
  readonly ownerTeamName?: string;
  readonly ownerUserEmail?: string;
  readonly consumers: readonly DeclaredConsumer[];
  /** FQNs of the assets that this one is made from. */
  readonly refs: readonly string[];
  /** Null where the file says nothing a contract could hold, or nothing that can be read. */
  readonly terms: CandidateTerms | null;
  /** Without terms: what saying nothing leaves of a contract. Absent: it cannot be read. */
  readonly emptyTerms?: CandidateTerms;
  /** Another project's, which the file refers to and does not describe: it stays as it is. */
  readonly isReference?: true;
  /** From an installed package, which other projects may have installed too. */
  readonly packageName?: string;
  readonly label: CandidateLabel;
  /** JSON path of the asset in the file. */
  readonly place: string;
}

export interface DeclaredConsumer {
  readonly team: string;
  readonly purpose?: string;
}

/** The terms a file states. Mode and guarantees it is silent about are those of the contract. */
export interface CandidateTerms {
  readonly schema: Json;
  readonly direction: Direction;
  readonly format: ContractFormat;
  readonly dialect?: Dialect;
  readonly compatibilityMode?: CompatibilityMode;
  /** Absent: the file cannot say. Null: it could, and promises nothing. */
  readonly guarantees?: Guarantees | null;
}

/** What a report shows beside the FQN. */
type CandidateLabel =
  | { readonly kind: 'dbt'; readonly node_id: string }
  | { readonly kind: 'openapi'; readonly path: string; readonly method: string }
  | { readonly kind: 'graphql'; readonly type_name: string; readonly type_kind: string }
  | { readonly kind: 'odcs'; readonly object_name: string };

export interface ImportProblem {
  readonly code: FatalCode | ItemCode;
  readonly message: string;
  /** JSON path in the file, or `line 3, column 7` where the file is no JSON. */
  readonly place: string;
  readonly fatal: boolean;
}

type FatalCode = Extract<
  FailureCode,
  'INVALID_MANIFEST' | 'INVALID_OPENAPI' | 'INVALID_SDL' | 'INVALID_ODCS'
>;

export type ItemCode =
  | 'UNREADABLE_ITEM'
  | 'UNKNOWN_TYPE'
  | 'UNATTACHED_TEST'
  | 'INVALID_META'
  | 'FQN_COLLISION'
  | 'EXTERNAL_REFERENCE'
  | 'BROKEN_REFERENCE'
  | 'DUPLICATE_DEFINITION'
  | 'IGNORED_RULE'
  | 'TOO_LARGE';

export function fatal(code: FatalCode, message: string, place = '$'): ImportProblem {
  return { code, message, place, fatal: true };
}

export function itemProblem(code: ItemCode, message: string, place: string): ImportProblem {
  return { code, message, place, fatal: false };
}

/** What keeps the whole file from being imported; null where nothing does. */
export function fatalOf(problems: readonly ImportProblem[]): ImportProblem | null {
  return problems.find((problem) => problem.fatal) ?? null;
}

/** A file of which nothing is imported. */
export function refuseFile(problem: ImportProblem): ParsedImport {
  return { candidates: [], problems: [problem] };
}

/**
 * The terms to publish: those of the file, completed from the active contract.
 *
 * @example toContractTerms(candidate.terms, active) // mode of the file, else of active, else backward
 */
export function toContractTerms(
  stated: CandidateTerms,
  active: Pick<ContractTerms, 'compatibilityMode' | 'guarantees'> | null,
): ContractTerms {
  const { schema, direction, dialect, guarantees } = stated;
  return {
    schema,
    direction,
    compatibilityMode: stated.compatibilityMode ?? active?.compatibilityMode ?? 'backward',
    guarantees: guarantees === undefined ? (active?.guarantees ?? null) : guarantees,
    ...(dialect === undefined ? {} : { dialect }),
    ...readingOf(stated.format),
  };
}

/**
 * What a candidate says beside a contract. A file that describes nothing any more has taken back
 * what such a file described; of a contract that came otherwise it never said anything.
 *
 * @example termsBeside({ terms: null, emptyTerms }, 'dbt') // emptyTerms, if they are of dbt
 */
export function termsBeside(
  { terms, emptyTerms }: Pick<Candidate, 'terms' | 'emptyTerms'>,
  format: ContractFormat | undefined,
): CandidateTerms | null {
  return terms ?? (emptyTerms?.format === format ? (emptyTerms ?? null) : null);
}

/** It may describe something: nobody can tell what. */
export function isUnreadable({ terms, emptyTerms, isReference }: Candidate): boolean {
  return terms === null && emptyTerms === undefined && isReference !== true;
}

/** How many promises a guarantees object holds: each column and each custom entry is one. */
export function countGuarantees(guarantees: Guarantees | null | undefined): number {
  if (guarantees === null || guarantees === undefined) return 0;
  let count = 0;
  for (const [kind, value] of Object.entries(guarantees)) {
    const isSet = kind === 'nullability' || kind === 'accepted_values' || kind === 'custom';
    count += isSet && typeof value === 'object' && value !== null ? Object.keys(value).length : 1;
  }
  return count;
}
