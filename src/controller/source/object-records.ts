// What is remembered of the objects of a source that keeps no status of its own. The registry's
// store has it in a table; a source that runs alone keeps it in memory.

import type { JsonObject } from '../../core/json.ts';
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

/** Outlives a source, not the process. */
export function recordsInMemory(): ObjectRecords {
  const kept = new Map<string, Map<ObjectKey, ObjectRecord>>();
  const of = (identity: string) => {
    const records = kept.get(identity) ?? new Map<ObjectKey, ObjectRecord>();
    kept.set(identity, records);
    return records;
  };
  return {
    load: async (identity) => [...of(identity).values()],
    save: async (identity, record) => {
      of(identity).set(record.key, record);
    },
    remove: async (identity, key) => {
      of(identity).delete(key);
    },
  };
}
