import type { Actor } from '../../actor.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { Registration } from '../../registration.ts';
import { decideAccess } from '../access.ts';
import type { ConfirmNeeds, UpdateRegistration } from '../commands.ts';

/** The need to state: what was found, with the fields that are stated already. */
export function decideConfirmation(
  { consumerTeamId, found, need }: Registration,
  { registrationId, digest, reason }: ConfirmNeeds,
  actor: Actor,
): Outcome<UpdateRegistration> {
  const access = decideAccess(actor, 'set_needs', consumerTeamId);
  if (!access.ok) return access;
  if (found?.digest !== digest) {
    return refuse(
      'PRECONDITION_FAILED',
      'What was found that the team reads is not what you confirm. Read the registration again, and send the digest of its found_needs.',
    );
  }
  if (found.fields === null) {
    const place = found.places.find(({ fields }) => fields === null)?.place ?? '';
    return refuse(
      'VALIDATION_ERROR',
      `${JSON.stringify(place)} reads everything, so there are no fields to confirm. State a need instead: send "needs" in PATCH.`,
      { field: 'digest' },
    );
  }
  const stated = need?.stated ?? { fields: [] };
  if ('schema' in stated) {
    return refuse(
      'VALIDATION_ERROR',
      'The team has stated its need as a schema, to which fields cannot be added. State a need instead: send "needs" in PATCH.',
      { field: 'digest' },
    );
  }
  const fields = [...new Set([...stated.fields, ...found.fields])];
  return accept({
    registrationId,
    reason,
    needs: { ...stated, fields },
    leavesOut: true,
    precondition: (now) =>
      now.found?.digest === digest &&
      JSON.stringify(now.need?.stated) === JSON.stringify(need?.stated),
  });
}
