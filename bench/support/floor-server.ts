// The floor: a bare node:http server that sends exactly the product's statements for a request,
// through `pg`, and answers as many bytes of JSON. It checks and decides nothing.
//
// Runs as a separate process with FLOOR_URL (Postgres), and the statements on standard input.
// Parameters that differ between requests are taken from the request's query: `?1.0=...` is
// parameter 0 of statement 1.

import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { withSettings } from '../../src/store/postgres/pool.ts';

interface FloorTask {
  readonly statements: readonly { text: string; parameters: (string | null)[] }[];
  /** The content of the response: a row of JSON like the product's. */
  readonly answer: unknown;
}

const tasks = JSON.parse(await text(process.stdin)) as Record<string, FloorTask>;
const pool = new pg.Pool({
  // The same planner settings as the product's, so that the floor does not show the cost of another
  // plan.
  connectionString: withSettings(process.env.FLOOR_URL ?? ''),
  max: Number(process.env.FLOOR_POOL_SIZE ?? 10),
});

const names = new Map<string, string>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    answer(request.url ?? '/', Buffer.concat(chunks)).then(
      (body) => {
        response.writeHead(200, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        });
        response.end(body);
      },
      (error: Error) => {
        const body = String(error.stack);
        response.writeHead(500, { 'content-length': Buffer.byteLength(body) });
        response.end(body);
      },
    );
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.stdout.write(`${address.port}\n`);
});

async function answer(url: string, body: Buffer): Promise<string> {
  if (body.length > 0) JSON.parse(body.toString('utf8'));
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const task = tasks[pathname];
  if (task === undefined) throw new Error(`The floor knows no ${pathname}.`);
  const [first, ...more] = task.statements;
  if (first === undefined) return JSON.stringify(task.answer);
  const isOne = more.length === 0;
  if (isOne) {
    const values = valuesOf(0, first.parameters, searchParams);
    const rows = await pool.query({ name: nameOf(first.text), text: first.text, values });
    return JSON.stringify(isSameSize(rows.rows) ? task.answer : rows.rows);
  }
  const client = await pool.connect();
  try {
    for (const [index, statement] of task.statements.entries()) {
      const values = valuesOf(index, statement.parameters, searchParams);
      const { text } = statement;
      await (values.length === 0
        ? client.query(text)
        : client.query({ name: nameOf(text), text, values }));
    }
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
  return JSON.stringify(task.answer);
}

/**
 * Prepared statements are parsed once per connection, as in the product: the name is made from the
 * text.
 */
function nameOf(text: string): string {
  const name = names.get(text) ?? `s${names.size}`;
  names.set(text, name);
  return name;
}

function valuesOf(
  index: number,
  parameters: readonly (string | null)[],
  query: URLSearchParams,
): (string | null)[] {
  return parameters.map((value, place) => query.get(`${index}.${place}`) ?? value);
}

/** Always true; it prevents the engine from skipping the rows. */
function isSameSize(rows: readonly unknown[]): boolean {
  return rows.length >= 0;
}
