// The status of a DataContract, from the result of its reconcile.

import type { Asset } from '../../core/asset.ts';
import type { Change } from '../../core/comparison.ts';
import type { Contract, ContractChangeType } from '../../core/contract.ts';
import { toChoice, toManifestChange } from '../../core/export/spelling.ts';
import type { Failure, FailureCode } from '../../core/failure.ts';
import type { Proposal } from '../../core/proposal.ts';
import { type Condition, reasonOfCode, toConditions, type Verdict } from '../conditions.ts';
import type { DataContractStatus } from '../crd/resources.ts';
import { maxChangesShown } from '../crd/shared-fields.ts';
import { questionDigest } from '../effective.ts';
import type { SourceObject } from '../source/source.ts';
import { verdictsOf } from './proposal-status.ts';
import type { World } from './world.ts';
import { secondsOf } from './write-object-status.ts';

/** The result of a reconcile. Absent members leave the status as it was. */
export interface Handled {
  readonly verdict: Verdict;
  readonly asset?: Asset;
  /** The active contract. */
  readonly contract?: Pick<
    Contract,
    'id' | 'version' | 'schemaDigest' | 'compatibilityMode'
  > | null;
  readonly team?: string;
  /** Null if there is no open proposal any more. */
  readonly proposal?: Proposal | null;
  /** The name of the ContractProposal, if there is one. */
  readonly proposalName?: string | undefined;
  readonly consumers?: number;
  readonly lastChange?: LastChange;
  /** Set once everything in the spec has been requested. */
  readonly handledDigest?: string;
}

interface LastChange {
  readonly bump: ContractChangeType;
  readonly changes: readonly Change[];
}

export function refused(reason: Verdict['reason'], message: string): Handled {
  return { verdict: { reason, message } };
}

type Refusal = Pick<Failure, 'code' | 'message' | 'details'>;

/**
 * The messages of refusals in the words of manifests; the API's mention its own fields and
 * requests.
 */
const wordsOfCode: Readonly<Partial<Record<FailureCode, (refusal: Refusal) => string>>> = {
  INVALID_SCHEMA: ({ message, details }) => {
    const errors = (details?.errors ?? []) as readonly { path: string; message: string }[];
    const told = errors.map((error) => `${error.path}: ${error.message.replace(/\.$/, '')}`);
    return told.length === 0 ? message : `The schema is not valid. ${told.join('; ')}.`;
  },
  SELF_REGISTRATION: () =>
    'The team owns the asset, so it is no consumer of it. Remove it from spec.addConsumers of the DataContract, or delete this ContractRegistration.',
  ASSET_HAS_CONSUMERS: ({ message }) =>
    `${message.split('. ')[0]}. The object is gone once they have left. To keep the asset for them, set spec.deletionPolicy to Retain.`,
  PROPOSAL_PENDING: ({ message }) =>
    `${message.split('. ')[0]}. It continues once that proposal is published or withdrawn.`,
  REGISTRY_UNAVAILABLE: ({ message }) =>
    message.replace('Try again in a few seconds.', 'It is tried again automatically.'),
};

export function verdictOfFailure(refusal: Refusal): Verdict {
  const { code, message } = refusal;
  return { reason: reasonOfCode(code), message: wordsOfCode[code]?.(refusal) ?? message };
}

export function contractStatus(
  world: World,
  object: SourceObject,
  handled: Handled,
): DataContractStatus {
  const before = respelled((object.status ?? {}) as DataContractStatus);
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
              : { compatibilityMode: toChoice('compatibilityMode', contract.compatibilityMode) }),
          }),
        }),
    ...(proposal === undefined ? {} : { proposal: proposalStatus(proposal, handled.proposalName) }),
    ...(consumers === undefined ? {} : { consumers }),
    ...(lastChange === undefined ? {} : { lastChange: changeStatus(lastChange) }),
    ...(handledDigest === undefined ? {} : { handledDigest }),
    ...(object.reconcileAt === null ? {} : { lastHandledReconcileAt: object.reconcileAt }),
    source: withoutUndefined({
      kind: capitalized(world.source.kind),
      revision: object.revision ?? undefined,
      path: object.path ?? undefined,
    }),
  }) as DataContractStatus;
}

/** Converts values that an earlier release wrote in the registry's spelling. */
function respelled({ effective, lastChange, ...rest }: DataContractStatus): DataContractStatus {
  const { compatibilityMode: mode } = effective ?? {};
  const { bump, changes } = lastChange ?? {};
  return {
    ...rest,
    ...(effective && {
      effective: {
        ...effective,
        ...(mode && { compatibilityMode: toChoice('compatibilityMode', mode) }),
      },
    }),
    ...(lastChange && {
      lastChange: {
        ...lastChange,
        ...(bump && { bump: capitalized(bump) }),
        ...(changes && { changes: changes.map(toManifestChange) }),
      },
    }),
  } as DataContractStatus;
}

function proposalStatus(proposal: Proposal | null, name: string | undefined) {
  if (proposal === null) return undefined;
  const { acknowledged, totalConsumers } = proposal.progress;
  const named = name === undefined ? {} : { name };
  const digest = questionDigest(proposal);
  const counts = { acknowledged, total: totalConsumers, ...verdictsOf(proposal) };
  return { ...named, id: proposal.id, digest, ...counts };
}

function changeStatus({ bump, changes }: LastChange) {
  return {
    bump: capitalized(bump),
    breaking: changes.some((change) => change.breaking),
    changes: changes
      .slice(0, maxChangesShown)
      .map(({ type, path, description, breaking }) =>
        toManifestChange({ type, path, description, breaking }),
      ),
  };
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}
