import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { GuaranteeMode, Guarantees } from '../../src/core/comparison.ts';
import { diffGuarantees, isSameGuarantees, parseGuarantees } from '../../src/core/guarantees.ts';
import type { Json } from '../../src/core/value/json.ts';

const everything: Guarantees = {
  freshness: { max_staleness_minutes: 60, measured_by: 'loaded_at' },
  volume: { min_rows: 1000, max_row_delta_pct: 20 },
  nullability: { id: 'never', email: 'never' },
  accepted_values: { status: ['open', 'closed'] },
  custom: [{ type: 'unique', column: 'id', config: {} }],
};

describe('parseGuarantees', () => {
  it('keeps everything the specification names', () => {
    expect(parseGuarantees(everything)).toEqual({ value: everything, problems: [] });
  });

  test('SQL may speak of passwords and addresses without having one', () => {
    const sql = "select 1 from users where password = 'x' and page like 'https://shop.example/%'";
    expect(parseGuarantees({ custom: [{ sql }] }).problems).toEqual([]);
  });

  test.each([[undefined], [null], [{}]])('%s promises nothing', (input) => {
    expect(parseGuarantees(input)).toEqual({ value: null, problems: [] });
  });

  const refused: readonly (readonly [string, Json, readonly string[]])[] = [
    ['a list', [], ['guarantees']],
    ['an unknown key', { freshnes: {} }, ['guarantees.freshnes']],
    ['a key of Object', { toString: {} }, ['guarantees.toString']],
    [
      'freshness without its limit',
      { freshness: { measured_by: 'a' } },
      ['guarantees.freshness.max_staleness_minutes'],
    ],
    [
      'staleness of zero',
      { freshness: { max_staleness_minutes: 0 } },
      ['guarantees.freshness.max_staleness_minutes'],
    ],
    [
      'staleness with a fraction',
      { freshness: { max_staleness_minutes: 1.5 } },
      ['guarantees.freshness.max_staleness_minutes'],
    ],
    [
      'an unnamed column',
      { freshness: { max_staleness_minutes: 1, measured_by: '' } },
      ['guarantees.freshness.measured_by'],
    ],
    ['an empty volume', { volume: {} }, ['guarantees.volume']],
    ['a negative volume', { volume: { min_rows: -1 } }, ['guarantees.volume.min_rows']],
    ['a volume in words', { volume: { min_rows: '5' } }, ['guarantees.volume.min_rows']],
    ['an unknown member', { volume: { min_rows: 1, max_rows: 5 } }, ['guarantees.volume.max_rows']],
    [
      'a nullability that is not never',
      { nullability: { a: 'sometimes', b: 'never' } },
      ['guarantees.nullability.a'],
    ],
    ['a nullability list', { nullability: ['a'] }, ['guarantees.nullability']],
    [
      'an empty list of accepted values',
      { accepted_values: { a: [] } },
      ['guarantees.accepted_values.a'],
    ],
    [
      'accepted values that are no list',
      { accepted_values: { a: 'x' } },
      ['guarantees.accepted_values.a'],
    ],
    ['a custom object', { custom: {} }, ['guarantees.custom']],
    ['a custom string', { custom: [{}, 'unique'] }, ['guarantees.custom[1]']],
    [
      'an address with a password',
      { custom: [{ sql: "select postgres_scan('postgresql://ada:secret@db/shop', 'o')" }] },
      ['guarantees.custom[0]'],
    ],
    [
      'a password for libpq',
      { custom: [{}, { sql: "select dblink('host=db user=ada password=secret', 'x')" }] },
      ['guarantees.custom[1]'],
    ],
    ['two faults', { volume: 1, custom: 2 }, ['guarantees.volume', 'guarantees.custom']],
  ];
  test.each(refused)('%s is refused with its path', (_name, input, paths) => {
    expect(parseGuarantees(input).problems.map((problem) => problem.path)).toEqual(paths);
  });

  it('leaves out what is at fault and keeps the rest', () => {
    const parsed = parseGuarantees({ volume: { min_rows: 1 }, nullability: 7 });
    expect(parsed).toEqual({
      value: { volume: { min_rows: 1 } },
      problems: [
        {
          path: 'guarantees.nullability',
          message: 'guarantees.nullability must be an object of column names, not a number.',
        },
      ],
    });
  });
});

const changes: readonly (readonly [string, Json, Json, readonly string[]])[] = [
  [
    'freshness promised',
    {},
    { freshness: { max_staleness_minutes: 5 } },
    ['freshness_added $.guarantees.freshness'],
  ],
  [
    'freshness taken back',
    { freshness: { max_staleness_minutes: 5 } },
    {},
    ['freshness_removed $.guarantees.freshness'],
  ],
  [
    'older data',
    { freshness: { max_staleness_minutes: 5 } },
    { freshness: { max_staleness_minutes: 9 } },
    ['freshness_relaxed $.guarantees.freshness.max_staleness_minutes'],
  ],
  [
    'fresher data',
    { freshness: { max_staleness_minutes: 9 } },
    { freshness: { max_staleness_minutes: 5 } },
    ['freshness_tightened $.guarantees.freshness.max_staleness_minutes'],
  ],
  [
    'measured by another column',
    { freshness: { max_staleness_minutes: 9, measured_by: 'a' } },
    { freshness: { max_staleness_minutes: 9, measured_by: 'b' } },
    ['freshness_relaxed $.guarantees.freshness.measured_by'],
  ],
  [
    'measured by a named column',
    { freshness: { max_staleness_minutes: 9 } },
    { freshness: { max_staleness_minutes: 9, measured_by: 'b' } },
    ['freshness_tightened $.guarantees.freshness.measured_by'],
  ],
  ['volume promised', {}, { volume: { min_rows: 5 } }, ['volume_added $.guarantees.volume']],
  ['volume taken back', { volume: { min_rows: 5 } }, {}, ['volume_removed $.guarantees.volume']],
  [
    'fewer rows',
    { volume: { min_rows: 5 } },
    { volume: { min_rows: 4 } },
    ['volume_relaxed $.guarantees.volume.min_rows'],
  ],
  [
    'more rows',
    { volume: { min_rows: 5 } },
    { volume: { min_rows: 6 } },
    ['volume_tightened $.guarantees.volume.min_rows'],
  ],
  [
    'a larger jump in rows',
    { volume: { max_row_delta_pct: 5 } },
    { volume: { max_row_delta_pct: 6 } },
    ['volume_relaxed $.guarantees.volume.max_row_delta_pct'],
  ],
  [
    'a smaller jump in rows',
    { volume: { max_row_delta_pct: 5 } },
    { volume: { max_row_delta_pct: 4 } },
    ['volume_tightened $.guarantees.volume.max_row_delta_pct'],
  ],
  [
    'a bound less',
    { volume: { min_rows: 1, max_row_delta_pct: 5 } },
    { volume: { min_rows: 1 } },
    ['volume_relaxed $.guarantees.volume.max_row_delta_pct'],
  ],
  [
    'a bound more',
    { volume: { min_rows: 1 } },
    { volume: { min_rows: 1, max_row_delta_pct: 5 } },
    ['volume_tightened $.guarantees.volume.max_row_delta_pct'],
  ],
  [
    'a column never null',
    { nullability: { a: 'never' } },
    { nullability: { a: 'never', b: 'never' } },
    ['nullability_added $.guarantees.nullability.b'],
  ],
  [
    'a column that may be null',
    { nullability: { a: 'never', b: 'never' } },
    { nullability: { a: 'never' } },
    ['nullability_removed $.guarantees.nullability.b'],
  ],
  [
    'a list of values',
    {},
    { accepted_values: { s: ['x'] } },
    ['accepted_values_added $.guarantees.accepted_values.s'],
  ],
  [
    'no list of values',
    { accepted_values: { s: ['x'] } },
    {},
    ['accepted_values_removed $.guarantees.accepted_values.s'],
  ],
  [
    'a value more',
    { accepted_values: { s: ['x'] } },
    { accepted_values: { s: ['y', 'x'] } },
    ['accepted_values_relaxed $.guarantees.accepted_values.s'],
  ],
  [
    'a value less',
    { accepted_values: { s: ['x', 'y'] } },
    { accepted_values: { s: ['y'] } },
    ['accepted_values_tightened $.guarantees.accepted_values.s'],
  ],
  [
    'another value',
    { accepted_values: { s: ['x'] } },
    { accepted_values: { s: ['y'] } },
    ['accepted_values_relaxed $.guarantees.accepted_values.s'],
  ],
  [
    'values in another order',
    { accepted_values: { s: ['x', 1] } },
    { accepted_values: { s: [1, 'x'] } },
    [],
  ],
  [
    'a test more',
    {},
    { custom: [{ type: 'unique', column: 'a' }] },
    ['custom_added $.guarantees.custom.unique.a'],
  ],
  [
    'a test less',
    { custom: [{ type: 'singular', name: 'n', sql: 's' }] },
    {},
    ['custom_removed $.guarantees.custom.singular.n'],
  ],
  [
    'a test with other terms',
    { custom: [{ type: 'r', column: 'a', config: { to: 'x' } }] },
    { custom: [{ type: 'r', column: 'a', config: { to: 'y' } }] },
    ['custom_relaxed $.guarantees.custom.r.a'],
  ],
  [
    'tests in another order',
    { custom: [{ type: 'a' }, { type: 'b' }] },
    { custom: [{ type: 'b' }, { type: 'a' }] },
    [],
  ],
  [
    'the same test once instead of twice',
    { custom: [{ type: 'a' }, { type: 'a' }] },
    { custom: [{ type: 'a' }] },
    ['custom_removed $.guarantees.custom.a'],
  ],
];

describe('diffGuarantees', () => {
  test.each(changes)('%s', (_name, old, next, expected) => {
    const found = diffGuarantees(old as Guarantees, next as Guarantees);
    expect(found.map((change) => `${change.type} ${change.path}`)).toEqual(expected);
  });

  test.each([
    ['notify', false, 'Tell consumers that rely on this guarantee.'],
    ['strict', true, undefined],
    ['ignore', false, undefined],
  ] as const)(
    'a relaxed promise under guarantee_mode %s: breaking %s',
    (mode, breaking, warning) => {
      const old = { freshness: { max_staleness_minutes: 5 } };
      const next = { freshness: { max_staleness_minutes: 90 } };
      expect(diffGuarantees(old, next, mode)).toEqual([
        {
          type: 'freshness_relaxed',
          path: '$.guarantees.freshness.max_staleness_minutes',
          description:
            '`$.guarantees.freshness.max_staleness_minutes`: "at most 5 minutes old" became "at most 90 minutes old"',
          breaking,
          ...(warning === undefined ? {} : { warning }),
          old: 5,
          new: 90,
        },
      ]);
    },
  );

  test.each(['notify', 'strict', 'ignore'] as const)(
    'a stronger promise is never breaking, under %s',
    (mode: GuaranteeMode) => {
      for (const change of diffGuarantees(null, everything, mode)) {
        expect(change).toMatchObject({ breaking: false });
        expect(change).not.toHaveProperty('warning');
      }
    },
  );

  it('removing everything names each promise once, in the order of the specification', () => {
    expect(diffGuarantees(everything, null, 'strict').map((change) => change.type)).toEqual([
      'freshness_removed',
      'volume_removed',
      'nullability_removed',
      'nullability_removed',
      'accepted_values_removed',
      'custom_removed',
    ]);
  });

  it('finds nothing between a promise and itself, and each difference from both sides', () => {
    const column = fc.constantFrom('a', 'b', 'c');
    const guarantees: fc.Arbitrary<Guarantees> = fc.record(
      {
        freshness: fc.record({ max_staleness_minutes: fc.integer({ min: 1, max: 3 }) }),
        volume: fc.record({ min_rows: fc.nat(2) }),
        nullability: fc.dictionary(column, fc.constant('never')),
        accepted_values: fc.dictionary(column, fc.array(fc.nat(3), { minLength: 1, maxLength: 3 })),
        custom: fc.array(fc.record({ type: fc.constantFrom('u', 'v'), config: fc.nat(2) }), {
          maxLength: 3,
        }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(guarantees, guarantees, (a, b) => {
        expect(diffGuarantees(a, a, 'strict')).toEqual([]);
        expect(isSameGuarantees(a, b)).toBe(isSameGuarantees(b, a));
        expect(diffGuarantees(a, b)).toEqual(diffGuarantees(a, b));
      }),
    );
  });
});
