// A real PgBouncer in transaction mode, with fewer connections than it has clients.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { vi } from 'vitest';
import { freePorts } from '../free-ports.ts';
import { openFolder } from '../open-folder.ts';

/** Where Debian installs it; scripts/verify-tools.sh brings it. */
const program = '/usr/sbin/pgbouncer';

export interface PgBouncer {
  /** The same database through the pooler. */
  readonly through: (url: string) => string;
  readonly stop: () => Promise<void>;
}

/** For the users of these URLs, whose passwords it must know. */
export async function openPgBouncer(urls: readonly string[], poolSize: number): Promise<PgBouncer> {
  const folder = await openFolder('concordat-pgbouncer-');
  const [port] = await freePorts(1);
  const [server] = urls.map((url) => new URL(url));
  const users = urls.map((url) => new URL(url));
  await writeFile(
    join(folder, 'users.txt'),
    users.map(({ username, password }) => `"${username}" "${password}"\n`).join(''),
  );
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    [
      '[databases]',
      `* = host=${server?.hostname} port=${server?.port}`,
      '[pgbouncer]',
      ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
      ...['auth_type = scram-sha-256', `auth_file = ${join(folder, 'users.txt')}`],
      ...['pool_mode = transaction', `default_pool_size = ${poolSize}`, 'max_client_conn = 200'],
      // Otherwise a server that was away is not tried again for 15 s.
      'server_login_retry = 1',
      // It refuses to run as root.
      ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
      '',
    ].join('\n'),
  );
  await Promise.all([
    chmod(join(folder, 'users.txt'), 0o644),
    chmod(join(folder, 'pgbouncer.ini'), 0o644),
  ]);
  const child = spawn(program, ['-q', join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const through = (text: string) => {
    const url = new URL(text);
    url.port = String(port);
    return url.href;
  };
  await vi.waitUntil(() => answers(through(urls[0] ?? '')), { timeout: 30_000 });
  return {
    through,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new Client(url);
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
