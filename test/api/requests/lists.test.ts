// Lists: pages, cursors, totals and order, which work alike everywhere; and the audit queries.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestClient } from '../../support/client/client.ts';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import {
  createAsset,
  issueKey,
  must,
  mustRefuse,
  openWorld,
  orderSchema,
  proposedAsset,
  publishOk,
  uniqueName,
  type World,
} from '../../support/client/client-world.ts';

let registry: TestRegistry;
let world: World;

/** At least this many of each kind. */
const made = 9;

beforeAll(async () => {
  registry = await openRegistry();
  world = await openWorld(registry.url, registry.bootstrapKey);
  for (let i = 0; i < made; i++) {
    await proposedAsset(world.producer, [world.consumer]);
    const team = must(await world.admin.createTeam({ body: { name: uniqueName('listed') } }), 201);
    await issueKey(world.admin, { team_id: team.id, scopes: ['read'] });
  }
});
afterAll(() => registry.stop());

interface Query {
  readonly page?: number;
  readonly page_size?: number;
  readonly cursor?: string;
  readonly include_total?: boolean;
}

interface Page {
  readonly results: readonly { readonly id: string }[];
  readonly total?: number | undefined;
  readonly page?: number | undefined;
  readonly page_size: number;
  readonly next_cursor: string | null;
}

type List = (client: TestClient, query: Query) => Promise<Page>;

const lists: readonly (readonly [string, List])[] = [
  ['/teams', async (client, query) => must(await client.listTeams({ query }), 200)],
  ['/api-keys', async (client, query) => must(await client.listApiKeys({ query }), 200)],
  ['/assets', async (client, query) => must(await client.listAssets({ query }), 200)],
  ['/contracts', async (client, query) => must(await client.listContracts({ query }), 200)],
  ['/registrations', async (client, query) => must(await client.listRegistrations({ query }), 200)],
  ['/proposals', async (client, query) => must(await client.listProposals({ query }), 200)],
];

describe.each(lists)('GET %s', (_path, list) => {
  test('returns page 1 of 20 with the total by default', async () => {
    const page = await list(world.admin, {});
    expect(page).toMatchObject({ page: 1, page_size: 20 });
    expect(page.results.length).toBe(Math.min(20, page.total ?? 0));
  });

  test('contains everything exactly once, by pages', async () => {
    const all = (await list(world.admin, { page_size: 100 })).results.map(({ id }) => id);
    const paged: string[] = [];
    for (let page = 1; paged.length < all.length; page++) {
      const { results } = await list(world.admin, { page, page_size: 3 });
      if (results.length === 0) break;
      paged.push(...results.map(({ id }) => id));
    }
    expect(paged).toEqual(all);
    expect(new Set(all).size).toBe(all.length);
  });

  test('contains everything exactly once, by cursor', async () => {
    const all = (await list(world.admin, { page_size: 100 })).results.map(({ id }) => id);
    const walked: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await list(world.admin, {
        page_size: 3,
        ...(cursor !== null && { cursor }),
      });
      expect(page.page).toBe(cursor === null ? 1 : undefined);
      walked.push(...page.results.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(walked).toEqual(all);
  });

  test('beyond the end is an empty page with the total', async () => {
    const page = await list(world.admin, { page: 1000 });
    expect(page).toMatchObject({ results: [], page: 1000, next_cursor: null });
    expect(page.total).toBeGreaterThanOrEqual(made);
  });

  test('omits the total if requested', async () => {
    expect('total' in (await list(world.admin, { include_total: false }))).toBe(false);
  });
});

/** All pages of a list, each of one row, by their cursors. */
async function byCursor<T>(
  list: (query: Query) => Promise<{ results: readonly T[]; next_cursor: string | null }>,
): Promise<readonly T[]> {
  const rows: T[] = [];
  for (let query: Query | null = { page_size: 1 }; query !== null; ) {
    const { results, next_cursor } = await list(query);
    rows.push(...results);
    query = next_cursor === null ? null : { page_size: 1, cursor: next_cursor };
  }
  return rows;
}

describe('Lists', () => {
  test('refuse a page_size above 100 instead of cutting it', async () => {
    const asked = await world.admin.listAssets({ query: { page_size: 101 } });
    expect(mustRefuse(asked, 400, 'VALIDATION_ERROR').field).toBe('page_size');
  });

  test('refuse the cursor of another list or another order', async () => {
    const { next_cursor } = must(await world.admin.listTeams({ query: { page_size: 1 } }), 200);
    const cursor = next_cursor ?? '';
    mustRefuse(await world.admin.listAssets({ query: { cursor } }), 400, 'VALIDATION_ERROR');
    const turned = await world.admin.listTeams({ query: { cursor, sort: 'name' } });
    mustRefuse(turned, 400, 'VALIDATION_ERROR');
  });

  test('of assets are sorted by FQN, or as requested', async () => {
    const fqns = async (sort?: 'fqn' | '-fqn' | 'created_at' | '-created_at') =>
      must(
        await world.admin.listAssets({ query: { ...(sort !== undefined && { sort }) } }),
        200,
      ).results.map((asset) => asset.fqn);
    const byName = await fqns();
    expect(byName).toEqual([...byName].sort());
    expect(await fqns('-fqn')).toEqual([...byName].reverse());
    expect((await fqns('-created_at')).reverse()).toEqual(await fqns('created_at'));
  });

  test('of keys are sorted by name, end and last use, and pages by cursor lose none', async () => {
    const { admin } = world;
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const { id: team_id } = must(
      await admin.createTeam({ body: { name: uniqueName('sorted') } }),
      201,
    );
    const issue = async (name: string, more: object) =>
      must(await admin.issueApiKey({ body: { name, team_id, scopes: ['read'], ...more } }), 201);
    const [b, c] = [await issue('b', { expires_at: day(9) }), await issue('C', {})];
    const [a, d] = [await issue('A', { expires_at: day(5) }), await issue('d', {})];
    for (const { id, at } of [
      { id: d.id, at: day(-2) },
      { id: a.id, at: day(-1) },
    ]) {
      await registry.database.query('update api_key set last_used_at = $1 where id = $2', [at, id]);
    }
    const ids = [b, c].map(({ id }) => id).sort();
    const noEnd = [c, d].map(({ id }) => id).sort();
    for (const [sort, expected] of [
      ['name', [a.id, b.id, c.id, d.id]],
      ['expires_at', [a.id, b.id, ...noEnd]],
      ['last_used_at', [...ids, d.id, a.id]],
    ] as const) {
      for (const [order, inOrder] of [
        [sort, expected],
        [`-${sort}`, [...expected].reverse()],
      ] as const) {
        const keys = await byCursor(async (query) =>
          must(await admin.listApiKeys({ query: { ...query, team_id, sort: order } }), 200),
        );
        // A key of all teams acts for this one, too.
        const own = keys.flatMap((key) => (key.team_id === team_id ? [key.id] : []));
        expect(own, order).toEqual(inOrder);
      }
    }
  });

  test('of users are sorted by name, whatever its capitals', async () => {
    const { admin } = world;
    const domain = `${uniqueName('d').replace(' ', '')}.example.com`;
    for (const name of ['beryl', 'Ada', 'Cleo']) {
      const body = { email: `${name.toLowerCase()}@${domain}`, name, role: 'viewer' } as const;
      must(await admin.createUser({ body }), 201);
    }
    const users = await byCursor(async (query) =>
      must(await admin.listUsers({ query: { ...query, sort: 'name' } }), 200),
    );
    const names = users.flatMap(({ email, name }) => (email?.endsWith(domain) ? [name] : []));
    expect(names).toEqual(['Ada', 'beryl', 'Cleo']);
  });

  test('of other objects are sorted newest first', async () => {
    const times = must(await world.admin.listProposals(), 200).results.map(
      (proposal) => proposal.proposed_at,
    );
    expect(times).toEqual([...times].sort().reverse());
  });

  test('by cursor neither lose nor repeat items while others are added', async () => {
    const first = must(
      await world.admin.listAssets({ query: { page_size: 3, sort: '-created_at' } }),
      200,
    );
    await createAsset(world.producer);
    const second = must(
      await world.admin.listAssets({
        query: { page_size: 3, sort: '-created_at', cursor: first.next_cursor ?? '' },
      }),
      200,
    );
    const ids = [...first.results, ...second.results].map((asset) => asset.id);
    expect(new Set(ids).size).toBe(6);
  });
});

describe('GET /audit/events', () => {
  test('returns the newest first, 50 by default, at most 100', async () => {
    const { results, total } = must(await world.admin.listEvents(), 200);
    expect(results).toHaveLength(50);
    expect(total).toBeGreaterThan(50);
    const times = results.map((event) => event.timestamp);
    expect(times).toEqual([...times].sort().reverse());
    const tooMany = await world.admin.listEvents({ query: { limit: 101 } });
    expect(mustRefuse(tooMany, 400, 'VALIDATION_ERROR').field).toBe('limit');
  });

  test('is paged by offset and by cursor alike', async () => {
    const query = { event_type: 'asset.created', limit: 3 } as const;
    const first = must(await world.admin.listEvents({ query }), 200);
    const byOffset = must(await world.admin.listEvents({ query: { ...query, offset: 3 } }), 200);
    const byCursor = must(
      await world.admin.listEvents({ query: { ...query, cursor: first.next_cursor ?? '' } }),
      200,
    );
    expect(byCursor.results).toEqual(byOffset.results);
    expect(byOffset.results).toHaveLength(3);
    expect(byOffset.results.some((event) => first.results.includes(event))).toBe(false);
  });

  test('filters by type, object, actor and time', async () => {
    const asset = await createAsset(world.producer);
    const [event] = must(
      await world.admin.listEvents({ query: { entity_id: asset.id } }),
      200,
    ).results;
    if (event === undefined) throw new Error('The asset has no event.');
    const earlier = new Date(Date.parse(event.timestamp) - 1).toISOString();
    const later = new Date(Date.parse(event.timestamp) + 1).toISOString();
    const entity_id = asset.id;
    const totalOf = async (query: Parameters<TestClient['listEvents']>[0]) =>
      must(await world.admin.listEvents(query), 200).total;
    expect(await totalOf({ query: { entity_id, event_type: 'asset.created' } })).toBe(1);
    expect(await totalOf({ query: { entity_id, event_type: 'asset.deleted' } })).toBe(0);
    expect(await totalOf({ query: { entity_id, entity_type: 'team' } })).toBe(0);
    expect(await totalOf({ query: { entity_id, actor_id: event.actor_id } })).toBe(1);
    expect(await totalOf({ query: { entity_id, actor_id: asset.id } })).toBe(0);
    expect(await totalOf({ query: { entity_id, start_date: earlier, end_date: later } })).toBe(1);
    expect(await totalOf({ query: { entity_id, start_date: later } })).toBe(0);
    expect(await totalOf({ query: { entity_id, end_date: earlier } })).toBe(0);
  });

  test('accepts times in any offset', async () => {
    const asset = await createAsset(world.producer);
    const query = { entity_id: asset.id, start_date: '2020-01-01T00:00:00+14:00' };
    expect(must(await world.admin.listEvents({ query }), 200).total).toBe(1);
  });

  test.each([
    'yesterday',
    '2026-01-01',
    '2026-13-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-01:00',
  ])('refuses the date %s', async (start_date) => {
    mustRefuse(await world.admin.listEvents({ query: { start_date } }), 400, 'VALIDATION_ERROR');
  });

  test('an event is read with the request that caused it; an unknown one is 404', async () => {
    const [event] = must(await world.admin.listEvents(), 200).results;
    const read = await world.admin.getEvent({ params: { event_id: event?.id ?? '' } });
    expect(must(read, 200)).toEqual({ ...event, request_id: expect.any(String) });
    const params = { event_id: '0198c5a3-3c55-7e88-a1f0-2b8d4c6a9e61' };
    mustRefuse(await world.admin.getEvent({ params }), 404, 'EVENT_NOT_FOUND');
  });

  test('the pages of a history together contain all of it', async () => {
    const asset = await createAsset(world.producer);
    const params = { asset_id: asset.id };
    for (let i = 0; i < 5; i++) {
      const body = { metadata: { i } };
      must(await world.producer.client.updateAsset({ params, body }), 200);
    }
    await publishOk(world.producer.client, asset.id, { schema: orderSchema });
    const of = { entity_type: 'asset', entity_id: asset.id } as const;
    const first = must(
      await world.admin.listEntityHistory({ params: of, query: { limit: 4 } }),
      200,
    );
    const second = must(
      await world.admin.listEntityHistory({ params: of, query: { limit: 4, offset: 4 } }),
      200,
    );
    const types = [...first.results, ...second.results].map((event) => event.event_type);
    expect(types).toEqual([...Array(5).fill('asset.updated'), 'asset.created']);
    expect(first.total).toBe(6);
  });
});
