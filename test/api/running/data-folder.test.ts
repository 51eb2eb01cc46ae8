// A server leaves the files alone that another one, which is running, keeps in DATA_DIR.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { programEnvironment } from '../../support/program-environment.ts';

let database: TestDatabase;
let folder: string;
beforeEach(async () => {
  database = await openDatabase();
  folder = await mkdtemp(join(tmpdir(), 'concordat-data-'));
  await writeFile(join(folder, 'first-password'), 'of the first');
  await writeFile(join(folder, 'bootstrap-key'), 'bootstrap-key-of-the-first');
});
afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const main = join(import.meta.dirname, '../../../src/main.ts');

/** The process of the test stands for a server that is running. */
const holdFolder = (pid = process.pid) => writeFile(join(folder, 'server.pid'), `${pid}\n`);

function serve(settings: Record<string, string>, flags: readonly string[] = []) {
  const own = { NODE_NO_WARNINGS: '1', LOG_LEVEL: 'info', LOG_FORMAT: 'json', PORT: '0' };
  return spawn(process.execPath, [main, 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...programEnvironment(), ...own, DATA_DIR: folder, ...settings },
  });
}

async function stopServing(child: ReturnType<typeof serve>): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
}

/** The lines of the log until the server serves. */
async function untilServing(child: ReturnType<typeof serve>) {
  const lines: { readonly msg: string; readonly file?: string }[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(JSON.parse(line));
    if (lines.at(-1)?.msg === 'serving') return lines;
  }
  throw new Error(`The server ended before it served:\n${await text(child.stderr)}`);
}

const filesOfTheFirst = async () => [
  await readFile(join(folder, 'first-password'), 'utf8'),
  await readFile(join(folder, 'bootstrap-key'), 'utf8'),
];
const unchanged = ['of the first', 'bootstrap-key-of-the-first'];

test.each([
  ['with a Postgres of its own', false, []],
  ['with demo data', true, ['--story']],
])('A second server %s refuses the folder, and says what to do', async (_, hasUrl, flags) => {
  await holdFolder();
  const child = serve(hasUrl ? { DATABASE_URL: database.url } : {}, flags);
  child.stdout.resume();
  expect(await text(child.stderr)).toBe(
    `Another server (process ${process.pid}) uses the folder ${folder}. Stop it, or give this one a port and a folder of its own, such as PORT=8081 DATA_DIR=.second. If that process is no Concordat, delete ${folder}/server.pid.\n`,
  );
  expect(await filesOfTheFirst()).toEqual(unchanged);
  expect((await readdir(folder)).sort()).toEqual(['bootstrap-key', 'first-password', 'server.pid']);
});

test('A second server on another database keeps the password of its administrator in a file of its own', async () => {
  await holdFolder();
  const child = serve({ DATABASE_URL: database.url });
  const lines = await untilServing(child);
  const file = join(folder, `first-password-${child.pid}`);
  expect(lines.filter((line) => line.file !== undefined)).toMatchObject([{ file }]);
  expect(await readFile(file, 'utf8')).toMatch(/^.{20}\n$/);
  await stopServing(child);
  expect(await filesOfTheFirst()).toEqual(unchanged);
  expect(await readFile(join(folder, 'server.pid'), 'utf8')).toBe(`${process.pid}\n`);
});

test('The folder of a server that was killed is free, and a stop frees it', async () => {
  const gone = spawn('true');
  await once(gone, 'exit');
  await holdFolder(gone.pid);
  const child = serve({ DATABASE_URL: database.url });
  await untilServing(child);
  expect(await readFile(join(folder, 'server.pid'), 'utf8')).toMatch(new RegExp(`^${child.pid} `));
  await stopServing(child);
  expect(await readdir(folder)).not.toContain('server.pid');
});

test('It is free, too, where another process has the id of the killed one since', async () => {
  const killed = serve({ DATABASE_URL: database.url });
  await untilServing(killed);
  const ended = once(killed, 'exit');
  killed.kill('SIGKILL');
  await ended;
  const file = join(folder, 'server.pid');
  const left = await readFile(file, 'utf8');
  await writeFile(file, left.replace(`${killed.pid}`, `${process.pid}`));
  const child = serve({ DATABASE_URL: database.url });
  await untilServing(child);
  expect(await readFile(file, 'utf8')).toMatch(new RegExp(`^${child.pid} `));
  await stopServing(child);
});

test('Demo data adds no line to a log of JSON, which shows neither the key nor the password', async () => {
  await rm(join(folder, 'bootstrap-key'));
  const child = serve({ DATABASE_URL: database.url }, ['--story']);
  const output = text(child.stdout);
  const kept = (file: string) => readFile(join(folder, file), 'utf8').catch(() => '');
  await expect.poll(() => kept('bootstrap-key'), { timeout: 60_000 }).not.toBe('');
  await stopServing(child);
  const lines = await output;
  for (const line of lines.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  for (const file of ['bootstrap-key', 'first-password']) {
    expect(lines).not.toContain((await kept(file)).trim());
  }
});
