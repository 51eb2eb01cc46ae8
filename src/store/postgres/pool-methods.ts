// The methods of a pool, and a pool that does something with each call of them.

import type { DatabasePool } from 'slonik';

/** Methods that run a single statement. */
export const queryMethods = [
  'any',
  'anyFirst',
  'exists',
  'many',
  'manyFirst',
  'maybeOne',
  'maybeOneFirst',
  'one',
  'oneFirst',
  'query',
] as const;

/** Each takes a connection, and gives it back at the end of its promise. */
export const connectingMethods = [...queryMethods, 'connect', 'transaction'] as const;

type Call = (...all: readonly unknown[]) => Promise<unknown>;

/**
 * The same pool, with these methods replaced. Each replacement gets the method that it stands for.
 *
 * @example withMethods(pool, queryMethods, (call) => (...all) => later(() => call(...all)))
 */
export function withMethods(
  pool: DatabasePool,
  names: readonly (typeof connectingMethods)[number][],
  replace: (call: Call) => Call,
): DatabasePool {
  const replaced = names.map((name) => [name, replace((...all) => (pool[name] as Call)(...all))]);
  return Object.assign(Object.create(pool), Object.fromEntries(replaced));
}
