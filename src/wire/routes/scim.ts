// SCIM 2.0 (RFC 7643 and 7644): people and groups as an identity provider keeps them. Whatever the
// standard lets a client send is accepted here, so the shapes are open; src/http/scim reads them.

import { z } from 'zod';
import { type Answer, noContent, route, scimPrefix, scimType } from '../route.ts';
import { text } from '../shapes/shape.ts';

const Resource = z.looseObject({});

function shown(description: string): Answer<typeof Resource> {
  return { description, body: Resource, contentType: scimType };
}

/** Any text: what is not an id of ours is answered with 404, as SCIM wants it. */
const idParams = z.strictObject({ id: text('The id.', '0198c5a2-7b31-7f6e-8d2c-5a9e1f3b7d60') });
const attributes = {
  attributes: text('Only these attributes.', 'userName,active').optional(),
  excludedAttributes: text('Without these attributes.', 'members').optional(),
};
const shownQuery = z.looseObject(attributes);
const listQuery = z.looseObject({
  filter: text('Comparisons with eq, joined by and.', 'userName eq "ada@example.com"').optional(),
  startIndex: z.int().default(1),
  count: z.int().default(100),
  ...attributes,
});

const all = { tag: 'SCIM', scope: 'scim', who: 'scope' } as const;

export const scimRoutes = {
  scimGetConfig: route({
    ...{ ...all, method: 'GET', path: `${scimPrefix}/ServiceProviderConfig` },
    summary: 'What is supported',
    answers: { 200: shown('What is supported.') },
    errors: [],
  }),
  scimListResourceTypes: route({
    ...{ ...all, method: 'GET', path: `${scimPrefix}/ResourceTypes` },
    summary: 'List the types of resources',
    answers: { 200: shown('The types.') },
    errors: [],
  }),
  scimGetResourceType: route({
    ...{ ...all, method: 'GET', path: `${scimPrefix}/ResourceTypes/{id}` },
    summary: 'Get a type of resources',
    params: idParams,
    answers: { 200: shown('The type.') },
    errors: ['ROUTE_NOT_FOUND'],
  }),
  scimListSchemas: route({
    ...{ ...all, method: 'GET', path: `${scimPrefix}/Schemas` },
    summary: 'List the schemas',
    answers: { 200: shown('The schemas.') },
    errors: [],
  }),
  scimGetSchema: route({
    ...{ ...all, method: 'GET', path: `${scimPrefix}/Schemas/{id}` },
    summary: 'Get a schema',
    params: idParams,
    answers: { 200: shown('The schema.') },
    errors: ['ROUTE_NOT_FOUND'],
  }),
  scimListUsers: route({
    ...{ ...all, method: 'GET', path: `${scimPrefix}/Users` },
    summary: 'Find users',
    query: listQuery,
    answers: { 200: shown('A page of users.') },
    errors: ['ROUTE_NOT_FOUND'],
  }),
  scimCreateUser: route({
    ...{ ...all, method: 'POST', path: `${scimPrefix}/Users` },
    summary: 'Create a user',
    query: shownQuery,
    body: Resource,
    largeBody: true,
    answers: { 201: shown('The new user.') },
    errors: ['USER_EXISTS', 'ROUTE_NOT_FOUND'],
  }),
  scimGetUser: route({
    ...{ ...all, method: 'GET', path: `${scimPrefix}/Users/{id}` },
    summary: 'Get a user',
    params: idParams,
    query: shownQuery,
    answers: { 200: shown('The user.') },
    errors: ['USER_NOT_FOUND', 'ROUTE_NOT_FOUND'],
  }),
  scimReplaceUser: route({
    ...{ ...all, method: 'PUT', path: `${scimPrefix}/Users/{id}` },
    summary: 'Replace a user',
    params: idParams,
    query: shownQuery,
    body: Resource,
    largeBody: true,
    answers: { 200: shown('The user.') },
    errors: ['USER_NOT_FOUND', 'USER_EXISTS', 'ROUTE_NOT_FOUND'],
  }),
  scimPatchUser: route({
    ...{ ...all, method: 'PATCH', path: `${scimPrefix}/Users/{id}` },
    summary: 'Change a user',
    params: idParams,
    query: shownQuery,
    body: Resource,
    largeBody: true,
    answers: { 200: shown('The user.') },
    errors: ['USER_NOT_FOUND', 'USER_EXISTS', 'ROUTE_NOT_FOUND'],
  }),
  scimDeleteUser: route({
    ...{ ...all, method: 'DELETE', path: `${scimPrefix}/Users/{id}` },
    summary: 'Delete a user',
    params: idParams,
    answers: { 204: noContent('The user is deactivated, and not shown any more.') },
    errors: ['USER_NOT_FOUND', 'ROUTE_NOT_FOUND'],
  }),
  scimListGroups: route({
    ...{ ...all, method: 'GET', path: `${scimPrefix}/Groups` },
    summary: 'Find groups',
    query: listQuery,
    answers: { 200: shown('A page of groups.') },
    errors: ['ROUTE_NOT_FOUND'],
  }),
  scimCreateGroup: route({
    ...{ ...all, method: 'POST', path: `${scimPrefix}/Groups` },
    summary: 'Create a group',
    query: shownQuery,
    body: Resource,
    largeBody: true,
    answers: { 201: shown('The new group.') },
    errors: ['GROUP_EXISTS', 'ROUTE_NOT_FOUND'],
  }),
  scimGetGroup: route({
    ...{ ...all, method: 'GET', path: `${scimPrefix}/Groups/{id}` },
    summary: 'Get a group',
    params: idParams,
    query: shownQuery,
    answers: { 200: shown('The group.') },
    errors: ['GROUP_NOT_FOUND', 'ROUTE_NOT_FOUND'],
  }),
  scimReplaceGroup: route({
    ...{ ...all, method: 'PUT', path: `${scimPrefix}/Groups/{id}` },
    summary: 'Replace a group',
    params: idParams,
    query: shownQuery,
    body: Resource,
    largeBody: true,
    answers: { 200: shown('The group.') },
    errors: ['GROUP_NOT_FOUND', 'GROUP_EXISTS', 'ROUTE_NOT_FOUND'],
  }),
  scimPatchGroup: route({
    ...{ ...all, method: 'PATCH', path: `${scimPrefix}/Groups/{id}` },
    summary: 'Change a group',
    description: 'The members may be many, so they are not sent back.',
    params: idParams,
    body: Resource,
    query: shownQuery,
    largeBody: true,
    answers: { 204: noContent('The group is changed.') },
    errors: ['GROUP_NOT_FOUND', 'GROUP_EXISTS', 'ROUTE_NOT_FOUND'],
  }),
  scimDeleteGroup: route({
    ...{ ...all, method: 'DELETE', path: `${scimPrefix}/Groups/{id}` },
    summary: 'Delete a group',
    params: idParams,
    answers: { 204: noContent('The group is deleted; its members stay.') },
    errors: ['GROUP_NOT_FOUND', 'ROUTE_NOT_FOUND'],
  }),
};
