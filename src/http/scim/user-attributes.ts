// A user of SCIM: the table of its attributes, how bodies and operations change them, and what they
// mean here. Attributes that are not in the table are ignored, as the standard wants it.

import type { WantedAccount } from '../../core/decide/people/commands.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { nameParts, type ProvisionedUser } from '../../core/user.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import { email as emailShape } from '../../wire/shapes/user.ts';
import type { Operation } from './operations.ts';
import { type AttributePath, readPath } from './paths.ts';

/** The attributes by their paths in lower case. */
const attributes = {
  username: 'userName',
  externalid: 'externalId',
  active: 'active',
  displayname: 'displayName',
  'name.formatted': 'formatted',
  'name.givenname': 'givenName',
  'name.familyname': 'familyName',
  'emails.value': 'email',
} as const;

type Attribute = (typeof attributes)[keyof typeof attributes];

/** What is said about a user. */
type Said = Partial<Record<Exclude<Attribute, 'active'>, string>> & { active?: boolean };

/** As names and external ids of providers are long. */
const textLimit = 255;
const nameLimit = 200;

/** The whole user, as POST and PUT send it. What PUT leaves out of these two stays. */
export function readUser(
  body: JsonObject,
  current: ProvisionedUser | null,
): Outcome<WantedAccount> {
  const { active = true, externalId } = current === null ? {} : saidOf(current);
  const said: Said = { active, ...(externalId !== undefined && { externalId }) };
  const problem = sayAll(said, body);
  return problem ?? wantedOf(said);
}

export function reviseUser(
  operations: readonly Operation[],
  current: ProvisionedUser,
): Outcome<WantedAccount> {
  const said = saidOf(current);
  for (const { op, path, value } of operations) {
    const asked = op === 'remove' ? null : value;
    const problem =
      path === null ? sayAll(said, asked as JsonObject) : say(said, path, asked ?? null);
    if (problem !== null) return problem;
  }
  return wantedOf(said);
}

function saidOf({ user, account }: ProvisionedUser): Said {
  const { userName, externalId, names } = account;
  return {
    ...{ userName, ...names, email: user.email, active: user.deactivatedAt === null },
    ...(externalId !== null && { externalId }),
  };
}

function sayAll(said: Said, body: JsonObject): Outcome<never> | null {
  for (const [path, value] of Object.entries(body)) {
    const problem = say(said, path, value);
    if (problem !== null) return problem;
  }
  return null;
}

function say(said: Said, path: string, value: Json): Outcome<never> | null {
  const read = readPath(path);
  if (!read.ok) return read;
  const { name } = read.value;
  if (name === 'name') {
    for (const part of ['formatted', 'givenName', 'familyName'] as const) delete said[part];
    const parts = isJsonObject(value) ? Object.entries(value) : [];
    for (const [part, text] of parts) {
      const problem = say(said, `name.${part}`, text);
      if (problem !== null) return problem;
    }
    return null;
  }
  if (name === 'emails' || name === 'emails.value') {
    return isWork(read.value) ? set(said, 'email', chooseAddress(value)) : null;
  }
  const known = Object.hasOwn(attributes, name)
    ? attributes[name as keyof typeof attributes]
    : null;
  return known === null ? null : set(said, known, value);
}

/** One address is kept: not the one at home. */
function isWork({ filter }: AttributePath): boolean {
  return filter.every(({ name, value }) => name.toLowerCase() !== 'type' || value === 'work');
}

/** The primary address of a list, or the one for work, or the first. */
function chooseAddress(value: Json): Json {
  const list = Array.isArray(value) ? value : [value];
  const entries = list.filter((one): one is JsonObject => isJsonObject(one));
  const chosen =
    entries.find(({ primary }) => primary === true) ??
    entries.find(({ type }) => type === 'work') ??
    entries[0];
  return chosen === undefined ? (list[0] ?? null) : (chosen.value ?? null);
}

function set(said: Said, attribute: Attribute, value: Json): Outcome<never> | null {
  if (attribute === 'active') {
    const active = readFlag(value);
    if (active === null) return invalid('active must be true or false.');
    said.active = active;
    return null;
  }
  if (value === null || value === '') {
    delete said[attribute];
    return null;
  }
  if (typeof value !== 'string' || value.length > textLimit) {
    return invalid(`${attribute} must be text of at most ${textLimit} characters.`);
  }
  said[attribute] = value;
  return null;
}

/** Entra ID sends booleans as text. */
function readFlag(value: Json): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return null;
  return { true: true, false: false }[value.toLowerCase()] ?? null;
}

function wantedOf(said: Said): Outcome<WantedAccount> {
  const { userName, externalId = null, active = true, email = userName } = said;
  if (userName === undefined || userName.trim() === '') return invalid('userName is required.');
  const address = emailShape.safeParse(email);
  if (!address.success) {
    return invalid(
      `${JSON.stringify(email)} is no e-mail address. Send one in emails, or as the userName.`,
    );
  }
  const names = Object.fromEntries(
    nameParts.flatMap((part) => (said[part] === undefined ? [] : [[part, said[part]]])),
  );
  const { displayName, formatted, givenName, familyName } = said;
  const shown = [displayName, formatted, `${givenName ?? ''} ${familyName ?? ''}`].map((one = '') =>
    one.trim().slice(0, nameLimit).toWellFormed(),
  );
  const name = shown.find((one) => one !== '') ?? address.data.split('@')[0] ?? '';
  return accept({ userName, externalId, names, email: address.data, name, isActive: active });
}

function invalid(message: string): Outcome<never> {
  return refuse('VALIDATION_ERROR', message, { details: { scim_type: 'invalidValue' } });
}
