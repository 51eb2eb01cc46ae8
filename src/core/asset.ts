// An asset: a named data object that a team owns, in one environment.

import type { GuaranteeMode } from './comparison.ts';
import type { AssetId, ContractId, ServiceId, TeamId, Timestamp, UserId } from './id.ts';
import type { JsonObject } from './value/json.ts';

/**
 * `narrow`: a breaking change asks the consumers whose need may be affected. `protect`: so does a
 * compatible one. `ignore`: a breaking change asks all consumers.
 */
export type NeedsMode = 'narrow' | 'protect' | 'ignore';

/** What happens when the last day for answers to a proposal is over. Never a publish. */
export const deadlineActs = ['nothing', 'remind', 'escalate'] as const;

export type DeadlineAct = (typeof deadlineActs)[number];

export interface Asset {
  readonly id: AssetId;
  readonly fqn: string;
  readonly environment: string;
  readonly ownerTeamId: TeamId;
  readonly ownerTeamName: string;
  readonly ownerUserId: UserId | null;
  readonly ownerUserName: string | null;
  /** The service that it belongs to; null if there is none, or if it was deleted. */
  readonly serviceId: ServiceId | null;
  readonly serviceName: string | null;
  readonly guaranteeMode: GuaranteeMode;
  /** Which consumers a change of the contract asks. */
  readonly needsMode: NeedsMode;
  readonly autoPublish: boolean;
  readonly onDeadline: DeadlineAct;
  readonly metadata: JsonObject;
  /**
   * The source that manages it (`kubernetes`, `git`), with its name there; null if only the API
   * writes it.
   */
  readonly managedBy: ManagedBy | null;
  readonly activeContractId: ContractId | null;
  readonly activeContractVersion: string | null;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly deletedAt: Timestamp | null;
}

export interface ManagedBy {
  readonly source: string;
  readonly reference: string;
}

/** @example isManagedBy({ managedBy: null }, { source: 'git', reference: 'a.yaml' }) // false */
export function isManagedBy(asset: Pick<Asset, 'managedBy'>, managedBy: ManagedBy): boolean {
  return (
    asset.managedBy?.source === managedBy.source &&
    asset.managedBy.reference === managedBy.reference
  );
}

/** @example managerText({ source: 'git', reference: 'shop/a in x' }) // 'git (shop/a in x)' */
export function managerText(managedBy: ManagedBy | null): string | null {
  return managedBy === null ? null : `${managedBy.source} (${managedBy.reference})`;
}

export const defaultEnvironment = 'production';

export const defaultGuaranteeMode: GuaranteeMode = 'notify';

export const defaultOnDeadline: DeadlineAct = 'nothing';

export const defaultNeedsMode: NeedsMode = 'narrow';

/**
 * Whether some consumer would no longer be asked about some change. `protect` asks more of them
 * about compatible changes, and `ignore` about breaking ones, so neither is stricter than the other.
 *
 * @example isLoosened('narrow', 'ignore') // false
 */
export function isLoosened(from: NeedsMode, to: NeedsMode): boolean {
  return from !== to && from !== 'narrow';
}

const strictness: Readonly<Record<GuaranteeMode, number>> = { ignore: 0, notify: 1, strict: 2 };

/** @example isLowered('strict', 'notify') // true */
export function isLowered(from: GuaranteeMode, to: GuaranteeMode): boolean {
  return strictness[to] < strictness[from];
}

/**
 * The mode of an asset that continues a deleted name: not lower than the old one, because its
 * consumers were promised that and nobody asked them.
 *
 * @example continuedMode('strict', 'notify', 1) // 'strict'
 */
export function continuedMode(
  promised: GuaranteeMode,
  wanted: GuaranteeMode,
  consumers: number,
): GuaranteeMode {
  return consumers > 0 && isLowered(promised, wanted) ? promised : wanted;
}

/** @example continuedNeedsMode('protect', 'narrow', 1) // 'protect' */
export function continuedNeedsMode(
  promised: NeedsMode,
  wanted: NeedsMode,
  consumers: number,
): NeedsMode {
  return consumers > 0 && isLoosened(promised, wanted) ? promised : wanted;
}

export type FileKind = 'dbt' | 'openapi' | 'graphql' | 'odcs';

/**
 * What an asset stands for, as an imported file said. Nobody can change it, unlike metadata. Something else
 * may get its FQN, and it may keep an FQN that the file would not give it any more.
 */
export interface ImportIdentity {
  /** The API, dbt node or data contract that it belongs to, cut to what an index may hold. */
  readonly of: string;
  /** The endpoint, table, type or object that it is. An asset made before this was stored has none. */
  readonly thing?: string;
  /** The FQN without the names of path parameters, which may change while the endpoint stays. Absent likewise. */
  readonly stem?: string;
  /** The path of an endpoint, with the names that its contracts have for the parameters. */
  readonly path?: string;
  /** The object of a data contract that states the FQN: its table may change. */
  readonly object?: string;
}

/**
 * Whether a contract that described the one would describe another endpoint or root now. A call has no names of
 * parameters, so a path with other names is the same, unless names that both have changed places.
 *
 * @example isElsewhere({ thing: 'get /orders' }, { thing: 'get /v2/orders' }) // true
 */
export function isElsewhere(
  before: Pick<ImportIdentity, 'thing' | 'path'>,
  now: Pick<ImportIdentity, 'thing' | 'path'>,
): boolean {
  if (before.thing !== undefined && before.thing !== now.thing) return true;
  const [was, is] = [namesIn(before.path), namesIn(now.path)];
  return was.some((name, index) => is.includes(name) && is[index] !== name);
}

function namesIn(path = ''): readonly string[] {
  return path.match(/\{[^}]*\}/g) ?? [];
}

/** One asset may be in files of several kinds. */
export type ImportedAs = Readonly<Partial<Record<FileKind, ImportIdentity>>>;

type Named = ImportIdentity & Required<Pick<ImportIdentity, 'thing' | 'stem'>>;

/** @example identityOf('api shop', 'get /orders', 'api.shop.get_orders') */
export function identityOf(of: string, thing: string, stem: string): Named {
  return { of: of.slice(0, 500), thing, stem };
}
