import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { ContractStatus } from '../../core/contract.ts';
import type { ContractQuery } from '../../registry/lists.ts';
import type { Reads } from '../../registry/ports.ts';
import {
  contractColumns,
  contractOf,
  contractRow,
  contractSummaryColumns,
  contractSummaryOf,
  contractSummaryRow,
  contractTables,
  id,
  idRow,
  writtenRow,
} from '../postgres/rows.ts';
import { defineList, haveRivals, listPage } from './list.ts';
import { latestContractId } from './read-assets.ts';

const common = {
  tables: contractTables,
  countedTables: sql.fragment`contract`,
  id: sql.fragment`contract.id`,
  sorts: {
    published_at: { column: sql.fragment`contract.published_at`, type: 'timestamptz' as const },
  },
  defaultSort: { field: 'published_at' as const, direction: 'descending' as const },
};

const contracts = defineList({
  ...common,
  shape: contractRow,
  columns: contractColumns,
  toEntity: contractOf,
});

const summaries = defineList({
  ...common,
  shape: contractSummaryRow,
  columns: contractSummaryColumns,
  toEntity: contractSummaryOf,
});

type ContractReads = Pick<
  Reads,
  | 'getContract'
  | 'getContractByVersion'
  | 'listContracts'
  | 'listContractSummaries'
  | 'listContractsToArchive'
  | 'listDueSunsets'
  | 'recordSunsetsSeen'
>;

const dueSunsetsRow = z.object({ assetId: id, contractId: id, state: z.string() });

export function readContracts(pool: DatabasePool): ContractReads {
  return {
    getContract: async (id) => {
      const row = await pool.maybeOne(
        sql.type(contractRow)`
          select ${contractColumns} from ${contractTables} where contract.id = ${id}`,
      );
      return row === null ? null : contractOf(row);
    },

    getContractByVersion: async (assetId, version) => {
      const condition =
        version === 'latest'
          ? sql.fragment`contract.id = ${latestContractId(sql.fragment`${assetId}::uuid`)}`
          : sql.fragment`contract.asset_id = ${assetId} and contract.version = ${version}`;
      const row = await pool.maybeOne(
        sql.type(contractRow)`
          select ${contractColumns} from ${contractTables} where ${condition}`,
      );
      return row === null ? null : contractOf(row);
    },

    listContracts: (query) =>
      listPage(pool, { ...contracts, ...planOf(query) }, conditionsOf(query), query),

    listContractSummaries: (query) =>
      listPage(pool, { ...summaries, ...planOf(query) }, conditionsOf(query), query),

    listContractsToArchive: async (before, limit) => {
      const rows = await pool.any(sql.type(idRow)`
        select contract.id
        from contract
        join asset on asset.id = contract.asset_id
        where contract.status = 'deprecated' and contract.deprecated_at < ${before}::timestamptz
          and asset.deleted_at is null
          and not exists (
            select from registration
            where registration.contract_id = contract.id and registration.status = 'active'
          )
        order by contract.deprecated_at, contract.id
        limit ${limit}`);
      return rows.map((row) => row.id);
    },

    listDueSunsets: (today, limit) =>
      pool.any(sql.type(dueSunsetsRow)`
        select contract.asset_id as "assetId", contract.id as "contractId",
          contract.xmin::text as state
        from contract
        join asset on asset.id = contract.asset_id
        where contract.status = 'active' and contract.sunsets_due <= ${today}::date
          and asset.deleted_at is null
        order by contract.sunsets_due, contract.id
        limit ${limit}`),

    recordSunsetsSeen: async ({ contractId, state }, day) => {
      await pool.query(sql.type(writtenRow)`
        update contract set sunsets_due = ${day}::date
        where id = ${contractId} and xmin::text = ${state}`);
    },
  };
}

/** An asset has few contracts, so one plan is right for all values. */
function planOf({ assetId, version, status }: ContractQuery) {
  return { isPlannedEachTime: assetId === undefined && haveRivals([version, status]) };
}

function conditionsOf(query: ContractQuery): FragmentSqlToken[] {
  const conditions: FragmentSqlToken[] = [];
  if (query.assetId !== undefined) {
    conditions.push(sql.fragment`contract.asset_id = ${query.assetId}`);
  }
  if (query.status !== undefined) conditions.push(isShownAs(query.status));
  if (query.version !== undefined) {
    conditions.push(sql.fragment`contract.version = ${query.version}`);
  }
  return conditions;
}

/** The status in responses: the active contract of a deleted asset is deprecated. */
function isShownAs(status: ContractStatus): FragmentSqlToken {
  const isDeleted = sql.fragment`
    contract.asset_id in (select id from asset where deleted_at is not null)`;
  switch (status) {
    case 'active':
      return sql.fragment`contract.status = ${status} and not ${isDeleted}`;
    case 'deprecated':
      return sql.fragment`
        (contract.status = ${status} or contract.status = 'active' and ${isDeleted})`;
    case 'archived':
      return sql.fragment`contract.status = ${status}`;
    default:
      return status satisfies never;
  }
}
