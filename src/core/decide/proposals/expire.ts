// Ends a proposal that nobody pursues any more. It is withdrawn, and nothing is published.

import { accept, type Outcome } from '../../failure.ts';
import { lastDayOf, mayExpireAt, type Proposal, quietDays } from '../../proposal.ts';
import { decideProposalStep } from '../../proposal-machine.ts';
import { decideAccess, decideManagement, overridingOf } from '../access.ts';
import type { ExpireProposal } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import type { ProposalFacts } from '../facts.ts';
import { circumstancesOf, closeWrite, updatedProposal } from '../publishing/proposing.ts';

export function decideExpiry(
  facts: ProposalFacts,
  command: ExpireProposal,
  { actor, at }: By,
): Outcome<Decided<Proposal>> {
  const { asset, proposal } = facts;
  const access = decideAccess(actor, 'expire_proposal', asset.ownerTeamId);
  if (!access.ok) return access;
  const managed = decideManagement(actor, asset, command);
  if (!managed.ok) return managed;
  const isOverdue = mayExpireAt(proposal) <= at;
  const circumstances = { ...circumstancesOf(facts), isOverdue };
  const step = decideProposalStep(proposal.status, 'expire', circumstances);
  if (!step.ok) return step;
  const lastDay = lastDayOf(proposal);
  const why =
    lastDay === null
      ? `Expired: its consumers were last asked more than ${quietDays} days ago.`
      : `Expired: ${lastDay}, its last day for answers, is over.`;
  const { reason: overriding } = overridingOf(asset, command);
  const reason = overriding === undefined ? why : `${why} ${overriding}`;
  const write = closeWrite(facts, proposal, { reason, at });
  return accept({ writes: [write], answer: updatedProposal(proposal, write.set) });
}
