// Reads dependencies: their row, lists and facts.

import { type CommonQueryMethods, type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import {
  type Dependency,
  dependencySources,
  dependencyTypes,
  type LineageDirection,
} from '../../core/dependency.ts';
import type { DependencyQuery } from '../../registry/lineage/lineage-lists.ts';
import type { Reads } from '../../registry/ports.ts';
import type { Transaction } from '../../registry/transaction.ts';
import {
  assetColumns,
  assetOf,
  assetRow,
  assetTables,
  id,
  idRow,
  timestamp,
} from '../postgres/rows.ts';
import { defineList, listPage } from './list.ts';

const dependencyRow = z.object({
  id,
  assetId: id,
  assetFqn: z.string(),
  dependsOnAssetId: id,
  dependsOnFqn: z.string(),
  type: z.enum(dependencyTypes),
  source: z.enum(dependencySources),
  createdAt: timestamp,
}) satisfies z.ZodType<Dependency>;

const dependencyColumns = sql.fragment`
  dependency.id, dependency.asset_id as "assetId", asset.fqn as "assetFqn",
  dependency.depends_on_asset_id as "dependsOnAssetId", upstream.fqn as "dependsOnFqn",
  dependency.type, dependency.source, dependency.created_at as "createdAt"`;

/** Dependencies of a deleted asset are hidden in both directions until its name is taken again. */
const dependencyTables = sql.fragment`
  dependency
  join asset on asset.id = dependency.asset_id and asset.deleted_at is null
  join asset upstream
    on upstream.id = dependency.depends_on_asset_id and upstream.deleted_at is null`;

const dependencies = defineList({
  shape: dependencyRow,
  columns: dependencyColumns,
  tables: dependencyTables,
  countedTables: dependencyTables,
  id: sql.fragment`dependency.id`,
  sorts: { created_at: { column: sql.fragment`dependency.created_at`, type: 'timestamptz' } },
  defaultSort: { field: 'created_at', direction: 'descending' },
  toEntity: (row): Dependency => row,
});

const nearEnds = {
  upstream: sql.fragment`dependency.asset_id`,
  downstream: sql.fragment`dependency.depends_on_asset_id`,
} satisfies Record<LineageDirection, unknown>;

type DependencyReads = Pick<Reads, 'getDependency' | 'listDependencies'>;

export function readDependencies(pool: DatabasePool): DependencyReads {
  return {
    getDependency: (assetId, dependencyId) =>
      pool.maybeOne(
        sql.type(dependencyRow)`
          select ${dependencyColumns} from ${dependencyTables}
          where dependency.id = ${dependencyId} and dependency.asset_id = ${assetId}`,
      ),

    listDependencies: (query: DependencyQuery) =>
      listPage(
        pool,
        dependencies,
        [sql.fragment`${nearEnds[query.direction]} = ${query.assetId}`],
        query,
      ),
  };
}

type DependencyFacts = Pick<Transaction, 'lockAssets' | 'findDependencyOn' | 'findDependency'>;

const lockedRow = dependencyRow.extend({ dependsOnOwnerTeamId: id });

export function dependencyFactsOf(connection: CommonQueryMethods): DependencyFacts {
  return {
    lockAssets: async (assetIds) => {
      // In the order of ids, like everyone who locks several assets.
      await connection.query(sql.type(idRow)`
        select id from asset where id = any(${sql.array(assetIds, 'uuid')}) order by id for update`);
      const rows = await connection.any(sql.type(assetRow)`
        select ${assetColumns} from ${assetTables}
        where asset.id = any(${sql.array(assetIds, 'uuid')})`);
      return rows.map(assetOf);
    },
    findDependencyOn: (assetId, dependsOnAssetId) =>
      connection.maybeOne(
        sql.type(dependencyRow)`
          select ${dependencyColumns} from ${dependencyTables}
          where dependency.asset_id = ${assetId}
            and dependency.depends_on_asset_id = ${dependsOnAssetId}`,
      ),
    findDependency: async (assetId, dependencyId) => {
      const row = await connection.maybeOne(
        sql.type(lockedRow)`
          select ${dependencyColumns}, upstream.owner_team_id as "dependsOnOwnerTeamId"
          from ${dependencyTables}
          where dependency.id = ${dependencyId} and dependency.asset_id = ${assetId}`,
      );
      if (row === null) return null;
      const { dependsOnOwnerTeamId, ...dependency } = row;
      return { dependency, dependsOnOwnerTeamId };
    },
  };
}
