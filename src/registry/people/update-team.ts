import { decideAccess, decideManagement } from '../../core/decide/access.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { UpdateTeam } from '../../core/decide/people/commands.ts';
import { checkTeamName, decideTeamUpdate } from '../../core/decide/people/team.ts';
import type { Team } from '../../core/team.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const updateTeam: Verb<UpdateTeam, Team> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_teams', null);
  if (!access.ok) return access;
  if (command.managedBy !== undefined) {
    const handing = decideAccess(context.actor, 'hand_over_team', null);
    if (!handing.ok) return handing;
  }
  const checked = command.name === undefined ? null : checkTeamName(command.name);
  if (checked !== null && !checked.ok) return checked;
  return ports.transact(context, async (transaction) => {
    await transaction.lockTeamNames();
    const team = await transaction.lockTeamRow(command.teamId);
    if (team === null) return notFound('TEAM', command.teamId);
    const managed = decideManagement(context.actor, team, command);
    if (!managed.ok) return managed;
    const name = checked?.value ?? team.name;
    const namesake = await transaction.findTeamByName(name);
    const by = byOf(context, transaction);
    return applyDecided(transaction, decideTeamUpdate({ team, namesake }, name, command, by));
  });
};
