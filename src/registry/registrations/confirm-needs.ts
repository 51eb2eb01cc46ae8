import type { ConfirmNeeds } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideConfirmation } from '../../core/decide/registrations/confirm-needs.ts';
import type { Registration } from '../../core/registration.ts';
import type { Verb } from '../commands.ts';
import { updateRegistration } from './update-registration.ts';

/** States what was found as a need, by the same decision as any other need. */
export const confirmNeeds: Verb<ConfirmNeeds, Registration> = async (ports, context, command) => {
  const registration = await ports.reads.getRegistration(command.registrationId);
  if (registration === null) return notFound('REGISTRATION', command.registrationId);
  const confirmed = decideConfirmation(registration, command, context.actor);
  return confirmed.ok ? updateRegistration(ports, context, confirmed.value) : confirmed;
};
