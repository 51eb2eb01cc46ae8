// What goes from a file: its name may go to something else only once its consumers agreed, and an
// API, a project or a contract that describes nothing any more is removed as a whole.

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import {
  must,
  openRegistryForFile,
  register,
  uniqueName,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();

const whole = { type: 'object', properties: { a: { type: 'string' } } };
const answer = { description: '', content: { 'application/json': { schema: whole } } };
const specOf = (title: string, ...paths: string[]): JsonObject => ({
  openapi: '3.1.0',
  info: { title, version: '1' },
  paths: Object.fromEntries(paths.map((path) => [path, { get: { responses: { 200: answer } } }])),
});

/** An import of its own prefix. */
function openPrefix() {
  const prefix = uniqueName('gone').replace(' ', '_').toLowerCase();
  const { admin, producer } = world;
  return {
    prefix,
    send: async (spec: JsonObject, more: JsonObject = {}, teamId = producer.teamId) =>
      must(
        await admin.importOpenapi({ body: { spec, prefix, owner_team_id: teamId, ...more } }),
        200,
      ),
    preview: async (spec: JsonObject) =>
      must(await admin.diffOpenapi({ body: { spec, prefix } }), 200),
  };
}

type Report = Awaited<ReturnType<ReturnType<typeof openPrefix>['send']>>;

const consumeFirst = ({ endpoints }: Report) =>
  register(world.consumer, endpoints[0]?.contract_id ?? '');
const codesOf = ({ errors }: Report) => errors.map(({ code }) => code);

test('a name is given away once its consumers agreed to the deprecation', async () => {
  const { send, prefix } = openPrefix();
  const { consumer, producer } = world;
  await consumeFirst(await send(specOf('Shop', '/Users')));
  const waiting = await send(specOf('Shop', '/users'));
  expect(waiting).toMatchObject({
    status: 'partial',
    contracts: { published: 0 },
    proposals: { created: 1 },
    removed: [{ fqn: `${prefix}.shop.get_users`, path: '/Users', breaking: true }],
    errors: [{ code: 'NAME_TAKEN', fqn: `${prefix}.shop.get_users` }],
  });
  const again = await send(specOf('Shop', '/users'));
  expect(again).toMatchObject({ proposals: { created: 0 }, errors: [{ code: 'NAME_TAKEN' }] });
  const params = { proposal_id: waiting.proposals.details[0]?.proposal_id ?? '' };
  must(await consumer.client.acknowledgeProposal({ params, body: {} }), 200);
  must(await producer.client.publishProposal({ params }), 200);
  const taken = await send(specOf('Shop', '/users'));
  expect(taken).toMatchObject({ status: 'success', removed: [{ path: '/Users' }], errors: [] });
  expect(await send(specOf('Shop', '/users'))).toMatchObject({ removed: [], errors: [] });
});

test('a name that nobody consumes goes at once; another spelling of a parameter is no other endpoint', async () => {
  const { send } = openPrefix();
  await send(specOf('Shop', '/Users', '/orders/{id}'));
  const taken = await send(specOf('Shop', '/users', '/orders/{ID}'));
  expect(taken).toMatchObject({ status: 'success', removed: [{ path: '/Users' }], errors: [] });
  expect(await send(specOf('Shop', '/users', '/orders/{id}'))).toMatchObject({ removed: [] });
});

test('without auto_create_proposals the import is refused, or leaves the endpoint out', async () => {
  const { send, prefix } = openPrefix();
  const { admin, producer } = world;
  await consumeFirst(await send(specOf('Shop', '/Users')));
  const body = { prefix, owner_team_id: producer.teamId, auto_create_proposals: false };
  const refused = await admin.importOpenapi({ body: { ...body, spec: specOf('Shop', '/users') } });
  expect(refused).toMatchObject({ status: 409, refusal: { code: 'BREAKING_CHANGE' } });
  const silent = await send(specOf('Shop', '/users'), {
    auto_publish_contracts: false,
    auto_create_proposals: false,
    conflict_mode: 'overwrite',
  });
  expect(codesOf(silent)).toEqual(['NAME_TAKEN']);
  expect(codesOf(await send(specOf('Shop', '/users')))).toEqual(['NAME_TAKEN']);
});

test('an API with another title is removed under the old one; an endpoint in common is no reason', async () => {
  const { send, preview, prefix } = openPrefix();
  const { other } = world;
  await send(specOf('Shop', '/health', '/users', '/orders'));
  expect(await send(specOf('Billing', '/health', '/bills'))).toMatchObject({ removed: [] });
  const theirs = await send(specOf('Store', '/health', '/users'), {}, other.teamId);
  expect(theirs).toMatchObject({ removed: [] });
  const moved = specOf('Market', '/users', '/orders', '/carts');
  const told = ['get_health', 'get_orders', 'get_users'].map((name) => ({
    fqn: `${prefix}.shop.${name}`,
  }));
  const { summary } = await preview(moved);
  expect(summary).toMatchObject({ removed: 3, new: 3 });
  const { removed } = await send(moved);
  expect(removed.toSorted((a, b) => (a.fqn < b.fqn ? -1 : 1))).toMatchObject(told);
  // Both are served from now on, as two versions of an API are.
  expect(await send(moved)).toMatchObject({ removed: [] });
});

test('the preview of a document without paths says what it removes', async () => {
  const { send, preview } = openPrefix();
  await consumeFirst(await send(specOf('Shop', '/users')));
  expect(await preview(specOf('Shop'))).toMatchObject({
    status: 'breaking_changes_detected',
    summary: { removed: 1, breaking: 1 },
  });
  expect(await preview(specOf('Other'))).toMatchObject({ summary: { removed: 0 } });
});
