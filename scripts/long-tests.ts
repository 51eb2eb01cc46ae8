/**
 * Test files that take at least half a minute of processor time: whole clusters, failing replicas,
 * and hostile inputs of full size. `make verify` runs them, `make test` does not.
 */
export const longTests: readonly string[] = [
  'test/controller/reconcile/faults.test.ts',
  'test/core/containment/hostile-memory.test.ts',
  'test/faults/clock.test.ts',
  'test/faults/faults.test.ts',
  'test/faults/histories.test.ts',
  'test/faults/large-input.test.ts',
  'test/faults/postgres-limits.test.ts',
];
