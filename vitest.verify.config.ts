import { defineConfig } from 'vitest/config';
import { environment } from './vitest.config.ts';

// Tests whose tools take minutes to build, or have to be installed: `make verify` runs them, `make
// test` does not.
export default defineConfig({
  test: {
    include: ['test/{chart,operations}/**/*.test.ts'],
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    env: environment,
    globalSetup: ['test/support/postgres/postgres-setup.ts'],
  },
});
