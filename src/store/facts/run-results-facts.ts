// The facts for recording quality runs.

import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { AnsweredTeam, RunFacts, RunNames } from '../../core/decide/facts.ts';
import type { AssetId, ContractId } from '../../core/id.ts';
import type { RunStreak } from '../../core/quality-run.ts';
import type { BuildNodeQuery, Reads } from '../../registry/ports.ts';
import { id, idRow, isActive, timestamp } from '../postgres/rows.ts';

const nodeRow = z.object({ fqn: z.string(), build_node_id: z.string() });

/** Reads ranges of the index of node ids: `model.shop.` to `model.shop/`. */
export function readBuildNodes(
  connection: CommonQueryMethods,
): (query: BuildNodeQuery) => ReturnType<Reads['listBuildNodes']> {
  return ({ environment, packages }) => {
    const starts = packages.flatMap((name) =>
      ['model', 'source', 'seed', 'snapshot'].map((type) => `${type}.${name}`),
    );
    return connection.any(sql.type(nodeRow)`
      select asset.fqn, asset.imported_as #>> '{dbt,of}' as build_node_id
      from unnest(${sql.array(starts, 'text')}) as start
      join asset on asset.environment = ${environment} and asset.deleted_at is null
        and asset.imported_as #>> '{dbt,of}' is not null
        and (asset.imported_as #>> '{dbt,of}') collate "C" >= start || '.'
        and (asset.imported_as #>> '{dbt,of}') collate "C" < start || '/'`);
  };
}

const runFactsRow = z.object({
  id,
  fqn: z.string(),
  environment: z.string(),
  ownerTeamId: id,
  consumerTeamIds: z.array(id),
  known: id.nullable(),
  newest: timestamp.nullable(),
  failingSince: timestamp.nullable(),
});

/** In the order of ids, like everyone who locks several assets. */
export async function lockForRuns(
  connection: CommonQueryMethods,
  { environment, fqns, runId }: RunNames,
): Promise<readonly RunFacts[]> {
  const named = sql.fragment`asset.environment = ${environment} and asset.deleted_at is null
    and asset.fqn = any(${sql.array(fqns, 'text')})`;
  await connection.query(
    sql.type(idRow)`select id from asset where ${named} order by id for update`,
  );
  const rows = await connection.any(sql.type(runFactsRow)`
    select asset.id, asset.fqn, asset.environment, asset.owner_team_id as "ownerTeamId",
      array(
        select registration.consumer_team_id from registration
        where registration.asset_id = asset.id and ${isActive}
      ) as "consumerTeamIds",
      (
        select quality_run.id from quality_run
        where quality_run.asset_id = asset.id and quality_run.run_id = ${runId}
          and quality_run.triggered_by = 'build_test'
        order by quality_run.id
        limit 1
      ) as known,
      streak."occurredAt" as newest, streak."failingSince"
    from asset
    left join lateral (${streakOf(sql.fragment`asset.id`, 'build_test')}) streak on true
    where ${named}`);
  return rows.map(({ consumerTeamIds, known, newest, failingSince, ...asset }) => ({
    ...{ asset, consumerTeamIds, known },
    before: newest === null ? null : { occurredAt: newest, failingSince },
  }));
}

const streakRow = z.object({ occurredAt: timestamp, failingSince: timestamp.nullable() });

export function findStreak(
  connection: CommonQueryMethods,
  assetId: AssetId,
  triggeredBy: string,
): Promise<RunStreak | null> {
  const asset = sql.fragment`${assetId}::uuid`;
  return connection.maybeOne(sql.type(streakRow)`${streakOf(asset, triggeredBy)}`);
}

/** The newest run of a trigger, and the first that failed after the last that passed. */
function streakOf(assetId: FragmentSqlToken, triggeredBy: string): FragmentSqlToken {
  const ofTrigger = (run: FragmentSqlToken) =>
    sql.fragment`${run}.asset_id = ${assetId} and ${run}.triggered_by = ${triggeredBy}`;
  return sql.fragment`
    select newest.occurred_at as "occurredAt", (
      select min(run.occurred_at) from quality_run as run
      where ${ofTrigger(sql.fragment`run`)} and run.status = 'failed'
        and (run.occurred_at, run.id) > all (
          select good.occurred_at, good.id from quality_run as good
          where ${ofTrigger(sql.fragment`good`)} and good.status = 'passed'
          order by good.occurred_at desc, good.id desc
          limit 1
        )
    ) as "failingSince"
    from quality_run as newest
    where ${ofTrigger(sql.fragment`newest`)}
    order by newest.occurred_at desc, newest.id desc
    limit 1`;
}

const answerRow = z.object({
  teamName: z.string(),
  response: z.enum(['approved', 'migrating', 'blocked']),
});

export function listAnswers(
  connection: CommonQueryMethods,
  contractId: ContractId,
): Promise<readonly AnsweredTeam[]> {
  return connection.any(sql.type(answerRow)`
    select distinct on (acknowledgement.team_id) team.name as "teamName", acknowledgement.response
    from proposal
    join acknowledgement on acknowledgement.proposal_id = proposal.id
      and acknowledgement.round = proposal.round
    join team on team.id = acknowledgement.team_id
    where proposal.published_contract_id = ${contractId}
    order by acknowledgement.team_id, acknowledgement.ordinal desc`);
}
