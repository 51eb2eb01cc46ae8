import { Ajv2020 } from 'ajv/dist/2020.js';
import { BreakingChangeType, buildSchema, findBreakingChanges } from 'graphql';
import { expect, test } from 'vitest';
import type { ContractTerms } from '../../../src/core/comparison.ts';
import { compare } from '../../../src/core/diff/compare.ts';
import { type Candidate, toContractTerms } from '../../../src/core/import/candidate.ts';
import { parseGraphql } from '../../../src/core/import/graphql/graphql.ts';
import { alignTerms } from '../../../src/core/import/openapi/align-terms.ts';
import type { JsonObject } from '../../../src/core/value/json.ts';
import { cpuMsOf } from './cpu-time.ts';

function candidateOf(sdl: string, name: string): Candidate | undefined {
  return parseGraphql(sdl).candidates.find(({ fqn }) => fqn === `graphql.${name}`);
}

function schemaOf(sdl: string, name: string): JsonObject {
  return candidateOf(sdl, name)?.terms?.schema as JsonObject;
}

function termsOf(sdl: string, name: string): ContractTerms {
  const terms = candidateOf(sdl, name)?.terms;
  if (terms === null || terms === undefined) throw new Error(`${name} has no terms`);
  return toContractTerms(terms, null);
}

/** What breaks, as `type path`, in the one type. */
function breaksIn(name: string, before: string, after: string): readonly string[] {
  const [old, next] = alignTerms(termsOf(before, name), termsOf(after, name));
  const { changes } = compare(old, next);
  return changes.filter(({ breaking }) => breaking).map(({ type, path }) => `${type} ${path}`);
}

test('objects, root types, inputs, enums, interfaces and unions are assets; scalars are not', () => {
  const sdl = `
    schema { query: Query }
    scalar Date
    directive @key(fields: String!) on OBJECT
    type Query { me: User }
    interface Node { id: ID! }
    type User implements Node { id: ID! }
    input Filter { name: String }
    enum Color { RED }
    union Thing = User | Query
  `;
  const parsed = parseGraphql(sdl);
  expect(parsed.problems).toEqual([]);
  expect(parsed.candidates.map(({ fqn, label, terms }) => [fqn, label, terms?.direction])).toEqual([
    ['graphql.Query', { kind: 'graphql', type_name: 'Query', type_kind: 'object' }, 'response'],
    ['graphql.Node', { kind: 'graphql', type_name: 'Node', type_kind: 'interface' }, 'response'],
    ['graphql.User', { kind: 'graphql', type_name: 'User', type_kind: 'object' }, 'response'],
    ['graphql.Filter', { kind: 'graphql', type_name: 'Filter', type_kind: 'input' }, 'request'],
    ['graphql.Color', { kind: 'graphql', type_name: 'Color', type_kind: 'enum' }, 'request'],
    ['graphql.Thing', { kind: 'graphql', type_name: 'Thing', type_kind: 'union' }, 'request'],
  ]);
});

test('the prefix is an option, and a candidate carries what a report shows', () => {
  const [candidate] = parseGraphql('"A person." type User { id: ID! }', {
    prefix: 'acme.gql',
  }).candidates;
  expect(candidate).toEqual({
    fqn: 'acme.gql.User',
    ownFqn: 'acme.gql.User',
    identity: { of: 'acme.gql', thing: 'type User', stem: 'acme.gql.User' },
    resourceType: 'graphql_type',
    metadata: {
      resource_type: 'graphql_type',
      description: 'A person.',
      tags: [],
      type_name: 'User',
      kind: 'object',
    },
    consumers: [],
    refs: [],
    terms: {
      schema: {
        title: 'User',
        description: 'A person.',
        type: 'object',
        properties: { __typename: { const: 'User' }, id: { type: 'string' } },
      },
      direction: 'response',
      format: 'graphql',
    },
    label: { kind: 'graphql', type_name: 'User', type_kind: 'object' },
    place: 'line 1, column 18',
  });
});

test('a field of another named type is a reference to that type, which carries its name', () => {
  const sdl = `
    scalar Date
    enum Color { RED }
    type User { a: Int! b: [Float!] c: User! d: Color e: [Date]! "Why" f: Boolean @deprecated }
  `;
  expect(schemaOf(sdl, 'User')).toEqual({
    title: 'User',
    type: 'object',
    properties: {
      __typename: { const: 'User' },
      a: { type: 'integer' },
      b: { type: ['array', 'null'], items: { type: 'number' } },
      c: { $ref: '#/$defs/User' },
      d: { anyOf: [{ $ref: '#/$defs/Color' }, { type: 'null' }] },
      e: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/Date' }, { type: 'null' }] } },
      f: { type: ['boolean', 'null'], description: 'Why', deprecated: true },
    },
    $defs: {
      Color: { 'x-type': 'Color', type: 'string', enum: ['RED'] },
      Date: { 'x-type': 'Date', 'x-scalar': true },
      User: {
        'x-type': 'User',
        type: 'object',
        properties: {
          __typename: { const: 'User' },
          a: { type: 'integer' },
          b: { type: ['array', 'null'], items: { type: 'number' } },
          c: { $ref: '#/$defs/User' },
          d: { anyOf: [{ $ref: '#/$defs/Color' }, { type: 'null' }] },
          e: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/Date' }, { type: 'null' }] } },
          f: { type: ['boolean', 'null'] },
        },
      },
    },
  });
});

test('a type whose fields take arguments is an operation: its request holds them by field', () => {
  const sdl =
    'type Query { user(id: ID!, first: Int! = 10, at: [Int]): User now: Int! } type User { a: Int }';
  expect(candidateOf(sdl, 'Query')?.terms).toEqual({
    schema: {
      title: 'Query',
      type: 'object',
      properties: {
        request: {
          type: 'object',
          properties: {
            now: { type: 'object', properties: {}, additionalProperties: false },
            user: {
              type: 'object',
              properties: {
                id: { type: 'string' },
                first: { type: 'integer', default: 10 },
                at: { type: ['array', 'null'], items: { type: ['integer', 'null'] } },
              },
              required: ['id'],
              additionalProperties: false,
            },
          },
        },
        response: {
          type: 'object',
          properties: {
            __typename: { const: 'Query' },
            user: { anyOf: [{ $ref: '#/$defs/User' }, { type: 'null' }] },
            now: { type: 'integer' },
          },
        },
      },
      $defs: {
        User: {
          'x-type': 'User',
          type: 'object',
          properties: { __typename: { const: 'User' }, a: { type: ['integer', 'null'] } },
        },
      },
    },
    direction: 'operation',
    format: 'graphql',
  });
});

test('inputs refuse what they do not declare, and state their defaults', () => {
  const sdl = `
    input Filter { name: String! size: Int! = 3 where: Filter = {name: "a", tags: [A, null], deep: {x: 1.5}} tags: [String!]! }
    input Pick @oneOf { a: Int b: String }
  `;
  expect(schemaOf(sdl, 'Filter')).toEqual({
    title: 'Filter',
    type: 'object',
    properties: {
      name: { type: 'string' },
      size: { type: 'integer', default: 3 },
      where: {
        anyOf: [{ $ref: '#/$defs/Filter' }, { type: 'null' }],
        default: { name: 'a', tags: ['A', null], deep: { x: 1.5 } },
      },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['name', 'tags'],
    additionalProperties: false,
    $defs: {
      Filter: {
        'x-type': 'Filter',
        type: 'object',
        properties: {
          name: { type: 'string' },
          size: { type: 'integer' },
          where: { anyOf: [{ $ref: '#/$defs/Filter' }, { type: 'null' }] },
          tags: { type: 'array', items: { type: 'string' } },
        },
        required: ['name', 'tags'],
        additionalProperties: false,
      },
    },
  });
  expect(schemaOf(sdl, 'Pick')).toMatchObject({ minProperties: 1, maxProperties: 1 });
});

test('extensions are part of what they extend, wherever they stand', () => {
  const sdl = `
    extend type User implements Node { b: Int }
    type User { a: Int }
    interface Node { a: Int }
    enum Color { RED }
    extend enum Color { BLUE }
    extend input Filter { a: Int }
    union U = User
    extend union U = Other
    type Other { a: Int }
  `;
  expect(parseGraphql(sdl).problems).toEqual([]);
  expect(Object.keys(schemaOf(sdl, 'User').properties as JsonObject)).toEqual([
    '__typename',
    '__implements',
    'a',
    'b',
  ]);
  expect(schemaOf(sdl, 'Color').enum).toEqual(['RED', 'BLUE']);
  expect(schemaOf(sdl, 'Filter').properties).toEqual({ a: { type: ['integer', 'null'] } });
  expect(schemaOf(sdl, 'U')).toEqual({
    title: 'U',
    type: 'object',
    properties: { __typename: { enum: ['Other', 'User'] } },
  });
});

test('a field that is defined twice is told with its place, and the rest goes on', () => {
  const sdl =
    'type User {\n  a: Int\n  "again"\n  a: String\n}\ntype User { c: Int }\nenum E { A A }';
  const parsed = parseGraphql(sdl);
  expect(parsed.candidates.map(({ fqn }) => fqn)).toEqual(['graphql.User', 'graphql.E']);
  expect(schemaOf(sdl, 'User').properties).toMatchObject({ a: { type: ['integer', 'null'] } });
  expect(parsed.problems).toEqual([
    {
      code: 'DUPLICATE_DEFINITION',
      message: 'User.a is defined twice. The first definition is used.',
      place: 'line 4, column 3',
      fatal: false,
    },
    {
      code: 'DUPLICATE_DEFINITION',
      message: expect.stringContaining('User is defined twice, first at line 1, column 6'),
      place: 'line 6, column 6',
      fatal: false,
    },
    {
      code: 'DUPLICATE_DEFINITION',
      message: 'E.A is defined twice. The first definition is used.',
      place: 'line 7, column 12',
      fatal: false,
    },
  ]);
});

test('a type that is not defined is told, and the rest goes on', () => {
  const parsed = parseGraphql('type User { a: Gone, b: Int }');
  expect(parsed.candidates.length).toBe(1);
  expect(parsed.problems).toEqual([
    {
      code: 'BROKEN_REFERENCE',
      message:
        'User is imported without a contract because it refers to Gone, which the SDL does not define.',
      place: 'line 1, column 6',
      fatal: false,
    },
  ]);
});

test('a query beside the types is told and left out', () => {
  const parsed = parseGraphql('type A { b: Int } query { b }');
  expect(parsed.candidates.length).toBe(1);
  expect(parsed.problems.map(({ code }) => code)).toEqual(['UNREADABLE_ITEM']);
});

test.each<[string, string, string]>([
  ['empty', '', 'line 1, column 1'],
  ['cut off', 'type User {\n  a: ', 'line 2, column 6'],
  ['no SDL', '{"a": 1}', '$'],
  ['only a query', 'query { b }', '$'],
  ['only a query', 'query { me }', '$'],
  ['a list that nests without end', `type A { a: ${'['.repeat(200_000)}Int }`, '$'],
])(
  'SDL that is %s is refused with its place, and nothing of it is imported',
  (_what, sdl, place) => {
    expect(parseGraphql(sdl)).toEqual({
      candidates: [],
      problems: [{ code: 'INVALID_SDL', message: expect.any(String), place, fatal: true }],
    });
  },
);

test('an SDL bomb is refused once it has more tokens than any schema', () => {
  const parsed = parseGraphql('type A { a: Int } '.repeat(400_000));
  expect(parsed.candidates).toEqual([]);
  expect(parsed.problems).toMatchObject([{ code: 'INVALID_SDL', fatal: true }]);
});

test('deep lists and defaults that still parse do not overflow', () => {
  const deep = 500;
  const sdl = `input A { a: ${'['.repeat(deep)}Int${']'.repeat(deep)} b: A = ${'{b: '.repeat(deep)}null${'}'.repeat(deep)} }`;
  expect(parseGraphql(sdl).candidates.length).toBe(1);
});

const query = 'type Query { a: Int }';

/** A change of one type, what we say breaks, and what graphql-js says. */
const differences: readonly {
  readonly name: string;
  readonly type: string;
  readonly before: string;
  readonly after: string;
  readonly ours: readonly string[];
  readonly theirs: readonly BreakingChangeType[];
}[] = [
  {
    name: 'a field of an object is removed',
    type: 'T',
    before: 'type T { a: Int b: Int }',
    after: 'type T { a: Int }',
    ours: ['property_removed $.properties.b'],
    theirs: [BreakingChangeType.FIELD_REMOVED],
  },
  {
    name: 'a field of an object is added',
    type: 'T',
    before: 'type T { a: Int }',
    after: 'type T { a: Int b: Int! }',
    ours: [],
    theirs: [],
  },
  {
    name: 'a field of an object changes its type',
    type: 'T',
    before: 'type T { a: Int }',
    after: 'type T { a: String }',
    ours: ['type_changed $.properties.a'],
    theirs: [BreakingChangeType.FIELD_CHANGED_KIND],
  },
  {
    name: 'a field of an object may be null now',
    type: 'T',
    before: 'type T { a: Int! }',
    after: 'type T { a: Int }',
    ours: ['nullable_added $.properties.a'],
    theirs: [BreakingChangeType.FIELD_CHANGED_KIND],
  },
  {
    name: 'a field of an object is never null now',
    type: 'T',
    before: 'type T { a: Int }',
    after: 'type T { a: Int! }',
    ours: [],
    theirs: [],
  },
  {
    name: 'an optional field of an input is added',
    type: 'I',
    before: 'input I { a: Int }',
    after: 'input I { a: Int b: Int }',
    ours: [],
    theirs: [],
  },
  {
    name: 'a required field of an input is added',
    type: 'I',
    before: 'input I { a: Int }',
    after: 'input I { a: Int b: Int! }',
    ours: ['required_added $.properties.b'],
    theirs: [BreakingChangeType.REQUIRED_INPUT_FIELD_ADDED],
  },
  {
    name: 'a required field with a default is added to an input',
    type: 'I',
    before: 'input I { a: Int }',
    after: 'input I { a: Int b: Int! = 1 }',
    ours: [],
    theirs: [],
  },
  {
    name: 'a field of an input is removed',
    type: 'I',
    before: 'input I { a: Int b: Int }',
    after: 'input I { a: Int }',
    ours: ['property_removed $.properties.b'],
    theirs: [BreakingChangeType.FIELD_REMOVED],
  },
  {
    name: 'a value of an enum is removed',
    type: 'E',
    before: 'enum E { A B }',
    after: 'enum E { A }',
    ours: ['enum_values_removed $'],
    theirs: [BreakingChangeType.VALUE_REMOVED_FROM_ENUM],
  },
  {
    name: 'a value of an enum is added',
    type: 'E',
    before: 'enum E { A }',
    after: 'enum E { A B }',
    ours: [],
    theirs: [],
  },
  {
    name: 'an optional argument is added',
    type: 'T',
    before: 'type T { a(x: Int): Int }',
    after: 'type T { a(x: Int, y: Int): Int }',
    ours: [],
    theirs: [],
  },
  {
    name: 'a required argument is added',
    type: 'T',
    before: 'type T { a(x: Int): Int }',
    after: 'type T { a(x: Int, y: Int!): Int }',
    ours: ['required_added $.properties.request.properties.a.properties.y'],
    theirs: [BreakingChangeType.REQUIRED_ARG_ADDED],
  },
  {
    name: 'an argument is removed',
    type: 'T',
    before: 'type T { a(x: Int, y: Int): Int }',
    after: 'type T { a(x: Int): Int }',
    ours: ['property_removed $.properties.request.properties.a.properties.y'],
    theirs: [BreakingChangeType.ARG_REMOVED],
  },
  {
    name: 'the first argument of a type is optional',
    type: 'T',
    before: 'type T { a: Int }',
    after: 'type T { a(x: Int): Int }',
    ours: [],
    theirs: [],
  },
  {
    name: 'the last argument of a field is removed, where another field still takes one',
    type: 'T',
    before: 'type T { a(x: Int): Int b(y: Int): Int }',
    after: 'type T { a: Int b(y: Int): Int }',
    ours: ['property_removed $.properties.request.properties.a.properties.x'],
    theirs: [BreakingChangeType.ARG_REMOVED],
  },
  {
    name: 'the last argument of a type is removed',
    type: 'T',
    before: 'type T { a(x: Int): Int }',
    after: 'type T { a: Int }',
    ours: ['property_removed $.properties.request.properties.a.properties.x'],
    theirs: [BreakingChangeType.ARG_REMOVED],
  },
  {
    name: 'the last argument of a type goes with its field',
    type: 'T',
    before: 'type T { a(x: Int): Int b: Int }',
    after: 'type T { b: Int }',
    ours: ['property_removed $.properties.response.properties.a'],
    theirs: [BreakingChangeType.FIELD_REMOVED],
  },
  {
    name: 'an interface is no longer implemented',
    type: 'T',
    before: 'interface N { a: Int } type T implements N { a: Int }',
    after: 'interface N { a: Int } type T { a: Int }',
    ours: ['property_removed $.properties.__implements'],
    theirs: [BreakingChangeType.IMPLEMENTED_INTERFACE_REMOVED],
  },
  {
    name: 'an interface becomes an object',
    type: 'N',
    before: 'interface N { a: Int }',
    after: 'type N { a: Int }',
    ours: ['property_removed $.properties.__implementations'],
    theirs: [BreakingChangeType.TYPE_CHANGED_KIND],
  },
  {
    name: 'an object becomes an interface',
    type: 'N',
    before: 'type N { a: Int }',
    after: 'interface N { a: Int }',
    ours: ['constraint_relaxed $.properties.__typename'],
    theirs: [BreakingChangeType.TYPE_CHANGED_KIND],
  },
  {
    name: 'a field of an object is of another enum',
    type: 'T',
    before: 'enum E { A } enum F { A } type T { a: E }',
    after: 'enum E { A } enum F { A } type T { a: F }',
    ours: ['type_changed $.properties.a'],
    theirs: [BreakingChangeType.FIELD_CHANGED_KIND],
  },
  {
    name: 'a member of a union is removed',
    type: 'U',
    before: 'type A { a: Int } type B { a: Int } union U = A | B',
    after: 'type A { a: Int } type B { a: Int } union U = A',
    ours: ['enum_values_removed $.properties.__typename'],
    theirs: [BreakingChangeType.TYPE_REMOVED_FROM_UNION],
  },
  {
    name: 'a member of a union is added',
    type: 'U',
    before: 'type A { a: Int } type B { a: Int } union U = A',
    after: 'type A { a: Int } type B { a: Int } union U = A | B',
    ours: [],
    theirs: [],
  },
  {
    // An integer is a number in JSON; graphql-js takes every change of scalar for a break.
    name: 'a field of an input takes numbers instead of integers',
    type: 'I',
    before: 'input I { a: Int }',
    after: 'input I { a: Float }',
    ours: [],
    theirs: [BreakingChangeType.FIELD_CHANGED_KIND],
  },
  {
    // Both are strings in JSON.
    name: 'a field of an object is an ID instead of a string',
    type: 'T',
    before: 'type T { a: String }',
    after: 'type T { a: ID }',
    ours: [],
    theirs: [BreakingChangeType.FIELD_CHANGED_KIND],
  },
];

test.each(differences)('$name: we say $ours, graphql-js $theirs', (row) => {
  expect(breaksIn(row.type, row.before, row.after)).toEqual(row.ours);
  const [old, next] = [buildSchema(query + row.before), buildSchema(query + row.after)];
  expect(findBreakingChanges(old, next).map(({ type }) => type)).toEqual(row.theirs);
});

/** As many types as a large API has, each of the kinds in turn. */
function largeSdl(types: number): string {
  return Array.from({ length: types }, (_, i) => {
    const fields = Array.from(
      { length: 12 },
      (_, f) => `"What it is." f${f}(first: Int): T${(i * 7 + f) % types}!`,
    );
    return `"A type." type T${i} { ${fields.join('\n')} }`;
  }).join('\n');
}

test('a schema of 1.5 MB is read in well under a second', () => {
  const sdl = largeSdl(2_000);
  expect(sdl.length).toBeGreaterThan(900_000);
  const elapsedMs = cpuMsOf(() => expect(parseGraphql(sdl).candidates.length).toBe(2_000));
  // Several times what it takes, so that only a change of its order of growth fails here.
  expect(elapsedMs).toBeLessThan(4_000);
});

test('fields called form and body are fields, and no media types', () => {
  const before = 'type Letter { body(short: Boolean): String text: String }';
  const after = 'type Letter { form(short: Boolean): String text: String }';
  expect(breaksIn('Letter', before, after)).toEqual([
    'property_removed $.properties.response.properties.body',
  ]);
});

test('an answer of a server is valid, whatever the caller asked for', () => {
  const sdl = `
    scalar Money
    enum Status { OPEN SHIPPED }
    interface Party { name: String! }
    type Person implements Party { name: String! orders: [Order!] }
    type Firm implements Party { name: String! }
    union Payer = Person | Firm
    type Order { id: ID! status: Status! total: Money buyer: Party payer: Payer next: Order }
  `;
  const isValid = new Ajv2020({ strict: false }).compile(schemaOf(sdl, 'Order'));
  const order = {
    id: '1',
    status: 'OPEN',
    total: '12.50',
    buyer: { name: 'Ada' },
    payer: { __typename: 'Firm', name: 'Analytical Engines' },
    next: { status: 'SHIPPED', buyer: { __typename: 'Person', orders: [{ status: 'OPEN' }] } },
  };
  expect(isValid(order)).toBe(true);
  expect(isValid({ ...order, status: 'LOST' })).toBe(false);
  expect(isValid({ ...order, next: { status: 'LOST' } })).toBe(false);
  expect(isValid({ ...order, buyer: { name: 12 } })).toBe(false);
});

test('types that are further away than the nearest 25 stand by their names', () => {
  const types = Array.from(
    { length: 40 },
    (_, index) => `type T${index} { next: T${index + 1} size: Int }`,
  );
  const definitions = schemaOf([...types, 'type T40 { size: Int }'].join('\n'), 'T0')
    .$defs as JsonObject;
  expect(Object.keys(definitions).length).toBe(26);
  expect(definitions.T25).toMatchObject({ type: 'object', properties: { size: {} } });
  expect(definitions.T26).toEqual({ 'x-type': 'T26' });
});

test('a change of another type breaks there alone, and a version here follows it', () => {
  const before = 'type User { order: Order } type Order { id: ID! total: Int }';
  const after = 'type User { order: Order } type Order { id: ID! }';
  expect(breaksIn('Order', before, after)).toEqual(['property_removed $.properties.total']);
  const [old, next] = alignTerms(termsOf(before, 'User'), termsOf(after, 'User'));
  expect(compare(old, next)).toMatchObject({ isBreaking: false, bump: 'patch' });
  // By hand nobody says that the other type changes with it: then it is compared in full.
  const { hasNamedTypes: _, ...byHand } = termsOf(after, 'User');
  const [full, told] = alignTerms(termsOf(before, 'User'), byHand);
  expect(compare(full, told).isBreaking).toBe(true);
});

test('a contract of before, with names in place of types, breaks nowhere and gets a version', () => {
  const sdl = 'type User { order: Order } type Order { id: ID! }';
  const next = termsOf(sdl, 'User');
  const named = { properties: { __typename: { const: 'Order' } }, required: ['__typename'] };
  const schema = { ...Object(next.schema), $defs: { Order: { type: 'object', ...named } } };
  const [old, aligned] = alignTerms({ ...next, schema }, next);
  expect(compare(old, aligned)).toMatchObject({ isBreaking: false, bump: 'patch' });
});
