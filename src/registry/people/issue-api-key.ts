import { decideAccess } from '../../core/decide/access.ts';
import { decideApiKey, teamsNamed } from '../../core/decide/people/api-key.ts';
import type { IssueApiKey } from '../../core/decide/people/commands.ts';
import { checkReach } from '../../core/decide/people/reach.ts';
import type { ApiKey } from '../../core/team.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Stores a new key. Only the digest of its secret reaches this verb. */
export const issueApiKey: Verb<IssueApiKey, ApiKey> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_api_keys', null);
  if (!access.ok) return access;
  const { userId } = command;
  return ports.transact(context, async (transaction) => {
    const heldTeams = await transaction.holdTeams(teamsNamed(command));
    const user = userId === undefined ? null : await transaction.holdUser(userId);
    // A key of a user does what the user may do.
    const reach = checkReach(context.actor, user, command);
    if (!reach.ok) return reach;
    const facts = { heldTeams, user, maxDays: ports.policy.keyMaxDays };
    const decided = decideApiKey(facts, command, byOf(context, transaction));
    return applyDecided(transaction, decided);
  });
};
