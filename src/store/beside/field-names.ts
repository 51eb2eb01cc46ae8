// Adds field names to active contracts that were written without them: before the search existed, or by
// the previous release. Several processes may do this at once.

import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { Json } from '../../core/value/json.ts';
import { fieldColumnsOf } from '../postgres/field-columns.ts';
import { id, nothingRow } from '../postgres/rows.ts';

/** Small, because schemas may be large. */
const batchSize = 50;

const unnamedRow = z.object({ id, schema: z.custom<Json>() });

/** Names the fields of a batch. Answers whether there may be more. */
export async function nameMissingFields(pool: DatabasePool): Promise<boolean> {
  const rows = await pool.any(sql.type(unnamedRow)`
    select id, schema from contract
    where status = 'active' and field_paths is null
    order by id
    limit ${batchSize}`);
  if (rows.length === 0) return false;
  const named = rows.map(({ id: contractId, schema }) => ({
    id: contractId,
    ...fieldColumnsOf(schema),
  }));
  // Skips contracts that a publish is replacing, so that neither waits for the other.
  await pool.query(sql.type(nothingRow)`
    with named as materialized (
      select * from json_to_recordset(${JSON.stringify(named)}::json) as named (
        id uuid, field_paths text[], field_words text[], fields_cut boolean)
    ), unnamed as materialized (
      select id from contract
      where id in (select id from named) and status = 'active' and field_paths is null
      order by id
      for update skip locked
    )
    update contract
    set field_paths = named.field_paths, field_words = array_to_tsvector(named.field_words),
      fields_cut = named.fields_cut
    from named join unnamed using (id)
    where contract.id = named.id`);
  return rows.length === batchSize;
}
