// Tests every route of the table with every kind of key. A route without a call here does not
// compile; a rule that the server does not enforce fails.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { duties } from '../../src/core/actor.ts';
import type { Route, TeamRule } from '../../src/wire/route.ts';
import { type RouteName, routes } from '../../src/wire/routes.ts';
import type { BrowserSession, TestClient } from '../support/client/client.ts';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  createAsset,
  createService,
  createUser,
  issueKey,
  must,
  mustRefuse,
  narrowerSchema,
  openParty,
  openWorld,
  proposedAsset,
  publishedAsset,
  publishOk,
  register,
  signIn,
  uniqueName,
  type World,
  widerSchema,
} from '../support/client/client-world.ts';
import { providerSettings } from '../support/sign-in/providers-file.ts';

let registry: TestRegistry;
let world: World;
let keys: Readonly<Record<KeyKind, Keyring>>;

interface Keyring {
  /** A key of the team that the route's rule names: its producer, or its consumer. */
  readonly ofProducer: Credential;
  readonly ofConsumer: Credential;
}

type Credential = string | BrowserSession | undefined;

const keyKinds = [
  'none',
  'revoked',
  'expired',
  'read, own team',
  'write, own team',
  'write, another team',
  'write, several teams with the own',
  'write, several teams without the own',
  'write, all teams',
  'acknowledge, own team',
  'acknowledge and write, several teams with the own',
  'acknowledge and write, several teams without the own',
  'acknowledge and write, all teams',
  'force, own team',
  'manage_people',
  'read_audit',
  'scim',
  'admin, another team',
  'bootstrap',
  'session of a viewer, own team',
  'session of a viewer with each duty',
  'session of an editor, own team',
  'session of an editor, another team',
  'session of an admin, no team',
  'session of a deactivated admin',
] as const;

type KeyKind = (typeof keyKinds)[number];

beforeAll(async () => {
  registry = await openRegistry(
    await providerSettings([
      {
        ...{ name: 'example', issuer: 'https://login.example.com', scim: 'groups' },
        default_role: 'viewer',
      },
    ]),
  );
  world = await openWorld(registry.url, registry.bootstrapKey);
  keys = await issueKeys();
});
afterAll(() => registry.stop());

type Result = { readonly status: number };
type Call = (client: TestClient) => Promise<Result>;

/** For each route a call that succeeds for permitted callers, once for each time it is prepared. */
const calls: { readonly [Name in Exclude<RouteName, PublicName>]: () => Promise<Call> } = {
  createTeam: async () => (client) => client.createTeam({ body: { name: uniqueName('team') } }),
  listTeams: async () => (client) => client.listTeams(),
  getTeam: async () => (client) => client.getTeam({ params: { team_id: world.other.teamId } }),
  updateTeam: async () => (client) =>
    client.updateTeam({ params: { team_id: world.other.teamId }, body: { metadata: { a: 1 } } }),
  deleteTeam: async () => {
    const { teamId } = await openParty(world.admin, 'deleted');
    return (client) => client.deleteTeam({ params: { team_id: teamId } });
  },
  reassignAssets: async () => {
    const { teamId } = await openParty(world.admin, 'reassigned');
    const body = { owner_team_id: world.other.teamId };
    return (client) => client.reassignAssets({ params: { team_id: teamId }, body });
  },
  restoreTeam: async () => {
    const params = { team_id: (await openParty(world.admin, 'restored')).teamId };
    must(await world.admin.deleteTeam({ params }), 204);
    return (client) => client.restoreTeam({ params });
  },
  issueApiKey: async () => (client) =>
    client.issueApiKey({ body: { name: 'k', team_id: world.other.teamId, scopes: ['read'] } }),
  listApiKeys: async () => (client) => client.listApiKeys(),
  getApiKey: async () => {
    const params = { api_key_id: await aKeyId() };
    return (client) => client.getApiKey({ params });
  },
  revokeApiKey: async () => {
    const params = { api_key_id: await aKeyId() };
    return (client) => client.revokeApiKey({ params });
  },
  createTrust: async () => (client) => client.createTrust({ body: trustOf(world.other.teamId) }),
  listTrusts: async () => (client) => client.listTrusts(),
  getTrust: async () => {
    const params = { trust_id: await aTrustId() };
    return (client) => client.getTrust({ params });
  },
  deleteTrust: async () => {
    const params = { trust_id: await aTrustId() };
    return (client) => client.deleteTrust({ params });
  },
  createUser: async () => (client) =>
    client.createUser({ body: { email: `${uniqueName('u').replace(' ', '')}@example.com` } }),
  listUsers: async () => (client) => client.listUsers(),
  getUser: async () => {
    const params = { user_id: (await aUser()).id };
    return (client) => client.getUser({ params });
  },
  updateUser: async () => {
    const params = { user_id: (await aUser()).id };
    return (client) => client.updateUser({ params, body: { role: 'editor' } });
  },
  deactivateUser: async () => {
    const params = { user_id: (await aUser()).id };
    return (client) => client.deactivateUser({ params });
  },
  scimGetConfig: async () => (client) => client.scimGetConfig(),
  scimListResourceTypes: async () => (client) => client.scimListResourceTypes(),
  scimGetResourceType: async () => (client) =>
    client.scimGetResourceType({ params: { id: 'User' } }),
  scimListSchemas: async () => (client) => client.scimListSchemas(),
  scimGetSchema: async () => (client) =>
    client.scimGetSchema({ params: { id: 'urn:ietf:params:scim:schemas:core:2.0:User' } }),
  scimListUsers: async () => (client) => client.scimListUsers(),
  scimCreateUser: async () => (client) => client.scimCreateUser({ body: scimUser() }),
  scimGetUser: async () => {
    const params = await aScimUser();
    return (client) => client.scimGetUser({ params });
  },
  scimReplaceUser: async () => {
    const params = await aScimUser();
    return (client) => client.scimReplaceUser({ params, body: scimUser() });
  },
  scimPatchUser: async () => {
    const params = await aScimUser();
    const body = { Operations: [{ op: 'replace', path: 'displayName', value: 'Ada' }] };
    return (client) => client.scimPatchUser({ params, body });
  },
  scimDeleteUser: async () => {
    const params = await aScimUser();
    return (client) => client.scimDeleteUser({ params });
  },
  scimListGroups: async () => (client) => client.scimListGroups(),
  scimCreateGroup: async () => (client) => client.scimCreateGroup({ body: scimGroup() }),
  scimGetGroup: async () => {
    const params = await aScimGroup();
    return (client) => client.scimGetGroup({ params });
  },
  scimReplaceGroup: async () => {
    const params = await aScimGroup();
    return (client) => client.scimReplaceGroup({ params, body: scimGroup() });
  },
  scimPatchGroup: async () => {
    const params = await aScimGroup();
    const body = { Operations: [{ op: 'replace', value: scimGroup() }] };
    return (client) => client.scimPatchGroup({ params, body });
  },
  scimDeleteGroup: async () => {
    const params = await aScimGroup();
    return (client) => client.scimDeleteGroup({ params });
  },
  logOut: async () => (client) => client.logOut(),
  getIdentity: async () => (client) => client.getIdentity(),
  listSavedViews: async () => (client) => client.listSavedViews(),
  getOwnNotifications: async () => (client) => client.getOwnNotifications(),
  chooseNotifications: async () => (client) =>
    client.chooseNotifications({ body: { sent: false } }),
  changeSavedViews: async () => (client) =>
    client.changeSavedViews({ body: { save: [{ name: 'Ours', address: '/assets?q=ours' }] } }),
  createAsset: async () => (client) =>
    client.createAsset({
      body: { fqn: `a.${uniqueName('b').replace(' ', '')}`, owner_team_id: world.producer.teamId },
    }),
  createService: async () => (client) =>
    client.createService({
      body: { name: uniqueName('s').replace(' ', '-'), owner_team_id: world.producer.teamId },
    }),
  listServices: async () => (client) => client.listServices(),
  getService: async () => {
    const params = { service_id: (await createService(world.producer)).id };
    return (client) => client.getService({ params });
  },
  updateService: async () => {
    const params = { service_id: (await createService(world.producer)).id };
    return (client) => client.updateService({ params, body: { description: 'Takes orders.' } });
  },
  deleteService: async () => {
    const params = { service_id: (await createService(world.producer)).id };
    return (client) => client.deleteService({ params });
  },
  listAssets: async () => (client) => client.listAssets(),
  getAsset: async () => {
    const { id } = await createAsset(world.producer);
    return (client) => client.getAsset({ params: { asset_id: id } });
  },
  updateAsset: async () => {
    const { id } = await createAsset(world.producer);
    return (client) =>
      client.updateAsset({ params: { asset_id: id }, body: { metadata: { a: 1 } } });
  },
  deleteAsset: async () => {
    const { id } = await createAsset(world.producer);
    return (client) => client.deleteAsset({ params: { asset_id: id } });
  },
  restoreAsset: async () => {
    const params = { asset_id: (await createAsset(world.producer)).id };
    must(await world.admin.deleteAsset({ params }), 204);
    return (client) => client.restoreAsset({ params });
  },
  listAssetContracts: async () => {
    const { assetId } = await publishedAsset(world.producer);
    return (client) => client.listAssetContracts({ params: { asset_id: assetId } });
  },
  getAssetContract: async () => {
    const params = {
      asset_id: (await publishedAsset(world.producer)).assetId,
      version: 'latest',
    };
    return (client) => client.getAssetContract({ params });
  },
  publishContract: async () => {
    const { assetId } = await publishedAsset(world.producer);
    return (client) =>
      client.publishContract({ params: { asset_id: assetId }, body: { schema: widerSchema } });
  },
  assessImpact: async () => {
    const { assetId } = await publishedAsset(world.producer);
    const body = { proposed_schema: narrowerSchema };
    return (client) => client.assessImpact({ params: { asset_id: assetId }, body });
  },
  checkSchema: async () => (client) => client.checkSchema({ body: { schema: true } }),
  checkValues: async () => {
    const { contractId } = await publishedAsset(world.producer);
    return (client) =>
      client.checkValues({ params: { contract_id: contractId }, body: { values: [{}] } });
  },
  listAssetFields: async () => {
    const { assetId } = await publishedAsset(world.producer);
    return (client) => client.listAssetFields({ params: { asset_id: assetId } });
  },
  diffAsset: async () => {
    const { assetId } = await publishedAsset(world.producer);
    return (client) =>
      client.diffAsset({ params: { asset_id: assetId }, query: { from: '1.0.0' } });
  },
  recordLineage: async () => {
    const query = { team_id: world.consumer.teamId };
    const body = { eventTime: '2026-11-27T08:00:00Z', job: { namespace: 'etl', name: 'totals' } };
    return (client) => client.recordLineage({ query, body });
  },
  addDependency: async () => {
    const params = { asset_id: (await createAsset(world.producer)).id };
    const upstream = await createAsset(world.producer);
    return (client) => client.addDependency({ params, body: { depends_on_asset_id: upstream.id } });
  },
  listDependencies: async () => {
    const { asset_id } = await aDependency();
    return (client) => client.listDependencies({ params: { asset_id } });
  },
  getDependency: async () => {
    const params = await aDependency();
    return (client) => client.getDependency({ params });
  },
  deleteDependency: async () => {
    const params = await aDependency();
    return (client) => client.deleteDependency({ params });
  },
  getLineage: async () => {
    const { asset_id } = await aDependency();
    return (client) => client.getLineage({ params: { asset_id } });
  },
  getTeamGraph: async () => (client) => client.getTeamGraph(),
  getAssetContext: async () => {
    const params = { asset_id: (await createAsset(world.producer)).id };
    return (client) => client.getAssetContext({ params });
  },
  getPreflight: async () => {
    const params = { asset_id: (await createAsset(world.producer)).id };
    return (client) => client.getPreflight({ params });
  },
  askPreflight: async () => {
    const params = { asset_id: (await createAsset(world.producer)).id };
    return (client) => client.askPreflight({ params, body: {} });
  },
  search: async () => (client) => client.search({ query: { q: 'orders' } }),
  callTools: async () => (client) =>
    client.callTools({ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
  recordQualityRun: async () => {
    const params = { asset_id: (await createAsset(world.producer)).id };
    const body = { status: 'passed', triggered_by: 'build_test' } as const;
    return (client) => client.recordQualityRun({ params, body });
  },
  listSources: async () => (client) => client.listSources(),
  listSourceObjects: async () => {
    const params = { source_id: await aSource() };
    return (client) => client.listSourceObjects({ params });
  },
  confirmSource: async () => {
    const params = { source_id: await aSource() };
    return (client) => client.confirmSource({ params });
  },
  takeOverSource: async () => {
    const params = { source_id: await aSource(false) };
    const body = { to_source_id: await aSource(), reason: 'The cluster is gone.' };
    return (client) => client.takeOverSource({ params, body });
  },
  createWebhook: async () => (client) =>
    client.createWebhook({ body: { url: hookUrl, team_id: world.producer.teamId } }),
  listWebhooks: async () => (client) => client.listWebhooks(),
  getWebhook: async () => {
    const params = { webhook_id: await aWebhook() };
    return (client) => client.getWebhook({ params });
  },
  updateWebhook: async () => {
    const params = { webhook_id: await aWebhook() };
    return (client) => client.updateWebhook({ params, body: { url: `${hookUrl}/other` } });
  },
  deleteWebhook: async () => {
    const params = { webhook_id: await aWebhook() };
    return (client) => client.deleteWebhook({ params });
  },
  tryWebhook: async () => {
    const params = { webhook_id: await aWebhook() };
    return (client) => client.tryWebhook({ params });
  },
  listDeliveries: async () => {
    const params = { webhook_id: await aWebhook() };
    return (client) => client.listDeliveries({ params });
  },
  getDelivery: async () => {
    const params = await aParkedDelivery();
    return (client) => client.getDelivery({ params });
  },
  replayDelivery: async () => {
    const params = await aParkedDelivery();
    return (client) => client.replayDelivery({ params });
  },
  replayParked: async () => {
    const { webhook_id } = await aParkedDelivery();
    return (client) => client.replayParked({ params: { webhook_id } });
  },
  listQualityRuns: async () => {
    const params = { asset_id: (await createAsset(world.producer)).id };
    return (client) => client.listQualityRuns({ params });
  },
  getQualityTrends: async () => {
    const params = { asset_id: (await createAsset(world.producer)).id };
    return (client) => client.getQualityTrends({ params });
  },
  listContracts: async () => (client) => client.listContracts(),
  compareContracts: async () => {
    const { contractId } = await publishedAsset(world.producer);
    return (client) => client.compareContracts({ body: { from: contractId, to: contractId } });
  },
  getContract: async () => {
    const { contractId } = await publishedAsset(world.producer);
    return (client) => client.getContract({ params: { contract_id: contractId } });
  },
  exportContract: async () => {
    const params = { contract_id: (await publishedAsset(world.producer)).contractId };
    return (client) => client.exportContract({ params });
  },
  updateContract: async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await publishOk(world.producer.client, assetId, { schema: widerSchema });
    return (client) =>
      client.updateContract({ params: { contract_id: contractId }, body: { status: 'archived' } });
  },
  listContractRegistrations: async () => {
    const { contractId } = await publishedAsset(world.producer);
    return (client) => client.listContractRegistrations({ params: { contract_id: contractId } });
  },
  registerConsumer: async () => {
    const { contractId } = await publishedAsset(world.producer);
    const body = { contract_id: contractId, consumer_team_id: world.consumer.teamId };
    return (client) => client.registerConsumer({ body });
  },
  listRegistrations: async () => (client) => client.listRegistrations(),
  getRegistration: async () => {
    const params = { registration_id: await aRegistrationId() };
    return (client) => client.getRegistration({ params });
  },
  updateRegistration: async () => {
    const params = { registration_id: await aRegistrationId() };
    return (client) => client.updateRegistration({ params, body: { notes: 'n' } });
  },
  findNeeds: async () => {
    const params = { registration_id: await aRegistrationId() };
    return (client) => client.findNeeds({ params, body: foundInSql });
  },
  confirmNeeds: async () => {
    const params = { registration_id: await aRegistrationId() };
    const { found_needs } = must(await world.admin.findNeeds({ params, body: foundInSql }), 200);
    const body = { digest: found_needs?.digest ?? '', reason: 'They are on holiday.' };
    return (client) => client.confirmNeeds({ params, body });
  },
  deleteRegistration: async () => {
    const params = { registration_id: await aRegistrationId() };
    const query = { reason: 'They are on holiday.' };
    return (client) => client.deleteRegistration({ params, query });
  },
  listProposals: async () => (client) => client.listProposals(),
  getProposal: async () => {
    const params = await aProposal('asked');
    return (client) => client.getProposal({ params });
  },
  getProposalStatus: async () => {
    const params = await aProposal('asked');
    return (client) => client.getProposalStatus({ params });
  },
  acknowledgeProposal: async () => {
    const params = await aProposal('asked');
    const body = { team_id: world.consumer.teamId, reason: 'They are on holiday.' };
    return (client) => client.acknowledgeProposal({ params, body });
  },
  approveProposal: async () => {
    const params = await aProposal('answered');
    return (client) => client.approveProposal({ params });
  },
  publishProposal: async () => {
    const params = await aProposal('answered');
    return (client) => client.publishProposal({ params });
  },
  rebaseProposal: async () => {
    const params = await aProposal('asked');
    return (client) => client.rebaseProposal({ params });
  },
  forceProposal: async () => {
    const params = await aProposal('asked');
    return (client) => client.forceProposal({ params, body: { reason: 'It has to be.' } });
  },
  listRevisions: async () => {
    const params = await aProposal('asked');
    return (client) => client.listRevisions({ params });
  },
  listComments: async () => {
    const params = await aProposal('asked');
    return (client) => client.listComments({ params });
  },
  commentOnProposal: async () => {
    const params = await aProposal('asked');
    const body = { text: 'Why?', team_id: world.consumer.teamId };
    return (client) => client.commentOnProposal({ params, body });
  },
  objectToProposal: async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.other]);
    const params = { proposal_id: proposalId };
    const body = { reason: 'We will read it from June on.', team_id: world.consumer.teamId };
    return (client) => client.objectToProposal({ params, body });
  },
  remindConsumers: async () => {
    const params = await aProposal('asked');
    return (client) => client.remindConsumers({ params });
  },
  updateProposal: async () => {
    const params = await aProposal('asked');
    return (client) => client.updateProposal({ params, body: { contact: 'Ada' } });
  },
  bulkAssets: async () => (client) =>
    client.bulkAssets({
      body: {
        items: [
          {
            fqn: `a.${uniqueName('b').replace(' ', '')}`,
            owner_team_id: world.producer.teamId,
          },
        ],
      },
    }),
  bulkRegistrations: async () => {
    const { contractId } = await publishedAsset(world.producer);
    const item = { contract_id: contractId, consumer_team_id: world.consumer.teamId };
    return (client) => client.bulkRegistrations({ body: { items: [item] } });
  },
  bulkAcknowledgments: async () => {
    const params = await aProposal('asked');
    const item = { ...params, team_id: world.consumer.teamId, reason: 'They are on holiday.' };
    return (client) => client.bulkAcknowledgments({ body: { items: [item] } });
  },
  expireProposal: async () => {
    const params = await aProposal('asked');
    await registry.database.query(
      `update proposal set proposed_at = proposed_at - interval '31 days' where id = $1`,
      [params.proposal_id],
    );
    return (client) => client.expireProposal({ params });
  },
  withdrawProposal: async () => {
    const params = await aProposal('asked');
    return (client) => client.withdrawProposal({ params, body: { reason: 'It has to be.' } });
  },
  ...manifestCalls('Buildtool'),
  ...manifestCalls('Dbt'),
  importOpenapi: async () => {
    const body = { ...openapiBody(), owner_team_id: world.producer.teamId };
    return (client) => client.importOpenapi({ body });
  },
  impactOpenapi: async () => (client) => client.impactOpenapi({ body: openapiBody() }),
  diffOpenapi: async () => (client) => client.diffOpenapi({ body: openapiBody() }),
  importGraphql: async () => {
    const body = { ...graphqlBody(), owner_team_id: world.producer.teamId };
    return (client) => client.importGraphql({ body });
  },
  impactGraphql: async () => (client) => client.impactGraphql({ body: graphqlBody() }),
  diffGraphql: async () => (client) => client.diffGraphql({ body: graphqlBody() }),
  importOdcs: async () => {
    const body = { ...odcsBody(), owner_team_id: world.producer.teamId };
    return (client) => client.importOdcs({ body });
  },
  impactOdcs: async () => (client) => client.impactOdcs({ body: odcsBody() }),
  diffOdcs: async () => (client) => client.diffOdcs({ body: odcsBody() }),
  listEvents: async () => (client) => client.listEvents(),
  verifyAudit: async () => (client) => client.verifyAudit(),
  exportEvents: async () => (client) => client.exportEvents(),
  streamEvents: async () => (client) => client.streamEvents({ query: { follow: false } }),
  // About a team, because events about people and keys are not visible to everybody.
  getEvent: async () => {
    const query = { entity_type: 'team' } as const;
    const [event] = must(await world.admin.listEvents({ query }), 200).results;
    return (client) => client.getEvent({ params: { event_id: event?.id ?? '' } });
  },
  listEntityHistory: async () => {
    const params = { entity_type: 'team', entity_id: world.other.teamId } as const;
    return (client) => client.listEntityHistory({ params });
  },
};

function manifestCalls<const Tool extends 'Buildtool' | 'Dbt'>(tool: Tool) {
  const importing = (name: `sync${Tool}` | `upload${Tool}`) => async (): Promise<Call> => {
    const body = { ...manifestBody(), owner_team_id: world.producer.teamId };
    return (client) => client[name as 'syncDbt']({ body });
  };
  const looking = (name: `impact${Tool}` | `diff${Tool}`) => async (): Promise<Call> => {
    return (client) => client[name as 'impactDbt']({ body: manifestBody() });
  };
  const recording = async (): Promise<Call> => {
    const { manifest } = manifestBody();
    const body = { manifest, owner_team_id: world.producer.teamId };
    must(await world.admin.syncDbt({ body }), 200);
    const results = Object.keys(manifest.nodes).map((unique_id) => ({
      unique_id,
      status: 'success',
    }));
    const results_of_run = { metadata: { invocation_id: uniqueName('run') }, results };
    return (client) =>
      client[`record${tool}Results` as 'recordDbtResults']({
        body: { run_results: results_of_run },
      });
  };
  // The routes by the names in the table, each with its call.
  return {
    [`sync${tool}`]: importing(`sync${tool}`),
    [`upload${tool}`]: importing(`upload${tool}`),
    [`impact${tool}`]: looking(`impact${tool}`),
    [`diff${tool}`]: looking(`diff${tool}`),
    [`record${tool}Results`]: recording,
  } as Record<
    `${'sync' | 'upload' | 'impact' | 'diff'}${Tool}` | `record${Tool}Results`,
    () => Promise<Call>
  >;
}

function manifestBody() {
  const name = uniqueName('model').replace(' ', '_');
  const node = {
    resource_type: 'model',
    package_name: 'shop',
    name,
    alias: name,
    database: 'shop',
    schema: 'public',
    columns: {},
    depends_on: { nodes: [] },
  };
  const metadata = { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' };
  return { manifest: { metadata, nodes: { [`model.shop.${name}`]: node }, sources: {} } };
}

function openapiBody() {
  const info = { title: uniqueName('api'), version: '1' };
  const paths = { '/users': { get: { responses: {} } } };
  return { spec: { openapi: '3.1.0', info, paths } };
}

function graphqlBody() {
  return { schema: `type ${uniqueName('User').replace(' ', '')} { id: ID! }` };
}

function odcsBody() {
  const name = uniqueName('orders').replace(' ', '_');
  const schema = [{ name, physicalName: name, properties: [] }];
  const contract = { kind: 'DataContract', apiVersion: 'v3.0.2', id: name, name, schema };
  return { contract: { ...contract, version: '1.0.0', status: 'active' } };
}

const foundInSql = {
  origin: 'sql' as const,
  source: 'queries',
  places: [{ place: 'a.sql', fields: ['$.id'] }],
};

type PublicName = {
  [Name in RouteName]: (typeof routes)[Name]['scope'] extends 'public' ? Name : never;
}[RouteName];

/** The team that the rule of a route names. */
const rightful: Readonly<Record<TeamRule, keyof Keyring>> = {
  scope: 'ofProducer',
  signed_in: 'ofProducer',
  named_owner: 'ofProducer',
  asset_owner: 'ofProducer',
  service_owner: 'ofProducer',
  contract_owner: 'ofProducer',
  proposal_owner: 'ofProducer',
  proposal_consumer: 'ofConsumer',
  proposal_party: 'ofConsumer',
  objecting_team: 'ofConsumer',
  named_consumer: 'ofConsumer',
  registration_consumer: 'ofConsumer',
  registration_answering: 'ofConsumer',
  webhook_team: 'ofProducer',
};

type Verdict = 'allowed' | 401 | 403;

/** The expected verdict of the table's scope and rule for a kind of key. */
function verdictOf(row: Route, kind: KeyKind): Verdict {
  if (row.scope === 'public') return 'allowed';
  const isFree = row.who === 'scope' || row.who === 'signed_in';
  const isAnswer = row.scope === 'acknowledge' || row.who === 'registration_answering';
  const isDuty = duties.some((duty) => duty === row.scope);
  const needed = row.scope === 'acknowledge' ? 'write' : isDuty ? 'admin' : row.scope;
  const byScope = (held: 'read' | 'write' | 'admin'): boolean =>
    ['read', 'write', 'admin'].indexOf(held) >= ['read', 'write', 'admin'].indexOf(needed);
  const when = (isAllowed: boolean): Verdict => (isAllowed ? 'allowed' : 403);
  if (row.who === 'signed_in' && !/^(?:session|none|revoked|expired)/.test(kind)) return 403;
  switch (kind) {
    case 'none':
    case 'revoked':
    case 'expired':
    case 'session of a deactivated admin':
      return 401;
    case 'read, own team':
    case 'session of a viewer, own team':
      return when(byScope('read'));
    case 'write, own team':
    case 'session of an editor, own team':
    case 'acknowledge and write, several teams with the own':
    case 'acknowledge and write, all teams':
      return when(byScope('write'));
    case 'write, several teams with the own':
    case 'write, all teams':
      return when(byScope('write') && !isAnswer);
    case 'force, own team':
    case 'manage_people':
    case 'read_audit':
    case 'scim':
      return when(byScope('read') || row.scope === kind.split(',')[0]);
    case 'session of a viewer with each duty':
      return when(byScope('read') || (isDuty && row.scope !== 'scim'));
    case 'acknowledge, own team':
      return when(byScope('read') || row.scope === 'acknowledge');
    case 'acknowledge and write, several teams without the own':
    case 'write, another team':
    case 'session of an editor, another team':
    case 'write, several teams without the own':
      return when(byScope('write') && isFree);
    case 'admin, another team':
    case 'session of an admin, no team':
    case 'bootstrap':
      return when(true);
    default:
      return kind satisfies never;
  }
}

const guarded = Object.entries<Route>(routes).filter(([, row]) => row.scope !== 'public');

describe.each(guarded)('%s', (name, row) => {
  test.each(keyKinds.map((kind) => [kind, verdictOf(row, kind)] as const))(
    'with a key of the kind "%s" is %s',
    async (kind, verdict) => {
      const isUsedUp = verdict === 'allowed' && row.method !== 'GET';
      const call = await (isUsedUp ? prepare(name) : prepareOnce(name));
      const before = verdict === 'allowed' ? null : await countEvents();
      const { status } = await call(clientOf(await credentialFor(name, kind, rightful[row.who])));
      if (verdict === 'allowed') {
        expect(status).toBeGreaterThanOrEqual(200);
        expect(status).toBeLessThan(300);
        return;
      }
      expect(status).toBe(verdict);
      expect(await countEvents()).toBe(before);
    },
  );
});

function clientOf(credential: Credential): TestClient {
  return typeof credential === 'object'
    ? world.admin.signedIn(credential)
    : world.admin.as(credential);
}

/** Signing out ends a session, so it needs one of its own. */
async function credentialFor(
  name: string,
  kind: KeyKind,
  whose: keyof Keyring,
): Promise<Credential> {
  const credential = keys[kind][whose];
  if (name !== 'logOut' || typeof credential !== 'object' || kind.includes('deactivated')) {
    return credential;
  }
  const { user } = must(await world.admin.signedIn(credential).getIdentity(), 200);
  return signIn(world.admin.as(undefined), user?.email ?? '');
}

function prepare(name: string): Promise<Call> {
  return calls[name as keyof typeof calls]();
}

const prepared = new Map<string, Promise<Call>>();

/** A call that changes nothing leaves its objects for the next one. */
function prepareOnce(name: string): Promise<Call> {
  const known = prepared.get(name) ?? prepare(name);
  prepared.set(name, known);
  return known;
}

describe('The table of routes', () => {
  test('requires a key or a session for everything under /api/ except signing in', () => {
    const open = Object.values<Route>(routes).filter((row) => row.scope === 'public');
    const paths = open.map((row) => row.path).filter((path) => path.startsWith('/api/'));
    expect(paths).toEqual([
      '/api/v1/auth/token',
      '/api/v1/auth/login',
      '/api/v1/auth/options',
      '/api/v1/auth/oidc/{provider}/start',
      '/api/v1/auth/oidc/{provider}/callback',
      // Signed by the provider.
      '/api/v1/auth/oidc/{provider}/backchannel-logout',
    ]);
  });

  test('has no route that lets readers change anything', () => {
    const changing = Object.entries<Route>(routes)
      .filter(([, row]) => row.scope === 'read' && row.method !== 'GET')
      .map(([name]) => name);
    expect(changing.filter((name) => !/^(?:impact|diff)/.test(name))).toEqual([
      'logOut',
      // Their own, which nobody else sees.
      'chooseNotifications',
      'changeSavedViews',
      'askPreflight',
      'assessImpact',
      'compareContracts',
      'checkSchema',
      'checkValues',
      // Its tools are requests of their own, with the same key.
      'callTools',
    ]);
  });

  test('gives every writing route a rule about teams, or requires an admin', () => {
    const loose = Object.values<Route>(routes).filter(
      (row) => row.method !== 'GET' && row.scope === 'write' && row.who === 'scope',
    );
    expect(loose).toEqual([]);
  });
});

test('/metrics stays below 50 kB after all of these requests to every route', async () => {
  const text = await (await fetch(`${registry.url}/metrics`)).text();
  const counted = new Set(
    [...text.matchAll(/^concordat_http_requests_total\{route="([^"]+)"/gm)].map(
      ([, route]) => route,
    ),
  );
  expect(counted.size).toBeGreaterThan(80);
  expect(text.length).toBeLessThan(50_000);
});

/** A denial is recorded; nothing else may have happened. */
async function countEvents(): Promise<number> {
  const [row] = await registry.database.query(
    "select count(*)::int as count from audit_event where event_type <> 'auth.denied'",
  );
  return Number(row?.count);
}

async function issueKeys(): Promise<Readonly<Record<KeyKind, Keyring>>> {
  const { admin, producer, consumer, other } = world;
  const third = await openParty(admin, 'third');
  const both = async (issue: (teamId: string) => Promise<Credential>): Promise<Keyring> => ({
    ofProducer: await issue(producer.teamId),
    ofConsumer: await issue(consumer.teamId),
  });
  const same = async (key: Credential): Promise<Keyring> => ({
    ofProducer: key,
    ofConsumer: key,
  });
  const session = async (user: NonNullable<Parameters<typeof createUser>[1]>) =>
    signIn(admin.as(undefined), (await createUser(admin, user)).email);
  const issue = (key: Parameters<typeof issueKey>[1]) => issueKey(admin, key);
  const made = {
    none: await same(undefined),
    revoked: await both((team_id) => revokedKey(team_id)),
    expired: await both((team_id) => expiringKey(team_id)),
    'read, own team': await both((team_id) => issue({ team_id, scopes: ['read'] })),
    'write, own team': await both((team_id) => issue({ team_id, scopes: ['write'] })),
    'write, another team': await same(
      await issue({ team_id: other.teamId, scopes: ['write', 'read'] }),
    ),
    'write, several teams with the own': await both((teamId) =>
      issue({ team_ids: [other.teamId, teamId], scopes: ['write'] }),
    ),
    'write, several teams without the own': await same(
      await issue({ team_ids: [other.teamId, third.teamId], scopes: ['write'] }),
    ),
    'write, all teams': await same(await issue({ all_teams: true, scopes: ['write'] })),
    'acknowledge, own team': await both((team_id) => issue({ team_id, scopes: ['acknowledge'] })),
    'acknowledge and write, several teams with the own': await both((teamId) =>
      issue({ team_ids: [other.teamId, teamId], scopes: ['acknowledge', 'write'] }),
    ),
    'acknowledge and write, several teams without the own': await same(
      await issue({ team_ids: [other.teamId, third.teamId], scopes: ['acknowledge', 'write'] }),
    ),
    'acknowledge and write, all teams': await same(
      await issue({ all_teams: true, scopes: ['acknowledge', 'write'] }),
    ),
    'force, own team': await both((team_id) => issue({ team_id, scopes: ['force'] })),
    manage_people: await same(await issue({ scopes: ['manage_people'] })),
    read_audit: await same(await issue({ scopes: ['read_audit'] })),
    scim: await same(await issue({ scopes: ['scim'] })),
    'admin, another team': await same(await issue({ team_id: other.teamId, scopes: ['admin'] })),
    bootstrap: await same(registry.bootstrapKey),
    'session of a viewer, own team': await both((team_id) => session({ team_id, role: 'viewer' })),
    'session of a viewer with each duty': await both((team_id) =>
      session({ team_id, role: 'viewer', duties: ['force', 'manage_people', 'read_audit'] }),
    ),
    'session of an editor, own team': await both((team_id) => session({ team_id, role: 'editor' })),
    'session of an editor, another team': await same(
      await session({ team_id: other.teamId, role: 'editor' }),
    ),
    'session of an admin, no team': await same(await session({ role: 'admin' })),
    'session of a deactivated admin': await same(await sessionOfDeactivated()),
  };
  await vi.waitFor(async () => {
    for (const key of Object.values(made.expired)) {
      expect((await clientOf(key).listTeams()).status).toBe(401);
    }
  }, untilExpired);
  return made;
}

const untilExpired = { timeout: 600_000 };

/** A key that ends soon; later on a machine so busy that the request arrives after that. */
async function expiringKey(team_id: string): Promise<string> {
  for (let ms = 200; ; ms *= 2) {
    const expires_at = new Date(Date.now() + ms).toISOString();
    const body = { name: uniqueName('ending'), team_id, scopes: ['admin' as const], expires_at };
    const issued = await world.admin.issueApiKey({ body });
    if (issued.ok) return issued.body.key ?? '';
    mustRefuse(issued, 400, 'VALIDATION_ERROR');
  }
}

async function revokedKey(team_id: string): Promise<string> {
  const body = { name: uniqueName('revoked'), team_id, scopes: ['admin' as const] };
  const { id, key = '' } = must(await world.admin.issueApiKey({ body }), 201);
  must(await world.admin.revokeApiKey({ params: { api_key_id: id } }), 204);
  return key;
}

async function sessionOfDeactivated(): Promise<BrowserSession> {
  const { id, email } = await createUser(world.admin, { role: 'admin' });
  const session = await signIn(world.admin.as(undefined), email);
  must(await world.admin.deactivateUser({ params: { user_id: id } }), 204);
  return session;
}

function aUser() {
  const email = `${uniqueName('u').replace(' ', '')}@example.com`;
  return world.admin.createUser({ body: { email } }).then((made) => must(made, 201));
}

async function aKeyId(): Promise<string> {
  const body = { name: 'k', team_id: world.other.teamId, scopes: ['read' as const] };
  return must(await world.admin.issueApiKey({ body }), 201).id;
}

function scimUser() {
  return { userName: `${uniqueName('u').replace(' ', '')}@example.com` };
}

function scimGroup() {
  return { displayName: uniqueName('group') };
}

async function aScimUser(): Promise<{ id: string }> {
  return { id: String(must(await world.admin.scimCreateUser({ body: scimUser() }), 201).id) };
}

async function aScimGroup(): Promise<{ id: string }> {
  return { id: String(must(await world.admin.scimCreateGroup({ body: scimGroup() }), 201).id) };
}

function trustOf(team_id: string) {
  return {
    ...{ name: uniqueName('CI'), issuer: 'https://ci.example.com', audience: 'concordat' },
    ...{ claims: { sub: 'shop' }, team_id, scopes: ['write' as const] },
  };
}

async function aTrustId(): Promise<string> {
  return must(await world.admin.createTrust({ body: trustOf(world.other.teamId) }), 201).id;
}

/** No name server knows this name, so deliveries fail at once. */
const hookUrl = 'http://receiver.invalid/hook';

async function aWebhook(): Promise<string> {
  const body = { url: hookUrl, team_id: world.producer.teamId };
  return must(await world.admin.createWebhook({ body }), 201).id;
}

async function aParkedDelivery() {
  const webhook_id = await aWebhook();
  const [event] = must(await world.admin.listEvents(), 200).results;
  const [row] = await registry.database.query(
    `insert into delivery (webhook_id, asset_id, sequence, place, event_id, event_type, team_ids,
       state, created_at, queued_at, finished_at)
     values ($1, gen_random_uuid(), 1, 1, $2, 'contract.deprecated', '{}', 'parked', now(), now(),
       now())
     returning id`,
    [webhook_id, event?.id],
  );
  return { webhook_id, delivery_id: String(row?.id) };
}

async function aSource(isAlive = true): Promise<string> {
  const [row] = await registry.database.query(
    `insert into controller_lease (identity, kind, place, fence, holder, renewed_at)
     values ($1, 'directory', '/srv', 1, 'nobody', $2::timestamptz) returning id`,
    [uniqueName('source'), isAlive ? 'now' : '-infinity'],
  );
  return String(row?.id);
}

async function aDependency() {
  const { id: asset_id } = await createAsset(world.producer);
  const body = { depends_on_asset_id: (await createAsset(world.producer)).id };
  const made = await world.producer.client.addDependency({ params: { asset_id }, body });
  return { asset_id, dependency_id: must(made, 201).id };
}

async function aRegistrationId(): Promise<string> {
  const { contractId } = await publishedAsset(world.producer);
  return (await register(world.consumer, contractId)).id;
}

async function aProposal(state: 'asked' | 'answered') {
  const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
  const params = { proposal_id: proposalId };
  if (state === 'answered') {
    must(await world.consumer.client.acknowledgeProposal({ params, body: {} }), 200);
  }
  return params;
}
