// The types of the API, derived from the route table, so that nothing is declared twice.

import type { CallOf, Refusal } from '../../wire/client.ts';
import type { ReplyOf, RouteName, Routes } from '../../wire/routes.ts';

export type { Refusal, RouteName };

export type CallTo<N extends RouteName> = CallOf<Routes[N]>;
export type BodyOf<N extends RouteName> = ReplyOf<Routes[N]>['body'];

type ResultsOf<N extends RouteName> =
  BodyOf<N> extends { results: readonly (infer T)[] } ? T : never;

export type Asset = BodyOf<'getAsset'>;
export type AssetListed = ResultsOf<'listAssets'>;
export type Contract = BodyOf<'getContract'>;
export type Change = BodyOf<'assessImpact'>['changes'][number];
export type Impact = BodyOf<'assessImpact'>;
export type Proposal = BodyOf<'getProposal'>;
export type Comment = ResultsOf<'listComments'>;
export type ProposalListed = ResultsOf<'listProposals'>;
export type ProposalConsumer = Proposal['consumers'][number];
export type ProposalState = Proposal['status'];
export type Registration = ResultsOf<'listRegistrations'>;
export type RegistrationRead = BodyOf<'getRegistration'>;
export type AssetFields = BodyOf<'listAssetFields'>;
export type AuditEvent = ResultsOf<'listEvents'>;
export type Team = BodyOf<'getTeam'>;
export type Service = BodyOf<'getService'>;
export type ServiceListed = ResultsOf<'listServices'>;
export type ApiKey = BodyOf<'getApiKey'>;
export type Trust = BodyOf<'getTrust'>;
export type User = BodyOf<'getUser'>;
export type Source = ResultsOf<'listSources'>;
export type SourceObject = ResultsOf<'listSourceObjects'>;
export type Webhook = BodyOf<'getWebhook'>;
export type ListedWebhook = ResultsOf<'listWebhooks'>;
export type Delivery = BodyOf<'getDelivery'>;
export type Lineage = BodyOf<'getLineage'>;
export type TeamGraph = BodyOf<'getTeamGraph'>;
export type LineageAsset = Lineage['results'][number];
export type QualityRun = ResultsOf<'listQualityRuns'>;
export type QualityTrend = BodyOf<'getQualityTrends'>['windows'][number];
export type Hit = ResultsOf<'search'>;
export type Mode = Contract['compatibility_mode'];
