import { systemActor } from '../../core/actor.ts';
import { decideSunsets, sunsetDay } from '../../core/decide/contracts/sunsets.ts';
import { accept } from '../../core/failure.ts';
import { dayOf } from '../../core/id.ts';
import type { Context, DueSunsets, Ports } from '../ports.ts';
import { listFields } from './list-fields.ts';

/** The number that one sweep handles; the next sweep comes soon. */
const sweepLimit = 100;

/** Tells the readers of fields with a sunset date: when it is set or they begin to read, a month before, and after it. */
export async function tellSunsets(ports: Ports, context: Context<never>): Promise<void> {
  const { requestId, now, newId } = context;
  const system: Context = { actor: systemActor, requestId, now, newId };
  for (const each of await ports.reads.listDueSunsets(dayOf(now()), sweepLimit)) {
    try {
      await tellOne(ports, system, each);
    } catch (error) {
      // The others do not wait for it.
      ports.reportError(error, `sunset dates of asset ${each.assetId}`);
    }
  }
}

async function tellOne(ports: Ports, context: Context, due: DueSunsets): Promise<void> {
  const { assetId, contractId, state } = due;
  const listed = await listFields(ports, assetId);
  if (!listed.ok || listed.value.base?.id !== contractId) return;
  const { fields, readersOfAll } = listed.value;
  const sunsets = fields.flatMap(({ path, sunset, readers }) => {
    const day = sunset === null ? null : sunsetDay(sunset);
    if (day === null) return [];
    const named = readers.map(({ consumer }) => consumer);
    return [{ path, day, readers: [...new Set([...named, ...readersOfAll])] }];
  });
  const decided = await ports.transact(context, async (transaction) => {
    const facts = await transaction.lockAsset(assetId);
    if (facts === null) return accept(null);
    // Under the lock, so that of two replicas only one tells.
    const told = await transaction.findSunsetsTold(contractId);
    const seen = { contractId, state, fields: sunsets, told };
    const found = decideSunsets(facts, seen, transaction.now());
    if (found?.write != null) await transaction.apply([found.write]);
    return accept(found);
  });
  if (!decided.ok || decided.value === null || decided.value.write !== null) return;
  await ports.reads.recordSunsetsSeen(due, decided.value.due);
}
