import type { PublishedProposal, PublishProposal } from '../../core/decide/commands.ts';
import type { Verb } from '../commands.ts';
import { concludeProposal } from './conclude-proposal.ts';

export const publishProposal: Verb<PublishProposal, PublishedProposal> = (
  ports,
  context,
  { proposalId, override = false, reason = null },
) => concludeProposal(ports, context, { proposalId, act: 'publish', reason, override });
