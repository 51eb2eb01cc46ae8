// Looks up a secret by its digest and caches the result for a while, so that a request costs a hash
// and no query.

import { askInBatches, type FindByDigest } from './ask-in-batches.ts';

export interface KeyChanges {
  /** Whether notifications of changes arrive at the moment. */
  readonly isListening: () => boolean;
  /** Called with each commit anywhere, and with `many` when listening began again. */
  readonly onChange: (hear: (heard: HeardChanges) => void) => void;
}

export interface HeardChanges {
  readonly events: 'many' | readonly { readonly eventType: string }[];
}

interface LookupDeps<Found> {
  readonly find: FindByDigest<Found>;
  readonly changes: KeyChanges;
  /** The events that invalidate all entries. */
  readonly endedBy: ReadonlySet<string>;
  /** Milliseconds of a monotonic clock; if it could be set back, entries would live longer. */
  readonly elapsedMs: () => number;
}

/** While notifications arrive this is only a safety net; otherwise it is the guarantee. */
const lifetimeMs = { listening: 10_000, deaf: 1_000 };

/** About 500 bytes an entry: 5 MB at most. */
const maxEntries = 10_000;

interface Lookup<Found> {
  /**
   * A secret that worked here before is looked up in its own statement. Others may be guesses and
   * share one, so any number of guesses takes one connection.
   */
  readonly find: (digest: Buffer) => Promise<Found | null> | Found;
  /** Caches a credential that was created here, before its first use. */
  readonly makeKnown: (digest: Buffer) => void;
  /** Drops a credential that ended here; other processes are notified. */
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
    // The credential may have ended during the query, so this result is not cached.
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
