// An approval is for the change that was read. What the contract has gained since goes only with a
// new question, even if the change reads the same.

import type { JsonObject } from '../../../src/core/value/json.ts';
import { createAsset, propose, publishOk, register } from '../../support/client/client-world.ts';
import { agree, publishProposal, type Way } from './way.ts';

const text = { type: 'string' };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

/** Many places that share one definition. */
const places = (count: number, shared: JsonObject): JsonObject =>
  object(
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`place${index}`, { $ref: '#/$defs/shared' }]),
    ),
    { $defs: { shared } },
  );
const [less, more] = [object({ a: text }), object({ a: text, b: text })];
const others = (additionalProperties: JsonObject | boolean) =>
  object({ a: text }, { additionalProperties });
const condition = (size: JsonObject, note: JsonObject): JsonObject =>
  object(
    { size: { type: 'integer' } },
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword.
    { if: { required: ['size'], properties: { size } }, then: { properties: note } },
  );
const tree = (more: JsonObject): JsonObject => ({
  $ref: '#/$defs/node',
  $defs: { node: object({ left: { $ref: '#/$defs/node' }, ...more }) },
});

/** The contract that was read, what everybody agreed to, and the contract published meanwhile. */
const chains: Readonly<Record<string, readonly [JsonObject, JsonObject, JsonObject]>> = {
  'one more of many places uses the same definition': [
    places(8, more),
    places(9, less),
    places(9, more),
  ],
  'one more of many places takes the same values': [
    places(8, { enum: ['a', 'b'] }),
    places(9, { enum: ['a'] }),
    places(9, { enum: ['a', 'b'] }),
  ],
  'names that are not listed hold more': [others(less), others(false), others(more)],
  'a condition holds for more values': [
    condition({ minimum: 5 }, { note: text }),
    condition({}, {}),
    condition({}, { note: text }),
  ],
  'a tree has one more branch': [
    tree({ name: text }),
    tree({ right: { $ref: '#/$defs/node' } }),
    tree({ name: text, right: { $ref: '#/$defs/node' } }),
  ],
  'a property that is then demanded may be absent in more values': [
    object({ inner: object({ a: text }) }, { required: ['inner'] }),
    object({ inner: object({ a: text }, { required: ['a'] }) }),
    object({ inner: object({ a: text }) }),
  ],
};

export const widened: readonly Way[] = Object.entries(chains).map(
  ([since, [read, agreed, meanwhile]]) => ({
    way: `publish what was agreed to once ${since}`,
    refusedBy: '409 PROPOSAL_STALE',
    attempt: async (world) => {
      const { client } = world.producer;
      const { id: assetId } = await createAsset(world.producer);
      await register(world.consumer, await publishOk(client, assetId, { schema: read }));
      const proposalId = await propose(client, assetId, agreed);
      await agree(world.consumer, proposalId);
      await publishOk(client, assetId, { schema: meanwhile });
      return publishProposal(world, proposalId);
    },
  }),
);
