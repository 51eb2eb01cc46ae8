import type { By, Decided, StartOver } from '../core/decide/decided.ts';
import { accept, type Outcome } from '../core/failure.ts';
import type { Context } from './ports.ts';
import type { Transaction } from './transaction.ts';

/**
 * Returns the actor, time and ids of a decision. The time is the transaction's, taken under the
 * lock.
 */
export function byOf(
  { actor, newId }: Pick<Context<never>, 'actor' | 'newId'>,
  transaction: Pick<Transaction, 'now'>,
): By {
  return { actor, newId, at: transaction.now() };
}

export async function applyDecided<Answer>(
  transaction: Pick<Transaction, 'apply'>,
  decided: Outcome<Decided<Answer>>,
): Promise<Outcome<Answer>>;
export async function applyDecided<Answer>(
  transaction: Pick<Transaction, 'apply'>,
  decided: Outcome<Decided<Answer>> | StartOver,
): Promise<Outcome<Answer> | StartOver>;
export async function applyDecided<Answer>(
  transaction: Pick<Transaction, 'apply'>,
  decided: Outcome<Decided<Answer>> | StartOver,
): Promise<Outcome<Answer> | StartOver> {
  if ('startOver' in decided || !decided.ok) return decided;
  const { writes, answer } = decided.value;
  if (writes.length > 0) await transaction.apply(writes);
  return accept(answer);
}
