// The consequences that docs/compatibility.md names, each a sentence and a test.

import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { isValid } from './support/second-opinion.ts';
import { between, object, told } from './support/terms.ts';

const text: Json = { type: 'string' };
const whole: Json = { type: 'integer' };

function expectWitnesses(old: Json, next: Json, mode: 'backward' | 'forward'): void {
  const { changes, isBreaking } = between(old, next, { mode });
  expect(isBreaking).toBe(true);
  const [left, right] = mode === 'backward' ? [old, next] : [next, old];
  const breaking = changes.filter((change) => change.breaking);
  expect(breaking.length).toBeGreaterThan(0);
  for (const change of breaking) {
    expect(change).toHaveProperty('witness');
    expect(isValid(left, change.witness ?? null)).toBe(true);
    expect(isValid(right, change.witness ?? null)).toBe(false);
  }
}

describe('backward', () => {
  test.each([
    ['was open', object({ a: whole }), object({ a: whole, b: text })],
    [
      'said additionalProperties: true',
      object({ a: whole }, [], { additionalProperties: true }),
      object({ a: whole, b: text }, [], { additionalProperties: true }),
    ],
  ])('an optional property may be added where old %s', (_name, old, next) => {
    const comparison = between(old, next);
    expect(told(comparison)).toEqual(['property_added $.properties.b']);
    expect(comparison).toMatchObject({ isBreaking: false, breaksBackward: false, bump: 'minor' });
  });

  test('an optional property beside additionalProperties {type: string} breaks if what was allowed there would not fit', () => {
    const map = { additionalProperties: { type: 'string' } };
    const old = object({ a: whole }, [], map);
    expect(told(between(old, object({ a: whole, b: whole }, [], map)))).toEqual([
      '! property_added $.properties.b',
    ]);
    expectWitnesses(old, object({ a: whole, b: whole }, [], map), 'backward');
    expect(told(between(old, object({ a: whole, b: text }, [], map)))).toEqual([
      'property_added $.properties.b',
    ]);
  });

  test('an optional property at a free-form place breaks: what was written there may have others', () => {
    const old = object({ meta: { type: 'object' } });
    const next = object({ meta: object({ b: text }) });
    expect(told(between(old, next))).toEqual(['! property_added $.properties.meta.properties.b']);
    expectWitnesses(old, next, 'backward');
    expect(told(between(old, object({ meta: object({ b: {} }) })))).toEqual([
      '! schema_narrowed $.properties.meta',
      'property_added $.properties.meta.properties.b',
    ]);
  });

  test.each([
    [
      'a new required',
      object({ a: whole, b: text }),
      object({ a: whole, b: text }, ['b']),
      'required_added $.properties.b',
    ],
    [
      'a narrower type',
      object({ a: { type: ['integer', 'string'] } }),
      object({ a: text }),
      'type_narrowed $.properties.a',
    ],
    [
      'an enum value removed',
      object({ a: { enum: ['x', 'y'] } }),
      object({ a: { enum: ['x'] } }),
      'enum_values_removed $.properties.a',
    ],
    [
      'a tighter bound',
      object({ a: { type: 'number', maximum: 10 } }),
      object({ a: { type: 'number', maximum: 9 } }),
      'constraint_tightened $.properties.a',
    ],
    [
      'a new pattern',
      object({ a: text }),
      object({ a: { type: 'string', pattern: '^x' } }),
      'constraint_tightened $.properties.a',
    ],
    [
      'a schema-valued additionalProperties turned off',
      object({ a: whole }, [], { additionalProperties: text }),
      object({ a: whole }, [], { additionalProperties: false }),
      'additional_properties_closed $.additionalProperties',
    ],
  ])('%s breaks, with a witness', (_name, old, next, change) => {
    expect(told(between(old, next))).toEqual([`! ${change}`]);
    expectWitnesses(old, next, 'backward');
  });

  test('no field a consumer reads goes away: a property removed breaks', () => {
    const comparison = between(object({ a: whole, b: text }), object({ a: whole }));
    expect(told(comparison)).toEqual(['! property_removed $.properties.b']);
    expect(comparison).toMatchObject({ isBreaking: true, breaksBackward: true, bump: 'major' });
  });

  test('a property that a map covers is not gone', () => {
    const old = object({ a: whole, b: text });
    expect(
      told(between(old, object({ a: whole }, [], { additionalProperties: text }))),
    ).not.toContain('! property_removed $.properties.b');
    expect(
      told(between(old, object({ a: whole }, [], { patternProperties: { '^b': text } }))),
    ).not.toContain('! property_removed $.properties.b');
    expect(told(between(old, object({ a: whole }, [], { additionalProperties: true })))).toContain(
      '! property_removed $.properties.b',
    );
  });

  test('closing an object that was open is no break: its producer adds nothing', () => {
    const comparison = between(
      object({ a: whole }),
      object({ a: whole }, [], { additionalProperties: false }),
    );
    expect(told(comparison)).toEqual(['additional_properties_closed $.additionalProperties']);
    expect(comparison).toMatchObject({ isBreaking: false, bump: 'minor' });
  });
});

describe('forward', () => {
  const setting = { mode: 'forward' } as const;

  test('a property may be removed', () => {
    const comparison = between(object({ a: whole, b: text }), object({ a: whole }), setting);
    expect(told(comparison)).toEqual(['property_removed $.properties.b']);
    expect(comparison.changes[0]).not.toHaveProperty('warning');
    expect(comparison).toMatchObject({ isBreaking: false, breaksBackward: true, bump: 'major' });
  });

  test('a property may be removed where it was required, with a warning', () => {
    const comparison = between(
      object({ a: whole, b: text }, ['a', 'b']),
      object({ a: whole }, ['a']),
      setting,
    );
    expect(told(comparison)).toEqual(['property_removed $.properties.b']);
    expect(comparison.changes[0]).toHaveProperty(
      'warning',
      'It was required: strict consumers that still demand it will refuse the new data.',
    );
    expect(comparison).toMatchObject({ isBreaking: false, bump: 'major' });
  });

  test('an optional property may be added, unless old forbids unknown ones', () => {
    const added = between(object({ a: whole }), object({ a: whole, b: text }), setting);
    expect(told(added)).toEqual(['property_added $.properties.b']);
    expect(added).toMatchObject({ isBreaking: false, bump: 'minor' });
    const closed = { additionalProperties: false };
    const old = object({ a: whole }, [], closed);
    const next = object({ a: whole, b: text }, [], closed);
    expect(told(between(old, next, setting))).toEqual(['! property_added $.properties.b']);
    expectWitnesses(old, next, 'forward');
  });

  test.each([
    [
      'a wider type',
      object({ a: whole }),
      object({ a: { type: 'number' } }),
      'type_widened $.properties.a',
    ],
    [
      'an enum value more',
      object({ a: { enum: ['x'] } }),
      object({ a: { enum: ['x', 'y'] } }),
      'enum_values_added $.properties.a',
    ],
    [
      'a looser bound',
      object({ a: { type: 'number', maximum: 9 } }),
      object({ a: { type: 'number', maximum: 10 } }),
      'constraint_relaxed $.properties.a',
    ],
  ])('%s breaks, with a witness', (_name, old, next, change) => {
    expect(told(between(old, next, setting))).toEqual([`! ${change}`]);
    expectWitnesses(old, next, 'forward');
  });

  test('a property that old does not declare, added as required, breaks', () => {
    const comparison = between(object({ a: whole }), object({ a: whole, b: text }, ['b']), setting);
    expect(told(comparison)).toEqual([
      '! required_added $.properties.b',
      'property_added $.properties.b',
    ]);
  });

  test('an optional object with required members of its own may be added', () => {
    const next = object({ a: whole, b: object({ c: text }, ['c']) });
    expect(between(object({ a: whole }), next, setting).isBreaking).toBe(false);
  });

  test('an optional property made required passes and is a major', () => {
    const comparison = between(object({ a: whole }), object({ a: whole }, ['a']), setting);
    expect(told(comparison)).toEqual(['required_added $.properties.a']);
    expect(comparison).toMatchObject({ isBreaking: false, breaksBackward: true, bump: 'major' });
  });

  test('a demand inside a definition goes only where the property went', () => {
    const node = (required: readonly string[]): Json => object({ v: whole, w: text }, required);
    const old: Json = {
      ...(object({ kept: { $ref: '#/$defs/n' }, cut: { $ref: '#/$defs/n' } }) as object),
      $defs: { n: node(['v', 'w']) },
    };
    const next = object({ kept: node(['v']), cut: object({ v: whole }, ['v']) });
    expect(told(between(old, next, setting))).toEqual([
      '! required_removed $.properties.kept.properties.w',
      'property_removed $.properties.cut.properties.w',
    ]);
  });

  const demanding = object({ v: whole }, ['v']);
  const optional = object({ v: whole });
  const mapOf = (additionalProperties: Json, properties: JsonObject = {}): Json =>
    object(properties, [], { additionalProperties });

  test.each<[name: string, old: Json, next: Json]>([
    ['a map', mapOf(demanding), object({ k: optional })],
    ['a map that stays', mapOf(demanding), mapOf(object({}), { k: optional })],
    [
      'a pattern',
      object({}, [], { patternProperties: { '^k': demanding } }),
      object({ k: optional }),
    ],
    [
      'what nothing else describes',
      { type: 'object', unevaluatedProperties: demanding },
      object({ k: optional }),
    ],
  ])('a demand within %s stays for the keys where its property stays', (_name, old, next) => {
    const { changes, isBreaking } = between(old, next, setting);
    const witnesses = changes.flatMap(({ breaking, witness }) => (breaking ? [witness] : []));
    expect({ isBreaking, first: witnesses[0] }).toEqual({ isBreaking: true, first: { k: {} } });
  });

  test.each<[old: Json, next: Json]>([
    [mapOf(demanding, { k: optional }), mapOf(object({}), { k: optional })],
    [
      object({}, [], { patternProperties: { '^k': demanding } }),
      object({ l: optional }, [], { patternProperties: { '^k': object({}) } }),
    ],
  ])('a demand within a map goes where only keys beside it keep the property: %j', (old, next) => {
    expect(between(old, next, setting).isBreaking).toBe(false);
  });
});

describe('full', () => {
  test('anything but annotations changed is breaking', () => {
    const old = object({ a: { type: 'integer', maximum: 3 } });
    const next = object({ a: { type: 'integer', maximum: 9, description: 'more' }, b: text });
    expect(told(between(old, next, { mode: 'full' }))).toEqual([
      '! property_added $.properties.b',
      '! constraint_relaxed $.properties.a',
      'annotation_changed $.properties.a',
    ]);
  });

  test('annotations alone are not', () => {
    const comparison = between({ title: 'a' }, { title: 'b' }, { mode: 'full' });
    expect(comparison).toMatchObject({ isBreaking: false, bump: 'patch' });
  });
});

describe('none', () => {
  test('never breaks, and the version tells', () => {
    const comparison = between(object({ a: whole, b: text }), object({ a: text }), {
      mode: 'none',
    });
    expect(told(comparison)).toEqual([
      'property_removed $.properties.b',
      'type_changed $.properties.a',
    ]);
    expect(comparison).toMatchObject({ isBreaking: false, breaksBackward: true, bump: 'major' });
  });
});

test('default_* alone never breaks in backward or forward; full lists it as breaking', () => {
  const rows: readonly (readonly [Json, Json, string])[] = [
    [{ type: 'integer' }, { type: 'integer', default: 1 }, 'default_added $'],
    [{ type: 'integer', default: 1 }, { type: 'integer' }, 'default_removed $'],
    [{ type: 'integer', default: 1 }, { type: 'integer', default: 2 }, 'default_changed $'],
  ];
  for (const [old, next, change] of rows) {
    for (const mode of ['backward', 'forward', 'none'] as const) {
      const comparison = between(old, next, { mode });
      expect(told(comparison)).toEqual([change]);
      expect(comparison.bump).toBe('patch');
    }
    expect(told(between(old, next, { mode: 'full' }))).toEqual([`! ${change}`]);
  }
});

describe('closed(S) is defined on values, not on text', () => {
  const part = (name: string): Json => object({ [name]: whole });

  test('allOf of two objects does not close the parts against each other', () => {
    const old: Json = { allOf: [part('a'), part('b')] };
    const next: Json = { allOf: [object({ a: text }), part('b')] };
    expect(told(between(old, next))).toEqual(['! type_changed $.properties.a']);
    expectWitnesses(old, next, 'backward');
  });

  test('nested allOf on one property', () => {
    const old = object({ p: { allOf: [part('a'), { allOf: [part('b'), part('c')] }] } });
    const next = object({ p: { allOf: [part('a'), { allOf: [part('b'), object({ c: text })] }] } });
    expect(told(between(old, next))).toEqual(['! type_changed $.properties.p.properties.c']);
  });

  test('anyOf with a discriminating const', () => {
    const branch = (kind: string, more: { readonly [key: string]: Json }) =>
      object({ kind: { const: kind }, ...more }, ['kind']);
    const old: Json = { anyOf: [branch('a', { x: whole }), branch('b', { y: whole })] };
    const next: Json = { anyOf: [branch('a', { x: whole }), branch('b', { y: text })] };
    expect(told(between(old, next))).toEqual(['! type_changed $.anyOf[1].properties.y']);
    expectWitnesses(old, next, 'backward');
  });

  test('a branch more is no break, a branch less is', () => {
    const one = object({ kind: { const: 'a' } }, ['kind']);
    const two = object({ kind: { const: 'b' } }, ['kind']);
    expect(told(between({ oneOf: [one] }, { oneOf: [one, two] }))).toEqual([
      'union_member_added $.oneOf[1]',
    ]);
    expect(told(between({ oneOf: [one, two] }, { oneOf: [one] }))).toEqual([
      '! union_member_removed $.oneOf[1]',
    ]);
  });

  test('not evaluates nothing', () => {
    const old: Json = {
      ...(part('a') as object),
      not: { properties: { b: { const: 1 } }, required: ['b'] },
    };
    const next: Json = { ...(part('a') as object), properties: { a: whole, b: text } };
    expect(between(old, next).isBreaking).toBe(false);
  });

  test('what then evaluates is emitted', () => {
    const old: Json = {
      ...(part('a') as object),
      if: { properties: { a: { const: 1 } }, required: ['a'] },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword.
      then: { properties: { b: whole } },
    };
    expect(between(old, object({ a: whole, b: text })).isBreaking).toBe(true);
  });

  test('$ref with siblings', () => {
    const old: Json = { $ref: '#/$defs/a', properties: { b: whole }, $defs: { a: part('a') } };
    const next: Json = { $ref: '#/$defs/a', properties: { b: text }, $defs: { a: part('a') } };
    expect(told(between(old, next))).toEqual(['! type_changed $.properties.b']);
  });

  test('{} stays open', () => {
    expect(between({}, part('a')).isBreaking).toBe(true);
    expect(between({}, {}).isBreaking).toBe(false);
  });

  test('a free-form object inside a typed one stays open', () => {
    expect(between(object({ p: { type: 'object' } }), object({ p: part('a') })).isBreaking).toBe(
      true,
    );
    expect(between(object({ p: object({}) }), object({ p: part('a') })).isBreaking).toBe(false);
  });

  test('recursion', () => {
    const tree = (v: Json): Json => object({ v, kids: { type: 'array', items: { $ref: '#' } } });
    expect(told(between(tree(whole), tree(text)))).toEqual(['! type_changed $.properties.v']);
    expect(between(tree(whole), tree({ type: 'number' })).isBreaking).toBe(false);
  });
});

describe('branches that overlap', () => {
  const pairs: readonly (readonly [Json, Json, string])[] = [
    [{ oneOf: [whole, { type: 'number' }] }, { type: 'number' }, 'union_member_removed $.oneOf[0]'],
    [{ oneOf: [{}, {}] }, { oneOf: [{}, { maxLength: 1 }] }, 'schema_widened $'],
    [
      { items: { oneOf: [true, true] } },
      { items: { oneOf: [{ const: true }, true] } },
      'schema_widened $',
    ],
  ];
  test.each(pairs)('%j widened to %j is told, also where nothing breaks', (old, next, as) => {
    for (const mode of ['backward', 'none'] as const) {
      const comparison = between(old, next, { mode });
      expect(comparison).toMatchObject({ isBreaking: false, bump: 'minor' });
      expect(told(comparison)).toEqual([as]);
    }
  });

  test('a branch inside a branch is told once', () => {
    const branches = (last: Json): Json => ({
      oneOf: [{ anyOf: [{ allOf: [{ pattern: '^x' }, whole] }, { type: 'boolean' }] }, last],
    });
    const old = branches({ anyOf: [whole, true] });
    const next = branches({ anyOf: [whole, { type: 'object', default: 1 }] });
    const changes = told(between(old, next));
    expect(changes).toContain('! type_narrowed $.oneOf[1].oneOf[1]');
    expect(changes).toEqual([...new Set(changes)]);
  });
});
