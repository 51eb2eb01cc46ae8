// Reads in the audit trail who ended a registration and who stated its need, because the status of an
// object may be lost, and the object may have had another name.

import type { AuditEvent, EventType } from '../../../core/event.ts';
import type { Registration } from '../../../core/registration.ts';
import type { Reads } from '../../../registry/ports.ts';
import type { ContractRegistrationStatus } from '../../crd/resources.ts';

/**
 * Whether a person ended the registration that the object had. If another object did, or if the
 * database is older than the registration, the object still registers its team.
 */
export async function isEndedOnPurpose(
  reads: Reads,
  { registrationId }: ContractRegistrationStatus,
): Promise<boolean> {
  if (registrationId === undefined) return false;
  const [ended] = await listEventsOf(reads, registrationId, 'registration.deleted');
  return ended !== undefined && ended.actorType !== 'controller';
}

/**
 * Whether a person changed the need last. If an object did, it may be one that was renamed to the
 * current one; if nobody did, the database is older than what the object has stated.
 */
export async function isNeedOfPerson(reads: Reads, { id }: Registration): Promise<boolean> {
  const changes = await listEventsOf(reads, id, 'registration.needs_changed');
  // The system only notes whether a need is met.
  const last = changes.find(({ actorType }) => actorType !== 'system');
  return last !== undefined && last.actorType !== 'controller';
}

/** A need changes less often in years. */
const eventLimit = 100;

/** Newest first. */
async function listEventsOf(
  reads: Reads,
  entityId: string,
  eventType: EventType,
): Promise<readonly AuditEvent[]> {
  const page = { limit: eventLimit, offset: 0, includeTotal: false, personal: 'all' } as const;
  const listed = await reads.listEvents({ ...page, entityId, eventType });
  return listed.ok ? listed.value.results : [];
}
