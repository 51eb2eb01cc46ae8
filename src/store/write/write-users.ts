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
    duties: user.duties,
    password_hash: passwordHash,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  }));
  await connection.query(sql.type(writtenRow)`
    insert into app_user (id, email, name, team_id, role, duties, password_hash, created_at,
      updated_at)
    select id, email, name, team_id, role, duties, password_hash, created_at, updated_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, email text, name text, team_id uuid, role text, duties text[],
      password_hash text, created_at timestamptz, updated_at timestamptz)`);
  await insertIdentities(connection, writes);
  await writeAccounts(connection, writes);
}

async function insertIdentities(
  connection: Connection,
  writes: Of<'insert_user'> | Of<'update_user'>,
): Promise<void> {
  const rows = writes.flatMap(({ user, identities = [] }) =>
    identities.map((one) => ({ ...one, user_id: user.id, created_at: user.updatedAt })),
  );
  if (rows.length === 0) return;
  await connection.query(sql.type(writtenRow)`
    insert into user_identity (issuer, subject, user_id, created_at)
    select issuer, subject, user_id, created_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      issuer text, subject text, user_id uuid, created_at timestamptz)`);
}

async function writeAccounts(
  connection: Connection,
  writes: Of<'insert_user'> | Of<'update_user'>,
): Promise<void> {
  const rows = writes.flatMap(({ user, account }) =>
    account === undefined
      ? []
      : {
          ...{ user_id: user.id, user_name: account.userName, external_id: account.externalId },
          ...{ names: account.names, deactivated_at: account.deactivatedAt },
          deleted_at: account.deletedAt,
        },
  );
  if (rows.length === 0) return;
  await connection.query(sql.type(writtenRow)`
    with row as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        user_id uuid, user_name text, external_id text, names json, deactivated_at timestamptz,
        deleted_at timestamptz)
    ), gone as (
      delete from scim_group_member using row
      where scim_group_member.user_id = row.user_id and row.deleted_at is not null
    )
    insert into scim_user (user_id, user_name, external_id, names, deactivated_at, deleted_at)
    select user_id, user_name, external_id, names, deactivated_at, deleted_at from row
    on conflict (user_id) do update
    set user_name = excluded.user_name, external_id = excluded.external_id,
      names = excluded.names, deactivated_at = excluded.deactivated_at,
      deleted_at = excluded.deleted_at`);
}

export async function writeGroups(
  connection: Connection,
  writes: readonly WriteOf<'insert_group' | 'update_group' | 'delete_group'>[],
) {
  for (const { kind, group, added, removed } of writes) {
    if (kind === 'delete_group') {
      await connection.query(sql.type(writtenRow)`
        with gone as (delete from scim_group_member where group_id = ${group.id})
        delete from scim_group where id = ${group.id}`);
      continue;
    }
    await connection.query(sql.type(writtenRow)`
      with gone as (
        delete from scim_group_member
        where group_id = ${group.id} and user_id = any(${sql.array(removed, 'uuid')})
      ), come as (
        insert into scim_group_member (group_id, user_id)
        select ${group.id}, user_id from unnest(${sql.array(added, 'uuid')}) as user_id
      )
      insert into scim_group (id, display_name, external_id, created_at, updated_at)
      values (${group.id}, ${group.displayName}, ${group.externalId}, ${group.createdAt},
        ${group.updatedAt})
      on conflict (id) do update
      set display_name = excluded.display_name, external_id = excluded.external_id,
        updated_at = excluded.updated_at`);
  }
}

export async function updateUsers(connection: Connection, writes: Of<'update_user'>) {
  const rows = writes.map(({ user, passwordHash, endsSessions }) => ({
    id: user.id,
    email: user.email,
    name: user.name,
    team_id: user.teamId,
    role: user.role,
    duties: user.duties,
    password_hash: passwordHash ?? null,
    updated_at: user.updatedAt,
    deactivated_at: user.deactivatedAt,
    ends_sessions: endsSessions,
  }));
  // Without the ids, the planner takes the rows for so many that it reads the whole table.
  const ids = sql.array(
    rows.map(({ id }) => id),
    'uuid',
  );
  await connection.query(sql.type(writtenRow)`
    with changed as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        id uuid, email text, name text, team_id uuid, role text, duties text[],
        password_hash text, updated_at timestamptz, deactivated_at timestamptz, ends_sessions boolean)
    ), ended as (
      delete from session using changed
      where session.user_id = changed.id and changed.ends_sessions
    )
    update app_user
    set email = changed.email, name = changed.name, team_id = changed.team_id,
      role = changed.role, duties = changed.duties, updated_at = changed.updated_at,
      deactivated_at = changed.deactivated_at,
      password_hash = coalesce(changed.password_hash, app_user.password_hash)
    from changed
    where app_user.id = changed.id and app_user.id = any(${ids})`);
  await insertIdentities(connection, writes);
  await writeAccounts(connection, writes);
}

export async function insertSessions(connection: Connection, writes: Of<'insert_session'>) {
  const rows = writes.map(({ session, replaces }) => ({
    digest: hex(session.digest),
    user_id: session.userId,
    csrf_token: session.csrfToken,
    created_at: session.createdAt,
    provider: session.provider,
    provider_session: session.providerSession,
    replaces: replaces === null ? null : hex(replaces),
  }));
  await connection.query(sql.type(writtenRow)`
    with made as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        digest text, user_id uuid, csrf_token text, created_at timestamptz, provider text,
        provider_session text, replaces text)
    ), ended as (
      delete from session using made where session.digest = decode(made.replaces, 'hex')
    )
    insert into session (digest, user_id, csrf_token, created_at, last_seen_at, provider,
      provider_session)
    select decode(digest, 'hex'), user_id, csrf_token, created_at, created_at, provider,
      provider_session
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
