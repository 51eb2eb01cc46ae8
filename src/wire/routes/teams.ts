// Teams, and the keys that act for them.

import { z } from 'zod';
import { answer, apiPrefix, noContent, route } from '../route.ts';
import { bulkLimit, Reassigned } from '../shapes/bulk.ts';
import { exampleId, flag, id, moment, NoBody, pageQuery, reason, text } from '../shapes/shape.ts';
import {
  ApiKey,
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyList,
  Reassign,
  Team,
  TeamCreate,
  TeamList,
  TeamUpdate,
} from '../shapes/team.ts';
import { assetRoutes } from './assets.ts';

const teamParams = z.strictObject({ team_id: id('The team.', exampleId.team) });
const keyParams = z.strictObject({ api_key_id: id('The key.', exampleId.key) });

export const teamRoutes = {
  createTeam: route({
    method: 'POST',
    path: `${apiPrefix}/teams`,
    tag: 'Teams',
    summary: 'Create a team',
    description: 'Create the first team with the bootstrap key.',
    scope: 'manage_people',
    who: 'scope',
    body: TeamCreate,
    answers: { 201: answer('The new team.', Team) },
    errors: ['TEAM_EXISTS'],
  }),
  listTeams: route({
    method: 'GET',
    path: `${apiPrefix}/teams`,
    tag: 'Teams',
    summary: 'List teams',
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      name: text(
        'Only the team with exactly this name, ignoring case.',
        'Checkout',
        200,
      ).optional(),
      slug: text('Only the team with exactly this slug.', 'checkout', 63).optional(),
      include_deleted: flag('For admins: include deleted teams.', false).optional(),
      q: text('Only teams whose name contains this text, ignoring case.', 'check', 200).optional(),
      ...pageQuery(['name', '-name', 'created_at', '-created_at']),
    }),
    answers: { 200: answer('A page of teams.', TeamList) },
    errors: ['FORBIDDEN'],
    fromReplica: true,
  }),
  getTeam: route({
    method: 'GET',
    path: `${apiPrefix}/teams/{team_id}`,
    tag: 'Teams',
    summary: 'Get a team',
    scope: 'read',
    who: 'scope',
    params: teamParams,
    answers: { 200: answer('The team.', Team) },
    errors: ['TEAM_NOT_FOUND'],
    tagged: true,
  }),
  updateTeam: route({
    method: 'PATCH',
    path: `${apiPrefix}/teams/{team_id}`,
    tag: 'Teams',
    summary: 'Rename a team, or change its metadata',
    description: 'A team that an object of Kubernetes or git manages is changed there.',
    scope: 'manage_people',
    who: 'scope',
    params: teamParams,
    body: TeamUpdate,
    answers: { 200: answer('The changed team.', Team) },
    errors: ['TEAM_NOT_FOUND', 'TEAM_EXISTS', 'TEAM_MANAGED_ELSEWHERE'],
    tagged: true,
  }),
  deleteTeam: route({
    method: 'DELETE',
    path: `${apiPrefix}/teams/{team_id}`,
    tag: 'Teams',
    summary: 'Delete a team',
    description:
      'Its keys stop working. A team that owns assets or services can only be deleted with `reassign_to`, and one that consumes assets with a `reason`: proposals that wait for its answer go on without it.',
    scope: 'admin',
    who: 'scope',
    params: teamParams,
    query: z.strictObject({
      reassign_to: id('The new owner of its assets and services.', exampleId.otherTeam).optional(),
      override: flag('For admins: delete it even though an object manages it.', false).optional(),
      reason: reason(
        'Why the team is deleted: for `override`, and where another team is still registered as a consumer.',
      ).optional(),
    }),
    answers: { 204: noContent('The team is deleted.') },
    errors: ['TEAM_NOT_FOUND', 'TEAM_HAS_ASSETS', 'TEAM_MANAGED_ELSEWHERE'],
    tagged: true,
  }),
  restoreTeam: route({
    method: 'POST',
    path: `${apiPrefix}/teams/{team_id}/restore`,
    tag: 'Teams',
    summary: 'Restore a deleted team',
    description:
      'Its users, and keys of several teams that it is one of, act for it again. Its own keys, trusts, webhooks and registrations stay gone, and its assets stay where they were moved.',
    scope: 'admin',
    who: 'scope',
    params: teamParams,
    body: NoBody,
    answers: { 200: answer('The restored team.', Team) },
    errors: ['TEAM_NOT_FOUND', 'TEAM_EXISTS'],
  }),
  reassignAssets: route({
    method: 'POST',
    path: `${apiPrefix}/teams/{team_id}/reassign`,
    tag: 'Teams',
    summary: 'Move all assets and services of a team to another one',
    description:
      `By FQN, ${bulkLimit} at a time. Each asset is decided as by \`PATCH /assets/{asset_id}\` with \`owner_team_id\`: one with consumers gets a proposal that asks them, and stays with its team until that is published. Services follow the last assets. ` +
      'In the mode `transaction`, one refused asset refuses all. Each asset and service counts as one write for the rate limit.',
    scope: 'admin',
    who: 'scope',
    params: teamParams,
    body: Reassign,
    answers: { 200: answer('The outcome of each asset and service.', Reassigned) },
    errors: ['PRECONDITION_FAILED', ...assetRoutes.updateAsset.errors],
  }),
  issueApiKey: route({
    method: 'POST',
    path: `${apiPrefix}/api-keys`,
    tag: 'API keys',
    summary: 'Issue a key',
    description: 'The secret is returned once, in `key`. The registry stores only a digest.',
    scope: 'manage_people',
    who: 'scope',
    body: ApiKeyCreate,
    answers: { 201: answer('The new key, with its secret.', ApiKeyCreated) },
    errors: ['TEAM_NOT_FOUND', 'USER_NOT_FOUND'],
  }),
  listApiKeys: route({
    method: 'GET',
    path: `${apiPrefix}/api-keys`,
    tag: 'API keys',
    summary: 'List keys',
    description:
      'With `sort=expires_at` the earliest end comes first; keys without an end come last. With `sort=last_used_at` keys that were never used come first.',
    scope: 'manage_people',
    who: 'scope',
    query: z.strictObject({
      team_id: id(
        'Only keys that act for this team, including keys for several or all teams.',
        exampleId.team,
      ).optional(),
      ends_before: moment(
        'Only keys that can be used now, and not any more at this time.',
      ).optional(),
      ...pageQuery([
        ...(['created_at', '-created_at', 'name', '-name', 'expires_at', '-expires_at'] as const),
        ...(['last_used_at', '-last_used_at'] as const),
      ]),
    }),
    answers: { 200: answer('A page of keys, without their secrets.', ApiKeyList) },
    errors: [],
  }),
  getApiKey: route({
    method: 'GET',
    path: `${apiPrefix}/api-keys/{api_key_id}`,
    tag: 'API keys',
    summary: 'Get a key',
    scope: 'manage_people',
    who: 'scope',
    params: keyParams,
    answers: { 200: answer('The key, without its secret.', ApiKey) },
    errors: ['API_KEY_NOT_FOUND'],
    tagged: true,
  }),
  revokeApiKey: route({
    method: 'DELETE',
    path: `${apiPrefix}/api-keys/{api_key_id}`,
    tag: 'API keys',
    summary: 'Revoke a key',
    description: 'The key stops working on every replica within a second.',
    scope: 'manage_people',
    who: 'scope',
    params: keyParams,
    answers: { 204: noContent('The key is revoked.') },
    errors: ['API_KEY_NOT_FOUND'],
  }),
};
