import { decideAccess, decideManagement } from '../../core/decide/access.ts';
import type { Deleted } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { DeleteTeam } from '../../core/decide/people/commands.ts';
import { decideTeamDeletion, type Left } from '../../core/decide/people/delete-team.ts';
import { accept } from '../../core/failure.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';
import { tryAgain } from '../try-again.ts';

/**
 * Deletes a team: its assets go to another team, its keys are revoked and its registrations
 * removed.
 */
export const deleteTeam: Verb<DeleteTeam, Deleted> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'end_team', null);
  if (!access.ok) return access;
  const { teamId, reassignTo } = command;
  const outcome = await tryAgain(() =>
    ports.attempt<Left>(context, async (transaction) => {
      const facts = await transaction.lockTeam(teamId);
      if (facts === null) return notFound('TEAM', teamId);
      const managed = decideManagement(context.actor, facts.team, command);
      if (!managed.ok) return managed;
      const heir = reassignTo === undefined ? null : await transaction.holdTeam(reassignTo);
      const decided = decideTeamDeletion({ ...facts, heir }, command, byOf(context, transaction));
      return applyDecided(transaction, decided);
    }),
  );
  if (!outcome.ok) return outcome;
  for (const assetId of outcome.value.left) await settleProposal(ports, context, assetId);
  return accept({ deleted: true });
};
