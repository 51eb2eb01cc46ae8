import { expect, test } from 'vitest';
import type { Change } from '../../../src/core/comparison.ts';
import { isBesideBreaks } from '../../../src/core/decide/proposals/beside-breaks.ts';

const newest = {
  type: 'object',
  properties: {
    a: { type: 'object', properties: { b: {}, c: {} } },
    note: { type: 'string' },
    shared: { type: 'array', items: { $ref: '#/$defs/shared' } },
  },
  oneOf: [{ properties: { variant: {} } }],
  $defs: { shared: {} },
};

const change = (type: Change['type'], path: string, breaking = false): Change => ({
  ...{ type, path, breaking },
  description: '',
});

const breaks = [change('property_removed', '$.properties.a.properties.b', true)];

test.each<readonly [string, Change, boolean]>([
  ['words', change('annotation_changed', '$'), true],
  ['a default', change('default_changed', '$.properties.a.properties.b'), true],
  ['a guarantee', change('freshness_tightened', '$.guarantees.freshness'), true],
  ['a property elsewhere', change('property_added', '$.properties.note'), true],
  ['a property beside it', change('property_added', '$.properties.a.properties.c'), true],
  ['a property that holds it', change('property_added', '$.properties.a'), false],
  ['a property below it', change('property_added', '$.properties.a.properties.b.items'), false],
  ['a property behind a reference', change('property_added', '$.properties.shared'), false],
  ['a property of a variant', change('property_added', '$.oneOf[0].properties.variant'), false],
  ['a property that is not there', change('property_added', '$.properties.other'), false],
  ['a wider type elsewhere', change('type_widened', '$.properties.note'), false],
  ['a relaxed mode', change('compatibility_mode_relaxed', '$.compatibility_mode', true), false],
])('An answer holds for a contract that has changed since by %s', (_what, since, holds) => {
  expect(isBesideBreaks([since], breaks, newest)).toBe(holds);
});
