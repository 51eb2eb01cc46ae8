// The floor of an import, a separate process: it parses the file and inserts the rows that the
// product made of it, one statement per table, in one transaction. It decides nothing.
//
// Standard input: {databaseUrl, bodyFile, rowsFile}. Standard output: {parseMs, insertMs}.

import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { withSettings } from '../../src/store/postgres/pool.ts';

interface Rows {
  readonly [table: string]: {
    readonly columns: readonly string[];
    readonly rows: readonly unknown[];
  };
}

const task = JSON.parse(await text(process.stdin)) as {
  readonly databaseUrl: string;
  readonly bodyFile: string;
  readonly rowsFile: string;
};
const body = readFileSync(task.bodyFile);
const rows = JSON.parse(readFileSync(task.rowsFile, 'utf8')) as Rows;
const client = new pg.Client(withSettings(task.databaseUrl));
await client.connect();

const startedAt = performance.now();
const parsed: unknown = JSON.parse(body.toString('utf8'));
if (parsed === null) throw new Error('The file holds nothing.');
const parsedAt = performance.now();
await client.query('begin');
for (const [table, made] of Object.entries(rows)) {
  if (made.rows.length === 0) continue;
  const columns = made.columns.map((name) => client.escapeIdentifier(name)).join(', ');
  await client.query(
    `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(made.rows)],
  );
}
await client.query('commit');
const insertedAt = performance.now();
await client.end();
process.stdout.write(
  JSON.stringify({ parseMs: parsedAt - startedAt, insertMs: insertedAt - parsedAt }),
);
