// Whether two versions of a document differ only in annotations. Then they mean the same, even
// where their meaning is unknown: each reference leads to the same schema in both.

import type { Dialect } from '../schema/dialects.ts';
import { keywordsOf } from '../schema/keywords.ts';
import { resourceStart, type Standing, standingBelow } from '../schema/places.ts';
import type { SchemaDocument } from '../schema/schema.ts';
import { isSameJson } from '../value/canonical-json.ts';
import { isJsonObject, type Json } from '../value/json.ts';

interface At {
  readonly standing: Standing;
  readonly dialect: Dialect;
  readonly isRoot: boolean;
}

/** @example of { type: 'null', title: 'a' } and { title: 'b', type: 'null' }: true */
export function isSameButWords(old: SchemaDocument, next: SchemaDocument): boolean {
  const { dialect } = old;
  if (dialect !== next.dialect) return false;
  return areAlike(old.json, next.json, { standing: 'schema', dialect, isRoot: true });
}

/** Recursive, because documents have at most 512 levels (maxJsonDepth). */
function areAlike(a: Json, b: Json, around: At): boolean {
  const { standing } = around;
  if (standing === 'data' || typeof a !== 'object' || a === null) return isSameJson(a, b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => {
      const below = standingBelow(standing, a, index, around);
      return areAlike(item, b[index] ?? null, { ...around, standing: below, isRoot: false });
    });
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return isSameJson(a, b);
  const isSchema = standing === 'schema';
  const start = isSchema ? resourceStart(a, around.dialect) : undefined;
  const at = { ...around, dialect: start?.dialect ?? around.dialect };
  return Object.keys({ ...a, ...b }).every((key) => {
    const [left, right] = [memberOf(a, key), memberOf(b, key)];
    if (isSchema && isWord(at.dialect, key) && !mayBeSchema(left) && !mayBeSchema(right)) {
      return true;
    }
    if (left === undefined || right === undefined) return false;
    const below = standingBelow(standing, a, key, at);
    return areAlike(left, right, { ...at, standing: below, isRoot: false });
  });
}

/**
 * Only keywords that the dialect knows as annotations: an unknown keyword may belong to another
 * dialect.
 */
function isWord(dialect: Dialect, keyword: string): boolean {
  return keywordsOf(dialect).get(keyword)?.use === 'annotates';
}

function memberOf(object: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A reference may lead to any value, and an object or a boolean would be a schema. */
function mayBeSchema(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(mayBeSchema);
  return typeof value === 'boolean' || (value !== undefined && isJsonObject(value));
}
