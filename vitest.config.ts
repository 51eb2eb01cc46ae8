import { defineConfig } from 'vitest/config';

const postgres = 'test/support/postgres-setup.ts';

// Two cores: two files at once, each in a process of its own. The projects differ in what they
// start first: `core` nothing, the others one real Postgres for the whole run, and a real API
// server or the built page beside it.
export default defineConfig({
  test: {
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: { name: 'core', include: ['test/{core,cli}/**/*.test.ts', 'test/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['test/{store,api,docs}/**/*.test.ts'],
          globalSetup: [postgres],
        },
      },
      {
        extends: true,
        test: {
          name: 'controller',
          include: ['test/controller/**/*.test.ts'],
          globalSetup: [postgres, 'test/support/kubernetes-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'web',
          include: ['test/web/**/*.test.ts'],
          globalSetup: [postgres, 'test/web/support/build-setup.ts'],
        },
      },
    ],
  },
});
