// The statements of a request: a key is checked by a cached digest, and a read is one query.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepDocuments } from '../../../src/http/kept-documents.ts';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import {
  must,
  openWorld,
  orderSchema,
  publishedAsset,
  publishOk,
  type World,
} from '../../support/client/client-world.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres/postgres-proxy.ts';

let registry: TestRegistry;
let world: World;
let proxy: PostgresProxy;

beforeAll(async () => {
  registry = await openRegistry({}, async (url) => {
    proxy = await startPostgresProxy(url);
    return proxy.url;
  });
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await registry.stop();
  await proxy.close();
});

/** Of two runs the shorter list, because a sweep may be recorded with one of them. */
async function fewestStatements(naming: RegExp, run: () => Promise<void>) {
  const recorded = async () => (await proxy.record(run)).filter(({ text }) => naming.test(text));
  const [first, second] = [await recorded(), await recorded()];
  return first.length < second.length ? first : second;
}

test('An authenticated read takes one statement, and none for its key', async () => {
  const { assetId } = await publishedAsset(world.producer);
  const params = { asset_id: assetId };
  const { client } = world.producer;
  must(await client.getAsset({ params }), 200);
  const read = async () => {
    for (let i = 0; i < 10; i++) must(await client.getAsset({ params }), 200);
  };
  // Listening and sealing use none of the names.
  expect(await fewestStatements(/\b(asset|contract|team)\b/, read)).toHaveLength(10);
  expect(await fewestStatements(/\bapi_key\b/, read)).toEqual([]);
});

test('The transaction of a publish takes two writes to Postgres: one to read, one to change', async () => {
  const { assetId } = await publishedAsset(world.producer);
  const statements = await proxy.record(async () => {
    await publishOk(world.producer.client, assetId, {
      schema: { ...orderSchema, description: 'Orders, as they were placed.' },
    });
  });
  const inserted = statements.find(({ text }) => text.includes('insert into contract'));
  const own = statements.filter(({ connection }) => connection === inserted?.connection);
  const begun = own.findLastIndex(
    (each) => each.text.startsWith('START') && each.write <= (inserted?.write ?? 0),
  );
  const ended = own.findIndex(({ text }, index) => index > begun && text === 'COMMIT');
  const transaction = own.slice(begun, ended + 1);
  // One of them takes back the limit that reads have for a lock.
  expect(transaction).toHaveLength(8);
  expect(new Set(transaction.map(({ write }) => write)).size).toBe(2);
});

test('A publish takes as many statements for thirty consumers with ten needs as for two with two', async () => {
  const { admin } = world;
  const teams: string[] = [];
  for (let i = 0; i < 30; i++) {
    const body = { name: `reader ${i}` };
    teams.push(must(await admin.createTeam({ body }), 201).id);
  }
  /** How many statements each of two publishes takes: one with a proof, one that asks. */
  async function countFor(count: number, distinct: number): Promise<readonly number[]> {
    const { assetId, contractId: contract_id } = await publishedAsset(world.producer);
    for (const [index, consumer_team_id] of teams.slice(0, count).entries()) {
      const needs = { schema: { title: `${index % distinct}`, properties: { id: {} } } };
      must(await admin.registerConsumer({ body: { contract_id, consumer_team_id, needs } }), 201);
    }
    const { client } = world.producer;
    const counts: number[] = [];
    for (const schema of [{ ...orderSchema, properties: { id: orderSchema.properties.id } }, {}]) {
      const statements = await proxy.record(async () => {
        const params = { asset_id: assetId };
        expect((await client.publishContract({ params, body: { schema } })).ok).toBe(true);
      });
      const own = /\b(asset|contract|registration|proposal)\b/;
      counts.push(statements.filter(({ text }) => own.test(text)).length);
    }
    return counts;
  }
  // A sweep may be recorded with a run, so the smallest of several runs counts.
  const least = [Infinity, Infinity].map((each) => [each, each]);
  for (let run = 0; run < 6; run++) {
    for (const [index, [count, distinct]] of (
      [
        [30, 10],
        [2, 2],
      ] as const
    ).entries()) {
      const counts = await countFor(count, distinct);
      least[index] = counts.map((each, at) => Math.min(each, least[index]?.[at] ?? each));
    }
    if (run > 0 && JSON.stringify(least[0]) === JSON.stringify(least[1])) break;
  }
  expect(least[0]).toEqual(least[1]);
});

test('The schema of a version is served from memory after its first read, whatever its state', async () => {
  const { assetId, contractId } = await publishedAsset(world.producer);
  const { client } = world.producer;
  const params = { contract_id: contractId };
  const schema = async () =>
    must(await client.exportContract({ params, query: { format: 'jsonschema' } }), 200);
  const first = await schema();
  await publishOk(client, assetId, {
    schema: { ...orderSchema, description: 'Orders, as they were placed.' },
  });
  const statements = await fewestStatements(/\bcontract\b/, async () => {
    for (let i = 0; i < 10; i++) expect(await schema()).toBe(first);
  });
  expect(statements).toEqual([]);
  // A document with more content is made from current facts.
  const manifest = must(await client.exportContract({ params, query: { format: 'odcs' } }), 200);
  expect(manifest).toMatch(/^status: deprecated$/m);
});

test('The cache of documents is limited: the least recently used one is dropped first', () => {
  const documents = keepDocuments(64);
  const document = { text: 'abcd', contentType: 'text/plain', fileName: 'a' };
  for (let i = 0; i < 16; i++) documents.keep(`d${i}`, document);
  expect(documents.find('d0')).toBe(document);
  documents.keep('d16', document);
  expect([documents.find('d0'), documents.find('d1')]).toEqual([document, undefined]);
  documents.keep('large', { ...document, text: 'abcde' });
  expect(documents.find('large')).toBeUndefined();
});

test('A malformed key is refused without a statement', async () => {
  const statements = await proxy.record(async () => {
    for (const key of ['x', 'cdt_live_short', undefined]) {
      expect((await world.admin.as(key).listTeams()).status).toBe(401);
    }
  });
  expect(statements.filter(({ text }) => text.includes('api_key'))).toEqual([]);
});
