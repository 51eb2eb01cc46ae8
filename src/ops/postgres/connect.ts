// The only place that opens a connection to Postgres: for the pool, the listener and the
// migrations, so that each of them has the TLS that DATABASE_URL asks for.

import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, checkServerIdentity, getCACertificates } from 'node:tls';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client, type ClientConfig } from 'pg';
import {
  type DatabaseAddress,
  type DatabaseHost,
  type DatabaseTls,
  DatabaseUrlProblem,
  parseDatabaseUrl,
  type SslMode,
  withHostParameters,
} from './database-url.ts';
import { connectToPrimary } from './primary.ts';

/** Opens a connection by the URL, and explains in a sentence what it cannot do. */
export async function connect(url: string, own: ClientConfig = {}): Promise<Client> {
  const address = parseDatabaseUrl(await readDatabaseUrl(url));
  const open = (host: DatabaseHost, more: ClientConfig = {}) =>
    connectTo({ ...address, ...host }, { ...own, ...more });
  return address.needsWrites ? connectToPrimary(address, open) : open(address.hosts[0]);
}

async function connectTo(address: HostAddress, own: ClientConfig): Promise<Client> {
  // A Unix socket cannot be intercepted; libpq uses no TLS there either.
  const ways = address.host.startsWith('/') ? (['plain'] as const) : waysOf[address.tls.mode];
  let refused: unknown;
  for (const way of ways) {
    const ssl = way === 'tls' ? await tlsOptions(address) : false;
    try {
      return await connectOnce({ ...configOf(address), ...own, ssl });
    } catch (error) {
      // A network error would be the same with and without TLS.
      if (isOfNetwork(error)) throw withoutAnswer(error);
      refused ??= error;
    }
  }
  throw isOfTls(refused) ? problemOfTls(address, refused) : refused;
}

type HostAddress = DatabaseAddress & DatabaseHost;

/**
 * The address itself, or what the file has that it names: then each new connection reads it anew, so a
 * password that was changed counts without a restart.
 */
export async function readDatabaseUrl(url: string): Promise<string> {
  if (!url.startsWith('file:')) return url;
  const file = new URL(url);
  const text = await readOwnFile(fileURLToPath(new URL(file.pathname, file)));
  if (text === null) {
    throw new DatabaseUrlProblem(
      `The file of the database URL, ${file.pathname}, cannot be read. Correct the path, or give the server permission to read the file.`,
    );
  }
  const given =
    file.hash === '' ? text.trim() : (urlsIn(text)[Number(file.hash.slice(1)) - 1] ?? '');
  const named = URL.parse(withHostParameters(given));
  // What this process adds to an address (options), it adds to the one in the file.
  for (const [name, value] of file.searchParams) {
    const held = named?.searchParams.get(name);
    named?.searchParams.set(name, held ? `${held} ${value}` : value);
  }
  return named?.href ?? given;
}

/** An address for each URL in a file that lists several, separated by commas. */
export async function listUrlsInFile(file: string): Promise<readonly string[]> {
  const urls = urlsIn(await readFile(file, 'utf8'));
  return urls.map((_, index) => `${pathToFileURL(file).href}#${index + 1}`);
}

function urlsIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((url) => url.trim())
    .filter((url) => url !== '');
}

/** Tried in this order until Postgres accepts one. */
const waysOf: Readonly<Record<SslMode, readonly ('tls' | 'plain')[]>> = {
  disable: ['plain'],
  allow: ['plain', 'tls'],
  prefer: ['tls', 'plain'],
  require: ['tls'],
  'verify-ca': ['tls'],
  'verify-full': ['tls'],
};

async function connectOnce(config: ClientConfig): Promise<Client> {
  const client = new Client(config);
  // An error of an idle connection surfaces at its next statement.
  client.on('error', () => {});
  await client.connect();
  return client;
}

function configOf(address: HostAddress): ClientConfig {
  const { host, port, user, password, database, applicationName, options, tls } = address;
  return {
    host,
    port,
    user,
    password,
    database,
    application_name: applicationName,
    options,
    ...(address.connectTimeoutMs !== undefined && {
      connectionTimeoutMillis: address.connectTimeoutMs,
    }),
    sslnegotiation: tls.isDirect ? 'direct' : 'postgres',
  };
}

/** Read for each connection, so a renewed certificate is used from the next one on. */
async function tlsOptions({ host, tls }: HostAddress): Promise<ConnectionOptions> {
  const authorities = await authoritiesOf(tls);
  const verifiesName = tls.mode === 'verify-full';
  return {
    ...(authorities === null ? { rejectUnauthorized: false } : { ca: [...authorities] }),
    checkServerIdentity: (_, certificate) =>
      verifiesName ? checkServerIdentity(host, certificate) : undefined,
    ...(await ownCertificate(tls)),
    ...(tls.minVersion !== undefined && { minVersion: tls.minVersion }),
    ...(tls.maxVersion !== undefined && { maxVersion: tls.maxVersion }),
  };
}

/** Null if no authority is given. `require` also uses a file of authorities. */
async function authoritiesOf(tls: DatabaseTls): Promise<readonly string[] | null> {
  if (tls.rootCertificate === 'system') return systemAuthorities();
  if (tls.mode === 'allow' || tls.mode === 'prefer') return null;
  const file = tls.rootCertificate ?? defaultFile('root.crt');
  const text = await readOwnFile(file);
  if (text !== null) return [text];
  if (tls.mode === 'require' && tls.rootCertificate === undefined) return null;
  throw new DatabaseUrlProblem(
    `DATABASE_URL asks for sslmode=${tls.mode}, but the CA file ${file} cannot be read. Set sslrootcert to a CA file, or to system for the CAs of this machine.`,
  );
}

function systemAuthorities(): readonly string[] {
  const authorities = getCACertificates('system');
  if (authorities.length > 0) return authorities;
  throw new DatabaseUrlProblem(
    'DATABASE_URL has sslrootcert=system, but this machine has no CA certificates. Install ca-certificates, or set sslrootcert to a CA file.',
  );
}

async function ownCertificate(
  tls: DatabaseTls,
): Promise<Pick<ConnectionOptions, 'cert' | 'key' | 'passphrase'>> {
  const certificate = tls.certificate ?? defaultFile('postgresql.crt');
  const cert = await readOwnFile(certificate);
  if (cert === null) {
    if (tls.certificate === undefined) return {};
    throw new DatabaseUrlProblem(
      `The certificate ${certificate} (sslcert in DATABASE_URL) cannot be read. Correct the path, or give the server permission to read the file.`,
    );
  }
  const keyFile = tls.key ?? defaultFile('postgresql.key');
  const key = await readOwnFile(keyFile);
  if (key === null) {
    throw new DatabaseUrlProblem(
      `The key ${keyFile} of the certificate ${certificate} cannot be read. Set its path as sslkey in DATABASE_URL, and give the server permission to read the file.`,
    );
  }
  return { cert, key, ...(tls.keyPassword !== undefined && { passphrase: tls.keyPassword }) };
}

/** The same place as libpq's. */
function defaultFile(name: string): string {
  return join(homedir(), '.postgresql', name);
}

function readOwnFile(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null);
}

function isOfNetwork(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOfNetwork);
  const code = codeOf(error);
  // A server that breaks the connection during the handshake may do so because of TLS.
  return /^(E[A-Z_]+|57P0\d|53\d{3})$/.test(code) && !/^(ERR_|ECONNRESET$|EPROTO$)/.test(code);
}

/** Nothing answers at the address. It keeps the code of the socket's error. */
class PostgresAway extends Error {
  override name = 'PostgresAway';
  readonly code: string;
  constructor(error: Error, options: ErrorOptions) {
    super(
      `Postgres does not answer: ${error.message}. Start it, or correct DATABASE_URL.`,
      options,
    );
    this.code = codeOf(error);
  }
}

/** The error to throw if nothing answered at the address. An error that Postgres sent, such as that it is starting, is not changed. */
function withoutAnswer(cause: unknown): unknown {
  // Where a name has several addresses, the error of all of them has no message.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const isOfSocket = first instanceof Error && codeOf(first).startsWith('E');
  return isOfSocket ? new PostgresAway(first, { cause }) : cause;
}

function isOfTls(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return (
    error.message.includes('SSL connection') ||
    /^(ERR_(SSL|TLS|OSSL)|EPROTO|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|INVALID_CA|HOSTNAME_)/.test(
      codeOf(error),
    )
  );
}

function problemOfTls({ host, port, tls }: HostAddress, error: Error): DatabaseUrlProblem {
  return new DatabaseUrlProblem(
    `No TLS as DATABASE_URL asks for it (sslmode=${tls.mode}) with Postgres at ${host}:${port}: ${error.message.replace(/\s+/g, ' ').trim().replace(/\.$/, '')}. Check sslmode, sslrootcert, sslcert and sslkey, and the certificate of the server.`,
    { cause: error },
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
