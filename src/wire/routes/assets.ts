// Assets, and what is published for them.

import { z } from 'zod';
import { answer, apiPrefix, noContent, route } from '../route.ts';
import { Asset, AssetCreate, AssetCreated, AssetList, AssetUpdate } from '../shapes/asset.ts';
import {
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

const includeDeleted = flag('Deleted ones too; by an admin.', false).optional();

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
    errors: ['TEAM_NOT_FOUND', 'USER_NOT_FOUND', 'ASSET_EXISTS', 'OWNER_NOT_MEMBER'],
  }),
  listAssets: route({
    method: 'GET',
    path: `${apiPrefix}/assets`,
    tag: 'Assets',
    summary: 'List assets',
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      fqn: text(
        'This FQN, and those that begin with it, whatever follows.',
        'shop.public',
        1000,
      ).optional(),
      owner_team_id: id('Owned by this team.', exampleId.team).optional(),
      environment: text('In this environment.', 'production', 100).optional(),
      q: text(
        'Searches the FQN, the description and the tags by word prefix. Any character except letters and digits separates words.',
        'order',
        200,
      ).optional(),
      tag: text('Has this tag.', 'finance', 200).optional(),
      resource_type: text('Has this `metadata.resource_type`.', 'model', 200).optional(),
      quality: choice(qualityRunStates, 'Whose newest quality run went so.', 'failed').optional(),
      include_deleted: includeDeleted,
      ...pageQuery(['fqn', '-fqn', 'created_at', '-created_at', 'updated_at', '-updated_at']),
    }),
    answers: { 200: answer('A page of assets, by FQN.', AssetList) },
    errors: ['FORBIDDEN'],
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
  updateAsset: route({
    method: 'PATCH',
    path: `${apiPrefix}/assets/{asset_id}`,
    tag: 'Assets',
    summary: 'Change an asset',
    description:
      'Moving it (environment, owner) and lowering its guarantee mode asks the consumers first, ' +
      'where it has any: then a proposal is answered, and nothing has changed yet.',
    scope: 'write',
    who: 'asset_owner',
    params: assetParams,
    query: z.strictObject(overriding),
    body: AssetUpdate,
    answers: {
      200: answer('The asset as it is now, or the proposal.', z.union([Asset, ProposalCreated])),
    },
    errors: [
      'ASSET_NOT_FOUND',
      'TEAM_NOT_FOUND',
      'USER_NOT_FOUND',
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
    description: 'Frees its name. Refused while consumers are registered, unless forced.',
    scope: 'write',
    who: 'asset_owner',
    params: assetParams,
    query: z.strictObject({
      force: flag('By an admin: delete it though it has consumers.', false).optional(),
      override: flag('By an admin: delete it though it is managed elsewhere.', false).optional(),
      reason: reason('With `force` or `override`: why.').optional(),
    }),
    answers: { 204: noContent('It is deleted.') },
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
    answers: { 200: answer('The asset as it is now.', Asset) },
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
      status: choice(contractStates, 'Only those in this state.').optional(),
      version: text('Only this version.', '1.2.0', 32).optional(),
      ...pageQuery(['published_at', '-published_at']),
    }),
    answers: { 200: answer('A page of contracts, newest first.', ContractFullList) },
    errors: ['ASSET_NOT_FOUND'],
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
      'A change that does not break is published. One that breaks becomes a proposal, ' +
      'which the registered consumers acknowledge.',
    scope: 'write',
    who: 'asset_owner',
    params: assetParams,
    query: z.strictObject(overriding),
    body: PublishRequest,
    largeBody: true,
    answers: {
      201: answer(
        'It is published, or proposed.',
        z.discriminatedUnion('action', [Published, ProposalCreated]),
      ),
      200: answer(
        'Nothing was made: the same is active already, or was proposed already.',
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
    answers: { 200: answer('What it would do.', Impact) },
    errors: ['ASSET_NOT_FOUND', 'INVALID_SCHEMA', 'SCHEMA_TOO_LARGE', 'UNSUPPORTED_DIALECT'],
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
    answers: { 200: answer('What lies between them.', ContractDiff) },
    errors: ['ASSET_NOT_FOUND', 'CONTRACT_NOT_FOUND'],
  }),
};
