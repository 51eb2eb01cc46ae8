// Parses DATABASE_URL with libpq's meaning. Anything that cannot be done as written is refused with
// a sentence, because a silently ignored parameter may be the one that asks for TLS.

import type { SecureVersion } from 'node:tls';

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof sslModes)[number];

export interface DatabaseHost {
  /** A name or an address, or the folder of a Unix socket, which starts with a slash. */
  readonly host: string;
  readonly port: number;
}

export interface DatabaseAddress {
  readonly hosts: readonly [DatabaseHost, ...DatabaseHost[]];
  /** Whether only a host that accepts writes may be used. */
  readonly needsWrites: boolean;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly applicationName?: string;
  readonly options?: string;
  readonly connectTimeoutMs?: number;
  readonly tls: DatabaseTls;
}

export interface DatabaseTls {
  readonly mode: SslMode;
  /** A file of authorities, or `system` for those of the operating system. */
  readonly rootCertificate?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly keyPassword?: string;
  readonly minVersion?: SecureVersion;
  readonly maxVersion?: SecureVersion;
  readonly isDirect: boolean;
}

/** The database URL or its TLS settings cannot be used. The message is written for operators. */
export class DatabaseUrlProblem extends Error {
  override name = 'DatabaseUrlProblem';
}

/** @example parseDatabaseUrl('postgres://app@db/registry?sslmode=require').tls.mode // 'require' */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const url = URL.parse(withHostParameters(text));
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new DatabaseUrlProblem(
      'DATABASE_URL cannot be read as the URL of one Postgres. Write postgres://user:password@host:5432/database; in a password, signs such as # / ? @ and % are percent-encoded.',
    );
  }
  const parameters = readParameters(url);
  const said = (name: string, inUrl: string) =>
    parameters.get(name) ?? (decode(inUrl) || undefined);
  const hosts = listHosts(
    said('host', url.hostname.replace(/^\[(.*)\]$/, '$1')) ?? 'localhost',
    said('port', url.port) ?? '5432',
  );
  const needsWrites = !['any', undefined].includes(parameters.get('target_session_attrs'));
  if (hosts.length > 1 && !needsWrites) {
    throw new DatabaseUrlProblem(
      'DATABASE_URL has several hosts. Add target_session_attrs=read-write: only the one that accepts writes can be used.',
    );
  }
  return withoutAbsent({
    hosts,
    needsWrites,
    user: said('user', url.username),
    password: said('password', url.password),
    database: said('dbname', url.pathname.slice(1)),
    applicationName:
      parameters.get('application_name') ?? parameters.get('fallback_application_name'),
    options: parameters.get('options'),
    connectTimeoutMs: seconds(parameters.get('connect_timeout')),
    tls: readTls(parameters),
  });
}

/**
 * Several hosts before the path, as libpq writes them, as the parameters `host` and `port`, which a URL
 * can have. Other texts are left as they are.
 *
 * @example withHostParameters('postgres://a,b:6432/db') // 'postgres://a/db?host=a%2Cb&port=5432%2C6432'
 */
export function withHostParameters(text: string): string {
  const [, before = '', list = '', after = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*,[^/?#]*)(.*)$/.exec(text) ?? [];
  const hosts = list.split(',').map((each) => /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(each));
  const url = URL.parse(`${before}${hosts[0]?.[1] ?? ''}${after}`);
  if (url === null || !hosts.every((each) => each !== null)) return text;
  const bare = hosts.map(([, host = '']) => host.replace(/^\[(.*)\]$/, '$1'));
  url.searchParams.set('host', bare.join(','));
  url.searchParams.set('port', hosts.map(([, , port = '5432']) => port).join(','));
  return url.href;
}

/** One port for all hosts, or one for each. */
function listHosts(hostList: string, portList: string): DatabaseAddress['hosts'] {
  const ports = portList.split(',');
  const [first, ...rest] = hostList.split(',').map((host, index) => ({
    host,
    port: Number(ports.length === 1 ? ports[0] : ports[index]),
  }));
  const all = [first, ...rest];
  const isWhole = all.every((each) => each?.host !== '' && Number.isInteger(each?.port));
  if (first !== undefined && isWhole && [1, all.length].includes(ports.length)) {
    return [first, ...rest];
  }
  throw new DatabaseUrlProblem(
    'DATABASE_URL has a list of hosts and ports that do not belong together. Write host1:5432,host2:5432, with a port for each host or one for all.',
  );
}

type Parameters = ReadonlyMap<string, string>;

const anyText = /^/;
const anyNumber = /^\d{1,6}$/;
const ports = /^\d{1,5}(,\d{1,5})*$/;
const tlsVersion = /^TLSv1(\.[123])?$/;

/** The supported parameters of libpq, and their supported values. */
const understood: Readonly<Record<string, RegExp>> = {
  host: anyText,
  port: ports,
  user: anyText,
  password: anyText,
  dbname: anyText,
  application_name: anyText,
  fallback_application_name: anyText,
  options: anyText,
  connect_timeout: anyNumber,
  sslmode: new RegExp(`^(${sslModes.join('|')})$`),
  sslrootcert: /./,
  sslcert: /./,
  sslkey: /./,
  sslpassword: anyText,
  sslnegotiation: /^(postgres|direct)$/,
  ssl_min_protocol_version: tlsVersion,
  ssl_max_protocol_version: tlsVersion,
  // Common with hosting providers; each asks for the default, or for nothing.
  channel_binding: /^(disable|prefer)$/,
  client_encoding: /^(utf-?8|auto)$/i,
  gssencmode: /^(disable|prefer)$/,
  keepalives: anyNumber,
  sslcompression: /^0$/,
  sslsni: /^1$/,
  target_session_attrs: /^(any|read-write|primary)$/,
};

function readParameters(url: URL): Parameters {
  const parameters = new Map<string, string>();
  for (const [given, text] of url.searchParams) {
    // libpq reads JDBC's parameters like this.
    const [name, value] =
      given === 'ssl' && text === 'true' ? ['sslmode', 'require'] : [given, text];
    if (!Object.hasOwn(understood, name)) {
      throw new DatabaseUrlProblem(
        `DATABASE_URL has ${given}=${shown(given, text)}, which is not supported. Remove it, or use one of: ${Object.keys(understood).join(', ')}.`,
      );
    }
    if (understood[name]?.test(value) !== true) {
      throw new DatabaseUrlProblem(
        `DATABASE_URL has ${given}=${shown(given, text)}, which is not supported.${adviceOn(name)}`,
      );
    }
    if (parameters.has(name)) {
      throw new DatabaseUrlProblem(`DATABASE_URL sets ${name} twice. Set it once.`);
    }
    parameters.set(name, value);
  }
  return parameters;
}

function shown(name: string, value: string): string {
  return /password/i.test(name) ? '...' : value;
}

function adviceOn(name: string): string {
  if (name === 'sslmode') return ` It can be ${sslModes.join(', ')}.`;
  if (name === 'channel_binding') {
    return ' Remove it: sslmode=verify-full already verifies the server.';
  }
  return ' Remove it, or use the form of libpq.';
}

function readTls(parameters: Parameters): DatabaseTls {
  const rootCertificate = parameters.get('sslrootcert');
  const isSystem = rootCertificate === 'system';
  const mode = (parameters.get('sslmode') ?? (isSystem ? 'verify-full' : 'prefer')) as SslMode;
  if (isSystem && mode !== 'verify-full') {
    throw new DatabaseUrlProblem(
      `DATABASE_URL has sslrootcert=system with sslmode=${mode}, which accepts any certificate of a public authority. Use sslmode=verify-full.`,
    );
  }
  const isDirect = parameters.get('sslnegotiation') === 'direct';
  if (isDirect && sslModes.indexOf(mode) < sslModes.indexOf('require')) {
    throw new DatabaseUrlProblem(
      `DATABASE_URL has sslnegotiation=direct with sslmode=${mode}, which may connect without TLS. Use sslmode=require or a stricter one.`,
    );
  }
  if (parameters.has('sslkey') && !parameters.has('sslcert')) {
    throw new DatabaseUrlProblem(
      'DATABASE_URL has sslkey without sslcert. Add the certificate of that key.',
    );
  }
  return withoutAbsent({
    mode,
    rootCertificate,
    certificate: parameters.get('sslcert'),
    key: parameters.get('sslkey'),
    keyPassword: parameters.get('sslpassword'),
    minVersion: parameters.get('ssl_min_protocol_version') as SecureVersion | undefined,
    maxVersion: parameters.get('ssl_max_protocol_version') as SecureVersion | undefined,
    isDirect,
  });
}

/** Zero means no limit in libpq, which no caller here would wait for. */
function seconds(text: string | undefined): number | undefined {
  return text === undefined || Number(text) === 0 ? undefined : Number(text) * 1000;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new DatabaseUrlProblem(
      'DATABASE_URL contains an invalid percent-encoding. Write %25 for a literal %.',
    );
  }
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function withoutAbsent<T extends object>(all: T): Present<T> {
  // The cast is correct: without the undefined members, the others have their types.
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  ) as Present<T>;
}
