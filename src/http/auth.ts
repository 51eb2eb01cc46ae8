// From a header to an actor. A key is looked up by its digest, and what was found is kept for a
// while, so that a request costs a hash and no query.

import { hash, timingSafeEqual } from 'node:crypto';
import { type Actor, bootstrapActor } from '../core/actor.ts';
import { accept, type Outcome, refuse } from '../core/failure.ts';
import type { KeyHolder, Ports } from '../registry/ports.ts';

export interface KeyChanges {
  /** Whether changes are heard of at the moment. */
  readonly isListening: () => boolean;
  /** Called with what was committed anywhere, and with `many` when listening began anew. */
  readonly onChange: (hear: (heard: HeardChanges) => void) => void;
}

export interface HeardChanges {
  readonly events: 'many' | readonly { readonly eventType: string }[];
}

/** What may take a key its powers. */
const keyEvents: ReadonlySet<string> = new Set([
  'api_key.revoked',
  'team.deleted',
  'user.updated',
  'user.deactivated',
]);

export interface AuthDeps {
  readonly findKeyByDigest: Ports['reads']['findKeyByDigest'];
  readonly keyChanges: KeyChanges;
  readonly bootstrapKey: string | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export type Authenticate = (header: string | undefined) => Promise<Outcome<Actor>> | Outcome<Actor>;

interface CacheEntry {
  readonly holder: KeyHolder;
  readonly expiresAt: number;
  readonly loadedAt: number;
}

/** A safety net below the notification, and the promise where there is none. */
const lifetimeMs = { listening: 10_000, deaf: 1_000 };

/** About 500 bytes an entry: 5 MB at most. */
const maxEntries = 10_000;

const keyPattern = /^cdt_live_[0-9A-Za-z]{43}$/;

const unauthenticated: Outcome<Actor> = refuse(
  'UNAUTHENTICATED',
  'The request needs a key that works. Send it as "Authorization: Bearer <key>".',
);

export function createAuthenticate(deps: AuthDeps): Authenticate {
  const cache = new Map<string, CacheEntry>();
  const bootstrapDigest =
    deps.bootstrapKey === undefined ? null : hash('sha256', deps.bootstrapKey, 'buffer');
  let generation = 0;
  deps.keyChanges.onChange(({ events }) => {
    if (events !== 'many' && !events.some(({ eventType }) => keyEvents.has(eventType))) return;
    generation++;
    cache.clear();
  });

  return (header) => {
    const key = bearerOf(header);
    if (key === null) return unauthenticated;
    const digest = hash('sha256', key, 'buffer');
    if (bootstrapDigest !== null && timingSafeEqual(digest, bootstrapDigest)) {
      return accept(bootstrapActor);
    }
    if (!keyPattern.test(key)) return unauthenticated;
    const name = digest.toString('latin1');
    const entry = cache.get(name);
    const now = deps.clock();
    const lifetime = deps.keyChanges.isListening() ? lifetimeMs.listening : lifetimeMs.deaf;
    if (entry !== undefined && now - entry.loadedAt < lifetime) return admit(entry, now);
    return load(digest, name, now);
  };

  async function load(digest: Buffer, name: string, now: number): Promise<Outcome<Actor>> {
    const asked = generation;
    const holder = await deps.findKeyByDigest(digest);
    if (holder === null) {
      cache.delete(name);
      return unauthenticated;
    }
    const entry = { holder, loadedAt: now, expiresAt: expiryOf(holder) };
    // A key may have been revoked while the question was under way: such an answer is not kept.
    if (asked === generation) {
      const oldest = cache.size < maxEntries ? undefined : cache.keys().next().value;
      if (oldest !== undefined) cache.delete(oldest);
      cache.set(name, entry);
    }
    return admit(entry, deps.clock());
  }
}

function admit(entry: CacheEntry, now: number): Outcome<Actor> {
  return now < entry.expiresAt ? accept(entry.holder.actor) : unauthenticated;
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
