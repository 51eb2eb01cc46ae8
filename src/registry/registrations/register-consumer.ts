import { decideAccess } from '../../core/decide/access.ts';
import type { RegisterConsumer } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideRegistration } from '../../core/decide/registrations/register.ts';
import type { Registration } from '../../core/registration.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { reopenIfAwaited } from '../proposals/reopen-proposal.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';
import { tryAgain } from '../try-again.ts';
import { prepareNeed } from './prepare-need.ts';

/**
 * Registers under the asset's lock, so a breaking publish either sees this consumer or came first.
 */
export const registerConsumer: Verb<RegisterConsumer, Registration> = async (
  ports,
  context,
  command,
) => {
  const { contractId, consumerTeamId, needs } = command;
  const access = decideAccess(context.actor, 'register_consumer', consumerTeamId);
  if (!access.ok) return access;
  const outcome = await tryAgain<Registration>(async () => {
    const contract = needs === undefined ? null : await ports.reads.getContract(contractId);
    const of = contract === null ? null : { assetId: contract.assetId, consumerTeamId };
    const prepared = await prepareNeed(ports, context, command, of);
    if (!prepared.ok) return prepared;
    return ports.attempt(context, async (transaction) => {
      const facts = await transaction.lockContract(contractId);
      if (facts === null) return notFound('CONTRACT', contractId, 'contract_id');
      const team = await transaction.holdTeam(consumerTeamId);
      const existing = await transaction.findRegistration(facts.asset.id, consumerTeamId);
      const known = { ...facts, team, existing, prepared: prepared.value };
      const decided = decideRegistration(known, command, byOf(context, transaction));
      const outcome = await applyDecided(transaction, decided);
      if ('ok' in outcome && outcome.ok) await reopenIfAwaited(transaction, facts);
      return outcome;
    });
  });
  if (outcome.ok && needs !== undefined) {
    await settleProposal(ports, context, outcome.value.assetId);
  }
  return outcome;
};
