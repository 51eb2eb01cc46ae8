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

/** Lists those that name an asset, as `namespace/name`. Throws if they cannot be read now. */
type ListMissed = (fqn: string) => Promise<readonly string[]>;

export function openMissed<T>(
  following: Following<T>,
  versionOf: (kept: T) => Version,
  /** Whether the namespace is known not to exist, or to be going. */
  isOver: (namespace: string) => boolean,
): ListMissed {
  /** By the last look. A sound watch may be a moment behind, but not at two looks. */
  const missedBefore = new Set<string>();
  const isHeld = (key: string, { uid, generation }: JsonObject) => {
    const kept = following.get(key);
    const held = kept === null ? null : versionOf(kept);
    return held !== null && held.uid === uid && held.generation >= Number(generation);
  };
  return async (fqn) => {
    const missed: string[] = [];
    for (const [namespace, informer] of following.informers()) {
      // Nobody has rights in a namespace that is gone or going, and nobody asks for anything new there.
      if (namespace !== null && isOver(namespace)) continue;
      for (const metadata of await listOf(informer, fqn)) {
        const key = `${text(metadata.namespace)}/${text(metadata.name)}`;
        if (isHeld(key, metadata)) {
          missedBefore.delete(key);
          continue;
        }
        if (missedBefore.has(key)) informer.watchAnew();
        missedBefore.add(key);
        missed.push(key);
      }
    }
    return missed;
  };
}

/** The metadata of those that name the asset. */
async function listOf<T>(informer: Informer<T>, fqn: string): Promise<readonly JsonObject[]> {
  try {
    return await collect(informer, fqn, { fieldSelector: `spec.fqn=${escaped(fqn)}` });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The CustomResourceDefinitions of an earlier release have no field to select by.
    if (error.status === 400) return collect(informer, fqn, {});
    throw error;
  }
}

async function collect<T>(
  informer: Informer<T>,
  fqn: string,
  query: Readonly<Record<string, string>>,
) {
  const found: JsonObject[] = [];
  for await (const { metadata = null, spec = null } of informer.listNow(query)) {
    if (isJsonObject(metadata) && isJsonObject(spec) && spec.fqn === fqn) found.push(metadata);
  }
  return found;
}

const text = (value: Json | undefined): string => String(value ?? '');

/** These characters separate the parts of a selector. */
const escaped = (value: string) => value.replace(/[\\,=]/g, '\\$&');
