import { defineConfig } from 'vitest/config';

// Two cores: two files at once, each in a process of its own. The projects differ in what they
// start first: `core` nothing, `server` one real Postgres for the whole run.
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
          globalSetup: ['test/support/postgres-setup.ts'],
        },
      },
    ],
  },
});
