import { decideAccess } from '../../core/decide/access.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { RestoreTeam } from '../../core/decide/people/commands.ts';
import { decideTeamRestoration } from '../../core/decide/people/team.ts';
import type { Team } from '../../core/team.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const restoreTeam: Verb<RestoreTeam, Team> = async (ports, context, { teamId }) => {
  const access = decideAccess(context.actor, 'end_team', null);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    await transaction.lockTeamNames();
    const team = await transaction.lockTeamRow(teamId, 'any');
    if (team === null) return notFound('TEAM', teamId);
    const namesake = await transaction.findTeamByName(team.name);
    const slugHolders = await transaction.findTeamsBySlug([team.slug]);
    const by = byOf(context, transaction);
    return applyDecided(transaction, decideTeamRestoration({ team, namesake, slugHolders }, by));
  });
};
