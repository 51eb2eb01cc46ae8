/**
 * Test files that take at least half a minute of processor time: whole clusters, failing replicas,
 * hostile inputs of full size, and each view with each refusal. `make verify` runs them, `make test` does not.
 */
export const longTests: readonly string[] = [
  'test/api/imports/import-queue.test.ts',
  'test/api/imports/import-shares.test.ts',
  'test/controller/cluster/away.test.ts',
  'test/controller/cluster/rebuilt.test.ts',
  'test/controller/reconcile/faults.test.ts',
  'test/core/containment/hostile-memory.test.ts',
  'test/faults/clock.test.ts',
  'test/faults/failover.test.ts',
  'test/faults/faults.test.ts',
  'test/faults/histories.test.ts',
  'test/faults/large-input.test.ts',
  'test/faults/postgres-limits.test.ts',
  'test/web/refused-codes.test.ts',
];
