import type { Outcome } from '../core/failure.ts';
import type { Context, Ports, StartOver } from './ports.ts';
import type { Transaction } from './transaction.ts';

/**
 * A verb that locks things before the one they hang on: what joined while it waited for that one is
 * not locked, so it starts over, and locks that too.
 */
export async function untilLocked<T>(
  ports: Pick<Ports, 'attempt'>,
  context: Context<T>,
  body: (transaction: Transaction) => Promise<Outcome<T> | StartOver>,
): Promise<Outcome<T>> {
  for (;;) {
    const outcome = await ports.attempt(context, body);
    if (!('startOver' in outcome)) return outcome;
  }
}
