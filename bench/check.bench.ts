// What a check costs beside the query for the same rules, written by hand, in the same engine.

import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Producer } from '@platformatic/kafka';
import pg from 'pg';
import { checkTopic } from '../src/cli/check/check-topic.ts';
import { openFiles } from '../src/cli/check/duckdb-source.ts';
import { openPostgres } from '../src/cli/check/postgres-source.ts';
import { type CheckResult, runCheck } from '../src/cli/check/run-check.ts';
import type { Source } from '../src/cli/check/source.ts';
import type { CheckedTerms } from '../src/core/checks/open-check.ts';
import { startKafka } from '../test/support/kafka/broker.ts';
import { openFolder } from '../test/support/open-folder.ts';
import { inDuckdb, plant, plantedFaults } from './faults/planted-faults.ts';
import { askDatacontractCli } from './peers/installed-peers.ts';
import type { Benchmark, Figure } from './support/figure.ts';
import { startBenchDatabase } from './support/processes.ts';

const fileRows = 10_000_000;
const fileLines = 3_000_000;
const tableRows = 10_000_000;
const topicRecords = 1_000_000;
const rounds = 5;

export const benchmark: Benchmark = {
  name: 'Checks of data',
  run: async () => [
    await measureParquet(),
    await measureMemory('parquet', fileRows),
    await measureMemory('csv', fileRows),
    await measureMemory('json', fileLines),
    await measurePostgres(),
    await measureTopic(),
    await countFaults(),
  ],
};

/** Five rules; one row in a thousand breaks the last. */
const terms: CheckedTerms = {
  schema: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      quantity: { type: ['integer', 'null'], minimum: 1, maximum: 1000 },
      currency: { enum: ['EUR', 'USD', null] },
      sku: { type: ['string', 'null'], pattern: '^[A-Z]{3}-[0-9]+$' },
    },
  },
  guarantees: null,
};

const rowSql = (n: string) =>
  `SELECT ${n} AS id, CAST(${n} % 1000 + 1 AS int) AS quantity, CASE WHEN ${n} % 2 = 0 THEN 'EUR' ELSE 'USD' END AS currency, CASE WHEN ${n} % 1000 = 7 THEN 'none' ELSE 'ABC-' || ${n} END AS sku`;

const failing = (matches: string) =>
  [
    'id IS NULL',
    'quantity < 1',
    'quantity > 1000',
    "currency NOT IN ('EUR', 'USD')",
    `NOT ${matches}`,
  ].map((condition) => `count(*) FILTER (WHERE ${condition})`);

async function measureParquet(): Promise<Figure> {
  const folder = await openFolder('concordat-bench-check-');
  const path = join(folder, 'orders.parquet');
  try {
    await inDuckdb(
      `COPY (${rowSql('range')} FROM range(${fileRows})) TO '${path}' (FORMAT parquet)`,
    );
    const byHand = `SELECT count(*), ${failing("regexp_matches(sku, '^[A-Z]{3}-[0-9]+$')")} FROM '${path}'`;
    const times = await inTurns(
      () => inDuckdb(byHand),
      () =>
        check(
          () => openFiles({ paths: [path], format: 'parquet', takesText: () => true }),
          fileRows,
        ),
    );
    return figureOf(`${fileRows / 1e6} million rows of Parquet, five rules`, 'DuckDB', times);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Of the command, with all that it loads. What is unique needs memory, and so do values that are read one by one. */
async function measureMemory(format: 'parquet' | 'csv' | 'json', count: number): Promise<Figure> {
  const folder = await openFolder('concordat-bench-memory-');
  const path = join(folder, `orders.${format === 'json' ? 'ndjson' : format}`);
  const contract = join(folder, 'contract.json');
  const email = { type: 'string', format: 'email' };
  const schema = { properties: { id: { type: 'integer' }, email } };
  const guarantees = { custom: ['id', 'email'].map((column) => ({ type: 'unique', column })) };
  const spec = { fqn: 'shop.public.orders', schema, guarantees };
  const manifest = { apiVersion: 'concordat.dev/v1', kind: 'DataContract' };
  try {
    const rows = `SELECT range AS id, range || '@example.com' AS email FROM range(${count})`;
    await inDuckdb(`COPY (${rows}) TO '${path}' (FORMAT ${format})`);
    await writeFile(contract, JSON.stringify({ ...manifest, metadata: { name: 'orders' }, spec }));
    const atEnd =
      'process.on("exit", () => process.stderr.write("peak " + process.resourceUsage().maxRSS))';
    const main = join(import.meta.dirname, '../src/main.ts');
    const { stderr } = await promisify(execFile)(process.execPath, [
      ...['--import', `data:text/javascript,${encodeURIComponent(atEnd)}`, main, 'check'],
      ...['--contract', contract, '--source', path],
    ]);
    return {
      name: `memory of concordat check, ${count / 1e6} million rows of ${path.split('.').at(-1)}`,
      ...{ unit: 'MiB', value: Number(/peak (\d+)$/.exec(stderr)?.[1]) / 1024, targetValue: 512 },
      note: 'two columns are unique, and one of them is read value by value',
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measurePostgres(): Promise<Figure> {
  const database = await startBenchDatabase();
  try {
    await database.query(
      `CREATE TABLE orders AS ${rowSql('n')} FROM generate_series(1, ${tableRows}) n`,
    );
    await database.query('VACUUM ANALYZE orders');
    const byHand = `SELECT count(*), ${failing("sku ~ '^[A-Z]{3}-[0-9]+$'")} FROM orders`;
    const times = await inTurns(
      () => inPostgres(database.url, byHand),
      () =>
        check(
          () => openPostgres({ url: database.url, table: 'orders', timeoutMs: 600_000 }),
          tableRows,
        ),
    );
    return figureOf(`${tableRows / 1e6} million rows of Postgres, five rules`, 'Postgres', times);
  } finally {
    await database.stop();
  }
}

async function measureTopic(): Promise<Figure> {
  const kafka = await startKafka();
  try {
    await kafka.admin.createTopics({ topics: ['orders'], partitions: 4, replicas: 1 });
    await fillTopic(kafka.open);
    const target = { address: `kafka://${kafka.open}/orders`, timeoutMs: 600_000 };
    let shortest = Infinity;
    for (let round = 0; round < rounds; round++) {
      const before = process.cpuUsage();
      refuseWrong(await checkTopic(terms, target, { redact: [] }), topicRecords);
      const { user, system } = process.cpuUsage(before);
      shortest = Math.min(shortest, (user + system) / 1e6);
    }
    return {
      ...{
        name: `${topicRecords / 1e6} million records of a topic, five rules`,
        unit: 'records/s',
      },
      ...{ value: topicRecords / shortest, targetValue: 100_000, higherIsBetter: true },
      note: `records for each second of processor time, the best of ${rounds}; compressed with LZ4`,
    };
  } finally {
    await kafka.stop();
  }
}

async function fillTopic(address: string): Promise<void> {
  const producer = new Producer({
    clientId: 'bench',
    bootstrapBrokers: [address],
    idempotent: true,
  });
  const sentAtOnce = 10_000;
  for (let sent = 0; sent < topicRecords; sent += sentAtOnce) {
    const messages = Array.from({ length: sentAtOnce }, (_, index) => {
      const id = sent + index;
      const currency = id % 2 === 0 ? 'EUR' : 'USD';
      const sku = id % 1000 === 7 ? 'none' : `ABC-${id}`;
      const value = Buffer.from(JSON.stringify({ id, quantity: (id % 1000) + 1, currency, sku }));
      return { topic: 'orders', partition: index % 4, value };
    });
    await producer.send({ messages, compression: 'lz4' });
  }
  await producer.close();
}

/** A fault counts as found if it is refused, and its clean twin is not. */
async function countFaults(): Promise<Figure> {
  const folder = await openFolder('concordat-bench-faults-');
  try {
    const ours = new Map<string, boolean>();
    for (const fault of plantedFaults) {
      for (const isClean of [true, false]) {
        const { contract, data } = await plant(folder, fault, isClean);
        ours.set(contract, await isRefused(contract, data));
      }
    }
    const theirs = await askDatacontractCli([...ours.keys()]);
    const foundBy = (refuses: (contract: string) => boolean) => {
      const contracts = [...ours.keys()];
      return plantedFaults.filter((_, index) => {
        const [clean = '', faulty = ''] = contracts.slice(2 * index, 2 * index + 2);
        return !refuses(clean) && refuses(faulty);
      }).length;
    };
    return {
      ...{ name: `planted faults found, of ${plantedFaults.length}`, unit: 'faults' },
      value: foundBy((contract) => ours.get(contract) === true),
      against: {
        name: 'datacontract-cli',
        value: foundBy((contract) => theirs.get(contract) === 'failed'),
      },
      ...{ targetRatio: 1, higherIsBetter: true },
      note: 'ODCS contracts on Parquet, CSV and NDJSON; a fault is found if its clean twin is not refused',
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function isRefused(contract: string, data: string): Promise<boolean> {
  const main = join(import.meta.dirname, '../bin/concordat.js');
  const args = [main, 'check', '--contract', contract, '--source', data];
  const { code, stderr } = await promisify(execFile)(process.execPath, args).then(
    () => ({ code: 0, stderr: '' }),
    (error: { readonly code: number; readonly stderr: string }) => error,
  );
  const isOfOtherType = stderr.startsWith('SOURCE_COLUMN_TYPE');
  if (code > 1 && !isOfOtherType) {
    throw new Error(`concordat check ended with ${code} for ${contract}.`);
  }
  return code === 1 || isOfOtherType;
}

async function check(open: () => Promise<Source>, rows: number): Promise<void> {
  const source = await open();
  const result = await runCheck(terms, source, { redact: [] });
  await source.close();
  refuseWrong(result, rows);
}

function refuseWrong(result: CheckResult, rows: number): void {
  const failed = result.rules.filter(({ status }) => status === 'failed');
  const [only] = failed;
  if (result.rows !== rows || failed.length !== 1 || only?.rows !== rows / 1000) {
    throw new Error(`The check is wrong: ${JSON.stringify(result)}`);
  }
}

async function inPostgres(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function inTurns(floor: () => Promise<void>, product: () => Promise<void>) {
  const times = { floor: Infinity, product: Infinity };
  for (let round = 0; round < rounds; round++) {
    times.floor = Math.min(times.floor, await took(floor));
    times.product = Math.min(times.product, await took(product));
  }
  return times;
}

async function took(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function figureOf(
  name: string,
  engine: string,
  times: Readonly<Record<'floor' | 'product', number>>,
): Figure {
  return {
    ...{ name, unit: 'ms', value: times.product },
    against: { name: `the query by hand in ${engine}`, value: times.floor },
    targetRatio: 1.3,
    note: `shortest of ${rounds} times in turns; with opening the source, and a sample of the rows that fail`,
  };
}
