// `concordat check` on topics of a real Kafka broker.

import { type AddressInfo, createServer } from 'node:net';
import { type MessageToProduce, Producer } from '@platformatic/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Kafka, reader, startKafka } from '../../../support/kafka/broker.ts';
import { type Folder, makeFolder, run } from '../../support.ts';
import { faults, manifest, rows } from './planted.ts';

let folder: Folder;
let kafka: Kafka;
beforeAll(async () => {
  [folder, kafka] = await Promise.all([makeFolder(), startKafka()]);
});
afterAll(async () => {
  await kafka.stop();
  await folder.remove();
});

const order = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer' }, email: { type: 'string', 'x-classification': 'pii' } },
};

async function contractOf(guarantees: object | null = null): Promise<string> {
  const spec = { fqn: 'shop.orders.placed', schema: order, ...(guarantees && { guarantees }) };
  const manifest = {
    ...{ apiVersion: 'concordat.dev/v1', kind: 'DataContract', metadata: { name: 'orders' } },
    spec,
  };
  return folder.file(`contract-${Math.random()}.json`, manifest);
}

async function createTopic(name: string, partitions = 1): Promise<string> {
  await kafka.admin.createTopics({ topics: [name], partitions, replicas: 1 });
  return name;
}

type Sent = Omit<MessageToProduce, 'topic' | 'value'> & { readonly value?: unknown };

async function send(topic: string, messages: readonly Sent[], options: object = {}) {
  const producer = new Producer({
    clientId: 'tests',
    bootstrapBrokers: [kafka.open],
    idempotent: true,
    ...options,
  });
  await producer.send({ messages: messagesOf(topic, messages), acks: -1 });
  await producer.close();
}

function messagesOf(topic: string, messages: readonly Sent[]): MessageToProduce[] {
  return messages.map(({ value, partition = 0, ...message }) => {
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value) ?? '');
    return { ...message, topic, partition, ...(value !== undefined && { value: bytes }) };
  });
}

async function check(contract: string, address: string, ...more: readonly string[]) {
  const args = ['check', '--contract', contract, '--format', 'json', ...more];
  const { code, stdout, stderr } = await run(args, '', { env: { CONCORDAT_SOURCE: address } });
  return { code, stderr, result: stdout === '' ? null : JSON.parse(stdout) };
}

function statusesOf({ rules }: { rules: readonly { readonly status: string }[] }) {
  return rules.map(({ status }) => status);
}

function orders(count: number, partition = 0): Sent[] {
  return Array.from({ length: count }, (_, id) => ({ value: { id }, partition }));
}

describe('The records of a topic', () => {
  test('are checked in each partition and compression, and named by their place', async () => {
    const topic = await createTopic('compressed', 6);
    for (const [partition, compression] of ['none', 'gzip', 'snappy', 'lz4', 'zstd'].entries()) {
      const records = [...orders(30, partition), { value: { id: 'x' }, partition }];
      await send(topic, records, { compression });
    }
    const { code, result } = await check(await contractOf(), `kafka://${kafka.open}/${topic}`);
    expect(code).toBe(1);
    expect(result.rows).toBe(155);
    expect(result.read).toBe('of the topic compressed, all records were read');
    const [broken] = result.rules;
    expect(broken).toMatchObject({ name: '$.id type', status: 'failed', rows: 5 });
    expect(broken.samples[0]).toEqual({ value: 'x', row: { partition: 0, offset: 30 } });
  });

  test('with planted faults break the rules of these faults, and no others', async () => {
    const topic = await createTopic('planted', 3);
    const inZulu = rows.map((row) => ({ ...row, placed_at: `${row.placed_at}T00:00:00Z` }));
    await send(
      topic,
      inZulu.map((value, index) => ({ value, partition: index % 3 })),
    );
    const contract = await folder.file('planted.yaml', manifest);
    const { code, result } = await check(contract, `kafka://${kafka.open}/${topic}`);
    const failed = result.rules.filter(({ status }: { status: string }) => status === 'failed');
    const named = failed.map(({ name, rows }: { name: string; rows: number }) => [name, rows]);
    expect({ code, rows: result.rows, failed: named.sort() }).toEqual({
      ...{ code: 1, rows: rows.length, failed: faults },
    });
  });

  test('are as many as their producers committed', async () => {
    const topic = await createTopic('transactions');
    await send(topic, orders(3));
    const producer = new Producer({
      ...{ clientId: 'tests', bootstrapBrokers: [kafka.open], idempotent: true },
      transactionalId: 'orders',
    });
    const within = async (value: unknown, end: 'commit' | 'abort') => {
      const transaction = await producer.beginTransaction({});
      await transaction.send({ messages: messagesOf(topic, [{ value }]) });
      await transaction[end]();
    };
    await within({ id: 'taken back' }, 'abort');
    await within({ id: 10 }, 'commit');
    await within({ id: 'taken back too' }, 'abort');
    await producer.close();
    const { code, result } = await check(await contractOf(), `kafka://${kafka.open}/${topic}`);
    expect([code, result.rows]).toEqual([0, 4]);
  });

  test.each(['gzip', 'snappy', 'lz4', 'zstd'])(
    'that would become huge once %s is unpacked are refused',
    async (compression) => {
      const name = `packed-${compression}`;
      const configs = [{ name: 'max.message.bytes', value: '10000000' }];
      await kafka.admin.createTopics({ topics: [name], partitions: 1, replicas: 1, configs });
      await send(name, orders(2), { compression });
      const huge = Buffer.concat([Buffer.from('{"id": 3}'), Buffer.alloc(40 * 1024 ** 2, ' ')]);
      await send(name, [{ value: huge }], { compression });
      const { code, stderr } = await check(await contractOf(), `kafka://${kafka.open}/${name}`);
      const said = `SOURCE_UNREADABLE: The batch at offset 2 of partition 0 of ${name} is too large`;
      expect([code, stderr]).toEqual([3, expect.stringContaining(said)]);
      expect(stderr).toContain('it has more than 32 MiB');
    },
  );

  test('are read batch by batch, if they are large together', async () => {
    const topic = await createTopic('large-together');
    for (const id of [1, 2, 'x']) {
      const large = Buffer.concat([Buffer.from(JSON.stringify({ id })), Buffer.alloc(2e7, ' ')]);
      await send(topic, [{ value: large }], { compression: 'zstd' });
    }
    const { code, result } = await check(await contractOf(), `kafka://${kafka.open}/${topic}`);
    expect([code, result?.rows]).toEqual([1, 3]);
    expect(result.rules[0].samples).toEqual([{ value: 'x', row: { partition: 0, offset: 2 } }]);
  });

  test('are not rows if they have no value, and break the contract if they are not JSON', async () => {
    const topic = await createTopic('mixed');
    const wrapped = Buffer.concat([Buffer.from([0, 0, 0, 0, 7]), Buffer.from('{"id": 1}')]);
    await send(topic, [
      ...[{ value: wrapped }, { key: Buffer.from('1') }, { value: Buffer.from('id=2') }],
      { value: Buffer.from('{"id": 3, "note": "\xe9"}', 'latin1') },
    ]);
    const { code, result } = await check(await contractOf(), `kafka://${kafka.open}/${topic}`);
    expect([code, result.rows]).toEqual([1, 3]);
    expect(result.rules[0]).toMatchObject({ name: '$ json', rows: 2 });
    expect(result.read).toMatch(/; 1 record without a value is no row$/);
  });

  test('keep to the rules of all rows, and personal values are not shown', async () => {
    const topic = await createTopic('repeated', 2);
    const email = 'a-person@example.com';
    await send(topic, [
      ...[...orders(5), ...orders(3, 1)],
      { value: { id: 9, email: 7, note: email } },
    ]);
    const guarantees = {
      volume: { min_rows: 20 },
      custom: [{ type: 'unique', column: 'id' }],
    };
    const { code, result } = await check(
      await contractOf(guarantees),
      `kafka://${kafka.open}/${topic}`,
    );
    expect(code).toBe(1);
    const failed = result.rules.filter((rule: { status: string }) => rule.status === 'failed');
    expect(failed.map(({ name, rows }: { name: string; rows: number }) => [name, rows])).toEqual([
      ['volume.min_rows', null],
      ['custom.unique.id', 6],
      ['$.email type', 1],
    ]);
    expect(failed[2].samples).toEqual([{ row: { partition: 0, offset: 5 } }]);
  });
});

describe('A part of a topic', () => {
  test('is its newest records, and those since a time', async () => {
    const topic = await createTopic('windows', 3);
    const timestamp = BigInt(Date.parse('2026-01-01T00:00:00Z'));
    const old = { value: { id: 'old' }, timestamp };
    await send(topic, [old, { ...old, partition: 1 }]);
    await send(topic, [...orders(20), ...orders(2, 1)]);
    const contract = await contractOf({
      ...{ volume: { min_rows: 1_000 } },
      freshness: { max_staleness_minutes: 60, measured_by: 'at' },
    });
    const address = `kafka://${kafka.open}/${topic}`;
    const newest = await check(contract, address, '--newest', '10');
    expect([newest.result.rows, newest.result.read]).toEqual([
      10,
      'of the topic windows, at most the newest 10 were read',
    ]);
    expect(newest.result.rules[1]).toMatchObject({ name: 'volume.min_rows', status: 'skipped' });
    const since = await check(contract, address, '--since', '2026-06-01T00:00:00Z');
    expect(since.result.rows).toBe(22);
    expect(statusesOf(since.result)).toEqual(['failed', 'skipped', 'passed']);
    const none = await check(contract, address, '--since', '2999-01-01');
    expect([none.code, none.result.rows]).toEqual([0, 0]);
    expect(statusesOf(none.result)).toEqual(['skipped', 'skipped', 'passed']);
    const whole = await check(contract, address);
    expect([whole.code, whole.result.rows]).toEqual([1, 24]);
  });

  test('is asked for of a topic alone', async () => {
    const file = await folder.file('rows.ndjson', '{"id": 1}\n');
    const { code, stderr } = await check(await contractOf(), file, '--newest', '1');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/are for topics of Kafka/)]);
  });
});

describe('Whoever checks a topic', () => {
  const login = (password: string) => `${reader.name}:${password}`;
  const guarded = (topic: string, password: string, query: string) =>
    `kafka://${login(password)}@${kafka.guarded}/${topic}?ca=${kafka.authority}${query}`;

  test('signs in over TLS, and leaves no group of consumers behind', async () => {
    const topic = await createTopic('guarded');
    await send(topic, orders(3));
    for (const sasl of ['', '&sasl=scram-sha-512']) {
      const { code, result } = await check(
        await contractOf(),
        guarded(topic, reader.password, sasl),
      );
      expect([code, result?.rows]).toEqual([0, 3]);
    }
    expect([...(await kafka.admin.listGroups({})).keys()]).toEqual([]);
  });

  test('is told what is wrong, without the password', async () => {
    const topic = await createTopic('secret');
    await kafka.admin.createAcls({
      creations: [
        {
          ...{ resourceType: 2, resourceName: topic, resourcePatternType: 3 },
          ...{ principal: 'User:somebody-else', host: '*', operation: 3, permissionType: 3 },
        },
      ],
    });
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((listening) => silent.once('listening', listening));
    const { port } = silent.address() as AddressInfo;
    const avro = await createTopic('avro');
    await send(avro, [{ value: Buffer.from([0, 0, 0, 0, 1, 2, 4]) }]);
    const password = 'not-the-password';
    const cases: readonly (readonly [string, number, string])[] = [
      [guarded(topic, reader.password, ''), 4, 'SOURCE_REFUSED: Kafka refuses'],
      [guarded(topic, password, ''), 4, 'SOURCE_REFUSED: Kafka refuses'],
      [guarded(topic, password, '&sasl=scram-sha-512'), 4, 'SOURCE_REFUSED: Kafka refuses'],
      [guarded(topic, password, '&sasl=kerberos'), 2, 'SOURCE_NOT_SUPPORTED: sasl of the'],
      [guarded(topic, password, '&user=me'), 2, 'SOURCE_NOT_SUPPORTED: The address of a topic'],
      [`kafka://${kafka.guarded}/${topic}?tls=true`, 4, 'SOURCE_NOT_REACHABLE: No broker'],
      [`kafka://${kafka.open}/gone`, 3, 'SOURCE_NOT_FOUND: There is no topic gone.'],
      [`kafka://${kafka.open}`, 2, 'SOURCE_NOT_SUPPORTED: The address of the topic cannot'],
      [`kafka://127.0.0.1:1/${topic}`, 4, 'SOURCE_NOT_REACHABLE: No broker'],
      [`kafka://127.0.0.1:${port}/${topic}`, 4, 'SOURCE_TIMEOUT: Kafka did not answer'],
      [`kafka://${kafka.open}/${avro}`, 3, 'SOURCE_UNREADABLE: None of its records is JSON.'],
    ];
    const contract = await contractOf();
    const told = cases.map(async ([address, code, sentence]) => {
      const seconds = address.includes(`:${port}/`) ? '0.5' : '600';
      const found = await check(contract, address, '--source-timeout', seconds);
      expect([address, found.code, found.stderr]).toEqual([
        ...[address, code, expect.stringContaining(sentence)],
      ]);
      expect(found.stderr).not.toContain(password);
    });
    await Promise.all(told);
    silent.close();
  });
});
