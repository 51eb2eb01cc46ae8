// The records of objects whose source stores no status. The registry keeps them in a table.

import type { JsonObject } from '../../core/value/json.ts';
import type { ObjectKey } from './source.ts';

export interface ObjectRecord {
  readonly key: ObjectKey;
  readonly generation: number;
  /** The digest of the whole spec: another one is another generation. */
  readonly specDigest: string;
  readonly isClaimed: boolean;
  readonly status: JsonObject | null;
  /** Needed to finalize objects that were deleted while nobody watched. */
  readonly lastSpec: JsonObject;
}

export interface ObjectRecords {
  readonly load: (identity: string) => Promise<readonly ObjectRecord[]>;
  readonly save: (identity: string, record: ObjectRecord) => Promise<void>;
  readonly remove: (identity: string, key: ObjectKey) => Promise<void>;
}
