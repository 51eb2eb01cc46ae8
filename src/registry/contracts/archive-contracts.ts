import { systemActor } from '../../core/actor.ts';
import type { Context, Ports } from '../ports.ts';
import { updateContract } from './update-contract.ts';

/** The number that one sweep handles; the next sweep comes soon. */
const sweepLimit = 100;

/**
 * Archives versions that were deprecated before this time and that no registration pins, as the
 * system. Pins are checked again under the lock, so a consumer who registers meanwhile keeps the
 * version.
 */
export async function archiveContracts(
  ports: Ports,
  context: Context<never>,
  deprecatedBefore: string,
): Promise<number> {
  const { requestId, now, newId } = context;
  const system: Context = { actor: systemActor, requestId, now, newId };
  const ids = await ports.reads.listContractsToArchive(deprecatedBefore, sweepLimit);
  for (const contractId of ids) {
    await updateContract(ports, system, { contractId, status: 'archived' });
  }
  return ids.length;
}
