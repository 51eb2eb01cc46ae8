import { systemActor } from '../../core/actor.ts';
import { registrationEvent } from '../../core/decide/events.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { RegistrationId } from '../../core/id.ts';
import type { Context, Ports } from '../ports.ts';
import { settleProposal } from './settle-proposal.ts';

/** The number that one sweep handles; the next sweep comes soon. */
const sweepLimit = 100;

/**
 * Moves registrations whose migration date has passed, as the system, to the version that their
 * team agreed to. That is not the active version if a later one was published without its approval.
 */
export async function advanceMigrations(ports: Ports, context: Context<never>): Promise<number> {
  const due = await ports.reads.listDueMigrations(context.now(), sweepLimit);
  const { requestId, now, newId } = context;
  const system: Context = { actor: systemActor, requestId, now, newId };
  for (const registration of due) {
    await advanceOne(ports, system, registration.id);
    await settleProposal(ports, system, registration.assetId);
  }
  return due.length;
}

function advanceOne(
  ports: Ports,
  context: Context,
  registrationId: RegistrationId,
): Promise<Outcome<true>> {
  return ports.transact(context, async (transaction) => {
    const facts = await transaction.lockRegistration(registrationId);
    if (facts === null) return accept(true);
    const { asset, registration } = facts;
    const at = transaction.now();
    if (registration.migratesAt === null || registration.migratesAt > at) return accept(true);
    // If that version is archived, the registration stays where it is.
    const target = await transaction.findMigrationTarget(registrationId);
    const updated = {
      ...registration,
      contractId: target?.id ?? registration.contractId,
      contractVersion: target?.version ?? registration.contractVersion,
      migratesAt: null,
      updatedAt: at,
    };
    const named = { ...updated, registrationId };
    const event = registrationEvent('registration.updated', named, asset, {
      from: { version: registration.contractVersion, migrates_at: registration.migratesAt },
      to: { version: updated.contractVersion, migrates_at: null },
      reason: 'the migration date of the team has passed',
    });
    await transaction.apply([
      { kind: 'update_registration', registration: updated, events: [event] },
    ]);
    return accept(true);
  });
}
