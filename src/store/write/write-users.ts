import { type DatabaseTransactionConnection, sql } from 'slonik';
import type { Write, WriteOf } from '../../core/decide/write.ts';
import { writtenRow } from '../postgres/rows.ts';

type Connection = DatabaseTransactionConnection;
type Of<Kind extends Write['kind']> = readonly WriteOf<Kind>[];

export async function insertUsers(connection: Connection, writes: Of<'insert_user'>) {
  const rows = writes.map(({ user, passwordHash }) => ({
    id: user.id,
    email: user.email,
    name: user.name,
    team_id: user.teamId,
    role: user.role,
    password_hash: passwordHash,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  }));
  await connection.query(sql.type(writtenRow)`
    insert into app_user (id, email, name, team_id, role, password_hash, created_at, updated_at)
    select id, email, name, team_id, role, password_hash, created_at, updated_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, email text, name text, team_id uuid, role text, password_hash text,
      created_at timestamptz, updated_at timestamptz)`);
  await insertIdentities(connection, writes);
}

async function insertIdentities(
  connection: Connection,
  writes: Of<'insert_user'> | Of<'update_user'>,
): Promise<void> {
  const rows = writes.flatMap(({ user, identity }) =>
    identity === undefined ? [] : [{ ...identity, user_id: user.id, created_at: user.updatedAt }],
  );
  if (rows.length === 0) return;
  await connection.query(sql.type(writtenRow)`
    insert into user_identity (issuer, subject, user_id, created_at)
    select issuer, subject, user_id, created_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      issuer text, subject text, user_id uuid, created_at timestamptz)`);
}

export async function updateUsers(connection: Connection, writes: Of<'update_user'>) {
  const rows = writes.map(({ user, passwordHash, endsSessions }) => ({
    id: user.id,
    email: user.email,
    name: user.name,
    team_id: user.teamId,
    role: user.role,
    password_hash: passwordHash ?? null,
    updated_at: user.updatedAt,
    deactivated_at: user.deactivatedAt,
    ends_sessions: endsSessions,
  }));
  await connection.query(sql.type(writtenRow)`
    with changed as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        id uuid, email text, name text, team_id uuid, role text, password_hash text,
        updated_at timestamptz, deactivated_at timestamptz, ends_sessions boolean)
    ), ended as (
      delete from session using changed
      where session.user_id = changed.id and changed.ends_sessions
    )
    update app_user
    set email = changed.email, name = changed.name, team_id = changed.team_id,
      role = changed.role, updated_at = changed.updated_at,
      deactivated_at = changed.deactivated_at,
      password_hash = coalesce(changed.password_hash, app_user.password_hash)
    from changed
    where app_user.id = changed.id`);
  await insertIdentities(connection, writes);
}

export async function insertSessions(connection: Connection, writes: Of<'insert_session'>) {
  const rows = writes.map(({ session, replaces }) => ({
    digest: hex(session.digest),
    user_id: session.userId,
    csrf_token: session.csrfToken,
    created_at: session.createdAt,
    provider: session.provider,
    replaces: replaces === null ? null : hex(replaces),
  }));
  await connection.query(sql.type(writtenRow)`
    with made as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        digest text, user_id uuid, csrf_token text, created_at timestamptz, provider text,
        replaces text)
    ), ended as (
      delete from session using made where session.digest = decode(made.replaces, 'hex')
    )
    insert into session (digest, user_id, csrf_token, created_at, last_seen_at, provider)
    select decode(digest, 'hex'), user_id, csrf_token, created_at, created_at, provider
    from made`);
}

export async function deleteSessions(connection: Connection, writes: Of<'delete_session'>) {
  const digests = writes.map(({ digest }) => ({ digest: hex(digest) }));
  await connection.query(sql.type(writtenRow)`
    delete from session
    using json_to_recordset(${JSON.stringify(digests)}::json) as ended (digest text)
    where session.digest = decode(ended.digest, 'hex')`);
}

function hex(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}
