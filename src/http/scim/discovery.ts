// What this server says about itself: what it supports, and the attributes of users and groups.

import { refuse } from '../../core/failure.ts';
import { scimPrefix } from '../../wire/route.ts';
import { groupSchema, type Resource, userSchema } from './resources.ts';

/** The most that a page of a list shows. */
export const maxResults = 200;

const schemaOfSchemas = 'urn:ietf:params:scim:schemas:core:2.0';

export function describeServer(ownUrl: string): Resource {
  const no = { supported: false };
  return {
    schemas: [`${schemaOfSchemas}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults },
    changePassword: no,
    sort: no,
    etag: no,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'API key',
        description: 'An API key with the scope admin, as a bearer token.',
      },
    ],
    meta: metaOf('ServiceProviderConfig', `${ownUrl}${scimPrefix}/ServiceProviderConfig`),
  };
}

export function listResourceTypes(ownUrl: string): readonly Resource[] {
  return [
    { name: 'User', schema: userSchema },
    { name: 'Group', schema: groupSchema },
  ].map(({ name, schema }) => ({
    schemas: [`${schemaOfSchemas}:ResourceType`],
    ...{ id: name, name, endpoint: `/${name}s`, schema },
    meta: metaOf('ResourceType', `${ownUrl}${scimPrefix}/ResourceTypes/${name}`),
  }));
}

export function listSchemas(ownUrl: string): readonly Resource[] {
  return schemas.map((schema) => ({
    schemas: [`${schemaOfSchemas}:Schema`],
    ...schema,
    meta: metaOf('Schema', `${ownUrl}${scimPrefix}/Schemas/${schema.id}`),
  }));
}

/** The one of a list with this id. */
export function oneOf(list: readonly Resource[], id: string) {
  const found = list.find((one) => one.id === id);
  const message = `There is no ${id}. GET ${scimPrefix}/Schemas and ${scimPrefix}/ResourceTypes list all.`;
  return found === undefined
    ? refuse('ROUTE_NOT_FOUND', message)
    : ({ ok: true, value: found } as const);
}

function metaOf(resourceType: string, location: string) {
  return { resourceType, location };
}

interface More {
  readonly required?: true;
  readonly mutability?: 'immutable' | 'readOnly';
  readonly uniqueness?: 'server';
  readonly caseExact?: true;
}

function attribute(name: string, description: string, more: More = {}) {
  return {
    ...{ name, type: 'string', multiValued: false, description, required: false },
    ...{ caseExact: false, mutability: 'readWrite', returned: 'default', uniqueness: 'none' },
    ...more,
  };
}

function complex(
  name: string,
  description: string,
  subAttributes: readonly object[],
  multiValued = false,
) {
  const { caseExact, uniqueness, ...shared } = attribute(name, description);
  return { ...shared, type: 'complex', multiValued, subAttributes };
}

const externalId = attribute('externalId', 'What the identity provider calls it.', {
  caseExact: true,
});

const schemas = [
  {
    id: userSchema,
    name: 'User',
    description: 'A person.',
    attributes: [
      attribute('userName', 'The name at the identity provider.', {
        ...{ required: true, uniqueness: 'server' },
      }),
      { ...externalId, mutability: 'immutable', uniqueness: 'server' },
      attribute('displayName', 'The name that is shown.'),
      complex('name', 'The parts of the name.', [
        attribute('formatted', 'The whole name.'),
        attribute('givenName', 'The given name.'),
        attribute('familyName', 'The family name.'),
      ]),
      complex(
        'emails',
        'The address; one is kept. The userName, if there is none.',
        [
          attribute('value', 'The address.', { uniqueness: 'server' }),
          attribute('type', 'Always work.'),
          { ...attribute('primary', 'Always true.'), type: 'boolean' },
        ],
        true,
      ),
      { ...attribute('active', 'Whether the person may sign in.'), type: 'boolean' },
    ],
  },
  {
    id: groupSchema,
    name: 'Group',
    description: 'A group. The table of groups in the settings says what it gives.',
    attributes: [
      attribute('displayName', 'The name, as in the table of groups.', {
        ...{ required: true, uniqueness: 'server' },
      }),
      externalId,
      complex(
        'members',
        'The users in it.',
        [
          attribute('value', 'The id of a user.', { mutability: 'immutable', caseExact: true }),
          attribute('type', 'Always User.', { mutability: 'immutable' }),
          {
            ...attribute('$ref', 'The address of the user.', { mutability: 'immutable' }),
            ...{ type: 'reference', referenceTypes: ['User'] },
          },
        ],
        true,
      ),
    ],
  },
];
