// Users and groups as SCIM has them, and what is shown of them.

import type { ProvisionedGroup, ProvisionedUser } from '../../core/user.ts';
import { scimPrefix } from '../../wire/route.ts';

const coreSchemas = 'urn:ietf:params:scim:schemas:core:2.0';
export const userSchema = `${coreSchemas}:User`;
export const groupSchema = `${coreSchemas}:Group`;

export type Resource = Readonly<Record<string, unknown>>;

export function showUser({ user, account }: ProvisionedUser, ownUrl: string): Resource {
  const { displayName, formatted, givenName, familyName } = account.names;
  return {
    schemas: [userSchema],
    id: user.id,
    ...(account.externalId !== null && { externalId: account.externalId }),
    userName: account.userName,
    displayName: displayName ?? user.name,
    name: {
      formatted: formatted ?? user.name,
      ...(givenName !== undefined && { givenName }),
      ...(familyName !== undefined && { familyName }),
    },
    emails: [{ value: user.email, type: 'work', primary: true }],
    active: user.deactivatedAt === null,
    meta: metaOf('User', user, ownUrl),
  };
}

export function showGroup({ group, members }: ProvisionedGroup, ownUrl: string): Resource {
  const users = `${ownUrl}${scimPrefix}/Users`;
  return {
    schemas: [groupSchema],
    id: group.id,
    ...(group.externalId !== null && { externalId: group.externalId }),
    displayName: group.displayName,
    ...(members !== null && {
      members: members.map((value) => ({ value, type: 'User', $ref: `${users}/${value}` })),
    }),
    meta: metaOf('Group', group, ownUrl),
  };
}

function metaOf(
  resourceType: 'User' | 'Group',
  {
    id,
    createdAt,
    updatedAt,
  }: { readonly id: string; readonly createdAt: string; readonly updatedAt: string },
  ownUrl: string,
) {
  const location = `${ownUrl}${scimPrefix}/${resourceType}s/${id}`;
  return { resourceType, created: createdAt, lastModified: updatedAt, location };
}

/** Which attributes a caller wants; the id and the schemas are always shown. */
export interface Shown {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

/** @example wantsMembers({ excludedAttributes: 'members' }) // false */
export function wantsMembers({ attributes, excludedAttributes }: Shown): boolean {
  if (attributes !== undefined) return namesOf(attributes).some((name) => /^members\b/.test(name));
  return excludedAttributes === undefined || !namesOf(excludedAttributes).includes('members');
}

/** @example onlyShown(user, { attributes: 'userName,name.givenName' }) */
export function onlyShown(resource: Resource, { attributes, excludedAttributes }: Shown): Resource {
  if (attributes === undefined && excludedAttributes === undefined) return resource;
  const named = new Set(namesOf(attributes ?? excludedAttributes ?? ''));
  const isKept = (path: string) => named.has(path) === (attributes !== undefined);
  const parents = new Set([...named].map((path) => path.split('.')[0]));
  const kept = Object.entries(resource).flatMap(([name, value]): [string, unknown][] => {
    const path = name.toLowerCase();
    if (path === 'id' || path === 'schemas') return [[name, value]];
    if (!parents.has(path) || named.has(path)) return isKept(path) ? [[name, value]] : [];
    if (Array.isArray(value)) return [[name, value]];
    const parts = Object.entries(value ?? {});
    const shown = parts.filter(([part]) => isKept(`${path}.${part.toLowerCase()}`));
    return [[name, Object.fromEntries(shown)]];
  });
  return Object.fromEntries(kept);
}

function namesOf(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^urn:.*:(?=\w+(?:\.\w+)?$)/i, '')
        .toLowerCase(),
    )
    .filter((name) => name !== '');
}
