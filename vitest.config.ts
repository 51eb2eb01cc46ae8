import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { longTests } from './scripts/long-tests.ts';
import './scripts/temporary-folder.ts';

export const environment = {
  // What a test needs was fetched before: scripts/tools/tools.ts.
  ...{ npm_config_offline: 'true', PIP_NO_INDEX: '1', GOPROXY: 'off' },
  // Each registry starts threads, and many tests start processes: without the cache each of them
  // compiles everything that it loads, a fifth of the processor time of a run.
  NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/concordat-tests'),
};

/** `make verify` and `make soak` set LONG_TESTS. */
const exclude = [
  ...configDefaults.exclude,
  ...(process.env.LONG_TESTS === 'true' ? [] : longTests),
];

const postgres = 'test/support/postgres/postgres-setup.ts';

/** Files that may run one after the other in the same process. */
const sharing = [
  'test/{registry,store,engine,ops,notify}/**/*.test.ts',
  'test/api/{assets,contracts,people,proposals,requests,running}/**/*.test.ts',
];

// Two cores: two files at once. The projects differ in what they
// start first: `core` nothing, the others one real Postgres for the whole run, and a real API
// server or the built page beside it. `server`, `controller` and `web` load the code once for
// all their files, which saves up to a third of their processor time: a test leaves nothing behind there.
export default defineConfig({
  test: {
    maxWorkers: 2,
    // Only what hangs takes so long, on however busy a machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    env: environment,
    exclude,
    projects: [
      {
        extends: true,
        test: {
          name: 'core',
          include: ['test/{core,cli}/**/*.test.ts', 'test/*.test.ts'],
          exclude: [...exclude, 'test/cli/registry/**'],
          setupFiles: ['test/support/fixed-chance.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: sharing,
          globalSetup: [postgres],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'server-alone',
          include: [
            'test/{registry,store,engine,ops,api,faults,notify,docs,security}/**/*.test.ts',
            'test/cli/registry/**/*.test.ts',
          ],
          exclude: [...exclude, ...sharing],
          globalSetup: [postgres],
        },
      },
      {
        extends: true,
        test: {
          name: 'controller',
          include: ['test/controller/**/*.test.ts'],
          isolate: false,
          globalSetup: [postgres, 'test/support/kubernetes/kubernetes-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'web',
          include: ['test/web/**/*.test.ts'],
          globalSetup: [postgres, 'test/web/support/build-setup.ts'],
          isolate: false,
        },
      },
    ],
  },
});
