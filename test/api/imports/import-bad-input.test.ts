// Invalid files: the right code, the location in the file, and nothing imported.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import { checkedFetch } from '../../support/client/client.ts';
import { must, openRegistryForFile } from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';

const { registry, world } = await openRegistryForFile();

async function rowCounts() {
  const tables = ['asset', 'contract', 'registration', 'dependency', 'audit_event', 'outbox'];
  const counted = tables.map((table) => `(select count(*)::int from ${table}) as ${table}`);
  const [row] = await registry.database.query(`select ${counted.join(', ')}`);
  return row;
}

let before: Awaited<ReturnType<typeof rowCounts>>;
beforeEach(async () => {
  before = await rowCounts();
});
afterEach(async () => {
  expect(await rowCounts()).toEqual(before);
});

async function send(path: string, body: string) {
  const response = await checkedFetch(`${registry.url}/api/v1/sync/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.producer.key}`,
      'content-type': 'application/json',
    },
    body,
  });
  const { detail } = (await response.json()) as { readonly detail: JsonObject };
  return { status: response.status, detail };
}

const owned = (more: object) => JSON.stringify({ owner_team_id: world.producer.teamId, ...more });
const versioned = (version: string) => ({
  metadata: { dbt_schema_version: `https://schemas.getdbt.com/dbt/manifest/${version}.json` },
  nodes: {},
});
const model = () => manifestOf('shop', [{ name: 'a' }]);
const deep = (levels: number) =>
  `type A { a(b: X = ${'['.repeat(levels)}${']'.repeat(levels)}): Int }`;

/** Each alias contains ten of the previous one: ten million nodes from a few lines. */
const aliasBomb = [
  'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
  ...[1, 2, 3, 4, 5, 6].map(
    (level) =>
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
  ),
  'kind: DataContract',
].join('\n');

interface Bad {
  readonly name: string;
  readonly path: string;
  readonly body: () => string;
  readonly status: number;
  readonly code: string;
  /** What the message or the location must contain. */
  readonly place?: RegExp;
  readonly message?: RegExp;
}

const bad: readonly Bad[] = [
  {
    name: 'a manifest of a version too old',
    path: 'dbt/upload',
    body: () => owned({ manifest: versioned('v3') }),
    status: 422,
    code: 'INVALID_MANIFEST',
    place: /^\$\.metadata\.dbt_schema_version$/,
    message: /v3.*oldest supported version is v4/,
  },
  {
    name: 'a different dbt file',
    path: 'dbt/upload',
    body: () =>
      owned({
        manifest: {
          metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/catalog/v1.json' },
          nodes: {},
        },
      }),
    status: 422,
    code: 'INVALID_MANIFEST',
    message: /manifest\.json/,
  },
  {
    name: 'a manifest without nodes',
    path: 'buildtool/upload',
    body: () => owned({ manifest: versioned('v12') }),
    status: 422,
    code: 'INVALID_MANIFEST',
    place: /^\$\.nodes$/,
  },
  {
    name: 'JSON that was cut',
    path: 'dbt/upload',
    body: () => owned({ manifest: model() }).slice(0, -40),
    status: 400,
    code: 'INVALID_JSON',
    place: /^(?:line \d+, column \d+|after \d+ characters)$/,
  },
  {
    name: 'JSON that is wrong in its middle',
    path: 'openapi',
    body: () =>
      owned({ spec: { openapi: '3.1.0', info: {}, paths: {} } }).replace('"info"', 'info'),
    status: 400,
    code: 'INVALID_JSON',
    place: /^line 1, column \d+$/,
  },
  {
    name: 'an owner team that nobody has',
    path: 'dbt/upload',
    body: () => {
      const meta = { svc: { owner_team: 'ghosts' } };
      return owned({ manifest: manifestOf('shop', [{ name: 'a', meta }]) });
    },
    status: 422,
    code: 'OWNER_TEAM_NOT_FOUND',
    message: /Owner team "ghosts" of \S+ was not found/,
  },
  {
    name: 'a text that cannot be kept',
    path: 'dbt/upload',
    body: () => owned({ manifest: manifestOf('shop', [{ name: 'a', description: 'nul \0' }]) }),
    status: 400,
    code: 'VALIDATION_ERROR',
    message: /\$\.nodes\["model\.shop\.a"\].*NUL/s,
  },
  {
    name: 'a number in YAML that cannot be kept',
    path: 'odcs',
    body: () =>
      owned({
        contract: `{apiVersion: v3.1.0, kind: DataContract, id: orders, status: active, version: 1.0.0,
          schema: [{name: orders, properties: [{name: amount, logicalType: number,
            logicalTypeOptions: {maximum: 1e+99999}}]}]}`,
      }),
    status: 400,
    code: 'VALIDATION_ERROR',
    message: /10000 digits/,
  },
  {
    name: 'Swagger 1.2',
    path: 'openapi',
    body: () => owned({ spec: { swagger: '1.2', info: {}, paths: {} } }),
    status: 422,
    code: 'INVALID_OPENAPI',
    place: /^\$\.swagger$/,
  },
  {
    name: 'an SDL that nests without end',
    path: 'graphql',
    body: () => owned({ schema: deep(200_000) }),
    status: 422,
    code: 'INVALID_SDL',
    message: /nested too deep/,
  },
  {
    name: 'an SDL of more tokens than any schema has',
    path: 'graphql',
    body: () => owned({ schema: 'type A { a: Int } '.repeat(400_000) }),
    status: 422,
    code: 'INVALID_SDL',
    place: /^line \d+, column \d+$/,
  },
  {
    name: 'an SDL that is none',
    path: 'graphql',
    body: () => owned({ schema: 'type User {\n  id ID\n}' }),
    status: 422,
    code: 'INVALID_SDL',
    place: /^line 2, column \d+$/,
  },
  {
    name: 'YAML whose aliases multiply',
    path: 'odcs',
    body: () => owned({ contract: aliasBomb }),
    status: 422,
    code: 'INVALID_ODCS',
    message: /alias/i,
  },
  {
    name: 'YAML that is none',
    path: 'odcs',
    body: () => owned({ contract: 'kind: DataContract\n\tid: a' }),
    status: 422,
    code: 'INVALID_ODCS',
    place: /^line 2, column \d+$/,
  },
];

test.each(bad)('$name is refused, and nothing is imported', async (row) => {
  const { status, detail } = await send(row.path, row.body());
  expect({ status, code: detail.code }, JSON.stringify(detail)).toEqual({
    status: row.status,
    code: row.code,
  });
  if (row.place !== undefined) expect(detail.place).toMatch(row.place);
  if (row.message !== undefined) expect(detail.message).toMatch(row.message);
});

describe('A reference to another location', () => {
  let elsewhere: Server;
  let asked = 0;

  beforeAll(async () => {
    elsewhere = createServer((_request, response) => {
      asked++;
      response.end('{"type": "string"}');
    });
    await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
  });
  afterAll(() => new Promise((done) => elsewhere.close(done)));

  test('is never fetched, and is reported with its operation', async () => {
    const { port } = elsewhere.address() as AddressInfo;
    const schema = { $ref: `http://127.0.0.1:${port}/user.json` };
    const responses = { 200: { content: { 'application/json': { schema } } } };
    const spec = {
      openapi: '3.1.0',
      info: { title: 'Away', version: '1' },
      paths: { '/users': { get: { responses } }, '/ok': { get: { responses: {} } } },
    };
    const compared = must(await world.producer.client.diffOpenapi({ body: { spec } }), 200);
    expect(compared.parse_errors).toMatchObject([
      { code: 'EXTERNAL_REFERENCE', place: expect.stringContaining('$.paths["/users"].get') },
    ]);
    expect(compared.summary.new).toBe(2);
    expect(asked).toBe(0);
  });
});
