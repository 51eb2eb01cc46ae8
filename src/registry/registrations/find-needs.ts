import type { FindNeeds } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideFoundNeeds } from '../../core/decide/registrations/find-needs.ts';
import type { Registration } from '../../core/registration.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { reopenIfAwaited } from '../proposals/reopen-proposal.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';

/** Keeps what a finder saw. A proposal that excused the team may ask it from now on. */
export const findNeeds: Verb<FindNeeds, Registration> = async (ports, context, command) => {
  const { registrationId } = command;
  const outcome = await ports.transact(context, async (transaction) => {
    const facts = await transaction.lockRegistration(registrationId);
    if (facts === null) return notFound('REGISTRATION', registrationId);
    const decided = decideFoundNeeds(facts, command, byOf(context, transaction));
    const updated = await applyDecided(transaction, decided);
    const before = facts.registration;
    const isOther =
      updated.ok &&
      (updated.value.found?.digest !== before.found?.digest ||
        updated.value.status !== before.status);
    if (isOther) await reopenIfAwaited(transaction, facts);
    return updated;
  });
  if (outcome.ok) await settleProposal(ports, context, outcome.value.assetId);
  return outcome;
};
