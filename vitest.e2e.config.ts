import { defineConfig } from 'vitest/config';

// `make e2e`: the chart and the image on a whole cluster. Each test needs what the one before it
// left, so that the first failure ends it.
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    bail: 1,
    testTimeout: 300_000,
    hookTimeout: 1_800_000,
  },
});
