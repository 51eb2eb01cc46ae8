import { decideAccess } from '../../core/decide/access.ts';
import type { CreateTrust } from '../../core/decide/people/commands.ts';
import { decideTrust } from '../../core/decide/people/trust.ts';
import type { Trust } from '../../core/team.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const createTrust: Verb<CreateTrust, Trust> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_trusts', null);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const heldTeams = await transaction.holdTeams([command.teamId]);
    const decided = decideTrust({ heldTeams }, command, byOf(context, transaction));
    return applyDecided(transaction, decided);
  });
};
