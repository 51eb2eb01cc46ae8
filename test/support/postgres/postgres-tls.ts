// A Postgres with TLS and its own authority, certificates and users.

import { execFileSync } from 'node:child_process';
import { chownSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../src/store/postgres/embedded.ts';
import { openFolder } from '../open-folder.ts';

export interface TlsPostgres {
  /** The URL of the database `registry`, for this user and with these parameters. */
  url(user: TlsUser, parameters?: Readonly<Record<string, string>>, host?: string): string;
  readonly files: {
    readonly authority: string;
    readonly otherAuthority: string;
    readonly certificate: string;
    readonly key: string;
    /** A client certificate of an authority that the server does not trust. */
    readonly otherCertificate: string;
  };
  /** Runs a query directly, for inspection. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/**
 * The users by their rule in pg_hba.conf: with or without TLS, only with TLS, only without TLS,
 * with a certificate.
 */
const users = ['either', 'tls_only', 'plain_only', 'certified'] as const;
export type TlsUser = (typeof users)[number];

/** The server's certificate is for `localhost`; 127.0.0.1 is another name of the same server. */
export async function startTlsPostgres(): Promise<TlsPostgres> {
  const folder = await openFolder('concordat-tls-');
  const openssl = (...words: string[]) =>
    execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  for (const name of ['authority', 'other']) {
    openssl(
      ...['req', '-x509', ...curve, '-days', '2', '-subj', `/CN=${name}`],
      ...['-keyout', `${name}.key`, '-out', `${name}.crt`],
    );
  }
  const issue = (name: string, issuer: string, extension: string) => {
    writeFileSync(join(folder, `${name}.ext`), extension);
    openssl(
      ...['req', ...curve, '-subj', `/CN=${name}`, '-keyout', `${name}.key`],
      ...['-out', `${name}.csr`],
    );
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', `${issuer}.crt`, '-CAkey', `${issuer}.key`],
      ...['-CAcreateserial', '-days', '2', '-out', `${name}.crt`, '-extfile', `${name}.ext`],
    );
  };
  issue('server', 'authority', 'subjectAltName=DNS:localhost');
  issue('certified', 'authority', 'extendedKeyUsage=clientAuth');
  issue('stranger', 'other', 'extendedKeyUsage=clientAuth');

  const server = await startEmbeddedPostgres({ dataFolder: join(folder, 'data') });
  const query = async (sql: string) => {
    const client = new pg.Client(server.url);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const { uid, gid } = statSync(server.dataFolder);
  const give = (name: string, content: string | Buffer) => {
    const file = join(server.dataFolder, name);
    writeFileSync(file, content, { mode: 0o600 });
    chownSync(file, uid, gid);
  };
  const read = (name: string) => execFileSync('cat', [join(folder, name)]);
  give('server.crt', read('server.crt'));
  give('server.key', read('server.key'));
  give('root.crt', read('authority.crt'));
  const password = 'a-password-of-the-tests';
  for (const user of users) {
    await query(`create role ${user} login superuser password '${password}'`);
  }
  await query('create database registry');
  await query("alter system set ssl_ca_file = 'root.crt'");
  await query('alter system set ssl = on');
  give(
    'pg_hba.conf',
    [
      'host all postgres,either all scram-sha-256',
      'hostssl all tls_only all scram-sha-256',
      'hostnossl all plain_only all scram-sha-256',
      'hostssl all certified all scram-sha-256 clientcert=verify-ca',
    ].join('\n'),
  );
  await query('select pg_reload_conf()');
  for (let isOn = false; !isOn; ) isOn = (await query('show ssl'))[0]?.ssl === 'on';
  return {
    url: (user, parameters = {}, host = 'localhost') => {
      const { port } = new URL(server.url);
      const said = new URLSearchParams(parameters).toString();
      return `postgres://${user}:${password}@${host}:${port}/registry${said === '' ? '' : `?${said}`}`;
    },
    files: {
      authority: join(folder, 'authority.crt'),
      otherAuthority: join(folder, 'other.crt'),
      certificate: join(folder, 'certified.crt'),
      key: join(folder, 'certified.key'),
      otherCertificate: join(folder, 'stranger.crt'),
    },
    query,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
