import { decideServiceDeletion } from '../../core/decide/assets/service.ts';
import type { Deleted, DeleteService } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Its assets are not locked, however many they are: they show no service that is deleted. */
export const deleteService: Verb<DeleteService, Deleted> = (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    const service = await transaction.lockService(command.serviceId);
    if (service === null) return notFound('SERVICE', command.serviceId);
    const assets = await transaction.countAssetsOf(service.id);
    const by = byOf(context, transaction);
    return applyDecided(transaction, decideServiceDeletion({ service, assets }, command, by));
  });
