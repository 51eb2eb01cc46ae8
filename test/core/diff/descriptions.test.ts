// What a person reads: every description says what changed with its values, and a breaking one what
// happens to the value that shows it.

import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { between, object, type Setting } from './support/terms.ts';

interface Row {
  readonly name: string;
  readonly old: Json;
  readonly next: Json;
  readonly setting?: Setting;
  readonly says: readonly string[];
}

/** Where `a` is there, the other has to be. */
function conditional(key: string): Json {
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword; nothing awaits a schema.
  return { if: { required: ['a'] }, then: { required: [key] } };
}

function address(key: string): JsonObject {
  return { type: 'object', properties: { [key]: { type: 'string' } }, additionalProperties: false };
}

/** One definition under so many keys. */
function shared(count: number, x: Json): Json {
  const places = Array.from({ length: count }, (_, at) => [`p${at}`, { $ref: '#/$defs/shared' }]);
  const $defs = { shared: object({ x }) };
  return { type: 'object', properties: Object.fromEntries(places), $defs };
}

const shown = '; a consumer that reads 0 would get "0"';

const rows: readonly Row[] = [
  {
    name: 'not',
    old: { type: 'string', not: { const: 'a' } },
    next: { type: 'string', not: { const: 'b' } },
    says: [
      '`$`: what not excludes was {"const":"a"}, and is {"const":"b"}; "b" was accepted and is refused now',
    ],
  },
  {
    name: 'not, added',
    old: { type: 'string' },
    next: { type: 'string', not: { enum: ['a', 'b'] } },
    says: [
      '`$`: what not excludes was added: {"enum":["a","b"]}; "a" was accepted and is refused now',
    ],
  },
  {
    name: 'if',
    old: conditional('b'),
    next: conditional('c'),
    says: [
      '`$`: the condition was if {"required":["a"]} then {"required":["b"]}, and is if {"required":["a"]} then {"required":["c"]}; {"a":null,"b":null} was accepted and is refused now',
    ],
  },
  {
    name: 'propertyNames',
    old: { type: 'object', propertyNames: { maxLength: 5 } },
    next: { type: 'object', propertyNames: { maxLength: 3 } },
    says: [
      '`$`: propertyNames was {"maxLength":5}, and is {"maxLength":3}; {"extra":null} was accepted and is refused now',
    ],
  },
  {
    name: 'contains',
    old: { type: 'array', contains: { type: 'string' } },
    next: { type: 'array', contains: { type: 'string' }, minContains: 2, maxContains: 3 },
    says: [
      '`$`: contains was at least 1 of {"type":"string"}, and is 2 to 3 of {"type":"string"}; [""] was accepted and is refused now',
    ],
  },
  {
    name: 'dependentRequired',
    old: { type: 'object', dependentRequired: { a: ['b'] } },
    next: { type: 'object', dependentRequired: { a: ['b', 'c'] } },
    says: [
      '`$`: dependentRequired was added: "c" where "a" is present; {"a":null,"b":null} was accepted and is refused now',
    ],
  },
  {
    name: 'a long schema in a sentence',
    old: {},
    next: {
      not: {
        properties: Object.fromEntries(
          ['street', 'city', 'zip', 'country', 'state', 'note'].map((name) => [
            name,
            { type: 'string', description: 'A part of an address.', minLength: 1 },
          ]),
        ),
        required: ['street'],
      },
    },
    says: [
      '`$`: what not excludes was added: an object with street, city, zip, country and 2 more; null was accepted and is refused now',
    ],
  },
  {
    name: 'a default',
    old: { type: 'string' },
    next: { type: 'string', default: 'x' },
    says: ['`$`: default was added: "x"'],
  },
  {
    name: 'a default that went',
    old: { default: [1] },
    next: {},
    says: ['`$`: default was removed: it was [1]'],
  },
  {
    name: 'long words',
    old: { description: 'a' },
    next: { description: 'b'.repeat(100) },
    says: [`\`$\`: description changed from "a" to "${'b'.repeat(59)}\u2026`],
  },
  {
    name: 'an array that ends',
    old: { type: 'array', prefixItems: [{ type: 'string' }] },
    next: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
    says: ['`$`: the array has at most 1 item now; ["",null] was accepted and is refused now'],
  },
  {
    name: 'a type, for who reads it',
    old: object({ amount: { type: 'integer' } }),
    next: object({ amount: { type: 'string' } }),
    says: ['`$.properties.amount`: integer became string; a consumer that reads 0 would get "0"'],
  },
  {
    name: 'a type that has no plain spelling',
    old: { type: 'string' },
    next: { type: 'integer' },
    says: ['`$`: string became integer; a consumer that reads "" would get an integer'],
  },
  {
    name: 'forward',
    old: { enum: ['a'] },
    next: { enum: ['a', 'b'] },
    setting: { mode: 'forward' },
    says: [
      '`$`: "b" is accepted now; a consumer that has the old schema may get "b" and refuse it',
    ],
  },
  {
    name: 'a property that one branch of a union lost',
    old: { anyOf: [{ properties: { a: {} } }, { properties: { c: {} } }] },
    next: { anyOf: [{ properties: { a: {} } }, { properties: { d: { type: 'null' } } }] },
    says: [
      '`$.anyOf[1].properties.c`: the property was removed; consumers will no longer find it',
      '`$.anyOf[1].properties.d`: the property was added',
    ],
  },
  {
    name: 'a type that became one of several choices, beside a change that breaks',
    old: object({ box: { anyOf: [{ type: 'boolean' }, address('a')] }, n: { type: 'integer' } }),
    next: object({
      box: { anyOf: [address('a'), { type: 'boolean' }, address('b')] },
      n: { type: 'string' },
    }),
    says: [
      '`$.properties.n`: integer became string; a consumer that reads 0 would get "0"',
      '`$.properties.box.anyOf[2]`: {"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false} is a new branch',
    ],
  },
  {
    name: 'a choice that came, and another that breaks',
    old: { oneOf: [{ const: 'a' }, address('a')] },
    next: {
      oneOf: [{ const: 'a' }, { ...address('a'), required: ['a'] }, { type: 'integer' }],
    },
    says: [
      '`$.oneOf[1].properties.a`: it is required now; data without it was accepted and is refused now',
      '`$.oneOf[2]`: {"type":"integer"} is a new branch',
    ],
  },
  {
    name: 'a choice that takes values from another',
    old: { oneOf: [{ type: 'integer' }, { type: 'string' }] },
    next: { oneOf: [{ type: 'integer' }, { type: 'string' }, { const: 'a', title: 'Letter' }] },
    says: [
      '`$.oneOf[2]`: Letter is a new branch; "a" was accepted and is refused now, because it matches two branches of oneOf',
    ],
  },
  {
    name: 'a list of values that came',
    old: { type: 'string' },
    next: { enum: [...'abcdefghijkl'] },
    says: [
      '`$`: only "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" and 2 more are accepted now; "" was accepted and is refused now',
    ],
  },
  {
    name: 'values that are in no list any more',
    old: { enum: ['a', 'b', 'c'] },
    next: { enum: ['a'] },
    says: ['`$`: "b", "c" are no longer accepted; data with these values is refused now'],
  },
  {
    name: 'a property that may be there again',
    old: object({ a: false }),
    next: object({}),
    says: ['`$.properties.a`: the property was refused and is allowed now'],
  },
  {
    name: 'a type, for who sends it',
    old: object({ a: { type: 'array' } }),
    next: object({ a: { type: 'string' } }),
    setting: { direction: 'request' },
    says: ['`$.properties.a`: array became string; [] was accepted and is refused now'],
  },
  {
    name: 'a type, for who serves what it is sent',
    old: object({ a: { type: 'array' } }),
    next: object({ a: { type: 'string' } }),
    setting: { direction: 'request', mode: 'forward' },
    says: [
      '`$.properties.a`: array became string; a server that has the old schema may get "" and refuse it',
    ],
  },
  {
    name: 'a type, for who is answered by what was',
    old: object({ a: { type: 'array' } }),
    next: object({ a: { type: 'string' } }),
    setting: { direction: 'response', mode: 'forward' },
    says: ['`$.properties.a`: array became string; [] was accepted and is refused now'],
  },
  {
    name: 'long words that differ late',
    old: { description: `${'a'.repeat(100)} was it.` },
    next: { description: `${'a'.repeat(100)} is it.` },
    says: [
      `\`$\`: description changed from \u2026${'a'.repeat(19)} was it." to \u2026${'a'.repeat(19)} is it."`,
    ],
  },
  {
    name: 'one member of an annotation, however deep',
    old: { default: { a: { b: 1, c: [] }, d: 'x'.repeat(100) } },
    next: { default: { a: { b: 2, c: [] }, d: 'x'.repeat(100) } },
    says: ['`$`: default.a.b changed from 1 to 2'],
  },
  {
    name: 'a member that an annotation lost',
    old: { default: { a: 1, toString: 2 } },
    next: { default: { a: 1 } },
    says: ['`$`: default.toString was removed: it was 2'],
  },
  {
    name: 'a name in the mapping of a discriminator',
    old: { discriminator: { propertyName: 'kind', mapping: { card: 'Card', iban: 'Iban' } } },
    next: { discriminator: { propertyName: 'kind', mapping: { visa: 'Card', iban: 'Iban' } } },
    says: ['`$`: discriminator.mapping changed from {"card":"Card"} to {"visa":"Card"}'],
  },
  {
    name: 'a list of values that went',
    old: { type: 'string', enum: ['a', 'b'] },
    next: { type: 'string', maxLength: 3 },
    says: ['`$`: more than "a", "b" is accepted now'],
  },
  {
    name: 'a branch less, whose values another one took as well',
    old: { oneOf: [object({ a: { type: 'string' } }), object({ b: { type: 'string' } })] },
    next: object({ a: { type: 'string' } }),
    setting: { mode: 'forward' },
    says: [
      '`$.oneOf[1]`: {"type":"object","properties":{"b":{"type":"string"}}} is no longer one of the branches; a consumer that has the old schema may get {} and refuse it, because it matches two branches of its oneOf',
    ],
  },
  {
    name: 'a definition that stands in more places than are told one by one',
    old: shared(6, { type: 'integer' }),
    next: shared(6, { type: 'string' }),
    says: [
      ...[0, 1, 2].map(
        (at) => `\`$.properties.p${at}.properties.x\`: integer became string${shown}`,
      ),
      `\`$.properties.p3.properties.x\`: integer became string (also at \`$.properties.p4.properties.x\` and \`$.properties.p5.properties.x\`, which use the same definition)${shown}`,
    ],
  },
  {
    name: 'a definition that stands in more places than are named',
    old: shared(9, { type: 'integer' }),
    next: shared(9, { type: 'string' }),
    says: [
      ...[0, 1, 2].map(
        (at) => `\`$.properties.p${at}.properties.x\`: integer became string${shown}`,
      ),
      `\`$.properties.p3.properties.x\`: integer became string (also at \`$.properties.p4.properties.x\`, \`$.properties.p5.properties.x\`, \`$.properties.p6.properties.x\` and other places, which use the same definition)${shown}`,
    ],
  },
];

describe('A description says what changed', () => {
  test.each(rows.map((row) => [row.name, row] as const))('%s', (_name, row) => {
    const { changes } = between(row.old, row.next, row.setting);
    expect(changes.map(({ description }) => description)).toEqual(row.says);
  });
});
