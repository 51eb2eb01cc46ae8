// Metadata: free-form JSON from teams. It is limited, because lists and audit events contain it in
// full.

import { accept, type Outcome, refuse } from '../failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';

/** In characters of JSON. */
const metadataLimit = 65_536;

export function checkMetadata(metadata: JsonObject): Outcome<JsonObject> {
  const size = JSON.stringify(metadata).length;
  if (size <= metadataLimit) return accept(metadata);
  return refuse(
    'VALIDATION_ERROR',
    `The metadata has ${size} characters of JSON; the limit is ${metadataLimit}. Store large values elsewhere and link to them here.`,
    { field: 'metadata' },
  );
}

/** Merges a patch into the existing metadata. */
export function patchMetadata(
  metadata: JsonObject,
  patch: JsonObject | undefined,
): Outcome<JsonObject> {
  return patch === undefined ? accept(metadata) : checkMetadata(mergePatch(metadata, patch));
}

/**
 * RFC 7396: members are set, `null` removes, objects merge.
 *
 * @example mergePatch({ a: 1, b: 2 }, { b: null, c: 3 }) // { a: 1, c: 3 }
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map<string, Json>(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      merged.delete(key);
    } else if (isJsonObject(value)) {
      const old = merged.get(key);
      merged.set(key, mergePatch(old !== undefined && isJsonObject(old) ? old : {}, value));
    } else {
      merged.set(key, value);
    }
  }
  return Object.fromEntries(merged);
}
