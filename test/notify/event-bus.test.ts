// The events of a registry on a real Kafka broker and a real server of NATS, while processes and the
// broker are killed.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { busContractFile } from '../../scripts/bus-contract.ts';
import { run } from '../cli/support.ts';
import type { TestBus } from '../support/bus/bus.ts';
import { openKafka } from '../support/bus/kafka.ts';
import { openNats } from '../support/bus/nats.ts';
import { openProcess, openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  openWorld,
  type Published,
  publishedAsset,
  publishOk,
  type World,
} from '../support/client/client-world.ts';
import { freePorts } from '../support/free-ports.ts';
import { makeCertificate } from '../support/local-certificate.ts';
import { startNats } from '../support/nats/server.ts';
import { openFolder } from '../support/open-folder.ts';
import { programEnvironment } from '../support/program-environment.ts';

interface CloudEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly sequence: string;
  readonly partitionkey: string;
  readonly data: {
    readonly asset_id: string | null;
    readonly metadata: { version?: string };
    readonly metadata_left_out?: true;
  };
}

const waiting = { timeout: 120_000, interval: 100 };

let bus: TestBus;
let topic: string;
let settings: Record<string, string>;
let topics = 0;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(): Promise<{ registry: TestRegistry; world: World }> {
  const registry = await openRegistry(settings);
  closing.push(async () => {
    registry.takeCrashes();
    await registry.stop();
  });
  await untilSent(registry);
  return { registry, world: await openWorld(registry.url, registry.bootstrapKey) };
}

/** A new topic begins with what happens once a process has found it. */
async function untilSent({ database }: TestRegistry) {
  const found = () => database.query(`select topic from event_bus where topic = '${topic}'`);
  await expect.poll(found, waiting).toHaveLength(1);
}

/** Everything on the topic, as it comes. */
async function follow(): Promise<CloudEvent[]> {
  const received: CloudEvent[] = [];
  const { close } = await bus.follow(topic, (text) => received.push(JSON.parse(text)));
  closing.push(close);
  return received;
}

async function publishMany({ producer }: World, assets: readonly Published[], count: number) {
  for (let i = 0; i < count; i++) {
    const more = Object.fromEntries(
      Array.from({ length: i + 1 }, (_, n) => [`more_${n}`, { type: 'string' }]),
    );
    const properties = { id: { type: 'integer' }, total: { type: 'number' }, ...more };
    const schema = { type: 'object', properties, required: ['id'] };
    await Promise.all(assets.map(({ assetId }) => publishOk(producer.client, assetId, { schema })));
  }
}

/** What the trail has, but events about people and keys, in the order of each asset. */
async function trailOf({ registry }: { registry: TestRegistry }) {
  const rows = await registry.database.query(
    `select id, asset_id from audit_event where entity_type not in ('user', 'group', 'api_key', 'trust')
     order by stream_position`,
  );
  return byAsset(rows.map(({ id, asset_id }) => ({ id: String(id), asset: asset_id })));
}

/** Each event once, where it came first. */
function receivedOf(events: readonly CloudEvent[]) {
  const first = new Map(events.toReversed().map((event) => [event.id, event]));
  const once = events.filter((event) => first.get(event.id) === event);
  return byAsset(once.map(({ id, data }) => ({ id, asset: data.asset_id })));
}

function byAsset(events: readonly { readonly id: string; readonly asset: unknown }[]) {
  const own = events.filter(({ asset }) => asset !== null);
  const others = events.filter(({ asset }) => asset === null).map(({ id }) => id);
  return {
    ...Object.fromEntries(
      Map.groupBy(own, ({ asset }) => String(asset))
        .entries()
        .map(([asset, its]) => [asset, its.map(({ id }) => id)]),
    ),
    others: others.sort(),
  };
}

describe.each([
  ['Kafka', openKafka],
  ['NATS', openNats],
] as const)('%s', (name, openBus) => {
  beforeAll(async () => {
    bus = await openBus();
  });
  afterAll(async () => {
    await bus?.stop();
  });
  beforeEach(async () => {
    topic = `events-${++topics}`;
    await bus.make(topic);
    settings = { EVENT_BUS_URL: bus.url(topic) };
    return async () => {
      for (const close of closing.splice(0).reverse()) await close();
    };
  });

  test('Each event is on the topic as a CloudEvent, in the order of its asset, and none about people', async () => {
    const [port = 0] = await freePorts(1);
    Object.assign(settings, { PORT: `${port}`, BASE_URL: `http://localhost:${port}` });
    const { registry, world } = await open();
    const received = await follow();
    const assets = await Promise.all([
      publishedAsset(world.producer),
      publishedAsset(world.producer),
    ]);
    await publishMany(world, assets, 3);
    await expect.poll(() => receivedOf(received), waiting).toEqual(await trailOf({ registry }));
    const [asset] = assets;
    const version = received.find(
      ({ data }) => data.asset_id === asset?.assetId && data.metadata.version === '1.1.0',
    );
    expect(version).toEqual({
      specversion: '1.0',
      id: expect.any(String),
      source: registry.url,
      type: 'dev.concordat.contract.published',
      subject: asset?.fqn,
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      datacontenttype: 'application/json',
      partitionkey: asset?.assetId,
      sequence: expect.stringMatching(/^\d{16}$/),
      data: expect.objectContaining({ event_type: 'contract.published', entity_type: 'contract' }),
    });
    for (const its of Object.values(Object.groupBy(received, (event) => event.partitionkey))) {
      const sequences = its?.map(({ sequence }) => sequence) ?? [];
      expect(sequences).toEqual(sequences.toSorted());
    }
    const { text } = await metricsOf(registry.url);
    expect(text).toContain(`concordat_event_bus_events_total ${received.length}\n`);
    await expectContractKept(received);
  });

  test.each([
    ['a topic as it is made', undefined, [1_200_000, ...Array.from({ length: 8 }, () => 300_000)]],
    ['a topic that takes little', 3_000, [5_000, 100, 100, 3_500, 100]],
  ])(
    'Of %s: what it does not take at once comes in parts, and a larger event without its metadata',
    async (_, limit, sizes) => {
      topic = `events-${++topics}`;
      await bus.make(topic, limit);
      settings = { EVENT_BUS_URL: bus.url(topic) };
      const { registry, world } = await open();
      const received = await follow();
      const { assetId } = await publishedAsset(world.producer);
      // As no event is today: the trail takes any size.
      for (const size of sizes) {
        await registry.database.query(
          `insert into audit_event (id, event_type, entity_type, entity_id, actor_type, actor_id,
         occurred_at, metadata)
       select gen_random_uuid(), 'asset.updated', 'asset', '${assetId}', actor_type, actor_id,
         now(), json_build_object('asset_id', '${assetId}', 'text', repeat('x', ${size}))
       from audit_event where asset_id = '${assetId}' limit 1`,
        );
      }
      await publishMany(world, [{ assetId, fqn: '', contractId: '' }], 1);
      await expect.poll(() => receivedOf(received), waiting).toEqual(await trailOf({ registry }));
      const updates = received.filter(({ type }) => type === 'dev.concordat.asset.updated');
      const most = limit ?? 1_000_000;
      expect([
        ...new Map(updates.map(({ id, data }) => [id, data.metadata_left_out])).values(),
      ]).toEqual(sizes.map((size) => (size > most ? true : undefined)));
    },
  );

  test('A broker that is killed meanwhile gets everything once it is there again', async () => {
    const { registry, world } = await open();
    const assets = await Promise.all([
      publishedAsset(world.producer),
      publishedAsset(world.producer),
    ]);
    const before = await follow();
    await expect.poll(() => receivedOf(before), waiting).toEqual(await trailOf({ registry }));
    await bus.kill();
    await publishMany(world, assets, 3);
    const waits = async () =>
      Number(await metric(registry.url, 'concordat_event_bus_unsent_seconds'));
    await expect.poll(waits, waiting).toBeGreaterThan(0);
    await bus.start();
    await expect.poll(waits, waiting).toBe(0);
    const received = await follow();
    await expect.poll(() => receivedOf(received), waiting).toEqual(await trailOf({ registry }));
    expect(registry.takeCrashes().join('\n')).toContain('events cannot be sent to the bus');
  });

  test('When the process that sends stands still or is killed, another one goes on, and nothing is lost', async () => {
    const registry = await openRegistry();
    closing.push(registry.stop);
    const start = async () => {
      const started = await openProcess(registry.database.serviceUrl, settings);
      closing.push(started.kill);
      return started;
    };
    const first = await start();
    await untilSent(registry);
    const world = await openWorld(registry.url, registry.bootstrapKey);
    const assets = await Promise.all(
      Array.from({ length: 3 }, () => publishedAsset(world.producer)),
    );
    const received = await follow();
    await expect.poll(() => receivedOf(received), waiting).toEqual(await trailOf({ registry }));
    const second = await start();
    const writing = publishMany(world, assets, 3);
    first.freeze();
    await writing;
    await expect.poll(() => receivedOf(received), waiting).toEqual(await trailOf({ registry }));
    first.thaw();
    const others = await Promise.all(
      Array.from({ length: 3 }, () => publishedAsset(world.producer)),
    );
    await second.kill();
    await publishMany(world, others, 3);
    await expect.poll(() => receivedOf(received), waiting).toEqual(await trailOf({ registry }));
  });

  test('`concordat bus rewind` sends what happened since a moment again, with the same ids', async () => {
    const { registry, world } = await open();
    const asset = await publishedAsset(world.producer);
    const received = await follow();
    await expect.poll(() => receivedOf(received), waiting).toEqual(await trailOf({ registry }));
    const since = new Date(Date.now() + 1).toISOString();
    await publishMany(world, [asset], 2);
    await expect.poll(() => receivedOf(received), waiting).toEqual(await trailOf({ registry }));
    const lately = received.filter(({ time }) => time >= since).map(({ id }) => id);
    const env = {
      ...programEnvironment(),
      ...settings,
      DATABASE_URL: registry.database.serviceUrl,
    };
    const rewind = ['src/main.ts', 'bus', 'rewind', '--since', since];
    const { stdout } = await promisify(execFile)(process.execPath, rewind, { env });
    expect(stdout).toBe(`All events since ${since} are sent to ${topic} again.\n`);
    const twice = () =>
      [...Map.groupBy(received, ({ id }) => id)].flatMap(([id, its]) =>
        its.length > 1 ? [id] : [],
      );
    await expect.poll(twice, waiting).toEqual(expect.arrayContaining(lately));
    expect(lately.length).toBeGreaterThan(1);
  });

  /** `concordat check` reads topics of Kafka alone. */
  async function expectContractKept(received: readonly CloudEvent[]) {
    if (name !== 'Kafka') return;
    const source = settings.EVENT_BUS_URL ?? '';
    const checked = await run(['check', '--contract', busContractFile, '--source', source]);
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    expect(checked.stdout).toContain(`${received.length} `);
  }
});

test('NATS, over TLS and with a token: without a stream the log says how to make one', async () => {
  const certificate = makeCertificate(await openFolder('concordat-nats-tls-'));
  const tls = `cert_file: ${certificate.file}, key_file: ${certificate.keyFile}`;
  const nats = await startNats(`authorization { token: "a token" }\ntls { ${tls} }`);
  closing.push(nats.stop);
  const [, port] = nats.address.split(':');
  const url = `nats://a%20token@localhost:${port}/guarded.events?ca=${certificate.file}`;
  settings = { EVENT_BUS_URL: url };
  topic = 'guarded.events';
  const { registry, world } = await open();
  await publishedAsset(world.producer);
  const advice = "nats stream add --subjects 'guarded.events.>'";
  await expect.poll(() => registry.takeCrashes().join('\n'), waiting).toContain(advice);
  const connection = await connect({
    ...{ servers: `localhost:${port}`, token: 'a token' },
    tls: { caFile: certificate.file },
  });
  closing.push(() => connection.close());
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'guarded', subjects: ['guarded.events.>'] });
  const waits = async () =>
    Number(await metric(registry.url, 'concordat_event_bus_unsent_seconds'));
  await expect.poll(waits, waiting).toBe(0);
  const { state } = await manager.streams.info('guarded');
  const count = await registry.database.query(
    `select count(*)::int from audit_event where entity_type not in ('user', 'api_key', 'trust')`,
  );
  expect(count).toEqual([{ count: state.messages }]);
});

async function metricsOf(url: string) {
  const response = await fetch(`${url}/metrics`);
  return { text: await response.text() };
}

async function metric(url: string, name: string): Promise<string | undefined> {
  return new RegExp(`^${name} (.*)$`, 'm').exec((await metricsOf(url)).text)?.[1];
}
