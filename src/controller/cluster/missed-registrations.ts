// The ContractRegistrations that the API server has and the watch does not tell: it hangs, or cannot be
// opened. Who is registered there would not be asked.

import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import { ApiError } from './api-client.ts';
import type { Following } from './following.ts';
import type { Informer } from './informer.ts';

interface Version {
  readonly uid: string;
  readonly generation: number;
}

interface Found<T> extends Version {
  readonly key: string;
  readonly informer: Informer<T>;
}

/** Lists those that name an asset, as `namespace/name`. Throws if they cannot be read now. */
type ListMissed = (fqn: string) => Promise<readonly string[]>;

export function openMissed<T>(
  following: Following<T>,
  versionOf: (kept: T) => Version,
): ListMissed {
  const readAll = shareNext(() => findAll(following));
  /** Of the last look. The watch may be a moment behind, but not twice. */
  const missedBefore = new Set<string>();
  return async (fqn) => {
    const found = (await readAll()).get(fqn) ?? [];
    const missed = found.filter(({ key, uid, generation }) => {
      const kept = following.get(key);
      const held = kept === null ? null : versionOf(kept);
      const isHeld = held?.uid === uid && held.generation >= generation;
      if (isHeld) missedBefore.delete(key);
      return !isHeld;
    });
    for (const { key, informer } of missed) {
      if (missedBefore.has(key)) informer.watchAnew();
      missedBefore.add(key);
    }
    return missed.map(({ key }) => key);
  };
}

async function findAll<T>(following: Following<T>): Promise<ReadonlyMap<string, Found<T>[]>> {
  const found = new Map<string, Found<T>[]>();
  for (const [namespace, informer] of following.informers()) {
    try {
      for await (const { metadata = null, spec = null } of informer.listNow()) {
        if (!isJsonObject(metadata) || !isJsonObject(spec)) continue;
        const one = { ...versionIn(metadata), informer };
        found.set(String(spec.fqn), [...(found.get(String(spec.fqn)) ?? []), one]);
      }
    } catch (error) {
      // Rights on this namespace were taken away, so nobody asks there any more.
      if (namespace === null || !(error instanceof ApiError) || error.status !== 403) throw error;
    }
  }
  return found;
}

function versionIn({ namespace, name, uid, generation }: JsonObject): Version & { key: string } {
  return {
    key: `${text(namespace)}/${text(name)}`,
    uid: text(uid),
    generation: Number(generation),
  };
}

const text = (value: Json | undefined): string => String(value ?? '');

/**
 * Whoever calls while this is at work shares the next turn, which begins afterwards, so that each gets what
 * was there after its call.
 */
function shareNext<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= last.then(() => {
      next = null;
      return work();
    });
    last = next.catch(() => null);
    return next;
  };
}
