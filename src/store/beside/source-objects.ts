// The status of the objects of folders and repositories. The shape is that of the controller's
// ObjectRecords, which this room does not import.

import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../core/value/json.ts';
import type { Fence } from '../../registry/sources/fencing.ts';
import { whileAvailable } from '../postgres/database-errors.ts';
import { nothingRow } from '../postgres/rows.ts';
import { asLeader } from './fences.ts';

const jsonObject = z.custom<JsonObject>(isJsonObject);

const recordRow = z.object({
  key: z.string(),
  generation: z.int(),
  specDigest: z.string(),
  isClaimed: z.boolean(),
  status: jsonObject.nullable(),
  lastSpec: jsonObject,
});

type SourceObjectRecord = z.infer<typeof recordRow>;

export interface SourceObjects {
  readonly load: (identity: string) => Promise<readonly SourceObjectRecord[]>;
  readonly save: (identity: string, record: SourceObjectRecord) => Promise<void>;
  readonly remove: (identity: string, key: string) => Promise<void>;
}

/** Anyone may read them; only the leader of their source writes them. */
export function sourceObjectsOf(pool: DatabasePool, fence: Fence): SourceObjects {
  return {
    load: (identity) =>
      whileAvailable(() =>
        pool.any(sql.type(recordRow)`
          select kind || '/' || namespace || '/' || name as key, generation,
            spec_digest as "specDigest", is_claimed as "isClaimed", status,
            last_spec as "lastSpec"
          from source_object
          where identity = ${identity}
          order by kind, namespace, name`),
      ),
    save: (identity, record) => {
      const { kind, namespace, name } = partsOf(record.key);
      const status = record.status === null ? null : JSON.stringify(record.status);
      return asLeader(pool, fence, async (connection) => {
        await connection.query(sql.type(nothingRow)`
          insert into source_object (identity, kind, namespace, name, generation, spec_digest,
            is_claimed, status, last_spec, updated_at)
          values (${identity}, ${kind}, ${namespace}, ${name}, ${record.generation},
            ${record.specDigest}, ${record.isClaimed}, ${status}::json,
            ${JSON.stringify(record.lastSpec)}::json, clock_timestamp())
          on conflict (identity, kind, namespace, name) do update
          set generation = excluded.generation, spec_digest = excluded.spec_digest,
            is_claimed = excluded.is_claimed, status = excluded.status,
            last_spec = excluded.last_spec, updated_at = excluded.updated_at`);
      });
    },
    remove: (identity, key) => {
      const { kind, namespace, name } = partsOf(key);
      return asLeader(pool, fence, async (connection) => {
        await connection.query(sql.type(nothingRow)`
          delete from source_object
          where identity = ${identity} and kind = ${kind} and namespace = ${namespace}
            and name = ${name}`);
      });
    },
  };
}

function partsOf(key: string) {
  const [kind = '', namespace = '', name = ''] = key.split('/');
  return { kind, namespace, name };
}
