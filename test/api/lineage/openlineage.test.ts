// Events of OpenLineage, as its clients post them: they add to what a team was found to read, in any
// order, and excuse nobody.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestClient } from '../../support/client/client.ts';
import {
  createAsset,
  issueKey,
  must,
  mustRefuse,
  narrowerSchema,
  openRegistryForFile,
  orderSchema,
  publish,
  publishOk,
  uniqueName,
  widerSchema,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();
const { producer, consumer, other, admin } = world;

type LineageEvent = Parameters<TestClient['recordLineage']>[0]['body'];

const namespace = 'postgres://shop';

/** An event whose lineage names all columns that the job reads. */
function eventOf(
  fqn: string,
  columns: readonly string[],
  more: Partial<LineageEvent> & { readonly runId?: string } = {},
): LineageEvent {
  const { runId = 'one', ...others } = more;
  const transformations = [{ type: 'DIRECT', subtype: 'IDENTITY' }];
  const inputFields = columns.map((field) => ({ namespace, name: fqn, field, transformations }));
  const columnLineage = { fields: { total: { inputFields } }, dataset: [] };
  return {
    ...{ eventTime: '2026-11-27T08:00:00Z', eventType: 'COMPLETE', run: { runId } },
    job: { namespace: 'etl', name: 'daily totals' },
    inputs: [{ namespace, name: fqn }],
    outputs: [{ namespace, name: 'shop.marts.totals', facets: { columnLineage } }],
    ...others,
  };
}

/** An event that says nothing of columns. */
const vague = (fqn: string, more: Partial<LineageEvent> = {}) =>
  eventOf(fqn, [], { outputs: [], ...more });

const send = async (body: LineageEvent, client = consumer.client) =>
  must(await client.recordLineage({ body }), 200).results;

async function published(more = {}) {
  const asset = await createAsset(producer, more);
  const contractId = await publishOk(producer.client, asset.id, { schema: orderSchema });
  return { ...asset, contractId };
}

/** The consumer has stated that it reads the id. */
async function readBy(needs = { fields: ['$.id'] }) {
  const asset = await published();
  const body = { contract_id: asset.contractId, consumer_team_id: consumer.teamId, needs };
  const { id } = must(await consumer.client.registerConsumer({ body }), 201);
  return { ...asset, params: { registration_id: id } };
}

async function foundOf(params: { registration_id: string }) {
  return must(await admin.getRegistration({ params }), 200).found_needs;
}

const breakIt = (assetId: string) => publish(producer.client, assetId, { schema: narrowerSchema });

describe('An event', () => {
  test('makes a team that reads an asset its consumer, and keeps what its job reads', async () => {
    const { fqn, id } = await published();
    const [result] = await send(eventOf(fqn.toUpperCase(), ['ID', 'TOTAL']));
    expect(result).toEqual({
      ...{ asset_fqn: fqn, outcome: 'registered', fields: ['$.id', '$.total'] },
      registration_id: expect.any(String),
    });
    const found = await foundOf({ registration_id: result?.registration_id ?? '' });
    expect(found?.places).toEqual([
      {
        ...{ origin: 'openlineage', source: 'etl', place: 'etl/daily totals' },
        ...{ fields: ['$.id', '$.total'], last_seen_at: expect.any(String) },
      },
    ]);
    expect(await breakIt(id)).toMatchObject({ action: 'proposal_created' });
  });

  test('asks a team of which more was found than it has stated', async () => {
    const { fqn, id } = await readBy();
    expect((await send(eventOf(fqn, ['total'])))[0]?.outcome).toBe('kept');
    expect(await breakIt(id)).toMatchObject({ action: 'proposal_created' });
  });

  test('asks a team that was excused, while the proposal is open', async () => {
    const { fqn, id, contractId } = await readBy();
    const body = { contract_id: contractId, consumer_team_id: other.teamId };
    must(await other.client.registerConsumer({ body }), 201);
    const proposed = await breakIt(id);
    if (proposed.action !== 'proposal_created') throw new Error(proposed.action);
    const params = { proposal_id: proposed.proposal.id ?? '' };
    const asked = async () =>
      must(await admin.getProposal({ params }), 200).consumers.map(({ team_id }) => team_id);
    expect(await asked()).toEqual([other.teamId]);
    await send(eventOf(fqn, ['total']));
    expect((await asked()).toSorted()).toEqual([consumer.teamId, other.teamId].toSorted());
  });

  test('that names no columns says that the job reads everything, unless the job only starts', async () => {
    const { fqn, params } = await readBy();
    expect(await send(vague(fqn, { eventType: 'START' }))).toEqual([]);
    expect(await foundOf(params)).toBeUndefined();
    expect((await send(vague(fqn)))[0]?.fields).toBeNull();
    expect((await foundOf(params))?.fields).toBeNull();
  });

  test('of the client of dbt is taken as it was written', async () => {
    const file = join(import.meta.dirname, '../../fixtures/openlineage/dbt-ol.ndjson');
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    const fqns: string[] = [];
    for (const line of lines) {
      const headers = {
        authorization: `Bearer ${consumer.key}`,
        'content-type': 'application/json',
      };
      const url = `${registry.url}/api/v1/lineage/openlineage`;
      const answer = await fetch(url, { method: 'POST', headers, body: line });
      expect(answer.status).toBe(200);
      const parsed = (await answer.json()) as { results: { asset_fqn: string; outcome: string }[] };
      fqns.push(...parsed.results.map((each) => `${each.asset_fqn} ${each.outcome}`));
    }
    expect(new Set(fqns)).toContain('shop.raw.orders unknown_asset');
  });

  test('names what is skipped: unknown assets, those without a contract, and the own ones', async () => {
    const [own, empty] = [await published(), await createAsset(other)];
    const unknown = `${uniqueName('shop').replaceAll(' ', '_')}.nobody.has`.toLowerCase();
    const inputs = [own.fqn, empty.fqn, unknown].map((name) => ({ namespace, name }));
    const results = await send(vague(own.fqn, { inputs }), producer.client);
    const outcomes = results.map(({ asset_fqn, outcome }) => [asset_fqn, outcome]);
    expect(Object.fromEntries(outcomes)).toEqual({
      ...{ [own.fqn]: 'own_asset', [empty.fqn]: 'no_contract', [unknown]: 'unknown_asset' },
    });
  });

  test('that reads an archived contract too still registers what else it reads', async () => {
    const [gone, other] = [await published(), await published()];
    const params = { contract_id: gone.contractId };
    must(await producer.client.updateContract({ params, body: { status: 'archived' } }), 200);
    const inputs = [gone.fqn, other.fqn].map((name) => ({ namespace, name }));
    const results = await send(vague(gone.fqn, { inputs }));
    const outcomes = results.map(({ asset_fqn, outcome }) => [asset_fqn, outcome]);
    expect(Object.fromEntries(outcomes)).toEqual({
      ...{ [gone.fqn]: 'no_contract', [other.fqn]: 'registered' },
    });
  });

  test('finds an asset whose name has capitals, unless another one is written alike', async () => {
    const name = uniqueName('warehouse').replaceAll(' ', '_').toLowerCase();
    const upper = await published({ fqn: `${name}.RAW.Orders` });
    const event = eventOf(`${name}.raw.ORDERS`, ['ID']);
    const [found, ...others] = await send(event);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ asset_fqn: upper.fqn, outcome: 'registered', fields: ['$.id'] });
    const lower = await published({ fqn: `${name}.raw.orders` });
    expect(await send(event)).toMatchObject([{ asset_fqn: lower.fqn, outcome: 'registered' }]);
  });

  test('makes a team that ended its registration a consumer again, which is asked', async () => {
    const { id, params, fqn } = await readBy();
    const ended = { status: 'inactive' as const };
    must(await consumer.client.updateRegistration({ params, body: ended }), 200);
    await publishOk(producer.client, id, { schema: widerSchema });
    const read = () => send(eventOf(fqn, ['id', 'total']));
    expect(await read()).toMatchObject([{ outcome: 'registered' }]);
    expect(await read()).toMatchObject([{ outcome: 'kept' }]);
    expect(must(await admin.getRegistration({ params }), 200)).toMatchObject({
      status: 'active',
      contract_version: '1.1.0',
    });
    expect((await breakIt(id)).action).toBe('proposal_created');
  });

  test('keeps a registration that would end, because the last object for it was deleted', async () => {
    const { params, fqn } = await readBy();
    await registry.database.query(
      `update registration set ends_at = '2099-01-01' where id = '${params.registration_id}'`,
    );
    expect(await send(eventOf(fqn, ['id']))).toMatchObject([{ outcome: 'kept' }]);
    expect(must(await admin.getRegistration({ params }), 200).ends_at).toBeUndefined();
  });

  test('about a dataset alone reads nothing, and one that is none is refused', async () => {
    const eventTime = '2026-11-27T08:00:00Z';
    const dataset = { namespace, name: 'shop.raw.orders' };
    expect(await send({ eventTime, dataset })).toEqual([]);
    for (const body of [{ eventTime }, { eventTime, job: { namespace: 'etl' } }]) {
      mustRefuse(await consumer.client.recordLineage({ body }), 400, 'VALIDATION_ERROR');
    }
  });
});

describe('Events', () => {
  test('in any order, twice, and from the future, leave the same', async () => {
    const times = ['2026-11-27T08:00:00Z', '2026-11-26T08:00:00Z', '2999-01-01T00:00:00Z'];
    const of = (fqn: string) => [
      vague(fqn, { eventType: 'START', eventTime: times[0] ?? '' }),
      eventOf(fqn, ['id'], { eventTime: times[1] ?? '' }),
      eventOf(fqn, ['total'], { eventTime: times[2] ?? '', runId: 'two' }),
      eventOf(fqn, ['id'], { eventTime: times[0] ?? '', runId: 'three' }),
    ];
    const orders = [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [2, 2, 0, 3, 1, 0, 1],
    ];
    for (const order of orders) {
      const { fqn, params } = await readBy();
      const before = Date.now();
      for (const index of order) await send(of(fqn)[index] ?? vague(fqn));
      const found = await foundOf(params);
      expect(found?.fields, order.join()).toEqual(['$.id', '$.total']);
      // The time is the registry's own.
      const seen = Date.parse(found?.places[0]?.last_seen_at ?? '');
      expect(Math.abs(seen - before)).toBeLessThan(3_600_000);
    }
  });

  test('of jobs with a new name for each run are taken however many there were', async () => {
    const [{ fqn, params }, other] = [await readBy(), await published()];
    const places = Array.from({ length: 1_000 }, (_, run) => ({
      ...{ place: `etl/totals of run ${run}`, fields: ['$.id'] },
    }));
    const body = { origin: 'openlineage', source: 'etl', places } as const;
    must(await consumer.client.findNeeds({ params, body }), 200);
    const inputs = [fqn, other.fqn].map((name) => ({ namespace, name }));
    const results = await send(eventOf(fqn, ['total'], { inputs }));
    expect(results.map(({ outcome }) => outcome).toSorted()).toEqual(['kept', 'registered']);
    // Together they still read what each of them reads.
    expect(await foundOf(params)).toMatchObject({
      fields: ['$.id', '$.total'],
      places: [{ place: 'all jobs of etl', fields: ['$.id', '$.total'] }],
    });
    await send(eventOf(fqn, ['total']));
    expect((await foundOf(params))?.places).toHaveLength(1);
  });

  test('of the same content write nothing again', async () => {
    const { fqn, params } = await readBy();
    await send(eventOf(fqn, ['total']));
    const before = await foundOf(params);
    await send(eventOf(fqn, ['total']));
    await send(eventOf(fqn, ['total'], { runId: 'two' }));
    expect(await foundOf(params)).toEqual(before);
    const { results } = must(
      await admin.listEntityHistory({
        params: { entity_type: 'registration', entity_id: params.registration_id },
      }),
      200,
    );
    const types = results.map(({ event_type }) => event_type);
    expect(types.filter((type) => type === 'registration.needs_found')).toHaveLength(1);
  });
});

describe('Nobody narrows by events what a team was found to read', () => {
  const narrow = (fqn: string) => eventOf(fqn, ['id'], { runId: 'later' });

  test('not the producer, for the consumer', async () => {
    const { fqn, params } = await readBy();
    await send(eventOf(fqn, ['total']));
    const query = { team_id: consumer.teamId };
    const sent = await producer.client.recordLineage({ query, body: narrow(fqn) });
    mustRefuse(sent, 403, 'FORBIDDEN');
    expect((await foundOf(params))?.fields).toEqual(['$.total']);
  });

  test('not a key that writes for all teams', async () => {
    const { fqn, params, id } = await readBy();
    await send(eventOf(fqn, ['total']));
    const ci = admin.as(await issueKey(admin, { all_teams: true, scopes: ['read', 'write'] }));
    mustRefuse(await ci.recordLineage({ body: narrow(fqn) }), 400, 'VALIDATION_ERROR');
    const query = { team_id: consumer.teamId };
    for (const body of [narrow(fqn), vague(fqn, { inputs: [] }), eventOf(fqn, [])]) {
      must(await ci.recordLineage({ query, body }), 200);
    }
    expect((await foundOf(params))?.fields).not.toEqual(['$.id']);
    expect(await breakIt(id)).toMatchObject({ action: 'proposal_created' });
  });

  test('not an administrator, and not the team itself', async () => {
    const { fqn, params, id } = await readBy();
    await send(eventOf(fqn, ['total']));
    await send(narrow(fqn));
    must(
      await admin.recordLineage({ query: { team_id: consumer.teamId }, body: narrow(fqn) }),
      200,
    );
    expect((await foundOf(params))?.fields).toEqual(['$.id', '$.total']);
    expect(await breakIt(id)).toMatchObject({ action: 'proposal_created' });
  });

  test('not by the name of a job that others have', async () => {
    const { fqn, id } = await readBy();
    await send(eventOf(fqn, ['total']));
    expect((await send(narrow(fqn), other.client))[0]?.outcome).toBe('registered');
    const proposed = await breakIt(id);
    if (proposed.action !== 'proposal_created') throw new Error(proposed.action);
    const params = { proposal_id: proposed.proposal.id ?? '' };
    const asked = must(await admin.getProposal({ params }), 200).consumers;
    expect(asked.map(({ team_id }) => team_id)).toContain(consumer.teamId);
  });

  test('the team that answers for it takes it back by a report of the source', async () => {
    const { fqn, params } = await readBy();
    await send(eventOf(fqn, ['total']));
    const body = { origin: 'openlineage', source: 'etl', places: [] } as const;
    must(await consumer.client.findNeeds({ params, body: { ...body, places: [] } }), 200);
    expect(await foundOf(params)).toBeUndefined();
  });
});

test('an event of a team that does not exist is refused', async () => {
  const query = { team_id: '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c99' };
  const body = vague('shop.raw.orders');
  mustRefuse(await admin.recordLineage({ query, body }), 404, 'TEAM_NOT_FOUND');
});
