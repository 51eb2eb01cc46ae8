import { coversNeeds } from '../../core/decide/asking.ts';
import type { RebaseProposal } from '../../core/decide/commands.ts';
import { startOver } from '../../core/decide/decided.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideRebase } from '../../core/decide/proposals/rebase.ts';
import { accept } from '../../core/failure.ts';
import type { Proposal } from '../../core/proposal.ts';
import type { Verb } from '../commands.ts';
import { tryAgain } from '../try-again.ts';
import { compareAgain, judgeAgain } from './conclude-proposal.ts';
import { settleProposal } from './settle-proposal.ts';

/** Compares with the newest contract and asks every consumer again. */
export const rebaseProposal: Verb<RebaseProposal, Proposal> = async (ports, context, command) => {
  const { proposalId } = command;
  const outcome = await tryAgain<Proposal>(async () => {
    const proposal = await ports.reads.getProposal(proposalId);
    const found = proposal === null ? null : await ports.reads.getPublishBase(proposal.assetId);
    if (proposal === null || found === null) return notFound('PROPOSAL', proposalId);
    const comparison = await compareAgain(ports, proposal, found);
    const verdicts = await judgeAgain(ports, proposal, found, comparison);
    return ports.attempt(context, async (transaction) => {
      const facts = await transaction.lockProposal(proposalId);
      if (facts === null) return notFound('PROPOSAL', proposalId);
      if (facts.base?.id !== found.base?.id) return startOver;
      if (facts.proposal.baseContractId !== proposal.baseContractId) return startOver;
      if (comparison !== null && !coversNeeds(facts.consumers, verdicts)) return startOver;
      const decided = decideRebase(facts, { comparison, verdicts }, context);
      if (!decided.ok) return decided;
      await transaction.apply(decided.value);
      // The current consumers are asked, who may differ from the earlier ones.
      const after = await transaction.lockProposal(proposalId);
      return after === null ? notFound('PROPOSAL', proposalId) : accept(after.proposal);
    });
  });
  if (outcome.ok) await settleProposal(ports, context, outcome.value.assetId);
  return outcome;
};
