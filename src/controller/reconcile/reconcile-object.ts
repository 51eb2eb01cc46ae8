// The steps common to every kind: handle the object, write the result into its status, and retry if
// that may help.

import { resourceName } from '../../core/proposal.ts';
import { RegistryUnavailable } from '../../core/unavailable.ts';
import type { JsonObject } from '../../core/value/json.ts';
import { type Condition, isRetried, type Verdict } from '../conditions.ts';
import { done, type WorkResult } from '../queue.ts';
import type { SourceObject } from '../source/source.ts';
import { verdictOfFailure } from './contract-status.ts';
import { actorOf, ChangedMeanwhile, contextOf, type World } from './world.ts';
import { onceItIsSeen, writeObjectStatus } from './write-object-status.ts';

interface Steps<Handled extends { readonly verdict: Verdict }> {
  readonly handle: (world: World, object: SourceObject) => Promise<Handled>;
  readonly finalize: (world: World, object: SourceObject) => Promise<WorkResult>;
  readonly toStatus: (
    world: World,
    object: SourceObject,
    handled: Handled | { readonly verdict: Verdict },
  ) => { readonly conditions?: readonly Condition[] };
}

export async function reconcileObject<Handled extends { readonly verdict: Verdict }>(
  world: World,
  object: SourceObject,
  { handle, finalize, toStatus }: Steps<Handled>,
): Promise<WorkResult> {
  try {
    if (object.isDeleting) return await finalize(world, object);
    const handled = await handle(world, object);
    await recordDenial(world, object, handled.verdict);
    const written = await writeObjectStatus(world, object, toStatus(world, object, handled));
    if (isRetried(handled.verdict.reason)) {
      return { kind: 'failed', error: new Error(handled.verdict.message) };
    }
    if (written === 'conflict') return onceItIsSeen;
    const { againAfterMs: afterMs } = handled.verdict;
    return afterMs === undefined ? done : { kind: 'again', afterMs };
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return onceItIsSeen;
    // Read again: the object may have been claimed, or its status written, before this failed.
    const now = world.source.get(object.key) ?? object;
    if (error instanceof RegistryUnavailable && isWaiting(now)) {
      const verdict = verdictOfFailure({ code: 'REGISTRY_UNAVAILABLE', message: error.message });
      await writeObjectStatus(world, now, toStatus(world, now, { verdict }));
    }
    return { kind: 'failed', error };
  }
}

/**
 * Only objects with pending work report an outage; it is irrelevant to ten thousand settled ones.
 */
function isWaiting(object: SourceObject): boolean {
  const { observedGeneration } = object.status ?? {};
  const isSettled = observedGeneration === object.generation && readyOf(object)?.status === 'True';
  return !isSettled || object.isDeleting;
}

/** Records a denial in the audit trail, unless the status already has the same message. */
async function recordDenial(world: World, object: SourceObject, verdict: Verdict): Promise<void> {
  const before = readyOf(object);
  const isSaid = before?.reason === verdict.reason && before.message === verdict.message;
  if (verdict.reason !== 'NotPermitted' || isSaid) return;
  const context = contextOf(world, actorOf(world, object, []));
  await world.verbs.recordRefusedEntry(world.ports, context, {
    type: 'auth.denied',
    user: null,
    metadata: {
      resource: resourceName(object.kind, object.namespace, object.name),
      source: world.source.identity,
      message: verdict.message,
    },
  });
}

function readyOf(object: SourceObject): Condition | undefined {
  // Only this controller writes the status, under the schema of its kind.
  const { conditions = [] } = (object.status ?? {}) as JsonObject & {
    readonly conditions?: readonly Condition[];
  };
  return conditions.find(({ type }) => type === 'Ready');
}
