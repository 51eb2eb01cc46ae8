import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/controller/clock.ts';
import { startController } from '../../../src/controller/controller.ts';
import type { DataContractStatus } from '../../../src/controller/crd/resources.ts';
import {
  type GitSource,
  type GitSourceOptions,
  identityOfGit,
  openGit,
  openGitAccess,
} from '../../../src/controller/source/git.ts';
import {
  parseGitAddress,
  parseGitPath,
  parseGitRef,
} from '../../../src/controller/source/git-address.ts';
import {
  type GitServer,
  makeRepository,
  serveRepository,
  type TestRepository,
} from '../../support/git-repository.ts';
import {
  accepted,
  leadSource,
  openTestRegistry,
  patience,
  type TestRegistry,
} from '../support/open-controller.ts';

let registry: TestRegistry;
let repository: TestRepository;
let folder: string;
let count = 0;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  await registry.team('billing');
});

afterAll(() => registry?.stop());

beforeEach(async () => {
  repository = await makeRepository();
  folder = await mkdtemp(join(tmpdir(), 'concordat-clones-'));
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await repository.remove();
  await rm(folder, { recursive: true, force: true });
});

/** A name that no other test has. */
const freshFqn = () => `git.table_${++count}`;

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

const contract = (name: string, spec: object) =>
  stringify({ apiVersion: 'concordat.dev/v1', kind: 'DataContract', metadata: { name }, spec });

interface TestGit {
  readonly source: GitSource;
  readonly errors: string[];
  readonly until: (name: string, reason: string, message?: RegExp) => Promise<DataContractStatus>;
  readonly untilGone: (name: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const mapping = new Map([
  ['shop', ['checkout']],
  ['accounts', ['billing']],
]);

/** A controller over a repository. It fetches on request, unless an interval is given. */
async function openTestGit(given: Partial<GitSourceOptions> = {}): Promise<TestGit> {
  const address = given.address ?? accepted(parseGitAddress(repository.url));
  const { ref = 'main', path = '' } = given;
  const identity = `${identityOfGit(address, ref, path)}-${++count}`;
  let hears = true;
  const description = { identity, kind: 'git', place: address.url } as const;
  const { fence, ...led } = await leadSource(registry, description, () => hears);
  const source = openGit({
    address,
    ref,
    path,
    folder,
    intervalMs: 3_600_000,
    timeoutMs: 20_000,
    access: async () => ({}),
    environment: process.env,
    identity,
    clock: systemClock,
    records: registry.store.sourceObjects(fence),
    mapping,
    ...given,
  });
  const errors: string[] = [];
  const controller = await startController({
    ...led,
    source,
    mapping,
    clock: systemClock,
    isLeading: () => true,
    onError: (error, during) => {
      errors.push(`${during}: ${error instanceof Error ? error.message : error}`);
    },
  });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    hears = false;
    await controller.stop();
  };
  closing.push(stop);
  const objectOf = (name: string) => source.get(`DataContract/shop/${name}`);
  return {
    source,
    errors,
    stop,
    until: async (name, reason, message = /./) => {
      await vi.waitFor(() => {
        const status = (objectOf(name)?.status ?? {}) as DataContractStatus;
        const ready = status.conditions?.find(({ type }) => type === 'Ready');
        expect(status.observedGeneration).toBe(objectOf(name)?.generation);
        expect([ready?.reason, ready?.message]).toEqual([reason, expect.stringMatching(message)]);
      }, patience);
      return (objectOf(name)?.status ?? {}) as DataContractStatus;
    },
    untilGone: (name) => vi.waitFor(() => expect(objectOf(name)).toBeNull(), patience),
  };
}

async function activeContractOf(fqn: string) {
  const page = { page: 1, pageSize: 1, includeTotal: false };
  const [asset] = accepted(await registry.ports.reads.listAssets({ fqn, ...page })).results;
  if (asset === undefined) throw new Error(`no asset ${fqn}`);
  return registry.ports.reads.getContract(asset.activeContractId ?? '');
}

async function serve(): Promise<GitServer> {
  const server = await serveRepository(repository);
  closing.push(() => server.close());
  return server;
}

describe('A repository of contracts', () => {
  test('is published, and the commit is recorded with every version', async () => {
    const [a, b] = [freshFqn(), freshFqn()];
    const first = await repository.commit({
      'shop/a.yaml': contract('a', { fqn: a, schema: table('id') }),
      'shop/b.yaml': contract('b', { fqn: b, schema: table('id') }),
    });
    const { source, until } = await openTestGit();
    expect((await until('a', 'Published')).source).toEqual({
      kind: 'Git',
      revision: first,
      path: 'shop/a.yaml',
    });
    const second = await repository.commit({
      'shop/a.yaml': contract('a', { fqn: a, schema: table('id', 'amount') }),
    });
    const before = await until('b', 'Published');
    await source.fetchNow();
    const status = await until('a', 'Published', /1\.1\.0/);
    expect([status.source?.revision, source.commit()]).toEqual([second, second]);
    expect(await activeContractOf(a)).toMatchObject({ version: '1.1.0', commit: second });
    // Objects that a commit does not touch are not published or reported again.
    expect(await until('b', 'Published')).toEqual(before);
    expect(source.get('DataContract/shop/b')?.revision).toBe(first);
    expect(await activeContractOf(b)).toMatchObject({ version: '1.0.0', commit: first });
  });

  test('is fetched again and again', async () => {
    const fqn = freshFqn();
    await repository.commit({ 'shop/a.yaml': contract('a', { fqn, schema: table('id') }) });
    const { until } = await openTestGit({ intervalMs: 50 });
    await until('a', 'Published', /1\.0\.0/);
    await repository.commit({ 'shop/a.yaml': contract('a', { fqn, schema: table('id', 'x') }) });
    await until('a', 'Published', /1\.1\.0/);
  });

  test('is read below a folder inside, and nothing else of it', async () => {
    await repository.commit({
      'deploy/contracts/shop/a.yaml': contract('a', { fqn: freshFqn(), schema: {} }),
      'shop/b.yaml': contract('b', { fqn: freshFqn(), schema: {} }),
      'deploy/contracts/shop/.hidden/c.yaml': contract('c', { fqn: freshFqn(), schema: {} }),
    });
    const { source, until } = await openTestGit({ path: 'deploy/contracts' });
    await until('a', 'Published');
    expect([...source.keys()]).toEqual(['DataContract/shop/a']);
    const nowhere = await openTestGit({ path: 'deploy/nowhere' });
    expect(nowhere.source.suspicion()).toMatch(/commit [0-9a-f]{40} has no folder deploy\/nowhere/);
  });

  test('is read at a branch, a tag or a commit', async () => {
    const names = async (ref: string) => {
      const { source, stop } = await openTestGit({ ref });
      const found = [...source.keys()];
      await stop();
      return [source.suspicion(), found];
    };
    const spec = { fqn: freshFqn(), schema: {}, suspend: true };
    const first = await repository.commit({ 'shop/one.yaml': contract('one', spec) });
    await repository.git('tag', '--annotate', '--message=v1', 'v1');
    await repository.git('checkout', '--quiet', '-b', 'teams/next');
    await repository.commit({ 'shop/one.yaml': null, 'shop/two.yaml': contract('two', spec) });
    await repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    const one = [null, ['DataContract/shop/one']];
    expect(await names('main')).toEqual(one);
    expect(await names('refs/heads/main')).toEqual(one);
    expect(await names('v1')).toEqual(one);
    expect(await names(first)).toEqual(one);
    expect(await names('teams/next')).toEqual([null, ['DataContract/shop/two']]);
    expect(await names('HEAD')).toEqual([null, ['DataContract/shop/two']]);
    expect(await names('gone')).toEqual([
      expect.stringContaining("couldn't find remote ref gone"),
      [],
    ]);
  });

  test('follows a branch that was rewritten', async () => {
    const fqn = freshFqn();
    const base = await repository.commit({ 'shop/keep.yaml': '# nothing\n' });
    await repository.commit({ 'shop/a.yaml': contract('a', { fqn, schema: table('id', 'x') }) });
    const { source, until, untilGone } = await openTestGit();
    await until('a', 'Published');
    await repository.git('reset', '--quiet', '--hard', base);
    const rewritten = await repository.commit({
      'shop/b.yaml': contract('b', { fqn: freshFqn(), schema: table('id') }),
    });
    await source.fetchNow();
    await until('b', 'Published');
    await untilGone('a');
    expect(source.commit()).toBe(rewritten);
  });

  test('has objects that follow a ConfigMap, and name the commit that it came with', async () => {
    const schemaFrom = { configMapKeyRef: { name: 'schemas', key: 'a' } };
    const configMap = (schema: object) =>
      stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'schemas' },
        data: { a: JSON.stringify(schema) },
      });
    await repository.commit({
      'shop/a.yaml': contract('a', { fqn: freshFqn(), schemaFrom }),
      'shop/schemas.yaml': configMap(table('id')),
    });
    const { source, until } = await openTestGit();
    await until('a', 'Published', /1\.0\.0/);
    const second = await repository.commit({ 'shop/schemas.yaml': configMap(table('id', 'x')) });
    await source.fetchNow();
    expect((await until('a', 'Published', /1\.1\.0/)).source?.revision).toBe(second);
  });

  test('leaves nothing behind when it stops, and takes away what a crash left', async () => {
    await repository.commit({ 'shop/a.yaml': contract('a', { fqn: freshFqn(), schema: {} }) });
    // Larger than any process id.
    const leftover = await mkdtemp(join(folder, 'clone-999999999-'));
    const { stop } = await openTestGit();
    expect(await readdir(folder)).not.toContain(leftover.split('/').at(-1));
    expect(await readdir(folder)).toHaveLength(1);
    await stop();
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('A schema in a file of the repository', () => {
  const from = (path: string, more: object = {}) => ({ schemaFrom: { file: { path }, ...more } });
  const json = (...columns: string[]) => JSON.stringify(table(...columns));

  test('is followed alone, and names the commit that it came with', async () => {
    const spec = { fqn: freshFqn(), ...from('./schemas/order.schema') };
    const first = await repository.commit({
      'shop/a.yaml': contract('a', spec),
      'shop/schemas/order.schema': json('id'),
    });
    const { source, until, stop } = await openTestGit();
    expect((await until('a', 'Published', /1\.0\.0/)).source?.revision).toBe(first);
    await repository.commit({ 'shop/other.txt': 'x' });
    await source.fetchNow();
    expect((await until('a', 'Published', /1\.0\.0/)).source?.revision).toBe(first);
    const third = await repository.commit({ 'shop/schemas/order.schema': json('id', 'x') });
    await source.fetchNow();
    expect((await until('a', 'Published', /1\.1\.0/)).source?.revision).toBe(third);
    await stop();
  });

  test('goes through review if it breaks, also where the manifest changes with it', async () => {
    const spec = { fqn: freshFqn(), consumers: [{ team: 'billing' }] };
    await repository.commit({
      'shop/a.yaml': contract('a', { ...spec, ...from('order.json') }),
      'shop/order.json': json('id', 'amount'),
    });
    const { source, until } = await openTestGit();
    await until('a', 'Published', /1\.0\.0/);
    await repository.commit({ 'shop/order.json': json('id') });
    await source.fetchNow();
    const { proposal } = await until('a', 'ProposalPending');
    // Another name for the same file is the same change, and another file another one.
    await repository.commit({
      'shop/a.yaml': contract('a', { ...spec, ...from('copy.json') }),
      'shop/copy.json': json('id'),
    });
    await source.fetchNow();
    expect((await until('a', 'ProposalPending')).proposal?.id).toBe(proposal?.id);
    await repository.commit({
      'shop/a.yaml': contract('a', { ...spec, ...from('order.json') }),
      'shop/order.json': json('id', 'amount', 'day'),
    });
    await source.fetchNow();
    expect((await until('a', 'Published', /1\.1\.0/)).proposal).toBeUndefined();
  });

  test('is not there, a link, in a linked folder, in a submodule, or too large: nothing is taken back', async () => {
    const fqn = freshFqn();
    const manifest = (path: string) => ({ 'shop/a.yaml': contract('a', { fqn, ...from(path) }) });
    const commit = await repository.commit({
      ...{ ...manifest('order.json'), 'shop/order.json': json('id') },
      'shop/real/order.json': json('id', 'x'),
      'shop/large.txt': `{"type": "object"${' '.repeat(10 * 1024 * 1024)}}`,
    });
    const { source, until } = await openTestGit();
    const { contractId } = await until('a', 'Published', /1\.0\.0/);
    const linkTo = async (path: string, target: string) => {
      await writeFile(join(repository.folder, 'link'), target);
      const link = await repository.git('hash-object', '-w', 'link');
      await repository.git('update-index', '--add', '--cacheinfo', `120000,${link},${path}`);
    };
    await linkTo('shop/link.json', 'real/order.json');
    await linkTo('shop/linked', 'real');
    const module = `160000,${commit},shop/module`;
    await repository.git('update-index', '--add', '--cacheinfo', module);
    await repository.git('commit', '--quiet', '--message=links');
    const isLink =
      /cannot be read: it is a link, or in a submodule, and these are not followed\. Put/;
    for (const [path, reason, message] of [
      ['gone.json', 'SourceNotFound', /^shop\/gone\.json does not exist\. Add it/],
      ['link.json', 'InvalidSchema', isLink],
      ['linked/order.json', 'InvalidSchema', isLink],
      ['module/order.json', 'InvalidSchema', isLink],
      ['large.txt', 'InvalidSchema', /shop\/large\.txt cannot be read: it is larger than 10485760/],
      ['../accounts/order.json', 'InvalidSpec', /no \.\., no absolute path/],
    ] as const) {
      // The tree has what the working folder cannot show.
      await writeFile(join(repository.folder, 'shop/a.yaml'), manifest(path)['shop/a.yaml']);
      await repository.git('commit', '--quiet', '--message=change', 'shop/a.yaml');
      await source.fetchNow();
      expect((await until('a', reason, message)).contractId ?? contractId).toBe(contractId);
    }
    expect([...source.keys()]).toEqual(['DataContract/shop/a']);
    await writeFile(
      join(repository.folder, 'shop/a.yaml'),
      manifest('real/order.json')['shop/a.yaml'],
    );
    await repository.git('commit', '--quiet', '--message=change', 'shop/a.yaml');
    await source.fetchNow();
    await until('a', 'Published', /1\.1\.0/);
  });
});

describe('A repository with odd files', () => {
  test('has one object stalled for each, says what to change, and serves all others', async () => {
    const good = contract('good', { fqn: freshFqn(), schema: table('id') });
    const properties = Object.fromEntries(
      Array.from({ length: 9_000 }, (_, i) => [
        `c_${i}`,
        { type: 'string', title: 'x'.repeat(70) },
      ]),
    );
    const large = JSON.stringify({ type: 'object', properties });
    expect(large.length).toBeGreaterThan(0.9 * 1024 * 1024);
    const broken = contract('broken', { fqn: freshFqn(), schema: {} });
    await repository.commit({
      'shop/two.yaml': `${good}---\n${broken}  more: [\n`,
      'shop/latin.yaml': new Uint8Array([0x6b, 0x3a, 0x20, 0xe9, 0x0a]),
      'shop/future.yaml': contract('future', {}).replace('/v1', '/v9'),
      'shop/huge.yaml': `# ${'x'.repeat(11 * 1024 * 1024)}\n`,
      'shop/large.yaml': contract('large', { fqn: freshFqn(), schema: JSON.parse(large) }),
      'shop/note.txt': 'not a manifest',
      'README.yaml': 'in no namespace',
    });
    const { source, until } = await openTestGit();
    await until('good', 'Published');
    await until('large', 'Published');
    for (const [name, message] of [
      ['broken', /^shop\/two\.yaml: .* at line \d+/s],
      ['latin', /^shop\/latin\.yaml: The file is not UTF-8\. Save it as UTF-8\./],
      ['future', /apiVersion concordat\.dev\/v9.* Use concordat\.dev\/v1/],
      ['huge', /^shop\/huge\.yaml: The file is larger than 10485760 bytes\. Split it\./],
    ] as const) {
      const { conditions } = await until(name, 'InvalidSpec', message);
      expect(conditions?.map(({ type, status }) => [type, status])).toEqual([
        ['Ready', 'False'],
        ['Stalled', 'True'],
      ]);
    }
    expect([...source.keys()].sort()).toEqual(
      ['broken', 'future', 'good', 'huge', 'large', 'latin'].map((n) => `DataContract/shop/${n}`),
    );
    await repository.commit({ 'shop/two.yaml': `${good}---\n${broken}`, 'shop/huge.yaml': null });
    await source.fetchNow();
    await until('broken', 'Published');
    expect([...source.keys()]).not.toContain('DataContract/shop/huge');
  });

  test('has links and submodules, which are not followed', async () => {
    const spec = { fqn: freshFqn(), schema: {} };
    const outside = join(folder, 'outside.yaml');
    await writeFile(outside, contract('outside', spec));
    const commit = await repository.commit({ 'shop/a.yaml': contract('a', spec) });
    await repository.git(
      'update-index',
      '--add',
      '--cacheinfo',
      `160000,${commit},shop/module.yaml`,
    );
    await writeFile(join(repository.folder, 'link'), outside);
    const link = await repository.git('hash-object', '-w', 'link');
    await repository.git('update-index', '--add', '--cacheinfo', `120000,${link},shop/link.yaml`);
    await repository.git('commit', '--quiet', '--message=links');
    const { source, until } = await openTestGit();
    await until('a', 'Published');
    expect([...source.keys()]).toEqual(['DataContract/shop/a']);
  });

  test('has a link where a registration was: the registration stays', async () => {
    const spec = { fqn: freshFqn() };
    const reads = contract('reads', spec).replace('DataContract', 'ContractRegistration');
    await repository.commit({
      'shop/a.yaml': contract('a', { ...spec, schema: {} }),
      'accounts/reads.yaml': reads,
    });
    const { source } = await openTestGit();
    const find = () => source.get('ContractRegistration/accounts/reads');
    await vi.waitFor(() => expect(find()?.status?.registrationId).toBeDefined(), patience);
    await writeFile(join(repository.folder, 'link'), '../shared/reads.yaml');
    const link = await repository.git('hash-object', '-w', 'link');
    await repository.git('update-index', '--cacheinfo', `120000,${link},accounts/reads.yaml`);
    await repository.git('commit', '--quiet', '--message=link');
    await source.fetchNow();
    expect(find()).toMatchObject({
      isDeleting: false,
      problem: expect.stringContaining('accounts/reads.yaml is a link'),
    });
  });

  test('lost its files, or most of them: nothing is deleted until somebody confirms', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const files = names.map((name) => [
      `shop/${name}.yaml`,
      contract(name, { fqn: freshFqn(), schema: {} }),
    ]);
    await repository.commit(Object.fromEntries(files));
    const { source, until, untilGone, errors } = await openTestGit();
    for (const name of names) await until(name, 'Published');
    const known = source.commit();
    await repository.commit(
      Object.fromEntries(names.slice(1).map((name) => [`shop/${name}.yaml`, null])),
    );
    await source.fetchNow();
    expect(source.suspicion()).toContain('5 of 6 objects are missing');
    expect([[...source.keys()].length, source.commit()]).toEqual([6, known]);
    expect(errors.at(-1)).toContain('SourceSuspicious');
    await source.confirm();
    for (const name of names.slice(1)) await untilGone(name);
    await repository.commit({ 'shop/a.yaml': null });
    await source.fetchNow();
    expect(source.suspicion()).toContain('is empty');
    expect([...source.keys()]).toEqual(['DataContract/shop/a']);
  });
});

describe('A server that a repository is fetched from', () => {
  test('speaks HTTP, and wants a password that is rotated in its file', async () => {
    const fqn = freshFqn();
    await repository.commit({ 'shop/a.yaml': contract('a', { fqn, schema: table('id') }) });
    const server = await serve();
    server.allowOnly('robot:first secret');
    const passwordFile = join(folder, 'password');
    await writeFile(passwordFile, 'first secret\n');
    const { source, until, errors } = await openTestGit({
      address: accepted(parseGitAddress(server.url)),
      access: openGitAccess({ username: 'robot', passwordFile }),
    });
    await until('a', 'Published', /1\.0\.0/);
    server.allowOnly('robot:second secret');
    await source.fetchNow();
    expect(source.suspicion()).toMatch(/Authentication failed/);
    await writeFile(passwordFile, 'second secret');
    await repository.commit({ 'shop/a.yaml': contract('a', { fqn, schema: table('id', 'x') }) });
    await source.fetchNow();
    await until('a', 'Published', /1\.1\.0/);
    expect(source.suspicion()).toBeNull();
    expect(JSON.stringify([errors, source.suspicion()])).not.toContain('secret');
    await rm(passwordFile);
    await source.fetchNow();
    expect(source.suspicion()).toContain(
      `the password's file ${passwordFile} cannot be read: ENOENT`,
    );
  });

  test('sends us elsewhere: the password does not go along', async () => {
    await repository.commit({ 'shop/a.yaml': contract('a', { fqn: freshFqn(), schema: {} }) });
    const [server, elsewhere] = [await serve(), await serve()];
    elsewhere.allowOnly('robot:secret');
    server.answerWith((request, response) => {
      const location = elsewhere.url.replace('/.git', '') + request.url;
      response.writeHead(301, { location }).end();
    });
    const { source } = await openTestGit({
      address: accepted(parseGitAddress(server.url)),
      access: async () => ({ username: 'robot', password: 'secret' }),
    });
    expect(source.suspicion()).toContain('cannot be read');
    expect(elsewhere.authorizations.length).toBeGreaterThan(0);
    expect(elsewhere.authorizations.filter(Boolean)).toEqual([]);
  });

  test('sends back the password that it was sent: it is not told on', async () => {
    const server = await serve();
    server.answerWith((request, response) => {
      const { authorization } = request.headers;
      if (authorization === undefined) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      } else {
        const said = atob(authorization.replace('Basic ', ''));
        response.writeHead(400, { 'content-type': 'text/plain' }).end(`You sent ${said}.\n`);
      }
    });
    const { source, errors } = await openTestGit({
      address: accepted(parseGitAddress(server.url)),
      access: async () => ({ username: 'robot', password: 'hunter2/x' }),
    });
    expect(source.suspicion()).toContain('You sent robot:***');
    expect(errors.join()).not.toContain('hunter2/x');
  });

  test('hangs: what is known is served, and what comes later is taken', async () => {
    const fqn = freshFqn();
    await repository.commit({ 'shop/a.yaml': contract('a', { fqn, schema: table('id') }) });
    const server = await serve();
    const { source, until, errors } = await openTestGit({
      address: accepted(parseGitAddress(server.url)),
      timeoutMs: 1_000,
    });
    // On a busy machine a fetch that does not hang may take longer than a second, too.
    const fetched = () =>
      vi.waitFor(async () => {
        await source.fetchNow();
        expect(source.suspicion()).toBeNull();
      }, patience);
    await fetched();
    await until('a', 'Published', /1\.0\.0/);
    server.answerWith(() => {});
    await source.fetchNow();
    expect(source.suspicion()).toContain('cannot be read (no end after 1 s)');
    expect(errors.at(-1)).toContain('no end after 1 s');
    await until('a', 'Published', /1\.0\.0/);
    await repository.commit({ 'shop/a.yaml': contract('a', { fqn, schema: table('id', 'x') }) });
    server.answerWith(null);
    await fetched();
    await until('a', 'Published', /1\.1\.0/);
  });

  test('hangs from the start: the source starts nevertheless, and stops at once', async () => {
    const server = await serve();
    server.answerWith(() => {});
    const address = accepted(parseGitAddress(server.url));
    const { source } = await openTestGit({ address, timeoutMs: 300 });
    expect(source.suspicion()).toContain('no end after 0.3 s');
    const description = { identity: 'patient', kind: 'git', place: server.url } as const;
    const { fence } = await leadSource(registry, description);
    const patient = openGit({
      address,
      ref: 'main',
      path: '',
      folder,
      intervalMs: 1_000,
      timeoutMs: 3_600_000,
      access: async () => ({}),
      environment: process.env,
      identity: 'patient',
      clock: systemClock,
      records: registry.store.sourceObjects(fence),
      mapping: new Map(),
    });
    const asked = server.authorizations.length;
    const started = patient.start({ onChange: () => {}, onError: () => {} });
    await vi.waitFor(() => expect(server.authorizations.length).toBeGreaterThan(asked), patience);
    await patient.stop();
    await started;
  });
});

describe('The settings of a repository', () => {
  test.each([
    ['https://example.org/a.git', 'https', 'https://example.org'],
    ['http://robot@example.org:8080/a', 'http', 'http://example.org:8080'],
    ['ssh://git@example.org/a.git', 'ssh', null],
    ['git@example.org:team/a.git', 'ssh', null],
    ['file:///srv/a.git', 'file', null],
  ])('take %s', (text, protocol, origin) => {
    expect(accepted(parseGitAddress(text))).toEqual({ url: text, protocol, origin });
  });

  test.each([
    ['ext::sh -c touch% /tmp/x', 'is not a supported protocol'],
    ['git://example.org/a.git', 'is not a supported protocol'],
    ['--upload-pack=touch /tmp/x', 'is no URL'],
    ['-x:y', 'is no URL'],
    ['/srv/a.git', 'is no URL'],
    ['ssh://-oProxyCommand=x/a', ''],
    ['https://robot:secret@example.org/a.git', 'Use GIT_PASSWORD'],
  ])('refuse %s', (text, message) => {
    const parsed = parseGitAddress(text);
    expect(parsed.ok ? 'taken' : parsed.failure.message).toContain(message);
    expect(parsed.ok ? 'taken' : parsed.failure.message).not.toMatch(/taken|robot:secret/);
  });

  test.each(['main', 'v1.2', 'refs/heads/x', 'teams/next', 'HEAD', 'a'.repeat(40)])(
    'take the ref %s',
    (ref) => expect(accepted(parseGitRef(ref))).toBe(ref),
  );

  test.each(['', '-x', 'a..b', 'a b', '+main:x', 'a@{1}', 'x.lock', 'a:b'])(
    'refuse the ref "%s"',
    (ref) => expect(parseGitRef(ref).ok).toBe(false),
  );

  test.each([
    ['', ''],
    ['.', ''],
    ['/a/b/', 'a/b'],
    ['./a', 'a'],
  ])('take the path "%s"', (path, clean) => expect(accepted(parseGitPath(path))).toBe(clean));

  test.each(['..', 'a/../b', 'a//b', '../x'])('refuse the path "%s"', (path) =>
    expect(parseGitPath(path).ok).toBe(false),
  );

  test('name the same repository the same way', () => {
    const of = (url: string) => identityOfGit(accepted(parseGitAddress(url)), 'main', '');
    expect(of('https://example.org/a.git')).toBe(of('https://example.org/a/'));
    expect(of('https://example.org/a')).not.toBe(of('https://example.org/b'));
  });
});
