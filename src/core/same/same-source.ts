import type { SchemaDocument, SchemaNode, SchemaProblem } from '../schema/schema.ts';
import { isExactNumber, isJsonObject, type Json } from '../value/json.ts';

/** Tells whether two nodes were written alike, references included; false where it cannot tell. */
export type SameSource = (old: SchemaNode, next: SchemaNode) => boolean;

/**
 * Compares text with text, so that what a large document did not change is passed over. References
 * are followed by pointer only, each from the resource that it stands in: any other way of naming a
 * schema makes the answer false.
 */
export function compareSources(old: SchemaDocument, next: SchemaDocument): SameSource {
  const known = new Map<SchemaNode, Map<SchemaNode, boolean>>();
  const remember = ({ a, b }: Visit, answer: boolean) => {
    const row = known.get(a) ?? new Map<SchemaNode, boolean>();
    known.set(a, row.set(b, answer));
  };
  const isComparable = old.dialect === next.dialect;

  return (oldNode, nextNode) => {
    // A part of a metaschema is of neither document.
    if (!isComparable || oldNode.document !== old || nextNode.document !== next) return false;
    // References go in circles: a pair is taken to be alike until something differs.
    const visited: Visit[] = [{ a: oldNode, b: nextNode, from: null }];
    const seen = new Set<string>();
    for (let index = 0; index < visited.length; index++) {
      const visit = visited[index];
      if (visit === undefined) break;
      const answer = known.get(visit.a)?.get(visit.b);
      if (answer === true) continue;
      const targets = answer === false ? null : targetsOf(visit);
      if (targets === null) {
        // Whatever led here differs too; what else was met is not known.
        for (let at: Visit | null = visit; at !== null; at = at.from) remember(at, false);
        return false;
      }
      for (const target of targets) {
        const key = `${target.a.id} ${target.b.id}`;
        if (seen.has(key)) continue;
        seen.add(key);
        visited.push(target);
      }
    }
    for (const visit of visited) remember(visit, true);
    return true;
  };
}

interface Visit {
  readonly a: SchemaNode;
  readonly b: SchemaNode;
  readonly from: Visit | null;
}

/** What two nodes of one text refer to; null where the texts differ, or what they lead to is not known. */
function targetsOf(from: Visit): readonly Visit[] | null {
  const references = new Set<string>();
  const { a: old, b: next } = from;
  if (old.dialect !== next.dialect || old.resource.foreignIn !== next.resource.foreignIn)
    return null;
  if (!isAlike(from.a.raw, from.b.raw, references)) return null;
  const targets: Visit[] = [];
  for (const reference of references) {
    const a = from.a.document.resolve(from.a, reference);
    const b = from.b.document.resolve(from.b, reference);
    if (!('code' in a) && !('code' in b)) targets.push({ a, b, from });
    else if (!isNowhere(a) || !isNowhere(b)) return null;
  }
  return targets;
}

function isNowhere(target: SchemaNode | SchemaProblem): boolean {
  return 'code' in target && target.code === 'reference_not_found';
}

/** Keywords that give schemas names, or follow other names than pointers. */
const naming = new Set(['$id', 'id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef']);

/** Documents nest 512 levels at most (maxJsonDepth), so this may call itself. */
function isAlike(a: Json, b: Json, references: Set<string>): boolean {
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
    const right = Object.hasOwn(b, key) ? b[key] : undefined;
    if (right === undefined) return false;
    if (typeof left === 'string') {
      if (left !== right) return false;
      if (key === '$ref') {
        if (left !== '#' && !left.startsWith('#/')) return false;
        references.add(left);
      } else if (naming.has(key)) return false;
    } else if (!isAlike(left, right, references)) return false;
  }
  for (const _ in b) count--;
  return count === 0;
}
