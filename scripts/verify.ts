// `make verify`: the long builds and tests, step by step. The first failure ends it.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { longTests } from './long-tests.ts';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, '..');

/**
 * Tests of everything that depends on Postgres: locks, lists, acknowledgements, imports, and plans,
 * which differ between versions; and checks of tables, which the SQL of a user's server answers.
 */
const onPostgres = [
  ...['audit-seals', 'event-stream', 'indexes', 'skewed-plans'].map(
    (name) => `test/store/${name}.test.ts`,
  ),
  ...['proposals', 'races', 'review'].map((name) => `test/registry/${name}.test.ts`),
  ...['assets/assets', 'imports/import-manifest', 'proposals/proposals', 'people/teams'].map(
    (name) => `test/api/${name}.test.ts`,
  ),
  'test/notify/deliveries.test.ts',
  ...['law', 'check'].map((name) => `test/cli/registry/check/${name}.test.ts`),
];

// All other tests run on the newest version.
function livesOn(name: string, postgres: string): Step {
  return {
    name: `the registry lives on ${name}`,
    command: ['npx', '--no-install', 'vitest', 'run', '--project', 'server*', ...onPostgres],
    environment: { TEST_POSTGRES: postgres },
  };
}

// One row per step.
const steps: readonly Step[] = [
  {
    name: 'the page builds as it is served',
    command: ['npx', '--no-install', 'vite', 'build', '--logLevel', 'warn'],
    environment: { NODE_ENV: 'production' },
  },
  {
    name: 'the chart renders what Kubernetes takes, switch by switch',
    command: ['npx', '--no-install', 'vitest', 'run', '--config', 'vitest.verify.config.ts'],
  },
  {
    name: 'faults of replicas, Postgres and the API server lose nothing; hostile inputs stay in their limits',
    command: ['npx', '--no-install', 'vitest', 'run', ...longTests],
    environment: { LONG_TESTS: 'true' },
  },
  {
    name: 'callers see their own writes, in one order, through replicas of Postgres that lag, stop and are promoted',
    command: ['npx', '--no-install', 'vitest', 'run', 'test/faults/replicas.test.ts'],
    environment: { REPLICA_ACTS: '400', TEST_POSTGRES: 'system' },
  },
  livesOn('the oldest Postgres that it supports', 'system'),
  livesOn('Postgres 16', '16'),
  livesOn('Postgres 17', '17'),
  {
    name: 'the command line answers a question from a pipe',
    command: [
      'sh',
      '-c',
      'echo \'{"id":1,"a":{"type":"integer"},"b":{"type":"number"}}\' | ' +
        'node src/main.ts contains --ndjson | grep -q \'"verdict":"yes"\'',
    ],
  },
  {
    name: 'a restart with 1,000 contracts, and a minute after it, write nothing',
    command: ['npx', '--no-install', 'vitest', 'run', 'test/controller/reconcile/quiet.test.ts'],
    environment: { QUIET_OBJECTS: '1000', QUIET_WATCH_MS: '60000' },
  },
  {
    name: 'at a million events no list reads a growing table from end to end',
    command: ['npx', '--no-install', 'vitest', 'run', 'test/store/large-plans.test.ts'],
    environment: { LARGE_TESTS: 'true' },
  },
  {
    name: 'the laws hold: 100,000 pairs of any keyword in any dialect, and 20,000 nasty ones',
    command: [
      ...(['npx', '--no-install', 'vitest', 'run', '--project', 'core'] as const),
      ...['test/core/laws', 'test/core/diff/kept-fields.test.ts'],
    ],
    environment: { ANY_PAIRS: '100000', LAW_PAIRS: '20000', LAW_POOLS: '12' },
  },
  {
    name: 'the laws find each broken engine',
    command: ['npx', '--no-install', 'vitest', 'run', '--project', 'core', 'test/core/mutants'],
    environment: { LARGE_TESTS: 'true' },
  },
  {
    name: 'whatever is asked, openapi.json describes the answer, and none is a 5xx',
    // The number of requests in the time differs between machines. `make fuzz` tests with more time
    // that no invalid input is accepted.
    command: [
      ...(['node', 'scripts/fuzz.ts'] as const),
      ...['--seconds', '120', '--seed', '1', '--without', 'negative_data_rejection'],
    ],
  },
];

for (const { name, command, environment } of steps) {
  process.stdout.write(`\n== ${name}\n`);
  const [program, ...rest] = command;
  const startedAt = Date.now();
  const { status } = spawnSync(program, rest, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  process.stdout.write(
    `== ${status === 0 ? 'fine' : `failed with code ${status}`}, ${seconds} s\n`,
  );
  if (status !== 0) process.exit(1);
}
