// What a secret stands for, looked up by its digest and believed for a while, so that a request
// costs a hash and no query.

import { askInBatches, type FindByDigest } from './ask-in-batches.ts';

export interface KeyChanges {
  /** Whether changes are heard of at the moment. */
  readonly isListening: () => boolean;
  /** Called with what was committed anywhere, and with `many` when listening began anew. */
  readonly onChange: (hear: (heard: HeardChanges) => void) => void;
}

export interface HeardChanges {
  readonly events: 'many' | readonly { readonly eventType: string }[];
}

interface LookupDeps<Found> {
  readonly find: FindByDigest<Found>;
  readonly changes: KeyChanges;
  /** The events after which nothing that was found before is believed. */
  readonly endedBy: ReadonlySet<string>;
  /** Milliseconds of a clock that nobody turns back: what is believed would be believed longer. */
  readonly elapsedMs: () => number;
}

/** A safety net below the notification, and the promise where there is none. */
const lifetimeMs = { listening: 10_000, deaf: 1_000 };

/** About 500 bytes an entry: 5 MB at most. */
const maxEntries = 10_000;

interface Lookup<Found> {
  /**
   * What worked here before is looked up in a statement of its own. The rest may be guesses, and
   * shares one: however many come, they take one connection.
   */
  readonly find: (digest: Buffer) => Promise<Found | null> | Found;
  /** Remembers a credential that was created here, before its first use. */
  readonly makeKnown: (digest: Buffer) => void;
  /** Forgets a credential that ended here; other processes are notified. */
  readonly forget: (digest: Buffer) => void;
}

export function createLookup<Found>(deps: LookupDeps<Found>): Lookup<Found> {
  const known = new Set<string>();
  const cache = new Map<string, { readonly found: Found; readonly loadedAt: number }>();
  const findAmongOthers = askInBatches(deps.find);
  let generation = 0;
  deps.changes.onChange(({ events }) => {
    if (events !== 'many' && !events.some(({ eventType }) => deps.endedBy.has(eventType))) return;
    generation++;
    cache.clear();
  });

  const find: Lookup<Found>['find'] = (digest) => {
    const name = nameOf(digest);
    const entry = cache.get(name);
    const now = deps.elapsedMs();
    const lifetime = deps.changes.isListening() ? lifetimeMs.listening : lifetimeMs.deaf;
    if (entry !== undefined && now - entry.loadedAt < lifetime) return entry.found;
    return load(digest, name, now);
  };
  return {
    find,
    makeKnown: (digest) => keepKnown(nameOf(digest)),
    forget: (digest) => {
      generation++;
      cache.delete(nameOf(digest));
    },
  };

  async function load(digest: Buffer, name: string, now: number): Promise<Found | null> {
    const asked = generation;
    const found = known.has(name)
      ? ((await deps.find([digest])).get(name) ?? null)
      : await findAmongOthers(digest);
    if (found === null) {
      cache.delete(name);
      known.delete(name);
      return null;
    }
    keepKnown(name);
    // It may have ended while the question was under way: such an answer is not kept.
    if (asked === generation) {
      const oldest = cache.size < maxEntries ? undefined : cache.keys().next().value;
      if (oldest !== undefined) cache.delete(oldest);
      cache.set(name, { found, loadedAt: now });
    }
    return found;
  }

  function keepKnown(name: string): void {
    known.delete(name);
    const oldest = known.size < maxEntries ? undefined : known.values().next().value;
    if (oldest !== undefined) known.delete(oldest);
    known.add(name);
  }
}

function nameOf(digest: Buffer): string {
  return digest.toString('hex');
}
