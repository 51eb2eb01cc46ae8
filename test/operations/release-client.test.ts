import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeClient } from '../../scripts/release/make-client.ts';
import { run, runOk } from '../../scripts/run-command.ts';
import { supportedNodes } from '../../scripts/tools/older-nodes.ts';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import { openWorld, type World } from '../support/client/client-world.ts';

const root = join(import.meta.dirname, '../..');
let folder: string;
let registry: TestRegistry;
let world: World;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'release-client-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await makeClient(folder);
  // The package of zod as it is installed here, because nothing is downloaded by a test.
  await runOk('npm', [
    'pack',
    join(root, 'node_modules/zod'),
    '--silent',
    '--pack-destination',
    folder,
  ]);
  const archives = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const paths = archives.map((name) => join(folder, name));
  await runOk('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', ...paths]);
  registry = await openRegistry();
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await registry?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a script that has the client, and returns what it printed. */
async function runScript(node: string, script: string): Promise<unknown> {
  const path = join(folder, 'script.js');
  const { key, teamId } = world.producer;
  const head = `import { connect, each, Refused } from '@concordat/client';
    const [baseUrl, key, team] = ${JSON.stringify([registry.url, key, teamId])};\n`;
  await writeFile(path, head + script);
  return JSON.parse(await runOk(node, [path]));
}

describe.each(supportedNodes)('The client, on Node %s,', (version, node) => {
  const prefix = `client.v${version.replaceAll('.', '_')}`;

  test('creates once what it sends again because the answer was lost', async () => {
    const found = await runScript(
      node,
      `let sent = 0;
      const losing = async (...args) => {
        const response = await fetch(...args);
        if (++sent > 1) return response;
        throw new TypeError('The connection was cut.');
      };
      const registry = connect({ baseUrl, key, fetch: losing });
      const made = await registry.createAsset({ body: { fqn: '${prefix}.once', owner_team_id: team } });
      console.log(JSON.stringify({ sent, status: made.status, replayed: made.headers.get('Idempotency-Replayed') }));`,
    );
    expect(found).toEqual({ sent: 2, status: 201, replayed: 'true' });
  });

  test('waits for a registry that is busy, and gives up when it was told to', async () => {
    const found = await runScript(
      node,
      `const busy = (times, status) => async (...args) => times-- > 0
        ? new Response('{}', { status, headers: { 'Retry-After': '0' } })
        : fetch(...args);
      const asked = async (times, status, retries) =>
        (await connect({ baseUrl, key, retries, fetch: busy(times, status) }).listTeams()).status;
      const change = (times, status) => connect({ baseUrl, key, fetch: busy(times, status) })
        .updateTeam({ params: { team_id: team }, body: { name: 'Other' } });
      console.log(JSON.stringify([
        await asked(3, 503), await asked(3, 429), await asked(3, 503, 2), await asked(1, 500),
        (await change(1, 503)).status,
      ]));`,
    );
    // A change without a key might have been made: it is not sent again.
    expect(found).toEqual([200, 200, 503, 500, 503]);
  });

  test('lists everything, page after page, and says why a page is refused', async () => {
    const found = await runScript(
      node,
      `const registry = connect({ baseUrl, key });
      for (let at = 0; at < 5; at++) {
        await registry.createAsset({ body: { fqn: '${prefix}.list.a' + at, owner_team_id: team } });
      }
      const names = [];
      const query = { fqn: '${prefix}.list.', page_size: 2 };
      for await (const { fqn } of each(registry, 'listAssets', { query })) names.push(fqn);
      const refused = await each(connect({ baseUrl, key: 'wrong' }), 'listAssets').next().catch((error) => error);
      console.log(JSON.stringify({ names, isRefused: refused instanceof Refused, code: refused.code }));`,
    );
    expect(found).toEqual({
      names: [0, 1, 2, 3, 4].map((at) => `${prefix}.list.a${at}`),
      isRefused: true,
      code: 'UNAUTHENTICATED',
    });
  });

  test('keeps numbers that a double cannot hold', async () => {
    const found = await runScript(
      node,
      `const registry = connect({ baseUrl, key });
      const made = await registry.createAsset({ body: { fqn: '${prefix}.wide', owner_team_id: team } });
      const schema = { const: JSON.rawJSON('9007199254740993') };
      const sent = await registry.publishContract({ params: { asset_id: made.body.id }, body: { schema } });
      const read = await registry.getContract({ params: { contract_id: sent.body.contract.id } });
      console.log(JSON.stringify(JSON.stringify(read.body.schema)));`,
    );
    expect(found).toBe('{"const":9007199254740993}');
  });
});

test('Its types are those of the API', async () => {
  await writeFile(
    join(folder, 'typed.ts'),
    `import { connect, each } from '@concordat/client';
    const registry = connect({ baseUrl: 'https://registry.example.com' });
    const found = await registry.getAsset({ params: { asset_id: 'a' } });
    export const name: string = found.ok ? found.body.fqn : found.refusal.message;
    for await (const team of each(registry, 'listTeams')) team.slug.toUpperCase();
    // @ts-expect-error An asset has no such member.
    export const none = found.ok && found.body.nothing;
    // @ts-expect-error An asset is named by its id.
    await registry.getAsset();
    // @ts-expect-error That is no list.
    each(registry, 'getAsset');`,
  );
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2022', strict: true, noEmit: true },
    ...{ skipLibCheck: true, typeRoots: [join(root, 'node_modules/@types')], types: ['node'] },
  };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['typed.ts'] }),
  );
  expect(await run('npx', ['--no-install', 'tsc', '-p', folder])).toMatchObject({
    stdout: '',
    code: 0,
  });
});
