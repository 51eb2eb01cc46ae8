// Many writes in one request: each item is the single route's, in one transaction or on its own.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { createApp } from '../../../src/http/app.ts';
import { openClient } from '../../support/client/client.ts';
import { openRegistry } from '../../support/client/client-registry.ts';
import {
  createAsset,
  must,
  mustRefuse,
  openParty,
  openRegistryForFile,
  openWorld,
  type Party,
  proposedAsset,
  publishedAsset,
  register,
  uniqueName,
} from '../../support/client/client-world.ts';
import { bootstrapKey as appKey, openApp } from '../../support/client/open-app.ts';

const { registry, world } = await openRegistryForFile();

type Body = Record<string, unknown>;

interface Sent {
  readonly key: string;
  readonly path: string;
  readonly body: Body;
  readonly idempotencyKey?: string;
  readonly url?: string;
}

async function send({ key, path, body, idempotencyKey, url = registry.url }: Sent) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Without what is new in every answer. */
function comparable(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/(orders|producer|consumer|other)[ _]\d+/g, '$1');
}

const nowhere = '0198c5a0-0000-7000-8000-000000000000';

interface Same {
  readonly kind: 'assets' | 'registrations' | 'acknowledgments';
  readonly why: string;
  readonly status: number;
  readonly prepare: () => Promise<{ readonly as: Party; readonly item: Body }>;
}

const fqn = () => `shop.public.${uniqueName('orders').replace(' ', '_')}`;

const same: readonly Same[] = [
  {
    kind: 'assets',
    why: 'a new asset',
    status: 201,
    prepare: async () => ({
      as: world.producer,
      item: { fqn: fqn(), owner_team_id: world.producer.teamId, metadata: { z: 1, a: [null] } },
    }),
  },
  {
    kind: 'assets',
    why: 'a name that is taken',
    status: 409,
    prepare: async () => ({
      as: world.producer,
      item: { fqn: (await createAsset(world.producer)).fqn, owner_team_id: world.producer.teamId },
    }),
  },
  {
    kind: 'assets',
    why: "another team's asset",
    status: 403,
    prepare: async () => ({
      as: world.producer,
      item: { fqn: fqn(), owner_team_id: world.other.teamId },
    }),
  },
  {
    kind: 'assets',
    why: 'an item without a name',
    status: 400,
    prepare: async () => ({ as: world.producer, item: { owner_team_id: world.producer.teamId } }),
  },
  {
    kind: 'registrations',
    why: 'a new consumer',
    status: 201,
    prepare: async () => ({
      as: world.consumer,
      item: {
        contract_id: (await publishedAsset(world.producer)).contractId,
        consumer_team_id: world.consumer.teamId,
      },
    }),
  },
  {
    kind: 'registrations',
    why: 'a consumer with a need',
    status: 201,
    prepare: async () => ({
      as: world.consumer,
      item: {
        contract_id: (await publishedAsset(world.producer)).contractId,
        consumer_team_id: world.consumer.teamId,
        needs: { fields: ['$.id'] },
      },
    }),
  },
  {
    kind: 'registrations',
    why: 'a need that is not met',
    status: 422,
    prepare: async () => ({
      as: world.consumer,
      item: {
        contract_id: (await publishedAsset(world.producer)).contractId,
        consumer_team_id: world.consumer.teamId,
        needs: { fields: ['$.colour'] },
      },
    }),
  },
  {
    kind: 'registrations',
    why: 'a consumer that is registered',
    status: 409,
    prepare: async () => {
      const { contractId } = await publishedAsset(world.producer);
      await register(world.consumer, contractId);
      const item = { contract_id: contractId, consumer_team_id: world.consumer.teamId };
      return { as: world.consumer, item };
    },
  },
  {
    kind: 'registrations',
    why: 'a contract that does not exist',
    status: 404,
    prepare: async () => ({
      as: world.consumer,
      item: { contract_id: nowhere, consumer_team_id: world.consumer.teamId },
    }),
  },
  {
    kind: 'acknowledgments',
    why: 'an answer',
    status: 200,
    prepare: async () => ({
      as: world.consumer,
      item: {
        proposal_id: (await proposedAsset(world.producer, [world.consumer])).proposalId,
        response: 'migrating',
        until: '2099-05-03T00:00:00+02:00',
      },
    }),
  },
  {
    kind: 'acknowledgments',
    why: 'an answer of a team that was not asked',
    status: 403,
    prepare: async () => ({
      as: world.other,
      item: { proposal_id: (await proposedAsset(world.producer, [world.consumer])).proposalId },
    }),
  },
  {
    kind: 'acknowledgments',
    why: 'an answer to no proposal',
    status: 404,
    prepare: async () => ({ as: world.consumer, item: { proposal_id: nowhere } }),
  },
  {
    kind: 'acknowledgments',
    why: 'an answer to something that is no id',
    status: 400,
    prepare: async () => ({ as: world.consumer, item: { proposal_id: 'x' } }),
  },
];

function singleOf({ kind }: Same, item: Body): Pick<Sent, 'path' | 'body'> {
  if (kind !== 'acknowledgments') return { path: `/${kind}`, body: item };
  const { proposal_id: id, ...body } = item;
  return { path: `/proposals/${String(id)}/acknowledge`, body };
}

describe('a bulk of one item answers what the single route answers', () => {
  test.each(same)('$kind: $why', async (one) => {
    const alone = await one.prepare();
    const single = await send({ key: alone.as.key, ...singleOf(one, alone.item) });
    expect(single.status).toBe(one.status);
    for (const mode of ['transaction', 'partial']) {
      const { as, item } = await one.prepare();
      const path = `/bulk/${one.kind}`;
      const answer = await send({ key: as.key, path, body: { mode, items: [item] } });
      const isRefusal = mode === 'transaction' && one.status >= 400;
      expect(answer.status).toBe(isRefusal ? one.status : 200);
      const answered = JSON.parse(answer.text);
      const [result] = isRefusal ? answered.detail.items : answered.results;
      expect(result).toMatchObject({ index: 0, status: one.status });
      expect(comparable(JSON.stringify(result.body))).toBe(comparable(single.text));
    }
  });
});

async function eventsOf(assetId: string): Promise<readonly string[]> {
  const query = { entity_id: assetId } as const;
  const { results } = must(await world.admin.listEvents({ query }), 200);
  return results.map((event) => event.event_type);
}

describe('one transaction', () => {
  test('many items take effect together, each with its audit event', async () => {
    const items = Array.from({ length: 40 }, () => ({
      fqn: fqn(),
      owner_team_id: world.producer.teamId,
    }));
    const body = must(await world.producer.client.bulkAssets({ body: { items } }), 200);
    expect(body).toMatchObject({ mode: 'transaction', succeeded: 40, refused: 0 });
    expect(body.results.map(({ index, body }) => [index, body.fqn])).toEqual(
      items.map(({ fqn }, index) => [index, fqn]),
    );
    for (const { body: asset } of body.results) {
      expect(await eventsOf(String(asset.id))).toEqual(['asset.created']);
    }
  });

  test('one refused item refuses all, and each refused item is told', async () => {
    const name = fqn();
    const owner_team_id = world.producer.teamId;
    const items = [
      { fqn: name, owner_team_id },
      { fqn: name, owner_team_id },
      { fqn: fqn(), owner_team_id: world.other.teamId },
    ];
    const refused = await world.producer.client.bulkAssets({ body: { items } });
    const detail = mustRefuse(refused, 409, 'ASSET_EXISTS');
    expect(detail).toMatchObject({
      field: 'items.1.fqn',
      items: [
        { index: 1, status: 409, body: { detail: { code: 'ASSET_EXISTS' } } },
        { index: 2, status: 403, body: { detail: { code: 'FORBIDDEN' } } },
      ],
    });
    expect(String(detail.message)).toMatch(/^Nothing was written, because 2 items were refused\. /);
    const listed = must(await world.admin.listAssets({ query: { fqn: name } }), 200);
    expect(listed.results).toEqual([]);
  });

  test('the answers of a proposal that publishes automatically publish it after all of them', async () => {
    const [first, second] = await Promise.all([
      openParty(world.admin, 'consumer'),
      openParty(world.admin, 'consumer'),
    ]);
    const { proposalId } = await proposedAsset(world.producer, [first, second], {
      auto_publish: true,
    });
    const items = [first, second].map(({ teamId }) => ({
      ...{ proposal_id: proposalId, team_id: teamId, reason: 'They said so on the phone.' },
    }));
    must(await world.admin.bulkAcknowledgments({ body: { items } }), 200);
    const params = { proposal_id: proposalId };
    const proposal = must(await world.admin.getProposal({ params }), 200);
    expect(proposal.status).toBe('published');
  });

  test('bulks of the same assets in other orders wait for each other and both succeed', async () => {
    const contracts = [];
    for (let count = 0; count < 12; count++) {
      contracts.push((await publishedAsset(world.producer)).contractId);
    }
    const itemsOf = (party: Party, ids: readonly string[]) =>
      ids.map((contract_id) => ({ contract_id, consumer_team_id: party.teamId }));
    const answers = await Promise.all([
      world.consumer.client.bulkRegistrations({
        body: { items: itemsOf(world.consumer, contracts) },
      }),
      world.other.client.bulkRegistrations({
        body: { items: itemsOf(world.other, contracts.toReversed()) },
      }),
    ]);
    expect(answers.map((answer) => must(answer, 200).succeeded)).toEqual([12, 12]);
  });
});

describe('partial', () => {
  test('each item takes effect on its own', async () => {
    const taken = await createAsset(world.producer);
    const owner_team_id = world.producer.teamId;
    const items = [
      { fqn: taken.fqn, owner_team_id },
      { fqn: fqn(), owner_team_id },
      { fqn: '', owner_team_id },
    ];
    const body = { mode: 'partial' as const, items };
    const answer = must(await world.producer.client.bulkAssets({ body }), 200);
    expect(answer).toMatchObject({ mode: 'partial', succeeded: 1, refused: 2 });
    expect(answer.results.map(({ status }) => status)).toEqual([409, 201, 400]);
    const id = String(answer.results[1]?.body.id);
    must(await world.admin.getAsset({ params: { asset_id: id } }), 200);
  });
});

async function reasonsOfDenials() {
  const query = { event_type: 'auth.denied', limit: 100 } as const;
  const { results } = must(await world.admin.listEvents({ query }), 200);
  return results.map(({ metadata }) => metadata.reason);
}

test.each(['transaction', 'partial'])(
  'mode %s: an item that is denied is in the audit trail, like a request',
  async (mode) => {
    const party = await openParty(world.admin, 'member');
    const taken = await createAsset(party);
    const items = [
      { fqn: taken.fqn, owner_team_id: party.teamId },
      { fqn: fqn(), owner_team_id: world.other.teamId },
    ];
    const before = await reasonsOfDenials();
    await send({ key: party.key, path: '/bulk/assets', body: { mode, items } });
    const [reason, ...others] = await reasonsOfDenials();
    expect(reason).toMatch(/^Item 1: /);
    expect(others).toEqual(before);
  },
);

test('a bulk of names that were deleted before locks their assets in one order', async () => {
  const gone = [await createAsset(world.producer), await createAsset(world.producer)];
  for (const { id } of gone) {
    must(await world.producer.client.deleteAsset({ params: { asset_id: id } }), 204);
  }
  const [first, second] = gone.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (first === undefined || second === undefined) throw new Error('There are two.');
  const other = new Client({ connectionString: registry.database.url });
  await other.connect();
  try {
    // Somebody who locks both, in the order of ids, and has come to the first one.
    await other.query('begin');
    await other.query(`select id from asset where id = '${first.id}' for update`);
    const owner_team_id = world.producer.teamId;
    const items = [second, first].map(({ fqn }) => ({ fqn, owner_team_id }));
    const bulk = world.producer.client.bulkAssets({ body: { items } });
    await expect
      .poll(async () => {
        const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return (await registry.database.query(waiting)).length;
      })
      .toBe(1);
    await other.query(`select id from asset where id = '${second.id}' for update nowait`);
    await other.query('rollback');
    expect(must(await bulk, 200).succeeded).toBe(2);
  } finally {
    await other.end();
  }
});

describe('a repeated Idempotency-Key', () => {
  test.each(['transaction', 'partial'])('in mode %s gets the first answer', async (mode) => {
    const items = [
      { fqn: fqn(), owner_team_id: world.producer.teamId },
      { fqn: fqn(), owner_team_id: world.producer.teamId },
    ];
    const sent = {
      key: world.producer.key,
      path: '/bulk/assets',
      body: { mode, items },
      idempotencyKey: uniqueName('k').replace(' ', '-'),
    };
    const first = await send(sent);
    const again = await send(sent);
    expect(first.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    const other = await send({ ...sent, body: { mode, items: items.slice(1) } });
    expect(other.status).toBe(422);
  });

  test('in mode partial does again only what was refused for a reason that may pass', async () => {
    const party = await openParty(world.admin, 'member');
    const other = await openParty(world.admin, 'second');
    const items = [
      { fqn: fqn(), owner_team_id: party.teamId },
      { fqn: fqn(), owner_team_id: other.teamId },
    ];
    const sent = {
      key: party.key,
      path: '/bulk/assets',
      body: { mode: 'partial', items },
      idempotencyKey: uniqueName('k').replace(' ', '-'),
    };
    const statusesOf = (text: string) =>
      JSON.parse(text).results.map((item: { status: number }) => item.status);
    const first = await send(sent);
    const again = await send(sent);
    // The first item was created once: its own answer is repeated, not "the name is taken".
    expect(statusesOf(first.text)).toEqual([201, 403]);
    expect(statusesOf(again.text)).toEqual([201, 403]);
    expect(again.headers.get('idempotency-replayed')).toBeNull();
    expect(JSON.parse(again.text).results[0]).toEqual(JSON.parse(first.text).results[0]);
  });
});

describe('limits', () => {
  test('a thousand items pass, and one more is refused before anything is written', async () => {
    const owner_team_id = world.producer.teamId;
    const items = Array.from({ length: 1001 }, () => ({ fqn: fqn(), owner_team_id }));
    const { client } = world.producer;
    mustRefuse(await client.bulkAssets({ body: { items } }), 400, 'VALIDATION_ERROR');
    const query = { fqn: items[0]?.fqn ?? '' };
    expect(must(await client.listAssets({ query }), 200).results).toEqual([]);
    const all = must(await client.bulkAssets({ body: { items: items.slice(1) } }), 200);
    expect(all.succeeded).toBe(1000);
  });

  test('each item counts for the rate limit, and a bulk past it is refused whole', async () => {
    const limited = await openRegistry({ RATE_LIMIT_WRITE: '10' });
    try {
      const { producer } = await openWorld(limited.url, limited.bootstrapKey);
      const itemsOf = (length: number) =>
        Array.from({ length }, () => ({ fqn: fqn(), owner_team_id: producer.teamId }));
      const sent = (length: number) => ({
        ...{ url: limited.url, key: producer.key, path: '/bulk/assets' },
        body: { items: itemsOf(length) },
      });
      const first = await send(sent(4));
      expect([first.status, first.headers.get('ratelimit-remaining')]).toEqual([200, '6']);
      const second = await send(sent(8));
      expect([second.status, JSON.parse(second.text).detail.code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await send(sent(5))).status).toBe(200);
      expect((await send(sent(1))).status).toBe(429);
    } finally {
      await limited.stop();
    }
  });
});

test('Items that a partial bulk does not reach in time are told apart, and a repeated request runs them alone', async () => {
  const app = await openApp();
  let stepMs = 0;
  let atMs = Date.now();
  const now = () => {
    atMs += stepMs;
    return new Date(atMs).toISOString();
  };
  const server = createApp({ ...app.deps, now }).listen(0, 'localhost');
  await once(server, 'listening');
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const { client, teamId } = await openParty(openClient(url, appKey), 'late');
  const names = [fqn(), fqn(), fqn()];
  const items = names.map((each) => ({ fqn: each, owner_team_id: teamId }));
  const body = { mode: 'partial', items };
  const sent = { key: appKey, path: '/bulk/assets', body, url, idempotencyKey: 'late' };
  // Each look at the clock takes as long as 20 seconds of work.
  stepMs = 20_000;
  const first = JSON.parse((await send(sent)).text);
  stepMs = 0;
  const statuses = first.results.map((each: { status: number }) => each.status);
  expect([statuses[0], statuses.at(-1)]).toEqual([201, 503]);
  expect(first.results.at(-1).body.detail).toMatchObject({
    code: 'REGISTRY_UNAVAILABLE',
    message: expect.stringContaining('was not tried'),
  });
  const listed = must(await client.listAssets(), 200).results.map((each) => each.fqn);
  expect(listed).not.toContain(names.at(-1));
  const again = JSON.parse((await send(sent)).text);
  expect(again).toMatchObject({ succeeded: 3, refused: 0 });
  expect(again.results[0]).toEqual(first.results[0]);
  server.closeAllConnections();
  server.close();
  await app.close();
});
