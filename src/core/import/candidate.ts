// The common result of reading any import file: candidate assets, and problems. Decisions follow in
// plan.ts.

import type { identityOf } from '../asset.ts';
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
  /** Where the file comes from, also if it describes nothing. */
  readonly origin?: ImportOrigin;
  /** In the order of the file. With a fatal problem, nothing of the file is imported. */
  readonly problems: readonly ImportProblem[];
}

interface ImportOrigin {
  readonly kind: ImportKind;
  /** The title of an API, the project of a manifest or the id of a data contract; null without one. */
  readonly name: string | null;
  /** What all FQNs of the file begin with, including the dot; empty for any. */
  readonly fqnPrefix: string;
}

/** An asset as the file describes it. */
export interface Candidate {
  readonly fqn: string;
  /** The FQN that it has if nothing else in the file has it. */
  readonly ownFqn: string;
  readonly identity: ReturnType<typeof identityOf>;
  /** The environment, if the file names one; otherwise the caller's choice. */
  readonly environment?: string;
  readonly resourceType: string;
  readonly metadata: JsonObject;
  readonly ownerTeamName?: string;
  readonly ownerUserEmail?: string;
  readonly consumers: readonly DeclaredConsumer[];
  /** FQNs of the assets that this one depends on. */
  readonly refs: readonly string[];
  /** Null if the file describes nothing that a contract could hold, or nothing that can be read. */
  readonly terms: CandidateTerms | null;
  /**
   * The terms of an existing contract once the file describes nothing. Absent if the description
   * cannot be read.
   */
  readonly emptyTerms?: CandidateTerms;
  /**
   * An asset of another project, which the file refers to without describing it. It stays
   * unchanged.
   */
  readonly isReference?: true;
  /** The installed package that it comes from, which other projects may have installed too. */
  readonly packageName?: string;
  readonly label: CandidateLabel;
  /** JSON path of the asset in the file. */
  readonly place: string;
}

export interface DeclaredConsumer {
  readonly team: string;
  readonly purpose?: string;
}

/** The terms in a file. If it names no mode or guarantees, those of the contract stay. */
export interface CandidateTerms {
  readonly schema: Json;
  readonly direction: Direction;
  readonly format: ContractFormat;
  readonly dialect?: Dialect;
  readonly compatibilityMode?: CompatibilityMode;
  /** Absent: the format has no guarantees. Null: it has, and the file states none. */
  readonly guarantees?: Guarantees | null;
}

/** The names that a report shows next to the FQN. */
type CandidateLabel =
  | { readonly kind: 'dbt'; readonly node_id: string }
  | { readonly kind: 'openapi'; readonly path: string; readonly method: string }
  | { readonly kind: 'graphql'; readonly type_name: string; readonly type_kind: string }
  | { readonly kind: 'odcs'; readonly object_name: string };

export interface ImportProblem {
  readonly code: FatalCode | ItemCode;
  readonly message: string;
  /** JSON path in the file, or `line 3, column 7` if the file is not JSON. */
  readonly place: string;
  readonly fatal: boolean;
  /** What was not read, if it is not what stands at the place. */
  readonly unread?: Json;
  /** Where the item stands that is not read because of it, if the place is only a part of that. */
  readonly item?: readonly string[];
  /** What is compared although it belongs to a part in `unread`. If it differs, the comparison reports it. */
  readonly compared?: JsonObject;
}

type FatalCode =
  | Extract<FailureCode, 'INVALID_MANIFEST' | 'INVALID_OPENAPI' | 'INVALID_SDL' | 'INVALID_ODCS'>
  // No registry imports these documents.
  | 'INVALID_ASYNCAPI';

type ItemCode =
  | 'UNREADABLE_ITEM'
  /** A part of an item that is read otherwise. */
  | 'UNREADABLE_PART'
  /** A rule whose meaning is not known, only its text. */
  | 'UNJUDGED_RULE'
  | 'STORED_VERSION'
  /** A part that no contract holds. */
  | 'UNCOMPARED_PART'
  | 'UNKNOWN_TYPE'
  | 'UNATTACHED_TEST'
  | 'INVALID_META'
  | 'FQN_COLLISION'
  | 'EXTERNAL_REFERENCE'
  | 'BROKEN_REFERENCE'
  | 'DUPLICATE_DEFINITION'
  | 'IGNORED_RULE'
  | 'TOO_LARGE';

/** What a problem says was not read. */
type Unread =
  /** An item of the file. */
  | 'item'
  /** A part of an item that is read otherwise. */
  | 'part'
  /** A rule beside what was read. */
  | 'rule'
  /** A part that is told only if it changed. */
  | 'aside'
  /** Nothing: it tells a fact, which matters only if it changed. */
  | 'fact';

const unread: Readonly<Partial<Record<ItemCode, Unread>>> = {
  UNREADABLE_ITEM: 'item',
  EXTERNAL_REFERENCE: 'item',
  BROKEN_REFERENCE: 'item',
  TOO_LARGE: 'item',
  UNREADABLE_PART: 'part',
  UNKNOWN_TYPE: 'part',
  UNJUDGED_RULE: 'rule',
  UNCOMPARED_PART: 'aside',
  STORED_VERSION: 'fact',
};

/** Null if everything was read, though otherwise than it is written. */
export function unreadBy(code: string): Unread | null {
  return unread[code as ItemCode] ?? null;
}

/**
 * The problems that leave something of the file unread, so that a change of it is not known. An item that has terms
 * was read, despite its problem.
 *
 * @example unreadOf(problems, candidates).size === 0 // The whole file was read.
 */
export function unreadOf(
  problems: readonly ImportProblem[],
  candidates: readonly Pick<Candidate, 'place' | 'terms'>[],
): ReadonlySet<ImportProblem> {
  const read = new Set(candidates.flatMap(({ place, terms }) => (terms === null ? [] : [place])));
  return new Set(
    problems.filter(({ code, place }) => {
      const what = unreadBy(code);
      return what === 'item' ? !read.has(place) : what === 'part' || what === 'rule';
    }),
  );
}

export function fatal(code: FatalCode, message: string, place = '$'): ImportProblem {
  return { code, message, place, fatal: true };
}

export function itemProblem(code: ItemCode, message: string, place: string): ImportProblem {
  return { code, message, place, fatal: false };
}

/** The problem that prevents importing the whole file; null if there is none. */
export function fatalOf(problems: readonly ImportProblem[]): ImportProblem | null {
  return problems.find((problem) => problem.fatal) ?? null;
}

/** The result for a file that cannot be imported. */
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
 * The terms of a candidate, given its contract. A file that no longer describes an asset withdraws
 * the description, but only if the contract came from such a file.
 *
 * @example termsBeside({ terms: null, emptyTerms }, 'dbt') // emptyTerms, if they are of dbt
 */
export function termsBeside(
  { terms, emptyTerms }: Pick<Candidate, 'terms' | 'emptyTerms'>,
  format: ContractFormat | undefined,
): CandidateTerms | null {
  return terms ?? (emptyTerms?.format === format ? (emptyTerms ?? null) : null);
}

/** The file may describe the asset, but the description cannot be read. */
export function isUnreadable({ terms, emptyTerms, isReference }: Candidate): boolean {
  return terms === null && emptyTerms === undefined && isReference !== true;
}

/** The number of guarantees in a guarantees object: each column and each custom entry counts. */
export function countGuarantees(guarantees: Guarantees | null | undefined): number {
  if (guarantees === null || guarantees === undefined) return 0;
  let count = 0;
  for (const [kind, value] of Object.entries(guarantees)) {
    const isSet = kind === 'nullability' || kind === 'accepted_values' || kind === 'custom';
    count += isSet && typeof value === 'object' && value !== null ? Object.keys(value).length : 1;
  }
  return count;
}
