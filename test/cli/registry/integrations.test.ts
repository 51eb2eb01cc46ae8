// The action of GitHub and the component of GitLab: their files, and their scripts as the forges run them,
// with the packed command, on a branch that breaks.

import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import packageFile from '../../../package.json' with { type: 'json' };
import { makeCommand } from '../../../scripts/release/make-command.ts';
import {
  must,
  openRegistryForFile,
  publish,
  publishOk,
  register,
} from '../../support/client/client-world.ts';
import { answering, forgeToken, openForge } from '../../support/forge.ts';
import { makeRepository, type TestRepository } from '../../support/git-repository.ts';
import { openLyingProvider } from '../../support/sign-in/lying-provider.ts';
import { pythonPackage } from '../../support/tools.ts';

const root = join(import.meta.dirname, '../../..');
const issuer = await openLyingProvider();
const { registry, world } = await openRegistryForFile({
  ISSUER_ALLOWED_NETWORKS: '127.0.0.0/8,::1',
});
const { admin, producer, consumer } = world;
const [github, gitlab] = [await openForge('github', true), await openForge('gitlab')];
const fqn = 'shop.integrated.orders';

const contract = (property: string) => `apiVersion: concordat.dev/v1
kind: DataContract
metadata: { name: orders }
spec:
  fqn: ${fqn}
  team: ${producer.name}
  schema:
    type: object
    properties:
      id: { type: integer }
      ${property}
`;

let home: string;
let archive: string;
let origin: TestRepository;
let branch: TestRepository;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'concordat-integrations-'));
  await makeCommand(home);
  archive = join(home, (await readdir(home)).find((name) => name.endsWith('.tgz')) ?? '');
  origin = await makeRepository();
  await origin.commit({ 'my contracts/orders.yaml': contract('email: { type: string }') });
  branch = await makeRepository();
  await branch.git('remote', 'add', 'origin', origin.folder);
  await branch.git('fetch', '--quiet', 'origin');
  await branch.git('checkout', '--quiet', '-B', 'topic', 'origin/main');
  await branch.commit({ 'my contracts/orders.yaml': contract('phone: { type: integer }') });
});
afterAll(async () => {
  await Promise.all([origin.remove(), branch.remove(), rm(home, { recursive: true, force: true })]);
});
beforeEach(() => {
  for (const forge of [github, gitlab]) Object.assign(forge, { comments: [], requests: [] });
});

type Environment = Readonly<Record<string, string>>;

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

function bash(script: string, env: Environment): Promise<Ran> {
  return new Promise((done, failed) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd: branch.folder,
      env: { HOME: home, npm_config_offline: 'true', ...env },
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', failed);
    child.on('close', (code) => done({ code, output }));
  });
}

const programs = `${dirname(process.execPath)}:${process.env.PATH}`;
const readText = (path: string) => readFile(join(root, path), 'utf8');

describe('The action of GitHub', () => {
  interface Action {
    readonly inputs: Readonly<Record<string, { readonly default: string }>>;
    readonly runs: {
      readonly steps: readonly { readonly run: string; readonly env: Environment }[];
    };
  }

  /** Runs the steps as a runner does: each with its inputs, files and the path of those before. */
  async function runAction(
    inputs: Environment,
    env: Environment = {},
  ): Promise<Ran & { summary: string }> {
    const action = parse(await readText('integrations/github/diff/action.yml')) as Action;
    const temporary = await mkdtemp(join(home, 'runner-'));
    const files = { event: 'event.json', path: 'path', summary: 'summary.md' };
    const { event, path, summary } = Object.fromEntries(
      Object.entries(files).map(([name, file]) => [name, join(temporary, file)]),
    ) as typeof files;
    const repository = { full_name: env.HEAD_REPOSITORY ?? 'acme/shop' };
    await writeFile(
      event,
      JSON.stringify({ pull_request: { number: 7, head: { repo: repository } } }),
    );
    for (const file of [path, summary]) await writeFile(file, '');
    const evaluate = (expression: string) => {
      if (expression === 'github.token') return forgeToken;
      const name = expression.replace(/^inputs\./, '');
      if (action.inputs[name] === undefined) throw new Error(`No input is called ${name}.`);
      return inputs[name] ?? fill(action.inputs[name].default);
    };
    const fill = (text: string): string =>
      text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, expression: string) => evaluate(expression));
    let last: Ran = { code: 0, output: '' };
    for (const step of action.runs.steps) {
      const added = (await readFile(path, 'utf8')).split('\n').reverse().join(':');
      const own = Object.entries(step.env).map(([name, value]) => [name, fill(value)]);
      last = await bash(step.run, {
        ...{ PATH: `${added}:${programs}`, RUNNER_TEMP: temporary },
        ...{ GITHUB_ACTIONS: 'true', GITHUB_API_URL: github.url, GITHUB_REPOSITORY: 'acme/shop' },
        ...{ GITHUB_BASE_REF: 'main', GITHUB_EVENT_PATH: event, GITHUB_PATH: path },
        ...{ GITHUB_STEP_SUMMARY: summary, ...env, ...Object.fromEntries(own) },
      });
      if (last.code !== 0) break;
    }
    expect(last.output).not.toContain(forgeToken);
    return { ...last, summary: await readFile(summary, 'utf8') };
  }

  const given = () => ({ package: archive, paths: 'my contracts\n' });

  test('fails for a break, with annotations, a summary and one comment', async () => {
    for (let times = 0; times < 2; times++) {
      const ran = await runAction(given());
      expect(ran.code).toBe(1);
      expect(ran.output).toContain('::error file=my contracts/orders.yaml,line=9,title=Breaking');
      expect(ran.summary).toContain('### ❌ 1 contract would break');
      expect(github.comments.map(({ body }) => body)).toEqual([
        `<!-- concordat: contracts -->\n${ran.summary}`,
      ]);
    }
    expect((await runAction({ ...given(), 'fail-on': 'never' })).code).toBe(0);
  });

  test('in a fork has a summary and no comment, and fails for the break alone', async () => {
    github.failNext('POST', answering(403, 'Resource not accessible by integration'));
    const ran = await runAction(given(), { HEAD_REPOSITORY: 'stranger/shop' });
    expect(ran.code).toBe(1);
    expect(ran.output).toContain('Jobs of forks may not comment');
    expect(ran.summary).toContain('### ❌ 1 contract would break');
    expect(github.comments).toEqual([]);
  });

  test('says nothing to the pull request if no comment is wanted', async () => {
    expect((await runAction({ ...given(), comment: '' })).code).toBe(1);
    expect(github.requests).toEqual([]);
  });

  test('with the token of the job passes what the consumers have agreed to', async () => {
    const proposal = await proposeToConsumers();
    const token = await issuer.sign({ aud: registry.url, sub: 'repo:acme/shop:pull_request' });
    const job = { CONCORDAT_ID_TOKEN: token };
    const inputs = { ...given(), registry: registry.url };
    const waiting = await runAction(inputs, job);
    expect({ code: waiting.code, comments: github.comments }).toEqual({
      code: 1,
      comments: [
        expect.objectContaining({
          body: expect.stringContaining(`Without an agreement: ${consumer.name}. Proposal`),
        }),
      ],
    });
    await acknowledge(proposal);
    expect((await runAction(inputs, job)).code).toBe(0);
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain(
      `${consumer.name} has agreed to exactly this. Proposal ${proposal}.`,
    );
  });
});

describe('The component of GitLab', () => {
  test('fails for a break, with its reports and one note, and installs a version by default', async () => {
    const text = await readText('templates/diff.yml');
    const [header, body] = parseAllDocuments(text).map((each) => each.toJS() as unknown);
    const { inputs } = (header as { spec: { inputs: Record<string, { default: string }> } }).spec;
    const given: Environment = { paths: 'my contracts', package: archive };
    const filled = JSON.parse(
      JSON.stringify(body).replace(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) =>
        JSON.stringify(given[name] ?? inputs[name]?.default).slice(1, -1),
      ),
    ) as { 'concordat-diff': { variables: Environment; script: readonly string[] } };
    const { variables, script } = filled['concordat-diff'];
    const builds = await mkdtemp(join(home, 'builds-'));
    const job = {
      ...{ PATH: programs, GITLAB_CI: 'true', CI_API_V4_URL: gitlab.url, CI_BUILDS_DIR: builds },
      ...{ CI_MERGE_REQUEST_PROJECT_ID: '12', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '12' },
      ...{ CI_MERGE_REQUEST_IID: '7', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' },
    };
    for (let times = 0; times < 2; times++) {
      const token = { CONCORDAT_COMMENT_TOKEN: forgeToken };
      const ran = await bash(script.join('\n'), { ...job, ...variables, ...token });
      expect(ran).toMatchObject({ code: 1, output: expect.not.stringContaining(forgeToken) });
    }
    expect(gitlab.comments).toHaveLength(1);
    expect(gitlab.comments[0]?.body).toContain('### ❌ 1 contract would break');
    const read = (name: string) => readFile(join(branch.folder, name), 'utf8');
    expect(JSON.parse(await read('gl-code-quality-report.json'))).toHaveLength(1);
    expect(await read('junit.xml')).toContain('failures="1"');
    const bare = await bash(script.slice(1).join('\n'), { ...job, ...variables });
    expect({ code: bare.code, told: bare.output.includes('comment') }).toEqual({
      code: 1,
      told: false,
    });
  });
});

describe('Their files', () => {
  const ajvOf = () => addFormats.default(new Ajv.default({ strict: false, allErrors: true }));

  async function faultsOf(schema: string, value: unknown) {
    const folder = pythonPackage('check-jsonschema', '0.39.0', 'wheel');
    const path = join(folder, 'check_jsonschema/builtin_schemas/vendor', schema);
    const ajv = ajvOf();
    ajv.validate(JSON.parse(await readFile(path, 'utf8')), value);
    return ajv.errors ?? [];
  }

  test('are valid by the published schemas, and install the version of this checkout', async () => {
    const action = parse(await readText('integrations/github/diff/action.yml'));
    expect(await faultsOf('github-actions.json', action)).toEqual([]);
    expect(action.inputs.version.default).toBe(packageFile.version);
    const component = parseAllDocuments(await readText('templates/diff.yml'));
    const [header, body] = component.map((each) => each.toJS());
    expect(await faultsOf('gitlab-ci.json', header)).toEqual([]);
    expect(await faultsOf('gitlab-ci.json', body)).toEqual([]);
    expect(header.spec.inputs.version.default).toBe(packageFile.version);
  });
});

async function proposeToConsumers(): Promise<string> {
  const trust = {
    ...{ name: 'shop CI', issuer: issuer.issuer, audience: registry.url, reusable: true },
    ...{ claims: { sub: 'repo:acme/*' }, team_id: producer.teamId, scopes: ['read' as const] },
  };
  must(await admin.createTrust({ body: trust }), 201);
  const asset = must(
    await producer.client.createAsset({ body: { fqn, owner_team_id: producer.teamId } }),
    201,
  );
  const schemaOf = (property: string) =>
    (parse(contract(property)) as { spec: { schema: Record<string, never> } }).spec.schema;
  const first = { schema: schemaOf('email: { type: string }') };
  await register(consumer, await publishOk(producer.client, asset.id, first));
  const next = { schema: schemaOf('phone: { type: integer }') };
  const made = await publish(producer.client, asset.id, next);
  return made.action === 'proposal_created' ? (made.proposal.id ?? '') : 'nothing was proposed';
}

async function acknowledge(proposal: string): Promise<void> {
  const body = { response: 'approved' as const, team_id: consumer.teamId };
  must(await consumer.client.acknowledgeProposal({ params: { proposal_id: proposal }, body }), 200);
}
