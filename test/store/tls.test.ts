// TLS to Postgres with libpq's meaning, verified by what Postgres reports about its connections.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explainProblem } from '../../src/ops/config/explain-problem.ts';
import { connect } from '../../src/ops/postgres/connect.ts';
import { parseDatabaseUrl } from '../../src/ops/postgres/database-url.ts';
import { openClient } from '../support/client/client.ts';
import { openProcess } from '../support/client/client-registry.ts';
import {
  startTlsPostgres,
  type TlsPostgres,
  type TlsUser,
} from '../support/postgres/postgres-tls.ts';

let postgres: TlsPostgres;
beforeAll(async () => {
  postgres = await startTlsPostgres();
});
afterAll(() => postgres.stop());

type Parameters = Readonly<Record<string, string>>;

/** Whether the connection uses TLS; otherwise the operator's message. */
async function outcome(user: TlsUser, parameters: Parameters, host?: string) {
  try {
    const client = await connect(postgres.url(user, parameters, host));
    const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    await client.end();
    return rows[0].ssl ? 'tls' : 'plain';
  } catch (error) {
    return explainProblem(error) ?? String((error as Error).stack);
  }
}

describe('A connection to a server that has TLS', () => {
  const authority = () => ({ sslrootcert: postgres.files.authority });
  const other = () => ({ sslrootcert: postgres.files.otherAuthority });
  const own = () => ({ sslcert: postgres.files.certificate, sslkey: postgres.files.key });

  test.each<[string, TlsUser, () => Parameters, string | RegExp, string?]>([
    ['without a word takes TLS', 'either', () => ({}), 'tls'],
    ['disable', 'either', () => ({ sslmode: 'disable' }), 'plain'],
    [
      'disable, where TLS is asked for',
      'tls_only',
      () => ({ sslmode: 'disable' }),
      /no encryption/,
    ],
    ['allow', 'either', () => ({ sslmode: 'allow' }), 'plain'],
    ['allow, where TLS is asked for', 'tls_only', () => ({ sslmode: 'allow' }), 'tls'],
    ['prefer', 'either', () => ({ sslmode: 'prefer' }), 'tls'],
    ['prefer, where TLS is refused', 'plain_only', () => ({ sslmode: 'prefer' }), 'plain'],
    ['require', 'either', () => ({ sslmode: 'require' }), 'tls'],
    [
      'require, where TLS is refused',
      'plain_only',
      () => ({ sslmode: 'require' }),
      /SSL encryption/,
    ],
    ['ssl=true', 'tls_only', () => ({ ssl: 'true' }), 'tls'],
    ['require with its authority', 'either', () => ({ sslmode: 'require', ...authority() }), 'tls'],
    [
      'require with another authority is verify-ca',
      'either',
      () => ({ sslmode: 'require', ...other() }),
      /^No TLS as DATABASE_URL asks for it \(sslmode=require\) with Postgres at localhost:\d+: .+\. Check sslmode/,
    ],
    ['verify-ca', 'either', () => ({ sslmode: 'verify-ca', ...authority() }), 'tls'],
    [
      'verify-ca, by another name',
      'either',
      () => ({ sslmode: 'verify-ca', ...authority() }),
      'tls',
      '127.0.0.1',
    ],
    [
      'verify-ca, another authority',
      'either',
      () => ({ sslmode: 'verify-ca', ...other() }),
      /^No TLS as/,
    ],
    [
      'verify-ca without an authority',
      'either',
      () => ({ sslmode: 'verify-ca', sslrootcert: '/nowhere/root.crt' }),
      'DATABASE_URL asks for sslmode=verify-ca, but the CA file /nowhere/root.crt cannot be read. Set sslrootcert to a CA file, or to system for the CAs of this machine.',
    ],
    ['verify-full', 'either', () => ({ sslmode: 'verify-full', ...authority() }), 'tls'],
    [
      'verify-full, by another name',
      'either',
      () => ({ sslmode: 'verify-full', ...authority() }),
      /^No TLS as .*127\.0\.0\.1.*Check sslmode/,
      '127.0.0.1',
    ],
    [
      'verify-full, another authority',
      'either',
      () => ({ sslmode: 'verify-full', ...other() }),
      /^No TLS/,
    ],
    [
      'sslrootcert=system means verify-full, and the machine does not know this authority',
      'either',
      () => ({ sslrootcert: 'system' }),
      /^No TLS as DATABASE_URL asks for it \(sslmode=verify-full\)/,
    ],
    [
      'sslnegotiation=direct, which this server does not know, is no way round TLS',
      'either',
      () => ({ sslmode: 'require', sslnegotiation: 'direct' }),
      /^No TLS as|^tls$/,
    ],
    ['a certificate that is asked for', 'certified', () => ({ ssl: 'true', ...own() }), 'tls'],
    [
      'no certificate, where one is asked for',
      'certified',
      () => ({ sslmode: 'require' }),
      'Postgres rejected the credentials: connection requires a valid client certificate. Check the user in DATABASE_URL.',
    ],
    [
      'a certificate of another authority',
      'certified',
      () => ({
        sslmode: 'require',
        sslcert: postgres.files.otherCertificate,
        sslkey: postgres.files.otherCertificate.replace('.crt', '.key'),
      }),
      /^No TLS as/,
    ],
    [
      'a certificate without its key',
      'certified',
      () => ({ sslmode: 'require', sslcert: postgres.files.certificate, sslkey: '/nowhere/key' }),
      /^The key \/nowhere\/key of the certificate .* cannot be read\./,
    ],
    [
      'a certificate that is not there',
      'certified',
      () => ({ sslmode: 'require', sslcert: '/nowhere/crt' }),
      /^The certificate \/nowhere\/crt \(sslcert in DATABASE_URL\) cannot be read\./,
    ],
  ])('%s', async (_, user, parameters, expected, host) => {
    const said = await outcome(user, parameters(), host);
    if (typeof expected === 'string') expect(said).toBe(expected);
    else expect(said).toMatch(expected);
  });

  test('uses TLS for all connections of a server: migrations, pool, listener, imports', async () => {
    const server = await openProcess(
      postgres.url('either', { ssl: 'true', application_name: 'concordat' }),
      { MIGRATE: 'true' },
    );
    try {
      const admin = openClient(server.url, 'bootstrap-key-of-the-tests');
      // Runs in a thread with its own connections.
      const diff = await admin.diffGraphql({ body: { schema: 'type A { b: Int }', prefix: 'a' } });
      expect(diff.ok ? 'read' : diff.refusal.code).toBe('read');
      const connections = await postgres.query(
        `select coalesce(ssl, false) as ssl, query ilike 'listen%' or query = 'select' as listens
         from pg_stat_activity left join pg_stat_ssl using (pid)
         where datname = 'registry' and backend_type = 'client backend'`,
      );
      expect(connections.length).toBeGreaterThanOrEqual(3);
      expect(connections.filter(({ ssl }) => ssl !== true)).toEqual([]);
    } finally {
      await server.stop();
    }
  });

  test('uses TLS to a server with a certificate of a system authority', async () => {
    const server = await openProcess(postgres.url('either', { sslrootcert: 'system' }), {
      MIGRATE: 'true',
      SSL_CERT_FILE: postgres.files.authority,
    });
    await server.stop();
  });

  test('with a requirement that cannot be met ends the start with a message', async () => {
    const start = openProcess(
      postgres.url('either', { sslmode: 'verify-full', ...authority() }, '127.0.0.1'),
    );
    await expect(start).rejects.toThrow(
      /before it served:\nNo TLS as DATABASE_URL asks for it \(sslmode=verify-full\) with Postgres at 127\.0\.0\.1:\d+: .*Check sslmode, sslrootcert, sslcert and sslkey, and the certificate of the server\.\n$/,
    );
  });
});

describe('A database URL', () => {
  test('has the same meaning as in libpq', () => {
    expect(
      parseDatabaseUrl(
        'postgresql://ad%40a:p%23w@[::1]:6543/reg?application_name=a&options=-c%20x%3D1&connect_timeout=3&sslmode=verify-full&sslrootcert=/ca&sslcert=/c&sslkey=/k&sslpassword=s&ssl_min_protocol_version=TLSv1.3',
      ),
    ).toEqual({
      hosts: [{ host: '::1', port: 6543 }],
      needsWrites: false,
      user: 'ad@a',
      password: 'p#w',
      database: 'reg',
      applicationName: 'a',
      options: '-c x=1',
      connectTimeoutMs: 3000,
      tls: {
        mode: 'verify-full',
        rootCertificate: '/ca',
        certificate: '/c',
        key: '/k',
        keyPassword: 's',
        minVersion: 'TLSv1.3',
        isDirect: false,
      },
    });
    expect(parseDatabaseUrl('postgres:///reg?host=/run/postgresql&user=ada')).toEqual({
      hosts: [{ host: '/run/postgresql', port: 5432 }],
      needsWrites: false,
      user: 'ada',
      database: 'reg',
      tls: { mode: 'prefer', isDirect: false },
    });
  });

  test.each([
    'postgres://ada@a:1,[::1],b:3/reg?target_session_attrs=read-write',
    'postgres://ada@a/reg?host=a,::1,b&port=1,5432,3&target_session_attrs=primary',
  ])('may have several hosts, as %s', (url) => {
    expect(parseDatabaseUrl(url)).toEqual({
      hosts: [
        { host: 'a', port: 1 },
        { host: '::1', port: 5432 },
        { host: 'b', port: 3 },
      ],
      needsWrites: true,
      user: 'ada',
      database: 'reg',
      tls: { mode: 'prefer', isDirect: false },
    });
  });

  test.each([
    [
      'sslmode=no-verify',
      /^DATABASE_URL has sslmode=no-verify, which is not supported\. It can be /,
    ],
    ['ssl=1', /^DATABASE_URL has ssl=1, which is not supported\. Remove it/],
    ['sslmode=require&ssl=true', /^DATABASE_URL sets sslmode twice\. Set it once\.$/],
    ['sslrootcert=system&sslmode=require', /Use sslmode=verify-full\.$/],
    ['sslnegotiation=direct', /Use sslmode=require or a stricter one\.$/],
    ['sslkey=/k', /^DATABASE_URL has sslkey without sslcert/],
    ['sslcrl=/crl', /^DATABASE_URL has sslcrl=\/crl, which is not supported/],
    ['channel_binding=require', /sslmode=verify-full already verifies the server\.$/],
    ['target_session_attrs=prefer-standby', /which is not supported/],
    ['host=a,b', /^DATABASE_URL has several hosts\. Add target_session_attrs=read-write/],
    ['host=a,b&port=1,2,3', /do not belong together/],
    ['sslmod=require', /which is not supported/],
    ['__proto__=1', /which is not supported/],
  ])('with %s is refused, with what to do', (parameters, sentence) => {
    expect(() => parseDatabaseUrl(`postgres://u:secret@h/db?${parameters}`)).toThrow(sentence);
    expect(() => parseDatabaseUrl(`postgres://u:secret@h/db?${parameters}`)).not.toThrow(/secret/);
  });

  test.each([
    'postgres://u:p#w@h/db',
    'postgres://a:1,b:x/db',
    'http://h/db',
    'postgres://u:%zz@h/db',
  ])('%s, which cannot be parsed, is refused without printing its password', (url) => {
    expect(() => parseDatabaseUrl(url)).toThrow(
      /^DATABASE_URL (cannot be read|contains an invalid percent-encoding)/,
    );
  });
});
