// Two roles: one owns the tables and migrates them, the other serves and owns nothing. So a
// service that was taken over cannot disable the triggers that protect the audit trail.
// docs/decisions/database-roles.md

import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { connect } from '../../ops/postgres/connect.ts';

/** The role of the service in the embedded Postgres. */
const embeddedRole = 'concordat';

/** What the service may do with the tables of the trail; with every other table, `restOfTables`. */
const rightsOnTables: Readonly<Record<string, readonly string[]>> = {
  audit_event: ['select', 'insert'],
  audit_event_default: ['select'],
  audit_seal: ['select', 'insert'],
  audit_head: ['select', 'insert'],
  audit_seal_state: ['select', 'update'],
  audit_pack: ['select', 'insert'],
  audit_archive: ['select'],
  schema_migration: ['select'],
};
const restOfTables = ['select', 'insert', 'update', 'delete'];

/**
 * Grants the role what it lacks. Nothing is granted on partitions, which are reached through their parent; and
 * months leave the trail only where they are meant to.
 */
export async function grantService(
  client: Client,
  role: string,
  { mayArchive }: { readonly mayArchive: boolean },
): Promise<void> {
  const { rows } = await client.query<{ grant: string }>(missingGrants, [
    role,
    JSON.stringify(rightsOnTables),
    restOfTables,
    mayArchive,
  ]);
  for (const row of rows) await client.query(row.grant);
}

const missingGrants = `
  with wanted as (
    select format('table %s', class.oid::regclass) as what, privilege,
      has_table_privilege($1, class.oid, privilege) as granted
    from pg_class class,
      json_array_elements_text(coalesce($2::json -> relname::text, to_json($3::text[]))) privilege
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and (not relispartition or $2::jsonb ? relname::text)
    union all
    select format('sequence %s', class.oid::regclass), 'usage',
      case when relkind = 'S' then has_sequence_privilege($1, class.oid, 'usage') end
    from pg_class class
    where relnamespace = current_schema()::regnamespace and relkind = 'S'
    union all
    select format('schema %I', current_schema()), 'usage',
      has_schema_privilege($1, current_schema(), 'usage')
    union all
    select format('function %s', procedure.oid::regprocedure), 'execute',
      has_function_privilege($1, procedure.oid, 'execute')
    from pg_proc procedure
    where pronamespace = current_schema()::regnamespace and prosecdef
      and (proname <> 'leave_audit_month' or $4)
  )
  select format('grant %s on %s to %I', privilege, what, $1::text) as grant
  from wanted where not granted`;

/**
 * Whether the role of this connection could disable the triggers of the audit trail, or drop it: it
 * owns the table, its schema or the database, or may act as a role that does.
 */
export async function ownsTrail(url: string): Promise<boolean> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ owns: boolean }>(`
      select bool_or(pg_has_role(current_user, owner, 'member')) as owns
      from (
        select relowner from pg_class where oid = 'audit_event'::regclass
        union all
        select nspowner from pg_namespace
        where oid = (select relnamespace from pg_class where oid = 'audit_event'::regclass)
        union all
        select datdba from pg_database where datname = current_database()
      ) owners (owner)`);
    return rows[0]?.owns ?? true;
  } finally {
    await client.end();
  }
}

/**
 * Creates the role that serves, in a Postgres of our own, with another password at each start. Answers
 * the URL of its connections.
 */
export async function openServiceRole(ownerUrl: string): Promise<string> {
  const password = randomBytes(24).toString('hex');
  const client = await connect(ownerUrl);
  try {
    const { rows } = await client.query('select from pg_roles where rolname = $1', [embeddedRole]);
    const verb = rows.length === 0 ? 'create' : 'alter';
    await client.query(`${verb} role ${embeddedRole} login password '${password}'`);
  } finally {
    await client.end();
  }
  const url = new URL(ownerUrl);
  url.username = embeddedRole;
  url.password = password;
  return url.href;
}
