import { decideAccess } from '../../core/decide/access.ts';
import { checkReason } from '../../core/decide/reason.ts';
import type { ForceProposal, PublishedProposal, Verb } from '../commands.ts';
import { concludeProposal } from './conclude-proposal.ts';

/** The only way past the consumers: an admin's, with a reason that stays on record. */
export const forceProposal: Verb<ForceProposal, PublishedProposal> = async (
  ports,
  context,
  { proposalId, reason, override = false },
) => {
  const access = decideAccess(context.actor, 'force_proposal', null);
  if (!access.ok) return access;
  const checked = checkReason(reason);
  if (!checked.ok) return checked;
  return concludeProposal(ports, context, {
    proposalId,
    act: 'force',
    reason: checked.value,
    override,
  });
};
