import { notFound } from '../../core/decide/not-found.ts';
import type { ChooseNotifications, Chosen } from '../../core/decide/webhooks/commands.ts';
import { decideChoice } from '../../core/decide/webhooks/webhook.ts';
import { mailTo } from '../../core/webhook.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Tells the caller in person, or no more. */
export const chooseNotifications: Verb<ChooseNotifications, Chosen> = async (
  ports,
  context,
  command,
) => {
  const { userId } = command;
  return ports.transact(context, async (transaction) => {
    // Two choices of one user come one after the other.
    const user = await transaction.lockUser(userId);
    if (user === null) return notFound('USER', userId);
    const webhook = await transaction.lockChoice(userId);
    const refusedUrl = ports.refuseUrl?.(mailTo(user)) ?? null;
    const decided = decideChoice(
      { user, webhook, refusedUrl },
      command,
      byOf(context, transaction),
    );
    return applyDecided(transaction, decided);
  });
};
