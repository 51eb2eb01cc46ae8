// Whether two schemas are written alike, word for word, and contain no references. Then they are
// the same. This quick look comes before any parsing, because most questions are about unchanged
// schemas.

import type { SchemaNode } from '../schema/schema.ts';
import type { Json, JsonObject } from '../value/json.ts';

/** The maximum number of lists and objects to look at. Larger schemas get the answer "no". */
const maxParts = 64;

const partsPerStep = 8;

/** "No" only means that a quick look does not show it. */
export function areWrittenAlike(a: SchemaNode, b: SchemaNode, steps: { left: number }): boolean {
  if (a.dialect !== b.dialect || a.resource.foreignIn !== b.resource.foreignIn) return false;
  const parts = { left: maxParts };
  const areSame = areAlike(a.raw, b.raw, parts);
  steps.left -= (maxParts - parts.left) / partsPerStep;
  return areSame;
}

function areAlike(x: Json, y: Json, parts: { left: number }): boolean {
  if (typeof x !== 'object' || typeof y !== 'object' || x === null || y === null) return x === y;
  if (--parts.left < 0) return false;
  if (Array.isArray(x) || Array.isArray(y)) {
    if (!Array.isArray(x) || !Array.isArray(y) || x.length !== y.length) return false;
    for (let index = 0; index < x.length; index++) {
      if (!areAlike(x[index], y[index], parts)) return false;
    }
    return true;
  }
  return haveLikeMembers(x as JsonObject, y as JsonObject, parts);
}

const dollar = 0x24;

function haveLikeMembers(x: JsonObject, y: JsonObject, parts: { left: number }): boolean {
  let count = 0;
  for (const key in x) {
    if (key.charCodeAt(0) === dollar || key === 'rawJSON' || key === '__proto__') return false;
    const other = y[key];
    if (other === undefined || !areAlike(x[key] as Json, other, parts)) return false;
    count++;
  }
  for (const _ in y) count--;
  return count === 0;
}
