// Assets, and what is published for them.

import { z } from 'zod';
import { answer, apiPrefix, noContent, route } from '../route.ts';
import { Asset, AssetCreate, AssetCreated, AssetList, AssetUpdate } from '../shapes/asset.ts';
import {
  AssetFields,
  Contract,
  ContractDiff,
  ContractFullList,
  contractStates,
  Impact,
  ImpactRequest,
  overriding,
  ProposalCreated,
  Published,
  PublishRequest,
  Unchanged,
} from '../shapes/contract.ts';
import { AssetContext, Preflight, PreflightRequest } from '../shapes/overviews/asset-context.ts';
import { qualityRunStates } from '../shapes/quality-run.ts';
import { choice, exampleId, flag, id, NoBody, pageQuery, reason, text } from '../shapes/shape.ts';

const assetParams = z.strictObject({ asset_id: id('The asset.', exampleId.asset) });

const versionOrLatest = z
  .string()
  .regex(
    /^(latest|(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8}))$/,
    'must be of the form <major>.<minor>.<patch>, or latest',
  )
  .meta({
    description:
      'A version, or `latest`: the active contract, otherwise the newest one that is not archived.',
    examples: ['1.2.0', 'latest'],
  });

const includeDeleted = flag('For admins: include deleted assets.', false).optional();

export const assetRoutes = {
  createAsset: route({
    method: 'POST',
    path: `${apiPrefix}/assets`,
    tag: 'Assets',
    summary: 'Create an asset',
    scope: 'write',
    who: 'named_owner',
    body: AssetCreate,
    answers: { 201: answer('The new asset.', AssetCreated) },
    errors: [
      'TEAM_NOT_FOUND',
      'USER_NOT_FOUND',
      'SERVICE_NOT_FOUND',
      'ASSET_EXISTS',
      'OWNER_NOT_MEMBER',
    ],
  }),
  listAssets: route({
    method: 'GET',
    path: `${apiPrefix}/assets`,
    tag: 'Assets',
    summary: 'List assets',
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      fqn: text('FQNs that start with this text.', 'shop.public', 1000).optional(),
      owner_team_id: id('Only assets of this team.', exampleId.team).optional(),
      consumer_team_id: id(
        'Only assets that this team has registered for.',
        exampleId.team,
      ).optional(),
      service_id: id('Only assets that belong to this service.', exampleId.service).optional(),
      environment: text('Only assets in this environment.', 'production', 100).optional(),
      q: text(
        'Searches the FQN, the description and the tags by word prefix. Any character except letters and digits separates words.',
        'order',
        200,
      ).optional(),
      tag: text('Only assets with this tag.', 'finance', 200).optional(),
      resource_type: text(
        'Only assets with this `metadata.resource_type`.',
        'model',
        200,
      ).optional(),
      quality: choice(
        qualityRunStates,
        'Only assets whose newest quality run has this status.',
        'failed',
      ).optional(),
      include_deleted: includeDeleted,
      ...pageQuery(['fqn', '-fqn', 'created_at', '-created_at', 'updated_at', '-updated_at']),
    }),
    answers: { 200: answer('A page of assets, by FQN.', AssetList) },
    errors: ['FORBIDDEN'],
    fromReplica: true,
  }),
  getAsset: route({
    method: 'GET',
    path: `${apiPrefix}/assets/{asset_id}`,
    tag: 'Assets',
    summary: 'Get an asset',
    scope: 'read',
    who: 'scope',
    params: assetParams,
    query: z.strictObject({ include_deleted: includeDeleted }),
    answers: { 200: answer('The asset.', Asset) },
    errors: ['ASSET_NOT_FOUND', 'FORBIDDEN'],
    tagged: true,
  }),
  getAssetContext: route({
    method: 'GET',
    path: `${apiPrefix}/assets/{asset_id}/context`,
    tag: 'Assets',
    summary: 'Get all that matters before you touch an asset',
    description:
      'The asset, its contract, owner, consumers, open proposal, neighbours, newest quality run and ' +
      'incidents, and what the caller may do.',
    scope: 'read',
    who: 'scope',
    params: assetParams,
    answers: { 200: answer('The context of the asset.', AssetContext) },
    errors: ['ASSET_NOT_FOUND'],
  }),
  getPreflight: route({
    method: 'GET',
    path: `${apiPrefix}/assets/{asset_id}/preflight`,
    tag: 'Assets',
    summary: 'Ask whether you may read, deploy against or change an asset now',
    description: 'Answers from what is known now; it reserves nothing.',
    scope: 'read',
    who: 'scope',
    params: assetParams,
    query: PreflightRequest.omit({}),
    answers: { 200: answer('Yes or no, with the reasons.', Preflight) },
    errors: ['ASSET_NOT_FOUND'],
  }),
  askPreflight: route({
    method: 'POST',
    path: `${apiPrefix}/assets/{asset_id}/preflight`,
    tag: 'Assets',
    summary: 'Ask the same with a body',
    description: 'Like `GET /assets/{asset_id}/preflight`.',
    scope: 'read',
    who: 'scope',
    params: assetParams,
    body: PreflightRequest,
    answers: { 200: answer('Yes or no, with the reasons.', Preflight) },
    errors: ['ASSET_NOT_FOUND'],
  }),
  updateAsset: route({
    method: 'PATCH',
    path: `${apiPrefix}/assets/{asset_id}`,
    tag: 'Assets',
    summary: 'Change an asset',
    description:
      'If the asset has consumers, they are asked before it moves to another environment or owner ' +
      'and before its guarantee mode is lowered: the response is then a proposal, and nothing has ' +
      'changed yet.',
    scope: 'write',
    who: 'asset_owner',
    params: assetParams,
    query: z.strictObject(overriding),
    body: AssetUpdate,
    answers: {
      200: answer('The changed asset, or the proposal.', z.union([Asset, ProposalCreated])),
    },
    errors: [
      'ASSET_NOT_FOUND',
      'TEAM_NOT_FOUND',
      'USER_NOT_FOUND',
      'SERVICE_NOT_FOUND',
      'ASSET_EXISTS',
      'ASSET_MANAGED_ELSEWHERE',
      'OWNER_NOT_MEMBER',
      'PROPOSAL_PENDING',
    ],
    tagged: true,
  }),
  deleteAsset: route({
    method: 'DELETE',
    path: `${apiPrefix}/assets/{asset_id}`,
    tag: 'Assets',
    summary: 'Delete an asset',
    description:
      'Frees its name. Refused while consumers are registered, unless an admin sends `force`.',
    scope: 'write',
    who: 'asset_owner',
    params: assetParams,
    query: z.strictObject({
      force: flag('For admins: delete it even though it has consumers.', false).optional(),
      override: flag(
        'For admins: delete it even though it is managed elsewhere.',
        false,
      ).optional(),
      reason: reason('The reason for `force` or `override`.').optional(),
    }),
    answers: { 204: noContent('The asset is deleted.') },
    errors: ['ASSET_NOT_FOUND', 'ASSET_HAS_CONSUMERS', 'ASSET_MANAGED_ELSEWHERE'],
    tagged: true,
  }),
  restoreAsset: route({
    method: 'POST',
    path: `${apiPrefix}/assets/{asset_id}/restore`,
    tag: 'Assets',
    summary: 'Restore a deleted asset',
    scope: 'admin',
    who: 'scope',
    params: assetParams,
    body: NoBody,
    answers: { 200: answer('The restored asset.', Asset) },
    errors: ['ASSET_NOT_FOUND', 'ASSET_EXISTS', 'OWNER_TEAM_NOT_FOUND'],
  }),
  listAssetContracts: route({
    method: 'GET',
    path: `${apiPrefix}/assets/{asset_id}/contracts`,
    tag: 'Contracts',
    summary: 'List the contracts of an asset',
    description: 'Active, deprecated and archived ones, newest first.',
    scope: 'read',
    who: 'scope',
    params: assetParams,
    query: z.strictObject({
      status: choice(contractStates, 'Only contracts in this state.').optional(),
      version: text('Only this version.', '1.2.0', 32).optional(),
      ...pageQuery(['published_at', '-published_at']),
    }),
    answers: { 200: answer('A page of contracts, newest first.', ContractFullList) },
    errors: ['ASSET_NOT_FOUND'],
    fromReplica: true,
  }),
  getAssetContract: route({
    method: 'GET',
    path: `${apiPrefix}/assets/{asset_id}/contracts/{version}`,
    tag: 'Contracts',
    summary: 'Get a version of an asset',
    scope: 'read',
    who: 'scope',
    params: assetParams.extend({ version: versionOrLatest }),
    answers: { 200: answer('The contract.', Contract) },
    errors: ['ASSET_NOT_FOUND', 'CONTRACT_NOT_FOUND'],
    tagged: true,
  }),
  publishContract: route({
    method: 'POST',
    path: `${apiPrefix}/assets/{asset_id}/contracts`,
    tag: 'Contracts',
    summary: 'Publish a contract',
    description:
      'A compatible change is published immediately. A breaking change becomes a proposal, which the ' +
      'registered consumers acknowledge.',
    scope: 'write',
    who: 'asset_owner',
    params: assetParams,
    query: z.strictObject(overriding),
    body: PublishRequest,
    largeBody: true,
    answers: {
      201: answer(
        'The contract was published, or a proposal was created.',
        z.discriminatedUnion('action', [Published, ProposalCreated]),
      ),
      200: answer(
        'Nothing was created: the same contract is already active, or already proposed.',
        z.discriminatedUnion('action', [Unchanged, ProposalCreated]),
      ),
    },
    errors: [
      'ASSET_NOT_FOUND',
      'ASSET_MANAGED_ELSEWHERE',
      'PROPOSAL_PENDING',
      'VERSION_CONFLICT',
      'VERSION_TOO_SMALL',
      'INVALID_SCHEMA',
      'SCHEMA_TOO_LARGE',
      'UNSUPPORTED_DIALECT',
    ],
  }),
  assessImpact: route({
    method: 'POST',
    path: `${apiPrefix}/assets/{asset_id}/impact`,
    tag: 'Contracts',
    summary: 'Preview publishing a schema',
    description: 'Changes nothing.',
    scope: 'read',
    who: 'scope',
    params: assetParams,
    body: ImpactRequest,
    largeBody: true,
    answers: { 200: answer('The effect of publishing it.', Impact) },
    errors: ['ASSET_NOT_FOUND', 'INVALID_SCHEMA', 'SCHEMA_TOO_LARGE', 'UNSUPPORTED_DIALECT'],
  }),
  listAssetFields: route({
    method: 'GET',
    path: `${apiPrefix}/assets/{asset_id}/fields`,
    tag: 'Contracts',
    summary: 'List the fields of an asset, and who reads them',
    description:
      'By what the consumers have said that they read. A field without readers can be removed if `readers_of_everything` is empty.',
    scope: 'read',
    who: 'scope',
    params: assetParams,
    answers: { 200: answer('The fields of the contract in force.', AssetFields) },
    errors: ['ASSET_NOT_FOUND'],
    fromReplica: true,
  }),
  diffAsset: route({
    method: 'GET',
    path: `${apiPrefix}/assets/{asset_id}/diff`,
    tag: 'Contracts',
    summary: 'Compare two versions of an asset',
    scope: 'read',
    who: 'scope',
    params: assetParams,
    query: z.strictObject({ from: versionOrLatest, to: versionOrLatest.default('latest') }),
    answers: { 200: answer('The differences.', ContractDiff) },
    errors: ['ASSET_NOT_FOUND', 'CONTRACT_NOT_FOUND'],
  }),
};
