// Registrations: which team consumes which asset.

import { describe, expect, test } from 'vitest';
import {
  must,
  mustRefuse,
  openRegistryForFile,
  proposedAsset,
  publishedAsset,
  publishOk,
  register,
  widerSchema,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();

const nobody = '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99';
const anId = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('A registration', () => {
  test('is created with 201 in its shape, and read in the shape of GET', async () => {
    const { assetId, fqn, contractId } = await publishedAsset(world.producer);
    const made = await world.consumer.client.registerConsumer({
      body: {
        contract_id: contractId,
        consumer_team_id: world.consumer.teamId,
        notes: 'Invoices.',
      },
    });
    const created = must(made, 201);
    expect(created).toEqual({
      id: anId,
      contract_id: contractId,
      consumer_team_id: world.consumer.teamId,
      consumer_team_name: world.consumer.name,
      notes: 'Invoices.',
      status: 'active',
      created_at: aTime,
    });
    const params = { registration_id: created.id };
    expect(must(await world.other.client.getRegistration({ params }), 200)).toEqual({
      ...created,
      asset_id: assetId,
      asset_fqn: fqn,
      contract_version: '1.0.0',
      registered_version: '1.0.0',
      migrates_at: null,
      source: 'api',
      updated_at: aTime,
    });
  });

  test('is listed by contract, team, asset and state', async () => {
    const { assetId, fqn, contractId } = await publishedAsset(world.producer);
    const mine = await register(world.consumer, contractId);
    await register(world.other, contractId);
    const params = { registration_id: mine.id };
    must(
      await world.consumer.client.updateRegistration({ params, body: { status: 'inactive' } }),
      200,
    );
    for (const query of [
      { contract_id: contractId, consumer_team_id: world.consumer.teamId },
      { asset_id: assetId, status: 'inactive' as const },
    ]) {
      const listed = must(await world.other.client.listRegistrations({ query }), 200);
      expect(listed).toMatchObject({ results: [{ id: mine.id, asset_fqn: fqn }], total: 1 });
    }
    const ofContract = await world.other.client.listContractRegistrations({
      params: { contract_id: contractId },
    });
    expect(must(ofContract, 200).total).toBe(2);
    const missing = { contract_id: nobody };
    mustRefuse(
      await world.admin.listContractRegistrations({ params: missing }),
      404,
      'CONTRACT_NOT_FOUND',
    );
  });

  test('exists once per team and asset: a second one is 409, also on another version', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await register(world.consumer, contractId);
    const next = await publishOk(world.producer.client, assetId, { schema: widerSchema });
    for (const contract_id of [contractId, next]) {
      const again = await world.consumer.client.registerConsumer({
        body: { contract_id, consumer_team_id: world.consumer.teamId },
      });
      mustRefuse(again, 409, 'REGISTRATION_EXISTS');
    }
  });

  test('may be on a deprecated contract', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await publishOk(world.producer.client, assetId, { schema: widerSchema });
    expect((await register(world.consumer, contractId)).contract_id).toBe(contractId);
  });

  test('by the producer needs allow_self', async () => {
    const { contractId } = await publishedAsset(world.producer);
    const body = { contract_id: contractId, consumer_team_id: world.producer.teamId };
    const { client } = world.producer;
    mustRefuse(await client.registerConsumer({ body }), 422, 'SELF_REGISTRATION');
    must(await client.registerConsumer({ body: { ...body, allow_self: true } }), 201);
  });

  test('for another team is 403; for missing objects 404 with the field', async () => {
    const { contractId } = await publishedAsset(world.producer);
    const forOther = { contract_id: contractId, consumer_team_id: world.other.teamId };
    mustRefuse(await world.consumer.client.registerConsumer({ body: forOther }), 403, 'FORBIDDEN');
    const noContract = { contract_id: nobody, consumer_team_id: world.consumer.teamId };
    const refusal = mustRefuse(
      await world.consumer.client.registerConsumer({ body: noContract }),
      404,
      'CONTRACT_NOT_FOUND',
    );
    expect(refusal.field).toBe('contract_id');
    const noTeam = { contract_id: contractId, consumer_team_id: nobody };
    mustRefuse(await world.admin.registerConsumer({ body: noTeam }), 404, 'TEAM_NOT_FOUND');
  });

  test('moves along with compatible versions, and keeps its first', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    const { id } = await register(world.consumer, contractId);
    const next = await publishOk(world.producer.client, assetId, { schema: widerSchema });
    const moved = await world.admin.getRegistration({ params: { registration_id: id } });
    expect(must(moved, 200)).toMatchObject({
      contract_id: next,
      contract_version: '1.1.0',
      registered_version: '1.0.0',
    });
  });

  test('stays after a force that its team had not agreed to, and moves by a PATCH', async () => {
    const { contractId, assetId, proposalId } = await proposedAsset(world.producer, [
      world.consumer,
    ]);
    const forced = await world.admin.forceProposal({
      params: { proposal_id: proposalId },
      body: { reason: 'It has to be.' },
    });
    const { contract } = must(forced, 200);
    const query = { asset_id: assetId };
    const [registration] = must(await world.admin.listRegistrations({ query }), 200).results;
    expect(registration?.contract_id).toBe(contractId);
    const moved = await world.consumer.client.updateRegistration({
      params: { registration_id: registration?.id ?? '' },
      body: { contract_id: contract?.id ?? '' },
    });
    expect(must(moved, 200)).toMatchObject({ contract_version: '2.0.0' });
  });

  test('moves only to contracts of its own asset', async () => {
    const mine = await publishedAsset(world.producer);
    const alien = await publishedAsset(world.producer);
    const { id } = await register(world.consumer, mine.contractId);
    const moved = await world.consumer.client.updateRegistration({
      params: { registration_id: id },
      body: { contract_id: alien.contractId },
    });
    expect(moved.ok).toBe(false);
    expect([400, 404]).toContain(moved.status);
  });

  test('gets notes, becomes inactive and active again', async () => {
    const { contractId } = await publishedAsset(world.producer);
    const { id } = await register(world.consumer, contractId);
    const patch = async (body: { notes?: string | null; status?: 'active' | 'inactive' }) =>
      must(
        await world.consumer.client.updateRegistration({ params: { registration_id: id }, body }),
        200,
      );
    expect(await patch({ notes: 'New.' })).toMatchObject({ notes: 'New.', status: 'active' });
    expect(await patch({ status: 'inactive' })).toMatchObject({
      notes: 'New.',
      status: 'inactive',
    });
    expect(await patch({ status: 'active', notes: null })).toMatchObject({
      notes: null,
      status: 'active',
    });
    const history = await world.admin.listEntityHistory({
      params: { entity_type: 'registration', entity_id: id },
    });
    expect(must(history, 200).results.map((event) => event.event_type)).toEqual([
      'registration.updated',
      'registration.updated',
      'registration.updated',
      'registration.created',
    ]);
  });

  test('of another team is ended or removed by an administrator with a reason, which the trail keeps', async () => {
    const { contractId } = await publishedAsset(world.producer);
    const { id } = await register(world.consumer, contractId);
    const params = { registration_id: id };
    const reason = 'The team was dissolved.';
    const notes = await world.admin.updateRegistration({ params, body: { notes: 'Orders.' } });
    expect(must(notes, 200).notes).toBe('Orders.');
    const needs = { fields: ['$.id'] };
    must(await world.admin.updateRegistration({ params, body: { needs, reason } }), 200);
    must(
      await world.admin.updateRegistration({ params, body: { status: 'inactive', reason } }),
      200,
    );
    // Nobody asks a team that is not active.
    must(await world.admin.deleteRegistration({ params }), 204);
    const { id: second } = await register(world.consumer, contractId);
    const removed = { params: { registration_id: second }, query: { reason } };
    must(await world.admin.deleteRegistration(removed), 204);
    const told = async (entity_id: string) => {
      const query = { params: { entity_type: 'registration' as const, entity_id } };
      const { results } = must(await world.admin.listEntityHistory(query), 200);
      return results
        .map(({ event_type, metadata }) => [event_type, metadata.reason ?? null])
        .sort();
    };
    expect(await told(id)).toEqual([
      ['registration.created', null],
      ['registration.deleted', null],
      ['registration.needs_changed', reason],
      ['registration.updated', null],
      ['registration.updated', reason],
    ]);
    expect(await told(second)).toEqual([
      ['registration.created', null],
      ['registration.deleted', reason],
    ]);
  });

  test('that is inactive is not asked', async () => {
    const { contractId, proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const query = { contract_id: contractId };
    const [registration] = must(await world.admin.listRegistrations({ query }), 200).results;
    const inactive = await world.consumer.client.updateRegistration({
      params: { registration_id: registration?.id ?? '' },
      body: { status: 'inactive' },
    });
    must(inactive, 200);
    const status = await world.admin.getProposalStatus({ params: { proposal_id: proposalId } });
    expect(must(status, 200)).toEqual({
      status: 'pending',
      total_consumers: 0,
      acknowledged: 0,
      remaining: 0,
      can_publish: true,
      objection_count: 0,
    });
  });

  test('is removed with 204 and can be created again', async () => {
    const { contractId } = await publishedAsset(world.producer);
    const { id } = await register(world.consumer, contractId);
    const params = { registration_id: id };
    must(await world.consumer.client.deleteRegistration({ params }), 204);
    const { client } = world.consumer;
    mustRefuse(await client.getRegistration({ params }), 404, 'REGISTRATION_NOT_FOUND');
    mustRefuse(await client.deleteRegistration({ params }), 404, 'REGISTRATION_NOT_FOUND');
    const patched = await client.updateRegistration({ params, body: {} });
    mustRefuse(patched, 404, 'REGISTRATION_NOT_FOUND');
    await register(world.consumer, contractId);
    const history = await world.admin.listEntityHistory({
      params: { entity_type: 'registration', entity_id: id },
    });
    expect(must(history, 200).results[0]?.event_type).toBe('registration.deleted');
  });
});
