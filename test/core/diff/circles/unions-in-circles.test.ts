// A union with null in what the union itself holds is rewritten into nodes that hold another such union.
// Each is made once, so that the circle closes on itself after a few of them.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openPlaces } from '../../../../src/core/diff/places/place.ts';
import type { Place } from '../../../../src/core/diff/places/place.types.ts';
import { parseSchema } from '../../../../src/core/schema/parse-schema.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';

/** Of a document of some ten nodes; before, one of thirty such documents made 50,000. */
const mostMade = 100;

/** So many nodes are made to read every place of a document. */
function madeFor(schema: Json): number {
  const book = openPlaces(parseSchema(schema), 'old');
  const seen = new Set<Place>();
  const waiting = [book.placeOf([book.document.root])];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (seen.has(place)) continue;
    seen.add(place);
    const { parts, unions } = place.view;
    for (const { members } of unions) waiting.push(...members);
    for (const { node } of parts) {
      const { properties, items } = node.keywords;
      for (const child of properties?.values() ?? []) waiting.push(book.placeOf([child]));
      if (items !== undefined) waiting.push(book.placeOf([items]));
    }
  }
  const [first, next] = [openPlaces(parseSchema(true), 'old'), book].map(({ madeNode, document }) =>
    madeNode(document.root, {}),
  );
  return (next?.id ?? 0) - (first?.id ?? 0);
}

const nullable = (schema: Json): JsonObject => ({ anyOf: [schema, { type: 'null' }] });
const order = { $ref: '#/$defs/Order' };
const gift = { $ref: '#/$defs/Gift' };

test.each<[string, Json]>([
  [
    'an order holds a gift, which is an order or null',
    {
      ...gift,
      $defs: {
        Order: { properties: { gift: nullable(gift) } },
        Gift: { allOf: [order, nullable(gift)] },
      },
    },
  ],
  [
    'null or itself, beside a property that is it or null',
    {
      allOf: [order, gift],
      $defs: {
        Order: { properties: { gift: nullable(gift), root: { anyOf: [order, { $ref: '#' }] } } },
        Gift: nullable(gift),
      },
    },
  ],
  [
    'null, around all of itself twice',
    {
      allOf: [gift, nullable({ $ref: '#' })],
      $defs: {
        Gift: nullable({ allOf: [nullable(gift), order] }),
        Order: { oneOf: [nullable({ $ref: '#' }), { type: 'null' }] },
      },
    },
  ],
])('%s: a few nodes are made', (_name, schema) => {
  expect(madeFor(schema)).toBeLessThan(mostMade);
});

const names = ['A', 'B', 'C'];
const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'circle' },
    {
      weight: 3,
      arbitrary: fc
        .constantFrom('', ...names.map((name) => `/$defs/${name}`))
        .map(($ref) => ({ $ref: `#${$ref}` })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<JsonObject>(
        { type: 'null' },
        { type: 'integer' },
        { enum: ['a', null] },
      ),
    },
    { weight: 3, arbitrary: tie('schema').map(nullable) },
    { weight: 1, arbitrary: fc.tuple(tie('schema'), tie('schema')).map((oneOf) => ({ oneOf })) },
    { weight: 2, arbitrary: fc.tuple(tie('schema'), tie('schema')).map((allOf) => ({ allOf })) },
    {
      weight: 2,
      arbitrary: fc.tuple(tie('schema'), tie('schema')).map(([p, q]) => ({ properties: { p, q } })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('schema'), tie('schema')).map(([own, items]) => ({ ...own, items })),
    },
  ),
}));

test('whatever circle unions with null stand in, a few nodes are made', () => {
  fc.assert(
    fc.property(schema, schema, schema, schema, (root, A, B, C) => {
      expect(madeFor({ ...root, $defs: { A, B, C } })).toBeLessThan(mostMade);
    }),
    { numRuns: Number(process.env.LAW_RUNS ?? 400), seed: 20_261_122 },
  );
});
