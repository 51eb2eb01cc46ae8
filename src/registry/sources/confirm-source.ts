import { decideAccess } from '../../core/decide/access.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept } from '../../core/failure.ts';
import type { SourceState } from '../../core/source.ts';
import type { Verb } from '../commands.ts';
import type { ConfirmSource } from './sources.ts';

/**
 * Records that an administrator has checked: what is missing from a suspicious source was removed
 * on purpose.
 */
export const confirmSource: Verb<ConfirmSource, SourceState> = async (
  ports,
  context,
  { sourceId },
) => {
  const access = decideAccess(context.actor, 'confirm_source', null);
  if (!access.ok) return access;
  const source = await ports.reads.getSource(sourceId);
  if (source === null) return notFound('SOURCE', sourceId);
  return ports.transact(context, async (transaction) => {
    const { kind, place, problem } = source;
    await transaction.apply([
      {
        kind: 'confirm_source',
        id: sourceId,
        events: [
          {
            type: 'source.confirmed',
            entityType: 'source',
            entityId: sourceId,
            metadata: { kind, place, problem },
          },
        ],
      },
    ]);
    return accept(source);
  });
};
