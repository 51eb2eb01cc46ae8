import { decideDeletion } from '../../core/decide/assets/delete.ts';
import type { DeleteAsset, Deleted } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { lockForAsking } from '../proposals/lock-for-asking.ts';

export const deleteAsset: Verb<DeleteAsset, Deleted> = (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    const facts = await lockForAsking(transaction, command.assetId);
    if (facts === null) return notFound('ASSET', command.assetId);
    return applyDecided(transaction, decideDeletion(facts, command, byOf(context, transaction)));
  });
