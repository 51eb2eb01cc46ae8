// What a process writes to its log: JSON lines alone where JSON is asked for, no password, one line for an
// outage, and the ids of traces.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Gate, openGate } from '../../support/client/client-gate.ts';
import { bootstrapKey } from '../../support/client/client-registry.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { programEnvironment } from '../../support/program-environment.ts';
import { openTraceReceiver, type TraceReceiver } from '../../support/trace-receiver.ts';

type Line = Readonly<Record<string, unknown>>;

let database: TestDatabase;
let gate: Gate;
let receiver: TraceReceiver;
let folder: string;
let child: ChildProcess;
let url: string;
const lines: Line[] = [];
const unreadable: string[] = [];

const linesOf = (msg: string) => lines.filter((line) => line.msg === msg);
const waitFor = (msg: string): Promise<Line> =>
  vi.waitUntil(() => linesOf(msg)[0], { timeout: 300_000 });
const ask = (path: string, requestId: string) =>
  fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${bootstrapKey}`, 'x-request-id': requestId },
  });

beforeAll(async () => {
  database = await openDatabase();
  gate = await openGate(database.url);
  receiver = await openTraceReceiver();
  folder = await mkdtemp(join(tmpdir(), 'concordat-logs-'));
  const main = join(import.meta.dirname, '../../../src/main.ts');
  child = spawn(process.execPath, [main, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...programEnvironment(),
      ...{ DATABASE_URL: gate.url, DATA_DIR: folder, BOOTSTRAP_KEY: bootstrapKey },
      ...{ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'debug', LOG_FORMAT: 'json' },
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    },
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) throw new Error('The process has no output.');
    createInterface(stream).on('line', (line) => {
      try {
        lines.push(JSON.parse(line));
      } catch {
        unreadable.push(line);
      }
    });
  }
  url = String((await waitFor('serving')).url);
});
afterAll(async () => {
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await ended;
  expect(unreadable).toEqual([]);
  await gate.close();
  await receiver.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

test('The first password is in a file that only its owner can read, and the log names the file', async () => {
  const file = join(folder, 'first-password');
  expect(await waitFor('wrote the password of the first administrator to a file')).toMatchObject({
    email: 'admin@concordat.local',
    file,
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const password = (await readFile(file, 'utf8')).trim();
  expect(password).toMatch(/^.{20}$/);
  expect(JSON.stringify(lines)).not.toContain(password);
  const signedIn = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'admin@concordat.local', password }),
  });
  expect(signedIn.status).toBe(200);
});

test('At the level debug each answer is a line, without the query', async () => {
  await ask('/api/v1/teams?name=a-name', 'the-access-log');
  await expect
    .poll(() => lines.filter(({ request_id }) => request_id === 'the-access-log'))
    .toMatchObject([{ msg: 'answered', method: 'GET', route: '/api/v1/teams', status: 200 }]);
});

test('Sealing is a line a minute, however often something is sealed', async () => {
  const sealed = async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return Number(metrics.match(/^concordat_audit_sealed_total (\d+)/m)?.[1] ?? 0);
  };
  const first = await waitFor('sealed the audit');
  for (let i = 0; i < 5; i++) {
    const before = await sealed();
    const made = await fetch(`${url}/api/v1/teams`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bootstrapKey}` },
      body: JSON.stringify({ name: `Sealed ${i}` }),
    });
    expect(made.status).toBe(201);
    await vi.waitUntil(async () => (await sealed()) > before, { timeout: 300_000 });
  }
  const told = linesOf('sealed the audit');
  // Also once at each full minute of the process.
  const minutes = (Date.now() - Date.parse(String(first.time))) / 60_000;
  expect(told.length).toBeLessThanOrEqual(2 * (1 + minutes));
});

test('An outage is a line when it begins, a count every ten seconds, and a line when it ends', async () => {
  gate.shut();
  for (let i = 0; i < 20; i++) expect((await ask('/api/v1/teams', `outage-${i}`)).status).toBe(503);
  const began = await waitFor('the database is unreachable');
  expect(began).toMatchObject({ level: 'warn', cause: expect.stringMatching(/.+/) });
  expect(await waitFor('the database is still unreachable')).toMatchObject({ level: 'warn' });
  gate.open();
  const ended = await waitFor('the database answers again');
  expect(Number(ended.failures)).toBeGreaterThanOrEqual(20);
  expect(linesOf('the database is unreachable')).toHaveLength(1);
});

test('A line about a traced request has the ids of its trace', async () => {
  const failed = lines.find(
    ({ msg, request_id }) => msg === 'failed because of the database' && request_id === 'outage-0',
  );
  expect(failed).toMatchObject({
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
});
