import type { Actor } from '../../core/actor.ts';
import { userEvent } from '../../core/decide/events.ts';
import type { RecordRefusedEntry } from '../../core/decide/people/commands.ts';
import type { EntityType, EventDraft } from '../../core/event.ts';
import { accept } from '../../core/failure.ts';
import type { Verb } from '../commands.ts';

/**
 * Records a failed sign-in. An unknown e-mail address is recorded under the id for callers who are
 * not signed in.
 */
export const recordRefusedEntry: Verb<RecordRefusedEntry, null> = async (
  ports,
  context,
  { type, user, metadata },
) =>
  ports.transact(context, async (transaction) => {
    const event: EventDraft =
      user === null
        ? { type, entityType: kindOf(context.actor), entityId: context.actor.id, metadata }
        : userEvent(type, user, metadata);
    await transaction.apply([{ kind: 'record_event', events: [event] }]);
    return accept(null);
  });

function kindOf(actor: Actor): EntityType {
  return actor.type === 'api_key' ? 'api_key' : 'user';
}
