// A GraphQL type that is published by hand is compared like an imported one: a type whose first
// field takes arguments is the same promise in another form.

import { expect, test } from 'vitest';
import {
  must,
  openRegistryForFile,
  publish,
  publishOk,
  register,
  uniqueName,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();

const plain = 'type User { name: String age: Int }';
const withArgument = 'type User { name(short: Boolean): String age: Int }';
const withoutAge = 'type User { name(short: Boolean): String }';

async function imported(schema: string) {
  const prefix = uniqueName('graph').replace(' ', '_');
  const { client, teamId } = world.producer;
  const body = { schema, prefix, owner_team_id: teamId, auto_publish_contracts: true };
  const made = must(await client.importGraphql({ body }), 200);
  const [type] = made.types;
  const contractId = type?.contract_id ?? '';
  const params = { contract_id: contractId };
  const contract = must(await client.getContract({ params }), 200);
  return { assetId: type?.asset_id ?? '', contractId, contract };
}

test('adding a first argument is compatible and removing a field breaks, however they are compared', async () => {
  const { client } = world.producer;
  const { assetId, contractId } = await imported(plain);
  const { contract: next, contractId: nextId } = await imported(withArgument);
  const { contract: broken, contractId: brokenId } = await imported(withoutAge);
  expect(next.direction).toBe('operation');
  const compared = async (from: string, to: string) =>
    must(await client.compareContracts({ body: { from, to } }), 200);
  expect(await compared(contractId, nextId)).toMatchObject({ is_breaking: false });
  expect(await compared(contractId, brokenId)).toMatchObject({
    is_breaking: true,
    breaking_changes: [{ type: 'property_removed' }],
  });
  const impact = await client.assessImpact({
    params: { asset_id: assetId },
    body: { proposed_schema: Object(broken.schema) },
  });
  expect(must(impact, 200)).toMatchObject({
    is_breaking: true,
    breaking_changes: [{ path: '$.properties.response.properties.age' }],
  });
  const published = await publish(client, assetId, { schema: Object(next.schema) });
  expect(published).toMatchObject({
    action: 'published',
    change_type: 'minor',
    contract: { version: '1.1.0', direction: 'operation', schema_digest: next.schema_digest },
  });
  expect(await publish(client, assetId, { schema: Object(next.schema) })).toMatchObject({
    action: 'unchanged',
  });
});

test('a schema in the older form is aligned, too: the argument breaks, not the form', async () => {
  const { client } = world.producer;
  const { assetId } = await imported(withArgument);
  const { contract: before } = await imported(plain);
  const proposed = await publish(client, assetId, { schema: Object(before.schema) });
  expect(proposed).toMatchObject({
    action: 'proposal_created',
    breaking_changes: [{ type: 'property_removed', path: expect.stringContaining('request') }],
  });
});

test('a rebase compares with the form of the then active version', async () => {
  const { client } = world.producer;
  const { assetId, contractId } = await imported(plain);
  const { contract: next } = await imported(withArgument);
  const { contract: broken } = await imported(withoutAge);
  await register(world.consumer, contractId);
  const proposed = await publish(client, assetId, { schema: Object(broken.schema) });
  if (proposed.action !== 'proposal_created') throw new Error(`It was ${proposed.action}.`);
  await publishOk(client, assetId, { schema: Object(next.schema) });
  const params = { proposal_id: proposed.proposal.id ?? '' };
  const rebased = must(await client.rebaseProposal({ params }), 200);
  expect(rebased.breaking_changes).toMatchObject([
    { type: 'property_removed', path: '$.properties.response.properties.age' },
  ]);
});

test('types by name are trusted only from imports: a schema published by hand is compared in full', async () => {
  const { client } = world.producer;
  const sdl = (total: string) =>
    `type User { name: String order: Order } type Order { id: ID! ${total} }`;
  const { assetId, contract, contractId } = await imported(sdl('total: Int'));
  const { contract: next } = await imported(sdl(''));
  await register(world.consumer, contractId);
  const imports = await client.compareContracts({ body: { from: contractId, to: next.id } });
  expect(must(imports, 200)).toMatchObject({ is_breaking: false });
  const asked = await publish(client, assetId, { schema: Object(next.schema) });
  expect(asked).toMatchObject({
    action: 'proposal_created',
    breaking_changes: [{ type: 'property_removed' }],
  });
  const same = await publish(client, assetId, { schema: Object(contract.schema) });
  expect(same).toMatchObject({ action: 'unchanged' });
});
