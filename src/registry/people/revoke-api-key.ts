import { decideAccess } from '../../core/decide/access.ts';
import type { Deleted } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideRevocation } from '../../core/decide/people/api-key.ts';
import type { RevokeApiKey } from '../../core/decide/people/commands.ts';
import { checkReach } from '../../core/decide/people/reach.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const revokeApiKey: Verb<RevokeApiKey, Deleted> = async (ports, context, { apiKeyId }) => {
  const access = decideAccess(context.actor, 'manage_api_keys', null);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const apiKey = await transaction.lockApiKey(apiKeyId);
    if (apiKey === null) return notFound('API_KEY', apiKeyId);
    const reach = checkReach(context.actor, apiKey);
    if (!reach.ok) return reach;
    return applyDecided(transaction, decideRevocation(apiKey, byOf(context, transaction)));
  });
};
