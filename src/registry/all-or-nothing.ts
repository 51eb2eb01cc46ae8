// Runs many verbs in one transaction: what they decide takes effect together, or not at all.

import { startOver } from '../core/decide/decided.ts';
import type { Outcome } from '../core/failure.ts';
import type { AssetId } from '../core/id.ts';
import type { Context, Ports } from './ports.ts';
import { settleProposal } from './proposals/settle-proposal.ts';
import type { BulkQuestion } from './transaction.ts';

/**
 * Locks all assets first, in one order, so that two bulks never deadlock. The verbs read on other
 * connections meanwhile, so a process runs one bulk at a time: several could use up the connections.
 */
export async function allOrNothing<Result>(
  ports: Ports,
  context: Context<Result>,
  question: BulkQuestion,
  run: (ports: Ports) => Promise<Outcome<Result>>,
): Promise<Outcome<Result>> {
  const touched = new Set<AssetId>();
  let last: Outcome<Result> | null = null;
  const outcome = await ports.inTurn('bulk', () =>
    ports.attempt(context, async (transaction) => {
      touched.clear();
      await transaction.lockForBulk(question);
      const within: Ports['attempt'] = (_context, body) => body(transaction);
      last = await run({
        ...ports,
        attempt: within,
        transact: (_context, body) => body(transaction),
        settleLater: (assetId) => touched.add(assetId),
      });
      // Undoes what the other items wrote.
      return last.ok ? last : startOver;
    }),
  );
  if ('startOver' in outcome) {
    if (last === null) throw new Error('A bulk was undone that did not run.');
    return last;
  }
  if (outcome.ok) for (const assetId of touched) await settleProposal(ports, context, assetId);
  return outcome;
}
