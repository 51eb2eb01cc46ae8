// Teams own assets and services, and consume assets of others. Keys and trusts act for them.

import { type Actor, actsFor, type KeyScope } from './actor.ts';
import type { ManagedBy } from './asset.ts';
import type { ApiKeyId, ServiceId, TeamId, Timestamp, TrustId, UserId } from './id.ts';
import type { JsonObject } from './value/json.ts';

export interface Team {
  readonly id: TeamId;
  readonly name: string;
  /** A DNS label, unique and never changed: the team's name in a cluster. */
  readonly slug: string;
  readonly metadata: JsonObject;
  /** The object that declares it, in a cluster or in files; null if only the API changes it. */
  readonly managedBy: ManagedBy | null;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly deletedAt: Timestamp | null;
}

/** What assets belong to, such as a program. It gives no rights and changes no verdict. */
export interface Service {
  readonly id: ServiceId;
  /** Unique among services. */
  readonly name: string;
  readonly ownerTeamId: TeamId;
  readonly ownerTeamName: string;
  /** Where its code is: a URL without credentials. */
  readonly repository: string | null;
  readonly description: string | null;
  readonly metadata: JsonObject;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly deletedAt: Timestamp | null;
}

export interface ListedService {
  readonly service: Service;
  /** How many assets belong to it. */
  readonly assets: number;
}

/** An API key. Its secret is shown once and not stored. */
export interface ApiKey {
  readonly id: ApiKeyId;
  readonly name: string;
  /** The team of the key; null for an admin's key that belongs to none. */
  readonly teamId: TeamId | null;
  readonly userId: UserId | null;
  /** The trust that it was issued by for a token; it ends with that trust. */
  readonly trustId: TrustId | null;
  readonly scopes: readonly KeyScope[];
  /** All the teams it acts for, including `teamId`. */
  readonly teamIds: readonly TeamId[];
  readonly allTeams: boolean;
  readonly prefix: string;
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp | null;
  readonly lastUsedAt: Timestamp | null;
  readonly revokedAt: Timestamp | null;
}

/** A key of a trust never administers. */
export const trustScopes = ['read', 'acknowledge', 'write'] as const;

/** Tokens of another issuer, such as the CI of a forge, that are exchanged for a key. */
export interface Trust {
  readonly id: TrustId;
  readonly name: string;
  /** Exactly as tokens name it. */
  readonly issuer: string;
  readonly audience: string;
  /** What a token must say: each claim equals its text, or begins with it if it ends with `*`. */
  readonly claims: Readonly<Record<string, string>>;
  readonly teamId: TeamId;
  readonly scopes: readonly (typeof trustScopes)[number][];
  /** Whether one token may be exchanged more than once. */
  readonly reusable: boolean;
  readonly createdAt: Timestamp;
}

/** A token whose signature, times and issuer were checked. */
export interface CheckedToken {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly claims: JsonObject;
  /** SHA-256 of what the issuer signed. */
  readonly digest: Uint8Array;
  /** When it stops being accepted. */
  readonly endsAt: Timestamp;
}

/** DNS labels hold 63 characters. */
export const slugLimit = 63;

/**
 * A DNS label made from a name, or '' if no part of the name can be used.
 *
 * @example slugOf('Orders & Billing') // 'orders-billing'
 */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugLimit)
    .replace(/^-+|-+$/g, '');
}

export function isSlug(text: string): boolean {
  return text.length <= slugLimit && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(text);
}

/** The team of an actor that names none: its only one, or null if there are several. */
export function onlyTeamOf(actor: Actor): TeamId | null {
  if (actor.teams === 'all' || actor.teams.length !== 1) return null;
  const [team] = actor.teams;
  return team !== undefined && actsFor(actor, team) ? team : null;
}
