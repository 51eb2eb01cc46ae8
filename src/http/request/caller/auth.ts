// Authenticates a request: from its header to an actor.

import { hash, timingSafeEqual } from 'node:crypto';
import { type Actor, bootstrapActor } from '../../../core/actor.ts';
import { accept, type Outcome, refuse } from '../../../core/failure.ts';
import type { KeyHolder, Ports } from '../../../registry/ports.ts';
import { createLookup, type KeyChanges } from './lookup.ts';

/** Events that may end a key or change its rights. */
export const keyEvents: ReadonlySet<string> = new Set([
  'api_key.revoked',
  'team.deleted',
  'team.restored',
  'trust.deleted',
  'user.updated',
  'user.deactivated',
]);

interface AuthDeps {
  readonly findKeysByDigest: Ports['reads']['findKeysByDigest'];
  readonly keyChanges: KeyChanges;
  readonly bootstrapKey: string | undefined;
  readonly acceptsBootstrapKey: () => true | Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs: () => number;
  /** Called at each use of a key. */
  readonly noteUse?: (apiKeyId: string, atMs: number) => void;
}

export type Authenticate = (header: string | undefined) => Promise<Outcome<Actor>> | Outcome<Actor>;

const keyPattern = /^cdt_live_[0-9A-Za-z]{43}$/;

export const unauthenticated: Outcome<never> = refuse(
  'UNAUTHENTICATED',
  'The API key is missing or invalid. Send it as "Authorization: Bearer <key>".',
);

export function createAuthenticate(deps: AuthDeps): Authenticate {
  const keys = createLookup({
    find: deps.findKeysByDigest,
    changes: deps.keyChanges,
    endedBy: keyEvents,
    elapsedMs: deps.elapsedMs,
  });
  const bootstrapDigest =
    deps.bootstrapKey === undefined ? null : hash('sha256', deps.bootstrapKey, 'buffer');
  const admit = (holder: KeyHolder | null): Outcome<Actor> => {
    const now = deps.clock();
    if (holder === null || now >= expiryOf(holder)) return unauthenticated;
    deps.noteUse?.(holder.key.id, now);
    return accept(holder.actor);
  };

  const admitBootstrap = (isAccepted: boolean) =>
    isAccepted ? accept(bootstrapActor) : unauthenticated;

  return (header) => {
    const key = bearerOf(header);
    if (key === null) return unauthenticated;
    const digest = hash('sha256', key, 'buffer');
    if (bootstrapDigest !== null && timingSafeEqual(digest, bootstrapDigest)) {
      const isAccepted = deps.acceptsBootstrapKey();
      return isAccepted === true ? accept(bootstrapActor) : isAccepted.then(admitBootstrap);
    }
    if (!keyPattern.test(key)) return unauthenticated;
    const found = keys.find(digest);
    return found instanceof Promise ? found.then(admit) : admit(found);
  };
}

function expiryOf(holder: KeyHolder): number {
  const { expiresAt } = holder.key;
  return expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
}

function bearerOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  const match = /^bearer +(\S+) *$/i.exec(header);
  return match?.[1] ?? null;
}
