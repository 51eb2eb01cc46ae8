import type { ObjectToProposal } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { checkObjection, decideObjection } from '../../core/decide/proposals/object.ts';
import type { Proposal } from '../../core/proposal.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const objectToProposal: Verb<ObjectToProposal, Proposal> = async (
  ports,
  context,
  command,
) => {
  const objecting = checkObjection(context.actor, command);
  if (!objecting.ok) return objecting;
  return ports.transact(context, async (transaction) => {
    const facts = await transaction.lockProposal(command.proposalId);
    if (facts === null) return notFound('PROPOSAL', command.proposalId);
    const team = await transaction.holdTeam(objecting.value.teamId);
    const by = byOf(context, transaction);
    return applyDecided(transaction, decideObjection({ ...facts, team }, objecting.value, by));
  });
};
