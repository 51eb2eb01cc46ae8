// The subjects that files of all kinds are read into, each with its terms.

import type { GuaranteeMode } from '../../core/comparison.ts';
import type { CandidateTerms, DeclaredConsumer } from '../../core/import/candidate.ts';
import type { InputKind } from '../../core/import/document-kinds.ts';
import type { Json, JsonObject } from '../../core/value/json.ts';

/**
 * Options for converting the columns of a dbt manifest to a schema; absent members mean the
 * defaults.
 */
export interface DbtColumnOptions {
  readonly nullableColumns?: boolean;
  readonly integerAtScale0?: boolean;
  readonly notNullAsRequired?: boolean;
}

export interface ReadOptions extends DbtColumnOptions {
  /** Additional names of the block `svc` in the meta of dbt models. */
  readonly metaAliases?: readonly string[];
  /** A folder with files that schemas may refer to. */
  readonly base?: string;
  /** The kind of the file, if the user names it. */
  readonly kind?: InputKind;
  readonly dialect?: string;
  readonly direction?: string;
  /** The prefix of FQNs derived from OpenAPI and GraphQL. */
  readonly prefix?: string;
  readonly naming?: 'title' | 'path';
}

export interface Subject {
  /** Subjects of the two sides with the same key are compared with each other. */
  readonly key: string;
  /** The name of the file that the key belongs to; null if the key is one of all files. */
  readonly home: string | null;
  /** The name for people: an FQN, an operation, a type. */
  readonly name: string;
  /** The path of an operation. */
  readonly path?: string;
  /** The unique_id of a dbt node, which says what it is in any database and schema. */
  readonly node?: string;
  /** Null if the file names no asset, like a bare JSON Schema. */
  readonly fqn: string | null;
  readonly environment: string | null;
  /** Null if it describes nothing that a contract could hold. */
  readonly terms: CandidateTerms | null;
  /**
   * The terms of a contract that nothing is described for any more. Absent if the item cannot be
   * read.
   */
  readonly emptyTerms?: CandidateTerms;
  readonly guaranteeMode: GuaranteeMode | null;
  readonly consumers: readonly DeclaredConsumer[];
  readonly origin: Origin;
  /** The manifest of a DataContract, for publishing it. */
  readonly manifest: JsonObject | null;
  /** The subject of another file that a DataContract takes its schema from: the same schema under another name. */
  readonly takes?: Pick<Subject, 'key'> & { readonly file: SourceFile; readonly kind: InputKind };
}

/** The place to show for a subject. */
export interface Origin {
  /** The file that people edit, relative to the current folder. */
  readonly file: string;
  /** The steps to the subject's schema in that file, or its line. */
  readonly at:
    | { readonly kind: 'steps'; readonly steps: readonly (string | number)[] }
    | { readonly kind: 'line'; readonly line: number };
  /** The text of the file, for finding lines; null if another file was read. */
  readonly text: string | null;
}

export interface InputProblem {
  readonly file: string;
  readonly place: string;
  readonly message: string;
  readonly code: string;
  /** Something could not be read, so the verdict stays open unless it is the same on both sides. */
  readonly leavesUnread: boolean;
  /** What was not read, if it is not what stands at the place. */
  readonly unread?: Json;
  /** Where the item stands that is not read because of it, if the place is only a part of that. */
  readonly item?: readonly string[];
  /** What is compared although it belongs to a part in `unread`. */
  readonly compared?: JsonObject;
}

export interface ReadFile {
  readonly path: string;
  /** Its key among the files of a side. */
  readonly name: string;
  /** Null for a contract of a kind that is not read. */
  readonly kind: InputKind | null;
  /** It holds items by name, so even a single one is identified by its name. */
  readonly holdsMany: boolean;
  /** The form that is sent to a registry: text if the file is not JSON. */
  readonly document: Json;
  readonly subjects: readonly Subject[];
  readonly problems: readonly InputProblem[];
}

/** A file that was found but not read yet. */
export interface SourceFile {
  /** The path relative to the current folder, for messages. */
  readonly path: string;
  /** Its key among the files of a side: the path below the requested folder. */
  readonly name: string;
  /** The user named the file; otherwise it was found in a folder, and may not be an input. */
  readonly isNamed: boolean;
  readonly text: string;
  /** Reads a file in its folder, which a named file may refer to; null if there is none. */
  readonly readBeside?: (path: string) => Promise<SourceFile | null>;
  /** Reads exactly this file in its folder or below, whatever the user named; null if there is none. */
  readonly readDocument?: (path: string) => Promise<SourceFile | null>;
}
