// Reads services, and the facts for decisions about them.

import {
  type DatabasePool,
  type DatabaseTransactionConnection,
  type FragmentSqlToken,
  sql,
} from 'slonik';
import { z } from 'zod';
import type { ListedService } from '../../core/team.ts';
import type { Reads } from '../../registry/ports.ts';
import type { Transaction } from '../../registry/transaction.ts';
import {
  nothingRow,
  plannedEachTime,
  serviceColumns,
  serviceRow,
  serviceTables,
} from '../postgres/rows.ts';
import { defineList, haveRivals, listPage } from './list.ts';

const assetsOfService = sql.fragment`
  select count(*)::integer from asset
  where asset.service_id = service.id and asset.deleted_at is null`;

const services = defineList({
  shape: serviceRow.extend({ assets: z.int() }),
  columns: sql.fragment`${serviceColumns}, (${assetsOfService}) as assets`,
  tables: serviceTables,
  countedTables: sql.fragment`service`,
  id: sql.fragment`service.id`,
  sorts: {
    name: { column: sql.fragment`service.name`, type: 'text' },
    created_at: { column: sql.fragment`service.created_at`, type: 'timestamptz' },
  },
  defaultSort: { field: 'name', direction: 'ascending' },
  toEntity: ({ assets, ...service }): ListedService => ({ service, assets }),
});

export function readServices(pool: DatabasePool): Pick<Reads, 'getService' | 'listServices'> {
  return {
    getService: (id) =>
      pool.maybeOne(sql.type(serviceRow)`
        select ${serviceColumns} from ${serviceTables}
        where service.id = ${id} and service.deleted_at is null`),

    listServices: (query) => {
      const { ownerTeamId, name, q } = query;
      const conditions: FragmentSqlToken[] = [sql.fragment`service.deleted_at is null`];
      if (ownerTeamId !== undefined) {
        conditions.push(sql.fragment`service.owner_team_id = ${ownerTeamId}`);
      }
      if (name !== undefined) conditions.push(sql.fragment`service.name = ${name}`);
      if (q !== undefined) conditions.push(sql.fragment`strpos(service.name, lower(${q})) > 0`);
      const isPlannedEachTime = q !== undefined || haveRivals([ownerTeamId, name]);
      return listPage(pool, { ...services, isPlannedEachTime }, conditions, query);
    },
  };
}

type ServiceFacts = Pick<
  Transaction,
  | 'lockServiceNames'
  | 'lockService'
  | 'holdService'
  | 'findServiceByName'
  | 'countServicesOf'
  | 'countAssetsOf'
>;

const countRow = plannedEachTime(z.object({ count: z.int() }));

export function serviceFactsOf(connection: DatabaseTransactionConnection): ServiceFacts {
  const find = (condition: FragmentSqlToken) =>
    connection.maybeOne(sql.type(serviceRow)`
      select ${serviceColumns} from ${serviceTables}
      where ${condition} and service.deleted_at is null`);
  // Read after the lock: a statement that waits for a change of the owner would join the team before it, and find
  // nothing.
  const findLocked = async (id: string, lock: FragmentSqlToken) => {
    await connection.query(sql.type(nothingRow)`select from service where id = ${id} ${lock}`);
    return find(sql.fragment`service.id = ${id}`);
  };
  return {
    lockServiceNames: async () => {
      // Closes this race: two services with one name. The second waits, and finds the first.
      await connection.query(
        sql.type(nothingRow)`select pg_advisory_xact_lock(hashtextextended('service names', 0))`,
      );
    },
    // Closes this race: two changes of one service. The second starts from the result of the first.
    lockService: (id) => findLocked(id, sql.fragment`for update`),
    // Closes this race: an asset is put into a service that is deleted meanwhile.
    holdService: (id) => findLocked(id, sql.fragment`for share`),
    findServiceByName: (name) => find(sql.fragment`service.name = ${name}`),
    countServicesOf: async (teamId) => {
      const { count } = await connection.one(sql.type(countRow)`
        select count(*)::integer as count from service
        where owner_team_id = ${teamId} and deleted_at is null`);
      return count;
    },
    countAssetsOf: async (serviceId) => {
      const { count } = await connection.one(sql.type(countRow)`
        select count(*)::integer as count from asset
        where service_id = ${serviceId} and deleted_at is null`);
      return count;
    },
  };
}
