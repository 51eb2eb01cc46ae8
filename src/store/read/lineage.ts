// Reads the lineage of an asset, in one recursive query.

import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import {
  dependencyTypes,
  type Lineage,
  type LineageAsset,
  type LineageDirection,
  maxLineageAssets,
  maxLineageEdges,
} from '../../core/dependency.ts';
import type { LineageQuery } from '../../registry/lineage/lineage-lists.ts';
import type { Reads } from '../../registry/ports.ts';
import { id, isActive } from '../postgres/rows.ts';

const lineageRow = z.object({
  assetId: id,
  fqn: z.string(),
  environment: z.string(),
  ownerTeamId: id,
  ownerTeamName: z.string(),
  depth: z.int(),
  fromAssetId: id,
  type: z.enum(dependencyTypes),
  rootFqn: z.string(),
  consumers: z.custom<LineageAsset['consumers']>(Array.isArray),
});

const edgeRow = z.object({
  assetId: id,
  dependsOnAssetId: id,
  type: z.enum(dependencyTypes),
});

type LineageRow = z.infer<typeof lineageRow>;

const ends = {
  upstream: {
    near: sql.fragment`dependency.asset_id`,
    far: sql.fragment`dependency.depends_on_asset_id`,
  },
  downstream: {
    near: sql.fragment`dependency.depends_on_asset_id`,
    far: sql.fragment`dependency.asset_id`,
  },
} satisfies Record<LineageDirection, unknown>;

/**
 * Each row of the walk is one depth: its assets, the step to each, and all assets seen before. So
 * each asset is visited once, however many paths lead to it, and cycles end. The walk goes one
 * depth and one asset further than the answer, to tell whether there is more.
 */
export function readLineage(pool: DatabasePool): Pick<Reads, 'walkLineage' | 'listLineageEdges'> {
  return {
    walkLineage: async (query) => {
      const { near, far } = ends[query.direction];
      const rows = await pool.any(sql.type(lineageRow)`
        with recursive walk (depth, assets, origins, types, seen) as (
          select 0, array[${query.assetId}::uuid], array[null::uuid], array[null::text],
            array[${query.assetId}::uuid]
          union all
          select walk.depth + 1, next.assets, next.origins, next.types, walk.seen || next.assets
          from walk
          cross join lateral (
            select array_agg(step.asset_id order by step.fqn, step.asset_id) as assets,
              array_agg(step.origin order by step.fqn, step.asset_id) as origins,
              array_agg(step.type order by step.fqn, step.asset_id) as types
            from (
              select found.asset_id, found.origin, found.type, found.fqn
              from (
                select distinct on (asset.id) asset.id as asset_id, asset.fqn,
                  origin.id as origin, dependency.type
                from unnest(walk.assets) with ordinality as origin (id, place)
                join dependency on ${near} = origin.id
                join asset on asset.id = ${far} and asset.deleted_at is null
                where not (asset.id = any(walk.seen))
                order by asset.id, origin.place, dependency.type
              ) found
              order by found.fqn, found.asset_id
              limit case when walk.depth = ${query.maxDepth} then 1
                else ${maxLineageAssets + 2} - cardinality(walk.seen) end
            ) step
          ) next
          where walk.depth <= ${query.maxDepth}
            and cardinality(walk.seen) < ${maxLineageAssets + 2}
            and next.assets is not null
        )
        select asset.id as "assetId", asset.fqn, asset.environment,
          asset.owner_team_id as "ownerTeamId", team.name as "ownerTeamName", walk.depth,
          step.origin as "fromAssetId", step.type, root.fqn as "rootFqn",
          (
            select coalesce(json_agg(json_build_object('teamId', consumer.id,
              'teamName', consumer.name) order by consumer.name, consumer.id), '[]'::json)
            from registration
            join team consumer on consumer.id = registration.consumer_team_id
            where registration.asset_id = asset.id and ${isActive}
          ) as consumers
        from walk
        cross join lateral unnest(walk.assets, walk.origins, walk.types) with ordinality
          as step (asset_id, origin, type, place)
        join asset on asset.id = step.asset_id
        join team on team.id = asset.owner_team_id
        join asset root on root.id = ${query.assetId}
        where walk.depth > 0
        order by walk.depth, step.place`);
      return lineageOf(rows, query);
    },

    listLineageEdges: (assetIds) => {
      const ids = sql.array(assetIds, 'uuid');
      return pool.any(sql.type(edgeRow)`
        select dependency.asset_id as "assetId",
          dependency.depends_on_asset_id as "dependsOnAssetId", dependency.type
        from unnest(${ids}) with ordinality as one (id, place)
        -- From the one that depends, always: what thousands depend on depends on a few itself.
        cross join lateral (
          select asset_id, depends_on_asset_id, type from dependency
          where dependency.asset_id = one.id
          offset 0
        ) dependency
        join unnest(${ids}) with ordinality as other (id, place)
          on other.id = dependency.depends_on_asset_id
        order by one.place + other.place, one.place, other.place
        limit ${maxLineageEdges + 1}`);
    },
  };
}

function lineageOf(rows: readonly LineageRow[], { assetId, maxDepth }: LineageQuery): Lineage {
  const listed = rows.filter(({ depth }) => depth <= maxDepth).slice(0, maxLineageAssets);
  // Breadth first: the origin of each step was listed before it.
  const paths = new Map<string, readonly string[]>();
  const assets = listed.map(({ fromAssetId, rootFqn, ...asset }): LineageAsset => {
    const before = fromAssetId === assetId ? [rootFqn] : (paths.get(fromAssetId) ?? []);
    const path = [...before, asset.fqn];
    paths.set(asset.assetId, path);
    return { ...asset, path };
  });
  return { assets, truncated: rows.length > listed.length };
}
