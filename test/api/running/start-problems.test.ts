// A failed start prints one sentence that says what to change, and no stack.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { programEnvironment } from '../../support/program-environment.ts';
import { providerSettings } from '../../support/sign-in/providers-file.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.drop());

const main = join(import.meta.dirname, '../../../src/main.ts');

/** Only the registry's own output, without Node's warnings about packages. */
const quietly = { NODE_NO_WARNINGS: '1', LOG_LEVEL: 'silent', PORT: '0' };

function serve(settings: Record<string, string>) {
  return spawn(process.execPath, [main, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...programEnvironment(), ...quietly, ...settings },
  });
}

async function failToServe(settings: Record<string, string>): Promise<string> {
  const child = serve(settings);
  child.stdout.resume();
  const said = await text(child.stderr);
  expect(child.exitCode ?? (await new Promise((done) => child.once('exit', done)))).not.toBe(0);
  return said.trim();
}

test('A start fails with one message if the port is in use', async () => {
  const holder = createServer();
  await new Promise<void>((done) => holder.listen(0, '127.0.0.1', done));
  const address = holder.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const said = await failToServe({
    DATABASE_URL: database.url,
    PORT: String(port),
    HOST: '127.0.0.1',
  });
  holder.close();
  expect(said).toBe(
    `Port ${port} is taken. Stop what listens there, or set PORT to another (0 finds a free one).`,
  );
});

test('A start fails with one message if the database does not exist', async () => {
  const url = new URL(database.url);
  url.pathname = '/nowhere';
  expect(await failToServe({ DATABASE_URL: url.href })).toBe(
    'Postgres has no such database: database "nowhere" does not exist. Create it, or correct DATABASE_URL.',
  );
});

test('A start fails with one message if the password is wrong', async () => {
  const url = new URL(database.url);
  url.password = 'wrong';
  expect(await failToServe({ DATABASE_URL: url.href })).toMatch(
    /^Postgres rejected the credentials: .*Check the password in DATABASE_URL\.$/,
  );
});

test('A start that waits for Postgres stops in order when asked to', async () => {
  const child = serve({ DATABASE_URL: 'postgres://127.0.0.1:1/nobody', LOG_LEVEL: 'warn' });
  const exited = once(child, 'exit');
  const lines: unknown[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(JSON.parse(line).msg);
    if (lines.length === 1) child.kill('SIGTERM');
  }
  expect(lines).toEqual(['waiting for Postgres']);
  expect(await exited).toEqual([0, null]);
});

test('A start with invalid settings reports all of them at once', async () => {
  const said = await failToServe({
    PORT: 'abc',
    BASE_URL: 'nope',
    MIGRATE: 'maybe',
    BOOTSTRAP_KEY: 'short',
    ADMIN_EMAIL: 'ada',
    RATE_LIMIT_READ: '-1',
    RATE_LIMIT_WRITE: '1.5',
    LOG_FORMAT: 'xml',
    OTEL_TRACES_SAMPLER_ARG: '7',
  });
  expect(said.split('\n')).toEqual([
    'PORT=abc is invalid: it must be a whole number. The port to listen on; 0 picks a free port.',
    'BASE_URL=nope is invalid: it must be a URL that begins with http:// or https://. The public URL of the server, used in links; behind TLS it starts with https.',
    'MIGRATE=maybe is invalid: it must be 0, 1, true, false, yes or no. Whether to migrate the database at startup.',
    'BOOTSTRAP_KEY is invalid: it must have 16 characters or more. An administrator API key for setup; valid as long as it is set.',
    'ADMIN_EMAIL=ada is invalid: it must be an e-mail address. The e-mail address of the first administrator.',
    'RATE_LIMIT_READ=-1 is invalid: it must be more than 0. Reads a minute for each key.',
    'RATE_LIMIT_WRITE=1.5 is invalid: it must be a whole number. Writes a minute for each key. Each item of a bulk counts.',
    'LOG_FORMAT=xml is invalid: it must be auto, json or pretty. The log format; auto is pretty on a terminal and JSON otherwise.',
    'OTEL_TRACES_SAMPLER_ARG=7 is invalid: it must be at most 1. The ratio of traces for traceidratio: 0.1 is a tenth.',
  ]);
});

test('where a file of the settings is not there, or an address has no scheme', async () => {
  expect(await failToServe({ TEAM_MAPPING_FILE: '/nowhere/teams.yaml' })).toBe(
    'TEAM_MAPPING_FILE=/nowhere/teams.yaml does not exist or cannot be read. Correct the path.',
  );
  const said = await failToServe({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' });
  expect(said).toContain(
    'OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318 is invalid: it must be a URL that begins with http:// or https://.',
  );
});

test('where the file of providers has mistakes, each is named with its place, and no secret', async () => {
  const settings = await providerSettings([
    {
      name: 'Not A Name',
      issuer: 'http://login.example.com',
      client_secret: 'hush',
      default_role: 'king',
    },
  ]);
  const said = await failToServe({ DATABASE_URL: database.url, ...settings });
  expect(said.replace(settings.OIDC_PROVIDERS_FILE ?? '', 'FILE')).toBe(
    'OIDC_PROVIDERS_FILE FILE: providers.0.name is invalid: it must be letters a-z, digits and hyphens. ' +
      'providers.0.issuer is invalid: it must be an https:// URL without a query. ' +
      'providers.0.default_role is invalid: it must be admin, editor or viewer.',
  );
});

test.each([
  ['that begins with @', '@hush', 'BAD_SCALAR_START in line 3'],
  ['that begins with *', '*hush', 'an alias of nothing'],
])(
  'where the file of providers is no YAML because of a secret %s, its line is not shown',
  async (_, secret, reason) => {
    const settings = await providerSettings([]);
    const file = settings.OIDC_PROVIDERS_FILE ?? '';
    await writeFile(file, `providers:\n  - name: example\n    client_secret: ${secret}\n`);
    const said = await failToServe({ DATABASE_URL: database.url, ...settings });
    expect(said).toContain(reason);
    expect(said).not.toContain('hush');
  },
);

test('where nobody could sign in, or the cookie of a sign-in could not be encrypted', async () => {
  expect(await failToServe({ PASSWORD_SIGN_IN: 'false' })).toBe(
    'PASSWORD_SIGN_IN is false without OIDC_PROVIDERS_FILE. Nobody could sign in.',
  );
  const { OIDC_PROVIDERS_FILE = '' } = await providerSettings([
    { name: 'example', issuer: 'https://login.example.com', default_role: 'viewer' },
  ]);
  expect(await failToServe({ DATABASE_URL: database.url, OIDC_PROVIDERS_FILE })).toMatch(
    /^OIDC_PROVIDERS_FILE is set without SECRET_KEY, /,
  );
});

test.each([
  [{ SMTP_URL: 'smtp://us%er:hush@mail' }, 'SMTP_URL', '%25'],
  [{ SMTP_URL: 'smtp://:hush@mail' }, 'SMTP_URL', 'both a user and a password'],
  [{ SMTP_URL: 'smtp://mail?tls=off' }, 'SMTP_URL', 'no parameters but'],
  [{ SMTP_URL: 'smtp://mail?ca=/nowhere/ca.pem' }, 'The ca of SMTP_URL', 'does not exist'],
  [{ EVENT_BUS_URL: 'kafka://:hush@broker' }, 'EVENT_BUS_URL', 'Write kafka://broker:9092/topic'],
  [{ EVENT_BUS_URL: 'kafka://a:b/hush@broker' }, 'EVENT_BUS_URL', 'Write / of a password as %2F'],
  [{ EVENT_BUS_URL: 'kafka://a:b/c?hush@broker/t' }, 'EVENT_BUS_URL', 'has no such parameter'],
  [{ EVENT_BUS_URL: 'nats://a:hush@broker' }, 'EVENT_BUS_URL', 'Write nats://server:4222/subject'],
  [{ EVENT_BUS_URL: 'nats://a/b..c' }, 'EVENT_BUS_URL', 'no two in a row'],
  [{ EVENT_BUS_URL: 'nats://a:b@c/d?creds=/x' }, 'EVENT_BUS_URL', 'Leave one out'],
  [{ EVENT_BUS_URL: 'nats://a/b?sasl=plain' }, 'EVENT_BUS_URL', 'tls, ca, cert, key and creds'],
  [
    { EVENT_BUS_URL: 'nats://a/b?creds=/nowhere/a.creds' },
    'The creds of EVENT_BUS_URL',
    'does not exist',
  ],
  [
    { EVENT_BUS_URL: 'kafka://a/b?ca=/nowhere/ca.pem' },
    'The ca of EVENT_BUS_URL',
    'does not exist',
  ],
  [{ SMTP_FROM: 'a@example.com, b@example.com' }, 'SMTP_FROM', 'one address'],
  [{ SMTP_DOMAINS: '@example.com' }, 'SMTP_DOMAINS', 'such as example.com'],
])('A start with %j says in a sentence what is wrong', async (settings, name, what) => {
  const mail = { SMTP_URL: 'smtp://mail', SMTP_FROM: 'contracts@example.com' };
  const said = await failToServe({ DATABASE_URL: database.url, ...mail, ...settings });
  expect(said.split('\n')).toEqual([expect.stringMatching(new RegExp(`^${name}`))]);
  expect(said).toContain(what);
  expect(said).not.toContain('hush');
});

test.each([
  [
    { GIT_URL: 'git.example.org/contracts' },
    'GIT_URL: "git.example.org/contracts" is no URL. Write https://host/path, ssh://git@host/path or file:///path.',
  ],
  [
    { GIT_URL: 'https://git.example.org/contracts', GIT_REF: '--main' },
    'GIT_REF: "--main" is not a valid branch, tag or commit.',
  ],
  [
    { GIT_URL: 'https://git.example.org/contracts', GIT_PATH: '../contracts' },
    'GIT_PATH: "../contracts" is not a folder inside a repository.',
  ],
  [
    { CHECK_IMAGE: 'registry.example.org/concordat' },
    'CHECK_IMAGE needs CHECK_REGISTRY_URL: the Jobs send their results there.',
  ],
  [
    { DATABASE_URL_FILE: '/nowhere/url' },
    'DATABASE_URL_FILE=/nowhere/url does not exist or cannot be read. Correct the path.',
  ],
  [
    { ADMISSION_CERTIFICATE_DIR: '/nowhere/tls' },
    'ADMISSION_CERTIFICATE_DIR=/nowhere/tls does not exist or cannot be read. Correct the path.',
  ],
])('where %o cannot work', async (settings, sentence) => {
  expect(await failToServe(settings)).toBe(sentence);
});

test('where the file of teams is no YAML', async () => {
  const settings = await providerSettings([]);
  const file = settings.OIDC_PROVIDERS_FILE ?? '';
  await writeFile(file, 'directories: [\n');
  const said = await failToServe({ TEAM_MAPPING_FILE: file });
  expect(said).toMatch(/^TEAM_MAPPING_FILE \S+: it is no YAML: [^\n]+$/);
});

test('where it should be in a pod and is not', async () => {
  expect(await failToServe({ DATABASE_URL: database.url, KUBERNETES: 'in-cluster' })).toBe(
    'KUBERNETES is in-cluster, but KUBERNETES_SERVICE_HOST and _PORT are not set. Run this process in a pod, or set KUBERNETES=kubeconfig.',
  );
});
