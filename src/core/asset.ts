// An asset: a named thing that a team owns, in one environment.

import type { GuaranteeMode } from './diff/diff.types.ts';
import type { AssetId, ContractId, TeamId, Timestamp, UserId } from './id.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';

export interface Asset {
  readonly id: AssetId;
  readonly fqn: string;
  readonly environment: string;
  readonly ownerTeamId: TeamId;
  readonly ownerTeamName: string;
  readonly ownerUserId: UserId | null;
  readonly ownerUserName: string | null;
  readonly guaranteeMode: GuaranteeMode;
  readonly autoPublish: boolean;
  readonly metadata: JsonObject;
  /** Who else writes it (`kubernetes`, `git`), with its name there; null for the API alone. */
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

export const defaultEnvironment = 'production';

export const defaultGuaranteeMode: GuaranteeMode = 'notify';

const strictness: Readonly<Record<GuaranteeMode, number>> = { ignore: 0, notify: 1, strict: 2 };

/** @example isLowered('strict', 'notify') // true */
export function isLowered(from: GuaranteeMode, to: GuaranteeMode): boolean {
  return strictness[to] < strictness[from];
}

/**
 * The mode of a name that goes on under another asset: its consumers were promised the old one's,
 * and nobody asked them for less.
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

/**
 * RFC 7396: members are set, `null` removes, objects merge.
 *
 * @example mergePatch({ a: 1, b: 2 }, { b: null, c: 3 }) // { a: 1, c: 3 }
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map<string, Json>(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      merged.delete(key);
    } else if (isJsonObject(value)) {
      const old = merged.get(key);
      merged.set(key, mergePatch(old !== undefined && isJsonObject(old) ? old : {}, value));
    } else {
      merged.set(key, value);
    }
  }
  return Object.fromEntries(merged);
}
