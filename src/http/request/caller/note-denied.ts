// Records denied requests in the audit trail, once a minute for each actor and route, so that a
// script that keeps trying does not fill the table.

import type { Actor } from '../../../core/actor.ts';
import type { Failure } from '../../../core/failure.ts';
import type { Timestamp } from '../../../core/id.ts';
import type { Api } from '../../handler.ts';
import type { Exchange } from '../exchange.ts';

interface NoteDeniedDeps extends Pick<Api, 'ports' | 'verbs'> {
  readonly now: () => Timestamp;
  readonly newId: () => string;
  readonly clock: () => number;
}

interface Denied {
  readonly actor: Actor;
  /** The path of the route, with placeholders for its parameters. */
  readonly route: string;
  readonly failure: Failure;
}

/** Does nothing for failures that are not denials. */
export type NoteDenied = (exchange: Exchange, denied: Denied) => Promise<void>;

const noteEveryMs = 60_000;

/**
 * About 200 bytes each: 2 MB at most. Beyond it the oldest is forgotten, and would be recorded
 * again.
 */
const maxNoted = 10_000;

interface Noted {
  readonly atMs: number;
  unnoted: number;
}

export function createNoteDenied(deps: NoteDeniedDeps): NoteDenied {
  const { ports, verbs, now, newId, clock } = deps;
  const noted = new Map<string, Noted>();
  return async ({ request, requestId, path }, { actor, route, failure }) => {
    if (failure.code !== 'FORBIDDEN') return;
    const method = request.method ?? '';
    const key = `${actor.id} ${method} ${route}`;
    const before = noted.get(key);
    if (before !== undefined && clock() - before.atMs < noteEveryMs) {
      before.unnoted++;
      return;
    }
    const oldest = noted.size < maxNoted ? undefined : noted.keys().next().value;
    if (oldest !== undefined) noted.delete(oldest);
    noted.delete(key);
    noted.set(key, { atMs: clock(), unnoted: 0 });
    const context = { actor, requestId, now, newId };
    const metadata = {
      method,
      path: path.slice(0, 200),
      reason: failure.message,
      unnoted_before: before?.unnoted ?? 0,
    };
    await verbs.recordRefusedEntry(ports, context, { type: 'auth.denied', user: null, metadata });
  };
}
