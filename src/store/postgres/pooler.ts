// Recognizes connection poolers, such as PgBouncer in transaction mode. Each transaction may have
// another connection to Postgres there, so nothing may outlive its transaction: no LISTEN, no
// setting, no lock, no prepared statement.

import type { Client } from 'pg';
import { connect } from '../../ops/postgres/connect.ts';
import { DatabaseUrlProblem } from '../../ops/postgres/database-url.ts';

/** Refuses a connection that notifications would not reach. */
export async function checkDirect(
  url: string,
  setting: 'DATABASE_URL' | 'LISTEN_DATABASE_URL',
): Promise<void> {
  const client = await connect(url);
  try {
    if (!(await isPooled(client))) return;
  } finally {
    await client.end();
  }
  throw new DatabaseUrlProblem(
    setting === 'DATABASE_URL'
      ? 'DATABASE_URL leads to a connection pooler, which does not deliver notifications. Set LISTEN_DATABASE_URL to the address of Postgres itself, for one connection of each replica.'
      : 'LISTEN_DATABASE_URL leads to a connection pooler, which does not deliver notifications. Set it to the address of Postgres itself.',
  );
}

/** A pooler invents the process id that it tells its client. */
async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return 'processID' in client && client.processID !== rows[0]?.pid;
}
