// The cost of the API, compared with a bare server that sends the same SQL.

import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolder } from '../test/support/open-folder.ts';
import type { Statement } from '../test/support/postgres/postgres-proxy.ts';
import { capture, captureOnCopy, undone } from './support/capture.ts';
import type { Benchmark, Figure } from './support/figure.ts';
import {
  get,
  type LoadResult,
  openConnection,
  post,
  type Request,
  runLoad,
} from './support/load.ts';
import {
  type BenchDatabase,
  bootstrapKey,
  startBenchDatabase,
  startFloor,
  startProduct,
} from './support/processes.ts';

const assetCount = 10_000;
const connections = 32;
const readCount = 3_000;
const publishCount = 200;
/** Not measured: until then both are compiled. */
const warmUpRounds = 8;
/** Product and floor in short turns, so that changes of the machine's speed affect both alike. */
const rounds = 15;

export const benchmark: Benchmark = {
  name: 'The API beside its floor',
  run: async () => {
    const database = await startBenchDatabase();
    try {
      const seeded = await seed(database);
      return [
        ...(await measureReads(database, seeded)),
        ...(await measurePublish(database, seeded)),
        await measureStart(),
      ];
    } finally {
      await database.stop();
    }
  },
};

interface Seeded {
  readonly assetIds: readonly string[];
  readonly key: string;
}

async function seed(database: BenchDatabase): Promise<Seeded> {
  const product = await startProduct(database.url);
  const connection = await openConnection(product.port);
  const team = JSON.parse(
    (await connection.send(post('/api/v1/teams', { name: 'Bench' }, bootstrapKey))).body,
  );
  const issued = await connection.send(
    post('/api/v1/api-keys', { name: 'bench', team_id: team.id, scopes: ['write'] }, bootstrapKey),
  );
  const { key } = JSON.parse(issued.body);
  connection.close();
  const lanes = await runLoad({
    port: product.port,
    pid: product.pid,
    connections,
    count: assetCount,
    request: (index) =>
      post(
        '/api/v1/assets',
        {
          fqn: `bench.schema_${index % 100}.table_${String(index).padStart(5, '0')}`,
          owner_team_id: team.id,
          metadata: { resource_type: 'model', description: `Table ${index}.`, tags: ['bench'] },
        },
        key,
      ),
  });
  process.stderr.write(`  ${assetCount} assets at ${Math.round(lanes.perSecond)} a second\n`);
  await product.stop();
  await database.query('vacuum analyze');
  const rows = await database.query('select id from asset order by fqn');
  return { assetIds: rows.map((row) => String(row.id)), key };
}

async function measureReads(
  database: BenchDatabase,
  { assetIds, key }: Seeded,
): Promise<readonly Figure[]> {
  const one = (index: number) => get(`/api/v1/assets/${assetIds[index % assetIds.length]}`, key);
  const list = (index: number) => get(`/api/v1/assets?page=${1 + (index % 50)}`, key);
  const captured = {
    '/one': await capture(database, key, one(0)),
    '/list': await capture(database, key, list(0)),
  };
  const product = await startProduct(database.url);
  const floor = await startFloor(database.url, captured);
  const idPlace = placeOf(captured['/one'].statements[0], assetIds[0] ?? '');
  const [oneProduct, oneFloor] = await inTurn(
    () => load(product, readCount, one),
    () =>
      load(floor, readCount, (index) => ({
        method: 'GET',
        path: `/one?0.${idPlace}=${assetIds[index % assetIds.length]}`,
      })),
  );
  const [listProduct, listFloor] = await inTurn(
    () => load(product, readCount / 5, list),
    () => load(floor, readCount / 5, () => ({ method: 'GET', path: '/list' })),
  );
  await product.stop();
  await floor.stop();
  return [
    ...compared('GET /assets/{id}', oneProduct, oneFloor, captured['/one'].statements.length),
    ...compared(
      'GET /assets (20 of 10,000)',
      listProduct,
      listFloor,
      captured['/list'].statements.length,
    ),
  ];
}

async function measurePublish(
  database: BenchDatabase,
  { assetIds, key }: Seeded,
): Promise<readonly Figure[]> {
  // Every publish adds one optional property, which is a compatible change.
  const schemaOf = (version: number) => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 10 + version }, (_, i) => [`field_${i}`, { type: 'string' }]),
    ),
  });
  const body = (version: number) => JSON.stringify({ schema: schemaOf(version) });
  const perAsset = 10;
  const publish = (index: number): Request => ({
    method: 'POST',
    path: `/api/v1/assets/${assetIds[Math.floor(index / perAsset) % assetIds.length]}/contracts`,
    headers: { Authorization: `Bearer ${key}` },
    body: body(index % perAsset),
  });
  // The first publish stays, because the statements of the second one refer to it.
  const first = await capture(database, key, publish(perAsset * 9_000));
  const second = await captureOnCopy(database, key, publish(perAsset * 9_000 + 1));
  const product = await startProduct(database.url);
  const floor = await startFloor(database.url, { '/publish': undone(second) });
  let sent = 0;
  // One lane, one asset after the other, because the versions of an asset must be in order.
  const [publishes, replays] = await inTurn(
    () => withoutEngine(product, () => load(product, publishCount, () => publish(sent++), 1)),
    () => load(floor, publishCount, () => ({ method: 'POST', path: '/publish', body: body(1) }), 1),
  );
  const parallel = await load(
    product,
    publishCount,
    (index) => publish((Math.ceil(sent / perAsset) + index) * perAsset),
    16,
  );
  await product.stop();
  await floor.stop();
  return [
    {
      name: 'a publish that changes something: processor time of the server, its engine apart',
      unit: 'us',
      value: publishes.cpuMicrosPerRequest,
      against: { name: 'floor', value: replays.cpuMicrosPerRequest },
      targetRatio: 2,
      note: `${second.statements.length} statements; ${timesOf(publishes)}; floor ${timesOf(replays)}`,
    },
    {
      name: 'a publish that changes something: processor time of the engine',
      unit: 'us',
      value: publishes.engineMicrosPerRequest,
    },
    {
      name: 'first publishes in parallel',
      unit: 'a second',
      value: parallel.perSecond,
      higherIsBetter: true,
      note: `16 at once; ${timesOf(parallel)}`,
    },
    {
      name: 'statements of a later publish',
      unit: 'statements',
      value: second.statements.length,
      against: { name: 'of a first', value: first.statements.length },
    },
  ];
}

function timesOf({ p50Ms, p99Ms }: { readonly p50Ms: number; readonly p99Ms: number }): string {
  return `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
}

/** The engine runs in threads or on the serving thread; the product reports its time. */
async function withoutEngine(
  product: Server,
  run: () => Promise<LoadResult>,
): Promise<LoadResult & { readonly engineMicrosPerRequest: number }> {
  const before = await engineMicrosOfServing(product);
  const result = await run();
  const serving = ((await engineMicrosOfServing(product)) - before) / result.requests;
  const engineMicrosPerRequest = result.workerCpuMicrosPerRequest + serving;
  const cpuMicrosPerRequest = result.cpuMicrosPerRequest - engineMicrosPerRequest;
  return { ...result, cpuMicrosPerRequest, engineMicrosPerRequest };
}

async function engineMicrosOfServing({ port }: Server): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  const found = /^concordat_engine_serving_seconds_total (\S+)$/m.exec(await answer.text());
  if (found === null) throw new Error('The product does not say what its engine took.');
  return Number(found[1]) * 1e6;
}

async function measureStart(): Promise<Figure> {
  const folder = await openFolder('concordat-start-');
  const once = () =>
    new Promise<number>((done, fail) => {
      const startedAt = performance.now();
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, '../src/main.ts'), 'serve'],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
          env: {
            PATH: process.env.PATH ?? '',
            DATA_DIR: folder,
            PORT: '0',
            HOST: '127.0.0.1',
            LOG_LEVEL: 'error',
            BOOTSTRAP_KEY: bootstrapKey,
          },
        },
      );
      child.once('error', fail);
      child.stdout?.on('data', async (chunk: Buffer) => {
        const port = /localhost:(\d+)/.exec(chunk.toString())?.[1];
        if (port === undefined) return;
        const connection = await openConnection(Number(port));
        await connection.send(get('/api/v1/assets', bootstrapKey));
        const took = performance.now() - startedAt;
        child.once('exit', () => done(took));
        child.kill('SIGTERM');
      });
    });
  await once();
  const times = [await once(), await once(), await once()].sort((a, b) => a - b);
  await rm(folder, { recursive: true, force: true });
  return {
    name: 'first request served, from the start on an existing data folder',
    unit: 'ms',
    value: times[1] ?? Number.NaN,
    targetValue: 2_000,
  };
}

function compared(
  name: string,
  product: LoadResult,
  floor: LoadResult,
  statements: number,
): readonly Figure[] {
  const note = `${statements} statement${statements === 1 ? '' : 's'}`;
  return [
    {
      name: `${name}: processor time`,
      unit: 'us',
      value: product.cpuMicrosPerRequest,
      against: { name: 'floor', value: floor.cpuMicrosPerRequest },
      targetRatio: 1.7,
      note,
    },
    {
      name: `${name}: rate at ${connections} connections`,
      unit: 'a second',
      value: product.perSecond,
      against: { name: 'floor', value: floor.perSecond },
      targetRatio: 0.6,
      higherIsBetter: true,
      note: `p99 ${product.p99Ms.toFixed(1)} ms, floor ${floor.p99Ms.toFixed(1)} ms`,
    },
  ];
}

interface Server {
  readonly port: number;
  readonly pid: number;
}

function load(
  server: Server,
  count: number,
  request: (index: number) => Request,
  lanes: number = connections,
): Promise<LoadResult> {
  return runLoad({ port: server.port, pid: server.pid, connections: lanes, count, request });
}

/** The round with the median ratio of processor times, after a warm-up of both. */
async function inTurn<Result extends LoadResult>(
  product: () => Promise<Result>,
  floor: () => Promise<LoadResult>,
): Promise<readonly [Result, LoadResult]> {
  for (let round = 0; round < warmUpRounds; round++) {
    await product();
    await floor();
  }
  const pairs: (readonly [Result, LoadResult])[] = [];
  for (let round = 0; round < rounds; round++) pairs.push([await product(), await floor()]);
  const ratio = ([a, b]: readonly [LoadResult, LoadResult]) =>
    a.cpuMicrosPerRequest / b.cpuMicrosPerRequest;
  pairs.sort((a, b) => ratio(a) - ratio(b));
  const middle = pairs[Math.floor(pairs.length / 2)];
  if (middle === undefined) throw new Error('No round was measured.');
  return middle;
}

function placeOf(statement: Statement | undefined, value: string): number {
  return statement?.parameters.indexOf(value) ?? -1;
}
