// Reads in the audit trail who ended a registration and who stated its need, because the status of an
// object may be lost, and the object may have had another name.

import type { ActorType } from '../../../core/actor.ts';
import type { AuditEvent, EventType } from '../../../core/event.ts';
import type { Registration } from '../../../core/registration.ts';
import type { Reads } from '../../../registry/ports.ts';
import type { ContractRegistrationStatus } from '../../crd/resources.ts';

/** The system ends the registration of an object that was deleted. */
const byObjects: ReadonlySet<ActorType> = new Set(['controller', 'system']);

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
  return ended !== undefined && !byObjects.has(ended.actorType);
}

/**
 * Whether a person changed the need last. If an object did, it may be one that was renamed to the
 * current one; if nobody did, or the trail lacks the need that the object has stated, the database is older than that.
 */
export async function isNeedOfPerson(
  reads: Reads,
  { id }: Registration,
  { needsDigest }: ContractRegistrationStatus = {},
): Promise<boolean> {
  const changes = await listEventsOf(reads, id, 'registration.needs_changed');
  const met =
    needsDigest === undefined ? [] : await listEventsOf(reads, id, 'registration.needs_met');
  const isOlder =
    needsDigest !== undefined &&
    ![...changes, ...met].some((one) => one.metadata.to === needsDigest);
  // The system only notes whether a need is met.
  const last = changes.find(({ actorType }) => actorType !== 'system');
  return !isOlder && last !== undefined && last.actorType !== 'controller';
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
  if (!listed.ok) throw new Error(listed.failure.message);
  return listed.value.results;
}
