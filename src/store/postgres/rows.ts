// The shape of each row, and its conversion to an entity. Every test run validates the shapes; in
// production they are only types (see pool.ts), because the database's own types say the same.

import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { keyScopes } from '../../core/actor.ts';
import { type Asset, deadlineActs } from '../../core/asset.ts';
import type { Guarantees } from '../../core/comparison.ts';
import type { Contract, ContractSummary } from '../../core/contract.ts';
import { type AuditEvent, type EventType, entityTypes } from '../../core/event.ts';
import type { FoundFields, FoundNeed, RegisteredNeed } from '../../core/need.ts';
import type { Registration } from '../../core/registration.ts';
import { type ApiKey, type Service, type Team, type Trust, trustScopes } from '../../core/team.ts';
import type { Json, JsonObject } from '../../core/value/json.ts';
import { isJsonObject } from '../../core/value/json.ts';
import type { NotifiedEventType } from '../../core/webhook.ts';

export const timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const json = z.custom<Json>((value) => value !== undefined);
export const jsonObject = z.custom<JsonObject>((value) => isJsonObject(value as Json));
const guarantees = z.custom<Guarantees>((value) => isJsonObject(value as Json));
export const id = z.uuid();
/** Created once, because creating a shape costs more than a small statement. */
export const idRow = z.object({ id });
export const nothingRow = z.object({});
/**
 * The row of a write or lock whose result is not read, so that it may wait for the next statement.
 */
export const writtenRow = z.object({});

/** When the next summary of this hour (UTC) is due; null without an hour. */
export function nextSummary(hour: FragmentSqlToken): FragmentSqlToken {
  const first = sql.fragment`timestamptz '2000-01-01 00:00:00Z' + make_interval(hours => ${hour})`;
  return sql.fragment`date_bin('24 hours', clock_timestamp(), ${first}) + interval '24 hours'`;
}

/** Whether a webhook sends: nobody stopped it, and the user whose choice it is has an account and a team. */
export const isSending = sql.fragment`(webhook.stopped_at is null and (webhook.user_id is null or exists (
  select from app_user
  join team on team.id = app_user.team_id and team.deleted_at is null
  where app_user.id = webhook.user_id and app_user.deactivated_at is null)))`;

const eachTime = new WeakSet<object>();

/**
 * Marks the rows of queries that may select one row or nearly all: no plan is right for both, so
 * none is kept and Postgres plans for the values each time.
 */
export function plannedEachTime<Shape extends z.ZodType>(shape: Shape): Shape {
  const own = shape.clone();
  eachTime.add(own);
  return own;
}

export function isPlannedEachTime(shape: object): boolean {
  return eachTime.has(shape);
}

const actorType = z.enum(['user', 'api_key', 'bootstrap', 'controller', 'system']);
const direction = z.enum(['data', 'request', 'response', 'operation']);
const source = z.enum(['api', 'kubernetes', 'git', 'sync']);
const dialect = z.enum([
  'draft-04',
  'draft-06',
  'draft-07',
  '2019-09',
  '2020-12',
  'openapi-3.0',
  'openapi-3.1',
]);
const mode = z.enum(['backward', 'forward', 'full', 'none']);

// Teams

export const teamRow = z.object({
  id,
  name: z.string(),
  slug: z.string(),
  metadata: jsonObject,
  managedBy: z.object({ source: z.string(), reference: z.string() }).nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  deletedAt: timestamp.nullable(),
}) satisfies z.ZodType<Team>;

export const teamColumns = sql.fragment`
  team.id, team.name, team.slug, team.metadata,
  case when team.managed_source is not null then json_build_object(
    'source', team.managed_source, 'reference', team.managed_reference) end as "managedBy",
  team.created_at as "createdAt",
  team.updated_at as "updatedAt", team.deleted_at as "deletedAt"`;

export const serviceRow = z.object({
  id,
  name: z.string(),
  ownerTeamId: id,
  ownerTeamName: z.string(),
  repository: z.string().nullable(),
  description: z.string().nullable(),
  metadata: jsonObject,
  createdAt: timestamp,
  updatedAt: timestamp,
  deletedAt: timestamp.nullable(),
}) satisfies z.ZodType<Service>;

export const serviceColumns = sql.fragment`
  service.id, service.name, service.owner_team_id as "ownerTeamId", team.name as "ownerTeamName",
  service.repository, service.description, service.metadata, service.created_at as "createdAt",
  service.updated_at as "updatedAt", service.deleted_at as "deletedAt"`;

export const serviceTables = sql.fragment`service join team on team.id = service.owner_team_id`;

export const apiKeyRow = z.object({
  id,
  name: z.string(),
  teamId: id.nullable(),
  userId: id.nullable(),
  trustId: id.nullable(),
  scopes: z.array(z.enum(keyScopes)),
  teamIds: z.array(id),
  allTeams: z.boolean(),
  prefix: z.string(),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  lastUsedAt: timestamp.nullable(),
  revokedAt: timestamp.nullable(),
}) satisfies z.ZodType<ApiKey>;

export const apiKeyColumns = sql.fragment`
  api_key.id, api_key.name, api_key.team_id as "teamId", api_key.user_id as "userId",
  api_key.trust_id as "trustId",  api_key.scopes, api_key.team_ids as "teamIds", api_key.all_teams as "allTeams", api_key.prefix,
  api_key.created_at as "createdAt", api_key.expires_at as "expiresAt",
  api_key.last_used_at as "lastUsedAt", api_key.revoked_at as "revokedAt"`;

export const trustRow = z.object({
  id,
  name: z.string(),
  issuer: z.string(),
  audience: z.string(),
  claims: z.record(z.string(), z.string()),
  teamId: id,
  scopes: z.array(z.enum(trustScopes)),
  reusable: z.boolean(),
  createdAt: timestamp,
}) satisfies z.ZodType<Trust>;

export const trustColumns = sql.fragment`
  trust.id, trust.name, trust.issuer, trust.audience, trust.claims, trust.team_id as "teamId",
  trust.scopes, trust.reusable, trust.created_at as "createdAt"`;

/** Whether an administrator exists who can sign in. */
export const anAdministrator = sql.fragment`exists (
  select from app_user
  where role = 'admin' and deactivated_at is null and (
    password_hash is not null
    or exists (select from user_identity where user_identity.user_id = app_user.id)))`;

/** Keys that expire between the two times and whose whole lifetime is longer than that interval. */
export function endsBetween(after: string, before: string) {
  return sql.fragment`
    api_key.revoked_at is null
    and api_key.expires_at > ${after}::timestamptz and api_key.expires_at <= ${before}::timestamptz
    and api_key.expires_at - api_key.created_at > ${before}::timestamptz - ${after}::timestamptz`;
}

/** The right side of a comparison: an array, so that each digest is looked up in the index. */
export function anyDigest(digests: readonly Uint8Array[]) {
  const hexes = digests.map((digest) => Buffer.from(digest).toString('hex'));
  return sql.fragment`
    any (array(select decode(hex, 'hex') from unnest(${sql.array(hexes, 'text')}) as hex))`;
}

// Assets

export const assetRow = z.object({
  id,
  fqn: z.string(),
  environment: z.string(),
  ownerTeamId: id,
  ownerTeamName: z.string(),
  ownerUserId: id.nullable(),
  ownerUserName: z.string().nullable(),
  guaranteeMode: z.enum(['notify', 'strict', 'ignore']),
  needsMode: z.enum(['narrow', 'protect', 'ignore']),
  autoPublish: z.boolean(),
  onDeadline: z.enum(deadlineActs),
  metadata: jsonObject,
  serviceId: id.nullable(),
  serviceName: z.string().nullable(),
  managedSource: z.string().nullable(),
  managedReference: z.string().nullable(),
  activeContractId: id.nullable(),
  activeContractVersion: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  deletedAt: timestamp.nullable(),
});

export const assetColumns = sql.fragment`
  asset.id, asset.fqn, asset.environment, asset.owner_team_id as "ownerTeamId",
  owner.name as "ownerTeamName", asset.owner_user_id as "ownerUserId",
  owner_user.name as "ownerUserName", service.id as "serviceId",
  service.name as "serviceName", asset.guarantee_mode as "guaranteeMode",
  asset.needs_mode as "needsMode", asset.auto_publish as "autoPublish",
  asset.on_deadline as "onDeadline", asset.metadata, asset.managed_source as "managedSource",
  asset.managed_reference as "managedReference", active.id as "activeContractId",
  active.version as "activeContractVersion", asset.created_at as "createdAt",
  asset.updated_at as "updatedAt", asset.deleted_at as "deletedAt"`;

export const assetTables = sql.fragment`
  asset
  join team owner on owner.id = asset.owner_team_id
  left join app_user owner_user on owner_user.id = asset.owner_user_id
  left join service on service.id = asset.service_id and service.deleted_at is null
  left join contract active on active.asset_id = asset.id and active.status = 'active'`;

export function assetOf(row: z.infer<typeof assetRow>): Asset {
  const { managedSource, managedReference } = row;
  return {
    id: row.id,
    fqn: row.fqn,
    environment: row.environment,
    ownerTeamId: row.ownerTeamId,
    ownerTeamName: row.ownerTeamName,
    ownerUserId: row.ownerUserId,
    ownerUserName: row.ownerUserName,
    serviceId: row.serviceId,
    serviceName: row.serviceName,
    guaranteeMode: row.guaranteeMode,
    needsMode: row.needsMode,
    autoPublish: row.autoPublish,
    onDeadline: row.onDeadline,
    metadata: row.metadata,
    managedBy:
      managedSource === null || managedReference === null
        ? null
        : { source: managedSource, reference: managedReference },
    activeContractId: row.activeContractId,
    activeContractVersion: row.activeContractVersion,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    deletedAt: row.deletedAt,
  };
}

// Contracts

export const contractSummaryRow = z.object({
  id,
  assetId: id,
  assetFqn: z.string(),
  version: z.string(),
  status: z.enum(['active', 'deprecated', 'archived']),
  compatibilityMode: mode,
  format: z.enum(['jsonschema', 'dbt', 'openapi', 'graphql', 'odcs']),
  direction,
  dialect: dialect.nullable(),
  schemaDigest: z.string(),
  changeType: z.enum(['initial', 'patch', 'minor', 'major']),
  previousContractId: id.nullable(),
  publishedAt: timestamp,
  publishedBy: id,
  actorType,
  actorId: id,
  actorName: z.string(),
  source,
  sourceReference: z.string().nullable(),
  commit: z.string().nullable(),
});

export const contractRow = contractSummaryRow.extend({
  schema: json,
  guarantees: guarantees.nullable(),
  hasUnreadVariants: z.boolean(),
});

/** A contract of a deleted asset is not active until the asset is restored. */
const contractStatus = sql.fragment`
  case when contract.status = 'active' and asset.deleted_at is not null
    then 'deprecated' else contract.status end`;

const contractSummaryFields = sql.fragment`
  contract.asset_id as "assetId", asset.fqn as "assetFqn", contract.version,
  ${contractStatus} as "status", contract.compatibility_mode as "compatibilityMode", contract.format,
  contract.direction, contract.dialect, contract.schema_digest as "schemaDigest",
  contract.change_type as "changeType", contract.previous_contract_id as "previousContractId",
  contract.published_at as "publishedAt", contract.published_by as "publishedBy",
  contract.actor_type as "actorType", contract.actor_id as "actorId",
  contract.actor_name as "actorName", contract.source,
  contract.source_reference as "sourceReference", contract.source_commit as "commit"`;

export const contractSummaryColumns = sql.fragment`contract.id, ${contractSummaryFields}`;

/** All columns except the id, for a row with another one. */
export const contractFields = sql.fragment`
  ${contractSummaryFields}, contract.schema, contract.guarantees,
  contract.has_unread_variants as "hasUnreadVariants"`;

export const contractColumns = sql.fragment`contract.id, ${contractFields}`;

export const contractTables = sql.fragment`
  contract join asset on asset.id = contract.asset_id`;

export function contractSummaryOf(row: z.infer<typeof contractSummaryRow>): ContractSummary {
  return {
    id: row.id,
    assetId: row.assetId,
    assetFqn: row.assetFqn,
    version: row.version,
    status: row.status,
    compatibilityMode: row.compatibilityMode,
    format: row.format,
    direction: row.direction,
    dialect: row.dialect,
    schemaDigest: row.schemaDigest,
    changeType: row.changeType,
    previousContractId: row.previousContractId,
    publishedAt: row.publishedAt,
    publishedBy: row.publishedBy,
    publishedByActor: { type: row.actorType, id: row.actorId, name: row.actorName },
    source: row.source,
    sourceReference: row.sourceReference,
    commit: row.commit,
  };
}

export function contractOf(row: z.infer<typeof contractRow>): Contract {
  return {
    ...contractSummaryOf(row),
    schema: row.schema,
    guarantees: row.guarantees,
    ...(row.hasUnreadVariants && { hasUnreadVariants: true }),
  };
}

// Registrations

const need = z.custom<RegisteredNeed>((value) => isJsonObject(value as Json));

const found = z.custom<FoundNeed>((value) => isJsonObject(value as Json));

export const consumerNeedRow = z.object({
  digest: z.string(),
  need: need.nullable(),
  found: z.custom<FoundFields>((value) => isJsonObject(value as Json)).nullable(),
});

export const registrationRow = z.object({
  id,
  assetId: id,
  assetFqn: z.string(),
  contractId: id,
  contractVersion: z.string(),
  registeredVersion: z.string(),
  consumerTeamId: id,
  consumerTeamName: z.string(),
  notes: z.string().nullable(),
  status: z.enum(['active', 'inactive']),
  migratesAt: timestamp.nullable(),
  endsAt: timestamp.nullable(),
  source,
  claims: z.array(z.string()),
  need: need.nullable(),
  found: found.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
}) satisfies z.ZodType<Registration>;

const registrationFields = sql.fragment`
  registration.id, registration.asset_id as "assetId", asset.fqn as "assetFqn",
  registration.contract_id as "contractId", contract.version as "contractVersion",
  registration.registered_version as "registeredVersion",
  registration.consumer_team_id as "consumerTeamId", team.name as "consumerTeamName",
  registration.notes, registration.status, registration.migrates_at as "migratesAt",
  registration.ends_at as "endsAt",
  registration.source, registration.claims, registration.created_at as "createdAt",
  registration.updated_at as "updatedAt"`;

export const registrationColumns = sql.fragment`
  ${registrationFields}, registration.need, registration.found`;

/** Without needs, because a hundred of them may have a hundred MiB. */
export const registrationListColumns = sql.fragment`
  ${registrationFields}, null::json as need, null::json as found`;

/**
 * Selects active registrations of one asset. Deliberately "not inactive", which no index covers:
 * for a table that was just filled Postgres has no statistics, and would read the index of all
 * active registrations for each asset.
 */
export const isActive = sql.fragment`registration.status <> 'inactive'`;

/** As `isLeaving` in core. */
export const isLeaving = sql.fragment`
  registration.ends_at is not null and cardinality(registration.claims) = 0`;

export const registrationTables = sql.fragment`
  registration
  join asset on asset.id = registration.asset_id
  join contract on contract.id = registration.contract_id
  join team on team.id = registration.consumer_team_id`;

// Audit events

const isText = (value: unknown): boolean => typeof value === 'string';

/** Any text: a newer release that serves beside this one while it is rolled out has more types. */
const eventType = z.custom<EventType>(isText);
export const notifiedEventType = z.custom<NotifiedEventType>(isText);

export const eventRow = z.object({
  id,
  eventType,
  entityType: z.enum(entityTypes),
  entityId: id,
  actorId: id,
  actorType,
  timestamp,
  metadata: jsonObject,
  requestId: z.string().nullable(),
}) satisfies z.ZodType<AuditEvent>;

export const eventColumns = sql.fragment`
  audit_event.id, audit_event.event_type as "eventType", audit_event.entity_type as "entityType",
  audit_event.entity_id as "entityId", audit_event.actor_id as "actorId",
  audit_event.actor_type as "actorType", audit_event.occurred_at as "timestamp",
  audit_event.metadata, audit_event.request_id as "requestId"`;
