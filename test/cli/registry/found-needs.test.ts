// `needs` with a finder: what files read is printed, or sent to a registry, where a change asks for it.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import {
  createAsset,
  must,
  narrowerSchema,
  openWorld,
  type Party,
  publishedAsset,
  publishOk,
  type World,
} from '../../support/client/client-world.ts';
import { type Folder, makeFolder, run } from '../support.ts';

let registry: TestRegistry;
let world: World;
let folder: Folder;

beforeAll(async () => {
  registry = await openRegistry({});
  world = await openWorld(registry.url, registry.bootstrapKey);
  folder = await makeFolder();
});
afterAll(async () => {
  await folder.remove();
  await registry.stop();
});

function as({ key }: Pick<Party, 'key'>, args: readonly string[]) {
  const env = { CONCORDAT_URL: registry.url, CONCORDAT_KEY: key };
  return run(['needs', ...args], '', { env, cwd: folder.path });
}

const offline = (...args: readonly string[]) => run(['needs', ...args], '', { cwd: folder.path });

const register = (party: Party, ...args: readonly string[]) =>
  as(party, ['--dialect', 'postgres', '--register', '--source', 'reports', ...args]);

/** The registration of a team for an asset, with what was found. */
async function registrationOf({ client, teamId }: Party, assetId: string) {
  const query = { asset_id: assetId, consumer_team_id: teamId };
  const [listed] = must(await client.listRegistrations({ query }), 200).results;
  if (listed === undefined) return null;
  return must(await client.getRegistration({ params: { registration_id: listed.id } }), 200);
}

describe('with the contracts of the registry', () => {
  test('a column without a table belongs to the one whose contract has it', async () => {
    const orders = await publishedAsset(world.producer);
    const other = await createAsset(world.producer);
    await publishOk(world.producer.client, other.id, {
      schema: { type: 'object', properties: { 'Shipped At': { type: 'string' }, sku: {} } },
    });
    await folder.file(
      'joined/a.sql',
      `select total, "Shipped At", elsewhere from ${orders.fqn} o join ${other.fqn} s on s.sku = o.id`,
    );
    const args = ['--dialect', 'postgres', 'joined', '--format', 'json'];
    const found = async (...more: readonly string[]) => {
      const { stdout } = await as(world.consumer, [...args, ...more]);
      const told = JSON.parse(stdout) as Printed;
      return Object.fromEntries(
        told.assets.map(({ asset, places }) => [asset, places.flatMap(({ fields }) => fields)]),
      );
    };
    expect(await found()).toEqual({
      [orders.fqn]: ['$["Shipped At"]', '$.elsewhere', '$.id', '$.total'],
      [other.fqn]: ['$["Shipped At"]', '$.elsewhere', '$.sku', '$.total'],
    });
    expect(await found('--contracts')).toEqual({
      [orders.fqn]: ['$.elsewhere', '$.id', '$.total'],
      // No contract has it, so it may be either's.
      [other.fqn]: ['$["Shipped At"]', '$.elsewhere', '$.sku'],
    });
  });

  test('is for SQL files', async () => {
    const refused = await offline('--graphql', 'schema.graphql', '--contracts', 'a.graphql');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--contracts') });
  });
});

interface Printed {
  readonly assets: readonly {
    readonly asset: string;
    readonly places: readonly { readonly fields: readonly string[] }[];
  }[];
}

describe('without a registry', () => {
  test('prints which fields of which assets SQL files read', async () => {
    await folder.file(
      'sql/daily.sql',
      'select o.id, l.sku from shop.public.orders o join lines l on l.order_id = o.id',
    );
    await folder.file('sql/deep/all.sql', 'select * from shop.public.orders');
    const ran = await offline('--dialect', 'snowflake', '--default-schema', 'shop.public', 'sql');
    expect(ran).toEqual({
      code: 0,
      stderr: '',
      stdout:
        'shop.public.lines\n' +
        '  sql/daily.sql: $.order_id, $.sku\n' +
        'shop.public.orders\n' +
        '  sql/daily.sql: $.id\n' +
        '  sql/deep/all.sql: everything (select *)\n',
    });
  });

  test('prints the same as JSON, with what is in doubt', async () => {
    await folder.file('doubt.sql', 'select x from a.t, a.u');
    const ran = await offline('--dialect', 'duckdb', 'doubt.sql', '--format', 'json');
    expect(JSON.parse(ran.stdout)).toEqual({
      origin: 'sql',
      assets: ['a.t', 'a.u'].map((asset) => ({
        asset,
        places: [{ place: 'doubt.sql', fields: ['$.x'], reason: null }],
      })),
      doubts: ['doubt.sql: x may be a column of a.t or a.u, so it counts for each'],
      unread: [],
    });
  });

  test.each([
    ['no SQL', 'select a from s.t where (', 's.t\n  bad.sql: everything'],
    ['a template', "select a from {{ ref('t') }} join s.u on true", 's.u\n  bad.sql: everything'],
    [
      'SQL in a text',
      "select a from dblink('x', 'select b from t') as d(a int)",
      'What was understood reads nothing.',
    ],
  ])('%s is told, with what it names, and is 3', async (_what, sql, shown) => {
    await folder.file('bad.sql', sql);
    const ran = await offline('--dialect', 'postgres', 'bad.sql');
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(/^bad\.sql: /);
    expect(ran.stdout).toContain(shown);
  });

  test('a file that is no text, or too long, is 3', async () => {
    await folder.file('long.sql', `select ${'a, '.repeat(400_000)} a from t`);
    const long = await offline('--dialect', 'postgres', 'long.sql');
    expect(long).toMatchObject({ code: 3 });
    expect(long.stderr).toContain('Split it.');
    const binary = await offline('--dialect', 'postgres', process.execPath);
    expect(binary).toMatchObject({ code: 3, stdout: '' });
  });

  test.each([
    ['no file', ['--dialect', 'postgres'], 'Name the files or folders'],
    ['a folder without SQL', ['--dialect', 'postgres', '.git-is-not-here'], 'does not exist'],
    [
      'a need that is stated',
      ['--dialect', 'postgres', 'a.sql', '--reads', '$.a'],
      'stated for one asset',
    ],
    ['two assets', ['a.b', 'a.c'], 'Name one asset'],
  ] as const)('%s is refused', async (_what, args, message) => {
    const ran = await offline(...args);
    expect([2, 3]).toContain(ran.code);
    expect(ran.stderr).toContain(message);
  });
});

describe('with --register', () => {
  test('registers the team, and keeps the fields with origin, source and place', async () => {
    const { producer, consumer } = world;
    const { fqn, assetId } = await publishedAsset(producer);
    await folder.file('reads.sql', `select ID from ${fqn}`);
    const ran = await register(consumer, 'reads.sql');
    expect(ran).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `${fqn} (registered, and sent)\n  reads.sql: $.ID\n`,
    });
    const kept = await registrationOf(consumer, assetId);
    expect(kept?.found_needs).toEqual({
      digest: expect.any(String),
      // As the contract writes it.
      fields: ['$.id'],
      places: [
        {
          ...{ origin: 'sql', source: 'reports', place: 'reads.sql', fields: ['$.id'] },
          last_seen_at: expect.any(String),
        },
      ],
    });
    const again = await register(consumer, 'reads.sql');
    expect(again.stdout).toContain(`${fqn} (sent)\n`);
  });

  test('finds an asset whose name has capitals', async () => {
    const { producer, consumer } = world;
    const { fqn, assetId } = await publishedAsset(producer, {
      fqn: `Warehouse.RAW.Orders_${Date.now()}`,
    });
    await folder.file('capitals.sql', `select id from ${fqn.toUpperCase()}`);
    expect(await register(consumer, 'capitals.sql')).toMatchObject({ code: 0, stderr: '' });
    const kept = await registrationOf(consumer, assetId);
    expect(kept?.found_needs?.fields).toEqual(['$.id']);
  });

  test('shows a change of a field that only the SQL of the team reads as a break', async () => {
    const { producer, consumer } = world;
    const { fqn, contractId } = await publishedAsset(producer);
    const needs = { fields: ['$.id'] };
    const body = { contract_id: contractId, consumer_team_id: consumer.teamId, needs };
    must(await consumer.client.registerConsumer({ body }), 201);
    await folder.file('narrow.json', narrowerSchema);
    await folder.file('total.sql', `select max(total) from ${fqn}`);
    const env = { CONCORDAT_URL: registry.url, CONCORDAT_KEY: producer.key };
    const impact = () =>
      run(['impact', '--asset', fqn, 'narrow.json'], '', { env, cwd: folder.path });
    expect(await impact()).toMatchObject({ code: 0 });
    expect(await register(consumer, 'total.sql')).toMatchObject({ code: 0 });
    const after = await impact();
    expect(after.code).toBe(1);
    expect(after.stdout).toContain(`${consumer.name} breaks at $.total`);
  });

  test('takes back what the source does not read any more, and nothing of other sources', async () => {
    const { producer, other } = world;
    const [first, second] = [await publishedAsset(producer), await publishedAsset(producer)];
    await folder.file('two/a.sql', `select id from ${first.fqn}, (select 1 as one) x`);
    await folder.file('two/b.sql', `select id from ${second.fqn}`);
    await register(other, 'two');
    await as(other, ['--dialect', 'postgres', '--register', '--source', 'else', 'two/b.sql']);
    await register(other, 'two/a.sql');
    const found = async ({ assetId }: { assetId: string }) =>
      (await registrationOf(other, assetId))?.found_needs?.places.map(({ source }) => source);
    expect(await found(first)).toEqual(['reports']);
    expect(await found(second)).toEqual(['else']);
  });

  test('sends nothing if a file could not be read whole', async () => {
    const { producer, other } = world;
    const { fqn, assetId } = await publishedAsset(producer);
    await folder.file('half/a.sql', `select id from ${fqn}`);
    await folder.file('half/b.sql', 'select a from (');
    const ran = await register(other, 'half');
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('Nothing was sent, because 1 file may read more');
    expect(await registrationOf(other, assetId)).toBeNull();
  });

  test('says of each asset why nothing was sent', async () => {
    const { producer } = world;
    const { fqn } = await publishedAsset(producer);
    await folder.file(
      'own.sql',
      `select id from ${fqn} where k in (select k from no.such.relation)`,
    );
    const ran = await register(producer, 'own.sql');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain(`${fqn} (the team owns it)\n`);
    expect(ran.stdout).toContain('no.such.relation (not in the registry)\n');
  });

  test('needs a source, and a registry', async () => {
    await folder.file('one.sql', 'select id from a.b');
    const args = ['--dialect', 'postgres', '--register', 'one.sql'];
    const nameless = await as(world.consumer, args);
    expect(nameless).toMatchObject({ code: 2, stdout: '' });
    expect(nameless.stderr).toContain('Name the project with --source');
    expect(await offline(...args, '--source', 'reports')).toMatchObject({ code: 2 });
  });
});

describe('GraphQL operations', () => {
  const sdl = (more: string) => `type Query { user(id: ID!): User } type User { id: ID! ${more} }`;

  test('are read against a schema in a file, and printed with the reason of each type taken whole', async () => {
    await folder.file('api/schema.graphql', `${sdl('role: Role')} enum Role { A B }`);
    await folder.file('api/user.graphql', 'query ($id: ID!) { user(id: $id) { role } }');
    expect(await offline('--graphql', 'api/schema.graphql', '--prefix', 'shop.api', 'api')).toEqual(
      {
        code: 0,
        stderr: '',
        stdout:
          'shop.api.Query\n' +
          '  api/user.graphql: $.request.user.id, $.response.user.role\n' +
          'shop.api.Role\n' +
          '  api/user.graphql: everything (an enum is taken whole)\n' +
          'shop.api.User\n' +
          '  api/user.graphql: $.role\n',
      },
    );
  });

  test('are sent, and show the change of a field that one of them reads as a break', async () => {
    const { producer, consumer } = world;
    const env = { CONCORDAT_URL: registry.url, CONCORDAT_KEY: producer.key };
    const asProducer = (...args: readonly string[]) => run(args, '', { env, cwd: folder.path });
    await folder.file('gql/old.graphql', sdl('email: String'));
    await folder.file('gql/new.graphql', sdl(''));
    await folder.file('operations/a.gql', '{ user(id: 1) { ...Mail } }');
    await folder.file('operations/b.gql', 'fragment Mail on User { email }');
    const naming = ['--prefix', 'mail.api'];
    const imported = [
      'import',
      '--owner',
      producer.name,
      ...naming,
      '--publish',
      'gql/old.graphql',
    ];
    expect(await asProducer(...imported)).toMatchObject({ code: 0 });
    const stated = ['register', 'mail.api.User', '--reads', '$.id'];
    const ofConsumer = { ...env, CONCORDAT_KEY: consumer.key };
    expect(await run(stated, '', { env: ofConsumer })).toMatchObject({ code: 0 });
    const sent = await as(consumer, [
      ...['--graphql', 'gql/old.graphql', ...naming, 'operations'],
      ...['--register', '--source', 'app'],
    ]);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(sent.stdout).toContain('mail.api.Query (registered, and sent)\n');
    const impact = await asProducer('impact', ...naming, '--format', 'json', 'gql/new.graphql');
    const { items } = JSON.parse(impact.stdout);
    const user = items.find(({ fqn }: { fqn: string }) => fqn === 'mail.api.User');
    expect(user.consumer_verdicts).toEqual([
      { team: consumer.name, verdict: 'breaks', origin: 'found', path: '$.email' },
    ]);
  });

  test.each([
    [
      'a field that the schema does not have',
      ['odd.gql'],
      3,
      'The schema has no field User.phone.',
    ],
    ['a schema that is none', ['odd.gql', '--graphql', 'odd.gql'], 3, 'odd.gql'],
    ['two kinds of files', ['odd.gql', '--dialect', 'duckdb'], 2, 'Give one of'],
  ] as const)('%s is told', async (_what, args, code, message) => {
    await folder.file('api.graphql', sdl(''));
    await folder.file('odd.gql', '{ user(id: 1) { phone } }');
    const ran = await offline('--graphql', 'api.graphql', ...args);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(message);
  });
});

describe('events of OpenLineage', () => {
  const fixture = join(import.meta.dirname, '../../fixtures/openlineage/dbt-ol.ndjson');

  test('are read as the client of dbt writes them', async () => {
    expect(await offline('--openlineage', fixture)).toEqual({
      code: 0,
      stderr: '',
      stdout:
        'shop.marts.totals\n' +
        '  reports/shop.marts.reports.top: $.name, $.total\n' +
        'shop.raw.customers\n' +
        '  reports/shop.marts.reports.totals: $.id, $.name\n' +
        'shop.raw.orders\n' +
        '  reports/shop.marts.reports.totals: $.amount, $.customer_id, $.status\n',
    });
  });

  test('are sent with the job as the place', async () => {
    const { fqn, assetId } = await publishedAsset(world.producer);
    const sql = { query: `select id from ${fqn}`, dialect: 'postgres' };
    const event = {
      ...{ eventType: 'COMPLETE', run: { runId: 'a' }, outputs: [] },
      job: { namespace: 'airflow', name: 'daily.orders', facets: { sql } },
      inputs: [{ namespace: 'postgres://db:5432', name: fqn }],
    };
    await folder.file('events/one.json', event);
    const { consumer } = world;
    const args = ['--openlineage', 'events', '--register', '--source', 'airflow'];
    expect(await as(consumer, args)).toMatchObject({ code: 0, stderr: '' });
    const kept = await registrationOf(consumer, assetId);
    expect(kept?.found_needs?.places).toMatchObject([
      { origin: 'openlineage', source: 'airflow', place: 'airflow/daily.orders', fields: ['$.id'] },
    ]);
  });

  test.each([
    ['a line that is no JSON', '{"job": 1}\n{', 3, 'Line 2 is no JSON'],
    ['an event of nothing', '{"eventType": "START"}', 3, 'Event 1: it has no job.'],
  ])('%s is told', async (_what, text, code, message) => {
    const path = await folder.file('wrong.ndjson', text);
    const ran = await offline('--openlineage', path);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe('a manifest of dbt', () => {
  const manifest = (fqn: string, sql: string, adapter = 'postgres') => {
    const [database = '', schema = '', name = ''] = fqn.split('.');
    const id = `source.reports.raw.${name}`;
    const [source, model] = ['source', 'model'].map((resource_type) => ({
      ...{ resource_type, package_name: 'reports', name, database, schema, identifier: name },
    }));
    return {
      metadata: {
        dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
        ...{ project_name: 'reports', adapter_type: adapter },
      },
      nodes: {
        'model.reports.daily': {
          ...{ ...model, name: 'daily', schema: 'marts', alias: 'daily', compiled_code: sql },
          ...{ original_file_path: 'models/daily.sql', depends_on: { nodes: [id] } },
        },
      },
      sources: { [id]: source },
    };
  };

  test('is read for what its models read, and sent under the name of the project', async () => {
    const { fqn, assetId } = await publishedAsset(world.producer);
    const sql = `with o as (select * from ${fqn}) select total from o`;
    await folder.file('target/manifest.json', manifest(fqn, sql));
    const printed = await offline('--dbt', 'target/manifest.json');
    expect(printed).toEqual({
      code: 0,
      stderr: '',
      stdout: `${fqn}\n  models/daily.sql: $.total\n`,
    });
    const sent = await as(world.consumer, ['--dbt', 'target/manifest.json', '--register']);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect((await registrationOf(world.consumer, assetId))?.found_needs?.places).toEqual([
      {
        ...{ origin: 'dbt', source: 'reports', place: 'models/daily.sql', fields: ['$.total'] },
        last_seen_at: expect.any(String),
      },
    ]);
  });

  test.each([
    ['cut off', ['cut.json'], 3, 'It is no JSON'],
    ['of an adapter that is not known', ['odd.json'], 2, 'of the adapter quantum'],
    ['with other files', ['odd.json', 'a.sql'], 2, 'Name no other files'],
    ['no manifest', ['catalog.json'], 3, 'This is a different dbt file'],
    ['not there', ['none.json'], 3, 'does not exist'],
  ] as const)('that is %s is refused', async (_what, args, code, message) => {
    const whole = manifest('a.b.c', 'select 1', 'quantum');
    await folder.file('odd.json', whole);
    await folder.file('cut.json', JSON.stringify(whole).slice(0, 200));
    const version = 'https://schemas.getdbt.com/dbt/catalog/v1.json';
    const metadata = { dbt_schema_version: version, adapter_type: 'duckdb' };
    await folder.file('catalog.json', { metadata, nodes: {}, sources: {} });
    const ran = await offline('--dbt', ...args);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(message);
  });

  test('of an adapter that is not known is read if its dialect is given', async () => {
    await folder.file('odd.json', manifest('a.b.c', 'select id from a.b.c', 'quantum'));
    const ran = await offline('--dbt', 'odd.json', '--dialect', 'trino');
    expect(ran).toMatchObject({ code: 0, stdout: 'a.b.c\n  models/daily.sql: $.id\n' });
  });
});
