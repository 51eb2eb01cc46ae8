// From what came of a DataContract to its status, and one write of it where it changed.

import type { Asset } from '../../core/asset.ts';
import type { Contract, ContractChangeType } from '../../core/contract.ts';
import type { Change } from '../../core/diff/diff.types.ts';
import type { Failure } from '../../core/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Proposal } from '../../core/proposal.ts';
import {
  type Condition,
  type ReadyReason,
  reasonOfCode,
  toConditions,
  type Verdict,
} from '../conditions.ts';
import type { DataContractStatus } from '../crd/resources.ts';
import { maxChangesShown } from '../crd/shared-fields.ts';
import type { SourceObject } from '../source/source.ts';
import type { World } from './world.ts';

/** What came of an object. What is absent stays as it was. */
export interface Handled {
  readonly verdict: Verdict;
  readonly asset?: Asset;
  /** The active contract. */
  readonly contract?: Pick<
    Contract,
    'id' | 'version' | 'schemaDigest' | 'compatibilityMode'
  > | null;
  readonly team?: string;
  /** Null where there is none any more. */
  readonly proposal?: Proposal | null;
  readonly consumers?: number;
  readonly lastChange?: LastChange;
  /** Set once everything that the spec asks for has been asked for. */
  readonly handledDigest?: string;
}

export interface LastChange {
  readonly bump: ContractChangeType;
  readonly changes: readonly Change[];
}

export function refused(reason: ReadyReason, message: string): Handled {
  return { verdict: { reason, message } };
}

export function verdictOfFailure({ code, message }: Pick<Failure, 'code' | 'message'>): Verdict {
  return { reason: reasonOfCode(code), message };
}

export function contractStatus(
  world: World,
  object: SourceObject,
  handled: Handled,
): DataContractStatus {
  const before = (object.status ?? {}) as DataContractStatus;
  const { asset, contract, team, consumers, lastChange } = handled;
  const { proposal, handledDigest } = handled;
  const version = contract?.version;
  return withoutUndefined({
    ...before,
    observedGeneration: object.generation,
    conditions: toConditions(
      handled.verdict,
      object.generation,
      (before.conditions ?? []) as readonly Condition[],
      secondsOf(world.now()),
    ),
    ...(asset === undefined ? {} : { assetId: asset.id }),
    ...(contract === undefined || contract === null
      ? {}
      : { contractId: contract.id, version, schemaDigest: contract.schemaDigest }),
    ...(asset === undefined
      ? {}
      : {
          effective: withoutUndefined({
            ...before.effective,
            environment: asset.environment,
            ...(team === undefined ? {} : { team }),
            ...(contract === undefined || contract === null
              ? {}
              : { compatibilityMode: contract.compatibilityMode }),
          }),
        }),
    ...(proposal === undefined ? {} : { proposal: proposalStatus(proposal) }),
    ...(consumers === undefined ? {} : { consumers }),
    ...(lastChange === undefined ? {} : { lastChange: changeStatus(lastChange) }),
    ...(handledDigest === undefined ? {} : { handledDigest }),
    ...(object.reconcileAt === null ? {} : { lastHandledReconcileAt: object.reconcileAt }),
    source: withoutUndefined({
      kind: world.source.kind,
      revision: object.revision ?? undefined,
      path: object.path ?? undefined,
    }),
  }) as DataContractStatus;
}

function proposalStatus(proposal: Proposal | null) {
  if (proposal === null) return undefined;
  const { acknowledged, totalConsumers } = proposal.progress;
  return { id: proposal.id, acknowledged, total: totalConsumers };
}

function changeStatus({ bump, changes }: LastChange) {
  return {
    bump,
    breaking: changes.some((change) => change.breaking),
    changes: changes.slice(0, maxChangesShown).map(({ type, path, description, breaking }) => ({
      type,
      path,
      description,
      breaking,
    })),
  };
}

/** Writes it where it changed, and tells in an Event what is new. */
export async function writeContractStatus(
  world: World,
  object: SourceObject,
  status: DataContractStatus,
): Promise<void> {
  // A status is JSON: the type only names its members.
  const written = await world.source.writeStatus(object, status as unknown as JsonObject);
  if (written !== 'written') return;
  const before = readyOf((object.status ?? {}) as DataContractStatus);
  const now = readyOf(status);
  if (now === undefined) return;
  if (before?.reason === now.reason && before.message === now.message) return;
  const isBad =
    status.conditions?.some(({ type }) => type === 'Stalled') || now.status === 'Unknown';
  await world.source.tell(object, {
    type: isBad ? 'Warning' : 'Normal',
    reason: now.reason,
    action: 'Reconcile',
    note: now.message,
  });
}

function readyOf(status: DataContractStatus) {
  return status.conditions?.find((condition) => condition.type === 'Ready');
}

/** Conditions count in seconds, as the API server keeps them. */
function secondsOf(time: string): string {
  return `${time.slice(0, 19)}Z`;
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}
