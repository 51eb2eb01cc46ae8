// Whom a change asks, by what the consumers read. docs/asking.md has the rule.

import { describe, expect, test } from 'vitest';
import type { TestClient } from '../../support/client/client.ts';
import {
  must,
  mustRefuse,
  narrowerSchema,
  openRegistryForFile,
  orderSchema,
  type Party,
  publish,
  publishedAsset,
  publishOk,
  uniqueName,
  widerSchema,
} from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';

const { world } = await openRegistryForFile();
const { producer, consumer, other, admin } = world;

type Needs = NonNullable<Parameters<TestClient['registerConsumer']>[0]['body']['needs']>;

const readsId: Needs = { fields: ['$.id'] };
const readsTotal: Needs = { fields: ['$.total'] };
/** Refuses every property that is added. */
const isStrict: Needs = { schema: { ...orderSchema, additionalProperties: false } };

/** An asset with consumers; null is one without a need. */
async function consumedAsset(
  readers: readonly (readonly [Party, Needs | null])[],
  more: Record<string, unknown> = {},
) {
  const published = await publishedAsset(producer, more);
  const registrations: string[] = [];
  for (const [party, needs] of readers) {
    registrations.push(await registerFor(party, published.contractId, needs));
  }
  return { ...published, registrations };
}

async function registerFor(party: Party, contract_id: string, needs: Needs | null) {
  const body = { contract_id, consumer_team_id: party.teamId, ...(needs !== null && { needs }) };
  return must(await party.client.registerConsumer({ body }), 201).id;
}

async function state(party: Party, registration_id: string | undefined, needs: Needs | null) {
  const params = { registration_id: registration_id ?? '' };
  must(await party.client.updateRegistration({ params, body: { needs } }), 200);
}

async function proposalOf(id: string) {
  return must(await admin.getProposal({ params: { proposal_id: id } }), 200);
}

async function propose(assetId: string, schema: object = narrowerSchema, more = {}) {
  const result = await publish(producer.client, assetId, {
    schema: schema as typeof orderSchema,
    ...more,
  });
  if (result.action !== 'proposal_created' || result.proposal.id === null) {
    throw new Error(`Expected a proposal: ${JSON.stringify(result)}`);
  }
  return result.proposal.id;
}

async function askedOf(id: string) {
  return (await proposalOf(id)).consumers.map(({ team_id }) => team_id);
}

async function publishedEvents(assetId: string) {
  const query = { asset_id: assetId, event_type: 'contract.published' } as const;
  return must(await admin.listEvents({ query }), 200).results;
}

const answer = (party: Party, id: string, body = {}) =>
  party.client.acknowledgeProposal({ params: { proposal_id: id }, body });

const publishIt = (id: string) => producer.client.publishProposal({ params: { proposal_id: id } });

describe('A breaking change', () => {
  test('asks the consumer whose field goes, with the field, and excuses the other', async () => {
    const { assetId } = await consumedAsset([
      [consumer, readsId],
      [other, readsTotal],
    ]);
    const id = await propose(assetId);
    const proposal = await proposalOf(id);
    expect(proposal.consumers).toMatchObject([
      { team_id: other.teamId, acknowledged: false, verdict: 'breaks', path: '$.total' },
    ]);
    expect(proposal.excused_consumers).toMatchObject([{ team_id: consumer.teamId }]);
    expect(proposal).toMatchObject({ total_consumers: 1, can_publish: false });

    const inbox = (party: Party) =>
      party.client.listProposals({ query: { consumer_team_id: party.teamId, awaiting: true } });
    const waiting = async (party: Party) =>
      must(await inbox(party), 200).results.some((each) => each.id === id);
    expect([await waiting(consumer), await waiting(other)]).toEqual([false, true]);

    mustRefuse(await publishIt(id), 409, 'PROPOSAL_NOT_READY');
    must(await answer(other, id), 200);
    const { contract } = must(await publishIt(id), 200);
    expect(contract?.version).toBe('2.0.0');
  });

  test('moves the excused consumer to the new version with those who agreed', async () => {
    const { assetId, registrations } = await consumedAsset([
      [consumer, readsId],
      [other, readsTotal],
    ]);
    const id = await propose(assetId);
    must(await answer(other, id), 200);
    const { contract } = must(await publishIt(id), 200);
    for (const registration_id of registrations) {
      const found = must(await admin.getRegistration({ params: { registration_id } }), 200);
      expect(found.contract_id).toBe(contract?.id);
    }
  });

  test('that leaves everybody unaffected is published at once as a major, with the proof', async () => {
    const { assetId, registrations } = await consumedAsset([[consumer, readsId]]);
    const result = await publish(producer.client, assetId, { schema: narrowerSchema });
    expect(result).toMatchObject({ action: 'published', contract: { version: '2.0.0' } });
    const [event] = await publishedEvents(assetId);
    expect(event?.metadata).toMatchObject({
      excused: [
        {
          registration_id: registrations[0],
          need: expect.stringMatching(/^[0-9a-f]{64}$/),
          verdict: 'unaffected',
        },
      ],
    });
  });

  test('of an asset without consumers is a proposal, as ever', async () => {
    const { assetId } = await publishedAsset(producer);
    expect((await proposalOf(await propose(assetId))).total_consumers).toBe(0);
  });

  test('asks a consumer without a need, and one whose need is not met', async () => {
    const { assetId, contractId } = await consumedAsset([[consumer, null]]);
    const body = {
      ...{ contract_id: contractId, consumer_team_id: other.teamId },
      ...{ needs: { fields: ['$.colour'] }, allow_unmet: true },
    };
    must(await other.client.registerConsumer({ body }), 201);
    const { consumers } = await proposalOf(await propose(assetId));
    expect(consumers.map(({ team_id, verdict }) => [team_id, verdict]).sort()).toEqual(
      [consumer, other].map(({ teamId }) => [teamId, undefined]).sort(),
    );
  });

  test.each([
    ['ignores needs', { needs_mode: 'ignore' }, {}],
    ['relaxes the mode', {}, { compatibility_mode: 'none' }],
  ] as const)('asks everybody where it %s', async (_what, asset, change) => {
    const { assetId } = await consumedAsset([[consumer, readsId]], asset);
    const id = await propose(assetId, narrowerSchema, change);
    expect(await askedOf(id)).toEqual([consumer.teamId]);
  });

  test('asks everybody under mode full, whatever it is', async () => {
    const { assetId } = await consumedAsset([[consumer, readsId]]);
    await publishOk(producer.client, assetId, {
      schema: orderSchema,
      compatibility_mode: 'full',
    });
    expect(await askedOf(await propose(assetId, widerSchema))).toEqual([consumer.teamId]);
  });

  test('has the same answers in impact as in the proposal', async () => {
    const { assetId } = await consumedAsset([
      [consumer, readsId],
      [other, readsTotal],
    ]);
    const body = { proposed_schema: narrowerSchema };
    const impact = must(
      await producer.client.assessImpact({ params: { asset_id: assetId }, body }),
      200,
    );
    const { consumers } = await proposalOf(await propose(assetId));
    expect(impact.affected_consumers.map(({ team_id }) => team_id)).toEqual(
      consumers.map(({ team_id }) => team_id),
    );
  });

  test('that is tried says the same and keeps nothing', async () => {
    const { assetId } = await consumedAsset([[consumer, readsId]]);
    const tried = await publish(producer.client, assetId, {
      schema: narrowerSchema,
      dry_run: true,
    });
    expect(tried).toMatchObject({ action: 'published', dry_run: true });
    expect(await publishedEvents(assetId)).toHaveLength(1);
  });
});

describe('A compatible change', () => {
  test('that a reader refuses is published, and that reader is told, with the value', async () => {
    const { assetId } = await consumedAsset([
      [consumer, isStrict],
      [other, readsId],
    ]);
    const result = await publish(producer.client, assetId, { schema: widerSchema });
    expect(result).toMatchObject({ action: 'published', contract: { version: '1.1.0' } });
    const [event] = await publishedEvents(assetId);
    expect(event?.metadata).toMatchObject({
      affected: [{ verdict: 'breaks', witness: { note: expect.any(String) } }],
    });
    expect(event?.metadata).not.toHaveProperty('excused');
  });

  test('asks exactly that reader where the asset protects, and stays a minor', async () => {
    const { assetId } = await consumedAsset(
      [
        [consumer, isStrict],
        [other, null],
      ],
      { needs_mode: 'protect' },
    );
    const id = await propose(assetId, widerSchema);
    const proposal = await proposalOf(id);
    expect(proposal).toMatchObject({ change_type: 'minor', breaking_changes_count: 0 });
    expect(proposal.consumers.map(({ team_id }) => team_id)).toEqual([consumer.teamId]);
    must(await answer(consumer, id), 200);
    expect(must(await publishIt(id), 200).contract?.version).toBe('1.1.0');
  });

  test('that was proposed for readers is outdated once another version is published', async () => {
    const { assetId, registrations } = await consumedAsset([[consumer, isStrict]], {
      needs_mode: 'protect',
    });
    const id = await propose(assetId, widerSchema);
    must(await answer(consumer, id), 200);
    const annotated = { ...orderSchema, description: 'One row an order.' };
    await publishOk(producer.client, assetId, { schema: annotated });
    mustRefuse(await publishIt(id), 409, 'PROPOSAL_STALE');
    must(await producer.client.rebaseProposal({ params: { proposal_id: id } }), 200);
    expect(await proposalOf(id)).toMatchObject({ round: 2, change_type: 'minor' });
    expect(await askedOf(id)).toEqual([consumer.teamId]);
    expect(registrations).toHaveLength(1);
  });
});

describe('While a proposal is open', () => {
  test('a need that widens adds its team, also after an approval', async () => {
    const { assetId, registrations } = await consumedAsset([
      [consumer, readsId],
      [other, readsTotal],
    ]);
    const id = await propose(assetId);
    must(await answer(other, id), 200);
    must(await producer.client.approveProposal({ params: { proposal_id: id } }), 200);
    await state(consumer, registrations[0], { fields: ['$.id', '$.total'] });
    const proposal = await proposalOf(id);
    expect(proposal.status).toBe('pending');
    expect(proposal.consumers).toContainEqual(
      expect.objectContaining({ team_id: consumer.teamId, verdict: 'breaks', path: '$.total' }),
    );
    mustRefuse(await publishIt(id), 409, 'PROPOSAL_NOT_READY');
  });

  test('a team that takes its need back is asked', async () => {
    const { assetId, registrations } = await consumedAsset([
      [consumer, readsId],
      [other, readsTotal],
    ]);
    const id = await propose(assetId);
    await state(consumer, registrations[0], null);
    expect((await askedOf(id)).sort()).toEqual([consumer.teamId, other.teamId].sort());
  });

  test('a team that says what it reads is excused once that is proven', async () => {
    const { assetId, registrations } = await consumedAsset([[consumer, null]]);
    const id = await propose(assetId);
    expect(await askedOf(id)).toEqual([consumer.teamId]);
    await state(consumer, registrations[0], readsId);
    expect(await proposalOf(id)).toMatchObject({
      ...{ total_consumers: 0, can_publish: true, consumers: [] },
      excused_consumers: [{ team_id: consumer.teamId }],
    });
    const query = { entity_id: id, event_type: 'proposal.reassessed' } as const;
    expect(must(await admin.listEvents({ query }), 200).results).toHaveLength(1);
  });

  test('an answer that was given stays when the need narrows', async () => {
    const { assetId, registrations } = await consumedAsset([
      [consumer, readsTotal],
      [other, null],
    ]);
    const id = await propose(assetId);
    must(await answer(consumer, id, { notes: 'Fine.' }), 200);
    await state(consumer, registrations[0], readsId);
    const { consumers } = await proposalOf(id);
    expect(consumers.find(({ team_id }) => team_id === consumer.teamId)).toMatchObject({
      response: 'approved',
      notes: 'Fine.',
    });
  });

  test('a block stays when the need narrows', async () => {
    const { assetId, registrations } = await consumedAsset([[consumer, readsTotal]]);
    const id = await propose(assetId);
    must(await answer(consumer, id, { response: 'blocked', notes: 'No.' }), 200);
    await state(consumer, registrations[0], readsId);
    expect((await proposalOf(id)).status).toBe('rejected');
    mustRefuse(await publishIt(id), 409, 'PROPOSAL_NOT_PENDING');
  });

  test('a team that registers is asked unless its need is proven unaffected', async () => {
    const { assetId, contractId } = await consumedAsset([[consumer, readsTotal]]);
    const id = await propose(assetId);
    await registerFor(other, contractId, readsId);
    expect(await askedOf(id)).toEqual([consumer.teamId]);
    const third = producer;
    const body = { contract_id: contractId, consumer_team_id: third.teamId, allow_self: true };
    must(await third.client.registerConsumer({ body }), 201);
    expect((await askedOf(id)).sort()).toEqual([consumer.teamId, third.teamId].sort());
  });

  test('needs_mode ignore asks those that were excused', async () => {
    const { assetId } = await consumedAsset([
      [consumer, readsId],
      [other, readsTotal],
    ]);
    const id = await propose(assetId);
    const params = { asset_id: assetId };
    must(await producer.client.updateAsset({ params, body: { needs_mode: 'ignore' } }), 200);
    expect((await askedOf(id)).sort()).toEqual([consumer.teamId, other.teamId].sort());
  });

  test('a force tells everybody, and keeps who was asked', async () => {
    const { assetId } = await consumedAsset([
      [consumer, readsId],
      [other, readsTotal],
    ]);
    const id = await propose(assetId);
    const params = { proposal_id: id };
    must(await admin.forceProposal({ params, body: { reason: 'The law wants it.' } }), 200);
    const { consumers } = await proposalOf(id);
    expect(consumers).toMatchObject([{ team_id: other.teamId, verdict: 'breaks' }]);
  });
});

test('A need that widens while a break is published is asked, or comes after it', async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < 12; round++) {
    const { assetId, registrations } = await consumedAsset([[consumer, readsId]]);
    const params = { registration_id: registrations[0] ?? '' };
    const widen = () => consumer.client.updateRegistration({ params, body: { needs: readsTotal } });
    const breakIt = () => publish(producer.client, assetId, { schema: narrowerSchema });
    const [published, widened] =
      round % 2 === 0
        ? await Promise.all([breakIt(), widen()])
        : await Promise.all([widen(), breakIt()]).then(
            ([first, second]) => [second, first] as const,
          );
    outcomes.add(published.action);
    // Who came too late is told that the contract does not have the field any more.
    if (published.action === 'published') mustRefuse(widened, 422, 'NEED_NOT_MET');
    else {
      must(widened, 200);
      const asked = published.action === 'proposal_created' ? published.proposal.id : null;
      expect(await askedOf(asked ?? '')).toEqual([consumer.teamId]);
    }
  }
  expect(outcomes.size).toBeGreaterThan(0);
});

describe('The needs mode', () => {
  const modes = ['narrow', 'protect', 'ignore'] as const;
  const pairs = modes.flatMap((from) => modes.map((to) => [from, to] as const));

  test.each(pairs.filter(([from, to]) => from !== to))(
    'from %s to %s asks the consumers unless it was narrow',
    async (from, to) => {
      const { assetId } = await consumedAsset([[consumer, readsId]], { needs_mode: from });
      const params = { asset_id: assetId };
      const changed = must(
        await producer.client.updateAsset({ params, body: { needs_mode: to } }),
        200,
      );
      if (from === 'narrow') {
        expect(changed).toMatchObject({ needs_mode: to });
        return;
      }
      expect(changed).toMatchObject({ action: 'proposal_created' });
      const query = { asset_id: assetId, status: 'pending' } as const;
      const [open] = must(await admin.listProposals({ query }), 200).results;
      expect(open?.kind).toBe('needs_mode');
      must(await answer(consumer, open?.id ?? ''), 200);
      must(await publishIt(open?.id ?? ''), 200);
      expect(must(await admin.getAsset({ params }), 200)).toMatchObject({ needs_mode: to });
    },
  );

  test('without consumers it is changed at once', async () => {
    const { assetId } = await publishedAsset(producer, { needs_mode: 'protect' });
    const params = { asset_id: assetId };
    const changed = await producer.client.updateAsset({ params, body: { needs_mode: 'narrow' } });
    expect(must(changed, 200)).toMatchObject({ needs_mode: 'narrow' });
  });

  test('is not loosened by deleting the asset and making it again', async () => {
    const { assetId, fqn } = await consumedAsset([[consumer, readsId]], { needs_mode: 'ignore' });
    const params = { asset_id: assetId };
    const query = { force: true, reason: 'It moved.' };
    must(await admin.deleteAsset({ params, query }), 204);
    const body = { fqn, owner_team_id: producer.teamId };
    const { id } = must(await producer.client.createAsset({ body }), 201);
    const again = must(await admin.getAsset({ params: { asset_id: id } }), 200);
    expect(again).toMatchObject({ needs_mode: 'ignore' });
  });
});

describe('An import', () => {
  const all = { id: 'bigint', total: 'numeric' };

  async function upload(name: string, columns: Readonly<Record<string, string>>, more = {}) {
    const body = {
      manifest: manifestOf('shop', [{ name, columns }]),
      ...{ owner_team_id: producer.teamId, conflict_mode: 'overwrite' as const },
      ...{ auto_publish_contracts: true, auto_create_proposals: true, ...more },
    };
    return producer.client.uploadBuildtool({ body });
  }

  /** An imported model that two teams read. */
  async function importedModel(needs: Needs) {
    const name = uniqueName('model').replace(/\W/g, '_');
    must(await upload(name, all), 200);
    const query = { fqn: `shop.public.${name}` };
    const [asset] = must(await admin.listAssets({ query }), 200).results;
    await registerFor(consumer, asset?.active_contract_id ?? '', needs);
    return { name, assetId: asset?.id ?? '' };
  }

  const openOf = async (assetId: string) => {
    const query = { asset_id: assetId, status: 'pending' } as const;
    return must(await admin.listProposals({ query }), 200).results;
  };

  test('publishes a break that is proven to affect nobody, with the proof', async () => {
    const { name, assetId } = await importedModel(readsId);
    must(await upload(name, { id: 'bigint' }), 200);
    const [event] = await publishedEvents(assetId);
    expect(event?.metadata).toMatchObject({
      ...{ version: '2.0.0', change_type: 'major' },
      excused: [{ verdict: 'unaffected' }],
    });
    expect(await openOf(assetId)).toEqual([]);
  });

  test('proposes a break to those who read what goes', async () => {
    const { name, assetId } = await importedModel(readsTotal);
    must(await upload(name, { id: 'bigint' }), 200);
    const [open] = await openOf(assetId);
    expect((await proposalOf(open?.id ?? '')).consumers).toMatchObject([
      { team_id: consumer.teamId, verdict: 'breaks', path: '$.total' },
    ]);
  });

  test('of a GraphQL type asks its readers, and tells those who read it through another type', async () => {
    const prefix = uniqueName('api').replace(/\W/g, '_');
    const importIt = async (org: string) => {
      const schema = `type Query { me: User } type User { id: ID org: Org } type Org { ${org} }`;
      const body = {
        ...{ schema, owner_team_id: producer.teamId, prefix },
        ...{ auto_publish_contracts: true, auto_create_proposals: true },
        conflict_mode: 'overwrite' as const,
      };
      must(await producer.client.importGraphql({ body }), 200);
    };
    const assetOf = async (type: string) => {
      const query = { fqn: `${prefix}.${type}` };
      const [asset] = must(await admin.listAssets({ query }), 200).results;
      return { id: asset?.id ?? '', contract: asset?.active_contract_id ?? '' };
    };
    await importIt('id: ID name: String');
    const [user, org] = [await assetOf('User'), await assetOf('Org')];
    await registerFor(consumer, user.contract, { fields: ['$.org.name'] });
    await registerFor(other, org.contract, { fields: ['$.name'] });
    await importIt('id: ID');
    const [open] = await openOf(org.id);
    expect(await askedOf(open?.id ?? '')).toEqual([other.teamId]);
    must(await answer(other, open?.id ?? ''), 200);
    must(await publishIt(open?.id ?? ''), 200);
    await importIt('id: ID');
    expect(await openOf(user.id)).toEqual([]);
    const [event] = await publishedEvents(user.id);
    expect(event?.metadata).toMatchObject({
      change_type: 'patch',
      affected: [{ team_id: consumer.teamId, verdict: 'breaks', path: '$.org.name' }],
    });
  });

  test('that may make no proposal is refused by a break that affects somebody', async () => {
    const { name, assetId } = await importedModel(readsTotal);
    const refused = await upload(name, { id: 'bigint' }, { auto_create_proposals: false });
    mustRefuse(refused, 409, 'BREAKING_CHANGE');
    expect(await publishedEvents(assetId)).toHaveLength(1);
  });

  test('meets a need that no version met before', async () => {
    const { name, assetId } = await importedModel(readsId);
    const params = { asset_id: assetId };
    const { active_contract_id } = must(await admin.getAsset({ params }), 200);
    const body = {
      ...{ contract_id: active_contract_id ?? '', consumer_team_id: other.teamId },
      ...{ needs: { fields: ['$.note'] }, allow_unmet: true },
    };
    const { id } = must(await other.client.registerConsumer({ body }), 201);
    must(await upload(name, { ...all, note: 'text' }), 200);
    const found = must(await admin.getRegistration({ params: { registration_id: id } }), 200);
    expect(found.needs?.status).toBe('met');
  });

  test('proposes a compatible change of a protected asset to the reader that it affects', async () => {
    const name = uniqueName('model').replace(/\W/g, '_');
    must(await upload(name, { id: 'bigint' }), 200);
    const query = { fqn: `shop.public.${name}` };
    const [asset] = must(await admin.listAssets({ query }), 200).results;
    const params = { asset_id: asset?.id ?? '' };
    must(await producer.client.updateAsset({ params, body: { needs_mode: 'protect' } }), 200);
    const strict = { schema: { properties: { id: {} }, additionalProperties: false } };
    await registerFor(consumer, asset?.active_contract_id ?? '', strict);
    must(await upload(name, all), 200);
    const [open] = await openOf(params.asset_id);
    expect(open).toMatchObject({ change_type: 'minor', total_consumers: 1 });
  });
});

describe('A need that is not met', () => {
  test('counts from the version on that meets it, with an event', async () => {
    const { assetId, contractId } = await publishedAsset(producer);
    const body = {
      ...{ contract_id: contractId, consumer_team_id: consumer.teamId },
      ...{ needs: { fields: ['$.note'] }, allow_unmet: true },
    };
    const { id } = must(await consumer.client.registerConsumer({ body }), 201);
    await publishOk(producer.client, assetId, { schema: widerSchema });
    const found = must(await admin.getRegistration({ params: { registration_id: id } }), 200);
    expect(found.needs?.status).toBe('met');
    const query = { entity_id: id, event_type: 'registration.needs_met' } as const;
    expect(must(await admin.listEvents({ query }), 200).results).toMatchObject([
      { metadata: { was: 'unmet', status: 'met', contract_version: '1.1.0' } },
    ]);
    expect(await askedOf(await propose(assetId, orderSchema))).toEqual([consumer.teamId]);
  });

  test('counts also if another team stated the same need when it was met', async () => {
    const { assetId, contractId } = await publishedAsset(producer);
    const needs = { schema: { properties: { note: { type: 'string' } } } } as const;
    const body = { contract_id: contractId, consumer_team_id: consumer.teamId };
    const { id } = must(
      await consumer.client.registerConsumer({ body: { ...body, needs, allow_unmet: true } }),
      201,
    );
    const params = { registration_id: id };
    const { client } = consumer;
    must(await client.updateRegistration({ params, body: { status: 'inactive' } }), 200);
    const schemaWith = (...names: readonly string[]) => ({
      ...widerSchema,
      properties: {
        ...widerSchema.properties,
        ...Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      },
    });
    await registerFor(
      other,
      await publishOk(producer.client, assetId, { schema: schemaWith() }),
      needs,
    );
    await publishOk(producer.client, assetId, { schema: schemaWith('b') });
    must(await client.updateRegistration({ params, body: { status: 'active' } }), 200);
    await publishOk(producer.client, assetId, { schema: schemaWith('b', 'c') });
    expect(must(await admin.getRegistration({ params }), 200).needs?.status).toBe('met');
  });

  test('is what is left of a need whose team agreed to the break', async () => {
    const { assetId, registrations } = await consumedAsset([[consumer, readsTotal]]);
    const id = await propose(assetId);
    must(await answer(consumer, id), 200);
    must(await publishIt(id), 200);
    const params = { registration_id: registrations[0] ?? '' };
    expect(must(await admin.getRegistration({ params }), 200).needs?.status).toBe('unmet');
  });
});
