import type { Acknowledged, AcknowledgeProposal } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { answeringTeam, checkAnswer, decideAnswer } from '../../core/decide/proposals/answer.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { settleProposal } from './settle-proposal.ts';

export const acknowledgeProposal: Verb<AcknowledgeProposal, Acknowledged> = async (
  ports,
  context,
  command,
) => {
  const checked = checkAnswer(command, context.now());
  if (!checked.ok) return checked;
  const team = answeringTeam(context.actor, command);
  if (!team.ok) return team;
  const outcome = await ports.transact(context, async (transaction) => {
    const facts = await transaction.lockProposal(command.proposalId);
    if (facts === null) return notFound('PROPOSAL', command.proposalId);
    const decided = decideAnswer(facts, command, team.value, byOf(context, transaction));
    return applyDecided(transaction, decided);
  });
  if (outcome.ok && outcome.value.proposal.progress.canPublish) {
    await settleProposal(ports, context, outcome.value.proposal.assetId);
  }
  return outcome;
};
