// Limits reports of what lasts: an unreachable database, which affects all objects at once, a source
// that cannot be read, and a cluster that waits for its name, which are tried again every few seconds.

import { RegistryUnavailable } from '../core/unavailable.ts';
import { NameTaken } from '../registry/sources/fencing.ts';
import type { Clock } from './clock.ts';
import { SourceSuspicious } from './source/source.ts';

const everyMs = 60_000;

type Tell = (error: unknown, during: string, suppressed: number) => void;

interface Told {
  readonly what: string;
  readonly atMs: number;
  suppressed: number;
}

/**
 * Reports what lasts at once, and again when it changes. While it stays the same, it is reported
 * every minute with the number of suppressed errors. All other errors are reported immediately.
 */
export function tellSeldom(
  { monotonicMs }: Pick<Clock, 'monotonicMs'>,
  tell: Tell,
): (error: unknown, during: string) => void {
  const told = new Map<string, Told>();
  return (error, during) => {
    const lasting = lastingOf(error, during);
    if (lasting === null) return tell(error, during, 0);
    const nowMs = monotonicMs();
    const before = told.get(lasting.place);
    const isSame = before?.what === lasting.what;
    if (isSame && nowMs - before.atMs < everyMs) {
      before.suppressed += 1;
      return;
    }
    tell(error, during, isSame ? before.suppressed : 0);
    told.set(lasting.place, { what: lasting.what, atMs: nowMs, suppressed: 0 });
  };
}

/** Null for an error that is no state, but happened once. */
function lastingOf(error: unknown, during: string) {
  // Objects meet it in different ways at the same time, so its text may alternate.
  if (error instanceof RegistryUnavailable) return { place: 'the registry', what: '' };
  const lasts = error instanceof SourceSuspicious || error instanceof NameTaken;
  return lasts ? { place: during, what: error.message } : null;
}
