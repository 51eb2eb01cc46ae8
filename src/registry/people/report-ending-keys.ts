import { apiKeyEvent } from '../../core/decide/events.ts';
import { keyWarningMs } from '../../core/decide/people/api-key.ts';
import { accept } from '../../core/failure.ts';
import type { Context, Ports } from '../ports.ts';

/** The number that one sweep handles; the next sweep comes soon. */
const sweepLimit = 100;

/**
 * Writes one event per key, a month before it expires, so that readers of the trail can replace it
 * in time.
 */
export async function reportEndingKeys(ports: Ports, context: Context<never>): Promise<void> {
  await ports.transact<null>({ ...context, idempotency: undefined }, async (transaction) => {
    const at = transaction.now();
    const before = new Date(Date.parse(at) + keyWarningMs).toISOString();
    const ending = await transaction.lockEndingKeys(at, before, sweepLimit);
    if (ending.length === 0) return accept(null);
    await transaction.apply(
      ending.map((apiKey) => ({
        kind: 'note_key_end',
        id: apiKey.id,
        at,
        events: [apiKeyEvent('api_key.expiring', apiKey)],
      })),
    );
    return accept(null);
  });
}
