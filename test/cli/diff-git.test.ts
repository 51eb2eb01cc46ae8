import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeRepository, type TestRepository } from '../support/git-repository.ts';
import { type Folder, makeFolder, run } from './support.ts';

let repository: TestRepository;

const contract = (name: string, properties: string, extra = '') => `apiVersion: concordat.dev/v1
kind: DataContract
metadata: { name: ${name} }
spec:
  fqn: shop.public.${name}
  consumers: [{ team: Finance }]
  schema:
    type: object
    properties:
      id: { type: integer }
      ${properties}
${extra}`;

const old = contract('orders', 'email: { type: string }');
const narrow = contract('orders', 'phone: { type: integer }');
const wide = contract('orders', 'email: { type: string }\n      phone: { type: string }');

beforeAll(async () => {
  repository = await makeRepository();
  await repository.commit({
    'contracts/orders.yaml': old,
    'contracts/users.yaml': contract('users', 'name: { type: string }'),
    'package.json': '{"name": "no schema"}',
    'contracts/values.yaml': 'image: "{{ .Values.image }}\n  broken: [',
  });
});
afterAll(() => repository.remove());

/** Each test has its own branch from the first commit. */
let branches = 0;
beforeEach(async () => {
  branches++;
  await repository.git('checkout', '--quiet', '--force', '-B', `topic-${branches}`, 'main');
  await repository.git('clean', '--quiet', '-fd');
});

const diff = (args: readonly string[], cwd = repository.folder) =>
  run(['diff', ...args], '', { cwd });

const breaking = {
  code: 1,
  stderr: '',
  stdout: [
    '✗ shop.public.orders (contracts/orders.yaml): breaking under backward, 1 of 2 changes',
    '    Affected, as declared in the file: Finance.',
    '  ✗ email: the property was removed; consumers will no longer find it [property_removed]',
    '  · and 1 compatible change: see --show all',
    '',
    '= 2 contracts compared, 1 breaking, 0 new, 1 modified, 0 removed, 1 unchanged.',
    '',
  ].join('\n'),
};

describe('concordat diff on git', () => {
  test('a file of a ref and one on disk are compared item by item, whatever they are called', async () => {
    const api = (type: string) => {
      const schema = { type: 'object', properties: { id: { type } } };
      const responses = { 200: { content: { 'application/json': { schema } } } };
      const info = { title: 'Shop', version: '1' };
      return JSON.stringify({
        openapi: '3.1.0',
        info,
        paths: { '/orders': { get: { responses } } },
      });
    };
    await repository.commit({ 'openapi.json': api('integer') });
    await writeFile(`${repository.folder}/openapi.json`, api('string'));
    const ran = await diff(['HEAD:openapi.json', 'openapi.json']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/response\.id: .* \[type_changed\]/);
    expect(ran.stdout).not.toContain('removed');
  });

  test('--against compares the work tree with the commit where the branch started', async () => {
    await repository.commit({ 'contracts/orders.yaml': narrow });
    expect(await diff(['--against', 'main', 'contracts'])).toEqual(breaking);
    expect(await diff(['--against', 'main'])).toEqual(breaking);
  });

  test('changes on main since then do not count for the branch', async () => {
    const topic = `topic-${branches}`;
    await repository.commit({ 'notes.md': 'the branch' });
    await repository.git('checkout', '--quiet', '-B', 'moved-main', 'main');
    await repository.commit({ 'contracts/orders.yaml': wide });
    await repository.git('checkout', '--quiet', topic);
    expect((await diff(['--against', 'moved-main'])).code).toBe(0);
    expect((await diff(['moved-main...HEAD'])).code).toBe(0);
    // As in git, two dots compare the two commits themselves.
    expect((await diff(['moved-main..HEAD'])).code).toBe(1);
    expect((await diff(['moved-main', 'HEAD'])).code).toBe(1);
  });

  test('two refs, a file at a ref, and paths from a folder below', async () => {
    await repository.commit({ 'contracts/orders.yaml': narrow });
    expect(await diff(['main', 'HEAD', 'contracts'])).toEqual(breaking);
    const one = await diff(['main:contracts/orders.yaml', 'contracts/orders.yaml']);
    expect(one.code).toBe(1);
    expect(one.stdout).toContain('Breaking under backward: 1 of 2 changes.');
    // Relative to the current folder, or to the root, as in git.
    for (const path of ['orders.yaml', './orders.yaml', 'contracts/orders.yaml']) {
      const folder = `${repository.folder}/contracts`;
      expect((await diff([`main:${path}`, 'orders.yaml'], folder)).code, path).toBe(1);
    }
    const astray = await diff(
      ['main:./contracts/orders.yaml', 'x'],
      `${repository.folder}/contracts`,
    );
    expect(astray).toMatchObject({ code: 3, stdout: '' });
    const below = await diff(['--against', 'main'], `${repository.folder}/contracts`);
    expect(below.stdout).toContain('✗ shop.public.orders (orders.yaml)');
    expect(below.code).toBe(1);
  });

  test('uncommitted changes count, and --head omits them', async () => {
    await repository.commit({ 'notes.md': 'nothing of weight' });
    await writeFile(`${repository.folder}/contracts/orders.yaml`, narrow);
    expect((await diff(['--against', 'main'])).code).toBe(1);
    expect((await diff(['--against', 'main', '--head', 'HEAD'])).code).toBe(0);
    // First unstaged, then staged: the content of a commit made now.
    expect((await diff(['--staged'])).code).toBe(0);
    await repository.git('add', '.');
    expect((await diff(['--staged'])).code).toBe(1);
  });

  test('a removed contract breaks, one that moved to another file does not', async () => {
    await repository.commit({ 'contracts/orders.yaml': null, 'contracts/new/orders.yaml': old });
    expect((await diff(['--against', 'main'])).code).toBe(0);
    await repository.commit({ 'contracts/new/orders.yaml': null });
    const ran = await diff(['--against', 'main']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(
      '✗ shop.public.orders (contracts/orders.yaml): removed, which breaks',
    );
  });

  test('two contracts for one asset are reported: 3', async () => {
    await repository.commit({ 'contracts/copy.yaml': old });
    const ran = await diff(['--against', 'main']);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain('shop.public.orders is also defined in ');
  });

  test('a contract that can no longer be read is not a removal: 3', async () => {
    await repository.commit({ 'contracts/orders.yaml': `${old}\n  bad: [` });
    const ran = await diff(['--against', 'main']);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toMatch(/^contracts\/orders\.yaml: neither JSON nor YAML: .* at line \d+/);
  });

  test('several documents in one file are separate contracts', async () => {
    const both = `${narrow}---\nkind: ConfigMap\n---\n${contract('extra', 'a: { type: string }')}`;
    await repository.commit({ 'contracts/orders.yaml': both });
    const ran = await diff(['--against', 'main', '--format', 'github']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('::error file=contracts/orders.yaml,line=9,');
    expect((await diff(['--against', 'main'])).stdout).toContain('+ shop.public.extra');
  });

  test.each([
    ['a ref that nobody has', ['--against', 'nowhere'], 3, /git has no commit/],
    ['a ref that looks like an option', ['--against=--output=x'], 3, /git has no commit/],
    ['a path that neither side has', ['--against', 'main', 'absent'], 3, /neither main nor/],
    ['--head alone', ['--head', 'main'], 2, /needs --against/],
    ['--against and --registry', ['--against', 'main', '--registry', 'http://x'], 2, /not both/],
  ])('%s has its exit code and message', async (_name, args, code, message) => {
    const ran = await diff(args);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toMatch(message);
  });

  test('an accepted break of a missing asset is reported, if everything was compared', async () => {
    await repository.commit({
      '.concordat-ignore': '- { asset: shop.absent, reason: Long ago., until: 2999-12-31 }\n',
    });
    const ran = await diff(['--against', 'main']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain(
      '! .concordat-ignore, line 1: the accepted break of shop.absent matches no breaking change. Remove the entry.',
    );
  });

  test('a folder without contracts is reported, and is not a success: 3', async () => {
    await repository.commit({ 'charts/values.yaml': 'image: x' });
    const ran = await diff(['--against', 'main', 'charts']);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toMatch(/^charts: no contract was found/);
    expect((await diff(['--against', 'main'])).code).toBe(0);
  });

  test('a folder of a ref is compared with one on disk, file by file', async () => {
    await repository.commit({ 'sdl/shop.graphql': 'type Order { id: ID! }' });
    const same = await diff(['HEAD:sdl', 'sdl']);
    expect(same).toMatchObject({ code: 0, stderr: '' });
    expect(same.stdout).toContain('= 1 contract compared, 0 new, 0 modified, 0 removed');
    await writeFile(`${repository.folder}/sdl/shop.graphql`, 'type Order { number: Int }');
    expect((await diff(['HEAD:sdl', 'sdl'])).stdout).toContain('1 breaking, 0 new, 1 modified');
  });

  test('two folders are compared by the names below them', async () => {
    const { cp } = await import('node:fs/promises');
    await cp(`${repository.folder}/contracts`, `${repository.folder}/before`, { recursive: true });
    await repository.commit({ 'contracts/orders.yaml': narrow });
    const ran = await diff(['before', 'contracts']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('2 contracts compared, 1 breaking');
  });
});

describe('concordat diff where git has problems', () => {
  let elsewhere: Folder;

  beforeAll(async () => {
    elsewhere = await makeFolder();
    await elsewhere.file('orders.yaml', old);
  });
  afterAll(() => elsewhere.remove());

  test("no repository, or one of another user, is reported with git's message: 3", async () => {
    const foreign = { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' };
    for (const args of [
      ['--against', 'main'],
      ['main', 'HEAD', '.'],
      ['main..HEAD'],
      ['--staged'],
    ]) {
      const outside = await run(['diff', ...args], '', { cwd: elsewhere.path });
      expect(outside, args.join(' ')).toMatchObject({ code: 3, stdout: '' });
      expect(outside.stderr).toContain('git failed: not a git repository');
      const other = await run(['diff', ...args], '', { cwd: repository.folder, env: foreign });
      expect(other, args.join(' ')).toMatchObject({ code: 3, stdout: '' });
      expect(other.stderr).toContain('detected dubious ownership');
      expect(other.stderr).toContain('git config --global --add safe.directory');
    }
  });

  test('a shallow clone is reported with how to fetch the rest: 3', async () => {
    await repository.commit({ 'contracts/orders.yaml': narrow });
    await repository.git('clone', '--quiet', '--depth=1', repository.url, `${elsewhere.path}/part`);
    const ran = await diff(['--against', 'HEAD~1'], `${elsewhere.path}/part`);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain('git has no commit, branch or tag HEAD~1');
    expect(ran.stderr).toContain('git fetch --unshallow');
  });

  test('a changed submodule is reported, because it is not compared', async () => {
    const inner = await makeRepository();
    try {
      const first = await inner.commit({ 'orders.yaml': contract('inner', 'a: { type: string }') });
      const allowed = ['-c', 'protocol.file.allow=always'];
      await repository.git(...allowed, 'submodule', '--quiet', 'add', inner.url, 'inner');
      const added = await repository.commit({});
      const told = 'inner is a changed git submodule, so its content was not compared';
      expect((await diff(['--against', 'main', '--head', 'HEAD'])).stderr).toBe(`${told}.\n`);
      expect((await diff(['--against', added])).stderr).toBe('');

      const second = await inner.commit({ 'orders.yaml': null });
      const within = ['-C', 'inner', ...allowed];
      await repository.git(...within, 'pull', '--quiet', 'origin', 'main');
      const remedy = `${told}. To compare it, run this in the submodule: concordat diff`;
      expect(await diff(['--against', added])).toMatchObject({
        code: 0,
        stderr: `${remedy} --against ${first}\n`,
      });
      await repository.git('add', 'inner');
      expect((await diff(['--staged'])).stderr).toBe(`${remedy} ${first} ${second}\n`);
      await repository.commit({});
      expect((await diff([added, 'HEAD'])).stderr).toBe(`${remedy} ${first} ${second}\n`);
      expect((await diff([added, 'HEAD', 'contracts'])).stderr).toBe('');
    } finally {
      await inner.remove();
    }
  });

  test('the very first commit breaks nothing', async () => {
    const fresh = await makeRepository();
    try {
      await writeFile(`${fresh.folder}/orders.yaml`, old);
      await fresh.git('add', '.');
      const ran = await diff(['--staged'], fresh.folder);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout).toContain('+ shop.public.orders');
    } finally {
      await fresh.remove();
    }
  });

  test('a detached HEAD, a folder and a file with unusual names, and a file that the ref lacks all work', async () => {
    const odd = 'my contracts/ö räum [1].schema.json';
    const schema = (type: string) =>
      JSON.stringify({ type: 'object', properties: { id: { type } } });
    await repository.commit({ [odd]: schema('integer') });
    await repository.git('checkout', '--quiet', '--detach');
    const before = await repository.git('rev-parse', 'HEAD');
    await repository.commit({ [odd]: schema('string') });
    expect((await diff(['--against', before])).code).toBe(1);
    expect((await diff([`${before}:${odd}`, odd])).code).toBe(1);
    expect(
      (
        await diff(
          ['--against', before, odd.split('/')[1] ?? ''],
          `${repository.folder}/my contracts`,
        )
      ).code,
    ).toBe(1);
    const gone = await diff([`main:${odd}`, odd]);
    expect(gone).toMatchObject({ code: 3, stderr: `main:${odd}: main has no such file.\n` });
  });
});
