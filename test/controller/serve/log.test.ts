// What a controller logs: who leads, and an unreachable database.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { SourceSuspicious } from '../../../src/controller/source/source.ts';
import { tellSeldom } from '../../../src/controller/tell-seldom.ts';
import { RegistryUnavailable } from '../../../src/core/unavailable.ts';
import { readConfig } from '../../../src/ops/config/config.ts';
import { NameTaken } from '../../../src/registry/sources/fencing.ts';
import { type RunningServer, start } from '../../../src/start/serve.ts';
import { type CuttingProxy, openCuttingProxy } from '../../support/kubernetes/kubernetes-proxy.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { patience } from '../support/open-controller.ts';

interface Line {
  readonly msg: string;
  readonly source?: string;
  readonly fence?: number;
  readonly during?: string;
  readonly err?: { readonly message: string };
}

const lines: Line[] = [];
let database: TestDatabase;
let proxy: CuttingProxy;
let folder: string;
let server: RunningServer | null = null;

beforeAll(async () => {
  database = await openDatabase();
  const url = new URL(database.url);
  proxy = await openCuttingProxy({ server: `tcp://${url.host}` });
  url.host = new URL(proxy.server).host;
  folder = await mkdtemp(join(tmpdir(), 'concordat-log-'));
  await mkdir(join(folder, 'contracts/shop'), { recursive: true });
  await writeFile(join(folder, 'teams.yaml'), 'shop: checkout\n');
  for (const name of ['a', 'b', 'c', 'd', 'e']) await put(name, 'object');
  const read = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: url.href,
    CONTRACTS_DIR: join(folder, 'contracts'),
    TEAM_MAPPING_FILE: join(folder, 'teams.yaml'),
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const log = pino(
    { level: 'info' },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  server = await start(read.config, log);
});

afterAll(async () => {
  await server?.stop();
  await proxy?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const put = (name: string, type: string) =>
  writeFile(
    join(folder, `contracts/shop/${name}.yaml`),
    JSON.stringify({
      apiVersion: 'concordat.dev/v1',
      kind: 'DataContract',
      metadata: { name },
      spec: { fqn: `log.${name}`, schema: { type } },
    }),
  );

const said = (msg: string) => lines.filter((line) => line.msg === msg);
const away = () =>
  said('the controller continues after an error').filter(({ err }) =>
    err?.message.includes('cannot reach its database'),
  );

test('leadership is told when it is gained, and when it is lost', async () => {
  const source = `directory-${join(folder, 'contracts')}`;
  await vi.waitFor(
    () => expect(said('reconciles this source now')).toMatchObject([{ source, fence: 1 }]),
    patience,
  );
  const status = 'select count(*)::int as told from source_object where status is not null';
  await vi.waitFor(async () => {
    expect((await database.query(status))[0]?.told).toBe(5);
  }, patience);

  await proxy.close();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await put(name, 'string');
  await vi.waitFor(() => expect(away().length).toBeGreaterThan(0), patience);
  // It cannot renew its lease, so the term ends with all work in progress.
  await vi.waitFor(
    () => expect(said('no longer reconciles this source')).toMatchObject([{ source, fence: 1 }]),
    patience,
  );
  expect(away()).toHaveLength(1);
});

test('a database that is away is told at once, and then each minute with what was not told', () => {
  const clock = new ManualClock();
  const told: string[] = [];
  const tell = tellSeldom(clock, (error, during, suppressed) =>
    told.push(`${during}: ${(error as Error).name} ${suppressed}`),
  );
  const fails = (during: string) => tell(new RegistryUnavailable(null), during);
  fails('a');
  for (let second = 0; second < 59; second += 1) {
    clock.advance(1_000);
    fails('b');
  }
  tell(new Error('something else'), 'c');
  clock.advance(1_000);
  fails('d');
  expect(told).toEqual(['a: RegistryUnavailable 0', 'c: Error 0', 'd: RegistryUnavailable 59']);
});

test.each([
  ['a folder that cannot be read', SourceSuspicious],
  ['a cluster that waits for its name', NameTaken],
])('%s is told once a minute, without a stack, and at once when it changes', (_what, Lasting) => {
  const clock = new ManualClock();
  const told: string[] = [];
  const tell = tellSeldom(clock, (error, during, suppressed) =>
    told.push(`${during}: ${(error as Error).message} ${suppressed}${(error as Error).stack}`),
  );
  const fails = (why: string) => tell(new Lasting(why), 'reading /srv');
  for (let look = 0; look <= 30; look += 1) {
    fails('is not there');
    clock.advance(2_000);
  }
  fails('is empty');
  tell(new Lasting('is not there'), 'reading /other');
  const said = (why: string) => new Lasting(why).message;
  expect(told).toEqual([
    `reading /srv: ${said('is not there')} 0`,
    `reading /srv: ${said('is not there')} 29`,
    `reading /srv: ${said('is empty')} 0`,
    `reading /other: ${said('is not there')} 0`,
  ]);
});
