// What was found that a team reads: it adds to whom a change asks, and excuses nobody.

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
  type Party,
  publish,
  publishOk,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();
const { producer, consumer, admin } = world;

type Report = Parameters<TestClient['findNeeds']>[0]['body'];
type Needs = NonNullable<Parameters<TestClient['registerConsumer']>[0]['body']['needs']>;

const readsId: Needs = { fields: ['$.id'] };

/** An asset whose only consumer has stated this need. */
const fresh = { freshness: { max_staleness_minutes: 60 } };

async function readBy(needs: Needs | null) {
  const asset = await createAsset(producer);
  const first = { schema: orderSchema, guarantees: fresh };
  const contract_id = await publishOk(producer.client, asset.id, first);
  const published = { assetId: asset.id, fqn: asset.fqn, contractId: contract_id };
  const body = { contract_id, consumer_team_id: consumer.teamId, ...(needs && { needs }) };
  const { id } = must(await consumer.client.registerConsumer({ body }), 201);
  return { ...published, params: { registration_id: id } };
}

type Params = Parameters<TestClient['findNeeds']>[0]['params'];

function report(places: Report['places'], more: Partial<Report> = {}): Report {
  return { origin: 'dbt', source: 'analytics', places, ...more };
}

const at = (place: string, fields: readonly string[] | null) => ({
  place,
  fields: fields === null ? null : [...fields],
});

async function find(params: Params, body: Report, client: TestClient = consumer.client) {
  return must(await client.findNeeds({ params, body }), 200);
}

async function registrationOf(params: Params) {
  return must(await admin.getRegistration({ params }), 200);
}

/** A break of `$.total`. */
const breakIt = (assetId: string) => publish(producer.client, assetId, { schema: narrowerSchema });

async function proposalOf(assetId: string) {
  const result = await breakIt(assetId);
  if (result.action !== 'proposal_created') throw new Error(JSON.stringify(result));
  const id = result.proposal.id ?? '';
  return must(await admin.getProposal({ params: { proposal_id: id } }), 200);
}

/** A key of CI: it writes for every team, and answers for none. */
async function aKeyOfCi(): Promise<TestClient> {
  return admin.as(await issueKey(admin, { all_teams: true, scopes: ['read', 'write'] }));
}

describe('What was found', () => {
  test('is kept with its places and the time, and an event names both digests', async () => {
    const { params } = await readBy(readsId);
    const places = [at('models/a.sql', ['$.total', '$.id']), at('models/b.sql', ['$.id'])];
    const { found_needs: found, needs } = await find(params, report(places));
    expect(needs).toMatchObject({ stated: readsId, status: 'met' });
    expect(found).toMatchObject({
      fields: ['$.id', '$.total'],
      places: [
        { origin: 'dbt', source: 'analytics', place: 'models/a.sql', fields: ['$.id', '$.total'] },
        { place: 'models/b.sql', fields: ['$.id'], last_seen_at: expect.any(String) },
      ],
    });
    expect((await registrationOf(params)).found_needs).toEqual(found);
    const query = {
      entity_id: params.registration_id,
      event_type: 'registration.needs_found',
    } as const;
    const [event] = must(await admin.listEvents({ query }), 200).results;
    expect(event).toMatchObject({
      metadata: { from: null, to: found?.digest, origin: 'dbt', source: 'analytics', fields: 2 },
    });
  });

  test('has another digest only if the fields are others', async () => {
    const { params } = await readBy(null);
    const first = await find(params, report([at('a', ['$.id']), at('b', ['$.total'])]));
    const moved = await find(params, report([at('c', ['$.total', '$.id'])]));
    expect(moved.found_needs?.digest).toBe(first.found_needs?.digest);
    expect(moved.found_needs?.places.map(({ place }) => place)).toEqual(['c']);
    const other = await find(params, report([at('c', ['$.total'])]));
    expect(other.found_needs?.digest).not.toBe(first.found_needs?.digest);
    const gone = await find(params, report([]));
    expect(gone.found_needs).toBeUndefined();
  });

  test('of one source does not replace that of another', async () => {
    const { params } = await readBy(null);
    await find(params, report([at('a', ['$.id'])]));
    await find(params, report([at('a', ['$.total'])], { source: 'finance' }));
    const found = await find(params, report([at('q', ['$.note'])], { origin: 'sql' }));
    expect(found.found_needs?.fields).toEqual(['$.id', '$.note', '$.total']);
  });

  test('is refused if it is too much to be stated', async () => {
    const { params } = await readBy(null);
    const many = Array.from({ length: 6_000 }, (_, index) => `$.f${index}`);
    await find(params, report([at('a', many)]));
    const more = report([at('a', many)], { source: 'finance' });
    const refused = await consumer.client.findNeeds({ params, body: more });
    expect(mustRefuse(refused, 400, 'VALIDATION_ERROR').field).toBe('places');
  });
});

describe('A breaking change', () => {
  test('asks a team of which more was found than it has stated', async () => {
    const { assetId, params } = await readBy(readsId);
    await find(params, report([at('a', ['$.total'])]));
    const proposal = await proposalOf(assetId);
    expect(proposal.consumers).toMatchObject([
      { team_id: consumer.teamId, verdict: 'breaks', path: '$.total' },
    ]);
    const query = { consumer_team_id: consumer.teamId, awaiting: true };
    const waiting = must(await consumer.client.listProposals({ query }), 200).results;
    expect(waiting.map(({ id }) => id)).toContain(proposal.id);
  });

  test('asks a team that was found to read the field in other letters', async () => {
    const { assetId, params } = await readBy(readsId);
    await find(params, report([at('a', ['$.id', '$.Total'])]));
    const [asked] = (await proposalOf(assetId)).consumers;
    expect(asked).toMatchObject({ verdict: 'breaks', path: '$.total' });
  });

  test('asks nobody if neither the need nor what was found is affected', async () => {
    const { assetId, params } = await readBy(readsId);
    // The contract has no such field, so the change cannot take it away.
    await find(params, report([at('a', ['$.id', '$.not_there'])]));
    expect((await breakIt(assetId)).action).toBe('published');
  });

  test('asks a team without a need, whatever was found', async () => {
    const { assetId, params } = await readBy(null);
    await find(params, report([at('a', ['$.id'])]));
    expect((await proposalOf(assetId)).consumers).toMatchObject([{ team_id: consumer.teamId }]);
  });

  test.each([
    ['reads everything', null],
    ['reads only fields that the contract does not have', ['$.not_there']],
  ])('asks a team that has stated a need, where a place %s', async (_, fields) => {
    const { assetId, params } = await readBy(readsId);
    await find(params, report([at('a', fields)]));
    expect((await proposalOf(assetId)).consumers).toMatchObject([
      { team_id: consumer.teamId, verdict: 'may_break' },
    ]);
  });

  test('relies on no guarantee for what was found', async () => {
    const { id: assetId } = await createAsset(producer, { guarantee_mode: 'strict' });
    const guarantees = { ...fresh, volume: { min_rows: 1 } };
    const first = { schema: orderSchema, guarantees };
    const contract_id = await publishOk(producer.client, assetId, first);
    const needs = { ...readsId, guarantees: ['freshness'] };
    const body = { contract_id, consumer_team_id: consumer.teamId, needs };
    const { id } = must(await consumer.client.registerConsumer({ body }), 201);
    await find({ registration_id: id }, report([at('a', ['$.id'])]));
    const less = { schema: orderSchema, guarantees: fresh };
    const lost = await publish(producer.client, assetId, less);
    expect(lost.action).toBe('published');
  });

  test('is answered by the impact with the origin of the verdict', async () => {
    const { assetId, params } = await readBy(readsId);
    const impactOn = async () => {
      const body = { proposed_schema: narrowerSchema };
      const asked = await producer.client.assessImpact({ params: { asset_id: assetId }, body });
      return must(asked, 200).consumers;
    };
    expect(await impactOn()).toMatchObject([{ verdict: 'unaffected', origin: 'declared' }]);
    await find(params, report([at('a', ['$.total'])]));
    expect(await impactOn()).toMatchObject([
      { verdict: 'breaks', path: '$.total', origin: 'found' },
    ]);
  });

  test('asks a team that was excused, when something is found while the proposal is open', async () => {
    const { assetId, params, contractId } = await readBy(readsId);
    const other = { contract_id: contractId, consumer_team_id: world.other.teamId };
    must(await world.other.client.registerConsumer({ body: other }), 201);
    const { id } = await proposalOf(assetId);
    const proposal = async () =>
      must(await admin.getProposal({ params: { proposal_id: id } }), 200);
    const names = async () => (await proposal()).consumers.map(({ team_id }) => team_id);
    expect(await names()).toEqual([world.other.teamId]);
    const answer = { params: { proposal_id: id }, body: {} };
    must(await world.other.client.acknowledgeProposal(answer), 200);
    expect((await proposal()).can_publish).toBe(true);
    await find(params, report([at('a', ['$.total'])]));
    expect(await names()).toContain(consumer.teamId);
    const tried = await producer.client.publishProposal({ params: { proposal_id: id } });
    mustRefuse(tried, 409, 'PROPOSAL_NOT_READY');
    await find(params, report([at('a', ['$.id'])]));
    expect(await names()).toEqual([world.other.teamId]);
  });
});

describe('A compatible change of an asset', () => {
  /** The only consumer has stated no need; mode none lets `$.total` go without a break. */
  async function loose(needs_mode: 'narrow' | 'protect', fields: readonly string[] | null) {
    const { id: assetId } = await createAsset(producer, { needs_mode });
    const first = { schema: orderSchema, compatibility_mode: 'none' as const };
    const contract_id = await publishOk(producer.client, assetId, first);
    const body = { contract_id, consumer_team_id: consumer.teamId };
    const { id } = must(await consumer.client.registerConsumer({ body }), 201);
    await find({ registration_id: id }, report([at('a', fields)]));
    return { assetId, params: { registration_id: id } };
  }

  test('that protects its readers asks a team of which the field was only found', async () => {
    const { assetId, params } = await loose('protect', ['$.total']);
    const proposal = await proposalOf(assetId);
    expect(proposal).toMatchObject({
      change_type: 'major',
      consumers: [{ team_id: consumer.teamId, verdict: 'breaks', path: '$.total' }],
    });
    // What is found while the proposal is open counts at once.
    await find(params, report([at('a', ['$.id'])]));
    const { id } = proposal;
    const now = must(await admin.getProposal({ params: { proposal_id: id } }), 200);
    expect(now).toMatchObject({ consumers: [], can_publish: true });
  });

  test('that protects its readers asks a team that was found to read everything', async () => {
    const { assetId } = await loose('protect', null);
    expect((await proposalOf(assetId)).consumers).toMatchObject([{ verdict: 'may_break' }]);
  });

  test('that protects its readers asks a team that was found to read everything about a type that becomes wider', async () => {
    const { assetId } = await loose('protect', null);
    const { id, total } = orderSchema.properties;
    const more = { ...orderSchema, properties: { id, total, note: { type: 'string' } } };
    const added = await publish(producer.client, assetId, { schema: more });
    expect(added.action).toBe('published');
    const wider = { type: ['number', 'string'] };
    const schema = { ...more, properties: { ...more.properties, total: wider } };
    const widened = await publish(producer.client, assetId, { schema });
    expect(widened).toMatchObject({
      action: 'proposal_created',
      proposal: { change_type: 'minor', total_consumers: 1 },
    });
  });

  test('that protects its readers asks nobody if another field was found', async () => {
    const { assetId } = await loose('protect', ['$.id']);
    expect((await breakIt(assetId)).action).toBe('published');
  });

  test('tells the team of which the field was found, and impact says so before', async () => {
    const { assetId } = await loose('narrow', ['$.total']);
    const body = { proposed_schema: narrowerSchema };
    const asked = await producer.client.assessImpact({ params: { asset_id: assetId }, body });
    const broken = { verdict: 'breaks', path: '$.total' };
    expect(must(asked, 200).consumers).toMatchObject([{ origin: 'found', ...broken }]);
    expect((await breakIt(assetId)).action).toBe('published');
    const query = { asset_id: assetId, event_type: 'contract.published' } as const;
    const [event] = must(await admin.listEvents({ query }), 200).results;
    const affected = [{ team_id: consumer.teamId, need: null, ...broken }];
    expect(event?.metadata).toMatchObject({ affected });
  });
});

test('What is found of a team that ended its registration makes it a consumer again, and asks it', async () => {
  const { assetId, params } = await readBy(readsId);
  const ended = { status: 'inactive' as const };
  must(await consumer.client.updateRegistration({ params, body: ended }), 200);
  // Nothing was found: it stays ended.
  expect((await find(params, report([]))).status).toBe('inactive');
  expect((await find(params, report([at('a.sql', ['$.total'])]))).status).toBe('active');
  expect((await proposalOf(assetId)).consumers).toMatchObject([{ team_id: consumer.teamId }]);
});

describe('Who answers for no team', () => {
  test('adds to what was found, and takes nothing from it', async () => {
    const { assetId, params } = await readBy(readsId);
    await find(params, report([at('a', ['$.total']), at('b', ['$.note'])]));
    const ci = await aKeyOfCi();
    const { found_needs: found } = await find(params, report([at('a', ['$.id'])]), ci);
    expect(found?.fields).toEqual(['$.id', '$.note', '$.total']);
    await find(params, report([]), ci);
    await find(params, report([at('a', [])]), ci);
    expect((await registrationOf(params)).found_needs?.digest).toBe(found?.digest);
    expect((await proposalOf(assetId)).consumers).toHaveLength(1);
  });

  test('leaves a place that reads everything as it is', async () => {
    const { params } = await readBy(readsId);
    await find(params, report([at('a', null)]));
    const { found_needs: found } = await find(params, report([at('a', [])]), await aKeyOfCi());
    expect(found?.fields).toBeNull();
  });

  test('confirms nothing', async () => {
    const { params } = await readBy(null);
    const ci = await aKeyOfCi();
    const { found_needs: found } = await find(params, report([at('a', ['$.id'])]), ci);
    const confirmed = await ci.confirmNeeds({ params, body: { digest: found?.digest ?? '' } });
    mustRefuse(confirmed, 403, 'FORBIDDEN');
    expect((await registrationOf(params)).needs).toBeUndefined();
  });
});

test('a producer neither adds to what was found of a consumer, nor confirms it', async () => {
  const { params } = await readBy(null);
  const body = report([at('a', ['$.id'])]);
  mustRefuse(await producer.client.findNeeds({ params, body }), 403, 'FORBIDDEN');
  const { found_needs } = await find(params, body);
  const confirmed = { params, body: { digest: found_needs?.digest ?? '' } };
  mustRefuse(await producer.client.confirmNeeds(confirmed), 403, 'FORBIDDEN');
});

describe('To confirm', () => {
  async function confirm(params: Params, digest: string | undefined, party: Party = consumer) {
    return party.client.confirmNeeds({ params, body: { digest: digest ?? '' } });
  }

  test('states the found fields that the contract has, and then only they are asked about', async () => {
    const { assetId, params } = await readBy(null);
    const found = await find(params, report([at('a', ['$.not_there', '$.id'])]));
    const { needs } = must(await confirm(params, found.found_needs?.digest), 200);
    expect(needs).toMatchObject({ stated: { fields: ['$.id'] }, status: 'met' });
    expect((await breakIt(assetId)).action).toBe('published');
  });

  test('keeps the fields and guarantees that are stated already', async () => {
    const { params } = await readBy({ fields: ['$.total'], guarantees: ['freshness'] });
    const found = await find(params, report([at('a', ['$.id'])]));
    const { needs } = must(await confirm(params, found.found_needs?.digest), 200);
    expect(needs?.stated).toEqual({ fields: ['$.total', '$.id'], guarantees: ['freshness'] });
  });

  test('is refused if something else was found since', async () => {
    const { params } = await readBy(null);
    const { found_needs: seen } = await find(params, report([at('a', ['$.id'])]));
    await find(params, report([at('a', ['$.id', '$.total'])]));
    mustRefuse(await confirm(params, seen?.digest), 412, 'PRECONDITION_FAILED');
    expect((await registrationOf(params)).needs).toBeUndefined();
  });

  test('is refused if nothing was found', async () => {
    const { params } = await readBy(null);
    mustRefuse(await confirm(params, 'found-1'), 412, 'PRECONDITION_FAILED');
  });

  test('is refused if a place reads everything, and names the place', async () => {
    const { params } = await readBy(null);
    const { found_needs } = await find(params, report([at('a', ['$.id']), at('b.sql', null)]));
    const refused = mustRefuse(await confirm(params, found_needs?.digest), 400, 'VALIDATION_ERROR');
    expect(refused.message).toContain('b.sql');
  });

  test('is refused if the contract has none of the fields', async () => {
    const { params } = await readBy(null);
    const { found_needs } = await find(params, report([at('a', ['$.not_there'])]));
    mustRefuse(await confirm(params, found_needs?.digest), 422, 'NEED_NOT_MET');
  });

  test('is refused if a schema is stated', async () => {
    const { params } = await readBy({ schema: { type: 'object' } });
    const { found_needs } = await find(params, report([at('a', ['$.id'])]));
    mustRefuse(await confirm(params, found_needs?.digest), 400, 'VALIDATION_ERROR');
  });
});

test('the fields of an asset name who was found to read them', async () => {
  const { assetId, params } = await readBy(readsId);
  await find(params, report([at('a', ['$.total'])]));
  const fields = async () =>
    must(await admin.listAssetFields({ params: { asset_id: assetId } }), 200);
  const readers = async (path: string) =>
    (await fields()).fields.find((each) => each.path === path)?.readers.length;
  expect([await readers('$.id'), await readers('$.total')]).toEqual([1, 1]);
  expect((await fields()).readers_of_everything).toEqual([]);
  await find(params, report([at('a', null)]));
  expect((await fields()).readers_of_everything).toHaveLength(1);
});

test('a registration that is made anew has nothing that was found', async () => {
  const { contractId, params } = await readBy(readsId);
  await find(params, report([at('a', ['$.total'])]));
  must(await consumer.client.deleteRegistration({ params }), 204);
  const body = { contract_id: contractId, consumer_team_id: consumer.teamId };
  const { id } = must(await consumer.client.registerConsumer({ body }), 201);
  expect((await registrationOf({ registration_id: id })).found_needs).toBeUndefined();
});
