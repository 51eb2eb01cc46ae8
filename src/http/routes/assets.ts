// Assets.

import type { Actor } from '../../core/actor.ts';
import { hasScope } from '../../core/actor.ts';
import type { PreflightAct } from '../../core/decide/assets/preflight.ts';
import type { UpdateAssetResult } from '../../core/decide/commands.ts';
import { accept, refuse } from '../../core/failure.ts';
import { describeContext, findPreflight } from '../../registry/assets/describe-context.ts';
import { assetSortFields } from '../../registry/lists.ts';
import type { Ports } from '../../registry/ports.ts';
import {
  representAsset,
  representAssetCreated,
  representAssetListed,
  representContract,
  representProposal,
  representStated,
  representTeam,
} from '../../wire/represent/represent.ts';
import { representMay, representNeighbours } from '../../wire/represent/represent-context.ts';
import { representIncident, representQualityRun } from '../../wire/represent/represent-lineage.ts';
import { apiPrefix } from '../../wire/route.ts';
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
    serviceId: body.service_id,
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
    consumerTeamId: query.consumer_team_id,
    serviceId: query.service_id,
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

export const getAssetContext: Handler<'getAssetContext'> = async ({ ports }, { params, actor }) => {
  const found = await describeContext(ports.reads, params.asset_id, actor);
  if (!found.ok) return found;
  const { asset, contract, owner, consumers, proposal, lastRun, incidents, may } = found.value;
  const { upstream, downstream } = found.value;
  return accept({
    status: 200,
    body: {
      asset: representAsset(asset),
      contract: contract === null ? null : representContract(contract),
      owner: owner === null ? null : representTeam(owner),
      consumers: consumers.map(({ consumer, need }) => ({
        team_id: consumer.teamId,
        team_name: consumer.teamName,
        registration_id: consumer.registrationId,
        contract_version: consumer.contractVersion,
        needs: need === null ? null : representStated(need),
      })),
      open_proposal: proposal === null ? null : representProposal(proposal),
      upstream: representNeighbours(upstream),
      downstream: representNeighbours(downstream),
      last_quality_run: lastRun === null ? null : representQualityRun(lastRun),
      incidents: incidents.map(representIncident),
      may: {
        read: representMay(may.read),
        deploy: representMay(may.deploy),
        change: representMay(may.change),
      },
      links: linksOf(asset.id, proposal?.id),
    },
  });
};

function linksOf(assetId: string, proposalId: string | undefined): Record<string, string> {
  const asset = `${apiPrefix}/assets/${assetId}`;
  return {
    page: `/assets/${assetId}`,
    asset,
    versions: `${asset}/contracts`,
    fields: `${asset}/fields`,
    lineage: `${asset}/lineage`,
    quality_runs: `${asset}/quality-runs`,
    ...(proposalId !== undefined && {
      open_proposal: `${apiPrefix}/proposals/${proposalId}`,
      open_proposal_page: `/proposals/${proposalId}`,
    }),
  };
}

export const getPreflight: Handler<'getPreflight'> = ({ ports }, { params, query, actor }) =>
  preflight(ports, { ...query, ...params, actor });

export const askPreflight: Handler<'askPreflight'> = ({ ports }, { params, body, actor }) =>
  preflight(ports, { ...body, ...params, actor });

async function preflight(
  { reads }: Pick<Ports, 'reads'>,
  asked: {
    readonly asset_id: string;
    readonly act?: PreflightAct | undefined;
    readonly team_id?: string | undefined;
    readonly actor: Actor;
  },
) {
  const { act = 'read', actor } = asked;
  const question = { assetId: asked.asset_id, act, actor, teamId: asked.team_id };
  const found = await findPreflight(reads, question);
  if (!found.ok) return found;
  const { asset, contract, reasons } = found.value;
  return accept({
    status: 200 as const,
    body: {
      ...{ asset_id: asset.id, fqn: asset.fqn, act },
      contract_version: contract?.version ?? null,
      ...representMay(reasons),
    },
  });
}

export const updateAsset: Handler<'updateAsset'> = write({
  verb: (verbs) => verbs.updateAsset,
  command: ({ params, query, body, ifMatch }) => ({
    assetId: params.asset_id,
    ownerUserId: body.owner_user_id,
    serviceId: body.service_id,
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
  reply: replyOfUpdate,
});

export function replyOfUpdate(result: UpdateAssetResult) {
  const body =
    result.action === 'updated' ? representAsset(result.asset) : representProposalCreated(result);
  return { status: 200 as const, body };
}

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

export function deletedAreForAdmins(actor: Actor, what = 'assets') {
  return refuse(
    'FORBIDDEN',
    `Only administrators can see deleted ${what}, and ${actor.name} has scope ${actor.scope}. Omit include_deleted.`,
    { field: 'include_deleted' },
  );
}
