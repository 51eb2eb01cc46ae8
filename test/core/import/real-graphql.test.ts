// GitHub's schema as it was published, version by version: what breaks is what graphql-js finds to
// break, and where the two differ it is told why.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, findBreakingChanges, type GraphQLSchema } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { compare } from '../../../src/core/diff/compare.ts';
import { type Candidate, toContractTerms } from '../../../src/core/import/candidate.ts';
import { parseGraphql } from '../../../src/core/import/graphql/graphql.ts';
import { alignTerms } from '../../../src/core/import/openapi/align-terms.ts';
import { checkSchema } from '../../../src/engine/check-schema.ts';
import { npmPackage } from '../../support/tools.ts';

interface Document {
  readonly sdl: string;
  readonly types: ReadonlyMap<string, Candidate>;
  readonly schema: GraphQLSchema;
}

const documents = new Map<string, Document>();

async function load(version: string): Promise<void> {
  const folder = npmPackage('@octokit/graphql-schema', version);
  const sdl = readFileSync(join(folder, 'schema.graphql'), 'utf8');
  const types = new Map(
    parseGraphql(sdl).candidates.flatMap((candidate) =>
      candidate.label.kind === 'graphql' ? [[candidate.label.type_name, candidate] as const] : [],
    ),
  );
  // The newest one defines a field twice, which graphql-js refuses to build otherwise.
  const schema = buildSchema(sdl, { assumeValidSDL: true });
  documents.set(version, { sdl, types, schema });
}

beforeAll(async () => {
  for (const version of ['10.0.0', '12.0.0', '14.0.0', '14.58.0', '15.26.1']) await load(version);
});

function documentOf(version: string): Document {
  const document = documents.get(version);
  if (document === undefined) throw new Error(`${version} was not loaded.`);
  return document;
}

/** `Type.field`, `Type implements Interface`, or the type alone, for each break. */
function oursBetween(before: string, after: string): readonly string[] {
  const { types } = documentOf(after);
  return [...documentOf(before).types].flatMap(([name, old]): readonly string[] => {
    const next = types.get(name);
    if (next === undefined) return [name];
    if (old.terms === null || next.terms === null) return [];
    const [from, to] = alignTerms(
      toContractTerms(old.terms, null),
      toContractTerms(next.terms, null),
    );
    const { changes } = compare(from, to);
    return changes.filter(({ breaking }) => breaking).map(({ path }) => placeOf(name, path));
  });
}

function placeOf(type: string, path: string): string {
  const [first, second] = [...path.matchAll(/\.properties\.([A-Za-z_]\w*)/g)]
    .map(([, name]) => name)
    .filter((name) => name !== 'response' && name !== 'request');
  if (first === undefined || first === '__implementations') return type;
  return first === '__implements' ? `${type} implements ${second}` : `${type}.${first}`;
}

function theirsBetween(before: string, after: string): readonly string[] {
  const breaks = findBreakingChanges(documentOf(before).schema, documentOf(after).schema);
  return breaks.map(({ type, description }) => {
    if (type === 'IMPLEMENTED_INTERFACE_REMOVED') {
      return description.replace(
        /^(\w+) no longer implements interface (\w+)\.$/,
        '$1 implements $2',
      );
    }
    const [, name = '', member] =
      /(?:Field |Enum value |^)(\w+)(?:\.(\w+))?/.exec(description) ?? [];
    return member === undefined || type === 'VALUE_REMOVED_FROM_ENUM' ? name : `${name}.${member}`;
  });
}

const pairs = [
  { before: '10.0.0', after: '12.0.0', onlyOurs: [] },
  { before: '12.0.0', after: '14.0.0', onlyOurs: [] },
  { before: '14.0.0', after: '14.58.0', onlyOurs: [] },
  {
    before: '14.58.0',
    after: '15.26.1',
    onlyOurs: [
      // An interface became an object. graphql-js stops at that; its fields went away as well.
      'AnnouncementBanner.announcement',
      'AnnouncementBanner.announcementExpiresAt',
      'AnnouncementBanner.announcementUserDismissible',
      // From URI to URI!: it may neither be left out nor be null, which are two breaks of callers.
      'StartRepositoryMigrationInput.sourceRepositoryUrl',
    ],
  },
];

describe.each(pairs)('GitHub from $before to $after', ({ before, after, onlyOurs }) => {
  test('breaks where graphql-js finds it to, and where it is told why', () => {
    const theirs = theirsBetween(before, after);
    expect([...oursBetween(before, after)].sort()).toEqual([...theirs, ...onlyOurs].sort());
  });
});

test('the pairs break in every way that is counted: types, fields, values, interfaces', () => {
  const kinds = pairs.flatMap(({ before, after }) =>
    findBreakingChanges(documentOf(before).schema, documentOf(after).schema).map(
      ({ type }) => type,
    ),
  );
  expect([...new Set(kinds)].sort()).toEqual([
    'FIELD_CHANGED_KIND',
    'FIELD_REMOVED',
    'IMPLEMENTED_INTERFACE_REMOVED',
    'TYPE_CHANGED_KIND',
    'TYPE_REMOVED',
    'VALUE_REMOVED_FROM_ENUM',
  ]);
});

test('each object, input, enum, interface and union of a version is a type, and nothing else', () => {
  for (const [version, { schema, types }] of documents) {
    const named = Object.values(schema.getTypeMap())
      .filter(({ name, astNode }) => !name.startsWith('__') && astNode !== undefined)
      .filter((type) => type.astNode?.kind !== 'ScalarTypeDefinition')
      .map(({ name }) => name);
    expect([...types.keys()].sort(), version).toEqual(named.sort());
  }
});

test('a field that the published SDL defines twice is told with its place, and the rest goes on', () => {
  const { sdl, types } = documentOf('15.26.1');
  expect(() => buildSchema(sdl)).toThrow('can only be defined once');
  const { problems } = parseGraphql(sdl);
  expect(problems.map(({ code, message }) => [code, message.split(' ')[0]])).toEqual([
    ['DUPLICATE_DEFINITION', 'EnterpriseOwnerInfo.repositoryDeployKeySetting'],
    ['DUPLICATE_DEFINITION', 'EnterpriseOwnerInfo.repositoryDeployKeySettingOrganizations'],
  ]);
  for (const { place, message } of problems) {
    const line = Number(/^line (\d+), column \d+$/.exec(place)?.[1]);
    const field = message.split(' ')[0]?.split('.')[1] ?? '';
    expect(sdl.split('\n')[line - 1]).toContain(field);
  }
  expect(types.get('EnterpriseOwnerInfo')?.terms).not.toBeNull();
});

test.each(['10.0.0', '15.26.1'])('of what %s is read into ajv has nothing to say', (version) => {
  for (const [name, { terms }] of documentOf(version).types) {
    if (terms !== null) expect(checkSchema(terms.schema, terms.dialect).ok, name).toBe(true);
  }
});
