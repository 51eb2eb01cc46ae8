import type { Actor } from '../../core/actor.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { ExchangeToken } from '../../core/decide/people/commands.ts';
import { chooseTrust, decideExchange, nameOfKey } from '../../core/decide/people/trust.ts';
import type { ApiKey } from '../../core/team.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/**
 * Issues a key for a token whose signature was checked. The key itself is the actor: nobody else
 * takes part.
 */
export const exchangeToken: Verb<ExchangeToken, ApiKey> = async (ports, context, command) => {
  const { token, trustId } = command;
  const chosen = chooseTrust(await ports.reads.findTrusts(token.issuer), token, trustId);
  if (!chosen.ok) return chosen;
  const { id } = chosen.value;
  const name = nameOfKey(token);
  const actor: Actor = { type: 'api_key', id: context.newId(), name, scope: 'read', teams: [] };
  const own = { ...context, actor };
  return ports.transact(own, async (transaction) => {
    const facts = await transaction.lockForExchange(id, token.digest);
    if (facts === null) return notFound('TRUST', id);
    return applyDecided(transaction, decideExchange(facts, command, byOf(own, transaction)));
  });
};
