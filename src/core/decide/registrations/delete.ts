import type { Asset } from '../../asset.ts';
import { accept, type Outcome } from '../../failure.ts';
import type { Registration } from '../../registration.ts';
import type { JsonObject } from '../../value/json.ts';
import { decideAccess, reasonForOther } from '../access.ts';
import type { DeleteRegistration } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { registrationEvent } from '../events.ts';
import type { RegistrationFacts } from '../facts.ts';
import { preconditionFailed } from '../not-found.ts';
import type { WriteOf } from '../write.ts';
import { isAsked, updateWrite } from './update.ts';

interface Departure {
  /** False if another source still requests the registration, or if it ends later. */
  readonly hasLeft: boolean;
}

export function decideDeparture(
  facts: RegistrationFacts,
  command: DeleteRegistration,
  { actor, at }: By,
): Outcome<Decided<Departure>> {
  const { asset, registration } = facts;
  const access = decideAccess(actor, 'delete_registration', registration.consumerTeamId);
  if (!access.ok) return access;
  if (command.precondition?.(registration) === false) return preconditionFailed();
  const named = { ...registration, registrationId: registration.id };
  const claims = registration.claims.filter((claim) => claim !== command.claim);
  if (command.claim !== undefined && claims.length > 0) {
    const told = { from: { claims: registration.claims }, to: { claims } };
    const kept = registrationEvent('registration.updated', named, asset, told);
    const left = { ...registration, claims, updatedAt: at };
    return accept({
      writes: [{ kind: 'update_registration', registration: left, events: [kept] }],
      answer: { hasLeft: false },
    });
  }
  if (command.claim !== undefined && command.endsAt !== undefined && isAsked(facts)) {
    const leaving = { ...registration, claims, endsAt: command.endsAt, updatedAt: at };
    const write = updateWrite(asset, registration, leaving);
    return accept({ writes: [write], answer: { hasLeft: false } });
  }
  const reasoned = isAsked(facts)
    ? reasonForOther(actor, registration.consumerTeamId, command.reason)
    : accept(null);
  if (!reasoned.ok) return reasoned;
  const { notes, status } = registration;
  const told = { status, notes, ...(reasoned.value !== null && { reason: reasoned.value }) };
  return accept({ writes: [departureWrite(registration, asset, told)], answer: { hasLeft: true } });
}

/** Also used where a team whose registration will end registers anew. */
export function departureWrite(
  {
    id,
    ...rest
  }: Pick<
    Registration,
    'id' | 'contractId' | 'contractVersion' | 'consumerTeamId' | 'consumerTeamName'
  >,
  asset: Asset,
  told: JsonObject = {},
): WriteOf<'delete_registration'> {
  const named = { ...rest, registrationId: id };
  const event = registrationEvent('registration.deleted', named, asset, told);
  return { kind: 'delete_registration', id, events: [event] };
}
