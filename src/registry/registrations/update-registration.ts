import type { UpdateRegistration } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideRegistrationUpdate } from '../../core/decide/registrations/update.ts';
import type { Registration } from '../../core/registration.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { reopenIfAwaited } from '../proposals/reopen-proposal.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';

export const updateRegistration: Verb<UpdateRegistration, Registration> = async (
  ports,
  context,
  command,
) => {
  const { registrationId } = command;
  const outcome = await ports.transact(context, async (transaction) => {
    const facts = await transaction.lockRegistration(registrationId);
    if (facts === null) return notFound('REGISTRATION', registrationId);
    const contractId = command.contractId ?? facts.registration.contractId;
    const known = { ...facts, target: await transaction.findContract(contractId) };
    const decided = decideRegistrationUpdate(known, command, byOf(context, transaction));
    const updated = await applyDecided(transaction, decided);
    if (decided.ok && decided.value.writes.length > 0) await reopenIfAwaited(transaction, facts);
    return updated;
  });
  if (outcome.ok) await settleProposal(ports, context, outcome.value.assetId);
  return outcome;
};
