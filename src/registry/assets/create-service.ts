import { decideAccess } from '../../core/decide/access.ts';
import { checkService, decideServiceCreation } from '../../core/decide/assets/service.ts';
import type { CreateService } from '../../core/decide/commands.ts';
import type { Service } from '../../core/team.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const createService: Verb<CreateService, Service> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'create_service', command.ownerTeamId);
  if (!access.ok) return access;
  const checked = checkService(command);
  if (!checked.ok) return checked;
  return ports.transact(context, async (transaction) => {
    await transaction.lockServiceNames();
    const owner = await transaction.holdTeam(command.ownerTeamId);
    const namesake = await transaction.findServiceByName(command.name);
    const owned = await transaction.countServicesOf(command.ownerTeamId);
    const by = byOf(context, transaction);
    const decided = decideServiceCreation({ owner, namesake, owned }, command, by);
    return applyDecided(transaction, decided);
  });
};
