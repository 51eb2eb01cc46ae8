// How long /health/ready takes while something is wrong with Postgres and clients go on asking. The probes
// of Kubernetes give up after a second or two, so what counts is the slowest answer.

import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/store/postgres/embedded.ts';
import { migrate } from '../src/store/postgres/migrate.ts';
import { fillDisk, mountSmallDisk } from '../test/faults/small-disk.ts';
import { openFolder } from '../test/support/open-folder.ts';
import { type PostgresProxy, startPostgresProxy } from '../test/support/postgres/postgres-proxy.ts';
import type { Benchmark, Figure } from './support/figure.ts';
import { bootstrapKey, type ServerProcess, startProduct } from './support/processes.ts';

const lastsMs = Number(process.env.BENCH_FAULT_MS ?? 20_000);
const betweenProbesMs = 100;
const clients = 40;
const pauseMs = 500;
const promisedMs = 2_000;

interface Place {
  readonly postgres: EmbeddedPostgres;
  readonly proxy: PostgresProxy;
  readonly disk: string | null;
}

/** Begins, and returns what ends it. */
interface Fault {
  readonly name: string;
  readonly begin: (place: Place) => Promise<() => Promise<void> | void>;
}

const warmUp: Fault = { name: 'the first requests', begin: async () => () => {} };

const faults: readonly Fault[] = [
  { name: 'nothing wrong', begin: async () => () => {} },
  {
    name: 'a lock on the assets',
    begin: async ({ postgres }) => {
      const locker = new pg.Client(postgres.url);
      await locker.connect();
      await locker.query('begin; lock table asset in access exclusive mode');
      return () => locker.end();
    },
  },
  {
    name: 'round trips of 300 ms',
    begin: async ({ proxy }) => {
      proxy.slow(150);
      return () => proxy.heal();
    },
  },
  {
    name: 'the pool exhausted by slow statements',
    begin: async ({ postgres }) => {
      const slower = new pg.Client(postgres.url);
      await slower.connect();
      // Each asset that is created takes longer than the test: the pool has no other connection soon.
      await slower.query(`
        create function wait_long() returns trigger language plpgsql as
          $$ begin perform pg_sleep(${lastsMs / 1000}); return new; end $$;
        create trigger wait_long before insert on asset for each row execute function wait_long()`);
      return async () => {
        await slower.query('drop function wait_long cascade');
        await slower.end();
      };
    },
  },
  {
    name: 'the disk of Postgres full',
    begin: async ({ disk }) => {
      if (disk === null) throw new Error('A small disk can be mounted by root only.');
      const filler = join(disk, 'filler');
      let isOver = false;
      const filling = (async () => {
        while (!isOver) {
          // What was given back meanwhile is taken too.
          await fillDisk(filler);
          await delay(betweenProbesMs);
        }
      })();
      return async () => {
        isOver = true;
        await filling;
        await rm(filler);
      };
    },
  },
  {
    name: 'Postgres restarting again and again',
    begin: async ({ postgres }) => {
      let isOver = false;
      const restarting = (async () => {
        while (!isOver) {
          const pid = await readFile(join(postgres.dataFolder, 'postmaster.pid'), 'utf8').catch(
            () => '',
          );
          // A fast shutdown; the embedded server is started again after it.
          if (pid !== '') process.kill(Number(pid.split('\n')[0]), 'SIGINT');
          await delay(2_000);
        }
      })();
      return async () => {
        isOver = true;
        await restarting;
      };
    },
  },
  {
    name: 'connections half-open',
    begin: async ({ proxy }) => {
      proxy.abandon();
      return () => proxy.heal();
    },
  },
  {
    name: 'Postgres silent',
    begin: async ({ proxy }) => {
      proxy.stall();
      return () => proxy.heal();
    },
  },
];

export const benchmark: Benchmark = {
  name: 'The first night: readiness while something is wrong, and /metrics',
  run: async () => {
    const folder = await openFolder('concordat-readiness-');
    const disk = join(folder, 'disk');
    await mkdir(disk);
    const isMounted = mountSmallDisk(disk) === null;
    await chmod(disk, 0o755);
    const postgres = await startEmbeddedPostgres({ dataFolder: join(disk, 'data') });
    const proxy = await startPostgresProxy(postgres.url);
    try {
      await migrate(postgres.url);
      const place = { postgres, proxy, disk: isMounted ? disk : null };
      const product = await startProduct(proxy.url, { DATABASE_POOL_SIZE: '10' });
      const figures: Figure[] = [];
      for (const fault of [warmUp, ...faults]) {
        figures.push(await measure(fault, { place, product, quiet: figures[1] }));
      }
      figures.push(await scrape(product));
      await product.stop();
      return figures.slice(1);
    } finally {
      await proxy.close();
      await postgres.stop();
      if (isMounted) spawnSync('umount', [disk]);
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function measure(
  { name, begin }: Fault,
  {
    place,
    product,
    quiet,
  }: {
    readonly place: Place;
    readonly product: ServerProcess;
    readonly quiet: Figure | undefined;
  },
): Promise<Figure> {
  const teamId = await createTeam(product, name);
  const end = await begin(place);
  const endsAtMs = performance.now() + lastsMs;
  const load = Array.from({ length: clients }, async (_, client) => {
    for (let turn = 0; performance.now() < endsAtMs; turn++) {
      // Reads and writes of assets, as a day has them; what they answer does not matter here.
      await (turn % 4 === 0
        ? createAsset(product, `faults.table_${name.length}_${client}_${turn}`, teamId)
        : ask(product, '/api/v1/assets')
      ).catch(() => {});
      await delay(pauseMs);
    }
  });
  const probes: Promise<Probe>[] = [];
  // Each begins on time, whether or not the one before was answered.
  while (performance.now() < endsAtMs) {
    probes.push(ask(product, '/health/ready'));
    await delay(betweenProbesMs);
  }
  const answers = await Promise.all(probes);
  await end();
  await Promise.all(load);
  await untilWell(product);
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  const refused = answers.filter(({ status }) => status !== 200).length;
  return {
    name: `${name}: the slowest of ${times.length} answers of /health/ready`,
    unit: 'ms',
    value: times.at(-1) ?? 0,
    ...(quiet !== undefined && { against: { name: 'nothing wrong', value: quiet.value } }),
    targetValue: promisedMs,
    note: `median ${Math.round(times[times.length >> 1] ?? 0)} ms, not ready ${refused} times`,
  };
}

/** After all of this, as Prometheus asks, without compression. */
async function scrape(product: ServerProcess): Promise<Figure> {
  const times: number[] = [];
  let bytes = 0;
  for (let turn = 0; turn < 20; turn++) {
    const startedAtMs = performance.now();
    const answer = await fetch(`http://127.0.0.1:${product.port}/metrics`, {
      headers: { 'accept-encoding': 'identity' },
    });
    bytes = (await answer.arrayBuffer()).byteLength;
    times.push(performance.now() - startedAtMs);
  }
  times.sort((a, b) => a - b);
  return {
    name: '/metrics after all of this, the median of 20 scrapes',
    unit: 'ms',
    value: times[times.length >> 1] ?? 0,
    targetValue: 50,
    note: `${(bytes / 1000).toFixed(1)} kB without compression, the slowest ${Math.round(times.at(-1) ?? 0)} ms`,
  };
}

interface Probe {
  readonly ms: number;
  readonly status: number;
}

/** On a connection of its own, as a kubelet asks. */
function ask({ port }: ServerProcess, path: string): Promise<Probe> {
  const startedAtMs = performance.now();
  const headers = { authorization: `Bearer ${bootstrapKey}` };
  return new Promise((done, fail) => {
    get({ port, path, host: '127.0.0.1', headers, agent: false }, (answer) => {
      const status = answer.statusCode ?? 0;
      answer.resume().once('end', () => done({ ms: performance.now() - startedAtMs, status }));
    }).once('error', fail);
  });
}

/** After each fault the product recovers by itself. */
async function untilWell(product: ServerProcess): Promise<void> {
  while ((await ask(product, '/api/v1/assets')).status !== 200) await delay(betweenProbesMs);
}

async function post({ port }: ServerProcess, path: string, body: unknown): Promise<Response> {
  return await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function createTeam(product: ServerProcess, name: string): Promise<string> {
  const answer = await post(product, 'teams', { name: `Readiness, ${name}` });
  const { id } = (await answer.json()) as { id: string };
  return id;
}

async function createAsset(product: ServerProcess, fqn: string, teamId: string): Promise<void> {
  await (await post(product, 'assets', { fqn, owner_team_id: teamId })).text();
}
