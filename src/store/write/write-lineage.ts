// Writes dependencies and quality runs.

import type { DatabaseTransactionConnection } from 'slonik';
import { sql } from 'slonik';
import type { Write, WriteOf } from '../../core/decide/write.ts';
import { nothingRow } from '../postgres/rows.ts';

export async function insertQualityRuns(
  connection: DatabaseTransactionConnection,
  writes: readonly WriteOf<'insert_quality_run'>[],
) {
  const rows = writes.map(({ run }) => ({
    id: run.id,
    asset_id: run.assetId,
    contract_id: run.contractId,
    status: run.status,
    triggered_by: run.triggeredBy,
    run_id: run.runId,
    guarantees: run.guarantees,
    metadata: run.metadata,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    occurred_at: run.occurredAt,
    recorded_at: run.recordedAt,
  }));
  await connection.query(sql.type(nothingRow)`
    insert into quality_run (id, asset_id, contract_id, status, triggered_by, run_id, guarantees,
      metadata, started_at, finished_at, occurred_at, recorded_at)
    select id, asset_id, contract_id, status, triggered_by, run_id, guarantees, metadata,
      started_at, finished_at, occurred_at, recorded_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, asset_id uuid, contract_id uuid, status text, triggered_by text, run_id text,
      guarantees json, metadata json, started_at timestamptz, finished_at timestamptz,
      occurred_at timestamptz, recorded_at timestamptz)`);
}

type Connection = DatabaseTransactionConnection;

type Of<Kind extends Write['kind']> = readonly WriteOf<Kind>[];

export async function insertDependencies(connection: Connection, writes: Of<'insert_dependency'>) {
  const rows = writes.map(({ dependency }) => ({
    id: dependency.id,
    asset_id: dependency.assetId,
    depends_on_asset_id: dependency.dependsOnAssetId,
    type: dependency.type,
    source: dependency.source,
    created_at: dependency.createdAt,
  }));
  await connection.query(sql.type(nothingRow)`
    insert into dependency (id, asset_id, depends_on_asset_id, type, source, created_at)
    select id, asset_id, depends_on_asset_id, type, source, created_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, asset_id uuid, depends_on_asset_id uuid, type text, source text,
      created_at timestamptz)`);
}

export async function deleteDependencies(connection: Connection, writes: Of<'delete_dependency'>) {
  await connection.query(sql.type(nothingRow)`
    delete from dependency
    where id = any(${sql.array(
      writes.map(({ id }) => id),
      'uuid',
    )})`);
}

/**
 * Moves the dependencies of a deleted asset to the one that took its name, except for those that it
 * already has, and those that would make it depend on itself.
 */
export async function continueLineage(
  connection: Connection,
  lines: readonly { readonly from: string; readonly to: string }[],
) {
  const line = sql.fragment`
    json_to_recordset(${JSON.stringify(lines)}::json) as line ("from" uuid, "to" uuid)`;
  await connection.query(sql.type(nothingRow)`
    update dependency set asset_id = line."to" from ${line}
    where dependency.asset_id = line."from"
      and dependency.depends_on_asset_id <> line."to"
      and not exists (
        select from dependency has
        where has.asset_id = line."to"
          and has.depends_on_asset_id = dependency.depends_on_asset_id)`);
  await connection.query(sql.type(nothingRow)`
    update dependency set depends_on_asset_id = line."to" from ${line}
    where dependency.depends_on_asset_id = line."from"
      and dependency.asset_id <> line."to"
      and not exists (
        select from dependency has
        where has.depends_on_asset_id = line."to" and has.asset_id = dependency.asset_id)`);
  await connection.query(sql.type(nothingRow)`
    update quality_run set asset_id = line."to" from ${line}
    where quality_run.asset_id = line."from"`);
}
