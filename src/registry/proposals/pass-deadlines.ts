import { systemActor } from '../../core/actor.ts';
import { decideDeadline } from '../../core/decide/proposals/remind.ts';
import { accept } from '../../core/failure.ts';
import { dayOf } from '../../core/id.ts';
import type { Context, Ports } from '../ports.ts';

/** The number that one sweep handles; the next sweep comes soon. */
const sweepLimit = 100;

/** Does what an asset's setting says, as the system, once the last day for answers is over. */
export async function passDeadlines(ports: Ports, context: Context<never>): Promise<void> {
  const { requestId, now, newId } = context;
  const system: Context = { actor: systemActor, requestId, now, newId };
  const today = dayOf(now());
  for (const { id } of await ports.reads.listPassedDeadlines(today, sweepLimit)) {
    await ports.transact(system, async (transaction) => {
      // Under the lock, so that of two replicas only one acts.
      const facts = await transaction.lockProposal(id);
      const writes = facts === null ? null : decideDeadline(facts, transaction.now());
      if (writes !== null) await transaction.apply(writes);
      return accept(true);
    });
  }
}
