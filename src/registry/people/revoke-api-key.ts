import { decideAccess } from '../../core/decide/access.ts';
import type { Deleted } from '../../core/decide/commands.ts';
import { apiKeyEvent } from '../../core/decide/events.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept } from '../../core/failure.ts';
import type { RevokeApiKey, Verb } from '../commands.ts';

export const revokeApiKey: Verb<RevokeApiKey, Deleted> = async (ports, context, { apiKeyId }) => {
  const access = decideAccess(context.actor, 'manage_api_keys', null);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const apiKey = await transaction.lockApiKey(apiKeyId);
    if (apiKey === null) return notFound('API_KEY', apiKeyId);
    // Revoking what is revoked changes nothing, and is no error.
    if (apiKey.revokedAt !== null) return accept({ deleted: true });
    const event = apiKeyEvent('api_key.revoked', apiKey);
    await transaction.apply([
      { kind: 'revoke_api_key', id: apiKeyId, at: transaction.now(), events: [event] },
    ]);
    return accept({ deleted: true });
  });
};
