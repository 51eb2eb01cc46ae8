// The objects that the API server has and the watch does not tell: it hangs, or cannot be opened. Who is
// registered by them would not be asked.

import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import { ApiError } from './api-client.ts';
import type { Following } from './following.ts';
import type { Informer } from './informer.ts';

interface Version {
  readonly uid: string;
  readonly generation: number;
}

interface Missed {
  /** All that match, as `namespace/name`, or the name of what has no namespace. */
  readonly found: readonly string[];
  readonly missed: readonly string[];
}

/** Lists the objects of which a field has this value, such as `spec.fqn`. Throws if they cannot be read now. */
type ListMissed = (field: string, value: string) => Promise<Missed>;

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
  return async (field, value) => {
    const found: string[] = [];
    const missed: string[] = [];
    for (const [namespace, informer] of following.informers()) {
      // Nobody has rights in a namespace that is gone or going, and nobody asks for anything new there.
      if (namespace !== null && isOver(namespace)) continue;
      for (const metadata of await listOf(informer, field, value)) {
        const key = keyOf(metadata);
        found.push(key);
        if (isHeld(key, metadata)) {
          missedBefore.delete(key);
          continue;
        }
        if (missedBefore.has(key)) informer.watchAnew();
        missedBefore.add(key);
        missed.push(key);
      }
    }
    return { found, missed };
  };
}

/** The metadata of those that have the value. */
async function listOf<T>(
  informer: Informer<T>,
  field: string,
  value: string,
): Promise<readonly JsonObject[]> {
  try {
    return await collect(informer, field, value, { fieldSelector: `${field}=${escaped(value)}` });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The CustomResourceDefinitions of an earlier release have no field to select by.
    if (error.status === 400) return collect(informer, field, value, {});
    throw error;
  }
}

async function collect<T>(
  informer: Informer<T>,
  field: string,
  value: string,
  query: Readonly<Record<string, string>>,
) {
  const [part = '', name = ''] = field.split('.');
  const found: JsonObject[] = [];
  for await (const object of informer.listNow(query)) {
    const { metadata = null, [part]: holder = null } = object;
    const isNamed = isJsonObject(holder) && holder[name] === value;
    if (isNamed && isJsonObject(metadata)) found.push(metadata);
  }
  return found;
}

function keyOf({ namespace, name }: JsonObject): string {
  return namespace === undefined ? text(name) : `${text(namespace)}/${text(name)}`;
}

const text = (value: Json | undefined): string => String(value ?? '');

/** These characters separate the parts of a selector. */
const escaped = (value: string) => value.replace(/[\\,=]/g, '\\$&');
