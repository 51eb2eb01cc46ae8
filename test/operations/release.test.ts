import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { findHelm } from '../../scripts/kubernetes/find-helm.ts';
import { run as runHere, runOk } from '../../scripts/run-command.ts';
import { supportedNodes } from '../../scripts/tools/older-nodes.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const release = join(root, 'dist/release');
const archive = `${packageFile.name}-${packageFile.version}.tgz`;

/** An empty folder, but for the package that is installed into it. */
let folder = '';
beforeAll(async () => {
  await runOk(process.execPath, ['scripts/release/make-release.ts']);
  folder = await mkdtemp(join(tmpdir(), 'release-'));
  await writeFile(join(folder, 'package.json'), '{}');
  await run('npm', ['install', '--no-audit', '--no-fund', join(release, 'npm', archive)], {
    cwd: folder,
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const installed = (...path: readonly string[]) => join(folder, 'node_modules/concordat', ...path);

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe.each(supportedNodes)('The package of the command, on Node %s,', (_version, node) => {
  const concordat = (...args: readonly string[]): Promise<Ran> =>
    runHere(node, [installed('concordat.js'), ...args]);

  test('is installed alone, and answers as the checkout does', async () => {
    expect(await readdir(join(folder, 'node_modules'))).toEqual(
      expect.not.arrayContaining(['zod', 'pg']),
    );
    const pairs = [
      ['wide', { const: 9_007_199_254_740_993n }, { const: 9_007_199_254_740_992n }],
      ['pattern', { pattern: '^(?i:[a-z]+)$' }, { pattern: '^[a-z]+$' }],
      ['open', { properties: { a: { type: 'integer' } } }, { properties: { a: {} } }],
      ['same', { enum: ['a', 'b'] }, { enum: ['b', 'a'] }],
    ] as const;
    for (const [name, ...sides] of pairs) {
      const paths = ['old', 'next'].map((side) => join(folder, `${name}-${side}.json`));
      for (const [index, side] of sides.entries()) {
        const text = JSON.stringify(side, (_key, value: unknown) =>
          typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
        );
        await writeFile(paths[index] ?? '', text);
      }
      const asked = ['diff', ...paths, '--format', 'json'];
      const here = await runHere(process.execPath, ['bin/concordat.js', ...asked]);
      expect(await concordat(...asked)).toEqual(here);
      expect([0, 1]).toContain(here.code);
    }
    const yaml = join(folder, 'yaml.yaml');
    await writeFile(yaml, 'properties:\n  a: { type: string }\n');
    const asked = ['diff', join(folder, 'open-old.json'), yaml, '--format', 'github'];
    const here = await runHere(process.execPath, ['bin/concordat.js', ...asked]);
    expect(here.stdout).toContain('yaml.yaml,line=2');
    expect(await concordat(...asked)).toEqual(here);
  });

  test('has each of its files, and needs no package but those that it names', async () => {
    // main.js is the program itself.
    const files = (await readdir(installed('lib'))).filter((name) => name !== 'main.js');
    expect(files.length).toBeGreaterThan(20);
    const script = `
      await import(${JSON.stringify(installed('older-node.js'))});
      for (const file of ${JSON.stringify(files)}) {
        await import(${JSON.stringify(installed('lib'))} + '/' + file).catch((error) => console.log(error.message));
      }`;
    const { stdout } = await runHere(node, ['--input-type=module', '-e', script]);
    const { peerDependencies } = JSON.parse(await readFile(installed('package.json'), 'utf8')) as {
      readonly peerDependencies: Readonly<Record<string, string>>;
    };
    const missing = [...stdout.matchAll(/^Cannot find package '([^']+)' .*$/gm)];
    expect(missing.map(([line]) => line).join('\n')).toBe(stdout.trim());
    expect(new Set(missing.map(([, name]) => name))).toEqual(
      new Set(Object.keys(peerDependencies).filter((name) => name !== '@polyglot-sql/sdk')),
    );
  });

  test('names the package that a command needs beside it', async () => {
    await writeFile(join(folder, 'rows.csv'), 'a\n1\n');
    await writeFile(join(folder, 'rows.json'), '{}');
    const asked = ['--source', join(folder, 'rows.csv'), '--contract', join(folder, 'rows.json')];
    const { code, stderr } = await concordat('check', ...asked);
    const version = packageFile.dependencies['@duckdb/node-api'];
    expect(stderr).toContain(`npm install @duckdb/node-api@${version}`);
    expect(code).toBe(3);
  });

  test('says which version it is, and shows its help', async () => {
    expect(await concordat('--version')).toMatchObject({ stdout: `${packageFile.version}\n` });
    expect(await concordat('--help')).toMatchObject({ code: 0 });
  });
});

test('The licence of each bundled package is in the package', async () => {
  const text = await readFile(installed('THIRD-PARTY-LICENSES'), 'utf8');
  for (const name of ['commander', 'graphql', 'yaml', 'zod', '@eslint-community/regexpp']) {
    const version = await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8').then(
      (file) => (JSON.parse(file) as { readonly version: string }).version,
    );
    expect(text).toContain(`${name} ${version} (`);
  }
});

test('A bill of materials beside each package lists what is bundled in it, with its digests', async () => {
  const bill = archive.replace(/\.tgz$/, '.cdx.json');
  const { metadata, components } = JSON.parse(
    await readFile(join(release, 'npm', bill), 'utf8'),
  ) as Readonly<Record<string, never>> & {
    readonly metadata: { readonly component: { readonly name: string } };
    readonly components: readonly Readonly<
      Record<'name' | 'version' | 'purl' | 'hashes', string>
    >[];
  };
  const licences = await readFile(installed('THIRD-PARTY-LICENSES'), 'utf8');
  const bundled = [...licences.matchAll(/^(\S+) (\d\S*) \(/gm)].map(([, name, version]) => ({
    ...{ name, version, hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^\w{128}$/) }] },
  }));
  const each = bundled.map((wanted) => expect.objectContaining(wanted));
  expect(components).toEqual(expect.arrayContaining(each));
  expect(components).toHaveLength(bundled.length);
  expect(bundled.length).toBeGreaterThan(5);
  expect(metadata.component.name).toBe(packageFile.name);
  expect(await readdir(join(release, 'npm'))).toContain(
    `concordat-client-${packageFile.version}.cdx.json`,
  );
});

test('The archive of the chart has the version of the package, and renders', async () => {
  const helm = await findHelm({ environment: process.env, beforeFetch: console.warn });
  const chart = join(release, 'chart', archive);
  expect(await runOk(helm, ['show', 'chart', chart])).toContain(
    `appVersion: ${packageFile.version}`,
  );
  expect(
    await runOk(helm, ['template', 'registry', chart, '--set', 'database.secret.name=db']),
  ).toContain(`app.kubernetes.io/version: "${packageFile.version}"`);
});

test('The checksums are those of the archives', async () => {
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release });
});
