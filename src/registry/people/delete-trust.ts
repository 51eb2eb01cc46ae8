import { decideAccess } from '../../core/decide/access.ts';
import type { Deleted } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { DeleteTrust } from '../../core/decide/people/commands.ts';
import { decideTrustDeletion } from '../../core/decide/people/trust.ts';
import { applyDecided } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Deletes a trust; the keys that it issued stop working. */
export const deleteTrust: Verb<DeleteTrust, Deleted> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_trusts', null);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const trust = await transaction.lockTrust(command.trustId);
    if (trust === null) return notFound('TRUST', command.trustId);
    return applyDecided(transaction, decideTrustDeletion(trust, command));
  });
};
