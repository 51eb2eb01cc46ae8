import { expect, test } from 'vitest';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import { annotationsOf, parseSchema } from '../../../src/core/schema/parse-schema.ts';
import type { Keywords, SchemaNode } from '../../../src/core/schema/schema.ts';
import { jsonPathOf, pointerOf, saysSomething } from '../../../src/core/schema/schema.ts';
import { resolveUri } from '../../../src/core/schema/uri.ts';
import type { Json } from '../../../src/core/value/json.ts';

function keywordsOf(json: Json, dialect?: Dialect): Keywords {
  return parseSchema(json, dialect).root.keywords;
}

/** Keywords with places in place of nodes, to be compared as a whole. */
function outline(keywords: Keywords): unknown {
  const show = (value: unknown): unknown => {
    if (value instanceof Map) {
      return Object.fromEntries([...value].map(([key, item]) => [key, show(item)]));
    }
    if (Array.isArray(value)) return value.map(show);
    return isNode(value) ? jsonPathOf(value) : value;
  };
  return Object.fromEntries(Object.entries(keywords).map(([key, value]) => [key, show(value)]));
}

function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && 'steps' in value;
}

const readings: readonly (readonly [string, Dialect, Json, unknown])[] = [
  ['true says nothing', '2020-12', true, {}],
  ['false is false', '2020-12', false, { isFalse: true }],
  ['a single type is a list of one', '2020-12', { type: 'string' }, { types: ['string'] }],
  [
    'draft-04 bounds',
    'draft-04',
    { minimum: 3, exclusiveMinimum: true, maximum: 4 },
    { exclusiveMinimum: 3, maximum: 4 },
  ],
  [
    'bounds from draft-06 on',
    'draft-06',
    { minimum: 3, exclusiveMinimum: 4 },
    { minimum: 3, exclusiveMinimum: 4 },
  ],
  [
    'items as a list',
    'draft-07',
    { items: [true], additionalItems: false },
    { prefixItems: ['$.items[0]'], items: '$.additionalItems' },
  ],
  [
    'additionalItems without a list',
    'draft-07',
    { items: {}, additionalItems: false },
    { items: '$.items' },
  ],
  [
    'dependencies split',
    'draft-07',
    { dependencies: { a: ['b'], c: {} } },
    { dependentRequired: { a: ['b'] }, dependentSchemas: { c: '$.dependencies.c' } },
  ],
  [
    'nullable widens a type',
    'openapi-3.0',
    { type: 'string', nullable: true },
    { types: ['string', 'null'] },
  ],
  ['nullable alone asks for nothing', 'openapi-3.0', { nullable: true }, { isIdle: true }],
  [
    'nullable is no keyword elsewhere',
    '2020-12',
    { type: 'string', nullable: true },
    { types: ['string'] },
  ],
  [
    'siblings of $ref do not count',
    'draft-07',
    { $ref: '#/definitions/a', type: 'string', definitions: { a: {} } },
    { ref: '$.definitions.a' },
  ],
  [
    'siblings of $ref count',
    '2019-09',
    { $ref: '#/$defs/a', type: 'string', $defs: { a: {} } },
    { ref: '$.$defs.a', types: ['string'] },
  ],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of the schema under test.
  ['then needs if', '2020-12', { then: {}, else: {} }, { isIdle: true }],
  ['minContains needs contains', '2020-12', { minContains: 2 }, { isIdle: true }],
  ['uniqueItems false', '2020-12', { uniqueItems: false }, { isIdle: true }],
  [
    'a size may be written as 3.0',
    '2020-12',
    { minLength: 3.0, maxItems: 4 },
    { minLength: 3, maxItems: 4 },
  ],
  [
    'a minimum of zero is none',
    '2020-12',
    { minItems: 0, minLength: 0, minProperties: 0 },
    { isIdle: true },
  ],
  ['const is younger than draft-04', 'draft-04', { const: 1, contains: {} }, {}],
];

for (const [name, dialect, json, expected] of readings) {
  test(`${name} (${dialect})`, () => {
    expect(outline(keywordsOf(json, dialect))).toEqual(expected);
  });
}

test.each([
  ['minLength', { minLength: 1.5 }],
  ['maxLength', { maxLength: -1 }],
  ['minItems', { minItems: -2 }],
  ['maxItems', { maxItems: 0.5 }],
  ['minProperties', { minProperties: '1' }],
  ['maxProperties', { maxProperties: 1e-3 }],
  ['minContains', { contains: {}, minContains: 0.5 }],
  ['maxContains', { contains: {}, maxContains: -1 }],
  ['multipleOf', { multipleOf: 0 }],
  ['multipleOf', { multipleOf: JSON.rawJSON('-1e-400') }],
  ['multipleOf', { multipleOf: JSON.rawJSON('-0.30000000000000000000001') }],
] as const)('%s in %j is a problem of its schema', (keyword, json) => {
  const { problems } = parseSchema(json as Json).root.keywords;
  expect(problems?.map((problem) => [problem.code, problem.keyword])).toEqual([
    ['invalid_keyword', keyword],
  ]);
});

test('a maximum of zero matches is read', () => {
  const { contains } = parseSchema({ contains: {}, minContains: 0, maxContains: 0 }).root.keywords;
  expect([contains?.min, contains?.max]).toEqual([0, 0]);
});

test.each<[string, Json]>([
  ['in an unknown keyword', { not: { unknown: [{ $id: 'https://x.test/y', type: 'null' }] } }],
  ['in enum', { enum: [{ $id: 'https://x.test/y', type: 'null' }] }],
  ['in const', { const: { $id: 'https://x.test/y', type: 'null' } }],
  ['in default', { default: { $id: 'https://x.test/y', type: 'null' } }],
])('an id %s names nothing', (_where, other) => {
  const real = { $id: 'https://x.test/y', type: 'string' };
  const $defs = { before: other, real, after: other };
  const { ref } = parseSchema({ $ref: 'https://x.test/y', $defs }).root.keywords;
  expect(ref?.keywords.types).toEqual(['string']);
});

test('an id in a property that is called like a keyword of values is one', () => {
  const properties = { enum: { $anchor: 'e', type: 'string' }, default: { $ref: '#e' } };
  const { root } = parseSchema({ properties });
  expect(root.keywords.properties?.get('default')?.keywords.ref?.keywords.types).toEqual([
    'string',
  ]);
});

test('an anchor among the components of an OpenAPI document is one', () => {
  const components = { schemas: { a: { $anchor: 'x', type: 'string' } } };
  const { ref } = parseSchema({ $ref: '#x', components }, 'openapi-3.1').root.keywords;
  expect(ref?.keywords.types).toEqual(['string']);
});

test('a schema names its own dialect', () => {
  const uri = 'http://json-schema.org/draft-04/schema#';
  expect(parseSchema({ $schema: uri }, 'draft-07').dialect).toBe('draft-04');
});

const references: readonly (readonly [string, Json, string])[] = [
  ['by pointer', { $ref: '#/a/b~1c', a: { 'b/c': {} } }, '/a/b~1c'],
  ['by an escaped pointer', { $ref: '#/a%20b', 'a b': {} }, '/a b'],
  ['to the root', { $ref: '#' }, ''],
  ['by anchor', { $ref: '#x', $defs: { y: { $anchor: 'x' } } }, '/$defs/y'],
  [
    'by relative id',
    { $id: 'http://t.test/a/', $ref: 'b#x', $defs: { y: { $id: 'b', items: { $anchor: 'x' } } } },
    '/$defs/y/items',
  ],
  [
    'by absolute id',
    { $ref: 'http://t.test/b', $defs: { y: { $id: 'http://t.test/b' } } },
    '/$defs/y',
  ],
  [
    'by urn',
    { $ref: 'urn:x:y#/items', $defs: { y: { $id: 'urn:x:y', items: {} } } },
    '/$defs/y/items',
  ],
  ['into an unknown keyword', { $ref: '#/x-parts/0', 'x-parts': [{}] }, '/x-parts/0'],
];

for (const [name, json, pointer] of references) {
  test(`a reference ${name} leads to its target, the same node each time`, () => {
    const document = parseSchema(json);
    const target = document.root.keywords.ref;
    expect(target && pointerOf(target)).toBe(pointer);
    expect(document.nodeAt(pointer)).toBe(target);
  });
}

const problems: readonly (readonly [string, Json, string, string])[] = [
  ['nothing at the pointer', { $ref: '#/$defs/a' }, 'reference_not_found', '$ref'],
  ['no such anchor', { $ref: '#a' }, 'reference_not_found', '$ref'],
  ['another document', { $ref: 'https://t.test/a' }, 'external_reference', '$ref'],
  ['a type that is none', { type: 'text' }, 'invalid_keyword', 'type'],
  ['properties that are a list', { properties: [] }, 'invalid_keyword', 'properties'],
  ['a schema that is a number', 5, 'invalid_keyword', 'schema'],
  ['items as a list in 2020-12', { items: [{}] }, 'invalid_keyword', 'items'],
];

for (const [name, json, code, keyword] of problems) {
  test(`${name} is a problem of its node, and nothing is thrown`, () => {
    const [problem] = keywordsOf(json).problems ?? [];
    expect({ code: problem?.code, keyword: problem?.keyword }).toEqual({ code, keyword });
  });
}

test('a value that looks like an id or an anchor names nothing', () => {
  const json = {
    $ref: '#x',
    enum: [{ $anchor: 'x' }],
    $defs: { a: { $anchor: 'x', type: 'string' } },
  };
  expect(keywordsOf(json).ref?.keywords.types).toEqual(['string']);
});

test('a recursive reference gives the node itself', () => {
  const { root } = parseSchema({ properties: { next: { $ref: '#' } } });
  expect(root.keywords.properties?.get('next')?.keywords.ref).toBe(root);
});

test('keys of a prototype are ordinary keys', () => {
  const json = JSON.parse('{"properties": {"__proto__": {"type": "string"}, "constructor": {}}}');
  expect([...(keywordsOf(json).properties?.keys() ?? [])]).toEqual(['__proto__', 'constructor']);
  expect(parseSchema({}).nodeAt('/constructor')).toBe(undefined);
});

test('annotations are kept apart', () => {
  const json = { type: 'string', title: 'a', 'x-b': 1, $defs: {}, default: 'c' };
  expect(annotationsOf(parseSchema(json).root)).toEqual({ title: 'a', 'x-b': 1, default: 'c' });
});

test('true, {} and annotations alone say nothing', () => {
  const said = [true, {}, { title: 'a' }, false, { type: 'string' }, { minLength: 1 }].map((json) =>
    saysSomething(parseSchema(json).root),
  );
  expect(said).toEqual([false, false, false, true, true, true]);
});

test('a keyword says something, also one that asks for nothing', () => {
  const idle: readonly Json[] = [
    { minItems: 0 },
    { uniqueItems: false },
    { required: [] },
    { else: { type: 'string' } },
    { $ref: '#/$defs/a', $defs: { a: { minLength: 0 } } },
  ];
  expect(idle.map((json) => saysSomething(parseSchema(json).root))).toEqual(idle.map(() => true));
  const unknown = parseSchema({ minContains: 0 }, 'draft-07').root;
  expect(saysSomething(unknown)).toBe(false);
});

test('a dynamic reference keeps its anchor where the first target bears it, and not it alone', () => {
  const json = {
    $dynamicAnchor: 'n',
    items: { $dynamicRef: '#n' },
    not: { $dynamicRef: '#/items' },
    $defs: { other: { $id: 'other', $dynamicAnchor: 'n' } },
  };
  const { root } = parseSchema(json);
  expect(root.keywords.items?.keywords.dynamicRef).toEqual({ anchor: 'n', target: root });
  expect(root.keywords.not?.keywords.ref).toBe(root.keywords.items);
  const { $defs: _, ...alone } = json;
  const sole = parseSchema(alone).root;
  expect(sole.keywords.items?.keywords).toEqual({ ref: sole });
});

test('a document a hundred thousand deep is parsed', () => {
  let json: Json = { type: 'string' };
  for (let depth = 0; depth < 100_000; depth++) json = { items: json };
  let node: SchemaNode | undefined = parseSchema(json).root;
  let depth = 0;
  for (; node?.keywords.items !== undefined; depth++) node = node.keywords.items;
  expect({ depth, types: node?.keywords.types }).toEqual({ depth: 100_000, types: ['string'] });
});

const uris: readonly (readonly [string, string, string])[] = [
  ['http://a/b/c/d?q', 'g', 'http://a/b/c/g'],
  ['http://a/b/c/d?q', './g/', 'http://a/b/c/g/'],
  ['http://a/b/c/d?q', '/g', 'http://a/g'],
  ['http://a/b/c/d?q', '//g', 'http://g/'],
  ['http://a/b/c/d?q', '?y', 'http://a/b/c/d?y'],
  ['http://a/b/c/d?q', '', 'http://a/b/c/d?q'],
  ['http://a/b/c/d?q', '../../../g', 'http://a/g'],
  ['http://a/b/c/d?q', 'g:h', 'g:h'],
  ['http://a', 'g', 'http://a/g'],
  ['a/b.json', 'c.json', 'a/c.json'],
  ['', 'c.json', 'c.json'],
  ['', 'HTTP://User@A.Test:80/%7ea/%c3%a9?%2f', 'http://User@a.test/~a/%C3%A9?%2F'],
  ['', 'https://a.test:80', 'https://a.test:80/'],
  ['', 'URN:Example:B', 'urn:Example:B'],
];

for (const [base, reference, expected] of uris) {
  test(`${reference} from ${base} is ${expected}`, () => {
    expect(resolveUri(base, reference)).toBe(expected);
  });
}
