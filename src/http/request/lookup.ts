// What a secret stands for, looked up by its digest and believed for a while, so that a request
// costs a hash and no query.

export interface KeyChanges {
  /** Whether changes are heard of at the moment. */
  readonly isListening: () => boolean;
  /** Called with what was committed anywhere, and with `many` when listening began anew. */
  readonly onChange: (hear: (heard: HeardChanges) => void) => void;
}

export interface HeardChanges {
  readonly events: 'many' | readonly { readonly eventType: string }[];
}

export interface LookupDeps<Found> {
  readonly find: (digest: Uint8Array) => Promise<Found | null>;
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

/** `known` asks the database only about what worked here before: the rest is nobody's. */
export type Whose = 'anybody' | 'known';

export interface Lookup<Found> {
  readonly find: (digest: Buffer, whose: Whose) => Promise<Found | null> | Found;
  /** Of what was made here, before anybody asked with it. */
  readonly makeKnown: (digest: Buffer) => void;
  /** Of what ended here: others hear of it. */
  readonly forget: (digest: Buffer) => void;
}

export function createLookup<Found>(deps: LookupDeps<Found>): Lookup<Found> {
  const known = new Set<string>();
  const cache = new Map<string, { readonly found: Found; readonly loadedAt: number }>();
  let generation = 0;
  deps.changes.onChange(({ events }) => {
    if (events !== 'many' && !events.some(({ eventType }) => deps.endedBy.has(eventType))) return;
    generation++;
    cache.clear();
  });

  const find: Lookup<Found>['find'] = (digest, whose) => {
    const name = nameOf(digest);
    const entry = cache.get(name);
    const now = deps.elapsedMs();
    const lifetime = deps.changes.isListening() ? lifetimeMs.listening : lifetimeMs.deaf;
    if (entry !== undefined && now - entry.loadedAt < lifetime) return entry.found;
    if (whose === 'known' && !known.has(name)) return Promise.resolve(null);
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
    const found = await deps.find(digest);
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
  return digest.toString('latin1');
}
