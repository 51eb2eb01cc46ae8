// The leases of sources: tells whether one is held, and makes its leader wait.

import { type DatabaseTransactionConnection, type FragmentSqlToken, sql } from 'slonik';
import { nothingRow } from '../postgres/rows.ts';

type Connection = DatabaseTransactionConnection;

/** Each leader renews its lease several times a minute, even if a Kubernetes Lease elected it. */
export const isAlive = sql.fragment`
  (lease.renewed_at > clock_timestamp() - interval '1 minute')`;

/** Waits for the leader's transactions in progress, and prevents it from beginning another. */
export async function lockOut(connection: Connection, identity: string): Promise<void> {
  await connection.query(sql.type(nothingRow)`select pg_advisory_xact_lock(${lockOf(identity)})`);
}

export function lockOf(identity: string): FragmentSqlToken {
  return sql.fragment`hashtextextended('controller:' || ${identity}::text, 0)`;
}
