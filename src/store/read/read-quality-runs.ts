// Quality runs: their row, their reads, and their writes.

import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { AssetId } from '../../core/id.ts';
import {
  type CheckedGuarantee,
  type QualityRun,
  qualityRunStates,
  trendWindows,
} from '../../core/quality-run.ts';
import type { QualityRunQuery } from '../../registry/lineage/lineage-lists.ts';
import type { Reads } from '../../registry/ports.ts';
import { id, jsonObject, timestamp } from '../postgres/rows.ts';
import { defineList, listPage } from './list.ts';

const qualityRunRow = z.object({
  id,
  assetId: id,
  contractId: id.nullable(),
  contractVersion: z.string().nullable(),
  status: z.enum(qualityRunStates),
  triggeredBy: z.string(),
  runId: z.string().nullable(),
  guarantees: z.custom<readonly CheckedGuarantee[]>(Array.isArray),
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
  occurredAt: timestamp,
  recordedAt: timestamp,
  metadata: jsonObject,
}) satisfies z.ZodType<QualityRun>;

const qualityRuns = defineList({
  shape: qualityRunRow,
  columns: sql.fragment`
    quality_run.id, quality_run.asset_id as "assetId", quality_run.contract_id as "contractId",
    contract.version as "contractVersion", quality_run.status,
    quality_run.triggered_by as "triggeredBy", quality_run.run_id as "runId",
    quality_run.guarantees, quality_run.started_at as "startedAt",
    quality_run.finished_at as "finishedAt", quality_run.occurred_at as "occurredAt",
    quality_run.recorded_at as "recordedAt", quality_run.metadata`,
  tables: sql.fragment`quality_run left join contract on contract.id = quality_run.contract_id`,
  countedTables: sql.fragment`quality_run`,
  id: sql.fragment`quality_run.id`,
  sorts: { occurred_at: { column: sql.fragment`quality_run.occurred_at`, type: 'timestamptz' } },
  defaultSort: { field: 'occurred_at', direction: 'descending' },
  toEntity: (row): QualityRun => row,
});

const trendRow = z.object({
  window: z.enum(trendWindows),
  since: timestamp,
  runs: z.int(),
  failedRuns: z.int(),
  worstGuarantees: z.array(z.object({ name: z.string(), runs: z.int(), failedRuns: z.int() })),
});

const worstGuaranteesLimit = 5;
const incidentLimit = 100;

const incidentRow = z.object({ triggeredBy: z.string(), since: timestamp, runs: z.int() });

/** An asset has few triggers and many runs: the index leads from one trigger to the next. */
function nextTrigger(assetId: AssetId, after: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select triggered_by as name from quality_run
    where asset_id = ${assetId} and triggered_by > ${after}
    order by triggered_by
    limit 1`;
}

export function readQualityRuns(
  pool: DatabasePool,
): Pick<Reads, 'listQualityRuns' | 'getQualityTrends' | 'listIncidents'> {
  return {
    listQualityRuns: (query) => listPage(pool, qualityRuns, conditionsOf(query), query),

    getQualityTrends: (assetId, now) =>
      pool.any(sql.type(trendRow)`
        with run as materialized (
          select id, status, occurred_at, guarantees from quality_run
          where asset_id = ${assetId} and occurred_at > ${now}::timestamptz - interval '30 days'
        ), stretch ("window", since) as (
          values ('24h', ${now}::timestamptz - interval '24 hours'),
            ('7d', ${now}::timestamptz - interval '7 days'),
            ('30d', ${now}::timestamptz - interval '30 days')
        )
        select stretch."window", stretch.since, counted.runs, counted."failedRuns",
          worst.guarantees as "worstGuarantees"
        from stretch
        cross join lateral (
          select count(*)::integer as runs,
            (count(*) filter (where status = 'failed'))::integer as "failedRuns"
          from run where occurred_at > stretch.since
        ) counted
        cross join lateral (
          select coalesce(json_agg(json_build_object('name', name, 'runs', runs,
            'failedRuns', failed) order by failed desc, runs, name), '[]'::json) as guarantees
          from (
            select checked.name, count(distinct run.id) as runs,
              count(distinct run.id) filter (where checked.status = 'failed') as failed
            from run
            cross join lateral json_to_recordset(run.guarantees) as checked (
              name text, status text)
            where run.occurred_at > stretch.since and checked.status <> 'skipped'
            group by checked.name
            having bool_or(checked.status = 'failed')
            order by failed desc, runs, checked.name
            limit ${worstGuaranteesLimit}
          ) guarantee
        ) worst
        order by stretch.since desc`),

    listIncidents: (assetId) =>
      pool.any(sql.type(incidentRow)`
        with recursive trigger (name) as (
          (${nextTrigger(assetId, sql.fragment`''`)})
          union all
          select following.name from trigger
          cross join lateral (${nextTrigger(assetId, sql.fragment`trigger.name`)}) as following
        )
        select trigger.name as "triggeredBy", failing.since, failing.runs
        from trigger
        left join lateral (
          select occurred_at, id from quality_run
          where asset_id = ${assetId} and triggered_by = trigger.name and status = 'passed'
          order by occurred_at desc, id desc
          limit 1
        ) passed on true
        cross join lateral (
          select min(occurred_at) as since, count(*)::integer as runs from quality_run
          where asset_id = ${assetId} and triggered_by = trigger.name
            and (passed.id is null or (occurred_at, id) > (passed.occurred_at, passed.id))
        ) failing
        where failing.runs > 0
        order by failing.since, trigger.name
        limit ${incidentLimit}`),
  };
}

function conditionsOf(query: QualityRunQuery): FragmentSqlToken[] {
  const conditions = [sql.fragment`quality_run.asset_id = ${query.assetId}`];
  if (query.status !== undefined) {
    conditions.push(sql.fragment`quality_run.status = ${query.status}`);
  }
  if (query.triggeredBy !== undefined) {
    conditions.push(sql.fragment`quality_run.triggered_by = ${query.triggeredBy}`);
  }
  return conditions;
}
