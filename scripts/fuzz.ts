// `make fuzz`: schemathesis reads openapi.json and sends a running registry all kinds of requests,
// with a key and with a session. No response may be a 5xx, differ from the document, or take too
// long.
//
// node scripts/fuzz.ts --seconds 120

import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { createStory } from '../src/cli/story/create-story.ts';
import { readConfig } from '../src/ops/config/config.ts';
import { type RunningServer, start } from '../src/start/serve.ts';
import { type Client, createClient } from '../src/wire/client.ts';
import { exampleId } from '../src/wire/shapes/shape.ts';
import { openFolder } from '../test/support/open-folder.ts';
import { installPythonEnvironment, programOf } from './tools/python-environment.ts';

/** A request that schemathesis deliberately sends without `follow` is answered all the same. */
const settings = join(import.meta.dirname, 'fuzz/schemathesis.toml');

/** A response that takes longer counts as hanging. */
const answerLimitSeconds = 10;

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
  'use_after_free',
];

const administrator = { email: 'fuzz@example.com', password: 'a password for the fuzzer' };
const bootstrapKey = 'bootstrap-key-of-the-fuzzer';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1800' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Omits one check. */
    without: { type: 'string' },
  },
});

process.exitCode = await fuzz(
  Number(values.seconds),
  values.seed,
  checks.filter((check) => check !== values.without),
);

async function fuzz(seconds: number, seed: string, asked: readonly string[]): Promise<number> {
  const program = await installed();
  const folder = await openFolder('concordat-fuzz-');
  const crashes: string[] = [];
  const server = await startRegistry(folder, crashes);
  try {
    const document = join(folder, 'openapi.json');
    const admin = createClient({ baseUrl: server.url, key: bootstrapKey });
    await writeFile(document, await documentOf(server.url, await knownIds(admin)));
    const callers = [
      { name: 'a key', headers: [`Authorization: Bearer ${bootstrapKey}`], more: [] },
      {
        name: 'a session',
        headers: await sessionHeaders(server.url),
        // These would end the current session.
        more: ['--exclude-operation-id', 'logOut', '--exclude-operation-id', 'updateUser'],
      },
    ];
    let failed = 0;
    for (const { name, headers, more } of callers) {
      process.stdout.write(`\n== by ${name}, seed ${seed}\n`);
      failed += await run(program, [
        ...[
          '--config-file',
          settings,
          'run',
          document,
          '--url',
          server.url,
          '--checks',
          asked.join(','),
        ],
        ...headers.flatMap((header) => ['--header', header]),
        ...['--max-time', String(Math.ceil(seconds / callers.length)), '--seed', seed],
        ...['--request-timeout', String(answerLimitSeconds), '--continue-on-failure'],
        ...['--workers', '1', '--suppress-health-check', 'all', '--warnings', 'off'],
        ...['--generation-database', 'none', '--no-color', ...more],
      ]);
    }
    for (const line of crashes) process.stdout.write(`${line}\n`);
    return failed === 0 && crashes.length === 0 ? 0 : 1;
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Installs the program with everything it needs, once per machine. */
async function installed(): Promise<string> {
  await installPythonEnvironment('schemathesis');
  return programOf('schemathesis', 'st');
}

function run(program: string, programArguments: readonly string[]): Promise<number> {
  return new Promise((done, fail) => {
    const child = spawn(program, programArguments, {
      stdio: 'inherit',
      env: { ...process.env, SCHEMATHESIS_HOOKS: '' },
    });
    child.once('error', fail);
    child.once('exit', (code) => done(code ?? 1));
  });
}

async function startRegistry(folder: string, crashes: string[]): Promise<RunningServer> {
  const read = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: folder,
    BOOTSTRAP_KEY: bootstrapKey,
    ADMIN_EMAIL: administrator.email,
    ADMIN_PASSWORD: administrator.password,
    RATE_LIMIT_READ: '100000000',
    RATE_LIMIT_WRITE: '100000000',
    RATE_LIMIT_LOGIN: '100000000',
    RATE_LIMIT_STRANGER: '100000000',
    LOG_LEVEL: 'error',
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const log = pino({ level: 'error' }, { write: (line: string) => void crashes.push(line) });
  return await start(read.config, log);
}

/** The registry's values for the examples of the document, so that most requests find an object. */
async function knownIds(admin: Client): Promise<ReadonlyMap<string, string>> {
  const story = await createStory(admin);
  if (story === null) throw new Error('The registry was not new.');
  const teams = await idsOf(admin.listTeams());
  const contracts = await idsOf(admin.listContracts());
  const other = await admin.createAsset({
    body: { fqn: 'fuzz.upstream', owner_team_id: teams[0] ?? '' },
  });
  const otherAsset = other.ok ? other.body.id : '';
  const params = { asset_id: story.assetId };
  const dependency = await admin.addDependency({
    params,
    body: { depends_on_asset_id: otherAsset },
  });
  const run = await admin.recordQualityRun({
    params,
    body: { status: 'passed', triggered_by: 'build_test' },
  });
  const key = await admin.issueApiKey({
    body: { name: 'fuzz', team_id: teams[0] ?? '', scopes: ['write'] },
  });
  // Objects that only a cluster or a folder creates are missing here, so requests about them find
  // nothing.
  const found: Readonly<Partial<Record<keyof typeof exampleId, string | undefined>>> = {
    team: teams[0],
    otherTeam: teams[1],
    asset: story.assetId,
    otherAsset,
    contract: contracts[0],
    otherContract: contracts[1],
    registration: (await idsOf(admin.listRegistrations()))[0],
    proposal: story.proposalId,
    dependency: dependency.ok ? dependency.body.id : undefined,
    run: run.ok ? run.body.id : undefined,
    event: (await idsOf(admin.listEvents()))[0],
    key: key.ok ? key.body.id : undefined,
    user: (await idsOf(admin.listUsers()))[0],
  };
  return new Map(
    Object.entries(found).map(([name, id]) => {
      if (id === undefined) throw new Error(`The story has no ${name}.`);
      // The cast is safe: `found` has the names of `exampleId`.
      return [exampleId[name as keyof typeof exampleId], id];
    }),
  );
}

async function idsOf(
  asked: Promise<
    | { readonly ok: true; readonly body: { readonly results: readonly { readonly id: string }[] } }
    | { readonly ok: false; readonly refusal: { readonly message: string } }
  >,
): Promise<readonly string[]> {
  const answer = await asked;
  if (!answer.ok) throw new Error(answer.refusal.message);
  return answer.body.results.map(({ id }) => id);
}

async function documentOf(url: string, ids: ReadonlyMap<string, string>): Promise<string> {
  let text = await (await fetch(`${url}/openapi.json`)).text();
  for (const [example, id] of ids) text = text.replaceAll(example, id);
  const document = JSON.parse(text);
  // A following stream never ends, so requests only read events up to now.
  const follow = document.paths['/api/v1/events/stream'].get.parameters.find(
    ({ name }: { name?: string }) => name === 'follow',
  );
  Object.assign(follow, { required: true, schema: { enum: [false] }, example: false });
  return JSON.stringify(document);
}

/** The same headers as the page's. */
async function sessionHeaders(url: string): Promise<readonly string[]> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(administrator),
  });
  const { csrf_token } = (await answer.json()) as { csrf_token: string };
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return [`Cookie: ${cookie}`, `X-CSRF-Token: ${csrf_token}`, `Origin: ${url}`];
}
