import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { SourceObjectState, SourceState } from '../../core/source.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import type { Reads } from '../../registry/ports.ts';
import { id } from '../postgres/rows.ts';
import { defineList, listPage } from './list.ts';

const timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const sourceRow = z.object({
  id,
  identity: z.string(),
  kind: z.enum(['cluster', 'directory', 'git']),
  place: z.string(),
  holder: z.string(),
  renewedAt: timestamp.nullable(),
  problem: z.string().nullable(),
  objects: z.int(),
  notReady: z.int(),
}) satisfies z.ZodType<SourceState>;

/** True, False or Unknown; null before the first reconciliation. */
const ready = sql.fragment`(
  select condition ->> 'status'
  from json_array_elements(source_object.status -> 'conditions') as condition
  where condition ->> 'type' = 'Ready')`;

const selectSources = sql.fragment`
  select id, identity, kind, place, holder,
    case when isfinite(renewed_at) then renewed_at end as "renewedAt",
    problem, held.objects, held.not_ready as "notReady"
  from controller_lease
  cross join lateral (
    select count(*)::integer as objects,
      (count(*) filter (where ${ready} is distinct from 'True'))::integer as not_ready
    from source_object
    where source_object.identity = controller_lease.identity
  ) held`;

const objectRow = z.object({
  id,
  sourceId: id,
  kind: z.enum(['DataContract', 'ContractProposal', 'ContractRegistration', 'Team']),
  namespace: z.string(),
  name: z.string(),
  generation: z.int(),
  status: z.custom<JsonObject | null>((value) => value === null || isJsonObject(value)),
  updatedAt: timestamp,
});

const objects = defineList({
  shape: objectRow,
  columns: sql.fragment`
    source_object.id, controller_lease.id as "sourceId", source_object.kind,
    source_object.namespace, source_object.name, source_object.generation, source_object.status,
    source_object.updated_at as "updatedAt"`,
  tables: sql.fragment`
    source_object join controller_lease on controller_lease.identity = source_object.identity`,
  countedTables: sql.fragment`
    source_object join controller_lease on controller_lease.identity = source_object.identity`,
  id: sql.fragment`source_object.id`,
  sorts: {
    name: {
      column: sql.fragment`(source_object.namespace || '/' || source_object.name)`,
      type: 'text',
    },
    updated_at: { column: sql.fragment`source_object.updated_at`, type: 'timestamptz' },
  },
  defaultSort: { field: 'name', direction: 'ascending' },
  toEntity: (row): SourceObjectState => {
    const status = row.status ?? {};
    const { observedGeneration: seen, conditions = [] } = status;
    const observedGeneration = typeof seen === 'number' ? seen : -1;
    return { ...row, status, observedGeneration, ready: readyOf(conditions) };
  },
});

type SourceReads = Pick<Reads, 'listSources' | 'getSource' | 'listSourceObjects'>;

export function readSources(pool: DatabasePool): SourceReads {
  return {
    listSources: () => pool.any(sql.type(sourceRow)`${selectSources} order by kind, place`),
    getSource: (sourceId) =>
      pool.maybeOne(sql.type(sourceRow)`${selectSources} where id = ${sourceId}`),
    listSourceObjects: (query) => {
      const conditions = [sql.fragment`controller_lease.id = ${query.sourceId}`];
      const { kind, namespace, name, isReady } = query;
      if (kind !== undefined) conditions.push(sql.fragment`source_object.kind = ${kind}`);
      if (namespace !== undefined) {
        conditions.push(sql.fragment`source_object.namespace = ${namespace}`);
      }
      if (name !== undefined) conditions.push(sql.fragment`source_object.name = ${name}`);
      if (isReady === true) conditions.push(sql.fragment`${ready} = 'True'`);
      if (isReady === false) conditions.push(sql.fragment`${ready} is distinct from 'True'`);
      return listPage(pool, objects, conditions, query);
    },
  };
}

function readyOf(conditions: Json): SourceObjectState['ready'] {
  if (!Array.isArray(conditions)) return null;
  const found = conditions.find((one: Json) => isJsonObject(one) && one.type === 'Ready');
  if (found === undefined || !isJsonObject(found)) return null;
  const { status, reason, message } = found;
  const isKnown = status === 'True' || status === 'False';
  return { status: isKnown ? status : 'Unknown', reason: String(reason), message: String(message) };
}
