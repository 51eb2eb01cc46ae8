// The words between the import view and its worker, which reads the file and speaks to the
// registry:
// twelve megabytes are parsed, packed and sent without the page noticing.

import type { ImportKind } from '../../core/import/candidate.ts';
import type { BodyOf, Refusal } from '../data/shapes.ts';

export type { ImportKind };

/** The result of reading a file. */
export interface OpenedFile {
  /** Null where it could be anything: somebody has to say. */
  readonly kind: ImportKind | null;
  /** Why it cannot be imported as it is; null where it can. */
  readonly problem: FileFault | null;
}

type FileFault =
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'run_results' | 'datacontract' | 'jsonschema' | 'empty' | 'too_large' };

/** Undefined: as the registry is set. */
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
  /** Sentences, where no change tells it: of an asset that vanished. */
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

export type Told<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

export interface Progress {
  readonly step: 'reading' | 'sending' | 'waiting';
  /** From 0 to 1, where it is known. */
  readonly part: number | null;
}

interface Asked {
  readonly id: number;
  readonly kind: ImportKind;
  readonly reading: ReadingOptions;
  /** Of the session. */
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
  | { readonly type: 'planned'; readonly id: number; readonly told: Told<Plan> }
  | { readonly type: 'imported'; readonly id: number; readonly told: Told<Outcome> };
