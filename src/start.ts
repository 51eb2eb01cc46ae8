// The composition root: the only file that knows every room. `start(config)` is the whole server;
// `concordat serve` and the tests both call it.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import packageFile from '../package.json' with { type: 'json' };
import { systemActor } from './core/actor.ts';
import { createServer } from './http/server.ts';
import { startComparePool } from './ops/compare-pool.ts';
import type { Config } from './ops/config.ts';
import { createLog, type Log } from './ops/log.ts';
import { hashPassword, newPassword } from './ops/password.ts';
import { startRepeating } from './ops/repeat.ts';
import { openUseBook, type UseBook } from './ops/use-book.ts';
import { newUuid } from './ops/uuid.ts';
import type { Context, Ports } from './registry/ports.ts';
import { sweep } from './registry/sweep.ts';
import type { FirstAdmin } from './registry/user-commands.ts';
import { verbs } from './registry/verbs.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './store/embedded.ts';
import { startListener } from './store/listener.ts';
import { checkMigrations, MigrationError, migrate } from './store/migrate.ts';
import { openStore } from './store/store.ts';

export interface RunningServer {
  readonly url: string;
  /** Who may sign in to a new registry; with the password where it was made at this start. */
  readonly firstAdmin?: FirstAdmin;
  /** Stops taking requests, finishes those under way, and closes what was opened. */
  readonly stop: () => Promise<void>;
}

/** Between two tries to reach a Postgres that is away. */
const databaseRetryMs = 500;

export async function start(
  config: Config,
  log: Log = createLog(config.LOG_LEVEL, logFormat(config)),
): Promise<RunningServer> {
  const opened: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const { url, firstAdmin } = await openServer(config, log, (close) => opened.push(close));
    return { url, stop, ...(firstAdmin !== null && { firstAdmin }) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A date that has come, and what a crash left undone, wait this long at most. */
const sweepEveryMs = 30_000;
/** Partitions are made three months ahead: a day's delay is nothing. */
const maintainEveryMs = 24 * 60 * 60 * 1000;
/** When a key or a session was last used is told to within a minute. */
const noteUsesEveryMs = 60_000;

const now = () => new Date().toISOString();

/** Opens everything in order; each piece registers how it is closed, in the opposite order. */
async function openServer(
  config: Config,
  log: Log,
  closeLater: (close: () => Promise<void>) => void,
): Promise<{ readonly url: string; readonly firstAdmin: FirstAdmin | null }> {
  const databaseUrl = await openDatabase(config, closeLater);
  await prepareDatabase(databaseUrl, config, log);
  const store = await openStore({
    url: databaseUrl,
    maxConnections: config.DATABASE_POOL_SIZE,
    rowChecks: config.CHECK_ROWS ? 'every' : 'none',
  });
  closeLater(store.stop);
  const listener = startListener(databaseUrl);
  closeLater(listener.stop);
  const engine = startComparePool({
    workers: config.COMPARE_WORKERS,
    stepBudget: config.COMPARE_STEP_BUDGET,
  });
  closeLater(engine.stop);
  const ports: Ports = {
    ...store,
    engine,
    reportError: (error, during) => log.error({ err: error, during }, 'a follow-up failed'),
  };
  const system: Context = { actor: systemActor, requestId: null, now, newId: newUuid };
  const failed = (during: string) => (error: unknown) => ports.reportError(error, during);
  const keyUses = openUseBook(store.reads.recordKeyUse);
  const sessionUses = openUseBook(store.reads.recordSessionUse);
  const noteUses = () => flushAll([keyUses, sessionUses]);
  const chores = [
    startRepeating(() => sweep(ports, system), sweepEveryMs, failed('the sweep')),
    startRepeating(store.maintain, maintainEveryMs, failed('maintenance')),
    startRepeating(noteUses, noteUsesEveryMs, failed('noting when keys were used')),
  ];
  closeLater(async () => void (await Promise.all(chores.map((chore) => chore.stop()))));
  closeLater(() => noteUses().catch(failed('noting when keys were used')));
  const firstAdmin = await makeFirstAdmin(ports, system, config);
  const server = createServer({
    ports,
    verbs,
    keyChanges: {
      isListening: listener.isListening,
      onChange: (tell) => listener.onHeard(tell),
    },
    noteKeyUse: keyUses.note,
    noteSessionUse: sessionUses.note,
    log,
    now,
    newId: newUuid,
    readiness: async () => ({
      database: await store.ping().then(
        () => true,
        () => false,
      ),
    }),
    version: packageFile.version,
    settings: {
      bootstrapKey: config.BOOTSTRAP_KEY,
      bodyLimitBytes: config.BODY_LIMIT_BYTES,
      importLimitBytes: config.IMPORT_LIMIT_BYTES,
      rateLimitRead: config.RATE_LIMIT_READ,
      rateLimitWrite: config.RATE_LIMIT_WRITE,
      rateLimitLogin: config.RATE_LIMIT_LOGIN,
      baseUrl: config.BASE_URL,
      isBehindTls: config.BASE_URL?.startsWith('https:') ?? false,
    },
  });
  const port = await server.listen(config.PORT, config.HOST);
  closeLater(() => server.close(config.SHUTDOWN_GRACE_SECONDS * 1000));
  const url = config.BASE_URL ?? `http://localhost:${port}`;
  log.info({ url }, 'serving');
  return { url, firstAdmin };
}

async function flushAll(books: readonly UseBook[]): Promise<void> {
  for (const book of books) await book.flush();
}

/** A registry that nobody can sign in to would be none: not making one ends the start. */
async function makeFirstAdmin(
  ports: Ports,
  system: Context,
  config: Config,
): Promise<FirstAdmin | null> {
  const made = await verbs.ensureFirstAdmin(ports, system, {
    email: config.ADMIN_EMAIL,
    password: config.ADMIN_PASSWORD,
    newPassword,
    hashPassword,
  });
  if (!made.ok) throw new Error(`The first administrator: ${made.failure.message}`);
  return made.value;
}

async function openDatabase(
  config: Config,
  closeLater: (close: () => Promise<void>) => void,
): Promise<string> {
  if (config.DATABASE_URL !== undefined) return config.DATABASE_URL;
  const embedded: EmbeddedPostgres = await startEmbeddedPostgres({
    dataFolder: join(config.DATA_DIR, 'postgres'),
  });
  closeLater(embedded.stop);
  return embedded.url;
}

/** A Postgres that is away is waited for; a database that cannot be served ends the start. */
async function prepareDatabase(url: string, config: Config, log: Log): Promise<void> {
  for (;;) {
    try {
      if (!config.MIGRATE) return await checkMigrations(url);
      const { applied } = await migrate(url);
      if (applied.length > 0) log.info({ applied }, 'migrated the database');
      return;
    } catch (error) {
      if (error instanceof MigrationError || !isAway(error)) throw error;
      log.warn({ reason: String(error) }, 'waiting for Postgres');
      await delay(databaseRetryMs);
    }
  }
}

/** Refused, reset, unknown yet, starting up or shutting down: all of these pass. */
const passingCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH'],
  ...['57P01', '57P02', '57P03', '53300'],
]);

function isAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isAway);
  return error instanceof Error && 'code' in error && passingCodes.has(String(error.code));
}

function logFormat(config: Config): 'json' | 'pretty' {
  if (config.LOG_FORMAT !== 'auto') return config.LOG_FORMAT;
  return process.stderr.isTTY ? 'pretty' : 'json';
}
