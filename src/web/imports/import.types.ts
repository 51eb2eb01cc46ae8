// The messages between the import view and its worker, which reads the file and calls the registry,
// so that parsing, compressing and sending twelve megabytes does not block the page.

import type { ImportKind } from '../../core/import/candidate.ts';
import type { BodyOf, Refusal } from '../data/shapes.ts';

export type { ImportKind };

/** The result of reading a file. */
export interface OpenedFile {
  /** Null if it is ambiguous, and the user must choose. */
  readonly kind: ImportKind | null;
  /** Why the file cannot be imported as it is; null if it can. */
  readonly problem: FileFault | null;
}

type FileFault =
  | { readonly kind: 'unreadable' | 'not_read'; readonly message: string }
  | { readonly kind: 'run_results' | 'datacontract' | 'jsonschema' | 'empty' | 'too_large' };

/** Undefined means the registry's setting. */
type Choice = boolean | undefined;

/** The options of reading a file. */
export interface ReadingOptions {
  readonly environment: string;
  readonly prefix: string;
  readonly naming: 'title' | 'path';
  readonly nullableColumns: Choice;
  readonly integerAtScale0: Choice;
  readonly notNullAsRequired: Choice;
}

/** The options of writing. */
export interface WritingOptions {
  readonly ownerTeamId: string;
  readonly conflictMode: 'ignore' | 'overwrite' | 'fail';
  readonly prune: 'report' | 'deprecate';
  readonly isPartial: boolean;
  readonly publishes: boolean;
  readonly proposes: boolean;
  readonly registersConsumers: boolean;
  readonly infersConsumers: boolean;
}

export type ItemChange = 'new' | 'modified' | 'unchanged' | 'removed';

export interface PlanItem {
  readonly fqn: string;
  /** Its name in the file. */
  readonly name: string;
  readonly change: ItemChange;
  readonly isBreaking: boolean;
  readonly bump: 'none' | 'patch' | 'minor' | 'major';
  readonly changeCount: number;
  /** As text, because a number that a double cannot hold cannot be passed from a worker. */
  readonly changesText: string;
  /** Sentences for what has no list of changes, such as a vanished asset. */
  readonly told: readonly string[];
}

export interface Plan {
  readonly summary: BodyOf<'diffDbt'>['summary'];
  readonly items: readonly PlanItem[];
  readonly problems: readonly FileProblem[];
}

export interface FileProblem {
  readonly message: string;
  readonly place: string;
}

type Imported = BodyOf<'uploadDbt'>;
type ImportedItem = Imported['models'][number];

export interface Outcome {
  readonly isRehearsal: boolean;
  readonly status: Imported['status'];
  readonly assets: Imported['assets'];
  readonly contracts: Imported['contracts'];
  readonly proposals: Imported['proposals'];
  readonly registrations: Imported['registrations'];
  readonly removed: Imported['removed'];
  readonly problems: readonly FileProblem[];
  readonly items: readonly OutcomeItem[];
}

export type OutcomeItem = Pick<
  ImportedItem,
  'fqn' | 'action' | 'asset_id' | 'contract_id' | 'proposal_id'
>;

export type Answered<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

export interface Progress {
  readonly step: 'reading' | 'sending' | 'waiting';
  /** From 0 to 1, if it is known. */
  readonly part: number | null;
}

interface Asked {
  readonly id: number;
  readonly kind: ImportKind;
  readonly reading: ReadingOptions;
  /** The headers of the session. */
  readonly headers: Readonly<Record<string, string>>;
}

export type ToWorker =
  | { readonly type: 'open'; readonly id: number; readonly file: File }
  | (Asked & { readonly type: 'plan' })
  | (Asked & {
      readonly type: 'import';
      readonly writing: WritingOptions;
      readonly isRehearsal: boolean;
    });

export type FromWorker =
  | { readonly type: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly type: 'opened'; readonly id: number; readonly opened: OpenedFile }
  | { readonly type: 'planned'; readonly id: number; readonly told: Answered<Plan> }
  | { readonly type: 'imported'; readonly id: number; readonly told: Answered<Outcome> };
