// The files of examples/ci with their own command lines, on a repository with a breaking branch.

import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import { must, openWorld, type World } from '../../support/client/client-world.ts';
import { makeRepository, type TestRepository } from '../../support/git-repository.ts';

const root = resolve(import.meta.dirname, '../../..');
const examples = join(root, 'examples/ci');

let registry: TestRegistry;
let world: World;
let origin: TestRepository;
let home: string;

beforeAll(async () => {
  registry = await openRegistry();
  world = await openWorld(registry.url, registry.bootstrapKey);
  home = await mkdtemp(join(tmpdir(), 'concordat-ci-'));
  // The result of `npm install --global` for a folder: a link to the program.
  await mkdir(join(home, 'bin'));
  await symlink(join(root, 'bin/concordat.js'), join(home, 'bin/concordat'));
  origin = await makeRepository();
  await origin.commit({ 'contracts/orders.yaml': contract('email: { type: string }') });
});
afterAll(async () => {
  await origin.remove();
  await rm(home, { recursive: true, force: true });
  await registry.stop();
});

const contract = (property: string) => `apiVersion: concordat.dev/v1
kind: DataContract
metadata: { name: orders }
spec:
  fqn: shop.ci.orders
  team: ${world.producer.name}
  schema:
    type: object
    properties:
      id: { type: integer }
      ${property}
`;

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

function bash(script: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  return new Promise((done, failed) => {
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
      cwd,
      env: {
        PATH: `${join(home, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
        HOME: home,
        ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.org' },
        ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.org' },
        CONTRACTS: 'contracts',
        ...env,
      },
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', failed);
    child.on('close', (code) => done({ code, output }));
  });
}

async function readYaml(file: string): Promise<Record<string, unknown>> {
  return parse(await readFile(join(examples, file), 'utf8'), { merge: true });
}

let branch: TestRepository;
beforeEach(async () => {
  branch = await makeRepository();
  await branch.git('remote', 'add', 'origin', origin.folder);
  await branch.git('fetch', '--quiet', 'origin');
  await branch.git('checkout', '--quiet', '-B', 'topic', 'origin/main');
  return () => branch.remove();
});

const breakIt = () =>
  branch.commit({ 'contracts/orders.yaml': contract('phone: { type: integer }') });
const widenIt = () =>
  branch.commit({
    'contracts/orders.yaml': contract('email: { type: string }\n      phone: { type: integer }'),
  });

describe('github-workflow.yml', () => {
  interface Step {
    readonly name?: string;
    readonly run?: string;
    readonly uses?: string;
  }

  async function stepOf(job: string, name: string): Promise<string> {
    const { jobs } = (await readYaml('github-workflow.yml')) as {
      readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
    };
    for (const { steps } of Object.values(jobs)) {
      for (const step of steps) expect([step.run, step.uses].filter(Boolean)).toHaveLength(1);
    }
    return jobs[job]?.steps.find((step) => step.name === name)?.run ?? 'no such step';
  }

  test('a pull request that breaks fails, with annotations and a comment', async () => {
    await breakIt();
    const script = await stepOf('diff', 'What would this break?');
    const ran = await bash(script, branch.folder, { BASE: 'main' });
    expect(ran.code).toBe(1);
    expect(ran.output).toContain('::error file=contracts/orders.yaml,line=9,title=Breaking');
    const comment = await readFile(join(branch.folder, 'comment.md'), 'utf8');
    expect(comment).toContain('### ❌ 1 contract would break');
    await branch.commit({
      'contracts/orders.yaml': contract('phone: { type: integer }'),
      '.concordat-ignore': '- { asset: shop.ci.orders, reason: Agreed., until: 2999-12-31 }\n',
    });
    expect((await bash(script, branch.folder, { BASE: 'main' })).code).toBe(0);
  });

  test('a pull request that does not break passes', async () => {
    await widenIt();
    const script = await stepOf('diff', 'What would this break?');
    const ran = await bash(script, branch.folder, { BASE: 'main' });
    expect(ran).toEqual({
      code: 0,
      output: 'Concordat: 1 contract changes, none breaking.\n',
    });
  });

  test('a push to main publishes', async () => {
    const script = await stepOf('publish', 'Publish');
    const env = {
      GITHUB_SHA: await origin.git('rev-parse', 'HEAD'),
      CONCORDAT_URL: registry.url,
      CONCORDAT_KEY: world.producer.key,
    };
    const ran = await bash(script, branch.folder, env);
    expect(ran).toEqual({
      code: 0,
      output: '+ shop.ci.orders 1.0.0 is active: 0 changes, initial.\n',
    });
    const query = { fqn: 'shop.ci.orders' };
    const { results } = must(await world.admin.listAssets({ query }), 200);
    expect(results[0]?.active_contract_version).toBe('1.0.0');
    expect((await bash(script, branch.folder, env)).output).toContain('is already active');
  });
});

describe('gitlab-ci.yml', () => {
  async function scriptOf(job: string): Promise<string> {
    const pipeline = (await readYaml('gitlab-ci.yml')) as Readonly<
      Record<string, { readonly script?: readonly string[] }>
    >;
    return (pipeline[job]?.script ?? ['no such job']).join('\n');
  }

  test('a merge request that breaks fails, with its reports', async () => {
    await breakIt();
    const env = { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' };
    const ran = await bash(await scriptOf('contracts:diff'), branch.folder, env);
    expect(ran.code).toBe(1);
    expect(ran.output).toContain(
      '✗ shop.ci.orders (contracts/orders.yaml): breaking under backward',
    );
    const read = (name: string) => readFile(join(branch.folder, name), 'utf8');
    expect(JSON.parse(await read('gl-code-quality-report.json'))).toMatchObject([
      { severity: 'critical', location: { path: 'contracts/orders.yaml', lines: { begin: 9 } } },
    ]);
    expect(await read('junit.xml')).toContain('failures="1"');
    expect(await read('comment.md')).toContain('would break');
  });

  test('an unreachable registry ends with the code that the pipeline allows', async () => {
    const pipeline = await readYaml('gitlab-ci.yml');
    expect(pipeline['contracts:impact']).toMatchObject({ allow_failure: { exit_codes: [4] } });
    const env = { CONCORDAT_URL: 'http://127.0.0.1:1', CONCORDAT_KEY: 'cdt_live_any' };
    const ran = await bash(await scriptOf('contracts:impact'), branch.folder, env);
    expect(ran.code).toBe(4);
    expect(
      (
        await bash(await scriptOf('contracts:publish'), branch.folder, {
          ...env,
          CI_COMMIT_SHA: 'a',
        })
      ).code,
    ).toBe(4);
  });
});

describe('the hooks', () => {
  test('pre-commit stops a commit that breaks, and allows others', async () => {
    await copyFile(join(examples, 'pre-commit'), join(branch.folder, '.git/hooks/pre-commit'));
    const write = (text: string) => `cat > contracts/orders.yaml <<'EOF'\n${text}EOF\n`;
    const commit = (text: string) =>
      bash(`${write(text)}git add . && git commit --quiet -m change`, branch.folder, {});
    const stopped = await commit(contract('phone: { type: integer }'));
    expect(stopped.code).toBe(1);
    expect(stopped.output).toMatch(/email: .* \[property_removed\]/);
    const wider = contract('email: { type: string }\n      phone: { type: integer }');
    expect((await commit(wider)).code).toBe(0);
  });

  test('pre-commit-config.yaml does the same', async () => {
    const { repos } = (await readYaml('pre-commit-config.yaml')) as {
      readonly repos: readonly { readonly hooks: readonly { readonly entry: string }[] }[];
    };
    const entry = repos[0]?.hooks[0]?.entry ?? 'no hook';
    await breakIt();
    await branch.git('reset', '--quiet', '--soft', 'origin/main');
    expect((await bash(entry, branch.folder, {})).code).toBe(1);
  });
});
