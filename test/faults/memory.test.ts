// The memory of a process does not grow with its work: reads, writes, imports, streams, webhooks,
// sessions, keys, invalid keys and broken requests, for MEMORY_MINUTES (`make soak`). It is started
// like in the image, with the memory limit of the chart.

import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/wire/client.ts';
import { openReceiver, type Receiver } from '../notify/receiver.ts';
import { openProcess, type ProcessRegistry } from '../support/client/client-registry.ts';
import {
  cookieOf,
  createUser,
  must,
  openWorld,
  password,
  publishOk,
  register,
  uniqueName,
  type World,
} from '../support/client/client-world.ts';
import { freePorts } from '../support/free-ports.ts';
import { inspectable, type Memory, readMemory } from '../support/heap.ts';
import { environmentOfImage, flagsOfImage } from '../support/image-start.ts';
import { manifestOf } from '../support/manifest.ts';
import { limitMemory } from '../support/memory-limit.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

const minutes = Number(process.env.MEMORY_MINUTES ?? 0);
/** By then deliberate caches are full: compiled code, keys, plans, documents. */
const warmUpMinutes = Math.min(5, minutes);
const looks = 6;

/** Ten bytes for each of the requests of half an hour, about 200,000, are two megabytes. */
const allowedGrowthBytes = 4 * 2 ** 20;

/** `resources.limits.memory` of the chart. */
const memoryLimitBytes = 2 ** 30;

const bootstrapKey = 'bootstrap-key-of-the-tests';

let database: TestDatabase;
let registry: ProcessRegistry;
let receiver: Receiver;
let world: World;
let inspector: number;
let limit: ReturnType<typeof limitMemory> = null;

beforeAll(async () => {
  if (minutes === 0) return;
  database = await openDatabase();
  receiver = await openReceiver();
  [inspector = 0] = await freePorts(1);
  limit = limitMemory(`concordat-memory-${process.pid}`, memoryLimitBytes);
  const { NODE_OPTIONS: inspect = '' } = inspectable(inspector);
  registry = await openProcess(database.serviceUrl, {
    MALLOC_MMAP_THRESHOLD_: environmentOfImage().MALLOC_MMAP_THRESHOLD_ ?? '',
    NODE_OPTIONS: [inspect, ...flagsOfImage(), limit?.option ?? ''].join(' '),
    AUDIT_KEY: 'an audit key of the tests, long enough for it',
    CHECK_ROWS: 'false',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_RETRY_SECONDS: '1',
    TRUSTED_PROXIES: '127.0.0.0/8',
  });
  world = await openWorld(registry.url, bootstrapKey);
});
afterAll(async () => {
  await registry?.stop();
  limit?.remove();
  await receiver?.stop();
  await database?.drop();
});

interface Stage {
  readonly admin: Client;
  readonly producer: Client;
  readonly consumer: Client;
  /** A hundred that are read, written and asked about in turn. */
  readonly assetIds: readonly string[];
  readonly contractIds: readonly string[];
  readonly email: string;
}

type Act = (stage: Stage, round: number) => Promise<unknown>;

const clientOf = (key: string) => createClient({ baseUrl: registry.url, key });
const at = (list: readonly string[], index: number) => list[index % list.length] ?? '';

/** Of the n-th round: each differs from the one before, and the hundredth is the first again. */
function schemaOf(round: number) {
  const properties = Object.fromEntries(
    Array.from({ length: 5 + (round % 100) }, (_, i) => [`field_${i}`, { type: 'string' }]),
  );
  return { type: 'object', description: `round ${round}`, properties, required: ['field_0'] };
}

/** The acts, and how often each runs per second. */
const acts: Readonly<Record<string, { readonly perSecond: number; readonly act: Act }>> = {
  reads: {
    perSecond: 20,
    act: async ({ producer, assetIds, contractIds }, round) => {
      const params = { asset_id: at(assetIds, round) };
      const contract = { contract_id: at(contractIds, round) };
      const one = [
        () => producer.getAsset({ params }),
        () => producer.getContract({ params: contract }),
        () => producer.exportContract({ params: contract, query: { format: 'jsonschema' } }),
        () => producer.listAssets({ query: { q: `word${round}`, include_total: false } }),
        () => producer.listAssetContracts({ params }),
        () => producer.listEvents({ query: { asset_id: params.asset_id } }),
        () => producer.getTeamGraph(),
        () => fetch(`${registry.url}/metrics`).then((answer) => answer.text()),
      ][round % 8];
      await one?.();
    },
  },
  comparisons: {
    perSecond: 3,
    act: ({ producer, assetIds }, round) =>
      producer.assessImpact({
        params: { asset_id: at(assetIds, round) },
        body: { proposed_schema: schemaOf(round) },
      }),
  },
  publishes: {
    perSecond: 4,
    act: async ({ producer, assetIds }, round) => {
      const params = { asset_id: at(assetIds, round * 7) };
      const headers = { 'Idempotency-Key': `publish-${round}` };
      const body = { schema: schemaOf(round) };
      const told = await producer.publishContract({ params, body, headers });
      if (told.status === 400) throw new Error(JSON.stringify(told));
      // Told again, it is answered from what was kept.
      if (round % 5 === 0) await producer.publishContract({ params, body, headers });
    },
  },
  answers: {
    perSecond: 2,
    act: async ({ producer, consumer }, round) => {
      const query = { status: 'pending' as const, page_size: 5 };
      for (const { id } of must(await producer.listProposals({ query }), 200).results) {
        const params = { proposal_id: id };
        if (round % 2 === 0) await consumer.acknowledgeProposal({ params, body: {} });
        else await producer.withdrawProposal({ params, body: { reason: 'It was a mistake.' } });
      }
    },
  },
  imports: {
    perSecond: 0.3,
    act: async ({ admin }, round) => {
      const models = Array.from({ length: 40 }, (_, i) => ({
        name: `model_${(round * 13 + i) % 200}`,
        columns: { id: 'bigint', [`column_${round}`]: 'text' },
      }));
      const manifest = manifestOf('memory', models);
      if (round % 3 === 0) return must(await admin.diffDbt({ body: { manifest } }), 200);
      const body = {
        manifest,
        owner_team_id: world.producer.teamId,
        auto_publish_contracts: true,
        auto_create_proposals: true,
      };
      const headers = { 'Idempotency-Key': `import-${round}` };
      return must(await admin.uploadDbt({ body, headers }), 200);
    },
  },
  streams: { perSecond: 2, act: (_, round) => followEvents(round) },
  webhooks: {
    perSecond: 1,
    act: async ({ admin, producer, assetIds }, round) => {
      // Every third is of a receiver that is not there.
      const url = round % 3 === 0 ? 'http://127.0.0.1:9/hook' : receiver.url;
      const made = must(await admin.createWebhook({ body: { url } }), 201);
      const params = { webhook_id: made.id };
      await producer.updateAsset({
        params: { asset_id: at(assetIds, round) },
        body: { metadata: { round } },
      });
      await admin.listDeliveries({ params });
      await admin.deleteWebhook({ params });
    },
  },
  sessions: {
    perSecond: 1,
    act: async ({ email }, round) => {
      const headers = { 'X-Forwarded-For': `10.0.${round % 200}.${round % 250}` };
      const browser = createClient({ baseUrl: registry.url, headers });
      if (round % 4 === 0) {
        await browser.logIn({ body: { email: `nobody${round}@example.com`, password: 'wrong' } });
        return;
      }
      const answer = await browser.logIn({ body: { email, password } });
      const cookie = cookieOf(answer.headers);
      const session = {
        cookie,
        origin: registry.url,
        'x-csrf-token': must(answer, 200).csrf_token,
      };
      const own = createClient({ baseUrl: registry.url, headers: session });
      await own.getIdentity();
      if (round % 2 === 0) await own.logOut();
    },
  },
  keys: {
    perSecond: 1,
    act: async ({ admin }) => {
      const body = {
        name: uniqueName('key'),
        team_id: world.other.teamId,
        scopes: ['read' as const],
      };
      const issued = must(await admin.issueApiKey({ body }), 201);
      const own = clientOf(issued.key ?? '');
      await own.listTeams();
      // What it may not do is noted.
      await own.createTeam({ body: { name: 'Not theirs' } });
      await admin.revokeApiKey({ params: { api_key_id: issued.id } });
      await own.listTeams();
    },
  },
  strangers: {
    perSecond: 5,
    act: async (_, round) => {
      const key = `cdt_live_${String(round).padStart(43, 'A')}`;
      await clientOf(key).listTeams();
      await fetch(`${registry.url}/api/v1/nothing/${round}`);
      await fetch(`${registry.url}/api/v1/assets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/json' },
        body: `{"fqn": ${round}`,
      });
    },
  },
  'cut bodies': { perSecond: 2, act: () => cutBody() },
};

/** Reads a stream until something is said, or cuts it off in the middle. */
function followEvents(round: number): Promise<void> {
  return new Promise((done) => {
    const asked = request(
      `${registry.url}/api/v1/events/stream`,
      { headers: { authorization: `Bearer ${world.other.key}` } },
      (response) => {
        const end = () => {
          asked.destroy();
          done();
        };
        if (round % 2 === 0) end();
        else response.once('data', end).once('close', end);
      },
    );
    asked.on('error', () => done());
    asked.end();
  });
}

/** A body that is announced and never ends. */
function cutBody(): Promise<void> {
  const { port, hostname } = new URL(registry.url);
  return new Promise((done) => {
    const socket = connect(Number(port), hostname, () => {
      const head = [
        'POST /api/v1/sync/dbt/diff HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${bootstrapKey}`,
        'Content-Type: application/json',
        'Content-Length: 1000000',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${'{"manifest": "'.padEnd(200_000, 'x')}`, () =>
        socket.destroy(),
      );
    });
    socket.on('error', () => {});
    socket.on('close', () => done());
  });
}

async function openStage(): Promise<Stage> {
  const { producer, consumer, admin } = world;
  const assetIds: string[] = [];
  const contractIds: string[] = [];
  for (let i = 0; i < 100; i++) {
    const body = { fqn: `shop.public.${uniqueName('memory').replace(' ', '_')}` };
    const owner = { owner_team_id: producer.teamId };
    const { id } = must(await producer.client.createAsset({ body: { ...body, ...owner } }), 201);
    const contractId = await publishOk(producer.client, id, { schema: schemaOf(i) });
    if (i % 2 === 0) await register(consumer, contractId);
    assetIds.push(id);
    contractIds.push(contractId);
  }
  const { email } = await createUser(admin, { role: 'editor', team_id: producer.teamId });
  return {
    admin: clientOf(bootstrapKey),
    producer: clientOf(producer.key),
    consumer: clientOf(consumer.key),
    assetIds,
    contractIds,
    email,
  };
}

/** Each at its own pace, until it is over. What is refused is part of it; what is away is not. */
async function repeat(
  stage: Stage,
  { perSecond, act }: { readonly perSecond: number; readonly act: Act },
  isOver: () => boolean,
): Promise<number> {
  const startedAt = performance.now();
  let round = 0;
  for (; !isOver(); round++) {
    const early = startedAt + (round * 1000) / perSecond - performance.now();
    if (early > 0) await new Promise((due) => setTimeout(due, early));
    await act(stage, round);
  }
  return round;
}

test.skipIf(minutes === 0)(
  'The memory of a process does not grow with its work',
  async () => {
    const stage = await openStage();
    const overAt = performance.now() + (warmUpMinutes + minutes) * 60_000;
    const isOver = () => performance.now() > overAt;
    const work = Promise.all(Object.values(acts).map((each) => repeat(stage, each, isOver)));
    const seen: Memory[] = [];
    const watch = async () => {
      for (let look = 0; look <= looks; look++) {
        const dueAt = overAt - ((looks - look) / looks) * minutes * 60_000 - performance.now();
        if (dueAt > 0) await new Promise((due) => setTimeout(due, dueAt));
        const memory = await readMemory(inspector);
        seen.push(memory);
        process.stderr.write(`${lineOf(memory, (look / looks) * minutes)}\n`);
      }
    };
    const [rounds] = await Promise.all([work, watch()]);
    const done = Object.keys(acts).map((name, i) => `${name} ${rounds[i]}`);
    process.stderr.write(`${done.join(', ')}\n`);
    const peakBytes = registry.peakMemoryBytes();
    const how = limit === null ? 'checked alone: no cgroup can be made here' : 'held by a cgroup';
    process.stderr.write(`peak ${mebibytes(peakBytes)} MiB; the limit was ${how}\n`);

    const [first] = seen;
    const last = seen.at(-1);
    if (first === undefined || last === undefined) throw new Error('Nobody looked.');
    const growth = last.heapBytes + last.bufferBytes - first.heapBytes - first.bufferBytes;
    expect(growth).toBeLessThan(allowedGrowthBytes);
    expect(peakBytes).toBeLessThan(memoryLimitBytes);
  },
  (warmUpMinutes + minutes + 5) * 60_000,
);

function lineOf({ heapBytes, bufferBytes, residentBytes }: Memory, minute: number): string {
  const [heap, buffers, resident] = [heapBytes, bufferBytes, residentBytes].map(mebibytes);
  return `minute ${minute.toFixed(1)}: heap ${heap} MiB, buffers ${buffers}, resident ${resident}`;
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
