import { decideAccess } from '../../core/decide/access.ts';
import type { CreateTeam } from '../../core/decide/people/commands.ts';
import { decideTeam, readTeam } from '../../core/decide/people/team.ts';
import type { Team } from '../../core/team.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const createTeam: Verb<CreateTeam, Team> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_teams', null);
  if (!access.ok) return access;
  const wanted = readTeam(command);
  if (!wanted.ok) return wanted;
  const { name, slugs } = wanted.value;
  return ports.transact(context, async (transaction) => {
    await transaction.lockTeamNames();
    const namesake = await transaction.findTeamByName(name);
    const slugHolders = await transaction.findTeamsBySlug(slugs);
    const decided = decideTeam({ namesake, slugHolders }, wanted.value, byOf(context, transaction));
    return applyDecided(transaction, decided);
  });
};
