// The audit event of each change, with everything that a reader needs to understand it without
// other events.

import type { Asset } from '../asset.ts';
import type { Change } from '../comparison.ts';
import type { Contract } from '../contract.ts';
import type { EventDraft, EventType } from '../event.ts';
import type { ContractId, RegistrationId, TeamId } from '../id.ts';
import type { ConsumerVerdict } from '../need.ts';
import {
  type ChangeRequest,
  type Proposal,
  type ProposalConsumer,
  requestJson,
} from '../proposal.ts';
import type { Consumer, Registration } from '../registration.ts';
import type { ApiKey, Service, Team, Trust } from '../team.ts';
import type { ScimGroup, User } from '../user.ts';
import type { Json, JsonObject } from '../value/json.ts';
import { originOf, type Webhook } from '../webhook.ts';
import { type Asking, verdictOn } from './asking.ts';

/** An event lists only part of a large change; the contract's diff has all of it. */
const listedChangesLimit = 50;
const listedTeamsLimit = 100;

/** @example describeChanges([change]) // ['property_removed: $.properties.amount'] */
function describeChanges(changes: readonly Change[]): readonly string[] {
  const lines = changes.slice(0, listedChangesLimit).map(({ type, path }) => `${type}: ${path}`);
  const rest = changes.length - lines.length;
  return rest === 0 ? lines : [...lines, `and ${rest} more`];
}

export function teamEvent(
  type: Extract<EventType, `team.${string}`>,
  team: Team,
  more: JsonObject = {},
): EventDraft {
  return {
    type,
    entityType: 'team',
    entityId: team.id,
    metadata: { name: team.name, slug: team.slug, ...more },
    teamIds: [team.id],
  };
}

export function serviceEvent(
  type: Extract<EventType, `service.${string}`>,
  service: Service,
  more: JsonObject = {},
): EventDraft {
  return {
    type,
    entityType: 'service',
    entityId: service.id,
    metadata: { name: service.name, owner_team_id: service.ownerTeamId, ...more },
    teamIds: [service.ownerTeamId],
  };
}

export function apiKeyEvent(
  type: Extract<EventType, `api_key.${string}`>,
  key: ApiKey,
  more: JsonObject = {},
): EventDraft {
  const { name, prefix, scopes, expiresAt } = key;
  return {
    type,
    entityType: 'api_key',
    entityId: key.id,
    metadata: {
      name,
      prefix,
      scopes,
      user_id: key.userId,
      team_id: key.teamId,
      team_ids: key.teamIds,
      all_teams: key.allTeams,
      expires_at: expiresAt,
      ...(key.trustId !== null && { trust_id: key.trustId }),
      ...more,
    },
  };
}

export function trustEvent(
  type: Extract<EventType, `trust.${string}`>,
  trust: Trust,
  more: JsonObject = {},
): EventDraft {
  const { name, issuer, audience, claims, scopes, reusable } = trust;
  return {
    type,
    entityType: 'trust',
    entityId: trust.id,
    metadata: {
      ...{ name, issuer, audience, claims, scopes, reusable },
      team_id: trust.teamId,
      ...more,
    },
    teamIds: [trust.teamId],
  };
}

export function userEvent(
  type: Extract<EventType, `user.${string}` | `auth.${string}`>,
  user: User,
  more: JsonObject = {},
): EventDraft {
  return {
    type,
    entityType: 'user',
    entityId: user.id,
    metadata: {
      email: user.email,
      name: user.name,
      role: user.role,
      ...(user.duties.length > 0 && { duties: [...user.duties] }),
      team_id: user.teamId,
      ...more,
    },
  };
}

export function groupEvent(
  type: Extract<EventType, `group.${string}`>,
  { id, displayName, externalId }: ScimGroup,
  more: JsonObject = {},
): EventDraft {
  const metadata = { name: displayName, external_id: externalId, ...more };
  return { type, entityType: 'group', entityId: id, metadata };
}

/** Without the path of the URL, which may be secret. */
export function webhookEvent(
  type: Extract<EventType, `webhook.${string}`>,
  webhook: Webhook,
  more: JsonObject = {},
): EventDraft {
  return {
    type,
    entityType: 'webhook',
    entityId: webhook.id,
    metadata: {
      origin: originOf(webhook.url),
      format: webhook.format,
      team_id: webhook.teamId,
      events: webhook.events,
      team_ids: webhook.teamIds,
      daily_at: webhook.dailyAt,
      ...(webhook.userId !== null && { user_id: webhook.userId }),
      ...(webhook.stoppedAt !== null && { stopped_at: webhook.stoppedAt }),
      ...more,
    },
    teamIds: webhook.teamIds,
  };
}

type NamedAsset = Pick<Asset, 'id' | 'fqn' | 'environment' | 'ownerTeamId'>;

export function assetEvent(
  type: Extract<EventType, `asset.${string}`>,
  asset: NamedAsset,
  more: JsonObject = {},
): EventDraft {
  return {
    type,
    entityType: 'asset',
    entityId: asset.id,
    metadata: {
      fqn: asset.fqn,
      asset_fqn: asset.fqn,
      environment: asset.environment,
      owner_team_id: asset.ownerTeamId,
      ...more,
    },
    assetId: asset.id,
    teamIds: [asset.ownerTeamId],
  };
}

/** Those whose promise is taken away by force are told; others left before. */
export function assetDeleted(
  asset: NamedAsset & { readonly activeContractVersion: string | null },
  consumers: readonly { readonly teamId: TeamId; readonly teamName: string }[],
  { force, reason }: { readonly force: boolean; readonly reason: string | null },
): EventDraft {
  const teamIds = consumers.map(({ teamId }) => teamId);
  const deleted = assetEvent('asset.deleted', asset, {
    team_id: asset.ownerTeamId,
    version: asset.activeContractVersion,
    forced: force,
    reason,
    consumers: teamNames(consumers),
  });
  return {
    ...deleted,
    teamIds: [...new Set([asset.ownerTeamId, ...teamIds])],
    ...(force && teamIds.length > 0 ? { notifiedTeamIds: [...new Set(teamIds)] } : {}),
  };
}

export function contractPublished(
  asset: NamedAsset,
  contract: Omit<Contract, 'schema'>,
  told: {
    readonly changes: readonly Change[];
    readonly previousVersion: string | null;
    readonly breaksBackward: boolean | null;
    readonly consumers: readonly Consumer[];
    readonly moved: readonly Consumer[];
    /** For a version that nobody was asked about. */
    readonly asking?: Asking | undefined;
    readonly proposalId: string | null;
    /** Why it was published here although it is managed elsewhere. */
    readonly reason?: string | undefined;
    /** Nobody was asked: the mode allowed it, or an administrator forced it. */
    readonly isUnasked: boolean;
  },
): EventDraft {
  return {
    type: 'contract.published',
    entityType: 'contract',
    entityId: contract.id,
    metadata: {
      asset_id: asset.id,
      asset_fqn: asset.fqn,
      environment: asset.environment,
      team_id: contract.publishedBy,
      version: contract.version,
      previous_version: told.previousVersion,
      change_type: contract.changeType,
      compatibility_mode: contract.compatibilityMode,
      schema_digest: contract.schemaDigest,
      source: contract.source,
      source_reference: contract.sourceReference,
      commit: contract.commit,
      changes: describeChanges(told.changes),
      breaks_backward: told.breaksBackward,
      consumers: told.consumers.length,
      moved_consumers: teamNames(told.moved),
      proposal_id: told.proposalId,
      ...(told.reason !== undefined && { reason: told.reason }),
      ...needsOf(told),
    },
    assetId: asset.id,
    teamIds: [asset.ownerTeamId, ...told.consumers.map(({ teamId }) => teamId)],
    ...notifiedOf(told),
  };
}

interface PublishedUnasked {
  readonly changes: readonly Change[];
  readonly breaksBackward: boolean | null;
  readonly consumers: readonly Consumer[];
  readonly asking?: Asking | undefined;
  readonly isUnasked: boolean;
}

/** Everybody learns of a break that asked nobody; of other changes, those whose need it affects. */
function notifiedOf(told: PublishedUnasked): Pick<EventDraft, 'notifiedTeamIds'> {
  const { asking, breaksBackward, changes, consumers, isUnasked } = told;
  const breaks = changes.some(({ breaking }) => breaking);
  const isForAll =
    (isUnasked && breaksBackward === true) ||
    (asking !== undefined && breaks && consumers.length > 0);
  const notified = isForAll ? consumers : (asking?.asked ?? []);
  return notified.length === 0 ? {} : { notifiedTeamIds: notified.map(({ teamId }) => teamId) };
}

/** Why a break asked nobody, and whom a compatible change affects. Absent without needs. */
function needsOf({ asking, changes }: PublishedUnasked): JsonObject {
  if (asking === undefined) return {};
  const breaks = changes.some(({ breaking }) => breaking);
  const excused = breaks ? asking.excused : [];
  const listed = (consumers: readonly Consumer[]) =>
    consumers.slice(0, listedTeamsLimit).map((consumer) => ({
      team_id: consumer.teamId,
      team_name: consumer.teamName,
      registration_id: consumer.registrationId,
      need: consumer.needDigest,
      ...(consumer.foundDigest !== null && { found: consumer.foundDigest }),
      ...shownVerdict(verdictOn(consumer, asking.verdicts)),
    }));
  return {
    ...(excused.length > 0 && { excused: listed(excused) }),
    ...(!breaks && asking.asked.length > 0 && { affected: listed(asking.asked) }),
  };
}

const shownWitnessLimit = 2_000;

function shownVerdict(found: ConsumerVerdict | null): JsonObject {
  const { verdict, path, witness } = found ?? { verdict: 'may_break' };
  const isShort = witness !== undefined && JSON.stringify(witness).length <= shownWitnessLimit;
  return { verdict, ...(path !== undefined && { path }), ...(isShort && { witness }) };
}

export function contractRetired(
  type: 'contract.deprecated' | 'contract.archived',
  asset: NamedAsset,
  contract: { readonly id: ContractId; readonly version: string; readonly status: string },
  consumers: readonly Consumer[],
  more: JsonObject = {},
): EventDraft {
  // Archiving the active version affects every consumer, whatever version it reads.
  const isServing = contract.status === 'active';
  const affected = consumers.filter(({ contractId }) => isServing || contractId === contract.id);
  const notified = type === 'contract.deprecated' ? consumers : affected;
  return {
    type,
    entityType: 'contract',
    entityId: contract.id,
    metadata: {
      asset_id: asset.id,
      asset_fqn: asset.fqn,
      environment: asset.environment,
      version: contract.version,
      from: contract.status,
      to: type === 'contract.deprecated' ? 'deprecated' : 'archived',
      ...more,
    },
    assetId: asset.id,
    teamIds: [asset.ownerTeamId, ...consumers.map(({ teamId }) => teamId)],
    // Archiving a version without consumers notifies nobody.
    ...((type === 'contract.deprecated' || affected.length > 0) && {
      notifiedTeamIds: notified.map(({ teamId }) => teamId),
    }),
  };
}

export function registrationEvent(
  type: Extract<EventType, `registration.${string}`>,
  registration: Pick<
    Registration,
    'contractId' | 'contractVersion' | 'consumerTeamId' | 'consumerTeamName'
  > & { readonly registrationId: RegistrationId },
  asset: NamedAsset,
  more: JsonObject = {},
): EventDraft {
  return {
    type,
    entityType: 'registration',
    entityId: registration.registrationId,
    metadata: {
      asset_id: asset.id,
      asset_fqn: asset.fqn,
      environment: asset.environment,
      version: registration.contractVersion,
      contract_id: registration.contractId,
      consumer_team_id: registration.consumerTeamId,
      consumer_team_name: registration.consumerTeamName,
      ...more,
    },
    assetId: asset.id,
    teamIds: [asset.ownerTeamId, registration.consumerTeamId],
  };
}

export function proposalEvent(
  type: Extract<EventType, `proposal.${string}`>,
  asset: NamedAsset,
  proposal: Pick<
    Proposal,
    'id' | 'kind' | 'proposedBy' | 'breakingChanges' | 'changes' | 'request' | 'consumers'
  >,
  transition: { readonly from: string | null; readonly to: string },
  told: { readonly teamIds: readonly TeamId[]; readonly more?: { readonly [key: string]: Json } },
): EventDraft {
  const { breakingChanges, changes } = proposal;
  return {
    type,
    entityType: 'proposal',
    entityId: proposal.id,
    metadata: {
      asset_id: asset.id,
      asset_fqn: asset.fqn,
      environment: asset.environment,
      kind: proposal.kind,
      team_id: proposal.proposedBy,
      from: transition.from,
      to: transition.to,
      breaking_changes_count: breakingChanges.length,
      changes: describeChanges(breakingChanges.length > 0 ? breakingChanges : changes),
      ...(questions.has(type) && {
        ...requestTold(proposal.request),
        ...exampleOf(breakingChanges),
        ...affectedTold(proposal.consumers),
      }),
      ...told.more,
    },
    assetId: asset.id,
    teamIds: [asset.ownerTeamId, ...told.teamIds],
    ...toldOfProposal(type, proposal.kind, asset, told.teamIds),
  };
}

/** The events that ask consumers for an answer, remind them of it, or change what they are asked. */
const questions: ReadonlySet<EventType> = new Set([
  'proposal.created',
  'proposal.updated',
  'proposal.reopened',
  'proposal.reassessed',
  'proposal.rebased',
  'proposal.reminded',
  'proposal.deadline_passed',
]);

/** The sentence about the first change, with the value that breaks. */
function exampleOf(changes: readonly Change[]): JsonObject {
  const [first] = changes.toSorted(
    (a, b) => Number(b.witness !== undefined) - Number(a.witness !== undefined),
  );
  if (first === undefined) return {};
  const { path, description } = first;
  return { example: { path, description: description.slice(0, shownWitnessLimit) } };
}

/** What the change does to each consumer that said what it reads. */
function affectedTold(
  consumers: readonly Pick<ProposalConsumer, 'teamId' | 'teamName' | 'impact'>[],
): JsonObject {
  const affected = consumers
    .filter(({ impact }) => impact !== undefined)
    .slice(0, listedTeamsLimit)
    .map(({ teamId, teamName, impact = null }) => ({
      ...{ team_id: teamId, team_name: teamName },
      ...shownVerdict(impact),
    }));
  return affected.length === 0 ? {} : { affected };
}

/** Absent if the producer said nothing. */
function requestTold(request: ChangeRequest): JsonObject {
  const told = requestJson(request);
  return Object.values(told).every((said) => said === null) ? {} : { request: told };
}

/**
 * The event by which consumers learn of a forced proposal: of what it did, or of the force itself
 * where nothing else tells them.
 */
const tellsOfForce: Readonly<Record<Proposal['kind'], EventType>> = {
  schema: 'contract.published',
  deprecation: 'contract.deprecated',
  move: 'proposal.force_published',
  guarantee_mode: 'proposal.force_published',
  needs_mode: 'proposal.force_published',
};

/** Consumers are notified of questions, the producer of their answers. */
function toldOfProposal(
  type: EventType,
  kind: Proposal['kind'],
  asset: NamedAsset,
  consumers: readonly TeamId[],
): Pick<EventDraft, 'notifiedTeamIds'> {
  switch (type) {
    case 'proposal.commented':
    case 'proposal.reminded':
    case 'proposal.created':
    case 'proposal.updated':
    case 'proposal.reopened':
    case 'proposal.reassessed':
    case 'proposal.rebased':
      return { notifiedTeamIds: consumers };
    case 'proposal.force_published':
      return tellsOfForce[kind] === type ? { notifiedTeamIds: consumers } : {};
    case 'proposal.deadline_passed':
    case 'proposal.force_requested':
      return { notifiedTeamIds: [asset.ownerTeamId, ...consumers] };
    case 'proposal.acknowledged':
    case 'proposal.objected':
    case 'proposal.rejected':
      return { notifiedTeamIds: [asset.ownerTeamId] };
    default:
      return {};
  }
}

export function teamNames(consumers: readonly { readonly teamName: string }[]): readonly string[] {
  return consumers.slice(0, listedTeamsLimit).map(({ teamName }) => teamName);
}

/** The teams that the caller has to talk to, for the details of a refusal. */
export function teamsOf(
  consumers: readonly { readonly teamId: TeamId; readonly teamName: string }[],
): { readonly team_id: TeamId; readonly team_name: string }[] {
  return consumers.map(({ teamId, teamName }) => ({ team_id: teamId, team_name: teamName }));
}
