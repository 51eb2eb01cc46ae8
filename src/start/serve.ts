// The composition root creates the rooms and connects them. `start(config)` is the whole server;
// `concordat serve` and the tests both call it.

import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import packageFile from '../../package.json' with { type: 'json' };
import { systemActor } from '../core/actor.ts';
import { type Authenticator, formatHead, type HeadReference } from '../core/audit/seal.ts';
import type { FirstAdmin } from '../core/decide/people/commands.ts';
import {
  databaseRefusals,
  RegistryBusy,
  RegistryRefused,
  RegistryUnavailable,
} from '../core/unavailable.ts';
import { startComparePool } from '../engine/compare-pool.ts';
import { answerSmallHere } from '../engine/small-questions.ts';
import type { Answered } from '../http/request/answer.ts';
import type { ImportCall } from '../http/request/import-call.ts';
import { createServer } from '../http/server.ts';
import { afterNews } from '../ops/after-news.ts';
import { auditAuthenticator } from '../ops/audit-key.ts';
import { addressOf, type Config, pairsOf, tracesUrlOf } from '../ops/config/config.ts';
import { leaveDataFolder, mustTakeDataFolder, takeDataFolder } from '../ops/data-folder.ts';
import { createLog, type Log } from '../ops/observe/log.ts';
import { type Metrics, openMetrics } from '../ops/observe/metrics.ts';
import { observeProcess } from '../ops/observe/observe-process.ts';
import { openOutageLog } from '../ops/observe/outage-log.ts';
import type { Tracing } from '../ops/observe/tracing.types.ts';
import { hashPassword, newPassword } from '../ops/password.ts';
import { listUrlsInFile } from '../ops/postgres/connect.ts';
import { startRepeating } from '../ops/repeat.ts';
import { currentCaller } from '../ops/threads/callers.ts';
import { openImportThreads } from '../ops/threads/import-threads.ts';
import { openUseBook, type UseBook } from '../ops/use-book.ts';
import { newUuid } from '../ops/uuid.ts';
import type { Context, Policy, Ports } from '../registry/ports.ts';
import { openSweep } from '../registry/sweep.ts';
import { verbs as bareVerbs } from '../registry/verbs.ts';
import { startListener } from '../store/postgres/listener.ts';
import type { ReplicaSettings } from '../store/replica-reads.ts';
import { openStore, type Store } from '../store/store.ts';
import { openArchive, openArchiving } from './audit-archive.ts';
import { startEventBus } from './event-bus.ts';
import type { ImportNote, ImportWorkerData } from './import-worker.ts';
import {
  isTokenOf,
  openFeed,
  openSender,
  openTrial,
  refuseUrls,
  startDeliveries,
} from './notify.ts';
import { observeEngine, observeImports, observeVerbs } from './observe-work.ts';
import {
  type DatabaseAddresses,
  encryptSecrets,
  openDatabase,
  prepareDatabase,
  prepareSecrets,
} from './open-database.ts';
import { startSignIn, startTokenCheck } from './sign-in.ts';
import { hasSources, type RunningSources, startSources } from './sources.ts';
import { traceEngine, traceTransactions, traceVerbs } from './trace-work.ts';

export interface RunningServer {
  readonly url: string;
  /** The superuser's connection to the embedded Postgres; absent with DATABASE_URL. */
  readonly embeddedUrl?: string;
  /** The first administrator of a new registry, with the password if this start generated it. */
  readonly firstAdmin?: FirstAdmin;
  /** The file with the password of the first administrator. */
  readonly passwordFile: string;
  /** Keeps serving for at most this long, and asks each client to reconnect elsewhere. */
  readonly drain: (forMs: number) => Promise<void>;
  /**
   * Accepts no more requests, finishes those in progress, and closes everything that was opened.
   */
  readonly stop: () => Promise<void>;
}

/** `at_once` starts the threads with the server, so that no request waits until a thread has started. */
type Threads = 'at_once' | 'when_needed';

/** May wait for its Postgres for ever: it throws the reason of the signal where that is aborted. */
export async function start(
  config: Config,
  givenLog?: Log,
  stopped: AbortSignal = new AbortController().signal,
  threads: Threads = 'at_once',
): Promise<RunningServer> {
  const closing: (() => Promise<void>)[] = [];
  const log =
    givenLog ?? createLog(config.LOG_LEVEL, logFormat(config), () => tracing?.ids() ?? {});
  let tracing: Tracing | null = null;
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    const closeLater = (close: () => Promise<void>) => closing.push(close);
    const opening = await startTracing(config, log);
    tracing = opening;
    closeLater(async () => opening?.stop());
    const { firstAdmin, embeddedUrl, ...opened } = await openServer({
      ...{ config, log, stopped, threads, closeLater },
      tracing: opening,
    });
    const more = {
      ...(firstAdmin !== null && { firstAdmin }),
      ...(embeddedUrl && { embeddedUrl }),
    };
    return { ...opened, stop, ...more };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The longest delay for due migrations, and for work that a crash interrupted. */
const sweepEveryMs = 30_000;
/** Partitions are created three months ahead, so a day's delay does not matter. */
const maintainEveryMs = 24 * 60 * 60 * 1000;
/** A month is due once. What held it up may be gone an hour later. */
const moveMonthsEveryMs = 60 * 60 * 1000;
/** The last use of a key or session is accurate to a minute. */
const noteUsesEveryMs = 60_000;

/** Seals are written at least every second: this interval plus the run itself. */
const sealEveryMs = 500;
/** One look at an index that is usually empty, if anything was committed. */
const nameFieldsEveryMs = 1_000;
/** Checkpoints are logged this often: a busy registry seals twice a second. */
const logSealsEveryMs = 60_000;
/** Where nothing is heard: a sealer that was killed may have left something. */
const sealAnywayMs = 5_000;

const now = () => new Date().toISOString();

interface Opening {
  readonly config: Config;
  readonly log: Log;
  readonly tracing: Tracing | null;
  readonly stopped: AbortSignal;
  readonly threads: Threads;
  readonly closeLater: (close: () => Promise<void>) => void;
}

type OpenedServer = Pick<RunningServer, 'url' | 'drain' | 'passwordFile' | 'embeddedUrl'> & {
  readonly firstAdmin: FirstAdmin | null;
};

/** Opens everything in order; each piece registers how it is closed, in the opposite order. */
async function openServer({
  config,
  log,
  tracing,
  stopped,
  threads,
  closeLater,
}: Opening): Promise<OpenedServer> {
  await keepDataFolder(config);
  closeLater(() => leaveDataFolder(config.DATA_DIR));
  const metrics = openMetrics();
  const verbs = traceVerbs(observeVerbs(bareVerbs, metrics, log), tracing);
  const database = await openDatabase(config, log, closeLater);
  await prepareDatabase(database, config, log, stopped);
  const archive = openArchive(config);
  const store = await openStore({
    url: database.url,
    packs: archive?.reader,
    isPooled: database.isPooled,
    cipher: database.cipher,
    maxConnections: config.DATABASE_POOL_SIZE,
    rowChecks: config.CHECK_ROWS ? 'every' : 'none',
    onStatement: tracing?.statement,
    observe: {
      statement: metrics.histogram('concordat_database_statement_duration_seconds').observe,
      wait: metrics.histogram('concordat_database_wait_duration_seconds').observe,
    },
    replicas: await replicaSettings(config, log, metrics),
  });
  closeLater(store.stop);
  const outages = openOutageLog({
    log,
    ping: store.ping,
    clock: () => performance.now(),
    count: countFailures(metrics),
  });
  closeLater(outages.stop);
  await prepareSecrets(store, database, log);
  const listener = startListener(database.listenUrl);
  closeLater(listener.stop);
  const engine = startComparePool({
    workers: config.COMPARE_WORKERS,
    stepBudget: config.COMPARE_STEP_BUDGET,
    callerOf: currentCaller,
    isLazy: threads === 'when_needed',
  });
  closeLater(engine.stop);
  const imports = openImportThreads({
    entry: new URL('./import-worker.ts', import.meta.url),
    workerData: importSettings(database, config),
    threads: config.IMPORT_WORKERS,
    bodyLimitBytes: config.IMPORT_LIMIT_BYTES,
    onNote: (note) => logImport(log, note as ImportNote),
  });
  closeLater(imports.stop);
  const acceptsBootstrapKey =
    config.BOOTSTRAP_KEY !== undefined && !config.BOOTSTRAP_KEY_DISABLED_AFTER_SETUP;
  const forget = observeProcess(metrics, {
    engine: engine.figures,
    imports: imports.figures,
    connections: store.poolFigures,
    maxConnections: config.DATABASE_POOL_SIZE,
    replicas: store.replicaFigures,
    ping: store.ping,
    registry: async () => {
      const { hasAdministrator, ...figures } = await store.figures();
      return { ...figures, bootstrapKeyAccepted: hasAdministrator && acceptsBootstrapKey };
    },
    reportError: (error) => log.error({ err: error, during: 'asking for figures' }, 'no metrics'),
    version: packageFile.version,
    clock: () => performance.now(),
  });
  closeLater(async () => forget());
  const engineTook = metrics.counter('concordat_engine_serving_seconds_total');
  const ports: Ports = {
    ...store,
    ...traceTransactions(store, tracing),
    policy: policyOf(config),
    engine: traceEngine(observeEngine(answerSmallHere(engine, engineTook.add), metrics), tracing),
    reportError: (error, during) => {
      if (error instanceof RegistryUnavailable) outages.report(error, { during });
      else log.error({ err: error, during }, 'a follow-up failed');
    },
    refuseUrl: refuseUrls(config),
  };
  const system: Context = { actor: systemActor, requestId: null, now, newId: newUuid };
  const failed = (during: string) => (error: unknown) => ports.reportError(error, during);
  const authenticator =
    config.AUDIT_KEY === undefined ? undefined : auditAuthenticator(config.AUDIT_KEY);
  const retention = { archiveAfterMs: config.ARCHIVE_AFTER };
  const keyUses = openUseBook(store.reads.recordKeyUse);
  const sessionUses = openUseBook(store.reads.recordSessionUse);
  const noteUses = () => flushAll([keyUses, sessionUses]);
  const stopping = new AbortController();
  const sealed = openSealLog(log, metrics);
  const sealAll = () => seal(store, sealed, authenticator, stopping.signal);
  const sealNews = afterNews({
    news: listener,
    work: sealAll,
    anywayMs: sealAnywayMs,
    clock: () => performance.now(),
  });
  // Only the previous release commits contracts without field names.
  const nameNews = afterNews({
    news: listener,
    work: () => nameAllFields(store, stopping.signal),
    anywayMs: sweepEveryMs,
    clock: () => performance.now(),
  });
  const moveMonths = openArchiving(config, archive, { store, log, signal: stopping.signal });
  const chores = [
    startRepeating(openSweep(ports, system, retention), sweepEveryMs, failed('the sweep')),
    startRepeating(nameNews, nameFieldsEveryMs, failed('naming fields for the search')),
    startRepeating(() => encryptSecrets(store, log), sweepEveryMs, failed('encrypting secrets')),
    startRepeating(() => maintain(store, log), maintainEveryMs, failed('maintenance')),
    startRepeating(sealNews, sealEveryMs, failed('sealing the audit')),
    startRepeating(async () => sealed.flush(), logSealsEveryMs, failed('logging seals')),
    ...(moveMonths === null
      ? []
      : [startRepeating(moveMonths, moveMonthsEveryMs, failed('archiving the audit'))]),
    startRepeating(noteUses, noteUsesEveryMs, failed('noting when keys were used')),
  ];
  closeLater(async () => sealed.flush());
  closeLater(async () => void (await Promise.all(chores.map((chore) => chore.stop()))));
  // A backlog is left to the next process. Closing runs in the opposite order, so this comes first.
  closeLater(async () => stopping.abort());
  closeLater(() => noteUses().catch(failed('noting when keys were used')));
  // Without passwords, nobody could sign in with the one that is generated.
  const first = config.PASSWORD_SIGN_IN
    ? await makeFirstAdmin(ports, system, config, log)
    : { firstAdmin: null, passwordFile: passwordFileOf(config) };
  if (acceptsBootstrapKey && (await store.reads.hasAdministrator())) {
    log.warn(
      'BOOTSTRAP_KEY still works although an administrator exists. Unset it, or set BOOTSTRAP_KEY_DISABLED_AFTER_SETUP=true',
    );
  }
  const send = openSender(config, { metrics });
  const delivering = startDeliveries(config, { store, listener, log, outages, metrics, send });
  closeLater(delivering.stop);
  const bus = startEventBus(config, { store, listener, log, outages, metrics });
  closeLater(async () => bus?.stop());
  const feed = openFeed({ store, listener, log, outages });
  let sources: RunningSources | null = null;
  let ownPort = config.PORT;
  const signIn = await startSignIn(config, {
    cipher: database.cipher,
    ownUrl: () => addressOf(config, ownPort),
  });
  const server = createServer({
    ports,
    feed,
    tryWebhook: openTrial(send, store.outbox),
    isStopToken: (webhookId, token) => isTokenOf(store.outbox, webhookId, token),
    verbs,
    signIn,
    checkToken: startTokenCheck(config, log),
    // The cast is safe: the thread's own entry answers, and is compiled together with this file.
    runImport: observeImports(
      async (call: ImportCall, signal) => (await imports.run(call, signal)) as Answered,
      metrics,
    ),
    auditAuthenticator: authenticator,
    keyChanges: {
      isListening: listener.isListening,
      onChange: (tell) => listener.onHeard(tell),
    },
    noteKeyUse: keyUses.note,
    noteSessionUse: sessionUses.note,
    log,
    outages,
    metrics,
    tracing,
    now,
    newId: newUuid,
    readiness: async () => ({
      ...(await checkDatabase(store)),
      ...(hasSources(config) && { controller_cache: sources?.isReady() ?? false }),
    }),
    version: packageFile.version,
    settings: {
      bootstrapKey: config.BOOTSTRAP_KEY,
      isBootstrapKeyDisabledAfterSetup: config.BOOTSTRAP_KEY_DISABLED_AFTER_SETUP,
      bodyLimitBytes: config.BODY_LIMIT_BYTES,
      importLimitBytes: config.IMPORT_LIMIT_BYTES,
      rateLimitRead: config.RATE_LIMIT_READ,
      rateLimitWrite: config.RATE_LIMIT_WRITE,
      rateLimitLogin: config.RATE_LIMIT_LOGIN,
      rateLimitStranger: config.RATE_LIMIT_STRANGER,
      baseUrl: config.BASE_URL,
      basePath: config.BASE_PATH,
      agentTools: config.AGENT_TOOLS,
      trustedProxies: config.TRUSTED_PROXIES,
      isBehindTls: config.BASE_URL?.startsWith('https:') ?? false,
      streamLimits: {
        streams: config.EVENT_STREAMS,
        streamsOfOne: config.EVENT_STREAMS_PER_KEY,
        heartbeatMs: config.EVENT_STREAM_HEARTBEAT_SECONDS * 1000,
      },
    },
  });
  const port = await server.listen(config.PORT, config.HOST);
  ownPort = port;
  closeLater(() => server.close(config.SHUTDOWN_GRACE_SECONDS * 1000));
  // Must close first: otherwise the server would wait for open streams to end.
  closeLater(feed.stop);
  sources = await startSources(config, { store, ports, verbs, listener, log, metrics, tracing });
  closeLater(sources.stop);
  const url = addressOf(config, port);
  log.info({ url }, 'serving');
  // Not earlier, because on a machine with two processors the server's own start comes first.
  if (threads === 'at_once') imports.stayReady();
  const embeddedUrl = config.DATABASE_URL === undefined ? { embeddedUrl: database.migrateUrl } : {};
  return { url, drain: server.drain, ...first, ...embeddedUrl };
}

async function replicaSettings(
  config: Config,
  log: Log,
  metrics: Metrics,
): Promise<ReplicaSettings | undefined> {
  const { DATABASE_READ_URLS_FILE: file, DATABASE_READ_LAG_SECONDS: lagSeconds } = config;
  const urls = file === undefined ? config.DATABASE_READ_URLS : await listUrlsInFile(file);
  if (urls.length === 0) return undefined;
  return {
    urls,
    lagLimitMs: lagSeconds * 1000,
    onChange: (figures) => {
      if (figures.state === 'used') log.info(figures, 'reading from a replica of Postgres');
      else log.warn(figures, 'a replica of Postgres is left out');
    },
    onRead: (outcome) =>
      metrics.counter('concordat_database_replica_reads_total', { outcome }).add(1),
  };
}

/** While the database is down, its migrations are unknown. */
function checkDatabase(store: Store): Promise<{ database: boolean; migrations?: boolean }> {
  return store.isMigrated().then(
    (migrations) => ({ database: true, migrations }),
    () => ({ database: false }),
  );
}

/** Loads tracing only if an endpoint is set. */
async function startTracing(config: Config, log: Log): Promise<Tracing | null> {
  const url = tracesUrlOf(config);
  if (url === null) return null;
  const { openTracing } = await import('../ops/observe/tracing.ts');
  log.info({ url }, 'sending traces');
  return openTracing({
    url,
    headers: pairsOf(config.OTEL_EXPORTER_OTLP_HEADERS),
    serviceName: config.OTEL_SERVICE_NAME,
    attributes: pairsOf(config.OTEL_RESOURCE_ATTRIBUTES),
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    version: packageFile.version,
    instanceId: newUuid(),
    reportError: (error) => log.warn({ cause: String(error) }, 'traces could not be sent'),
  });
}

/** Events outside of every month's partition slow down every query of the trail. */
async function maintain(store: Store, log: Log): Promise<void> {
  const { strayEvents } = await store.maintain();
  if (!strayEvents) return;
  log.error(
    'audit events lie in the default partition: a clock is wrong, or partitions were not made',
  );
}

interface SealLog {
  readonly note: (head: HeadReference | null, sealed: number) => void;
  readonly flush: () => void;
}

/** The search finds the fields of every contract once this has run. */
async function nameAllFields(store: Store, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await store.nameFields()));
}

/** Logs the newest checkpoint. A copy of the log reveals a truncated or rewritten trail. */
/** All series begin with 0, so that Prometheus sees the first failure as an increase. */
function countFailures(metrics: Metrics): (error: RegistryUnavailable) => void {
  const busy = metrics.counter('concordat_database_busy_total');
  const refused = new Map(
    Object.keys(databaseRefusals).map((reason) => [
      reason,
      metrics.counter('concordat_database_refused_total', { reason }),
    ]),
  );
  return (error) => {
    if (error instanceof RegistryBusy) busy.add();
    if (error instanceof RegistryRefused) refused.get(error.reason)?.add();
  };
}

function openSealLog(log: Log, metrics: Metrics): SealLog {
  const total = metrics.counter('concordat_audit_sealed_total');
  let newest: HeadReference | null = null;
  let events = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  const flush = () => {
    if (newest === null) return;
    log.info({ head: formatHead(newest), events }, 'sealed the audit');
    newest = null;
    events = 0;
    loggedAt = performance.now();
  };
  return {
    note: (head, sealed) => {
      total.add(sealed);
      events += sealed;
      newest = head ?? newest;
      // A quiet registry logs each checkpoint at once.
      if (performance.now() - loggedAt >= logSealsEveryMs) flush();
    },
    flush,
  };
}

async function seal(
  store: Store,
  log: SealLog,
  authenticator: Authenticator | undefined,
  signal: AbortSignal,
): Promise<void> {
  for (let hasMore = true; hasMore && !signal.aborted; ) {
    const startedAt = performance.now();
    const sealing = await store.sealEvents({ authenticator: authenticator ?? null, now });
    const { head, sealed } = sealing;
    log.note(head, sealed);
    hasMore = sealing.hasMore;
    // Rest as long as the batch took, so that sealing a backlog leaves time for writers.
    const rest = performance.now() - startedAt;
    if (hasMore) await delay(rest, null, { signal, ref: false }).catch(() => {});
  }
}

function policyOf({ API_KEY_MAX_DAYS, FOUR_EYES }: Config): Policy {
  return {
    keyMaxDays: API_KEY_MAX_DAYS === 0 ? null : API_KEY_MAX_DAYS,
    fourEyes: FOUR_EYES,
  };
}

function importSettings(database: DatabaseAddresses, config: Config): ImportWorkerData {
  return {
    databaseUrl: database.url,
    isPooled: database.isPooled,
    rowChecks: config.CHECK_ROWS ? 'every' : 'none',
    // Half of them, so that one import does not use more than one caller's share.
    compareWorkers: Math.ceil(config.COMPARE_WORKERS / 2),
    stepBudget: config.COMPARE_STEP_BUDGET,
    dbtSettings: {
      metaAliases: config.META_ALIASES,
      nullableColumns: config.NULLABLE_COLUMNS,
      integerAtScale0: config.INTEGER_AT_SCALE_0,
      notNullAsRequired: config.NOT_NULL_AS_REQUIRED,
    },
    publishesOpenapi: config.OPENAPI_AUTO_PUBLISH,
    policy: policyOf(config),
  };
}

function logImport(log: Log, { isWarning, during, error }: ImportNote): void {
  if (isWarning) log.warn({ cause: error, during }, 'an import met trouble');
  else log.error({ err: error, during }, 'a follow-up failed');
}

async function flushAll(books: readonly UseBook[]): Promise<void> {
  for (const book of books) await book.flush();
}

/**
 * The embedded Postgres serves one process. With DATABASE_URL several may serve in one folder, and a
 * password that is kept there stays that of the first.
 */
async function keepDataFolder(config: Config): Promise<void> {
  if (config.DATABASE_URL === undefined) return mustTakeDataFolder(config.DATA_DIR);
  const isKept = await access(passwordFileOf(config)).then(
    () => true,
    () => false,
  );
  // The folder may be read-only.
  if (isKept) await takeDataFolder(config.DATA_DIR).catch(() => null);
}

/** A log is read by more people than a file of mode 600. */
function passwordFileOf({ DATA_DIR }: Pick<Config, 'DATA_DIR'>, suffix = ''): string {
  return join(DATA_DIR, `first-password${suffix}`);
}

/** A registry that nobody can sign in to would be none: not making one ends the start. */
async function makeFirstAdmin(
  ports: Ports,
  system: Context,
  config: Config,
  log: Log,
): Promise<Pick<OpenedServer, 'firstAdmin' | 'passwordFile'>> {
  let written: string | null = null;
  const made = await bareVerbs.ensureFirstAdmin(ports, system, {
    email: config.ADMIN_EMAIL,
    password: config.ADMIN_PASSWORD,
    newPassword: async () => {
      const password = newPassword();
      // The file of another server that is running has the password of its own registry.
      const isOurs = (await takeDataFolder(config.DATA_DIR)) === null;
      written = passwordFileOf(config, isOurs ? '' : `-${process.pid}`);
      await writeFile(written, `${password}\n`, { mode: 0o600 });
      return password;
    },
    hashPassword,
  });
  if (!made.ok) throw new Error(`The first administrator: ${made.failure.message}`);
  const { value: firstAdmin } = made;
  const passwordFile = written ?? passwordFileOf(config);
  if (written !== null && firstAdmin?.password === undefined) {
    // Another replica created the administrator first, so only its password works.
    await rm(passwordFile, { force: true });
  } else if (written !== null) {
    log.info(
      { email: firstAdmin?.email, file: passwordFile },
      'wrote the password of the first administrator to a file',
    );
  }
  return { firstAdmin, passwordFile };
}

function logFormat(config: Config): 'json' | 'pretty' {
  if (config.LOG_FORMAT !== 'auto') return config.LOG_FORMAT;
  return process.stderr.isTTY ? 'pretty' : 'json';
}
