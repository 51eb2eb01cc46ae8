// A group of SCIM: a name, an external id, and members, who are users.

import type { WantedGroup } from '../../core/decide/people/commands.ts';
import { unknownMember } from '../../core/decide/people/provisioning.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { isId, type UserId } from '../../core/id.ts';
import type { ProvisionedGroup } from '../../core/user.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import { memberOf, type Operation } from './operations.ts';
import { type AttributePath, readPath } from './paths.ts';

interface Said {
  displayName: string | null;
  externalId: string | null;
  members: Set<UserId>;
}

/** As the table of groups has them. */
const nameLimit = 200;

export function readGroup(body: JsonObject): Outcome<WantedGroup> {
  const said: Said = { displayName: null, externalId: null, members: new Set() };
  return sayAll(said, body) ?? wantedOf(said);
}

export function reviseGroup(
  operations: readonly Operation[],
  { group, members }: ProvisionedGroup,
): Outcome<WantedGroup> {
  const { displayName, externalId } = group;
  const said: Said = { displayName, externalId, members: new Set(members) };
  for (const { op, path, value = null } of operations) {
    const problem =
      path === null ? sayAll(said, value as JsonObject, op) : say(said, path, { op, value });
    if (problem !== null) return problem;
  }
  return wantedOf(said);
}

function sayAll(
  said: Said,
  body: JsonObject,
  op: Operation['op'] = 'replace',
): Outcome<never> | null {
  for (const [path, value] of Object.entries(body)) {
    const problem = say(said, path, { op, value });
    if (problem !== null) return problem;
  }
  return null;
}

function say(
  said: Said,
  path: string,
  { op, value }: { readonly op: Operation['op']; readonly value: Json },
): Outcome<never> | null {
  const read = readPath(path);
  if (!read.ok) return read;
  const asked = op === 'remove' ? null : value;
  switch (read.value.name) {
    case 'displayname':
      return setText(said, 'displayName', asked);
    case 'externalid':
      return setText(said, 'externalId', asked);
    case 'members':
      return sayMembers(said, read.value, op, value);
    default:
      return null;
  }
}

function setText(
  said: Said,
  attribute: 'displayName' | 'externalId',
  value: Json,
): Outcome<never> | null {
  if (value !== null && (typeof value !== 'string' || value.length > nameLimit)) {
    return invalid(`${attribute} must be text of at most ${nameLimit} characters.`);
  }
  said[attribute] = value;
  return null;
}

function sayMembers(
  said: Said,
  { filter }: AttributePath,
  op: Operation['op'],
  value: Json,
): Outcome<never> | null {
  if (filter.length > 0) return removeOne(said, filter, op);
  const given = idsOf(value);
  if (given === null) return invalid('members must be a list of { "value": the id of a user }.');
  // Without a value, all are removed. Entra ID names those who leave in the value.
  if (op === 'remove' && value !== null) {
    for (const id of given) said.members.delete(id.toLowerCase());
    return null;
  }
  const stranger = given.find((id) => !isId(id));
  if (stranger !== undefined) return unknownMember(stranger.slice(0, nameLimit));
  const next = given.map((id) => id.toLowerCase());
  if (op !== 'add') said.members = new Set(next);
  else for (const id of next) said.members.add(id);
  return null;
}

function removeOne(
  said: Said,
  filter: AttributePath['filter'],
  op: Operation['op'],
): Outcome<never> | null {
  const [first, second] = filter;
  const isById = first?.name.toLowerCase() === 'value' && second === undefined;
  if (op !== 'remove' || !isById || typeof first?.value !== 'string') {
    return refuse(
      'VALIDATION_ERROR',
      'A path with a filter can only remove one member: members[value eq "the id"].',
      { details: { scim_type: 'invalidPath' } },
    );
  }
  said.members.delete(first.value.toLowerCase());
  return null;
}

function idsOf(value: Json): readonly string[] | null {
  if (value === null) return [];
  const ids: string[] = [];
  for (const one of Array.isArray(value) ? value : [value]) {
    const id = isJsonObject(one) ? memberOf(one, 'value') : one;
    if (typeof id !== 'string') return null;
    ids.push(id);
  }
  return ids;
}

function wantedOf({ displayName, externalId, members }: Said): Outcome<WantedGroup> {
  if (displayName === null || displayName.trim() === '') {
    return invalid('displayName is required.');
  }
  return accept({ displayName, externalId, members });
}

function invalid(message: string): Outcome<never> {
  return refuse('VALIDATION_ERROR', message, { details: { scim_type: 'invalidValue' } });
}
