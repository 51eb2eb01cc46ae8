import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { parseGraphql } from '../../../src/core/import/graphql/graphql.ts';
import { npmPackage } from '../../support/tools.ts';

const sdl = `
"""A person."""
type User implements Node { id: ID!, "The name." name(short: Boolean = false): String @deprecated(reason: "x"), role: Role! }
interface Node { id: ID! }
enum Role { ADMIN, READER }
union Thing = User | Order
type Order { id: ID!, at: DateTime, lines: [[Line!]!] }
type Line { sku: String }
scalar DateTime
input Filter { roles: [Role!] = [ADMIN], limit: Int = 10 }
type Query { things(by: Filter): [Thing] }
`;

const termsOf = (text: string) =>
  parseGraphql(text).candidates.map(({ fqn, terms }) => ({ fqn, terms }));
const byName = (terms: ReturnType<typeof termsOf>) =>
  new Map(terms.map((each) => [each.fqn, each]));

describe('an introspection of GraphQL', () => {
  const introspection = introspectionFromSchema(buildSchema(sdl));

  test.each([
    ['the schema', introspection, '$.__schema.types[0]'],
    ['the answer of a server', { data: introspection }, '$.data.__schema.types[0]'],
  ])('is read like its SDL: %s', (_name, document, place) => {
    const read = parseGraphql(JSON.stringify(document, null, 2));
    expect(read.problems).toEqual([]);
    expect(byName(termsOf(JSON.stringify(document)))).toEqual(byName(termsOf(sdl)));
    expect(read.candidates[0]?.place).toBe(place);
  });

  test('of a real API is read whole', async () => {
    const folder = await npmPackage('@octokit/graphql-schema', '15.26.1');
    const read = parseGraphql(await readFile(join(folder, 'schema.json'), 'utf8'));
    expect(read.problems).toEqual([]);
    expect(read.candidates.length).toBeGreaterThan(1000);
    expect(read.candidates.filter(({ terms }) => terms === null)).toEqual([]);
  });

  test.each([
    '{"',
    '{"data": null}',
    '{"__schema": {}}',
    '{"__schema": {"types": [1, null, {"kind": "OBJECT"}], "queryType": {"name": "Query"}}}',
    JSON.stringify({ ...introspection, __schema: { ...introspection.__schema, types: [] } }),
  ])('that cannot be read is refused with a sentence: %s', (text) => {
    const { candidates, problems } = parseGraphql(text);
    expect(candidates).toEqual([]);
    expect(problems).toMatchObject([{ code: 'INVALID_SDL', fatal: true }]);
  });
});
