// Limits reports of an unreachable database, because it affects all objects at once.

import { RegistryUnavailable } from '../core/unavailable.ts';
import type { Clock } from './clock.ts';

const everyMs = 60_000;

type Tell = (error: unknown, during: string, suppressed: number) => void;

/**
 * Reports an unreachable registry at once, then every minute with the number of suppressed errors.
 * All other errors are reported immediately.
 */
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
