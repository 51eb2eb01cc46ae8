import fc from 'fast-check';
import { expect, test } from 'vitest';
import { valuePlaceOf } from '../../../src/core/schema/value-place.ts';
import { stepsOf, stepText } from '../../../src/core/value/json-path.ts';

test('A path that is written is read as the same steps, whatever the names are', () => {
  const step = fc.oneof(fc.string({ unit: 'binary' }), fc.nat(1000));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      expect(stepsOf(`$${steps.map(stepText).join('')}`)).toEqual(steps);
    }),
  );
});

test.each([
  { path: '$', steps: [], isWhole: true },
  { path: '$.properties["a.b"].items.properties.items', steps: ['a.b', null, 'items'] },
  { path: '$.anyOf[1].patternProperties["^x"].prefixItems[0]', steps: [null, 0] },
  { path: '$.properties.a.$defs.b', steps: ['a'], isWhole: false },
  { path: '$.properties.a.required', steps: ['a'], isWhole: false },
])('$path leads to $steps in a value', ({ path, steps, isWhole = true }) => {
  expect(valuePlaceOf(path)).toEqual({ steps, isWhole });
});
