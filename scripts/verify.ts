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
 * Tests of what differs between versions of Postgres: plans, locks, and the SQL of checks, which a
 * user's server answers.
 */
const byVersion = [
  ...['indexes', 'skewed-plans'].map((name) => `test/store/${name}.test.ts`),
  'test/registry/races.test.ts',
  ...['law', 'check'].map((name) => `test/cli/registry/check/${name}.test.ts`),
];

/** Tests of everything else that depends on Postgres: lists, acknowledgements and imports. */
const onPostgres = [
  ...byVersion,
  ...['audit-seals', 'event-stream'].map((name) => `test/store/${name}.test.ts`),
  ...['proposals', 'review'].map((name) => `test/registry/${name}.test.ts`),
  ...['assets/assets', 'imports/import-manifest', 'proposals/proposals', 'people/teams'].map(
    (name) => `test/api/${name}.test.ts`,
  ),
  'test/notify/deliveries.test.ts',
];

// All tests run on the newest version, in `make test`.
function livesOn(name: string, postgres: string, files: readonly string[]): Step {
  return {
    name: `the registry lives on ${name}`,
    command: ['npx', '--no-install', 'vitest', 'run', '--project', 'server*', ...files],
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
    name: 'the chart renders what Kubernetes takes, switch by switch; five alerts drawn by chance fire, and their runbooks show why',
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
  livesOn('the oldest Postgres that it supports', 'system', onPostgres),
  livesOn('Postgres 16', '16', byVersion),
  livesOn('Postgres 17', '17', byVersion),
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
    // `make test` looks at the first 1,000 pairs of any keyword. Of the needs, seven tenths are for verdicts, the
    // others for narrower needs and the schemas of fields. In one step, as the files run beside each other.
    name: 'the laws hold: 99,000 pairs of any keyword in any dialect, 10,000 nasty ones, 21,000 needs, 3,000 variants of responses',
    command: [
      ...(['npx', '--no-install', 'vitest', 'run', '--project', 'core'] as const),
      ...['any-keyword', 'laws', 'producers', 'needs', 'lost/variants'].map(
        (name) => `test/core/laws/${name}.test.ts`,
      ),
    ],
    environment: {
      ANY_FROM: '1000',
      ANY_PAIRS: '99000',
      LAW_PAIRS: '10000',
      NEED_PAIRS: '30000',
      VARIANT_PAIRS: '3000',
    },
  },
  {
    name: 'what n compatible steps allow, one allows, in more pools of schemas',
    command: [
      ...(['npx', '--no-install', 'vitest', 'run', '--project', 'core'] as const),
      ...[
        'test/core/diff/kept-fields.test.ts',
        '-t',
        'What n compatible steps|still has values with',
      ],
    ],
    environment: { LAW_POOLS: '8', LAW_RUNS: '1500' },
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
      ...['--seconds', '60', '--seed', '1', '--without', 'negative_data_rejection'],
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
