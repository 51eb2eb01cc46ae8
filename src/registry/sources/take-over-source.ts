import {
  decideTakeOver,
  type TakenOver,
  type TakeOverSource,
} from '../../core/decide/sources/take-over.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/**
 * The limit of one transaction: it takes some seconds, in which nobody else can write these assets.
 */
const assetLimit = 5_000;

export const takeOverSource: Verb<TakeOverSource, TakenOver> = async (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    const facts = await transaction.lockTakeOver({ ...command, assetLimit });
    const decided = decideTakeOver(facts, command, byOf(context, transaction));
    return applyDecided(transaction, decided);
  });
