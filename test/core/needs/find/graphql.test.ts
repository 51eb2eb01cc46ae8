// What GraphQL operations read: each field of each type, where it stands in the contracts that
// describe it, and the arguments that they send.

import { describe, expect, test } from 'vitest';
import { findGraphqlReads } from '../../../../src/core/needs/find/graphql/find-graphql-reads.ts';
import { readOperationSchema } from '../../../../src/core/needs/find/graphql/operation-schema.ts';
import { makeNeed } from '../../../../src/core/needs/make-need.ts';

const sdl = `
  type Query { me: User, users(first: Int, filter: Filter): [User!]!, node(id: ID!): Node, search: [Result], post: Post }
  type Mutation { rename(id: ID!, to: Name!): User }
  interface Node { id: ID! }
  type User implements Node { id: ID! email: String role: Role posts: [Post!]! }
  type Post { id: ID! title: String author: User }
  enum Role { ADMIN GUEST }
  union Result = User | Post
  input Filter { role: Role, name: Name }
  input Name { first: String }
`;

function open(text: string) {
  const read = readOperationSchema(text);
  if (!read.ok) throw new Error(read.message);
  return read.schema;
}

function readsOf(operations: readonly string[], text = sdl) {
  const schema = open(text);
  const files = operations.map((each, index) => ({ place: `${index}.graphql`, text: each }));
  const [first] = findGraphqlReads(files, schema);
  if (first === undefined) throw new Error('There is no file.');
  const { reads, unread } = first.found;
  const byType: Record<string, readonly string[] | null> = {};
  for (const { name, fields } of reads) byType[name[0] ?? ''] = fields;
  return { schema, unread, reads: byType };
}

describe('an operation reads', () => {
  test('the fields of each type, in its own contract and in those around it', () => {
    expect(readsOf(['{ me { id posts { title } } }'])).toMatchObject({
      unread: [],
      reads: {
        Query: ['$.request.me', '$.response.me.id', '$.response.me.posts[*].title'],
        User: ['$.id', '$.posts[*].title'],
        Post: ['$.title'],
      },
    });
  });

  test('what fragments name, also of other files and in each other', () => {
    const operation = 'query { me { ...A } }';
    const fragments = 'fragment A on User { email ...B } fragment B on User { posts { id } }';
    expect(readsOf([operation, fragments]).reads).toMatchObject({
      User: ['$.email', '$.posts[*].id'],
      Post: ['$.id'],
    });
  });

  test('the arguments that it sends, and all of the inputs and enums in them', () => {
    expect(readsOf(['query ($f: Filter) { users(filter: $f) { id } }']).reads).toEqual({
      Query: ['$.request.users.filter', '$.response.users[*].id'],
      User: ['$.id'],
      Filter: null,
      Role: null,
      Name: null,
    });
  });

  test('a mutation like a query', () => {
    expect(readsOf(['mutation ($n: Name!) { rename(id: 1, to: $n) { email } }']).reads).toEqual({
      Mutation: ['$.request.rename.id', '$.request.rename.to', '$.response.rename.email'],
      User: ['$.email'],
      Name: null,
    });
  });

  test('fields of a type behind an interface in that type alone, and that it is one', () => {
    const { reads } = readsOf(['{ node(id: 1) { id ... on User { email } } }']);
    expect(reads).toEqual({
      Query: ['$.request.node.id', '$.response.node.__typename', '$.response.node.id'],
      Node: ['$.__implementations', '$.__typename', '$.id'],
      User: ['$.__implements.Node', '$.email'],
    });
  });

  test('a union and an enum as a whole', () => {
    const { reads } = readsOf(['{ search { ... on Post { title } __typename } me { role } }']);
    expect(reads).toMatchObject({ Result: null, Post: ['$.title'], Role: null, User: ['$.role'] });
  });

  test('the types of the schema that it is of', () => {
    const { reads } = readsOf(['{ a }'], 'schema { query: Root } type Root { a: Int }');
    expect(reads).toEqual({ Root: ['$.a'] });
  });
});

test('a type that refers to itself, further than its contract describes, is read to where it is described', () => {
  const chain = Array.from({ length: 40 }, (_, i) => `type T${i} { x: Int next: T${i + 1} }`);
  const text = `type Query { t: T0 } ${chain.join(' ')} type T40 { x: Int }`;
  const query = `{ t ${'{ next '.repeat(40)}{ x }${' }'.repeat(40)} }`;
  const { reads, schema } = readsOf([query], text);
  const [deepest = ''] = reads.Query ?? [];
  expect(deepest.startsWith('$.t.next.next')).toBe(true);
  for (const [type, fields] of Object.entries(reads)) {
    const contract = schema.contracts.get(type);
    if (contract === undefined || fields === null) throw new Error(type);
    expect(makeNeed({ fields }, contract).ok).toBe(true);
  }
  expect(reads.T39).toEqual(['$.next.x']);
});

test.each([
  ['a field that the schema does not have', '{ me { phone } }', 'no field User.phone'],
  [
    'an argument that it does not have',
    '{ users(last: 1) { id } }',
    'no argument last of Query.users',
  ],
  ['a type that it does not have', '{ me { ... on Robot { id } } }', 'no type Robot'],
  [
    'an operation that it does not have',
    'subscription { me { id } }',
    'no type for a subscription',
  ],
  ['a fragment that is nowhere', '{ me { ...Gone } }', 'Gone is not in these files'],
  ['what is no GraphQL', '{ me { ', 'It is no GraphQL'],
  ['types', 'type Query { a: Int }', 'It defines types'],
])('%s is reported', (_what, operation, message) => {
  expect(readsOf([operation]).unread.join()).toContain(message);
});

test('fragments that contain themselves, or multiply, come to an end', () => {
  const circle = 'fragment A on User { id posts { author { ...A } } } query { me { ...A } }';
  expect(readsOf([circle]).reads).toMatchObject({ User: expect.arrayContaining(['$.id']) });
  const doubling = Array.from(
    { length: 40 },
    (_, i) =>
      `fragment F${i} on User { a: posts { author { ...F${i + 1} } } b: posts { author { ...F${i + 1} } } }`,
  );
  const many = `${doubling.join(' ')} fragment F40 on User { id } query { me { ...F0 } }`;
  expect(readsOf([many]).unread.join()).toContain('more than 100000 fields');
});

test('a schema that is none is refused', () => {
  expect(readOperationSchema('{ me { id } }')).toMatchObject({ ok: false });
  expect(readOperationSchema('type {')).toMatchObject({ ok: false });
});
