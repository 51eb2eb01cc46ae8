// Trusts, and the exchange of tokens for keys.

import { z } from 'zod';
import { answer, apiPrefix, noContent, route } from '../route.ts';
import { exampleId, id, pageQuery } from '../shapes/shape.ts';
import { ApiKeyCreated } from '../shapes/team.ts';
import { TokenExchange, Trust, TrustCreate, TrustList } from '../shapes/trust.ts';

const trustParams = z.strictObject({ trust_id: id('The trust.', exampleId.trust) });

export const trustRoutes = {
  createTrust: route({
    method: 'POST',
    path: `${apiPrefix}/trusts`,
    tag: 'Trusts',
    summary: 'Create a trust',
    description:
      'From now on, tokens of this issuer with this audience and these claims are exchanged for keys of ' +
      'the team. A trust cannot be changed: create another one, and delete this one.',
    scope: 'admin',
    who: 'scope',
    body: TrustCreate,
    answers: { 201: answer('The new trust.', Trust) },
    errors: ['TEAM_NOT_FOUND'],
  }),
  listTrusts: route({
    method: 'GET',
    path: `${apiPrefix}/trusts`,
    tag: 'Trusts',
    summary: 'List trusts',
    scope: 'admin',
    who: 'scope',
    query: z.strictObject({
      team_id: id('Only trusts for keys of this team.', exampleId.team).optional(),
      ...pageQuery(['created_at', '-created_at']),
    }),
    answers: { 200: answer('A page of trusts.', TrustList) },
    errors: [],
  }),
  getTrust: route({
    method: 'GET',
    path: `${apiPrefix}/trusts/{trust_id}`,
    tag: 'Trusts',
    summary: 'Get a trust',
    scope: 'admin',
    who: 'scope',
    params: trustParams,
    answers: { 200: answer('The trust.', Trust) },
    errors: ['TRUST_NOT_FOUND'],
    tagged: true,
  }),
  deleteTrust: route({
    method: 'DELETE',
    path: `${apiPrefix}/trusts/{trust_id}`,
    tag: 'Trusts',
    summary: 'Delete a trust',
    description: 'The keys that it issued stop working on every replica within a second.',
    scope: 'admin',
    who: 'scope',
    params: trustParams,
    answers: { 204: noContent('The trust is deleted.') },
    errors: ['TRUST_NOT_FOUND'],
    tagged: true,
  }),
  exchangeToken: route({
    method: 'POST',
    path: `${apiPrefix}/auth/token`,
    tag: 'Sessions',
    summary: 'Exchange a token for a key',
    description:
      'For machines: the token of a CI job or a service account, which a trust accepts, for a key that ' +
      'lasts for 15 minutes. A token can be exchanged once, unless the trust is reusable.',
    scope: 'public',
    who: 'scope',
    body: TokenExchange,
    secrets: ['token'],
    answers: { 201: answer('The key, with its secret.', ApiKeyCreated) },
    errors: [
      'VALIDATION_ERROR',
      'INVALID_JSON',
      'UNAUTHENTICATED',
      'TRUST_NOT_FOUND',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'REQUEST_TIMEOUT',
      'RATE_LIMITED',
      'REGISTRY_UNAVAILABLE',
      'ISSUER_UNAVAILABLE',
    ],
  }),
};
