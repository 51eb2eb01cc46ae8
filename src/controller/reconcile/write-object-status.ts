// Writes an object's status if it changed, and emits an Event.

import type { JsonObject } from '../../core/value/json.ts';
import type { Condition } from '../conditions.ts';
import type { WorkResult } from '../queue.ts';
import type { ObjectWritten, SourceObject } from '../source/source.ts';
import type { World } from './world.ts';

/**
 * Another write, such as an annotation, does not trigger a reconcile, but this result still has to
 * be written.
 */
export const onceItIsSeen: WorkResult = { kind: 'again', afterMs: 50, priority: 'changed' };

interface Status {
  readonly conditions?: readonly Condition[];
}

/** Writes the status if it changed, and emits an Event for a condition that is new. */
export async function writeObjectStatus(
  world: World,
  object: SourceObject,
  status: Status,
): Promise<ObjectWritten> {
  // A status is JSON: the type only names its members.
  const written = await world.source.writeStatus(object, status as unknown as JsonObject);
  if (written !== 'written') return written;
  const isStalled = status.conditions?.some(({ type }) => type === 'Stalled');
  const reports = [
    { type: 'Ready', action: 'Reconcile', isBad: isStalled },
    {
      type: 'DataMatches',
      action: 'Check',
      isBad: findCondition(status, 'DataMatches')?.status === 'False',
    },
  ] as const;
  for (const { type, action, isBad } of reports) {
    const before = findCondition((object.status ?? {}) as Status, type);
    const now = findCondition(status, type);
    if (now === undefined) continue;
    if (before?.reason === now.reason && before.message === now.message) continue;
    await world.source.tell(object, {
      type: isBad || now.status === 'Unknown' ? 'Warning' : 'Normal',
      reason: now.reason,
      action,
      note: now.message,
    });
  }
  return written;
}

function findCondition(status: Status, type: string): Condition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

/** The API server stores the times of conditions in seconds. */
export function secondsOf(time: string): string {
  return `${time.slice(0, 19)}Z`;
}
