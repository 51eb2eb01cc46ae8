// @hyperjump/json-schema as another opinion, where it is not known to be wrong.

import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import '@hyperjump/json-schema/draft-2019-09';
import '@hyperjump/json-schema/draft-07';
import '@hyperjump/json-schema/draft-06';
import '@hyperjump/json-schema/draft-04';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { isJsonObject } from '../../../src/core/value/json.ts';
import type { Opinion } from './ajv.ts';
import { opinionOf } from './ajv.ts';

const uris: Partial<Record<Dialect, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  'draft-06': 'http://json-schema.org/draft-06/schema#',
  'draft-04': 'http://json-schema.org/draft-04/schema#',
};

let count = 0;

/** `null` where it does not take the schema, or is not to be asked. */
export async function hyperjumpOf(
  dialect: Dialect,
  schema: Json,
): Promise<((value: Json) => Opinion) | null> {
  const dialectUri = uris[dialect];
  // Ids are kept for all documents together: those of one would be found by the next.
  const hasIds = /"\$?id":/.test(JSON.stringify(schema));
  if (dialectUri === undefined || !isJsonObject(schema) || hasIds) return null;
  if (refersInCircle(schema)) return null;
  const uri = `https://pairs.test/any/${count++}`;
  try {
    registerSchema(schema as never, uri, dialectUri);
    const accepts = await validate(uri);
    return (value) => opinionOf(() => accepts(value as never).valid);
  } catch {
    return null;
  } finally {
    unregisterSchema(uri);
  }
}

/**
 * Whether a reference leads only to references, and back to itself. It follows these without an end, and
 * its promise is never kept.
 */
function refersInCircle(root: JsonObject): boolean {
  const objects = [root];
  for (const at of objects) {
    const seen = new Set<Json>();
    for (let next: Json | undefined = at; isReference(next); next = targetOf(root, next.$ref)) {
      if (seen.has(next)) return true;
      seen.add(next);
    }
    objects.push(...Object.values(at).flatMap(objectsIn));
  }
  return false;
}

function objectsIn(at: Json): readonly JsonObject[] {
  if (Array.isArray(at)) return at.flatMap(objectsIn);
  return isJsonObject(at) ? [at] : [];
}

function isReference(at: Json | undefined): at is { readonly $ref: string } {
  return at !== undefined && isJsonObject(at) && typeof at.$ref === 'string';
}

/** What leads through another reference leads to that one first. */
function targetOf(root: JsonObject, reference: string): Json | undefined {
  if (!/^#(\/|$)/.test(reference)) return undefined;
  let at: Json | undefined = root;
  for (const name of reference.split('/').slice(1)) {
    if (isReference(at) && at !== root) return at;
    if (Array.isArray(at)) at = at[Number(name)];
    else at = at !== undefined && isJsonObject(at) ? at[name] : undefined;
  }
  return at;
}
