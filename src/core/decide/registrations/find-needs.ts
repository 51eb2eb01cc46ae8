// What finders saw that a consumer reads. It only adds to whom a change asks, so whoever writes for the
// team may add to it, and only who answers for the team may take from it.

import { accept, type Outcome, refuse } from '../../failure.ts';
import type { Timestamp } from '../../id.ts';
import type { FoundNeed, FoundPlace } from '../../need.ts';
import { isLeaving, type Registration } from '../../registration.ts';
import { decideAccess } from '../access.ts';
import type { FindNeeds } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { registrationEvent } from '../events.ts';
import type { RegistrationFacts } from '../facts.ts';
import { updateWrite } from './update.ts';

/** Those of the shape of a need: what was found may be confirmed. */
const maxFields = 10_000;
const maxPlaces = 1_000;

export function decideFoundNeeds(
  facts: RegistrationFacts,
  asked: FindNeeds,
  { actor, at, newId }: By,
): Outcome<Decided<Registration>> {
  const { asset } = facts;
  const registration = wokenBy(facts, asked, at);
  const wakes =
    registration === facts.registration
      ? []
      : [updateWrite(asset, facts.registration, registration)];
  const command = isJoint(registration.found, asked) ? joined(asked) : asked;
  const { consumerTeamId } = registration;
  const access = decideAccess(actor, 'find_needs', consumerTeamId);
  if (!access.ok) return access;
  if (asset.deletedAt !== null) {
    return refuse(
      'ASSET_NOT_FOUND',
      `${asset.fqn} was deleted, so nothing more can be found that the team reads of it.`,
    );
  }
  if (command.onlyAdds === true && wakes.length === 0 && isKnown(registration.found, command, at)) {
    return accept({ writes: [], answer: registration });
  }
  const mayRemove =
    command.onlyAdds !== true && decideAccess(actor, 'set_needs', consumerTeamId).ok;
  const added = placesAfter(registration.found?.places ?? [], command, { mayRemove, at });
  const places = command.onlyAdds === true && isTooMuch(added) ? join(added, command, at) : added;
  if (isTooMuch(places)) {
    return refuse(
      'VALIDATION_ERROR',
      `A registration may have ${maxPlaces} places and ${maxFields} fields that were found. Send larger places, such as a folder, or a place with "fields": null, which reads everything.`,
      { field: 'places' },
    );
  }
  const fields = fieldsOf(places);
  const before = registration.found;
  const isSame = before !== null && places.length > 0 && isSameFields(before.fields, fields);
  const digest = isSame ? before.digest : `found-${newId()}`;
  const found: FoundNeed | null = places.length === 0 ? null : { digest, fields, places };
  if (found === null && before === null) return accept({ writes: [], answer: registration });
  const event = registrationEvent(
    'registration.needs_found',
    { ...registration, registrationId: registration.id },
    asset,
    {
      from: before?.digest ?? null,
      to: found?.digest ?? null,
      origin: command.origin,
      source: command.source,
      fields: fields?.length ?? null,
    },
  );
  return accept({
    writes: [...wakes, { kind: 'set_found_need', id: registration.id, found, at, events: [event] }],
    answer: { ...registration, found, updatedAt: at },
  });
}

/**
 * A team that ended its registration, and still reads the asset, is a consumer of the version in force
 * again, as it would be if it had deleted its registration. One whose registration will end keeps it.
 */
function wokenBy(
  { asset, base, registration }: RegistrationFacts,
  { places }: FindNeeds,
  at: Timestamp,
): Registration {
  const isOwn = asset.ownerTeamId === registration.consumerTeamId;
  const isAwake = registration.status === 'active';
  if ((isAwake && !isLeaving(registration)) || places.length === 0 || isOwn) return registration;
  if (base === null || base.status === 'archived') return registration;
  const staying = { ...registration, endsAt: null, updatedAt: at };
  if (isAwake) return staying;
  return {
    ...staying,
    ...{ status: 'active', contractId: base.id, contractVersion: base.version, migratesAt: null },
  };
}

type Places = FoundNeed['places'];

function isTooMuch(places: Places): boolean {
  const fields = places.reduce((sum, each) => sum + (each.fields?.length ?? 0), 0);
  return places.length > maxPlaces || fields > maxFields;
}

/**
 * Jobs may have a new name for each run. Those of a source become one place then, for good, because
 * nobody reads a refusal of an event.
 */
function join(places: Places, { origin, source }: FindNeeds, at: Timestamp): Places {
  const isOfSource = (each: Places[number]) => each.origin === origin && each.source === source;
  const all = fieldsOf(places.filter(isOfSource));
  const others = places.filter((each) => !isOfSource(each));
  const one = { origin, source, place: jointPlace(source), lastSeenAt: at };
  const exact = [...others, { ...one, fields: all }];
  return isTooMuch(exact) ? [...others, { ...one, fields: null }] : exact;
}

function jointPlace(source: string): string {
  return `all jobs of ${source}`;
}

function isJoint(found: FoundNeed | null, { origin, source, onlyAdds }: FindNeeds): boolean {
  const joint = found?.places.some(
    (each) => each.origin === origin && each.source === source && each.place === jointPlace(source),
  );
  return onlyAdds === true && joint === true;
}

function joined(command: FindNeeds): FindNeeds {
  const place = jointPlace(command.source);
  return { ...command, places: command.places.map((each) => ({ ...each, place })) };
}

/** Jobs run all day long, and the trail need not have an event of each run. */
const seenAgainMs = 24 * 60 * 60 * 1_000;

function isKnown(found: FoundNeed | null, { origin, source, places }: FindNeeds, at: Timestamp) {
  return places.every(({ place, fields }) => {
    const known = found?.places.find(
      (each) => each.origin === origin && each.source === source && each.place === place,
    );
    if (known === undefined || Date.parse(at) - Date.parse(known.lastSeenAt) >= seenAgainMs) {
      return false;
    }
    const { fields: before } = known;
    return before === null || (fields?.every((field) => before.includes(field)) ?? false);
  });
}

function placesAfter(
  before: Places,
  { origin, source, places }: FindNeeds,
  {
    mayRemove,
    at,
  }: { readonly mayRemove: boolean; readonly at: FoundNeed['places'][number]['lastSeenAt'] },
): Places {
  const isOfSource = (each: Places[number]) => each.origin === origin && each.source === source;
  const known = new Map(before.filter(isOfSource).map((each) => [each.place, each]));
  const seen = new Map<string, Places[number]>();
  for (const { place, fields } of places) {
    const kept = [seen.get(place), mayRemove ? undefined : known.get(place)];
    const all = fieldsOf([{ fields }, ...kept.filter((each) => each !== undefined)]);
    seen.set(place, { origin, source, place, fields: all, lastSeenAt: at });
  }
  const left = mayRemove ? [] : [...known.values()].filter(({ place }) => !seen.has(place));
  return [...before.filter((each) => !isOfSource(each)), ...left, ...seen.values()];
}

/** Of all places: null if one of them reads everything. */
function fieldsOf(places: readonly Pick<FoundPlace, 'fields'>[]): readonly string[] | null {
  const fields = new Set<string>();
  for (const place of places) {
    if (place.fields === null) return null;
    for (const field of place.fields) fields.add(field);
  }
  return [...fields].sort();
}

function isSameFields(before: FoundNeed['fields'], after: FoundNeed['fields']): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
