// Converts entities to the JSON of responses: the only place where camelCase becomes snake_case.

import type { z } from 'zod';
import type { ActorReference as ActorReferenceEntity } from '../../core/actor.ts';
import type { Asset as AssetEntity } from '../../core/asset.ts';
import type { Comment as CommentEntity } from '../../core/comment.ts';
import type { Change as ChangeEntity } from '../../core/comparison.ts';
import type { Contract as ContractEntity, ContractSummary } from '../../core/contract.ts';
import { teamsOf } from '../../core/decide/events.ts';
import { doesRequestHold } from '../../core/decide/proposals/four-eyes.ts';
import { differenceOf, type Revision } from '../../core/decide/publishing/revision.ts';
import { withFirstExamples } from '../../core/diff/alike-changes.ts';
import type { AuditEvent as AuditEventEntity } from '../../core/event.ts';
import type { Need as NeedEntity } from '../../core/need.ts';
import {
  mayExpireAt,
  type Objection,
  type ProposalConsumer,
  type Proposal as ProposalEntity,
  type ProposalListed as ProposalListedEntity,
  type ProposalSummary,
  type Proposed,
  requestJson,
} from '../../core/proposal.ts';
import { isLeaving, type Registration as RegistrationEntity } from '../../core/registration.ts';
import type {
  ApiKey as ApiKeyEntity,
  ListedService,
  Service as ServiceEntity,
  Team as TeamEntity,
  Trust as TrustEntity,
} from '../../core/team.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import type { ActorReference } from '../shapes/actor.ts';
import type { Asset, AssetCreated, AssetListed } from '../shapes/asset.ts';
import type { AuditEvent, AuditEventListed } from '../shapes/audit.ts';
import type { Comment } from '../shapes/comment.ts';
import type { Change, Contract, ContractListed } from '../shapes/contract.ts';
import type { Proposal, ProposalListed, ProposalStatus } from '../shapes/proposal.ts';
import type {
  Needs,
  Registration,
  RegistrationCreated,
  RegistrationListed,
} from '../shapes/registration.ts';
import type { ProposalRevisions } from '../shapes/revision.ts';
import type { Service, ServiceList } from '../shapes/service.ts';
import type { ApiKey, Team } from '../shapes/team.ts';
import type { Trust } from '../shapes/trust.ts';

export function representTeam(team: TeamEntity): z.output<typeof Team> {
  return {
    id: team.id,
    name: team.name,
    slug: team.slug,
    metadata: team.metadata,
    managed_by: team.managedBy,
    created_at: team.createdAt,
    updated_at: team.updatedAt,
    ...(team.deletedAt !== null && { deleted_at: team.deletedAt }),
  };
}

export function representService(service: ServiceEntity): z.output<typeof Service> {
  return {
    id: service.id,
    name: service.name,
    owner_team_id: service.ownerTeamId,
    owner_team_name: service.ownerTeamName,
    repository: service.repository,
    description: service.description,
    metadata: service.metadata,
    created_at: service.createdAt,
    updated_at: service.updatedAt,
  };
}

export function representServiceListed({
  service,
  assets,
}: ListedService): z.output<typeof ServiceList>['results'][number] {
  return { ...representService(service), assets };
}

/** Absent for an asset without a service, as in answers of a release before this one. */
function serviceOf({ serviceId, serviceName }: AssetEntity) {
  return serviceId === null || serviceName === null
    ? {}
    : { service_id: serviceId, service_name: serviceName };
}

export function representApiKey(key: ApiKeyEntity): z.output<typeof ApiKey> {
  return {
    id: key.id,
    name: key.name,
    team_id: key.teamId,
    team_ids: [...key.teamIds],
    all_teams: key.allTeams,
    user_id: key.userId,
    trust_id: key.trustId,
    scopes: [...key.scopes],
    prefix: key.prefix,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
  };
}

export function representTrust(trust: TrustEntity): z.output<typeof Trust> {
  const { id, name, issuer, audience, claims, scopes, reusable } = trust;
  return {
    ...{ id, name, issuer, audience, claims: { ...claims }, scopes: [...scopes], reusable },
    team_id: trust.teamId,
    created_at: trust.createdAt,
  };
}

export function representAssetCreated(asset: AssetEntity): z.output<typeof AssetCreated> {
  return {
    id: asset.id,
    fqn: asset.fqn,
    owner_team_id: asset.ownerTeamId,
    environment: asset.environment,
    created_at: asset.createdAt,
  };
}

export function representAssetListed(asset: AssetEntity): z.output<typeof AssetListed> {
  return {
    id: asset.id,
    fqn: asset.fqn,
    owner_team_id: asset.ownerTeamId,
    owner_team_name: asset.ownerTeamName,
    ...serviceOf(asset),
    environment: asset.environment,
    metadata: asset.metadata,
    created_at: asset.createdAt,
    active_contract_id: asset.activeContractId,
    active_contract_version: asset.activeContractVersion,
    current_contract_id: asset.activeContractId,
    ...(asset.deletedAt !== null && { deleted_at: asset.deletedAt }),
  };
}

export function representAsset(asset: AssetEntity): z.output<typeof Asset> {
  return {
    id: asset.id,
    fqn: asset.fqn,
    owner_team_id: asset.ownerTeamId,
    owner_team_name: asset.ownerTeamName,
    owner_user_id: asset.ownerUserId,
    owner_user_name: asset.ownerUserName,
    ...serviceOf(asset),
    environment: asset.environment,
    metadata: asset.metadata,
    guarantee_mode: asset.guaranteeMode,
    needs_mode: asset.needsMode,
    auto_publish: asset.autoPublish,
    on_deadline: asset.onDeadline,
    managed_by: asset.managedBy,
    active_contract_id: asset.activeContractId,
    active_contract_version: asset.activeContractVersion,
    current_contract_id: asset.activeContractId,
    created_at: asset.createdAt,
    updated_at: asset.updatedAt,
    ...(asset.deletedAt !== null && { deleted_at: asset.deletedAt }),
  };
}

export function representContractListed(
  contract: ContractSummary,
): z.output<typeof ContractListed> {
  return {
    id: contract.id,
    asset_id: contract.assetId,
    asset_fqn: contract.assetFqn,
    version: contract.version,
    status: contract.status,
    compatibility_mode: contract.compatibilityMode,
    change_type: contract.changeType,
    format: contract.format,
    direction: contract.direction,
    dialect: contract.dialect,
    schema_digest: contract.schemaDigest,
    previous_contract_id: contract.previousContractId,
    published_at: contract.publishedAt,
    published_by: contract.publishedBy,
    published_by_actor: representActor(contract.publishedByActor),
    source: contract.source,
    source_reference: contract.sourceReference,
    commit: contract.commit,
  };
}

export function representContract(contract: ContractEntity): z.output<typeof Contract> {
  return {
    ...representContractListed(contract),
    schema: objectOf(contract.schema),
    guarantees: contract.guarantees,
  };
}

/** Stored schemas are objects; these mean the same as `true` and `false`. */
function objectOf(schema: Json): JsonObject {
  if (isJsonObject(schema)) return schema;
  return schema === false ? { not: {} } : {};
}

export function representChanges(changes: readonly ChangeEntity[]): z.output<typeof Change>[] {
  return changes.map((change) => ({ ...change }));
}

function representActor(actor: ActorReferenceEntity): z.output<typeof ActorReference> {
  return { type: actor.type, id: actor.id, name: actor.name };
}

export function representRegistrationCreated(
  registration: RegistrationEntity,
): z.output<typeof RegistrationCreated> {
  return {
    id: registration.id,
    contract_id: registration.contractId,
    consumer_team_id: registration.consumerTeamId,
    consumer_team_name: registration.consumerTeamName,
    notes: registration.notes,
    status: registration.status,
    created_at: registration.createdAt,
    ...needsOf(registration),
  };
}

/** Absent from lists, and where the team has said nothing. */
function needsOf({
  need,
}: RegistrationEntity): Pick<z.output<typeof RegistrationCreated>, 'needs'> {
  if (need === null) return {};
  const { digest, status } = need;
  const schema = objectOf(need.schema);
  return { needs: { stated: representStated(need), schema, digest, status } };
}

export function representStated({ stated, schema }: NeedEntity): z.output<typeof Needs> {
  const said = 'fields' in stated ? { fields: [...stated.fields] } : { schema: objectOf(schema) };
  const { guarantees } = stated;
  return guarantees === undefined ? said : { ...said, guarantees: [...guarantees] };
}

export function representRegistrationListed(
  registration: RegistrationEntity,
): z.output<typeof RegistrationListed> {
  return {
    ...representRegistrationCreated(registration),
    asset_id: registration.assetId,
    asset_fqn: registration.assetFqn,
    contract_version: registration.contractVersion,
  };
}

export function representRegistration(
  registration: RegistrationEntity,
): z.output<typeof Registration> {
  return {
    ...representRegistrationListed(registration),
    registered_version: registration.registeredVersion,
    migrates_at: registration.migratesAt,
    ...(registration.endsAt !== null &&
      isLeaving(registration) && { ends_at: registration.endsAt }),
    source: registration.source,
    ...foundNeedsOf(registration),
    updated_at: registration.updatedAt,
  };
}

/** Absent where nothing was found. */
function foundNeedsOf({
  found,
}: RegistrationEntity): Pick<z.output<typeof Registration>, 'found_needs'> {
  if (found === null) return {};
  const { digest, fields, places } = found;
  return {
    found_needs: {
      digest,
      fields: fields === null ? null : [...fields],
      places: places.map(({ lastSeenAt, ...place }) => ({
        ...place,
        fields: place.fields === null ? null : [...place.fields],
        last_seen_at: lastSeenAt,
      })),
    },
  };
}

export function representProposalListed(
  proposal: ProposalListedEntity,
): z.output<typeof ProposalListed> {
  const awaited = proposal.notAgreed.map(({ teamId, teamName, response }) => ({
    team_id: teamId,
    team_name: teamName,
    ...(response === 'blocked' && { response }),
  }));
  return {
    ...representSummary(proposal),
    objection_count: proposal.objectionCount,
    ...(awaited.length > 0 && { not_agreed: awaited }),
  };
}

function representSummary(proposal: ProposalSummary) {
  return {
    id: proposal.id,
    asset_id: proposal.assetId,
    asset_fqn: proposal.assetFqn,
    kind: proposal.kind,
    status: proposal.status,
    change_type: proposal.changeType,
    breaking_changes_count: proposal.breakingChangesCount,
    total_consumers: proposal.progress.totalConsumers,
    acknowledgment_count: proposal.progress.acknowledged,
    can_publish: proposal.progress.canPublish,
    proposed_at: proposal.proposedAt,
    proposed_by: proposal.proposedBy,
    round: proposal.round,
    request: requestJson(proposal.request),
    reminded_at: proposal.remindedAt,
    may_expire_at: mayExpireAt(proposal),
    escalated_at: proposal.escalatedAt,
  };
}

export function representProposal(proposal: ProposalEntity): z.output<typeof Proposal> {
  const { proposed } = proposal;
  return {
    ...representSummary(proposal),
    proposed: representProposed(proposed),
    ...(proposed.kind === 'schema' && { proposed_schema: objectOf(proposed.schema) }),
    changes: representChanges(proposal.changes),
    breaking_changes: representChanges(proposal.breakingChanges),
    consumers: proposal.consumers.map((each) => ({
      ...representConsumer(each),
      ...(proposal.escalatedAt !== null && each.response === null && { no_answer: true }),
    })),
    asks: proposal.asks,
    ...(proposal.excused.length > 0 && { excused_consumers: teamsOf(proposal.excused) }),
    ...(proposal.objections.length > 0 && { objections: proposal.objections.map(objectionOf) }),
    proposed_by_actor: representActor(proposal.proposedByActor),
    base_contract_id: proposal.baseContractId,
    reason: proposal.reason,
    force_requested: representForceRequest(proposal),
    superseded_by: proposal.supersededBy,
    published_contract_id: proposal.publishedContractId,
    resolved_at: proposal.resolvedAt,
  };
}

function objectionOf({ teamId, teamName, reason, round, objectedAt, objectedBy }: Objection) {
  const by = { objected_at: objectedAt, objected_by: representActor(objectedBy) };
  return { team_id: teamId, team_name: teamName, reason, round, ...by };
}

/** Of changes that differ only in their place and example, only the first one keeps its example. */
export function representWithFirstExamples(proposal: ProposalEntity): z.output<typeof Proposal> {
  return representProposal({
    ...proposal,
    changes: withFirstExamples(proposal.changes),
    breakingChanges: withFirstExamples(proposal.breakingChanges),
  });
}

export function representComment(comment: CommentEntity): z.output<typeof Comment> {
  return {
    id: comment.id,
    proposal_id: comment.proposalId,
    reply_to: comment.replyTo,
    round: comment.round,
    team_id: comment.teamId,
    team_name: comment.teamName,
    text: comment.text,
    written_at: comment.writtenAt,
    written_by: representActor(comment.writtenBy),
  };
}

/** A round differs from the next by a few changes, or by all. */
const shownChangesLimit = 100;

export function representRevision(
  revision: Revision,
  now: readonly ChangeEntity[],
): z.output<typeof ProposalRevisions>['results'][number] {
  const { added, removed } = differenceOf(revision.changes, now);
  return {
    proposal_id: revision.proposalId,
    round: revision.round,
    base_contract_id: revision.baseContractId,
    base_version: revision.baseVersion,
    added_count: added.length,
    added: representChanges(added.slice(0, shownChangesLimit)),
    removed_count: removed.length,
    removed: representChanges(removed.slice(0, shownChangesLimit)),
    answers: revision.answers.map((answer) => ({
      team_id: answer.teamId,
      team_name: answer.teamName,
      response: answer.response,
      ...(answer.notes !== null && { notes: answer.notes }),
      answered_at: answer.answeredAt,
    })),
  };
}

/** Null if a second administrator would have to request it anew. */
function representForceRequest(
  proposal: ProposalEntity,
): z.output<typeof Proposal>['force_requested'] {
  const { forceRequested: request, status } = proposal;
  if (request === null) return null;
  if (status !== 'force_published' && !doesRequestHold(proposal, request)) return null;
  return {
    by: representActor(request.by),
    user_id: request.userId,
    reason: request.reason,
    requested_at: request.requestedAt,
    round: request.round,
  };
}

export function representProposalStatus(proposal: ProposalEntity): z.output<typeof ProposalStatus> {
  return {
    status: proposal.status,
    total_consumers: proposal.progress.totalConsumers,
    acknowledged: proposal.progress.acknowledged,
    remaining: proposal.progress.remaining,
    can_publish: proposal.progress.canPublish,
    objection_count: proposal.objections.length,
  };
}

function representProposed(proposed: Proposed): z.output<typeof Proposal>['proposed'] {
  switch (proposed.kind) {
    case 'schema':
      return {
        kind: proposed.kind,
        compatibility_mode: proposed.compatibilityMode,
        guarantees: proposed.guarantees,
        version: proposed.version,
      };
    case 'deprecation':
      return {
        kind: proposed.kind,
        contract_id: proposed.contractId,
        contract_version: proposed.contractVersion,
      };
    case 'move':
      return {
        kind: proposed.kind,
        environment: proposed.environment,
        owner_team_id: proposed.ownerTeamId,
      };
    case 'guarantee_mode':
      return { kind: proposed.kind, guarantee_mode: proposed.guaranteeMode };
    case 'needs_mode':
      return { kind: proposed.kind, needs_mode: proposed.needsMode };
    default:
      return proposed satisfies never;
  }
}

/** Missing answers are absent, not null. */
function representConsumer(
  consumer: ProposalConsumer,
): z.output<typeof Proposal>['consumers'][number] {
  return {
    team_id: consumer.teamId,
    team_name: consumer.teamName,
    acknowledged: consumer.acknowledged,
    ...(consumer.acknowledgedAt !== null && { acknowledged_at: consumer.acknowledgedAt }),
    ...(consumer.response !== null && { response: consumer.response }),
    ...(consumer.until !== null && { until: consumer.until }),
    ...(consumer.notes !== null && { notes: consumer.notes }),
    ...consumer.impact,
  };
}

export function representEventListed(event: AuditEventEntity): z.output<typeof AuditEventListed> {
  return {
    id: event.id,
    event_type: event.eventType,
    entity_type: event.entityType,
    entity_id: event.entityId,
    actor_id: event.actorId,
    actor_type: event.actorType,
    timestamp: event.timestamp,
    metadata: event.metadata,
  };
}

export function representEvent(event: AuditEventEntity): z.output<typeof AuditEvent> {
  return { ...representEventListed(event), request_id: event.requestId };
}
