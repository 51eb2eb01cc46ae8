// Traces the registry's work: each port is wrapped where it is created, and only if tracing is on.

import type { Tracing } from '../ops/observe/tracing.types.ts';
import type { Verbs } from '../registry/commands.ts';
import type { Engine, Ports } from '../registry/ports.ts';

export function traceVerbs(verbs: Verbs, tracing: Tracing | null): Verbs {
  if (tracing === null) return verbs;
  return traced(verbs, (name, call) => tracing.span(name, {}, call));
}

export function traceEngine(engine: Engine, tracing: Tracing | null): Engine {
  if (tracing === null) return engine;
  return traced(engine, (name, call) => tracing.span(`engine ${name}`, {}, call));
}

export function traceTransactions(
  ports: Pick<Ports, 'transact' | 'attempt'>,
  tracing: Tracing | null,
): Pick<Ports, 'transact' | 'attempt'> {
  const { transact, attempt } = ports;
  if (tracing === null) return { transact, attempt };
  return traced({ transact, attempt }, (_name, call) => tracing.span('transaction', {}, call));
}

/** The same functions, each wrapped in `around`. */
function traced<T extends object>(
  functions: T,
  around: (name: string, call: () => Promise<unknown>) => Promise<unknown>,
): T {
  const entries = Object.entries(functions).map(([name, run]) => [
    name,
    typeof run === 'function' ? (...asked: unknown[]) => around(name, () => run(...asked)) : run,
  ]);
  // The same names and functions.
  return Object.fromEntries(entries) as T;
}
