import type { UpdateRegistration } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideRegistrationUpdate } from '../../core/decide/registrations/update.ts';
import type { Registration } from '../../core/registration.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { reopenIfAwaited } from '../proposals/reopen-proposal.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';
import { tryAgain } from '../try-again.ts';
import { prepareNeed } from './prepare-need.ts';

export const updateRegistration: Verb<UpdateRegistration, Registration> = async (
  ports,
  context,
  command,
) => {
  const { registrationId, needs } = command;
  const outcome = await tryAgain<Registration>(async () => {
    const known = needs === undefined ? null : await ports.reads.getRegistration(registrationId);
    const prepared = await prepareNeed(ports, context, command, known);
    if (!prepared.ok) return prepared;
    return ports.attempt(context, async (transaction) => {
      const facts = await transaction.lockRegistration(registrationId);
      if (facts === null) return notFound('REGISTRATION', registrationId);
      const contractId = command.contractId ?? facts.registration.contractId;
      const target = await transaction.findContract(contractId);
      const decided = decideRegistrationUpdate(
        { ...facts, target, prepared: prepared.value },
        command,
        byOf(context, transaction),
      );
      const updated = await applyDecided(transaction, decided);
      const isWritten = 'ok' in decided && decided.ok && decided.value.writes.length > 0;
      if (isWritten) await reopenIfAwaited(transaction, facts);
      return updated;
    });
  });
  if (outcome.ok) await settleProposal(ports, context, outcome.value.assetId);
  return outcome;
};
