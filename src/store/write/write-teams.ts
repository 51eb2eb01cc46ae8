import { type DatabaseTransactionConnection, sql } from 'slonik';
import type { Write, WriteOf } from '../../core/decide/write.ts';
import { writtenRow } from '../postgres/rows.ts';

type Connection = DatabaseTransactionConnection;
type Of<Kind extends Write['kind']> = readonly WriteOf<Kind>[];

export async function insertTeams(connection: Connection, writes: Of<'insert_team'>) {
  const rows = writes.map(({ team }) => ({
    id: team.id,
    name: team.name,
    slug: team.slug,
    metadata: team.metadata,
    managed_source: team.managedBy?.source ?? null,
    managed_reference: team.managedBy?.reference ?? null,
    created_at: team.createdAt,
    updated_at: team.updatedAt,
  }));
  await connection.query(sql.type(writtenRow)`
    insert into team (id, name, slug, metadata, managed_source, managed_reference, created_at,
      updated_at)
    select id, name, slug, metadata, managed_source, managed_reference, created_at, updated_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, name text, slug text, metadata json, managed_source text, managed_reference text,
      created_at timestamptz, updated_at timestamptz)`);
}

export async function updateTeams(connection: Connection, writes: Of<'update_team'>) {
  const rows = writes.map(({ team }) => ({
    id: team.id,
    name: team.name,
    metadata: team.metadata,
    managed_source: team.managedBy?.source ?? null,
    managed_reference: team.managedBy?.reference ?? null,
    updated_at: team.updatedAt,
    deleted_at: team.deletedAt,
  }));
  await connection.query(sql.type(writtenRow)`
    update team
    set name = row.name, metadata = row.metadata, managed_source = row.managed_source,
      managed_reference = row.managed_reference, updated_at = row.updated_at,
      deleted_at = row.deleted_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, name text, metadata json, managed_source text, managed_reference text,
      updated_at timestamptz, deleted_at timestamptz)
    where team.id = row.id`);
}

export async function insertServices(connection: Connection, writes: Of<'insert_service'>) {
  await connection.query(sql.type(writtenRow)`
    insert into service (id, name, owner_team_id, repository, description, metadata, created_at,
      updated_at)
    select id, name, owner_team_id, repository, description, metadata, created_at, updated_at
    from json_to_recordset(${serviceRows(writes)}::json) as row (
      id uuid, name text, owner_team_id uuid, repository text, description text, metadata json,
      created_at timestamptz, updated_at timestamptz)`);
}

export async function updateServices(connection: Connection, writes: Of<'update_service'>) {
  await connection.query(sql.type(writtenRow)`
    update service
    set name = row.name, owner_team_id = row.owner_team_id, repository = row.repository,
      description = row.description, metadata = row.metadata, updated_at = row.updated_at,
      deleted_at = row.deleted_at
    from json_to_recordset(${serviceRows(writes)}::json) as row (
      id uuid, name text, owner_team_id uuid, repository text, description text, metadata json,
      updated_at timestamptz, deleted_at timestamptz)
    where service.id = row.id`);
}

function serviceRows(writes: Of<'insert_service'> | Of<'update_service'>): string {
  return JSON.stringify(
    writes.map(({ service }) => ({
      id: service.id,
      name: service.name,
      owner_team_id: service.ownerTeamId,
      repository: service.repository,
      description: service.description,
      metadata: service.metadata,
      created_at: service.createdAt,
      updated_at: service.updatedAt,
      deleted_at: service.deletedAt,
    })),
  );
}

export async function insertApiKeys(connection: Connection, writes: Of<'insert_api_key'>) {
  const rows = writes.map(({ apiKey, digest }) => ({
    id: apiKey.id,
    name: apiKey.name,
    digest: Buffer.from(digest).toString('hex'),
    prefix: apiKey.prefix,
    team_id: apiKey.teamId,
    user_id: apiKey.userId,
    trust_id: apiKey.trustId,
    scopes: apiKey.scopes,
    team_ids: apiKey.teamIds,
    all_teams: apiKey.allTeams,
    created_at: apiKey.createdAt,
    expires_at: apiKey.expiresAt,
  }));
  await connection.query(sql.type(writtenRow)`
    insert into api_key (id, name, digest, prefix, team_id, user_id, trust_id, scopes, team_ids,
      all_teams, created_at, expires_at)
    select id, name, decode(digest, 'hex'), prefix, team_id, user_id, trust_id, scopes, team_ids, all_teams,
      created_at, expires_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, name text, digest text, prefix text, team_id uuid, user_id uuid, trust_id uuid,
      scopes text[], team_ids uuid[], all_teams boolean, created_at timestamptz, expires_at timestamptz)`);
  for (const { usedToken } of writes) {
    if (usedToken === undefined) continue;
    await connection.query(sql.type(writtenRow)`
      insert into used_token (digest, ends_at)
      values (decode(${Buffer.from(usedToken.digest).toString('hex')}, 'hex'), ${usedToken.endsAt})`);
  }
}

/** They are made and deleted one at a time, and a few with their team: a loop is enough. */
export async function insertTrusts(connection: Connection, writes: Of<'insert_trust'>) {
  for (const { trust } of writes) {
    await connection.query(sql.type(writtenRow)`
      insert into trust (id, name, issuer, audience, claims, team_id, scopes, reusable, created_at)
      values (${trust.id}, ${trust.name}, ${trust.issuer}, ${trust.audience},
        ${JSON.stringify(trust.claims)}::json, ${trust.teamId},
        ${sql.array([...trust.scopes], 'text')}, ${trust.reusable}, ${trust.createdAt})`);
  }
}

export async function deleteTrusts(connection: Connection, writes: Of<'delete_trust'>) {
  const ids = writes.map(({ id }) => id);
  await connection.query(sql.type(writtenRow)`
    delete from trust where id = any(${sql.array(ids, 'uuid')})`);
}

export async function revokeApiKeys(connection: Connection, writes: Of<'revoke_api_key'>) {
  const rows = writes.map(({ id, at }) => ({ id, at }));
  await connection.query(sql.type(writtenRow)`
    update api_key
    set revoked_at = row.at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (id uuid, at timestamptz)
    where api_key.id = row.id and api_key.revoked_at is null`);
}

export async function noteKeyEnds(connection: Connection, writes: Of<'note_key_end'>) {
  const rows = writes.map(({ id, at }) => ({ id, at }));
  await connection.query(sql.type(writtenRow)`
    update api_key
    set end_noted_at = row.at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (id uuid, at timestamptz)
    where api_key.id = row.id`);
}
