import { accept, type Outcome } from '../../failure.ts';
import type { Proposal } from '../../proposal.ts';
import { decideProposalStep } from '../../proposal-machine.ts';
import { decideAccess, decideManagement } from '../access.ts';
import type { WithdrawProposal } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import type { ProposalFacts } from '../facts.ts';
import { circumstancesOf, closeWrite, updatedProposal } from '../publishing/proposing.ts';

export function decideWithdrawal(
  facts: ProposalFacts,
  command: WithdrawProposal,
  { actor, at }: By,
): Outcome<Decided<Proposal>> {
  const { asset, proposal } = facts;
  const access = decideAccess(actor, 'withdraw_proposal', asset.ownerTeamId);
  if (!access.ok) return access;
  const managed = decideManagement(actor, asset, command);
  if (!managed.ok) return managed;
  const step = decideProposalStep(proposal.status, 'withdraw', circumstancesOf(facts));
  if (!step.ok) return step;
  const write = closeWrite(facts, proposal, { reason: command.reason, at });
  return accept({ writes: [write], answer: updatedProposal(proposal, write.set) });
}
