import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { AssetQuery } from '../../registry/lists.ts';
import type { Reads } from '../../registry/ports.ts';
import {
  assetColumns,
  assetOf,
  assetRow,
  assetTables,
  contractFields,
  contractOf,
  contractRow,
  id,
  isActive,
} from '../postgres/rows.ts';
import { statement } from '../postgres/statement.ts';
import { defineList, haveRivals, listPage } from './list.ts';
import { beginsWith, searchQueryOf } from './search/search-text.ts';

const assets = defineList({
  shape: assetRow,
  columns: assetColumns,
  tables: assetTables,
  countedTables: sql.fragment`asset`,
  id: sql.fragment`asset.id`,
  sorts: {
    fqn: { column: sql.fragment`asset.fqn`, type: 'text' },
    created_at: { column: sql.fragment`asset.created_at`, type: 'timestamptz' },
    updated_at: { column: sql.fragment`asset.updated_at`, type: 'timestamptz' },
  },
  defaultSort: { field: 'fqn', direction: 'ascending' },
  toEntity: assetOf,
});

const needFlags = { hasNeeds: z.boolean(), hasUnmetNeeds: z.boolean() };
const publishBaseRow = z.union([
  assetRow.extend({ ...contractRow.shape, id, contractId: id, ...needFlags }),
  assetRow.extend({ contractId: z.null(), ...needFlags }),
]);

type AssetReads = Pick<
  Reads,
  | 'getAsset'
  | 'findAssetByName'
  | 'listAssetsOfTable'
  | 'listAssets'
  | 'getPublishBase'
  | 'listAssetsManagedBy'
  | 'listManaged'
>;

const assetById = statement(
  sql.type(assetRow)`select ${assetColumns} from ${assetTables} where asset.id = ${''}`,
);

const assetByName = statement(sql.type(assetRow)`
  select ${assetColumns} from ${assetTables}
  where asset.fqn = ${''} and asset.environment = ${''} and asset.deleted_at is null`);

/** By the index of last names. */
const assetsOfTable = statement(sql.type(assetRow)`
  select ${assetColumns} from ${assetTables}
  where lower(split_part(asset.fqn, '.', -1)) = lower(split_part(${''}, '.', -1))
    and lower(asset.fqn) = lower(${''}) and asset.environment = ${''} and asset.deleted_at is null
  order by asset.fqn = ${''} desc, asset.id
  limit 100`);

const assetsByManager = statement(sql.type(assetRow)`
  select ${assetColumns} from ${assetTables}
  where asset.managed_source = ${''} and asset.managed_reference = ${''}
    and asset.deleted_at is null`);

const managedRow = z.object({
  id,
  reference: z.string(),
  fqn: z.string(),
  environment: z.string(),
});

const publishBaseByAsset = statement(sql.type(publishBaseRow)`
  select ${assetColumns}, contract.id as "contractId", ${contractFields},
    exists (
      select from registration
      where asset_id = asset.id and (need is not null or found is not null) and ${isActive}
    ) as "hasNeeds",
    exists (
      select from registration
      where asset_id = asset.id and need is not null and need_digest is null and ${isActive}
    ) as "hasUnmetNeeds"
  from ${assetTables}
  left join contract on contract.id = ${baseContractId(sql.fragment`asset.id`)}
  where asset.id = ${''}`);

export function readAssets(pool: DatabasePool): AssetReads {
  return {
    getAsset: async (id, which = 'living') => {
      const row = await pool.maybeOne(assetById(id));
      if (row === null || (which === 'living' && row.deletedAt !== null)) return null;
      return assetOf(row);
    },

    findAssetByName: async (fqn, environment) => {
      const row = await pool.maybeOne(assetByName(fqn, environment));
      return row === null ? null : assetOf(row);
    },

    listAssetsOfTable: async (fqn, environment) => {
      const rows = await pool.any(assetsOfTable(fqn, fqn, environment, fqn));
      return rows.map(assetOf);
    },

    listAssetsManagedBy: async ({ source, reference }) => {
      const rows = await pool.any(assetsByManager(source, reference));
      return rows.map(assetOf);
    },

    listManaged: (source, ending) =>
      pool.any(sql.type(managedRow)`
        select id, managed_reference as reference, fqn, environment from asset
        where managed_source = ${source} and deleted_at is null
          and right(managed_reference, length(${ending})) = ${ending}`),

    listAssets: (query) =>
      listPage(
        pool,
        { ...assets, isPlannedEachTime: hasManyAnswers(query) },
        conditionsOf(query),
        query,
      ),

    getPublishBase: async (assetId) => {
      const row = await pool.maybeOne(publishBaseByAsset(assetId));
      if (row === null) return null;
      const base = row.contractId === null ? null : contractOf({ ...row, id: row.contractId });
      const { hasNeeds, hasUnmetNeeds } = row;
      return { asset: assetOf(row), base, hasNeeds, hasUnmetNeeds };
    },
  };
}

/**
 * The contract that a publish is compared with: active, otherwise the newest that is not archived
 * or still read, otherwise the newest.
 */
export function baseContractId(assetId: FragmentSqlToken): FragmentSqlToken {
  return newestContractId(
    assetId,
    sql.fragment`(status <> 'archived' or exists (
      select from registration where contract_id = contract.id and ${isActive}))`,
  );
}

/** The contract to show: the active one. Without one, the newest that is not archived, or else the newest. */
export function latestContractId(assetId: FragmentSqlToken): FragmentSqlToken {
  return newestContractId(assetId, sql.fragment`status <> 'archived'`);
}

function newestContractId(assetId: FragmentSqlToken, isKept: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`coalesce(
    (select id from contract where asset_id = ${assetId} and status = 'active'),
    (select id from contract where asset_id = ${assetId} and ${isKept}
      order by ordinal desc limit 1),
    (select id from contract where asset_id = ${assetId} order by ordinal desc limit 1))`;
}

/** A word may be in every name, and one state may be that of all assets. */
function hasManyAnswers(query: AssetQuery): boolean {
  const { q, tag, quality, fqn, ownerTeamId, serviceId, environment, resourceType, sort } = query;
  const isSearch = [q, tag, quality, query.consumerTeamId].some((asked) => asked !== undefined);
  // Many names may have the prefix: for an order other than by name, only the values tell how many.
  if (fqn !== undefined && sort !== undefined && sort.field !== 'fqn') return true;
  return isSearch || haveRivals([fqn, ownerTeamId, serviceId, environment, resourceType]);
}

function conditionsOf(query: AssetQuery): FragmentSqlToken[] {
  const conditions: FragmentSqlToken[] = [];
  if (query.includeDeleted !== true) conditions.push(sql.fragment`asset.deleted_at is null`);
  if (query.fqn !== undefined) {
    conditions.push(beginsWith(sql.fragment`asset.fqn`, query.fqn));
  }
  if (query.ownerTeamId !== undefined) {
    conditions.push(sql.fragment`asset.owner_team_id = ${query.ownerTeamId}`);
  }
  if (query.consumerTeamId !== undefined) {
    conditions.push(sql.fragment`exists (
      select from registration
      where asset_id = asset.id and consumer_team_id = ${query.consumerTeamId} and ${isActive})`);
  }
  if (query.serviceId !== undefined) {
    conditions.push(sql.fragment`asset.service_id = ${query.serviceId} and exists (
      select from service where service.id = asset.service_id and service.deleted_at is null)`);
  }
  if (query.environment !== undefined) {
    conditions.push(sql.fragment`asset.environment = ${query.environment}`);
  }
  if (query.resourceType !== undefined) {
    conditions.push(sql.fragment`asset.resource_type = ${query.resourceType}`);
  }
  if (query.quality !== undefined) {
    conditions.push(sql.fragment`exists (
      select from newest_quality_run newest
      where newest.asset_id = asset.id and newest.status = ${query.quality})`);
  }
  if (query.tag !== undefined) {
    const tag = sql.array([query.tag], 'text');
    conditions.push(amongAssets(sql.fragment`tags @> ${tag}`));
  }
  const words = searchQueryOf(query.q ?? '');
  if (words !== '') conditions.push(amongAssets(sql.fragment`search @@ ${words}::tsquery`));
  return conditions;
}

/**
 * Selects these first, by their own index. Otherwise the planner walks along the order and discards
 * most rows.
 */
function amongAssets(condition: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`asset.id = any(array(select id from asset where ${condition}))`;
}
