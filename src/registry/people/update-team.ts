import { decideAccess } from '../../core/decide/access.ts';
import { teamEvent } from '../../core/decide/events.ts';
import { patchMetadata } from '../../core/decide/metadata.ts';
import { notFound, preconditionFailed } from '../../core/decide/not-found.ts';
import { accept } from '../../core/failure.ts';
import type { Team } from '../../core/team.ts';
import type { UpdateTeam, Verb } from '../commands.ts';
import { checkTeamName, teamExists } from './create-team.ts';

export const updateTeam: Verb<UpdateTeam, Team> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_teams', null);
  if (!access.ok) return access;
  const name = command.name === undefined ? null : checkTeamName(command.name);
  if (name !== null && !name.ok) return name;
  return ports.transact(context, async (transaction) => {
    await transaction.lockTeamNames();
    const team = await transaction.lockTeamRow(command.teamId);
    if (team === null) return notFound('TEAM', command.teamId);
    if (command.precondition?.(team) === false) return preconditionFailed();
    const wanted = name?.value ?? team.name;
    const namesake = await transaction.findTeamByName(wanted);
    if (namesake !== null && namesake.id !== team.id) {
      return teamExists('name', wanted, namesake.id);
    }
    const patched = patchMetadata(team.metadata, command.metadata);
    if (!patched.ok) return patched;
    const metadata = patched.value;
    const from = { name: team.name, metadata: team.metadata };
    const to = { name: wanted, metadata };
    if (JSON.stringify(from) === JSON.stringify(to)) return accept(team);
    const updated = { ...team, ...to, updatedAt: transaction.now() };
    const event = teamEvent('team.updated', updated, { from, to });
    await transaction.apply([{ kind: 'update_team', team: updated, events: [event] }]);
    return accept(updated);
  });
};
