import type { SchemaDocument, SchemaNode, SchemaProblem } from '../schema/schema.ts';
import { isExactNumber, isJsonObject, type Json } from '../value/json.ts';

/** Whether two nodes are written alike, references included. False if that is not known. */
export type SameSource = (old: SchemaNode, next: SchemaNode) => boolean;

/**
 * Compares texts, so that the unchanged parts of a large document are skipped. References are
 * followed only as pointers, each from its own resource. Any other way to refer to a schema makes
 * the answer false.
 */
export function compareSources(old: SchemaDocument, next: SchemaDocument): SameSource {
  const known = new Map<SchemaNode, Map<SchemaNode, boolean>>();
  const remember = ({ a, b }: Visit, answer: boolean) => {
    const row = known.get(a) ?? new Map<SchemaNode, boolean>();
    known.set(a, row.set(b, answer));
  };
  const isComparable = old.dialect === next.dialect;

  return (oldNode, nextNode) => {
    // Parts of a metaschema belong to neither document.
    if (!isComparable || oldNode.document !== old || nextNode.document !== next) return false;
    // References may be circular: a pair is assumed to be alike until a difference is found.
    const visited: Visit[] = [{ a: oldNode, b: nextNode, from: null }];
    const seen = new Set<string>();
    for (let index = 0; index < visited.length; index++) {
      const visit = visited[index];
      if (visit === undefined) break;
      const answer = known.get(visit.a)?.get(visit.b);
      if (answer === true) continue;
      const targets = answer === false ? null : targetsOf(visit);
      if (targets === null) {
        // All pairs that led here differ too. Nothing is known about the other visited pairs.
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

/**
 * Returns what two nodes with the same text refer to, or null if the texts differ or a target is
 * unknown.
 */
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

/** Keywords that name schemas, or that refer to schemas other than by pointer. */
const naming = new Set(['$id', 'id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef']);

/** Recursive, because documents have at most 512 levels (maxJsonDepth). */
function isAlike(a: Json, b: Json, references: Set<string>): boolean {
  // Even an object that both documents share may contain a reference with a different target in
  // each.
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
