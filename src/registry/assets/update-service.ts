import { checkService, decideServiceUpdate } from '../../core/decide/assets/service.ts';
import type { UpdateService } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { Service } from '../../core/team.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Locks the team that gets the service before the service: the deletion of a team locks in this order. */
export const updateService: Verb<UpdateService, Service> = async (ports, context, command) => {
  const checked = checkService(command);
  if (!checked.ok) return checked;
  const { serviceId, name, ownerTeamId } = command;
  return ports.transact(context, async (transaction) => {
    if (name !== undefined) await transaction.lockServiceNames();
    const owner = ownerTeamId === undefined ? null : await transaction.holdTeam(ownerTeamId);
    const service = await transaction.lockService(serviceId);
    if (service === null) return notFound('SERVICE', serviceId);
    const namesake = name === undefined ? null : await transaction.findServiceByName(name);
    const owned = ownerTeamId === undefined ? 0 : await transaction.countServicesOf(ownerTeamId);
    const by = byOf(context, transaction);
    return applyDecided(
      transaction,
      decideServiceUpdate({ service, owner, owned, namesake }, command, by),
    );
  });
};
