import { systemActor } from '../../core/actor.ts';
import { isLeaving, type Registration } from '../../core/registration.ts';
import type { Context, Ports } from '../ports.ts';
import { deleteRegistration } from './delete-registration.ts';

/** The number that one sweep handles; the next sweep comes soon. */
const sweepLimit = 100;

/** Ends the registrations that no object has requested again since their last one was deleted. */
export async function endDepartures(ports: Ports, context: Context<never>): Promise<void> {
  const { requestId, now, newId } = context;
  const system: Context = { actor: systemActor, requestId, now, newId };
  const at = now();
  const isDue = (one: Registration) => isLeaving(one) && one.endsAt !== null && one.endsAt <= at;
  for (const { id } of await ports.reads.listDueDepartures(at, sweepLimit)) {
    try {
      await deleteRegistration(ports, system, { registrationId: id, precondition: isDue });
    } catch (error) {
      // The others do not wait for it.
      ports.reportError(error, `end of registration ${id}`);
    }
  }
}
