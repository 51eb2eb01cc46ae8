// What is remembered of the objects of a source that keeps no status of its own: the registry's
// store has it in a table.

import type { JsonObject } from '../../core/value/json.ts';
import type { ObjectKey } from './source.ts';

export interface ObjectRecord {
  readonly key: ObjectKey;
  readonly generation: number;
  /** Of the whole spec: another one is another generation. */
  readonly specDigest: string;
  readonly isClaimed: boolean;
  readonly status: JsonObject | null;
  /** So that what was deleted while nobody looked can still be settled. */
  readonly lastSpec: JsonObject;
}

export interface ObjectRecords {
  readonly load: (identity: string) => Promise<readonly ObjectRecord[]>;
  readonly save: (identity: string, record: ObjectRecord) => Promise<void>;
  readonly remove: (identity: string, key: ObjectKey) => Promise<void>;
}
