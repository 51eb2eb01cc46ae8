import { type DatabasePool, type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import { maxSavedViews, roles, type User, userDuties } from '../../core/user.ts';
import type { Reads } from '../../registry/ports.ts';
import type { Transaction } from '../../registry/transaction.ts';
import {
  anAdministrator,
  anyDigest,
  assetColumns,
  assetOf,
  assetRow,
  assetTables,
  id,
  idRow,
  nothingRow,
  timestamp,
} from '../postgres/rows.ts';
import { defineList, listPage } from './list.ts';

export const userRow = z.object({
  id,
  email: z.string(),
  name: z.string(),
  teamId: id.nullable(),
  role: z.enum(roles),
  duties: z.array(z.enum(userDuties)),
  createdAt: timestamp,
  updatedAt: timestamp,
  deactivatedAt: timestamp.nullable(),
}) satisfies z.ZodType<User>;

/** A deleted team has no members, so nobody can act for it. */
export const userColumns = sql.fragment`
  app_user.id, app_user.email, app_user.name, team.id as "teamId", app_user.role, app_user.duties,
  app_user.created_at as "createdAt", app_user.updated_at as "updatedAt",
  app_user.deactivated_at as "deactivatedAt"`;

export const userTables = sql.fragment`
  app_user left join team on team.id = app_user.team_id and team.deleted_at is null`;

const users = defineList({
  shape: userRow,
  columns: userColumns,
  tables: userTables,
  countedTables: sql.fragment`app_user`,
  id: sql.fragment`app_user.id`,
  sorts: {
    created_at: { column: sql.fragment`app_user.created_at`, type: 'timestamptz' },
    email: { column: sql.fragment`lower(app_user.email)`, type: 'text' },
    name: { column: sql.fragment`lower(app_user.name) collate "C"`, type: 'text' },
  },
  defaultSort: { field: 'created_at', direction: 'descending' },
  toEntity: (row): User => row,
});

const savedViews = sql.fragment`
  (select coalesce(json_agg(json_build_object('name', key, 'address', value) order by key collate "C"), '[]')
  from jsonb_each_text(app_user.saved_views))`;

const sessionRow = userRow.extend({
  digest: z.string(),
  csrfToken: z.string(),
  provider: z.string().nullable(),
  begunAt: timestamp,
  lastSeenAt: timestamp,
});
const endedRow = userRow.extend({ digest: z.string() });
const credentialsRow = userRow.extend({ passwordHash: z.string().nullable() });
const savedViewsRow = z.object({
  views: z.array(z.object({ name: z.string(), address: z.string() })),
});
const existsRow = z.object({ exists: z.boolean() });
const subjectRow = z.object({ subject: z.string() });
const hashRow = z.object({ passwordHash: z.string().nullable() });

type UserReads = Pick<
  Reads,
  | 'getUser'
  | 'findUserByEmail'
  | 'listUsers'
  | 'hasAdministrator'
  | 'hasUsers'
  | 'findCredentials'
  | 'findSessions'
  | 'recordSessionUse'
  | 'listSavedViews'
  | 'changeSavedViews'
>;

export function readUsers(pool: DatabasePool): UserReads {
  return {
    getUser: (userId) =>
      pool.maybeOne(
        sql.type(userRow)`
          select ${userColumns} from ${userTables} where app_user.id = ${userId}`,
      ),

    findUserByEmail: (email) =>
      pool.maybeOne(
        sql.type(userRow)`
          select ${userColumns} from ${userTables}
          where lower(app_user.email) = lower(${email}) and app_user.deactivated_at is null`,
      ),

    listUsers: (query) => {
      const conditions = query.includeDeactivated
        ? []
        : [sql.fragment`app_user.deactivated_at is null`];
      if (query.email !== undefined) {
        conditions.push(sql.fragment`lower(app_user.email) = lower(${query.email})`);
      }
      if (query.teamId !== undefined) {
        conditions.push(sql.fragment`app_user.team_id = ${query.teamId}`);
      }
      if (query.role !== undefined) conditions.push(sql.fragment`app_user.role = ${query.role}`);
      return listPage(pool, users, conditions, query);
    },

    hasAdministrator: () => pool.oneFirst(sql.type(existsRow)`select ${anAdministrator}`),

    hasUsers: () => pool.oneFirst(sql.type(existsRow)`select exists (select from app_user)`),

    findCredentials: async (email) => {
      const row = await pool.maybeOne(
        sql.type(credentialsRow)`
          select ${userColumns}, app_user.password_hash as "passwordHash"
          from ${userTables}
          where lower(app_user.email) = lower(${email})`,
      );
      if (row === null) return null;
      const { passwordHash, ...user } = row;
      return { user, passwordHash };
    },

    findSessions: async (digests) => {
      const rows = await pool.any(
        sql.type(sessionRow)`
          select ${userColumns}, encode(session.digest, 'hex') as digest,
            session.csrf_token as "csrfToken", session.created_at as "begunAt",
            session.last_seen_at as "lastSeenAt", session.provider
          from session
          join app_user on app_user.id = session.user_id
          left join team on team.id = app_user.team_id and team.deleted_at is null
          where session.digest = ${anyDigest(digests)}
            and app_user.deactivated_at is null`,
      );
      return rows.map(({ digest, csrfToken, provider, begunAt, lastSeenAt, ...user }) => ({
        digest,
        user,
        csrfToken,
        provider,
        begunAt,
        lastSeenAt,
      }));
    },

    recordSessionUse: async (uses) => {
      await pool.query(
        sql.type(nothingRow)`
          update session
          set last_seen_at = greatest(last_seen_at, used.at)
          from ${sql.unnest(
            uses.map((use) => [use.id, use.at]),
            ['text', 'timestamptz'],
          )} as used (digest, at)
          where session.digest = decode(used.digest, 'hex')`,
      );
    },

    listSavedViews: async (userId) => {
      const row = await pool.maybeOne(
        sql.type(savedViewsRow)`
          select ${savedViews} as views from app_user where id = ${userId}`,
      );
      return row?.views ?? [];
    },

    changeSavedViews: async (userId, { save, remove }) => {
      const saved = Object.fromEntries(save.map(({ name, address }) => [name, address]));
      // One statement with a lock: what two browsers save at once is kept.
      const row = await pool.maybeOne(
        sql.type(savedViewsRow)`
          with changed as materialized (
            select id,
              (saved_views - ${sql.array(remove, 'text')}) || ${JSON.stringify(saved)}::jsonb as views
            from app_user where id = ${userId} for update
          )
          update app_user set saved_views = changed.views
          from changed
          where app_user.id = changed.id
            and (select count(*) from jsonb_object_keys(changed.views)) <= ${maxSavedViews}
          returning ${savedViews} as views`,
      );
      return row?.views ?? null;
    },
  };
}

type UserFacts = Pick<
  Transaction,
  | 'lockUserNames'
  | 'findUserByEmail'
  | 'findUserByIdentity'
  | 'findSubjects'
  | 'hasIdentity'
  | 'lockUser'
  | 'lockProviderSessions'
  | 'lockAssetsOwnedBy'
  | 'findAssetsOwnedBy'
  | 'findPasswordHash'
  | 'holdUser'
>;

export const lockedUserRow = userRow.extend({ deletedTeamId: id.nullable() });
const heldRow = userRow.pick({ id: true, name: true, role: true, teamId: true, duties: true });

const ownedBy = (userIds: readonly string[]) => sql.fragment`
  asset.owner_user_id = any(${sql.array(userIds, 'uuid')}) and asset.deleted_at is null
  and asset.owner_team_id = (select team_id from app_user where id = asset.owner_user_id)`;

export function userFactsOf(connection: DatabaseTransactionConnection): UserFacts {
  return {
    lockUserNames: async (names) => {
      // Closes this race: two users with one address. The second waits, and finds the first.
      if (names === undefined) {
        await connection.query(
          sql.type(nothingRow)`select pg_advisory_xact_lock(hashtextextended('user addresses', 0))`,
        );
        return;
      }
      await connection.query(sql.type(nothingRow)`
        select pg_advisory_xact_lock_shared(hashtextextended('user addresses', 0))`);
      // In one order, so that no two wait for each other.
      await connection.query(sql.type(nothingRow)`
        select pg_advisory_xact_lock(place) from (
          select distinct hashtextextended(lower(name), 4) as place
          from unnest(${sql.array([...names], 'text')}) as name
          order by place
        ) as ordered`);
    },
    findUserByEmail: (email) =>
      connection.maybeOne(
        sql.type(userRow)`
          select ${userColumns} from ${userTables}
          where lower(app_user.email) = lower(${email})`,
      ),
    findUserByIdentity: ({ issuer, subject }) =>
      connection.maybeOne(
        sql.type(userRow)`
          select ${userColumns} from ${userTables}
          join user_identity on user_identity.user_id = app_user.id
          where user_identity.issuer = ${issuer} and user_identity.subject = ${subject}`,
      ),
    findSubjects: (userId, issuer) =>
      connection.anyFirst(
        sql.type(subjectRow)`
          select subject from user_identity where user_id = ${userId} and issuer = ${issuer}`,
      ),
    hasIdentity: (userId) =>
      connection.oneFirst(
        sql.type(existsRow)`
          select exists (select from user_identity where user_id = ${userId})`,
      ),
    lockUser: (userId) =>
      // Closes this race: deactivating and signing in. The session either exists and is ended, or
      // is never made.
      connection.maybeOne(
        sql.type(lockedUserRow)`
          select ${userColumns},
            case when team.id is null then app_user.team_id end as "deletedTeamId"
          from ${userTables}
          where app_user.id = ${userId}
          for update of app_user`,
      ),
    lockProviderSessions: async ({ provider, issuer, subject, session, until }) => {
      const isOfSubject = sql.fragment`exists (
        select from user_identity
        where user_identity.user_id = session.user_id and issuer = ${issuer}
          and subject = ${subject}::text)`;
      const rows = await connection.any(sql.type(endedRow)`
        select ${userColumns}, encode(session.digest, 'hex') as digest
        from session
        join app_user on app_user.id = session.user_id
        left join team on team.id = app_user.team_id and team.deleted_at is null
        where session.provider = ${provider} and session.created_at <= ${until}
          and case
            when ${session}::text is null or session.provider_session is null then ${isOfSubject}
            else session.provider_session = ${session}::text
              and (${subject}::text is null or ${isOfSubject})
          end
        order by session.digest
        for update of session`);
      return rows.map(({ digest, ...user }) => ({ digest: Buffer.from(digest, 'hex'), user }));
    },
    lockAssetsOwnedBy: async (userIds) => {
      if (userIds.length === 0) return [];
      // An import reads the users that it makes owners without a lock; it comes before this change
      // or after it.
      await connection.query(
        sql.type(nothingRow)`select pg_advisory_xact_lock_shared(hashtextextended('imports', 2))`,
      );
      const rows = await connection.any(
        sql.type(idRow)`select id from asset where ${ownedBy(userIds)} order by id for update`,
      );
      return rows.map((row) => row.id);
    },
    findAssetsOwnedBy: async (userIds) => {
      if (userIds.length === 0) return [];
      const rows = await connection.any(
        sql.type(assetRow)`
          select ${assetColumns} from ${assetTables} where ${ownedBy(userIds)} order by asset.id`,
      );
      return rows.map(assetOf);
    },
    holdUser: (userId) =>
      // Closes two races: becoming an owner and leaving the team; a force and the demotion of the
      // administrator who requested it.
      connection.maybeOne(
        sql.type(heldRow)`
          select id, name, role, team_id as "teamId", duties from app_user
          where id = ${userId} and deactivated_at is null
          for share`,
      ),
    findPasswordHash: async (userId) => {
      const row = await connection.maybeOne(
        sql.type(hashRow)`
          select password_hash as "passwordHash" from app_user where id = ${userId}`,
      );
      return row?.passwordHash ?? null;
    },
  };
}
