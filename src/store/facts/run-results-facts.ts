// The facts for recording the results of a build tool's run.

import { type CommonQueryMethods, sql } from 'slonik';
import { z } from 'zod';
import type { RunFacts, RunNames } from '../../core/decide/facts.ts';
import type { BuildNodeQuery, Reads } from '../../registry/ports.ts';
import { id, idRow, isActive } from '../postgres/rows.ts';

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
      select asset.fqn, asset.metadata ->> 'build_node_id' as build_node_id
      from unnest(${sql.array(starts, 'text')}) as start
      join asset on asset.environment = ${environment} and asset.deleted_at is null
        and asset.build_node is not null
        and asset.build_node >= start || '.' and asset.build_node < start || '/'`);
  };
}

const runFactsRow = z.object({
  id,
  fqn: z.string(),
  environment: z.string(),
  ownerTeamId: id,
  consumerTeamIds: z.array(id),
  known: id.nullable(),
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
      ) as known
    from asset where ${named}`);
  return rows.map(({ consumerTeamIds, known, ...asset }) => ({ asset, consumerTeamIds, known }));
}
