import { isExactNumber, isJsonObject, type Json } from '../json.ts';
import type { SchemaDocument, SchemaNode } from '../schema/schema.ts';

/** Tells whether two nodes were written alike, references included; false where it cannot tell. */
export type SameSource = (old: SchemaNode, next: SchemaNode) => boolean;

/**
 * Compares text with text, so that what a large document did not change is passed over. References
 * are followed by pointer only: any other way of naming a schema makes the answer false.
 */
export function compareSources(old: SchemaDocument, next: SchemaDocument): SameSource {
  const known = new Map<object, Map<object, boolean>>();
  const answerFor = (a: Json, b: Json) =>
    isJsonObject(a) && isJsonObject(b) ? known.get(a)?.get(b) : undefined;
  const remember = (a: Json, b: Json, answer: boolean) => {
    if (!isJsonObject(a) || !isJsonObject(b)) return;
    const row = known.get(a) ?? new Map<object, boolean>();
    known.set(a, row.set(b, answer));
  };
  const isComparable = old.dialect === next.dialect;

  const targets = new Map<string, { readonly a: Json; readonly b: Json }>();
  const targetsOf = (reference: string) => {
    const known = targets.get(reference);
    if (known !== undefined) return known;
    const pointer = decoded(reference.slice(1));
    const a = old.nodeAt(pointer)?.raw ?? null;
    const b = next.nodeAt(pointer)?.raw ?? null;
    targets.set(reference, { a, b });
    return { a, b };
  };

  return (oldNode, nextNode) => {
    if (!isComparable || oldNode.dialect !== nextNode.dialect) return false;
    // References go in circles: a pair is taken to be alike until something differs.
    const visited: Visit[] = [{ a: oldNode.raw, b: nextNode.raw, from: null }];
    const seen = new Set<string>();
    for (let index = 0; index < visited.length; index++) {
      const visit = visited[index];
      if (visit === undefined) break;
      const answer = answerFor(visit.a, visit.b);
      if (answer === true) continue;
      const references: string[] = [];
      if (answer === false || !isAlike(visit.a, visit.b, references)) {
        // Whatever led here differs too; what else was met is not known.
        for (let at: Visit | null = visit; at !== null; at = at.from) remember(at.a, at.b, false);
        return false;
      }
      for (const reference of references) {
        if (seen.has(reference)) continue;
        seen.add(reference);
        visited.push({ ...targetsOf(reference), from: visit });
      }
    }
    for (const { a, b } of visited) remember(a, b, true);
    return true;
  };
}

interface Visit {
  readonly a: Json;
  readonly b: Json;
  readonly from: Visit | null;
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
  if (!pointer.includes('%')) return pointer;
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}
