import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { actorOfKey } from '../../core/decide/people/api-key.ts';
import type { ApiKey, Team, Trust } from '../../core/team.ts';
import { roles, userDuties } from '../../core/user.ts';
import type { Reads } from '../../registry/ports.ts';
import {
  anyDigest,
  apiKeyColumns,
  apiKeyRow,
  id,
  nothingRow,
  teamColumns,
  teamRow,
  trustColumns,
  trustRow,
} from '../postgres/rows.ts';
import { defineList, listPage } from './list.ts';

const teams = defineList({
  shape: teamRow,
  columns: teamColumns,
  tables: sql.fragment`team`,
  countedTables: sql.fragment`team`,
  id: sql.fragment`team.id`,
  sorts: {
    name: { column: sql.fragment`team.name collate "C"`, type: 'text' },
    created_at: { column: sql.fragment`team.created_at`, type: 'timestamptz' },
  },
  defaultSort: { field: 'created_at', direction: 'descending' },
  toEntity: (row): Team => row,
});

const apiKeys = defineList({
  shape: apiKeyRow,
  columns: apiKeyColumns,
  tables: sql.fragment`api_key`,
  countedTables: sql.fragment`api_key`,
  id: sql.fragment`api_key.id`,
  sorts: {
    created_at: { column: sql.fragment`api_key.created_at`, type: 'timestamptz' },
    name: { column: sql.fragment`lower(api_key.name) collate "C"`, type: 'text' },
    // Keys without an end come last, and those that were never used first.
    expires_at: {
      column: sql.fragment`coalesce(api_key.expires_at, 'infinity'::timestamptz)`,
      type: 'timestamptz',
    },
    last_used_at: {
      column: sql.fragment`coalesce(api_key.last_used_at, 'epoch'::timestamptz)`,
      type: 'timestamptz',
    },
  },
  defaultSort: { field: 'created_at', direction: 'descending' },
  toEntity: (row): ApiKey => row,
});

const trusts = defineList({
  shape: trustRow,
  columns: trustColumns,
  tables: sql.fragment`trust`,
  countedTables: sql.fragment`trust`,
  id: sql.fragment`trust.id`,
  sorts: { created_at: { column: sql.fragment`trust.created_at`, type: 'timestamptz' } },
  defaultSort: { field: 'created_at', direction: 'descending' },
  toEntity: (row): Trust => row,
});

const heldKeyRow = apiKeyRow.extend({
  digest: z.string(),
  role: z.enum(roles).nullable(),
  duties: z.array(z.enum(userDuties)).nullable(),
  userTeamId: id.nullable(),
});

type TeamReads = Pick<
  Reads,
  | 'getTeam'
  | 'listTeams'
  | 'listTeamsById'
  | 'listTeamsBySlug'
  | 'findKeysByDigest'
  | 'getApiKey'
  | 'listApiKeys'
  | 'recordKeyUse'
  | 'getTrust'
  | 'listTrusts'
  | 'findTrusts'
>;

export function readTeams(pool: DatabasePool): TeamReads {
  return {
    getTeam: (id) =>
      pool.maybeOne(
        sql.type(teamRow)`
          select ${teamColumns} from team where team.id = ${id} and team.deleted_at is null`,
      ),

    listTeams: (query) => {
      const conditions: FragmentSqlToken[] = [];
      if (query.includeDeleted !== true) conditions.push(sql.fragment`team.deleted_at is null`);
      if (query.name !== undefined) {
        conditions.push(sql.fragment`lower(team.name) = lower(${query.name})`);
      }
      if (query.slug !== undefined) conditions.push(sql.fragment`team.slug = ${query.slug}`);
      if (query.q !== undefined) {
        conditions.push(sql.fragment`strpos(lower(team.name), lower(${query.q})) > 0`);
      }
      return listPage(pool, teams, conditions, query);
    },

    listTeamsById: (ids) =>
      pool.any(
        sql.type(teamRow)`
          select ${teamColumns} from team where team.id = any(${sql.array([...ids], 'uuid')})`,
      ),

    listTeamsBySlug: (slugs) =>
      pool.any(
        sql.type(teamRow)`
          select ${teamColumns} from team
          where team.slug = any(${sql.array([...slugs], 'text')}) and team.deleted_at is null`,
      ),

    findKeysByDigest: async (digests) => {
      const rows = await pool.any(
        sql.type(heldKeyRow)`
          select ${apiKeyColumns}, encode(api_key.digest, 'hex') as digest, app_user.role, app_user.duties,
            team_of_user.id as "userTeamId"
          from api_key
          left join team on team.id = api_key.team_id
          left join trust on trust.id = api_key.trust_id
          left join app_user on app_user.id = api_key.user_id
          left join team as team_of_user
            on team_of_user.id = app_user.team_id and team_of_user.deleted_at is null
          where api_key.digest = ${anyDigest(digests)}
            and api_key.revoked_at is null and team.deleted_at is null
            and (api_key.trust_id is null or trust.id is not null)
            and app_user.deactivated_at is null`,
      );
      const entries = rows.map(({ digest, role, duties, userTeamId, ...key }) => {
        const user = role === null ? null : { role, teamId: userTeamId, duties: duties ?? [] };
        return [digest, { key, actor: actorOfKey(key, user) }] as const;
      });
      return new Map(entries);
    },

    getApiKey: (id) =>
      pool.maybeOne(
        sql.type(apiKeyRow)`select ${apiKeyColumns} from api_key where api_key.id = ${id}`,
      ),

    listApiKeys: (query) => {
      // Those of trusts come with every job, and last for minutes.
      const conditions = [sql.fragment`api_key.trust_id is null`];
      if (query.teamId !== undefined) conditions.push(actsFor(query.teamId));
      if (query.ends !== undefined) {
        conditions.push(sql.fragment`api_key.revoked_at is null
          and api_key.expires_at >= ${query.ends.from} and api_key.expires_at < ${query.ends.before}`);
      }
      return listPage(pool, apiKeys, conditions, query);
    },

    getTrust: (id) =>
      pool.maybeOne(sql.type(trustRow)`select ${trustColumns} from trust where trust.id = ${id}`),

    listTrusts: (query) => {
      const { teamId } = query;
      const conditions = teamId === undefined ? [] : [sql.fragment`trust.team_id = ${teamId}`];
      return listPage(pool, trusts, conditions, query);
    },

    findTrusts: (issuer) =>
      pool.any(
        sql.type(trustRow)`
          select ${trustColumns} from trust where trust.issuer = ${issuer} order by trust.id`,
      ),

    recordKeyUse: async (uses) => {
      await pool.query(
        sql.type(nothingRow)`
          update api_key
          set last_used_at = greatest(last_used_at, used.at)
          from ${sql.unnest(
            uses.map(({ id, at }) => [id, at]),
            ['uuid', 'timestamptz'],
          )} as used (id, at)
          where api_key.id = used.id`,
      );
    },
  };
}

/** The teams of a key include its first team. */
function actsFor(teamId: string): FragmentSqlToken {
  return sql.fragment`(api_key.all_teams or api_key.team_ids @> ${sql.array([teamId], 'uuid')})`;
}
