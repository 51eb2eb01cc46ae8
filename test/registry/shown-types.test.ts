import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseGraphql } from '../../src/core/import/graphql/graphql.ts';
import { verbs } from '../../src/registry/verbs.ts';
import {
  accepted,
  openTestRegistry,
  type TestRegistry,
} from '../controller/support/open-controller.ts';

let registry: TestRegistry;

beforeAll(async () => {
  registry = await openTestRegistry();
});

afterAll(() => registry?.stop());

/** As a DataContract of one type requests it. */
function termsOf(sdl: string) {
  const { candidates } = parseGraphql(`type Query { order: Order } ${sdl}`);
  const order = candidates.find(({ fqn }) => fqn.endsWith('.Order'));
  if (order?.terms == null) throw new Error('The type has no contract.');
  const { schema, format, direction } = order.terms;
  return { schema, format, direction, dryRun: false, supersede: false };
}

test('a GraphQL type that is published alone is compared with the types that it includes, in each round', async () => {
  const { ports, admin } = registry;
  const team = await registry.team('checkout');
  const asset = { fqn: 'shop.Order', ownerTeamId: team.id };
  const { id: assetId } = accepted(await verbs.createAsset(ports, admin, asset));
  const publish = async (sdl: string) =>
    accepted(await verbs.publishContract(ports, admin, { ...termsOf(sdl), assetId }));

  await publish('type Order { by: Buyer note: Int } type Buyer { name: Int mail: Int }');
  const proposed = await publish('type Order { by: Buyer } type Buyer { name: Int }');
  if (proposed.action !== 'proposal_created') throw new Error(`It was ${proposed.action}.`);
  const shown = { type: 'property_removed', path: '$.properties.by.properties.mail' };
  expect(proposed.breakingChanges).toContainEqual(expect.objectContaining(shown));

  await publish('type Order { by: Buyer note: Int at: Int } type Buyer { name: Int mail: Int }');
  const proposalId = proposed.proposal.id ?? '';
  const rebased = accepted(await verbs.rebaseProposal(ports, admin, { proposalId }));
  expect(rebased.breakingChanges).toContainEqual(expect.objectContaining(shown));
});
