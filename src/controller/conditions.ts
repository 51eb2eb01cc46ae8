// The only table from outcomes to conditions, by the rules of kstatus: an object is current, or
// still progressing by itself (Reconciling), or needs a change by somebody (Stalled). Pure.

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
  // Continues by itself once consumers answer; the active version stays in force.
  ProposalPending: { ready: 'False', progress: 'reconciling' },
  ProposalRejected: { ready: 'False', progress: 'stalled' },
  ProposalWithdrawn: { ready: 'False', progress: 'stalled' },
  // Continues once the other proposal is decided.
  ProposalConflict: { ready: 'False', progress: 'reconciling' },
  InvalidSchema: { ready: 'False', progress: 'stalled' },
  InvalidSpec: { ready: 'False', progress: 'stalled' },
  // The namespace acts for no team, or for several of which none is named.
  TeamNotResolved: { ready: 'False', progress: 'stalled' },
  // No team has the slug yet; continues once one is created.
  TeamNotFound: { ready: 'False', progress: 'reconciling' },
  FqnConflict: { ready: 'False', progress: 'stalled' },
  // Another object has the same registration; continues once that object is gone.
  Conflict: { ready: 'False', progress: 'stalled' },
  ManagedElsewhere: { ready: 'False', progress: 'stalled' },
  NotPermitted: { ready: 'False', progress: 'stalled' },
  // The ConfigMap of schemaFrom does not exist yet.
  SourceNotFound: { ready: 'False', progress: 'reconciling' },
  // The DataContract that a proposal names does not exist yet.
  ContractNotFound: { ready: 'False', progress: 'reconciling' },
  // The asset is not in the registry yet, or has no contract.
  AssetNotFound: { ready: 'False', progress: 'reconciling' },
  RegistryUnavailable: { ready: 'Unknown', progress: 'reconciling' },
  // The Job of a check did not check the data; the next one may.
  CheckFailed: { ready: 'False', progress: 'stalled' },
  // The API server refuses a Job or CronJob, for a quota or a policy.
  JobRefused: { ready: 'False', progress: 'stalled' },
  DeletionBlocked: { ready: 'False', progress: 'reconciling' },
} as const satisfies Readonly<Record<string, ReasonRow>>;

export type ReadyReason = keyof typeof reasonTable;

export const readyReasons = Object.keys(reasonTable) as readonly ReadyReason[];

/** The condition of an object for each refusal of the registry. */
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
  TEAM_NOT_FOUND: 'TeamNotFound',
  OWNER_TEAM_NOT_FOUND: 'TeamNotResolved',
  PROPOSAL_PENDING: 'ProposalConflict',
  PROPOSAL_STALE: 'ProposalConflict',
  PROPOSAL_NOT_READY: 'ProposalPending',
  ASSET_MANAGED_ELSEWHERE: 'ManagedElsewhere',
  TEAM_MANAGED_ELSEWHERE: 'ManagedElsewhere',
  TEAM_EXISTS: 'Conflict',
  TEAM_HAS_ASSETS: 'DeletionBlocked',
  ASSET_HAS_CONSUMERS: 'DeletionBlocked',
  CONTRACT_PINNED: 'DeletionBlocked',
};

/**
 * Every code that is not in the table means a lost race or a technical failure, which is retried.
 *
 * @example reasonOfCode('FORBIDDEN') // 'NotPermitted'
 */
export function reasonOfCode(code: FailureCode): ReadyReason {
  return codeTable[code] ?? 'RegistryUnavailable';
}

/** Whether another attempt may succeed although nothing was changed. */
export function isRetried(reason: Verdict['reason']): boolean {
  return reason === 'RegistryUnavailable';
}

/**
 * A suspended object asks for nothing, so its earlier Ready and Drifted conditions stay, unless what it asked
 * before was answered.
 */
const suspended = 'Suspended';

export interface Verdict {
  readonly reason: ReadyReason | typeof suspended;
  readonly message: string;
  /** When to look again, because nothing tells of what it waits for. */
  readonly againAfterMs?: number;
  /** What became of the open question of a suspended object; absent if Ready stays as it was. */
  readonly meanwhile?: { readonly reason: ReadyReason; readonly message: string } | undefined;
  /**
   * The difference between the registry and what was last handled, and since when; null if there is
   * none.
   */
  readonly drift?: string | null | undefined;
  /** About decisions in the spec that are on no proposal; null if there are none. */
  readonly unknownDecisions?: string | null | undefined;
  /** Whether the contract in force meets what the team says that it reads, and a sentence of it. */
  readonly needs?: { readonly isMet: boolean; readonly message: string } | null | undefined;
  /** Whether the data of a check matches its contract. */
  readonly data?: Pick<Condition, 'status' | 'reason' | 'message'> | null | undefined;
}

/** The API server's limit for a message. */
const maxMessageLength = 32_768;

/**
 * The conditions, always in the same order. A condition keeps its transition time while its status
 * stays the same, so an unchanged result writes nothing.
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

/**
 * By kstatus an object without Ready is current once its generation was observed. Ready True would say that it was
 * published or registered, and anything else holds up those who wait for all objects of a commit.
 */
const neverReady =
  'It was suspended before anything was done for it, so it has no condition Ready until it goes on.';

const keptTypes: ReadonlySet<string> = new Set([
  'Ready',
  'NeedsMet',
  'DataMatches',
  'Drifted',
  'UnknownDecision',
]);

type Said = readonly [type: string, status: Condition['status'], reason: string, message: string];

function saidBy(
  { reason, message, meanwhile, drift, unknownDecisions, needs, data }: Verdict,
  before: readonly Condition[],
): Said[] {
  if (reason === suspended) {
    const kept = before.filter(({ type }) => keptTypes.has(type));
    const isNew = kept.every(({ type }) => type !== 'Ready');
    return [
      ...kept.map((one): Said => {
        if (one.type !== 'Ready' || meanwhile === undefined) {
          return [one.type, one.status, one.reason, one.message];
        }
        return [one.type, reasonTable[meanwhile.reason].ready, meanwhile.reason, meanwhile.message];
      }),
      ['Suspended', 'True', suspended, isNew ? `${message} ${neverReady}` : message],
    ];
  }
  const { ready, progress } = reasonTable[reason];
  const said: Said[] = [['Ready', ready, reason, message]];
  if (progress === 'reconciling') said.push(['Reconciling', 'True', reason, message]);
  if (progress === 'stalled') said.push(['Stalled', 'True', reason, message]);
  if (needs) {
    const how = needs.isMet ? 'Met' : 'Unmet';
    said.push(['NeedsMet', needs.isMet ? 'True' : 'False', how, needs.message]);
  }
  if (data) said.push(['DataMatches', data.status, data.reason, data.message]);
  if (drift) said.push(['Drifted', 'True', 'ChangedElsewhere', drift]);
  if (unknownDecisions) said.push(['UnknownDecision', 'True', 'NoSuchProposal', unknownDecisions]);
  return said;
}
