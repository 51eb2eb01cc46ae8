// The words of a manifest and those of the registry.

import { expect, test } from 'vitest';
import {
  inManifestWords,
  toManifestChange,
  toManifestSpelling,
  toRegistryGuarantee,
  toRegistrySpelling,
} from '../../../src/core/export/spelling.ts';

const registry = {
  fqn: 'shop.orders',
  compatibilityMode: 'forward',
  guaranteeMode: 'ignore',
  // Of the document, and not of the manifest: it stays as it is.
  schema: { properties: { min_rows: { const: 'never' }, consumers: {} } },
  guarantees: {
    freshness: { max_staleness_minutes: 5, measured_by: 'min_rows' },
    volume: { min_rows: 1, max_row_delta_pct: 2 },
    nullability: { accepted_values: 'never' },
    accepted_values: { measured_by: ['never', 'Never'] },
    custom: [{ min_rows: 'never' }],
  },
  consumers: [{ team: 'billing' }],
  notes: 'For invoices.',
  acknowledgements: [
    { team: 'a', response: 'Blocked', notes: 'Not yet.' },
    { team: 'b', response: 'Approved' },
  ],
};

const manifest = {
  fqn: 'shop.orders',
  compatibilityMode: 'Forward',
  guaranteeMode: 'Ignore',
  schema: registry.schema,
  guarantees: {
    freshness: { maxStalenessMinutes: 5, measuredBy: 'min_rows' },
    volume: { minRows: 1, maxRowDeltaPct: 2 },
    nullability: { accepted_values: 'Never' },
    acceptedValues: { measured_by: ['never', 'Never'] },
    custom: [{ min_rows: 'never' }],
  },
  addConsumers: [{ team: 'billing' }],
  purpose: 'For invoices.',
  acknowledgements: [
    { team: 'a', response: 'Blocked', reason: 'Not yet.' },
    { team: 'b', response: 'Approved' },
  ],
};

/** The controller writes neither into an object that it makes. */
const { notes: _, acknowledgements: _answers, ...made } = registry;

test('only fields and choices of the kind are respelled, never names that users gave', () => {
  const { purpose: _purpose, acknowledgements: _written, ...written } = manifest;
  expect(toManifestSpelling(made)).toEqual(written);
  expect(toRegistrySpelling(manifest)).toEqual({ spec: registry, older: [] });
});

test('the older spelling is read as it is, and each place of it is told', () => {
  const { spec, older } = toRegistrySpelling({
    ...registry,
    schemaFrom: { format: 'graphql', typeName: 'Order' },
    acknowledge: [],
    needs: { guarantees: ['accepted_values.min_rows', 'nullability.min_rows'] },
  });
  expect(spec).toEqual({
    ...registry,
    schemaFrom: { format: 'graphql', typeName: 'Order' },
    acknowledge: [],
    needs: { guarantees: ['accepted_values.min_rows', 'nullability.min_rows'] },
  });
  expect([...older].sort()).toEqual([
    'spec.acknowledgements[0]: write reason instead of notes',
    'spec.compatibilityMode: write Forward instead of forward',
    'spec.guaranteeMode: write Ignore instead of ignore',
    'spec.guarantees.freshness: write maxStalenessMinutes instead of max_staleness_minutes',
    'spec.guarantees.freshness: write measuredBy instead of measured_by',
    'spec.guarantees.volume: write maxRowDeltaPct instead of max_row_delta_pct',
    'spec.guarantees.volume: write minRows instead of min_rows',
    'spec.guarantees: write acceptedValues instead of accepted_values',
    'spec.needs.guarantees: write acceptedValues.min_rows instead of accepted_values.min_rows',
    'spec.schemaFrom.format: write GraphQL instead of graphql',
    'spec: write acknowledgements, which name a digest, instead of acknowledge',
    'spec: write addConsumers instead of consumers',
    'spec: write purpose instead of notes',
  ]);
});

test.each([
  { compatibilityMode: 'Backwards', guaranteeMode: 7 },
  { guarantees: { freshnes: {} }, schemaFrom: 'x' },
  { guarantees: { accepted_values: { a: [1] }, acceptedValues: { a: [2] } } },
])('what is no spelling of anything stays, so that it is refused: %j', (spec) => {
  expect(toRegistrySpelling(spec).spec).toEqual(spec);
});

test('a message speaks of the fields of the manifest', () => {
  expect(inManifestWords('spec.guarantees.volume.min_rows must be at least 0.')).toBe(
    'spec.guarantees.volume.minRows must be at least 0.',
  );
});

test.each([
  [
    'property_removed',
    '$.properties.accepted_values',
    '`$.properties.accepted_values`: gone',
    'PropertyRemoved',
    '$.properties.accepted_values',
    '`$.properties.accepted_values`: gone',
  ],
  [
    'accepted_values_relaxed',
    '$.guarantees.accepted_values.min_rows',
    '`$.guarantees.accepted_values.min_rows`: "min_rows" may appear now',
    'AcceptedValuesRelaxed',
    '$.guarantees.acceptedValues.min_rows',
    '`$.guarantees.acceptedValues.min_rows`: "min_rows" may appear now',
  ],
  [
    'freshness_relaxed',
    '$.guarantees.freshness.max_staleness_minutes',
    '`$.guarantees.freshness.max_staleness_minutes`: no promise became "x"',
    'FreshnessRelaxed',
    '$.guarantees.freshness.maxStalenessMinutes',
    '`$.guarantees.freshness.maxStalenessMinutes`: no promise became "x"',
  ],
  [
    'guarantee_mode_lowered',
    '$.guarantee_mode',
    'The guarantee mode of strict.notify would change from strict to notify.',
    'GuaranteeModeLowered',
    '$.guaranteeMode',
    'The guarantee mode of strict.notify would change from Strict to Notify.',
  ],
  [
    'compatibility_mode_relaxed',
    '$.compatibility_mode',
    '`$.compatibility_mode`: full became none, which allows more',
    'CompatibilityModeRelaxed',
    '$.compatibilityMode',
    '`$.compatibilityMode`: Full became None, which allows more',
  ],
  ['asset_moved', '$.owner_team_id', 'Its owner.', 'AssetMoved', '$.team', 'Its owner.'],
])(
  'a change (%s at %s) is told in the words of a manifest, once',
  (type, path, description, ...now) => {
    const told = toManifestChange({ type, path, description, breaking: true });
    expect(Object.values(told)).toEqual([...now, true]);
    expect(toManifestChange(told)).toEqual(told);
  },
);

test('a guarantee that a team relies on is read in either spelling', () => {
  const names = ['acceptedValues.minRows', 'accepted_values.minRows', 'volume.minRows', 'volume'];
  expect(names.map(toRegistryGuarantee)).toEqual([
    'accepted_values.minRows',
    'accepted_values.minRows',
    'volume.min_rows',
    'volume',
  ]);
});
