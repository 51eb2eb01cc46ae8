import type { Deleted, DeleteRegistration } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideDeparture } from '../../core/decide/registrations/delete.ts';
import { accept } from '../../core/failure.ts';
import type { AssetId } from '../../core/id.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';

/**
 * Deletes a registration, so the team is no longer asked. A registration that another source also
 * requests stays.
 */
export const deleteRegistration: Verb<DeleteRegistration, Deleted> = async (
  ports,
  context,
  command,
) => {
  let left: AssetId | null = null;
  const outcome = await ports.transact(context, async (transaction) => {
    const facts = await transaction.lockRegistration(command.registrationId);
    if (facts === null) return notFound('REGISTRATION', command.registrationId);
    const decided = decideDeparture(facts, command, byOf(context, transaction));
    const departure = await applyDecided(transaction, decided);
    if (!departure.ok) return departure;
    left = departure.value.hasLeft ? facts.asset.id : null;
    return accept({ deleted: true as const });
  });
  if (left !== null) await settleProposal(ports, context, left);
  return outcome;
};
