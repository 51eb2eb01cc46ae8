// Ways to get a consumer excused that reads what a change takes away. docs/asking.md has the rule.

import type { JsonObject } from '../../../src/core/value/json.ts';
import type { TestClient } from '../../support/client/client.ts';
import {
  createAsset,
  issueKey,
  must,
  narrowerSchema,
  orderSchema,
  type Party,
  propose,
  publish,
  publishedAsset,
  publishOk,
  type World,
} from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';
import { agree, approve, consumedAsset, publishProposal, type Way } from './way.ts';

type Needs = Parameters<TestClient['registerConsumer']>[0]['body']['needs'];

const readsId = { fields: ['$.id'] };
export const readsAll = { fields: ['$.id', '$.total'] };

async function reads({ client, teamId }: Party, contract_id: string, needs: Needs) {
  const body = { contract_id, consumer_team_id: teamId, ...(needs !== undefined && { needs }) };
  return must(await client.registerConsumer({ body }), 201).id;
}

/** One consumer reads what would go, and is asked; the other does not read it. */
export async function askedOfOne(world: World, more: Record<string, unknown> = {}) {
  const published = await publishedAsset(world.producer, more);
  await reads(world.consumer, published.contractId, readsAll);
  const registrationId = await reads(world.other, published.contractId, readsId);
  const proposalId = await propose(world.producer.client, published.assetId, narrowerSchema);
  return { ...published, proposalId, params: { registration_id: registrationId } };
}

async function narrowed(world: World, more: Record<string, unknown> = {}) {
  const asked = await askedOfOne(world, more);
  await agree(world.consumer, asked.proposalId);
  return asked;
}

function breakIt(world: World, assetId: string, more: Record<string, unknown> = {}) {
  const body = { schema: narrowerSchema, ...more };
  return world.producer.client.publishContract({ params: { asset_id: assetId }, body });
}

/** A team whose need is met only by what it reads today. */
async function readerOf(world: World, more: Record<string, unknown> = {}) {
  const published = await publishedAsset(world.producer, more);
  const registration_id = await reads(world.consumer, published.contractId, readsAll);
  return { ...published, params: { registration_id } };
}

async function proposeTerms(
  { producer }: World,
  assetId: string,
  more: Record<string, unknown>,
): Promise<string> {
  const made = await publish(producer.client, assetId, { schema: narrowerSchema, ...more });
  if (made.action !== 'proposal_created' || made.proposal.id === null) {
    throw new Error(`Expected a proposal: ${JSON.stringify(made)}`);
  }
  return made.proposal.id;
}

export function foundIn(fields: readonly string[]) {
  const places = [{ place: 'models/a.sql', fields: [...fields] }];
  return { origin: 'dbt' as const, source: 'analytics', places };
}

/** It answers for neither team. */
async function writingForBoth({ producer, consumer, admin }: World): Promise<TestClient> {
  const team_ids = [producer.teamId, consumer.teamId];
  return admin.as(await issueKey(admin, { team_ids, scopes: ['write'] }));
}

export const needs: readonly Way[] = [
  {
    way: 'publish past a team whose need was widened after the approval',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { proposalId, params } = await narrowed(world);
      await approve(world, proposalId);
      must(await world.other.client.updateRegistration({ params, body: { needs: readsAll } }), 200);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'publish past a team that took its need back',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { proposalId, params } = await narrowed(world);
      must(await world.other.client.updateRegistration({ params, body: { needs: null } }), 200);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'publish past a team that left, and registered again without a need',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { proposalId, contractId, params } = await narrowed(world);
      must(await world.other.client.deleteRegistration({ params }), 204);
      await reads(world.other, contractId, undefined);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'make the promise full after consumers were excused, so that the answers of the others suffice',
    refusedBy: '409 PROPOSAL_STALE',
    attempt: async (world) => {
      const published = await publishedAsset(world.producer);
      await reads(world.consumer, published.contractId, readsAll);
      await reads(world.other, published.contractId, readsId);
      const full = { compatibility_mode: 'full' as const };
      const proposalId = await proposeTerms(world, published.assetId, full);
      const { producer, consumer } = world;
      await publishOk(producer.client, published.assetId, { schema: orderSchema, ...full });
      await agree(consumer, proposalId);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'take a guarantee away, and make the asset strict while it is proposed',
    refusedBy: '409 PROPOSAL_STALE',
    attempt: async (world) => {
      const volume = { volume: { min_rows: 5 } };
      const { producer, consumer, other } = world;
      const { id } = await createAsset(producer);
      const body = { schema: orderSchema, guarantees: volume };
      const contractId = await publishOk(producer.client, id, body);
      await reads(consumer, contractId, readsAll);
      await reads(other, contractId, { ...readsId, guarantees: ['volume'] });
      const proposalId = await proposeTerms(world, id, { guarantees: null });
      const params = { asset_id: id };
      must(await producer.client.updateAsset({ params, body: { guarantee_mode: 'strict' } }), 200);
      await agree(consumer, proposalId);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'have a proposal blocked before everybody has to be asked',
    refusedBy: '409 PROPOSAL_STALE',
    attempt: async (world) => {
      const { producer, consumer, other } = world;
      const published = await publishedAsset(producer);
      await reads(consumer, published.contractId, undefined);
      await reads(other, published.contractId, readsId);
      const proposalId = await propose(producer.client, published.assetId, narrowerSchema);
      const params = { proposal_id: proposalId };
      const body = { response: 'blocked' as const, notes: 'Not now.' };
      must(await consumer.client.acknowledgeProposal({ params, body }), 200);
      const asset = { asset_id: published.assetId };
      const ignore = { needs_mode: 'ignore' as const };
      must(await producer.client.updateAsset({ params: asset, body: ignore }), 200);
      await agree(consumer, proposalId);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'take away the rest of a field of which a part was found that the contract does not describe',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const published = await publishedAsset(world.producer);
      const registration_id = await reads(world.consumer, published.contractId, readsId);
      const found = { params: { registration_id }, body: foundIn(['$.id', '$.total.net']) };
      must(await world.consumer.client.findNeeds(found), 200);
      return breakIt(world, published.assetId);
    },
  },
  {
    way: 'change the type of a field that a consumer reads in one variant of a union',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const { producer, consumer } = world;
      const of = (total: string) => ({
        type: 'object',
        anyOf: [
          { properties: { kind: { const: 'sale' }, total: { type: total } }, required: ['kind'] },
          { properties: { kind: { const: 'gift' } }, required: ['kind'] },
        ],
      });
      const { id } = await createAsset(producer);
      const contractId = await publishOk(producer.client, id, { schema: of('string') });
      await reads(consumer, contractId, { fields: ['$.total'] });
      const body = { schema: of('integer') };
      return producer.client.publishContract({ params: { asset_id: id }, body });
    },
  },
  {
    way: 'state the need of a consumer by the key of the producer',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { params } = await readerOf(world);
      return world.producer.client.updateRegistration({ params, body: { needs: readsId } });
    },
  },
  {
    way: 'state the need of a consumer by a key that writes for both teams',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { params } = await readerOf(world);
      const client = await writingForBoth(world);
      return client.updateRegistration({ params, body: { needs: readsId } });
    },
  },
  {
    way: 'confirm what was found of a consumer by a key that writes for both teams',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { params } = await readerOf(world);
      const client = await writingForBoth(world);
      const found = must(await client.findNeeds({ params, body: foundIn(readsId.fields) }), 200);
      const body = { digest: found.found_needs?.digest ?? '' };
      return client.confirmNeeds({ params, body });
    },
  },
  {
    way: 'replace what was found of a consumer by a key that writes for both teams, and break at once',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const published = await publishedAsset(world.producer);
      const registration_id = await reads(world.consumer, published.contractId, readsId);
      const params = { registration_id };
      const client = await writingForBoth(world);
      const found = { params, body: foundIn(readsAll.fields) };
      must(await world.consumer.client.findNeeds(found), 200);
      must(await client.findNeeds({ params, body: foundIn([]) }), 200);
      must(await client.findNeeds({ params, body: { ...foundIn([]), places: [] } }), 200);
      return breakIt(world, published.assetId);
    },
  },
  {
    way: 'register a consumer with a need of nothing by a key that writes for both teams',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { contractId } = await publishedAsset(world.producer);
      const client = await writingForBoth(world);
      const body = { contract_id: contractId, consumer_team_id: world.consumer.teamId };
      return client.registerConsumer({ body: { ...body, needs: { fields: [] } } });
    },
  },
  {
    way: 'end the registration of a reader by a key that writes for both teams, and register it with no need',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { params } = await readerOf(world);
      const client = await writingForBoth(world);
      return client.deleteRegistration({ params });
    },
  },
  {
    way: 'import the consumer again, so that its need is another one',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const { assetId, fqn } = await readerOf(world);
      const name = fqn.split('.').at(-1) ?? fqn;
      const meta = { svc: { consumers: [{ team: world.consumer.name, needs: { fields: [] } }] } };
      const body = {
        manifest: manifestOf('shop', [{ name, meta }]),
        owner_team_id: world.producer.teamId,
        auto_register_consumers: true,
      };
      must(await world.producer.client.uploadBuildtool({ body }), 200);
      return breakIt(world, assetId);
    },
  },
  {
    way: 'loosen the needs mode, and break at once',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const published = await publishedAsset(world.producer, { needs_mode: 'ignore' });
      await reads(world.other, published.contractId, readsId);
      const params = { asset_id: published.assetId };
      must(
        await world.producer.client.updateAsset({ params, body: { needs_mode: 'narrow' } }),
        200,
      );
      return breakIt(world, published.assetId, { supersede: true });
    },
  },
  {
    way: 'loosen the needs mode by making the asset again',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const published = await publishedAsset(world.producer, { needs_mode: 'ignore' });
      await reads(world.other, published.contractId, readsId);
      const params = { asset_id: published.assetId };
      const query = { force: true, reason: 'It moved.' };
      must(await world.admin.deleteAsset({ params, query }), 204);
      const made = await createAsset(world.producer, { fqn: published.fqn, needs_mode: 'narrow' });
      return breakIt(world, made.id);
    },
  },
  {
    way: 'loosen the needs mode together with a move',
    refusedBy: '400 VALIDATION_ERROR',
    attempt: async (world) => {
      const { assetId } = await readerOf(world, { needs_mode: 'ignore' });
      const body = { needs_mode: 'narrow' as const, environment: 'staging' };
      return world.producer.client.updateAsset({ params: { asset_id: assetId }, body });
    },
  },
  {
    way: 'relax the compatibility mode past consumers whose needs hold',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const { assetId } = await readerOf(world);
      const body = { schema: orderSchema, compatibility_mode: 'none' as const };
      return world.producer.client.publishContract({ params: { asset_id: assetId }, body });
    },
  },
  {
    way: 'take a field away in two steps, of which each leaves the need unaffected',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const { assetId } = await readerOf(world);
      // The field stays, in fewer and fewer values.
      const { id, total } = orderSchema.properties;
      const either = {
        type: 'object',
        properties: { id, total },
        required: ['id'],
        patternProperties: { '^total$': total },
      };
      await publishOk(world.producer.client, assetId, { schema: either as typeof orderSchema });
      const pattern = {
        ...{ type: 'object', properties: { id }, required: ['id'] },
        patternProperties: { '^total$': total },
      };
      const second = await breakIt(world, assetId, { schema: pattern });
      if (second.ok && (second.body as { action?: string }).action !== 'published') return second;
      return breakIt(world, assetId, { supersede: true });
    },
  },
  {
    way: 'take away a part that was added to a field which a consumer reads whole',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const { id, total } = orderSchema.properties;
      const schemaOf = (...parts: readonly string[]) => ({
        ...orderSchema,
        properties: {
          ...{ id, total },
          address: { properties: Object.fromEntries(parts.map((name) => [name, {}])) },
        },
      });
      const { id: assetId } = await createAsset(world.producer);
      const first = schemaOf('city');
      const contractId = await publishOk(world.producer.client, assetId, { schema: first });
      await reads(world.consumer, contractId, { fields: ['$.address'] });
      await publishOk(world.producer.client, assetId, { schema: schemaOf('city', 'zip') });
      return breakIt(world, assetId, { schema: first });
    },
  },
  {
    way: 'count on a need that the newest version does not meet any more',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const { assetId } = await readerOf(world);
      const proposalId = await propose(world.producer.client, assetId, narrowerSchema);
      await agree(world.consumer, proposalId);
      must(await publishProposal(world, proposalId), 200);
      const schema = { type: 'object', properties: { name: { type: 'string' } } };
      return breakIt(world, assetId, { schema });
    },
  },
  {
    way: 'count on a need of a registration that was ended, and the newest version does not meet it',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const { assetId, contractId } = await publishedAsset(world.producer);
      await reads(world.other, contractId, readsAll);
      const registration_id = await reads(world.consumer, contractId, { fields: ['$.total'] });
      const params = { registration_id };
      const { client } = world.consumer;
      must(await client.updateRegistration({ params, body: { status: 'inactive' } }), 200);
      const proposalId = await propose(world.producer.client, assetId, narrowerSchema);
      await agree(world.other, proposalId);
      must(await publishProposal(world, proposalId), 200);
      const { id } = await latest(world, assetId);
      const awake = { status: 'active' as const, contract_id: id };
      must(await client.updateRegistration({ params, body: awake }), 200);
      await leave(world.other, assetId);
      return breakIt(world, assetId, { schema: { type: 'object', properties: { name: {} } } });
    },
  },
  {
    way: 'rely on a guarantee that the contract does not have, and be excused from the others',
    refusedBy: '422 NEED_NOT_MET',
    attempt: async (world) => {
      const { contractId } = await publishedAsset(world.producer, { guarantee_mode: 'strict' });
      const needs = { ...readsId, guarantees: ['nullability.ammount'] };
      const body = { contract_id: contractId, consumer_team_id: world.consumer.teamId, needs };
      return world.consumer.client.registerConsumer({ body });
    },
  },
  {
    way: 'publish past a reader that was excused by a version before the newest',
    refusedBy: '409 PROPOSAL_STALE',
    attempt: async (world) => {
      const { producer } = world;
      const { id: assetId } = await createAsset(producer);
      const text = { type: 'string' };
      const variant = (kind: string, more: JsonObject): JsonObject => ({
        ...{ type: 'object', required: ['kind'] },
        properties: { kind: { const: kind }, ...more },
      });
      const total = { total: { type: 'number' } };
      // Both variants have the field in the newest version only.
      const before = variant('b', {});
      const schemaOf = (second: JsonObject, amount: JsonObject): JsonObject => ({
        oneOf: [variant('a', total), second],
        properties: { kind: text, amount },
      });
      const mode = { compatibility_mode: 'forward' as const };
      const first = { ...mode, schema: schemaOf(before, total.total) };
      await publishOk(producer.client, assetId, first);
      const contract_id = (await latest(world, assetId)).id;
      await reads(world.consumer, contract_id, { schema: { properties: total } });
      await reads(world.other, contract_id, undefined);
      const broken = schemaOf(before, text);
      const proposalId = await propose(producer.client, assetId, broken as never);
      await agree(world.other, proposalId);
      const newest = { schema: schemaOf(variant('b', total), total.total) };
      await publishOk(producer.client, assetId, newest);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'take a field away under mode none past a consumer of a protected asset of which it was only found',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const loose = { compatibility_mode: 'none' as const };
      const { id: assetId } = await createAsset(world.producer, { needs_mode: 'protect' });
      const first = { schema: orderSchema, ...loose };
      const contractId = await publishOk(world.producer.client, assetId, first);
      const registration_id = await reads(world.consumer, contractId, undefined);
      const found = { params: { registration_id }, body: foundIn(['$.total']) };
      must(await world.consumer.client.findNeeds(found), 200);
      return breakIt(world, assetId);
    },
  },
  {
    way: 'publish a compatible change past a reader of a protected asset that stated its need meanwhile',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { assetId, registrationId } = await consumedAsset(world, { needs_mode: 'protect' });
      const strict = { schema: { ...orderSchema, additionalProperties: false } };
      const wider = { ...orderSchema, properties: { ...orderSchema.properties, note: {} } };
      await reads(world.other, (await latest(world, assetId)).id, strict);
      const proposalId = await propose(world.producer.client, assetId, wider as typeof orderSchema);
      await agree(world.other, proposalId);
      await approve(world, proposalId);
      const params = { registration_id: registrationId };
      must(
        await world.consumer.client.updateRegistration({ params, body: { needs: strict } }),
        200,
      );
      return publishProposal(world, proposalId);
    },
  },
];

async function leave({ client, teamId }: Party, asset_id: string): Promise<void> {
  const query = { asset_id, consumer_team_id: teamId };
  const [registration] = must(await client.listRegistrations({ query }), 200).results;
  const params = { registration_id: registration?.id ?? '' };
  must(await client.deleteRegistration({ params }), 204);
}

async function latest({ admin }: World, assetId: string) {
  const query = { asset_id: assetId, status: 'active' } as const;
  const [contract] = must(await admin.listContracts({ query }), 200).results;
  if (contract === undefined) throw new Error('There is no contract.');
  return contract;
}
