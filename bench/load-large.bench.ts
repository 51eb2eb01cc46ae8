// How long other requests wait while the largest allowed inputs are read and compared, and while
// someone sends forbidden ones.

import { gzipSync } from 'node:zlib';
import { bombs } from '../test/support/bombs.ts';
import { openClient } from '../test/support/client/client.ts';
import {
  createAsset,
  issueKey,
  openWorld,
  publishOk,
  type World,
} from '../test/support/client/client-world.ts';
import { largeManifest, largestSchema, largestUnion } from '../test/support/largest.ts';
import type { Benchmark, Figure } from './support/figure.ts';
import { get, openConnection, post, quantile, type Request } from './support/load.ts';
import { runOpenLoop } from './support/open-loop.ts';
import {
  bootstrapKey,
  type ServerProcess,
  startBenchDatabase,
  startProduct,
} from './support/processes.ts';
import { peakMemoryBytes } from './support/processor.ts';

const othersPerSecond = 60;
const p99LimitMs = 200;
/**
 * One after the other, because a single one takes only a second or two, which is too few requests
 * of others.
 */
const times = 5;

interface Large {
  readonly name: string;
  readonly request: (world: World) => Promise<Request>;
}

const larges: readonly Large[] = [
  {
    name: 'a schema of a MiB',
    request: async ({ producer }) => {
      const { id } = await createAsset(producer);
      await publishOk(producer.client, id, { schema: largestSchema('first') });
      return post(`/api/v1/assets/${id}/impact`, { proposed_schema: largestSchema('second') });
    },
  },
  {
    name: 'a union of 400',
    request: async ({ producer }) => {
      const { id } = await createAsset(producer);
      await publishOk(producer.client, id, { schema: largestUnion(0) });
      return post(`/api/v1/assets/${id}/impact`, { proposed_schema: largestUnion(1) });
    },
  },
  {
    name: 'a manifest of 50 MB',
    request: async () => post('/api/v1/sync/dbt/diff', { manifest: largeManifest() }),
  },
];

export const benchmark: Benchmark = {
  name: 'Others, while the largest is sent',
  run: async () => {
    const database = await startBenchDatabase();
    const product = await startProduct(database.url);
    try {
      const world = await openWorld(`http://127.0.0.1:${product.port}`, bootstrapKey);
      const others = await requestsOfOthers(world);
      await runOpenLoop({ ...product, ...others, seconds: 5 });
      const figures: Figure[] = [];
      for (const { name, request } of larges) {
        figures.push(await whileSent(product, name, await request(world), others));
      }
      return [...figures, ...(await whileBombed(database.url))];
    } finally {
      await product.stop();
      await database.stop();
    }
  },
};

/** The chart gives a replica 1 GiB. */
const memoryLimitMb = 700;

/** Two at once, by a key that may only read, repeatedly. */
async function whileBombed(databaseUrl: string): Promise<readonly Figure[]> {
  const product = await startProduct(databaseUrl);
  try {
    const world = await openWorld(`http://127.0.0.1:${product.port}`, bootstrapKey);
    const key = await issueKey(world.admin, { team_id: world.consumer.teamId, scopes: ['read'] });
    const others = await requestsOfOthers(world);
    await runOpenLoop({ ...product, ...others, seconds: 5 });
    const figures: Figure[] = [];
    for (const { name, text } of bombs) {
      const { method, path, headers } = post('/api/v1/sync/dbt/diff', {}, key);
      const packed = { ...headers, 'Content-Encoding': 'gzip' };
      const bomb = { method, path, headers: packed, body: gzipSync(text()) };
      const { latencies, tookMs } = await othersMeanwhile(product, others, [
        () => sendAll(product, bomb, 413),
        () => sendAll(product, bomb, 413),
      ]);
      figures.push({
        name: `${name}, packed, by two at once: p99 of the others meanwhile`,
        unit: 'ms',
        value: quantile(latencies, 0.99),
        targetValue: p99LimitMs,
        note: `${latencies.length} requests at ${othersPerSecond} a second; each bomb is refused after ${(tookMs / 1000).toFixed(1)} s`,
      });
    }
    const peak = peakMemoryBytes(product.pid) / 2 ** 20;
    return [
      ...figures,
      {
        name: 'memory at its highest while bombs are sent',
        unit: 'MiB',
        value: peak,
        targetValue: memoryLimitMb,
      },
    ];
  } finally {
    await product.stop();
  }
}

interface Others {
  readonly perSecond: number;
  readonly connections: number;
  readonly request: (index: number) => Request;
}

/** Nine reads, and a comparison of a small schema, like a pipeline. */
async function requestsOfOthers({ url, other }: World): Promise<Others> {
  const { id } = await createAsset(other);
  const schema = { type: 'object', properties: { id: { type: 'string' } } };
  await publishOk(openClient(url, other.key), id, { schema });
  const compared = { type: 'object', properties: { id: { type: 'string' }, more: {} } };
  return {
    perSecond: othersPerSecond,
    connections: 16,
    request: (index) =>
      index % 10 === 0
        ? post(`/api/v1/assets/${id}/impact`, { proposed_schema: compared }, other.key)
        : get(`/api/v1/assets/${id}`, other.key),
  };
}

/** A second at a time, until the large requests are answered. */
async function whileSent(
  product: ServerProcess,
  name: string,
  large: Request,
  others: Others,
): Promise<Figure> {
  const { latencies, tookMs } = await othersMeanwhile(product, others, [
    () => sendAll(product, large, 200),
  ]);
  return {
    name: `${name} is compared, again and again: p99 of the others meanwhile`,
    unit: 'ms',
    value: quantile(latencies, 0.99),
    targetValue: p99LimitMs,
    note: `${latencies.length} requests at ${othersPerSecond} a second, p50 ${quantile(latencies, 0.5).toFixed(1)} ms; the large one takes ${(tookMs / 1000).toFixed(1)} s`,
  };
}

/** One after the other; returns the time for one. */
async function sendAll({ port }: ServerProcess, request: Request, wanted: number): Promise<number> {
  const connection = await openConnection(port);
  const startedAt = performance.now();
  for (let time = 0; time < times; time++) {
    const { status, body } = await connection.send(request);
    if (status !== wanted) throw new Error(`${request.path}: ${status} ${body.slice(0, 200)}`);
  }
  connection.close();
  return (performance.now() - startedAt) / times;
}

async function othersMeanwhile(
  product: ServerProcess,
  others: Others,
  sendings: readonly (() => Promise<number>)[],
): Promise<{ readonly latencies: readonly number[]; readonly tookMs: number }> {
  let isUnderWay = true;
  const sent = Promise.all(sendings.map((send) => send())).finally(() => {
    isUnderWay = false;
  });
  const latencies: number[] = [];
  while (isUnderWay) {
    const { latenciesMs } = await runOpenLoop({ ...product, ...others, seconds: 1 });
    latencies.push(...latenciesMs);
  }
  latencies.sort((a, b) => a - b);
  return { latencies, tookMs: Math.max(...(await sent)) };
}
