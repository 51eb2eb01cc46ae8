// The only table from what happened to the conditions that say it, by the rules of kstatus: an
// object is current, or on its way by itself (Reconciling), or waits for somebody to change it
// (Stalled). Pure.

import type { FailureCode } from '../core/failure.ts';
import type { DataContractStatusCondition } from './crd/resources.ts';

export type Condition = DataContractStatusCondition;

interface ReasonRow {
  readonly ready: Condition['status'];
  readonly progress: 'current' | 'reconciling' | 'stalled';
}

const reasonTable = {
  Published: { ready: 'True', progress: 'current' },
  UpToDate: { ready: 'True', progress: 'current' },
  // Goes on by itself once consumers answer; the active version keeps serving.
  ProposalPending: { ready: 'False', progress: 'reconciling' },
  ProposalRejected: { ready: 'False', progress: 'stalled' },
  ProposalWithdrawn: { ready: 'False', progress: 'stalled' },
  // Goes on once the other proposal is decided.
  ProposalConflict: { ready: 'False', progress: 'reconciling' },
  InvalidSchema: { ready: 'False', progress: 'stalled' },
  InvalidSpec: { ready: 'False', progress: 'stalled' },
  TeamNotResolved: { ready: 'False', progress: 'stalled' },
  FqnConflict: { ready: 'False', progress: 'stalled' },
  // Another object registers the same; it goes on once that one goes.
  Conflict: { ready: 'False', progress: 'stalled' },
  ManagedElsewhere: { ready: 'False', progress: 'stalled' },
  NotPermitted: { ready: 'False', progress: 'stalled' },
  // The ConfigMap of schemaFrom is not there yet.
  SourceNotFound: { ready: 'False', progress: 'reconciling' },
  // The DataContract that a proposal names is not there yet.
  ContractNotFound: { ready: 'False', progress: 'reconciling' },
  // The asset is not in the registry yet, or has no contract.
  AssetNotFound: { ready: 'False', progress: 'reconciling' },
  RegistryUnavailable: { ready: 'Unknown', progress: 'reconciling' },
  DeletionBlocked: { ready: 'False', progress: 'reconciling' },
} as const satisfies Readonly<Record<string, ReasonRow>>;

type ReadyReason = keyof typeof reasonTable;

export const readyReasons = Object.keys(reasonTable) as readonly ReadyReason[];

/** What a refusal of the registry means for the object that asked. */
const codeTable: Readonly<Partial<Record<FailureCode, ReadyReason>>> = {
  INVALID_SCHEMA: 'InvalidSchema',
  SCHEMA_TOO_LARGE: 'InvalidSchema',
  UNSUPPORTED_DIALECT: 'InvalidSchema',
  INVALID_SDL: 'InvalidSchema',
  INVALID_OPENAPI: 'InvalidSchema',
  INVALID_MANIFEST: 'InvalidSchema',
  INVALID_ODCS: 'InvalidSchema',
  VALIDATION_ERROR: 'InvalidSpec',
  INVALID_JSON: 'InvalidSpec',
  VERSION_CONFLICT: 'InvalidSpec',
  VERSION_TOO_SMALL: 'InvalidSpec',
  OWNER_NOT_MEMBER: 'InvalidSpec',
  USER_NOT_FOUND: 'InvalidSpec',
  SELF_REGISTRATION: 'InvalidSpec',
  REGISTRATION_EXISTS: 'Conflict',
  FORBIDDEN: 'NotPermitted',
  UNAUTHENTICATED: 'NotPermitted',
  TEAM_NOT_FOUND: 'TeamNotResolved',
  OWNER_TEAM_NOT_FOUND: 'TeamNotResolved',
  PROPOSAL_PENDING: 'ProposalConflict',
  PROPOSAL_STALE: 'ProposalConflict',
  PROPOSAL_NOT_READY: 'ProposalPending',
  ASSET_MANAGED_ELSEWHERE: 'ManagedElsewhere',
  ASSET_HAS_CONSUMERS: 'DeletionBlocked',
  CONTRACT_PINNED: 'DeletionBlocked',
};

/**
 * Every other code is a race with somebody else or broken machinery: it is tried again.
 *
 * @example reasonOfCode('FORBIDDEN') // 'NotPermitted'
 */
export function reasonOfCode(code: FailureCode): ReadyReason {
  return codeTable[code] ?? 'RegistryUnavailable';
}

/** Whether another attempt may come out differently although nothing was changed. */
export function isRetried(reason: Verdict['reason']): boolean {
  return reason === 'RegistryUnavailable';
}

/** Nothing was looked at, so what was said of it before stays. */
const suspended = 'Suspended';

export interface Verdict {
  readonly reason: ReadyReason | typeof suspended;
  readonly message: string;
  /** What the registry holds instead of what was handled, and since when; null where nothing. */
  readonly drift?: string | null | undefined;
}

/** The API server takes no longer message. */
const maxMessageLength = 32_768;

/**
 * The conditions, always in one order. A condition keeps its time while its status stays, so that
 * saying the same again writes nothing.
 */
export function toConditions(
  verdict: Verdict,
  generation: number,
  before: readonly Condition[],
  now: string,
): readonly Condition[] {
  return saidBy(verdict, before).map(([type, status, reason, message]) => {
    const old = before.find((condition) => condition.type === type);
    return {
      type,
      status,
      reason,
      message: message.slice(0, maxMessageLength),
      observedGeneration: generation,
      lastTransitionTime: old?.status === status ? old.lastTransitionTime : now,
    };
  });
}

type Said = readonly [type: string, status: Condition['status'], reason: string, message: string];

function saidBy({ reason, message, drift }: Verdict, before: readonly Condition[]): Said[] {
  if (reason === suspended) {
    const kept = before.filter(({ type }) => type === 'Ready' || type === 'Drifted');
    return [
      ...kept.map((one): Said => [one.type, one.status, one.reason, one.message]),
      ['Suspended', 'True', suspended, message],
    ];
  }
  const { ready, progress } = reasonTable[reason];
  const said: Said[] = [['Ready', ready, reason, message]];
  if (progress === 'reconciling') said.push(['Reconciling', 'True', reason, message]);
  if (progress === 'stalled') said.push(['Stalled', 'True', reason, message]);
  if (drift) said.push(['Drifted', 'True', 'ChangedElsewhere', drift]);
  return said;
}
