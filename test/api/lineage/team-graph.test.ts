// The graph of teams: which team uses whose data, with counts; its size depends on the number of
// teams.

import pg from 'pg';
import { describe, expect, test } from 'vitest';
import {
  createAsset,
  must,
  mustRefuse,
  openRegistryForFile,
  type Party,
  proposedAsset,
  publishedAsset,
  register,
  type World,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

type Query = NonNullable<Parameters<World['admin']['getTeamGraph']>[0]>['query'];

/** With a key that reads for one team, because the graph is visible to everybody. */
const graphOf = async (query: Query = {}) =>
  must(await world.other.client.getTeamGraph({ query }), 200);

const teamOf = ({ teamId, name }: Party, counts: Record<string, number>) => ({
  team_id: teamId,
  team_name: name,
  owned: 0,
  consumed: 0,
  pending: 0,
  ...counts,
});

describe('The graph of teams', { concurrent: false }, () => {
  test('is empty if nobody owns anything', async () => {
    expect(await graphOf()).toEqual({
      teams: [],
      lines: [],
      team_count: 0,
      line_count: 0,
      asset_count: 0,
      truncated: false,
    });
  });

  test('counts registrations, dependencies, and pending proposals', async () => {
    const { producer, consumer, other } = world;
    const asked = await proposedAsset(producer, [consumer]);
    const plain = await publishedAsset(producer, { environment: 'staging' });
    await register(consumer, plain.contractId);
    // A team's own asset counts as consumed, but gives no line to itself.
    const own = { contract_id: plain.contractId, consumer_team_id: producer.teamId };
    must(await producer.client.registerConsumer({ body: { ...own, allow_self: true } }), 201);
    const made = await createAsset(consumer);
    const again = await createAsset(consumer);
    for (const { id } of [made, again]) await dependOn(id, asked.assetId);
    await dependOn((await createAsset(other)).id, made.id);
    await leave(asked.contractId, plain.contractId);
    const [first, second, third] = [producer, consumer, other];
    expect(await graphOf()).toEqual({
      teams: [
        teamOf(first, { owned: 3, consumed: 1, pending: 1 }),
        teamOf(second, { owned: 2, consumed: 2 }),
        teamOf(third, { owned: 1 }),
      ].sort((a, b) => (a.team_name < b.team_name ? -1 : 1)),
      lines: [
        {
          from_team_id: producer.teamId,
          to_team_id: consumer.teamId,
          assets: 2,
          consumed: 2,
          dependencies: 2,
          pending: 1,
          examples: [
            { asset_id: asked.assetId, fqn: asked.fqn, proposal_id: asked.proposalId },
            { asset_id: plain.assetId, fqn: plain.fqn, proposal_id: null },
          ],
        },
        {
          from_team_id: consumer.teamId,
          to_team_id: other.teamId,
          assets: 1,
          consumed: 0,
          dependencies: 1,
          pending: 0,
          examples: [{ asset_id: made.id, fqn: made.fqn, proposal_id: null }],
        },
      ],
      team_count: 3,
      line_count: 2,
      asset_count: 6,
      truncated: false,
    });
  });

  test("can be restricted to a team's assets, and to an environment", async () => {
    const owned = await graphOf({ owner_team_id: world.consumer.teamId });
    expect(owned).toMatchObject({ team_count: 2, line_count: 1, asset_count: 2 });
    expect(owned.lines[0]).toMatchObject({ from_team_id: world.consumer.teamId, dependencies: 1 });
    const staged = await graphOf({ environment: 'staging' });
    expect(staged).toMatchObject({ team_count: 2, line_count: 1, asset_count: 1 });
    expect(staged.lines[0]).toMatchObject({ assets: 1, dependencies: 0, pending: 0 });
    const nobody = await graphOf({ owner_team_id: '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99' });
    expect(nobody).toMatchObject({ teams: [], lines: [], asset_count: 0 });
  });

  test('refuses unknown parameters, and requests without a key', async () => {
    const asked = await world.admin.getTeamGraph({ query: { owner_team_id: 'x' } });
    expect(mustRefuse(asked, 400, 'VALIDATION_ERROR').field).toBe('owner_team_id');
    const answer = await fetch(`${registry.url}/api/v1/graph?depth=3`, {
      headers: { authorization: `Bearer ${registry.bootstrapKey}` },
    });
    expect(answer.status).toBe(400);
    expect((await fetch(`${registry.url}/api/v1/graph`)).status).toBe(401);
  });

  test('is computed once at a time, and simultaneous requests share the result', async () => {
    const { database, url } = registry;
    const holder = new pg.Client(database.url);
    await holder.connect();
    // While this is held, a count is running.
    await holder.query('begin');
    await holder.query('lock table dependency in access exclusive mode');
    const asked = Array.from({ length: 20 }, () => graphOf());
    await expect
      .poll(async () => {
        const text = await (await fetch(`${url}/metrics`)).text();
        return Number(/^concordat_http_requests_in_flight (\d+)/m.exec(text)?.[1]);
      })
      .toBeGreaterThanOrEqual(asked.length);
    const waiting = await database.query(`select query ~ 'owned' as counts from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    await holder.query('rollback');
    await holder.end();
    expect(waiting).toEqual([{ counts: true }]);
    const [first, ...others] = await Promise.all(asked);
    expect(others).toEqual(others.map(() => first));
  });

  test('grows with teams, not assets, and is limited to 200 teams and 1,000 lines', async () => {
    await insertMany(250, 0, 2_000);
    const few = await graphOf();
    expect([few.teams.length, few.lines.length, few.truncated]).toEqual([200, 1_000, true]);
    expect(few.team_count).toBe(253);
    expect(few.line_count).toBeGreaterThan(1_000);
    // The line with a pending change stays, whatever the others weigh.
    expect(few.lines[0]).toMatchObject({ from_team_id: world.producer.teamId, pending: 1 });
    const shown = new Set(few.teams.map(({ team_id }) => team_id));
    expect(few.lines.every((line) => shown.has(line.from_team_id))).toBe(true);
    expect(few.lines.every((line) => shown.has(line.to_team_id))).toBe(true);
    await insertMany(250, 2_000, 22_000);
    const many = await graphOf();
    expect(many.asset_count).toBe(few.asset_count + 20_000);
    expect(many.lines.every(({ examples }) => examples.length <= 3)).toBe(true);
    expect(JSON.stringify(many).length).toBeLessThan(700_000);
  });
});

async function dependOn(assetId: string, dependsOnId: string): Promise<void> {
  const call = { params: { asset_id: assetId }, body: { depends_on_asset_id: dependsOnId } };
  must(await world.admin.addDependency(call), 201);
}

/** An ended registration and a deleted asset do not count. */
async function leave(...contractIds: readonly string[]): Promise<void> {
  for (const id of contractIds) {
    const { id: registration_id } = await register(world.other, id);
    must(await world.other.client.deleteRegistration({ params: { registration_id } }), 204);
  }
  const gone = await createAsset(world.producer);
  await createAsset(world.producer);
  must(await world.admin.deleteAsset({ params: { asset_id: gone.id } }), 204);
}

/** Assets of many teams, each with a registration of another team. */
async function insertMany(teams: number, from: number, to: number): Promise<void> {
  const anId = (text: string) =>
    `overlay(overlay(md5(${text}) placing '7' from 13) placing '8' from 17)::uuid`;
  const assets = `generate_series(${from + 1}, ${to}) i`;
  const team = (shift: string) => anId(`'many' || (i + ${shift}) % ${teams} + 1`);
  const { query } = registry.database;
  await query(`insert into team (id, name, slug, metadata, created_at, updated_at)
    select ${anId(`'many' || i`)}, 'Many ' || i, 'many-' || i, '{}', now(), now()
    from generate_series(1, ${teams}) i on conflict do nothing`);
  await query(`insert into asset (id, fqn, environment, owner_team_id, guarantee_mode,
      auto_publish, metadata, tags, search_text, created_at, updated_at)
    select ${anId(`'asset' || i`)}, 'many.table_' || i, 'production', ${team('0')},
      'notify', false, '{}', '{}', '', now(), now() from ${assets}`);
  await query(`insert into contract (id, asset_id, ordinal, version, status, schema,
      schema_digest, compatibility_mode, format, direction, change_type, published_at,
      published_by, actor_type, actor_id, actor_name, source)
    select ${anId(`'contract' || i`)}, ${anId(`'asset' || i`)}, 1, '1.0.0', 'active', '{}',
      repeat('0', 64), 'backward', 'jsonschema', 'data', 'initial', now(), ${team('0')},
      'system', gen_random_uuid(), 'system', 'api' from ${assets}`);
  await query(`insert into registration (id, asset_id, contract_id, registered_version,
      consumer_team_id, status, source, actor_type, actor_id, actor_name, created_at, updated_at)
    select gen_random_uuid(), ${anId(`'asset' || i`)}, ${anId(`'contract' || i`)}, '1.0.0',
      ${team('1 + i / 250 % 40')}, 'active', 'api', 'system', gen_random_uuid(), 'system', now(),
      now() from ${assets}`);
}
