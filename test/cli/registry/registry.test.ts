import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import {
  createUser,
  must,
  narrowerSchema,
  openParty,
  openWorld,
  orderSchema,
  type Party,
  proposedAsset,
  publishedAsset,
  register,
  type World,
  widerSchema,
} from '../../support/client/client-world.ts';
import { type Folder, makeFolder, type RunOptions, run } from '../support.ts';

let registry: TestRegistry;
let world: World;
let folder: Folder;

beforeAll(async () => {
  registry = await openRegistry({ FOUR_EYES: 'true' });
  world = await openWorld(registry.url, registry.bootstrapKey);
  folder = await makeFolder();
});
afterAll(async () => {
  await folder.remove();
  await registry.stop();
});

function as({ key }: Pick<Party, 'key'>): RunOptions {
  return { env: { CONCORDAT_URL: registry.url, CONCORDAT_KEY: key }, cwd: folder.path };
}

const asProducer = (args: readonly string[]) => run(args, '', as(world.producer));

describe('diff and impact with a registry', () => {
  test('a schema that breaks ends with 1 and names the consumers', async () => {
    const { fqn, contractId } = await publishedAsset(world.producer);
    await register(world.consumer, contractId);
    await folder.file('narrow.json', narrowerSchema);
    for (const command of ['diff', 'impact']) {
      const ran = await asProducer([command, '--asset', fqn, 'narrow.json']);
      expect(ran).toMatchObject({ code: 1, stderr: '' });
      expect(ran.stdout).toContain(`Affected: ${world.consumer.name}.`);
      expect(ran.stdout).toMatch(/total: .* \[property_removed\]/);
    }
  });

  test('a schema that is compatible, the same, or new ends with 0', async () => {
    const { fqn } = await publishedAsset(world.producer);
    await folder.file('wide.json', widerSchema);
    await folder.file('same.json', orderSchema);
    const wide = await asProducer(['diff', '--asset', fqn, '--format', 'json', 'wide.json']);
    expect(wide.code).toBe(0);
    expect(JSON.parse(wide.stdout)).toMatchObject({
      status: 'changes_detected',
      from: registry.url,
      items: [{ fqn, change_type: 'modified', version_bump: 'minor', consumers: [] }],
    });
    const same = await asProducer(['diff', '--asset', fqn, 'same.json']);
    expect(same).toEqual({
      code: 0,
      stdout: '= 1 contract compared, 0 new, 0 modified, 0 removed, 1 unchanged.\n',
      stderr: '',
    });
    const fresh = await asProducer(['diff', '--asset', 'shop.public.none', 'same.json']);
    expect(fresh.code).toBe(0);
    expect(fresh.stdout).toContain('+ shop.public.none (same.json): new');
  });

  test('a GraphQL schema is judged like an import', async () => {
    const prefix = 'shop_graphql';
    await folder.file('old.graphql', 'type User { id: ID! email: String }');
    await folder.file('new.graphql', 'type User { id: ID! }');
    const imported = await asProducer([
      ...['import', '--owner', world.producer.name, '--prefix', prefix, '--publish', 'old.graphql'],
    ]);
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(imported.stdout).toContain('1 contract was published');
    for (const command of ['diff', 'impact']) {
      const ran = await asProducer([command, '--prefix', prefix, 'new.graphql']);
      expect(ran.code).toBe(1);
      expect(ran.stdout).toContain('property_removed');
      expect(ran.stdout).toContain('It has no registered consumers.');
    }
    const same = await asProducer(['diff', '--prefix', prefix, 'old.graphql']);
    expect(same).toMatchObject({ code: 0, stderr: '' });
  });

  test('a mode or a direction cannot be chosen: 2', async () => {
    await folder.file('any.json', orderSchema);
    for (const option of ['--mode=none', '--direction=request']) {
      const ran = await asProducer(['diff', option, '--asset', 'shop.any', 'any.json']);
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toContain('A registry uses the settings of the current contract');
    }
  });

  test('CONCORDAT_URL has no effect on two files', async () => {
    await folder.file('one.json', orderSchema);
    const ran = await asProducer(['diff', 'one.json', 'one.json']);
    expect(ran).toEqual({ code: 0, stdout: 'No changes.\n', stderr: '' });
  });
});

describe('publish, ack, status and export', () => {
  test('a contract is published, proposed, answered and exported', async () => {
    const fqn = 'shop.public.parcels';
    const manifest = (schema: unknown) => ({
      apiVersion: 'concordat.dev/v1',
      kind: 'DataContract',
      metadata: { name: 'parcels' },
      spec: { fqn, team: world.producer.name, tags: ['shipping'], schema },
    });
    await folder.file('parcels.yaml', manifest(orderSchema));
    const first = await asProducer(['publish', '--commit', 'abc123', 'parcels.yaml']);
    expect(first).toEqual({
      code: 0,
      stdout: `+ ${fqn} 1.0.0 is active: 0 changes, initial.\n`,
      stderr: '',
    });
    const again = await asProducer(['publish', 'parcels.yaml']);
    expect(again.stdout).toBe(`= ${fqn} 1.0.0 is already active. Nothing changed.\n`);

    const { results } = must(await world.producer.client.listAssets({ query: { fqn } }), 200);
    await register(world.consumer, results[0]?.active_contract_id ?? '');
    await folder.file('parcels.yaml', manifest(narrowerSchema));
    const proposed = await asProducer(['publish', 'parcels.yaml']);
    expect(proposed.code).toBe(1);
    expect(proposed.stdout).toContain(
      `? ${fqn} waits for 1 consumer: 1 breaking change, proposal `,
    );
    expect(proposed.stdout).toContain(`    asked: ${world.consumer.name}\n`);
    const unguarded = ['publish', '--supersede', '--dry-run', '--mode', 'none', 'parcels.yaml'];
    expect((await asProducer(unguarded)).stdout).toContain(
      'The compatibility mode changes from backward to none.',
    );

    const status = await run(['status', fqn], '', as(world.consumer));
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(status.stdout).toContain(`= ${fqn} (production): 1.0.0, read by ${world.consumer.name}`);
    expect(status.stdout).toContain(`    ${world.consumer.name}: awaited`);

    const blocked = await run(['ack', fqn, '--response', 'blocked'], '', as(world.consumer));
    expect(blocked).toMatchObject({ code: 2, stdout: '' });
    const answered = await run(
      ['ack', fqn, '--response', 'migrating', '--until', '2099-01-31', '--notes', 'In January.'],
      '',
      as(world.consumer),
    );
    expect(answered).toMatchObject({ code: 0, stderr: '' });
    expect(answered.stdout).toContain('you answered migrating. All consumers agreed.');

    const exported = await asProducer(['export', fqn]);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    await folder.file('exported.yaml', exported.stdout);
    await folder.file('original.yaml', manifest(orderSchema));
    const round = await asProducer(['diff', 'original.yaml', 'exported.yaml']);
    expect(round).toMatchObject({ code: 0, stdout: 'No changes.\n' });
  });

  test('a folder of contracts whose schemas are in files of their own is compared and published', async () => {
    const { fqn } = await publishedAsset(world.producer);
    const other = `shop.public.api_${Date.now()}`;
    const contract = (name: string, spec: object) =>
      folder.file(`beside/${name}.yaml`, {
        ...{ apiVersion: 'concordat.dev/v1', kind: 'DataContract', metadata: { name }, spec },
      });
    await contract('orders', { fqn, schemaFrom: { file: { path: './schemas/order.json' } } });
    await folder.file('beside/schemas/order.json', narrowerSchema);
    const broken = await asProducer(['diff', '--registry', registry.url, 'beside']);
    expect(broken).toMatchObject({ code: 1, stderr: '' });
    expect(broken.stdout).toContain(fqn);
    await folder.file('beside/schemas/order.json', widerSchema);
    const published = await asProducer(['publish', 'beside']);
    expect(published).toMatchObject({ code: 0, stderr: '' });
    expect(published.stdout).toMatch(/^\+ .* 1\.1\.0 is active: .*\n$/);
    const paths = {
      '/a': {
        get: {
          operationId: 'a',
          responses: {
            200: { description: 'x', content: { 'application/json': { schema: orderSchema } } },
          },
        },
      },
    };
    await folder.file('beside/api.json', {
      openapi: '3.1.0',
      info: { title: 'A', version: '1' },
      paths,
    });
    await contract('api', {
      fqn: other,
      schemaFrom: { file: { path: 'api.json' }, format: 'OpenAPI', operation: 'a' },
    });
    const refused = await asProducer(['publish', 'beside']);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('takes its schema from an OpenAPI document');
  });

  test('a dry run publishes nothing, and a missing asset needs an owner', async () => {
    const { fqn, assetId } = await publishedAsset(world.producer);
    await folder.file('wide.json', widerSchema);
    const dry = await asProducer(['publish', '--dry-run', '--asset', fqn, 'wide.json']);
    expect(dry.stdout).toBe(`+ ${fqn} 1.1.0 is active (dry run): 1 change, minor.\n`);
    const asset = must(await world.admin.getAsset({ params: { asset_id: assetId } }), 200);
    expect(asset.active_contract_version).toBe('1.0.0');
    const missing = await asProducer(['publish', '--asset', 'shop.public.nowhere', 'wide.json']);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toContain('add --owner');
  });

  test('status --team shows only what waits for that team', async () => {
    const proposal = await proposedAsset(world.producer, [world.consumer]);
    const theirs = await run(['status', '--team', world.consumer.name], '', as(world.consumer));
    expect(theirs.stdout).toContain(proposal.proposalId);
    const others = await run(['status', '--team', world.other.name], '', as(world.consumer));
    expect(others.stdout).not.toContain(proposal.proposalId);
  });
});

describe('status of a requested force', () => {
  test('names the administrator who requested it', async () => {
    const { admin, producer, consumer } = world;
    const { fqn, proposalId } = await proposedAsset(producer, [consumer]);
    const { id } = await createUser(admin, { role: 'admin' });
    const client = admin.as(
      must(
        await admin.issueApiKey({ body: { name: 'Key of Ada', user_id: id, scopes: ['admin'] } }),
        201,
      ).key,
    );
    const before = await asProducer(['status', fqn]);
    expect(before.stdout).not.toContain('requested to force');
    const body = { reason: 'Legal wants it gone.' };
    must(await client.forceProposal({ params: { proposal_id: proposalId }, body }), 202);
    const after = await asProducer(['status', fqn]);
    expect(after.stdout).toContain(
      '    Key of Ada requested to force it; a second administrator must confirm\n',
    );
    const json = JSON.parse((await asProducer(['status', fqn, '--format', 'json'])).stdout);
    expect(json.proposals).toMatchObject([{ force_requested_by: 'Key of Ada' }]);
  });
});

describe('verify-audit', () => {
  test('an intact trail verifies, in the registry and from an export; an altered one does not', async () => {
    await publishedAsset(world.producer);
    const asAdmin = as({ key: registry.bootstrapKey });
    const here = await run(['verify-audit'], '', asAdmin);
    expect(here).toMatchObject({ code: 0, stderr: '' });
    expect(here.stdout).toMatch(
      /^The audit trail is intact\.\nSealed: 1 to \d+, checkpoint \d+:[0-9a-f]+/,
    );
    const exported = await fetch(`${registry.url}/api/v1/audit/events/export`, {
      headers: { authorization: `Bearer ${registry.bootstrapKey}` },
    });
    const text = await exported.text();
    const offline = { cwd: folder.path };
    expect(await run(['verify-audit', '-'], text, offline)).toMatchObject({ code: 0, stderr: '' });
    const altered = await run(
      ['verify-audit', '--format', 'json', '-'],
      text.replace('"event_type":"asset.created"', '"event_type":"asset.deleted"'),
      offline,
    );
    expect(altered.code).toBe(1);
    expect(JSON.parse(altered.stdout)).toMatchObject({
      intact: false,
      findings: [{ kind: 'altered', message: expect.any(String) }],
    });
    const cut = await run(['verify-audit', '-'], text.slice(0, -20), offline);
    expect(cut).toMatchObject({ code: 3, stdout: '' });
    const none = await run(['verify-audit', 'absent.ndjson'], '', offline);
    expect(none).toMatchObject({ code: 3, stdout: '' });
    const head = await run(['verify-audit', '--head', 'nonsense', '-'], text, offline);
    expect(head).toMatchObject({ code: 2, stdout: '' });
    const unknown = await run(
      ['verify-audit', '--head', `1:${'0'.repeat(64)}`, '-'],
      text,
      offline,
    );
    expect(unknown.code).toBe(1);
  });
});

describe('import', () => {
  test('the same file twice changes nothing, and a dry run writes nothing', async () => {
    await folder.file('shop.json', {
      openapi: '3.1.0',
      info: { title: 'Parcels', version: '1' },
      paths: {
        '/parcels': {
          get: {
            responses: {
              200: { content: { 'application/json': { schema: { type: 'object' } } } },
            },
          },
        },
      },
    });
    const args = ['import', '--owner', world.producer.teamId, 'shop.json'];
    const dry = await asProducer([...args, '--dry-run']);
    expect(dry.stdout).toContain('1 asset would be created');
    const first = await asProducer([...args, '--format', 'json']);
    expect(JSON.parse(first.stdout)).toMatchObject({
      file: 'shop.json',
      status: 'success',
      assets: { created: 1 },
      contracts: { published: 1 },
    });
    const again = await asProducer([...args, '--conflict', 'overwrite']);
    expect(again.stdout).toContain('0 assets were created, 0 updated, 1 unchanged');
  });

  test('a break is proposed if the import publishes, and fails with --no-propose', async () => {
    const types = (field: string) => `type Order { id: ID! ${field} }`;
    const options = ['--owner', world.producer.name, '--prefix', 'breaks', '--publish'];
    await folder.file('types.graphql', types('total: Int'));
    expect((await asProducer(['import', ...options, 'types.graphql'])).code).toBe(0);
    await folder.file('types.graphql', types(''));
    const refused = await asProducer(['import', ...options, '--no-propose', 'types.graphql']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('[BREAKING_CHANGE]');
    const asked = await asProducer(['import', ...options, 'types.graphql']);
    expect(asked.code).toBe(0);
    expect(asked.stdout).toMatch(
      /\? breaks\.Order: 1 breaking change, proposal (\S+)\n {4}To see who has to agree, and what is next: concordat proposal show \1\n/,
    );
  });

  test('a body of megabytes is sent compressed', async () => {
    const fields = Array.from({ length: 20_000 }, (_, index) => `field_${index}: String`);
    await folder.file('large.graphql', `type Large { ${fields.join('\n')} }`);
    const ran = await asProducer([
      ...['import', '--owner', world.producer.name, '--prefix', 'large', 'large.graphql'],
    ]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('1 asset was created');
  });
});

test('a manifest of another target is compared with what the registry has of production: --state', async () => {
  const manifestOf = (schema: string, type: string) => ({
    metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
    nodes: {
      'model.target.orders': {
        ...{ unique_id: 'model.target.orders', resource_type: 'model', name: 'orders' },
        ...{ package_name: 'target', path: 'orders.sql', original_file_path: 'models/orders.sql' },
        ...{ database: 'db', schema, alias: 'orders' },
        columns: { id: { name: 'id', data_type: type } },
      },
    },
    sources: {},
  });
  await folder.file('production/manifest.json', manifestOf('target', 'integer'));
  await folder.file('of-branch.json', manifestOf('pr_12', 'text'));
  const publishing = ['import', '--owner', world.producer.name, '--publish'];
  expect(await asProducer([...publishing, 'production/manifest.json'])).toMatchObject({ code: 0 });
  for (const command of [['diff', '--registry', registry.url], ['impact']]) {
    const state = [...command, '--state', 'production', 'of-branch.json'];
    const ran = await asProducer(state);
    expect(ran.stdout).toMatch(/^✗ db\.target\.orders \(models\/orders\.sql\): /);
    expect(ran.code).toBe(1);
  }
});

test('a change of a schema that several operations use is one line of diff and of impact', async () => {
  const shared = (type: string) => {
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Money' } } };
    const operation = { get: { responses: { 200: { description: 'ok', content } } } };
    return {
      openapi: '3.1.0',
      info: { title: 'Shared', version: '1.0.0' },
      paths: { '/a': operation, '/b': operation, '/c': operation },
      components: { schemas: { Money: { type: 'object', properties: { amount: { type } } } } },
    };
  };
  await folder.file('shared-1.json', shared('integer'));
  await folder.file('shared-2.json', shared('string'));
  const publishing = ['import', '--owner', world.producer.name, '--publish', '--prefix', 'of_cli'];
  expect(await asProducer([...publishing, 'shared-1.json'])).toMatchObject({ code: 0 });
  for (const command of [['diff', '--registry', registry.url], ['impact']]) {
    const ran = await asProducer([...command, '--prefix', 'of_cli', 'shared-2.json']);
    expect(ran.code).toBe(1);
    expect(ran.stdout.match(/integer became string/g)).toHaveLength(1);
    expect(ran.stdout).toMatch(/Money\.amount.* in 3 (contracts|operations)|3 contracts/);
  }
});

describe('each failure has a code and one message', () => {
  test('an owner team that does not exist is reported by its name: 3', async () => {
    await folder.file('unknown-team.json', {
      metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
      nodes: {
        'model.shop.orders': {
          unique_id: 'model.shop.orders',
          resource_type: 'model',
          name: 'orders',
          database: 'db',
          schema: 'public',
          alias: 'orders',
          columns: { id: { name: 'id', data_type: 'integer' } },
          config: { meta: { svc: { owner_team: 'Nobody At All' } } },
        },
      },
      sources: {},
    });
    const ran = await asProducer(['import', '--owner', world.producer.name, 'unknown-team.json']);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toMatch(/Nobody At All.*\[OWNER_TEAM_NOT_FOUND\]\n$/);
  });

  test('an unknown team for --owner is wrong usage: 2', async () => {
    await folder.file('some.graphql', 'type User { id: ID! }');
    const ran = await asProducer(['import', '--owner', 'Nobody', 'some.graphql']);
    expect(ran).toEqual({
      code: 2,
      stdout: '',
      stderr: 'The registry has no team Nobody. To list its teams: concordat team list\n',
    });
  });

  test.each([
    ['publish --asset a.b --answer-by soon one.json', 'Use a day of the form 2030-01-31.'],
    ['asset show a.b', 'To search: concordat asset list --search <words>'],
    ['proposal show 01890000-0000-7000-8000-000000000000', 'concordat proposal list.'],
    ['asset list --registry URL/nothing', 'Check CONCORDAT_URL (or --registry).'],
    ['verify-audit nowhere.ndjson', 'it cannot be read: ENOENT, the file does not exist.'],
  ])('%s says what to do next', async (typed, said) => {
    const words = typed.replace('URL', registry.url).split(' ');
    expect((await asProducer(words)).stderr).toContain(said);
  });

  test('a refusal names options, and no field of the API', async () => {
    const { assetId, proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const { fqn } = must(await world.admin.getAsset({ params: { asset_id: assetId } }), 200);
    await folder.file('none.json', { type: 'object' });
    const refusals = [
      [['publish', '--asset', fqn, 'none.json'], 'or use --supersede to replace it. [PROPOSAL'],
      [['register', fqn], 'To register it as a consumer too, use --own. [SELF_REG'],
      [
        ['publish', '--supersede', '--answer-by', '2020-01-01', '--asset', fqn, 'none.json'],
        '(--answer-by)',
      ],
      [['proposal', 'publish', proposalId], 'To see who has not: concordat proposal show.'],
    ] as const;
    for (const [words, said] of refusals) {
      expect((await asProducer([...words])).stderr).toContain(said);
    }
    const ack = await run(['ack', fqn, '--round', '7'], '', as(world.consumer));
    expect(ack.stderr).toContain('which is in round 1');
  });

  test('an invalid key is 2, and an unreachable registry is 4', async () => {
    const wrong = await run(['status'], '', {
      env: { CONCORDAT_URL: registry.url, CONCORDAT_KEY: 'cdt_live_wrong' },
    });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('Check CONCORDAT_KEY');
    const away = await run(['status'], '', {
      env: { CONCORDAT_URL: 'http://127.0.0.1:1', CONCORDAT_KEY: 'cdt_live_wrong' },
    });
    expect(away).toMatchObject({ code: 4, stdout: '' });
    expect(away.stderr).toMatch(
      /^The registry at http:\/\/127\.0\.0\.1:1 cannot be reached: .*\n$/,
    );
  });

  test('a response that is cut off counts as an unreachable registry: 4', async () => {
    const cutting = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
      response.write('{"results":', () => response.destroy());
    });
    await using server = await listening(cutting);
    const ran = await run(['status'], '', {
      env: { CONCORDAT_URL: server.url, CONCORDAT_KEY: 'cdt_live_any' },
    });
    expect(ran).toMatchObject({ code: 4, stdout: '' });
    expect(ran.stderr).toMatch(/^The registry at http:\S+ cannot be reached: .*\n$/);
  });

  test.each([
    '{}',
    '[]',
    '"ok"',
    '{"results":[{"name":"library/nginx"}],"next":null}',
    '{"status":"ok","version":"2.3"}',
  ])('another program that answers %s is not a registry: 4', async (body) => {
    const other = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(body);
    });
    await using server = await listening(other);
    await folder.file('any.json', orderSchema);
    await folder.file('any.graphql', 'type User { id: ID! }');
    for (const args of [
      ['status'],
      ['diff', '--asset', 'shop.public.orders', 'any.json'],
      ['impact', 'any.graphql'],
      ['import', '--owner', 'Checkout', 'any.graphql'],
      ['publish', '--asset', 'shop.public.orders', 'any.json'],
      ['export', 'shop.public.orders'],
    ]) {
      const ran = await run(args, '', {
        env: { CONCORDAT_URL: server.url, CONCORDAT_KEY: 'cdt_live_any' },
        cwd: folder.path,
      });
      expect({ args, ...ran }).toMatchObject({ args, code: 4, stdout: '' });
      expect(ran.stderr).toMatch(/^The answer \(status 200\) .* Check the address\. .*\n$/);
    }
  });

  test('a proxy from the environment is used, except for hosts in NO_PROXY', async () => {
    const asked: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      asked.push(String(request.url));
      const { hostname, port } = new URL(registry.url);
      const beyond = connect(Number(port), hostname, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        beyond.pipe(socket).pipe(beyond);
      });
    });
    await using server = await listening(proxy);
    const env = {
      CONCORDAT_URL: 'http://registry.invalid',
      CONCORDAT_KEY: world.producer.key,
      // Also without http://, as curl accepts it.
      HTTP_PROXY: server.url.replace('http://', ''),
    };
    expect(await run(['status'], '', { env })).toMatchObject({ code: 0, stderr: '' });
    expect(new Set(asked)).toEqual(new Set(['registry.invalid:80']));
    const past = await run(['status'], '', { env: { ...env, no_proxy: 'registry.invalid' } });
    expect(past.code).toBe(4);
    const wrong = await run(['status'], '', { env: { ...env, HTTP_PROXY: 'ftp://x' } });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('HTTP_PROXY');
  });

  test('a team that may not publish there is reported: 2', async () => {
    const { fqn } = await publishedAsset(world.producer);
    const stranger = await openParty(world.admin, 'stranger');
    await folder.file('wide.json', widerSchema);
    const ran = await run(['publish', '--asset', fqn, 'wide.json'], '', as(stranger));
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('[FORBIDDEN]');
  });

  test.each([
    ['no address', ['status'], { CONCORDAT_KEY: 'k' }, /--registry/],
    ['no key', ['status', '--registry', 'http://localhost:1'], {}, /CONCORDAT_KEY/],
    ['no web address', ['status', '--registry', 'ftp://x', '--key', 'k'], {}, /https:\/\//],
    ['a query', ['status', '--registry', 'http://x/?a', '--key', 'k'], {}, /from \? or #/],
    [
      'a key in two lines',
      ['status', '--registry', 'http://x', '--key', 'k\nk'],
      {},
      /invalid characters/,
    ],
    [
      'a password',
      ['status', '--registry', 'http://u:pw@x', '--key', 'k'],
      {},
      /^(?!.*pw).*not contain a user/,
    ],
  ])('%s is wrong usage: 2', async (_name, args, env, message) => {
    const ran = await run(args, '', { env });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(message);
  });
});

async function listening(server: Server) {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
