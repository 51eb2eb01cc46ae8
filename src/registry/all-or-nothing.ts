// Runs many verbs in one transaction: what they decide takes effect together, or not at all.

import { startOver } from '../core/decide/decided.ts';
import { type Outcome, refuse } from '../core/failure.ts';
import type { AssetId } from '../core/id.ts';
import type { Context, Ports } from './ports.ts';
import { settleProposal } from './proposals/settle-proposal.ts';
import type { BulkQuestion } from './transaction.ts';

/** Others wait for the locked assets, and give up after thirty seconds. */
const limitMs = 20_000;

/**
 * Runs everything that comes before a lock once, so that an engine that remembers its answers is not
 * asked while others wait. Then locks all assets, in one order, so that two bulks never deadlock. The
 * verbs read on other connections meanwhile, so a process runs one bulk at a time: several could use
 * up the connections.
 */
export async function allOrNothing<Result>(
  ports: Ports,
  context: Context<Result>,
  question: BulkQuestion,
  run: (ports: Ports) => Promise<Outcome<Result>>,
): Promise<Outcome<Result>> {
  await run({ ...ports, attempt: refuseLocks, transact: refuseLocks });
  const touched = new Set<AssetId>();
  let last: Outcome<Result> | null = null;
  const outcome = await ports.inTurn('bulk', () =>
    ports.attempt(context, async (transaction) => {
      touched.clear();
      await transaction.lockForBulk(question);
      const until = Date.parse(context.now()) + limitMs;
      const isLate = () => Date.parse(context.now()) > until;
      last = await run({
        ...ports,
        attempt: async (_context, body) => (isLate() ? tooLong : body(transaction)),
        transact: async (_context, body) => (isLate() ? tooLong : body(transaction)),
        settleLater: (assetId) => touched.add(assetId),
      });
      // Starting over rolls back what the accepted items wrote.
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

const tooLong = refuse(
  'REGISTRY_UNAVAILABLE',
  `The bulk had its assets locked for ${limitMs / 1000} seconds. Send fewer items, or use the mode "partial".`,
);

async function refuseLocks(): Promise<Outcome<never>> {
  return refuse('REGISTRY_UNAVAILABLE', 'Nothing is locked yet.');
}
