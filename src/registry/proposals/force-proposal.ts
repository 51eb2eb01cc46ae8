import { decideAccess } from '../../core/decide/access.ts';
import type { ForceProposal, PublishedProposal } from '../../core/decide/commands.ts';
import { decideForcingPerson } from '../../core/decide/proposals/four-eyes.ts';
import { checkReason } from '../../core/decide/reason.ts';
import type { Verb } from '../commands.ts';
import { concludeProposal } from './conclude-proposal.ts';

/**
 * Publishes without the consumers' approval. Only an administrator may, with a reason that stays on
 * record. With FOUR_EYES the first administrator's request is recorded, and a second one's
 * publishes.
 */
export const forceProposal: Verb<ForceProposal, PublishedProposal> = async (
  ports,
  context,
  { proposalId, reason, round, override = false },
) => {
  const access = decideAccess(context.actor, 'force_proposal', null);
  if (!access.ok) return access;
  if (ports.policy.fourEyes) {
    const person = decideForcingPerson(context.actor);
    if (!person.ok) return person;
  }
  const checked = checkReason(reason);
  if (!checked.ok) return checked;
  return concludeProposal(ports, context, {
    proposalId,
    act: 'force',
    reason: checked.value,
    round,
    override,
  });
};
