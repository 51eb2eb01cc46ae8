// Teams and keys.

import { hasScope } from '../../core/actor.ts';
import { accept } from '../../core/failure.ts';
import type { ApiKey } from '../../core/team.ts';
import { apiKeySortFields, teamSortFields } from '../../registry/lists.ts';
import { representApiKey, representTeam } from '../../wire/represent/represent.ts';
import { contextOf, type Handler, listQueryOf, pageOf, preconditionOf, write } from '../handler.ts';
import { newKey } from '../new-key.ts';
import { notFound } from '../not-found.ts';
import { toUtc } from '../to-utc.ts';
import { deletedAreForAdmins } from './assets.ts';

export const createTeam: Handler<'createTeam'> = write({
  verb: (verbs) => verbs.createTeam,
  command: ({ body }) => body,
  reply: (team) => ({ status: 201, body: representTeam(team) }),
});

export const listTeams: Handler<'listTeams'> = async ({ ports }, { query, actor }) => {
  const { name, slug, q, include_deleted: includeDeleted } = query;
  if (includeDeleted && !hasScope(actor.scope, 'admin')) return deletedAreForAdmins(actor, 'teams');
  const listed = await ports.reads.listTeams({
    ...listQueryOf(query, teamSortFields),
    name,
    slug,
    q,
    includeDeleted,
  });
  return pageOf(listed, query, representTeam);
};

export const getTeam: Handler<'getTeam'> = async ({ ports }, { params }) => {
  const team = await ports.reads.getTeam(params.team_id);
  if (team === null) return notFound('TEAM_NOT_FOUND', params.team_id);
  return accept({ status: 200, body: representTeam(team) });
};

export const updateTeam: Handler<'updateTeam'> = write({
  verb: (verbs) => verbs.updateTeam,
  command: ({ params, body, ifMatch }) => ({
    teamId: params.team_id,
    name: body.name,
    metadata: body.metadata,
    managedBy: body.managed_by,
    override: body.override,
    reason: body.reason,
    precondition: preconditionOf(ifMatch, representTeam),
  }),
  reply: (team) => ({ status: 200, body: representTeam(team) }),
});

export const deleteTeam: Handler<'deleteTeam'> = write({
  verb: (verbs) => verbs.deleteTeam,
  command: ({ params, query, ifMatch }) => ({
    teamId: params.team_id,
    reassignTo: query.reassign_to,
    override: query.override,
    reason: query.reason,
    precondition: preconditionOf(ifMatch, representTeam),
  }),
  reply: () => ({ status: 204, body: undefined }),
});

export const restoreTeam: Handler<'restoreTeam'> = write({
  verb: (verbs) => verbs.restoreTeam,
  command: ({ params }) => ({ teamId: params.team_id }),
  reply: (team) => ({ status: 200, body: representTeam(team) }),
});

/** Only the first response contains the secret; a replay of the request omits it. */
export const issueApiKey: Handler<'issueApiKey'> = async ({ ports, verbs }, call) => {
  const { body } = call;
  const secret = newKey();
  const outcome = await verbs.issueApiKey(
    ports,
    contextOf<ApiKey>(call, (key) => ({
      status: 201,
      body: representApiKey(key),
    })),
    {
      name: body.name,
      teamId: body.team_id ?? null,
      teamIds: body.team_ids,
      allTeams: body.all_teams,
      userId: body.user_id,
      scopes: body.scopes,
      expiresAt: body.expires_at === undefined ? undefined : toUtc(body.expires_at),
      secret: secret.stored,
    },
  );
  if (!outcome.ok) return outcome;
  return accept({ status: 201, body: { ...representApiKey(outcome.value), key: secret.text } });
};

export const listApiKeys: Handler<'listApiKeys'> = async ({ ports }, { query, context }) => {
  const { ends_before: before } = query;
  const listed = await ports.reads.listApiKeys({
    ...listQueryOf(query, apiKeySortFields),
    teamId: query.team_id,
    ends: before === undefined ? undefined : { from: context.now(), before: toUtc(before) },
  });
  return pageOf(listed, query, representApiKey);
};

export const getApiKey: Handler<'getApiKey'> = async ({ ports }, { params }) => {
  const key = await ports.reads.getApiKey(params.api_key_id);
  if (key === null) return notFound('API_KEY_NOT_FOUND', params.api_key_id);
  return accept({ status: 200, body: representApiKey(key) });
};

export const revokeApiKey: Handler<'revokeApiKey'> = write({
  verb: (verbs) => verbs.revokeApiKey,
  command: ({ params }) => ({ apiKeyId: params.api_key_id }),
  reply: () => ({ status: 204, body: undefined }),
});
