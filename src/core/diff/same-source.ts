import { isExactNumber, isJsonObject, type Json } from '../json.ts';
import type { SchemaDocument, SchemaNode } from '../schema/schema.ts';

/** Tells whether two nodes were written alike, references included; false where it cannot tell. */
export type SameSource = (old: SchemaNode, next: SchemaNode) => boolean;

/**
 * Compares text with text, so that what a large document did not change is passed over. References
 * are followed by pointer only: any other way of naming a schema makes the answer false.
 */
export function compareSources(old: SchemaDocument, next: SchemaDocument): SameSource {
  const equal = new Map<object, object>();
  const different = new Map<object, object>();
  const isComparable = old.dialect === next.dialect;

  return (oldNode, nextNode) => {
    if (!isComparable || oldNode.dialect !== nextNode.dialect) return false;
    const assumed: [object, object][] = [];
    const waiting: [Json, Json][] = [[oldNode.raw, nextNode.raw]];
    const seen = new Set<string>();
    for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
      const [a, b] = pair;
      if (isJsonObject(a) && isJsonObject(b)) {
        if (different.get(a) === b) return false;
        if (equal.get(a) === b) continue;
        equal.set(a, b);
        assumed.push([a, b]);
      }
      const references: string[] = [];
      if (!isAlike(a, b, references)) {
        for (const [left] of assumed) equal.delete(left);
        const [first] = assumed;
        if (first !== undefined) different.set(first[0], first[1]);
        return false;
      }
      for (const reference of references) {
        if (seen.has(reference)) continue;
        seen.add(reference);
        const pointer = decoded(reference.slice(1));
        const target = old.nodeAt(pointer);
        const nextTarget = next.nodeAt(pointer);
        if (target !== undefined && nextTarget !== undefined) {
          waiting.push([target.raw, nextTarget.raw]);
        } else if (target !== nextTarget) {
          waiting.push([true, false]);
        }
      }
    }
    return true;
  };
}

/** Keywords that give schemas names, or follow other names than pointers. */
const naming = new Set(['$id', 'id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef']);

/** Documents nest 512 levels at most (maxJsonDepth), so this may call itself. */
function isAlike(a: Json, b: Json, references: string[]): boolean {
  // One object in both documents may still hold a reference that leads to two schemas.
  if (a === b && (typeof a !== 'object' || a === null)) return true;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => isAlike(item, b[index] ?? null, references));
  }
  if (isExactNumber(a)) return isExactNumber(b) && a.rawJSON === b.rawJSON;
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  let count = 0;
  for (const key in a) {
    count++;
    const left = a[key] ?? null;
    const right = b[key];
    if (right === undefined) return false;
    if (typeof left === 'string') {
      if (left !== right) return false;
      if (key === '$ref') {
        if (left !== '#' && !left.startsWith('#/')) return false;
        references.push(left);
      } else if (naming.has(key)) return false;
    } else if (!isAlike(left, right, references)) return false;
  }
  for (const _ in b) count--;
  return count === 0;
}

function decoded(pointer: string): string {
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}
