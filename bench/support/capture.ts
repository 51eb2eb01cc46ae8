// Captures the statements of one request between the product and Postgres, which the floor then
// sends.

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Statement, startPostgresProxy } from '../../test/support/postgres/postgres-proxy.ts';
import { openConnection, type Request } from './load.ts';
import { type BenchDatabase, bootstrapKey, startProduct } from './processes.ts';

export interface Captured {
  readonly statements: readonly Statement[];
  readonly answer: unknown;
}

export async function capture(
  database: Pick<BenchDatabase, 'url'>,
  key: string,
  request: Request,
): Promise<Captured> {
  const proxy = await startPostgresProxy(database.url);
  const product = await startProduct(proxy.url, { DATABASE_POOL_SIZE: '1' });
  const connection = await openConnection(product.port);
  // The first request also looks up the key and similar facts; later ones show the cost of each.
  const headers = { Authorization: `Bearer ${key}` };
  await connection.send({ method: 'GET', path: '/api/v1/teams?page_size=1', headers });
  // Background work of the process after a write, and from time to time.
  await connection.send({
    method: 'POST',
    path: '/api/v1/teams',
    headers: { Authorization: `Bearer ${bootstrapKey}` },
    body: JSON.stringify({ name: `Bench ${randomUUID()}` }),
  });
  const byItself = await proxy.record(() => delay(backgroundMs));
  let body = '';
  const seen = await proxy.record(async () => {
    const answer = await connection.send(request);
    if (answer.status >= 400) throw new Error(`${request.path}: ${answer.body}`);
    body = answer.body;
  });
  connection.close();
  await product.stop();
  await proxy.close();
  return { statements: without(seen, byItself), answer: JSON.parse(body) };
}

/** Longer than any interval of the process's background work. */
const backgroundMs = 3_000;

const bounds = /^\s*(begin|start transaction|commit|rollback)/i;

/** Sent with every transaction of a writer. The floor waits for no lock, so it goes without. */
const patience = /^\s*select set_config\('lock_timeout'/i;

/** The transactions and single statements that contain none of the given statements. */
function without(
  statements: readonly Statement[],
  others: readonly Statement[],
): readonly Statement[] {
  const foreign = new Set(others.map(({ text }) => text).filter((text) => !bounds.test(text)));
  const units: Statement[][] = [];
  const open = new Map<number, Statement[]>();
  for (const statement of statements) {
    const { connection, text } = statement;
    if (patience.test(text)) continue;
    const unit = open.get(connection) ?? [];
    if (unit.length === 0) units.push(unit);
    unit.push(statement);
    if (/^\s*(begin|start transaction)/i.test(text)) open.set(connection, unit);
    else if (bounds.test(text)) open.delete(connection);
  }
  return units.filter((unit) => !unit.some(({ text }) => foreign.has(text))).flat();
}

/** On a copy of the database, which is dropped afterwards, so that the original is unchanged. */
export async function captureOnCopy(
  database: BenchDatabase,
  key: string,
  request: Request,
): Promise<Captured> {
  const copy = await database.copy();
  try {
    return await capture(copy, key, request);
  } finally {
    await copy.stop();
  }
}

/** Rolls a change back at the end, so that it can be sent repeatedly. */
export function undone({ statements, answer }: Captured): Captured {
  const instead = { text: 'ROLLBACK', parameters: [] };
  return {
    statements: statements.map((each) =>
      /^\s*commit/i.test(each.text) ? { ...each, ...instead } : each,
    ),
    answer,
  };
}
