// What every file is read into, whatever its kind: things under contract, each with its terms.

import type { GuaranteeMode } from '../../core/comparison.ts';
import type { CandidateTerms, DeclaredConsumer } from '../../core/import/candidate.ts';
import type { Json, JsonObject } from '../../core/value/json.ts';

/** How the columns of a dbt manifest become a schema, where it is not as usual. */
export interface DbtColumnOptions {
  readonly nullableColumns?: boolean;
  readonly integerAtScale0?: boolean;
  readonly notNullAsRequired?: boolean;
}

export interface ReadOptions extends DbtColumnOptions {
  /** Further names of the block `svc` in the meta of dbt models. */
  readonly metaAliases?: readonly string[];
  /** What the file is, where somebody said so. */
  readonly kind?: InputKind;
  readonly dialect?: string;
  readonly direction?: string;
  /** Of the FQNs that OpenAPI and GraphQL come to. */
  readonly prefix?: string;
  readonly naming?: 'title' | 'path';
}

/** In the order in which `--kind` lists them. */
export const inputKinds = [
  'jsonschema',
  'datacontract',
  'dbt',
  'openapi',
  'graphql',
  'odcs',
] as const;

export type InputKind = (typeof inputKinds)[number];

export interface Subject {
  /** Two sides' subjects with the same key are the same thing. */
  readonly key: string;
  /** What people call it: an FQN, an operation, a type. */
  readonly name: string;
  /** Null where the file names no asset: a bare JSON Schema. */
  readonly fqn: string | null;
  readonly environment: string | null;
  /** Null where nothing is described that a contract could hold. */
  readonly terms: CandidateTerms | null;
  /** Without terms: what that leaves of a contract. Absent: it cannot be read. */
  readonly emptyTerms?: CandidateTerms;
  readonly guaranteeMode: GuaranteeMode | null;
  readonly consumers: readonly DeclaredConsumer[];
  readonly origin: Origin;
  /** For publishing a DataContract. */
  readonly manifest: JsonObject | null;
}

/** Where a subject stands, for whoever is to be pointed at it. */
export interface Origin {
  /** The file that a person edits, as it is spelt from here. */
  readonly file: string;
  /** Steps to the subject's schema in that file, or a line of it. */
  readonly at:
    | { readonly kind: 'steps'; readonly steps: readonly (string | number)[] }
    | { readonly kind: 'line'; readonly line: number };
  /** The text of the file, for finding lines; null where the file was not the one that was read. */
  readonly text: string | null;
}

export interface InputProblem {
  readonly file: string;
  readonly place: string;
  readonly message: string;
  readonly code: string;
  /** What could not be read is not what is fine: the verdict is open. */
  readonly leavesUnread: boolean;
}

export interface ReadFile {
  readonly path: string;
  readonly kind: InputKind;
  /** The form that is sent to a registry: text if the file is not JSON. */
  readonly document: Json;
  readonly subjects: readonly Subject[];
  readonly problems: readonly InputProblem[];
}

/** A file as it was found, not read yet. */
export interface SourceFile {
  /** The path relative to the current folder, for messages. */
  readonly path: string;
  /** What tells it from the side's other files: where it stands below the folder asked for. */
  readonly name: string;
  /** Somebody named it; else it was found in a folder, and may be no input at all. */
  readonly isNamed: boolean;
  readonly text: string;
}
