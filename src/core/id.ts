// Ids are UUIDs as text. A flavour prevents passing one kind of id for another, while plain text
// from wire, where it was checked to be a UUID, still fits every kind.

declare const kind: unique symbol;

type Id<Kind extends string> = string & { readonly [kind]?: Kind };

export type TeamId = Id<'team'>;
export type UserId = Id<'user'>;
export type ApiKeyId = Id<'api_key'>;
export type AssetId = Id<'asset'>;
export type ContractId = Id<'contract'>;
export type ProposalId = Id<'proposal'>;
export type CommentId = Id<'comment'>;
export type RegistrationId = Id<'registration'>;
export type EventId = Id<'event'>;
export type DependencyId = Id<'dependency'>;
export type QualityRunId = Id<'quality_run'>;
export type WebhookId = Id<'webhook'>;
export type TrustId = Id<'trust'>;
export type ScimGroupId = Id<'scim_group'>;
export type ServiceId = Id<'service'>;
export type DeliveryId = Id<'delivery'>;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isId(text: string): boolean {
  return uuid.test(text);
}

/**
 * ISO 8601 in UTC with milliseconds: `2026-01-31T12:00:00.000Z`. Sorting it as text sorts by time.
 */
export type Timestamp = string;

/** @example dayOf('2026-01-31T12:00:00.000Z') // '2026-01-31' */
export function dayOf(at: Timestamp): string {
  return at.slice(0, '2026-01-31'.length);
}
