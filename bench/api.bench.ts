// The API with much data: distant pages compared with the first, impact over a large graph, and the
// audit trail: the speed of sealing and verifying, and their cost for writers; people by SCIM.

import { readFileSync } from 'node:fs';
import pg from 'pg';
import { withSettings } from '../src/store/postgres/pool.ts';
import { someId } from '../test/support/postgres/audit-events.ts';
import { type Statement, startPostgresProxy } from '../test/support/postgres/postgres-proxy.ts';
import { measureWriters } from './support/beside-sealer.ts';
import type { Benchmark, Figure } from './support/figure.ts';
import {
  get,
  type LoadResult,
  openConnection,
  post,
  quantile,
  type Request,
  runLoad,
} from './support/load.ts';
import {
  type BenchDatabase,
  bootstrapKey,
  type ServerProcess,
  startBenchDatabase,
  startProduct,
} from './support/processes.ts';
import { processCpuMicros } from './support/processor.ts';
import { measureProvisioning } from './support/provisioning.ts';
import { seedRegistry } from './support/seed.ts';

const assetCount = 10_000;
const edgeCount = 50_000;
const eventCount = 1_000_000;
const pageSize = 20;
const farPage = 500;
const reads = 2_000;
const rounds = 3;

export const benchmark: Benchmark = {
  name: 'The API at size',
  run: async () => {
    const database = await startBenchDatabase();
    try {
      await seedRegistry(database, {
        teams: 100,
        assets: assetCount,
        versions: 1,
        edgesPerAsset: edgeCount / assetCount,
        events: eventCount,
      });
      return [
        ...(await measureSealing(database)),
        ...(await measurePages(database)),
        ...(await measureImpact(database)),
        ...(await measureProvisioning()),
      ];
    } finally {
      await database.stop();
    }
  },
};

// The audit trail

async function measureSealing(database: BenchDatabase): Promise<readonly Figure[]> {
  const product = await startProduct(database.url, {
    AUDIT_KEY: 'an audit key of the benchmark, long enough',
  });
  try {
    const backlog = await sealed(database);
    const [server, postgres] = [processCpuMicros(product.pid), database.processorMicros()];
    const startedAt = performance.now();
    while ((await sealed(database)) < eventCount) await tick(200);
    const perSecond = (eventCount - backlog) / ((performance.now() - startedAt) / 1000);
    const perEvent = (micros: number) => (micros / (eventCount - backlog)).toFixed(1);
    const cost = {
      server: perEvent(processCpuMicros(product.pid) - server),
      postgres: perEvent(database.processorMicros() - postgres),
    };
    const writers = await measureWriters(database, product);
    const verified = await measureVerify(product);
    return [
      {
        name: 'sealing a backlog of 1,000,000 events',
        unit: 'a second',
        value: perSecond,
        targetValue: 2_000,
        higherIsBetter: true,
        note: `${cost.server} us of processor an event in the server, ${cost.postgres} us in Postgres`,
      },
      ...writers,
      ...verified,
    ];
  } finally {
    await product.stop();
  }
}

async function sealed(database: BenchDatabase): Promise<number> {
  const [row] = await database.query('select sequence::int as n from audit_seal_state');
  return Number(row?.n);
}

async function measureVerify(product: ServerProcess): Promise<readonly Figure[]> {
  const base = `http://127.0.0.1:${product.port}/api/v1/audit`;
  const headers = { authorization: `Bearer ${bootstrapKey}` };
  const beforeMb = residentMb(product.pid);
  const cpuBefore = processCpuMicros(product.pid);
  const [verifyMs, verifyMb] = await watched(product, async () => {
    const answer = await fetch(`${base}/verify`, { headers, signal: AbortSignal.timeout(300_000) });
    const body = (await answer.json()) as { intact?: boolean };
    if (body.intact !== true) throw new Error(`Not intact: ${JSON.stringify(body).slice(0, 500)}`);
  });
  const verifyCpu = (processCpuMicros(product.pid) - cpuBefore) / 1e6;
  let bytes = 0;
  const [exportMs, exportMb] = await watched(product, async () => {
    const answer = await fetch(`${base}/events/export`, { headers });
    for await (const chunk of answer.body ?? []) bytes += chunk.length;
  });
  return [
    {
      name: 'verifying 1,000,000 events',
      unit: 's',
      value: verifyMs / 1000,
      targetValue: 30,
      note: `through the API; ${verifyCpu.toFixed(0)} s of processor time, Postgres apart`,
    },
    {
      name: 'memory of the process while verifying',
      unit: 'MB',
      value: verifyMb,
      note: `${beforeMb.toFixed(0)} MB before`,
    },
    {
      name: 'exporting 1,000,000 events with their seals',
      unit: 's',
      value: exportMs / 1000,
      note: `${(bytes / 1e6).toFixed(0)} MB sent`,
    },
    { name: 'memory of the process while exporting', unit: 'MB', value: exportMb },
  ];
}

/** Measures the duration of the act, and the peak memory of the process during it. */
async function watched(
  { pid }: ServerProcess,
  act: () => Promise<void>,
): Promise<readonly [number, number]> {
  let peakMb = residentMb(pid);
  const watching = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(pid));
  }, 100);
  const startedAt = performance.now();
  try {
    await act();
  } finally {
    clearInterval(watching);
  }
  return [performance.now() - startedAt, peakMb];
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

// Far pages

async function measurePages(database: BenchDatabase): Promise<readonly Figure[]> {
  const product = await startProduct(database.url);
  try {
    const lists = [
      { name: `assets (of ${assetCount})`, path: `/api/v1/assets?page_size=${pageSize}` },
      { name: 'audit events (of 1,000,000)', path: `/api/v1/audit/events?limit=${pageSize}` },
    ];
    const figures: Figure[] = [];
    for (const { name, path } of lists) {
      const first = `${path}&include_total=false`;
      const far = `${first}&cursor=${await cursorOf(product, first, farPage)}`;
      const [near, distant] = await inTurn(product, first, far);
      figures.push({
        name: `page ${farPage} of ${name}, by cursor: p50`,
        unit: 'ms',
        value: distant.p50Ms,
        against: { name: 'page 1', value: near.p50Ms },
        targetRatio: 1.2,
      });
      const counted = await load(product, path, reads / 10, 1);
      figures.push({
        name: `page 1 of ${name}, with its total: p50`,
        unit: 'ms',
        value: counted.p50Ms,
        against: { name: 'without', value: near.p50Ms },
      });
    }
    return figures;
  } finally {
    await product.stop();
  }
}

async function cursorOf(product: ServerProcess, path: string, page: number): Promise<string> {
  const connection = await openConnection(product.port);
  let cursor = '';
  for (let at = 1; at < page; at++) {
    const answer = await connection.send(get(cursor === '' ? path : `${path}&cursor=${cursor}`));
    cursor = JSON.parse(answer.body).next_cursor;
    if (!cursor) throw new Error(`${path} has no page ${at + 1}: ${answer.body.slice(0, 200)}`);
  }
  connection.close();
  return cursor;
}

/** In turns, so that changes of the machine's speed affect both alike. */
async function inTurn(
  product: ServerProcess,
  first: string,
  second: string,
): Promise<readonly [LoadResult, LoadResult]> {
  const pairs: (readonly [LoadResult, LoadResult])[] = [];
  await load(product, first, reads / 4);
  for (let round = 0; round < rounds; round++) {
    pairs.push([await load(product, first, reads), await load(product, second, reads)]);
  }
  pairs.sort(([a, b], [c, d]) => b.p50Ms / a.p50Ms - d.p50Ms / c.p50Ms);
  const middle = pairs[Math.floor(pairs.length / 2)];
  if (middle === undefined) throw new Error('Nothing was measured.');
  return middle;
}

// Impact

async function measureImpact(database: BenchDatabase): Promise<readonly Figure[]> {
  const [root] = await database.query(`select ${someId(`'asset1'`)} as id`);
  const impact: Request = post(`/api/v1/assets/${root?.id}/impact`, {
    proposed_schema: { type: 'object', required: ['id'] },
  });
  const walk = await captureWalk(database, impact);
  const product = await startProduct(database.url);
  try {
    const asked: number[] = [];
    const bare: number[] = [];
    const alike: number[] = [];
    const connection = await openConnection(product.port);
    const client = new pg.Client(database.url);
    const likeProduct = new pg.Client(withSettings(database.url));
    const query = { name: 'walk', text: walk.text, values: [...walk.parameters] };
    await Promise.all([client.connect(), likeProduct.connect()]);
    for (let i = 0; i < 60; i++) {
      asked.push(await timed(() => connection.send(impact)));
      bare.push(await timed(() => client.query(query)));
      alike.push(await timed(() => likeProduct.query(query)));
    }
    connection.close();
    await Promise.all([client.end(), likeProduct.end()]);
    const p50 = (times: number[]) =>
      quantile(
        times.slice(10).sort((a, b) => a - b),
        0.5,
      );
    return [
      {
        name: `impact over ${assetCount} assets and ${edgeCount} edges, depth 10: p50`,
        unit: 'ms',
        value: p50(asked),
        against: { name: 'its recursive query, sent bare as psql does', value: p50(bare) },
        targetRatio: 1.5,
      },
      {
        name: 'the same, beside a session that is set as those of the product are',
        unit: 'ms',
        value: p50(asked),
        against: { name: 'its recursive query, sent bare', value: p50(alike) },
      },
      {
        name: 'the same: p50',
        unit: 'ms',
        value: p50(asked),
        targetValue: 50,
      },
    ];
  } finally {
    await product.stop();
  }
}

async function captureWalk(database: BenchDatabase, impact: Request): Promise<Statement> {
  const proxy = await startPostgresProxy(database.url);
  const product = await startProduct(proxy.url);
  try {
    const connection = await openConnection(product.port);
    const statements = await proxy.record(async () => {
      const answer = await connection.send(impact);
      if (answer.status !== 200) throw new Error(answer.body);
      const { downstream } = JSON.parse(answer.body);
      if (downstream.results.length !== 500) throw new Error('The graph is too small.');
    });
    connection.close();
    const walk = statements.find(({ text }) => text.includes('with recursive'));
    if (walk === undefined) throw new Error('No recursive query was seen.');
    return walk;
  } finally {
    await product.stop();
    await proxy.close();
  }
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}

function tick(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

function load(
  product: ServerProcess,
  path: string,
  count: number,
  connections = 4,
): Promise<LoadResult> {
  const { port, pid } = product;
  return runLoad({ port, pid, connections, count, request: () => get(path) });
}
