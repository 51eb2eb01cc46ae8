// The people and groups that an identity provider keeps by SCIM.

import { type DatabasePool, type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import {
  nameParts,
  type ProvisionedGroup,
  type ProvisionedUser,
  type ScimAccount,
  type ScimGroup,
} from '../../core/user.ts';
import type { ProvisionedQuery } from '../../registry/lists.ts';
import type { Reads } from '../../registry/ports.ts';
import type { Transaction } from '../../registry/transaction.ts';
import { id, idRow, timestamp } from '../postgres/rows.ts';
import { lockedUserRow, userColumns, userRow, userTables } from './read-users.ts';

const accountRow = z.object({
  userName: z.string(),
  externalId: z.string().nullable(),
  names: z.partialRecord(z.enum(nameParts), z.string()),
  endedAt: timestamp.nullable(),
  deletedAt: timestamp.nullable(),
});

/** `deactivatedAt` is a column of the user as well. */
const accountColumns = sql.fragment`
  scim_user.user_name as "userName", scim_user.external_id as "externalId", scim_user.names,
  scim_user.deactivated_at as "endedAt", scim_user.deleted_at as "deletedAt"`;

function accountOf(row: z.output<typeof accountRow>): ScimAccount {
  const { userName, externalId, names, endedAt, deletedAt } = row;
  return { userName, externalId, names, deactivatedAt: endedAt, deletedAt };
}

const provisionedRow = userRow.extend(accountRow.shape);

function provisionedOf(row: z.output<typeof provisionedRow>): ProvisionedUser {
  const { userName, externalId, names, endedAt, deletedAt, ...user } = row;
  return { user, account: accountOf({ userName, externalId, names, endedAt, deletedAt }) };
}

const groupRow = z.object({
  id,
  displayName: z.string(),
  externalId: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
}) satisfies z.ZodType<ScimGroup>;

const groupColumns = sql.fragment`
  scim_group.id, scim_group.display_name as "displayName", scim_group.external_id as "externalId",
  scim_group.created_at as "createdAt", scim_group.updated_at as "updatedAt"`;

const groupWithMembers = groupRow.extend({ members: z.array(id).nullable() });

/** A column of the members' ids in order; null if they are not asked for. */
const memberColumn = (asked: boolean) =>
  asked
    ? sql.fragment`array(
        select user_id from scim_group_member where group_id = scim_group.id order by user_id
      ) as members`
    : sql.fragment`null as members`;

function groupOf({ members, ...group }: z.output<typeof groupWithMembers>): ProvisionedGroup {
  return { group, members };
}

type Filter = ProvisionedQuery['where'][number];

function userCondition({ by, is }: Filter) {
  switch (by) {
    case 'id':
      return sql.fragment`scim_user.user_id = ${String(is)}`;
    case 'userName':
      return sql.fragment`lower(scim_user.user_name) = lower(${String(is)})`;
    case 'externalId':
      return sql.fragment`scim_user.external_id = ${String(is)}`;
    case 'email':
      return sql.fragment`lower(app_user.email) = lower(${String(is)})`;
    case 'displayName':
      return sql.fragment`lower(coalesce(scim_user.names->>'displayName', app_user.name)) = lower(${String(is)})`;
    case 'active':
      return sql.fragment`(app_user.deactivated_at is null) = ${is === true}`;
    case 'members':
      return sql.fragment`false`;
    default:
      return by satisfies never;
  }
}

function groupCondition({ by, is }: Filter) {
  switch (by) {
    case 'id':
      return sql.fragment`scim_group.id = ${String(is)}`;
    case 'displayName':
      return sql.fragment`lower(scim_group.display_name) = lower(${String(is)})`;
    case 'externalId':
      return sql.fragment`scim_group.external_id = ${String(is)}`;
    case 'members':
      return sql.fragment`exists (
        select from scim_group_member
        where group_id = scim_group.id and user_id = ${String(is)})`;
    default:
      return sql.fragment`false`;
  }
}

const totalRow = z.object({ total: z.int() });
const countAll = sql.fragment`count(*)::int as total`;

export function readProvisioned(
  pool: DatabasePool,
): Pick<Reads, 'listProvisionedUsers' | 'listProvisionedGroups'> {
  return {
    listProvisionedUsers: async ({ where, offset, limit }) => {
      const from = sql.fragment`
        from ${userTables} join scim_user on scim_user.user_id = app_user.id
        where ${sql.join(
          [sql.fragment`scim_user.deleted_at is null`, ...where.map(userCondition)],
          sql.fragment` and `,
        )}`;
      const rows = await pool.any(sql.type(provisionedRow)`
        select ${userColumns}, ${accountColumns} ${from}
        order by scim_user.user_id limit ${limit} offset ${offset}`);
      const total = await totalOf(rows.length, { offset, limit }, () =>
        pool.one(sql.type(totalRow)`select ${countAll} ${from}`),
      );
      return { results: rows.map(provisionedOf), total };
    },

    listProvisionedGroups: async ({ where, offset, limit, withMembers }) => {
      const from = sql.fragment`
        from scim_group
        where ${sql.join([sql.fragment`true`, ...where.map(groupCondition)], sql.fragment` and `)}`;
      const rows = await pool.any(sql.type(groupWithMembers)`
        select ${groupColumns}, ${memberColumn(withMembers)} ${from}
        order by scim_group.id limit ${limit} offset ${offset}`);
      const total = await totalOf(rows.length, { offset, limit }, () =>
        pool.one(sql.type(totalRow)`select ${countAll} ${from}`),
      );
      return { results: rows.map(groupOf), total };
    },
  };
}

/** Counts only what a page does not show: a provider asks for one user at a time. */
async function totalOf(
  found: number,
  { offset, limit }: Pick<ProvisionedQuery, 'offset' | 'limit'>,
  count: () => Promise<{ readonly total: number }>,
): Promise<number> {
  const isLast = found < limit && (found > 0 || offset === 0);
  return isLast ? offset + found : (await count()).total;
}

type ProvisioningFacts = Pick<
  Transaction,
  | 'findAccount'
  | 'findAccountByName'
  | 'findGroupNames'
  | 'findGroup'
  | 'findGroupByName'
  | 'lockMembers'
>;

const nameRow = z.object({ name: z.string() });
const memberRow = lockedUserRow.extend({
  groups: z.array(z.object({ id, displayName: z.string() })),
});

/** All of them are read under the lock of addresses, which every change by SCIM takes first. */
export function provisioningFactsOf(connection: DatabaseTransactionConnection): ProvisioningFacts {
  const findId = async (found: Promise<{ readonly id: string } | null>) =>
    (await found)?.id ?? null;
  return {
    findAccount: async (userId) => {
      const row = await connection.maybeOne(sql.type(accountRow)`
        select ${accountColumns} from scim_user where user_id = ${userId}`);
      return row === null ? null : accountOf(row);
    },
    findAccountByName: (userName) =>
      findId(
        connection.maybeOne(sql.type(idRow)`
          select user_id as id from scim_user
          where lower(user_name) = lower(${userName}) and deleted_at is null`),
      ),
    findGroupNames: async (userId) => {
      const rows = await connection.any(sql.type(nameRow)`
        select display_name as name from scim_group
        join scim_group_member on group_id = scim_group.id
        where user_id = ${userId}
        order by scim_group.id`);
      return rows.map(({ name }) => name);
    },
    findGroup: async (groupId) => {
      const row = await connection.maybeOne(sql.type(groupWithMembers)`
        select ${groupColumns}, ${memberColumn(true)} from scim_group where id = ${groupId}`);
      return row === null ? null : groupOf(row);
    },
    findGroupByName: (displayName) =>
      findId(
        connection.maybeOne(sql.type(idRow)`
          select id from scim_group where lower(display_name) = lower(${displayName})`),
      ),
    lockMembers: async (userIds) => {
      if (userIds.length === 0) return [];
      const rows = await connection.any(sql.type(memberRow)`
        select ${userColumns}, case when team.id is null then app_user.team_id end as "deletedTeamId",
          array(
            select json_build_object('id', scim_group.id, 'displayName', display_name)
            from scim_group_member join scim_group on scim_group.id = group_id
            where scim_group_member.user_id = app_user.id
          ) as groups
        from ${userTables} join scim_user on scim_user.user_id = app_user.id
        where app_user.id = any(${sql.array(userIds, 'uuid')}) and scim_user.deleted_at is null
        order by app_user.id
        for update of app_user`);
      return rows.map(({ groups, ...user }) => ({ user, groups }));
    },
  };
}
