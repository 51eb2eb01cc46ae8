// Opens the database of a start: the embedded Postgres or the one of DATABASE_URL, its roles, its
// migrations and the key of its secrets.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SecretCipher } from '../core/secret-cipher.ts';
import type { Config } from '../ops/config/config.ts';
import type { Log } from '../ops/observe/log.ts';
import { readDatabaseUrl } from '../ops/postgres/connect.ts';
import { parseDatabaseUrl } from '../ops/postgres/database-url.ts';
import { keyFromFile, secretCipher } from '../ops/secret-cipher.ts';
import { startEmbeddedPostgres } from '../store/postgres/embedded.ts';
import { checkMigrations, MigrationError, migrate } from '../store/postgres/migrate.ts';
import { checkDirect } from '../store/postgres/pooler.ts';
import { openServiceRole, ownsTrail } from '../store/postgres/roles.ts';
import type { Store } from '../store/store.ts';

export interface DatabaseAddresses {
  /** For everything that serves. */
  readonly url: string;
  /** Whether `url` leads to a connection pooler in transaction mode. */
  readonly isPooled: boolean;
  /** Postgres itself, for notifications. */
  readonly listenUrl: string;
  /** By the role that owns the tables. */
  readonly migrateUrl: string;
  /** Null where secrets are stored in plain text. */
  readonly cipher: SecretCipher | null;
  /** The first encrypts; empty where secrets are stored in plain text. */
  readonly secretKeys: readonly string[];
}

type CloseLater = (close: () => Promise<void>) => void;

export async function openDatabase(
  config: Config,
  log: Log,
  closeLater: CloseLater,
): Promise<DatabaseAddresses> {
  const { DATABASE_URL: url, SECRET_KEY: keys } = config;
  if (url === undefined) return openEmbedded(config, log, closeLater);
  const listenUrl = config.LISTEN_DATABASE_URL ?? url;
  return {
    url,
    isPooled: config.LISTEN_DATABASE_URL !== undefined,
    listenUrl,
    migrateUrl: config.MIGRATE_DATABASE_URL ?? listenUrl,
    cipher: secretCipher(keys),
    secretKeys: keys,
  };
}

async function openEmbedded(
  config: Config,
  log: Log,
  closeLater: CloseLater,
): Promise<DatabaseAddresses> {
  const embedded = await startEmbeddedPostgres({
    dataFolder: join(config.DATA_DIR, 'postgres'),
    onCrash: (serverLog) =>
      log.error({ server_log: serverLog }, 'the embedded Postgres stopped and is being restarted'),
  });
  closeLater(embedded.stop);
  const url = await openServiceRole(embedded.url);
  // Beside the data, so that a dump or a copy of the data has no key to its secrets.
  const ownKey = await keyFromFile(`${embedded.dataFolder}.secret-key`);
  const secretKeys = [...config.SECRET_KEY, ownKey];
  const cipher = secretCipher(secretKeys);
  return { url, isPooled: false, listenUrl: url, migrateUrl: embedded.url, cipher, secretKeys };
}

/** Between two tries to reach a Postgres that is away. */
const databaseRetryMs = 500;
/** One line of the log for so many tries: who waits for an hour fills no disk. */
const triesPerWarning = 20;

/** A Postgres that is away is waited for; a database that cannot be served ends the start. */
export async function prepareDatabase(
  addresses: DatabaseAddresses,
  config: Config,
  log: Log,
  stopped: AbortSignal,
): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await prepareOnce(addresses, config, log);
    } catch (error) {
      if (error instanceof MigrationError || !isAway(error)) throw error;
      if (tries % triesPerWarning === 0) {
        log.warn({ reason: String(error) }, 'waiting for Postgres');
      }
      await delay(databaseRetryMs, undefined, { signal: stopped }).catch(() =>
        stopped.throwIfAborted(),
      );
    }
  }
}

async function prepareOnce(
  { url, isPooled, listenUrl, migrateUrl }: DatabaseAddresses,
  config: Config,
  log: Log,
): Promise<void> {
  await checkDirect(listenUrl, isPooled ? 'LISTEN_DATABASE_URL' : 'DATABASE_URL');
  if (config.MIGRATE) {
    const serviceRole = parseDatabaseUrl(await readDatabaseUrl(url)).user;
    const { applied } = await migrate(migrateUrl, {
      serviceRole,
      mayArchive: config.AUDIT_ARCHIVE_AFTER_MONTHS !== undefined,
    });
    if (applied.length > 0) log.info({ applied }, 'migrated the database');
  } else {
    await checkMigrations(listenUrl);
  }
  if (await ownsTrail(url)) {
    log.warn(
      'The role of DATABASE_URL owns the tables, so it could disable the triggers that protect the audit trail. Set MIGRATE_DATABASE_URL to another role that owns them: docs/operations.md, "Database roles"',
    );
  }
}

class SecretKeyProblem extends Error {
  override name = 'SecretKeyProblem';
}

/** Refuses to serve without a key that the database needs, and encrypts what is not encrypted. */
export async function prepareSecrets(
  store: Store,
  { cipher, secretKeys }: DatabaseAddresses,
  log: Log,
): Promise<void> {
  const missing = await store.secrets.listMissingKeys();
  if (missing.length > 0) {
    const whatIsThere =
      cipher === null ? 'SECRET_KEY is not set' : `there is ${cipher.keyIds.join(', ')}`;
    throw new SecretKeyProblem(
      `Webhooks in the database are encrypted with the key ${missing.join(', ')}, but ${whatIsThere}. Add the missing key to SECRET_KEY, after the new one and a comma. If it is lost, run \`concordat secrets replace\`, and set the URL and the secret of these webhooks again.`,
    );
  }
  if (secretKeys.length === 0) {
    log.warn(
      'SECRET_KEY is not set: the URLs and secrets of webhooks are stored in plain text. Set it to a random key, such as the output of openssl rand -base64 32',
    );
  }
  await encryptSecrets(store, log);
}

export async function encryptSecrets(store: Store, log: Log): Promise<void> {
  const changed = await store.secrets.encryptAll();
  if (changed > 0) log.info({ webhooks: changed }, 'encrypted secrets with the first SECRET_KEY');
}

/** Refused, reset, unknown yet, starting up, shutting down, or not promoted yet: all of these pass. */
const passingCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH'],
  ...['57P01', '57P02', '57P03', '53300', '25006'],
]);

function isAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isAway);
  return error instanceof Error && 'code' in error && passingCodes.has(String(error.code));
}
