import { decideAccess } from '../../core/decide/access.ts';
import type { Deleted, DeleteRegistration } from '../../core/decide/commands.ts';
import { registrationEvent } from '../../core/decide/events.ts';
import { notFound, preconditionFailed } from '../../core/decide/not-found.ts';
import { accept } from '../../core/failure.ts';
import type { AssetId } from '../../core/id.ts';
import type { Verb } from '../commands.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';

/** Who leaves is not waited for any more. What another source asks for as well does not end. */
export const deleteRegistration: Verb<DeleteRegistration, Deleted> = async (
  ports,
  context,
  command,
) => {
  const { registrationId } = command;
  let left: AssetId | null = null;
  const outcome = await ports.transact(context, async (transaction) => {
    const facts = await transaction.lockRegistration(registrationId);
    if (facts === null) return notFound('REGISTRATION', registrationId);
    const { asset, registration } = facts;
    const access = decideAccess(context.actor, 'delete_registration', registration.consumerTeamId);
    if (!access.ok) return access;
    if (command.precondition?.(registration) === false) return preconditionFailed();
    const named = { ...registration, registrationId };
    const claims = registration.claims.filter((claim) => claim !== command.claim);
    if (command.claim !== undefined && claims.length > 0) {
      const updated = { ...registration, claims, updatedAt: transaction.now() };
      const from = { claims: registration.claims };
      const kept = registrationEvent('registration.updated', named, asset, {
        from,
        to: { claims },
      });
      await transaction.apply([
        { kind: 'update_registration', registration: updated, events: [kept] },
      ]);
      return accept({ deleted: true as const });
    }
    const event = registrationEvent('registration.deleted', named, asset, {
      status: registration.status,
      notes: registration.notes,
    });
    await transaction.apply([{ kind: 'delete_registration', id: registrationId, events: [event] }]);
    left = asset.id;
    return accept({ deleted: true as const });
  });
  if (left !== null) await settleProposal(ports, context, left);
  return outcome;
};
