// A database that is away is one piece of news, however many objects wait for it.

import { RegistryUnavailable } from '../core/unavailable.ts';
import type { Clock } from './clock.ts';

const everyMs = 60_000;

type Tell = (error: unknown, during: string, suppressed: number) => void;

/** Tells of a registry that is away once, and then each minute with how much was not told; all else at once. */
export function tellSeldom(
  { monotonicMs }: Pick<Clock, 'monotonicMs'>,
  tell: Tell,
): (error: unknown, during: string) => void {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return (error, during) => {
    if (!(error instanceof RegistryUnavailable)) return tell(error, during, 0);
    const nowMs = monotonicMs();
    if (nowMs - toldAtMs < everyMs) {
      suppressed += 1;
      return;
    }
    tell(error, during, suppressed);
    toldAtMs = nowMs;
    suppressed = 0;
  };
}
