// The hook of `.pre-commit-hooks.yaml`, by pre-commit itself, with the packed command.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { makeCommand } from '../../scripts/release/make-command.ts';
import { runOk } from '../../scripts/run-command.ts';
import { programOf } from '../../scripts/tools/python-environment.ts';
import { makeRepository, type TestRepository } from '../support/git-repository.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const preCommit = programOf('pre-commit', 'pre-commit');

let home: string;
let archive: string;
/** A clone of what users name: this checkout with what is not committed yet. */
let source: TestRepository;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'concordat-pre-commit-'));
  await makeCommand(home);
  archive = join(home, (await readdir(home)).find((name) => name.endsWith('.tgz')) ?? '');
  await runOk('npm', ['install', '--global', '--prefix', home, '--no-audit', '--no-fund', archive]);
  source = await makeRepository();
  const script = 'integrations/pre-commit/diff-staged';
  for (const file of ['.pre-commit-hooks.yaml', script]) {
    await mkdir(dirname(join(source.folder, file)), { recursive: true });
    await run('cp', ['--preserve=mode', join(root, file), join(source.folder, file)]);
  }
  await source.commit({});
  await source.git('tag', 'v1.0.0');
});
afterAll(async () => {
  await source.remove();
  await rm(home, { recursive: true, force: true });
});

const contract = (name: string, property: string) => `apiVersion: concordat.dev/v1
kind: DataContract
metadata: { name: ${name} }
spec:
  fqn: shop.hooked.${name}
  schema:
    type: object
    properties: { id: { type: integer }, ${property} }
`;
const old = contract('orders', 'email: { type: string }');
const narrow = contract('orders', 'phone: { type: string }');

let user: TestRepository;
const write = (file: string, text: string) => writeFile(join(user.folder, file), text);

interface Ran {
  readonly code: number;
  readonly output: string;
}

async function git(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const programs = [join(home, 'bin'), dirname(preCommit), dirname(process.execPath)];
  try {
    const { stdout, stderr } = await run('git', args, {
      cwd: user.folder,
      env: {
        ...{ PATH: `${programs.join(':')}:${process.env.PATH}`, HOME: home },
        ...{ PRE_COMMIT_HOME: join(home, 'cache'), npm_config_offline: 'true' },
        ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.org' },
        ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.org', ...env },
      },
    });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

const commit = (...args: readonly string[]) => git(['commit', '--message', 'change', ...args]);

beforeEach(async () => {
  user = await makeRepository();
  await user.commit({
    'contracts/orders.yaml': old,
    'contracts/users.yaml': contract('users', 'name: { type: string }'),
    '.pre-commit-config.yaml': `repos:\n  - repo: ${source.url}\n    rev: v1.0.0\n    hooks: [{ id: concordat }]\n`,
  });
  await run(preCommit, ['install'], { cwd: user.folder });
  return () => user.remove();
});

describe('A commit', () => {
  test('that breaks a staged contract is stopped with the sentence; others pass', async () => {
    await write('contracts/orders.yaml', narrow);
    // What is not staged is not part of the commit.
    await write('notes.txt', 'Remember the milk.\n');
    await git(['add', 'notes.txt']);
    expect(await commit()).toMatchObject({ code: 0 });
    const stopped = await commit('--all');
    expect(stopped.code).toBe(1);
    expect(stopped.output).toContain(
      '✗ email: the property was removed; consumers will no longer find it [property_removed]',
    );
    await write('contracts/orders.yaml', contract('orders', 'email: { type: string }, phone: {}'));
    expect(await commit('--all')).toMatchObject({ code: 0 });
    expect(await user.git('rev-list', '--count', 'HEAD')).toBe('3');
  });

  test('that deletes a contract is stopped, and one that renames its file passes', async () => {
    await git(['rm', '--quiet', 'contracts/users.yaml']);
    const stopped = await commit();
    expect(stopped.code).toBe(1);
    expect(stopped.output).toContain(
      'shop.hooked.users (contracts/users.yaml): removed, which breaks',
    );
    await git(['reset', '--quiet', '--hard']);
    await git(['mv', 'contracts/users.yaml', 'contracts/people.yaml']);
    expect(await commit()).toMatchObject({ code: 0 });
    await git(['mv', 'contracts/orders.yaml', 'contracts/sales.yaml']);
    await write('contracts/sales.yaml', narrow);
    const renamed = await commit('--all');
    expect(renamed.code).toBe(1);
    expect(renamed.output).toContain('shop.hooked.orders (contracts/sales.yaml)');
  });

  test('is checked by the package of this version, where no command is installed', async () => {
    const text = await readFile(join(root, 'integrations/pre-commit/diff-staged'), 'utf8');
    expect(text).toContain(`concordat@${packageFile.version}}`);
    await write('contracts/orders.yaml', narrow);
    await rm(join(home, 'bin/concordat'));
    const stopped = await git(['commit', '--all', '--message', 'change'], {
      CONCORDAT_PACKAGE: archive,
    });
    expect(stopped.code).toBe(1);
    expect(stopped.output).toContain('[property_removed]');
  });
});
