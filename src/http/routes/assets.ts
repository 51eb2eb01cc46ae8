// Assets.

import type { Actor } from '../../core/actor.ts';
import { hasScope } from '../../core/actor.ts';
import { accept, refuse } from '../../core/failure.ts';
import { assetSortFields } from '../../registry/lists.ts';
import {
  representAsset,
  representAssetCreated,
  representAssetListed,
} from '../../wire/represent/represent.ts';
import { type Handler, listQueryOf, pageOf, preconditionOf, write } from '../handler.ts';
import { notFound } from '../not-found.ts';
import { representProposalCreated } from '../represent-results.ts';
import { requestFieldsOf } from '../request-fields.ts';

export const createAsset: Handler<'createAsset'> = write({
  verb: (verbs) => verbs.createAsset,
  command: ({ body }) => ({
    fqn: body.fqn,
    ownerTeamId: body.owner_team_id,
    ownerUserId: body.owner_user_id,
    environment: body.environment,
    guaranteeMode: body.guarantee_mode,
    needsMode: body.needs_mode,
    autoPublish: body.auto_publish,
    onDeadline: body.on_deadline,
    metadata: body.metadata,
  }),
  reply: (asset) => ({ status: 201, body: representAssetCreated(asset) }),
});

export const listAssets: Handler<'listAssets'> = async ({ ports }, { query, actor }) => {
  if (query.include_deleted && !hasScope(actor.scope, 'admin')) return deletedAreForAdmins(actor);
  const listed = await ports.reads.listAssets({
    ...listQueryOf(query, assetSortFields),
    fqn: query.fqn,
    ownerTeamId: query.owner_team_id,
    environment: query.environment,
    q: query.q,
    tag: query.tag,
    resourceType: query.resource_type,
    quality: query.quality,
    includeDeleted: query.include_deleted,
  });
  return pageOf(listed, query, representAssetListed);
};

export const getAsset: Handler<'getAsset'> = async ({ ports }, { params, query, actor }) => {
  if (query.include_deleted && !hasScope(actor.scope, 'admin')) return deletedAreForAdmins(actor);
  const which = query.include_deleted ? 'any' : 'living';
  const asset = await ports.reads.getAsset(params.asset_id, which);
  if (asset === null) return notFound('ASSET_NOT_FOUND', params.asset_id);
  return accept({ status: 200, body: representAsset(asset) });
};

export const updateAsset: Handler<'updateAsset'> = write({
  verb: (verbs) => verbs.updateAsset,
  command: ({ params, query, body, ifMatch }) => ({
    assetId: params.asset_id,
    ownerUserId: body.owner_user_id,
    autoPublish: body.auto_publish,
    onDeadline: body.on_deadline,
    metadata: body.metadata,
    ownerTeamId: body.owner_team_id,
    environment: body.environment,
    guaranteeMode: body.guarantee_mode,
    needsMode: body.needs_mode,
    supersede: body.supersede,
    request: requestFieldsOf(body.request),
    override: query.override ?? body.override,
    reason: query.reason ?? body.reason,
    precondition: preconditionOf(ifMatch, representAsset),
  }),
  reply: (result) => ({
    status: 200,
    body:
      result.action === 'updated' ? representAsset(result.asset) : representProposalCreated(result),
  }),
});

export const deleteAsset: Handler<'deleteAsset'> = write({
  verb: (verbs) => verbs.deleteAsset,
  command: ({ params, query, ifMatch }) => ({
    assetId: params.asset_id,
    force: query.force ?? false,
    override: query.override,
    reason: query.reason,
    precondition: preconditionOf(ifMatch, representAsset),
  }),
  reply: () => ({ status: 204, body: undefined }),
});

export const restoreAsset: Handler<'restoreAsset'> = write({
  verb: (verbs) => verbs.restoreAsset,
  command: ({ params }) => ({ assetId: params.asset_id }),
  reply: (asset) => ({ status: 200, body: representAsset(asset) }),
});

function deletedAreForAdmins(actor: Actor) {
  return refuse(
    'FORBIDDEN',
    `Only administrators can see deleted assets, and ${actor.name} has scope ${actor.scope}. Omit include_deleted.`,
    { field: 'include_deleted' },
  );
}
