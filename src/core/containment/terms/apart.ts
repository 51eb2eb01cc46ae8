// Finds branches of a union that share no object, from the schemas alone, so that nothing is
// unfolded: one branch demands a key that the other forbids, or a key has different values in each
// (the tag of a union). If no two branches share an object, `oneOf` means the same as `anyOf`.

import type { SchemaNode } from '../../schema/schema.ts';
import { valueKey } from '../../value/value-key.ts';

/** How deep nested references, allOf and unions are followed. */
const maxDepth = 20;
/**
 * The most subschemas visited, and the most shapes compared in pairs, for one union: a few
 * milliseconds.
 */
const maxNodes = 2_000;
const maxShapes = 400;

/** The results for the nodes of one question, or of one comparison. */
export interface KnownShapes {
  readonly overlaps: Map<readonly SchemaNode[], readonly number[]>;
  readonly ways: Map<SchemaNode, readonly Shape[]>;
  readonly own: Map<SchemaNode, Shape>;
  readonly values: Map<SchemaNode, ReadonlySet<string>>;
}

export function createKnownShapes(): KnownShapes {
  return { overlaps: new Map(), ways: new Map(), own: new Map(), values: new Map() };
}

/**
 * The branches, by index, that may have an object in common with another one.
 *
 * @example of {kind: const a}, {kind: const b} and {}, kind required: [0, 1, 2]; without the {}: []
 */
export function overlappingBranches(
  known: KnownShapes,
  branches: readonly SchemaNode[],
): readonly number[] {
  const answer = known.overlaps.get(branches);
  if (answer !== undefined) return answer;
  const found = findOverlapping(known, branches);
  known.overlaps.set(branches, found);
  return found;
}

/** Whether the schemas alone prove that no object is in both. */
export function haveNoCommonObject(known: KnownShapes, a: SchemaNode, b: SchemaNode): boolean {
  const others = waysOf(known, b);
  return waysOf(known, a).every((one) => others.every((other) => areApart(one, other)));
}

function waysOf(known: KnownShapes, node: SchemaNode): readonly Shape[] {
  const found = known.ways.get(node);
  if (found !== undefined) return found;
  const made = shapesOf({ known, left: maxNodes }, node, 0);
  known.ways.set(node, made);
  return made;
}

/** One of the ways in which an object may look: all of this holds for it, and perhaps more. */
interface Shape {
  readonly required: readonly string[];
  /**
   * The values of a key, if it is present. A key may have several lists: its value is in each of
   * them.
   */
  readonly tags: readonly (readonly [key: string, values: ReadonlySet<string>])[];
  /** All keys of the object are in each of these. */
  readonly allowed: readonly { has(key: string): boolean }[];
}

const anyShape: Shape = { required: [], tags: [], allowed: [] };

interface Looking {
  readonly known: KnownShapes;
  left: number;
}

function findOverlapping(known: KnownShapes, branches: readonly SchemaNode[]): readonly number[] {
  const looking = { known, left: maxNodes };
  const shapes = branches.flatMap((branch, index) =>
    shapesOf(looking, branch, 0).map((shape) => ({ index, ...shape })),
  );
  if (hasCommonTag(shapes)) return [];
  if (shapes.length > maxShapes) return branches.map((_, index) => index);
  const found = new Set<number>();
  const byRarity = rarestFirst(shapes);
  for (const one of byRarity) {
    for (const other of byRarity) {
      if (one === other) break;
      if (one.index === other.index || areApart(one, other)) continue;
      found.add(one.index).add(other.index);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** The shapes of the objects of a node; none if it has no objects. */
function shapesOf(looking: Looking, node: SchemaNode, depth: number): readonly Shape[] {
  if (depth > maxDepth || --looking.left < 0) return [anyShape];
  const { keywords } = node;
  if (keywords.isFalse || keywords.types?.includes('object') === false) return [];
  const inside = (inner: SchemaNode) => shapesOf(looking, inner, depth + 1);
  let shapes: readonly Shape[] = [ownShape(looking.known, node)];
  if (keywords.ref !== undefined) shapes = joined(shapes, inside(keywords.ref));
  for (const part of keywords.allOf ?? []) shapes = joined(shapes, inside(part));
  for (const union of [keywords.anyOf, keywords.oneOf]) {
    if (union !== undefined) shapes = joined(shapes, union.flatMap(inside));
  }
  return shapes;
}

/** Remembered, because a branch of a union is also a branch of the unions around it. */
function ownShape({ own, values }: KnownShapes, node: SchemaNode): Shape {
  const known = own.get(node);
  if (known !== undefined) return known;
  const shape = readShape(values, node);
  own.set(node, shape);
  return shape;
}

function readShape(known: KnownShapes['values'], { keywords }: SchemaNode): Shape {
  const { required = [], properties, patternProperties, additionalProperties } = keywords;
  const tags: (readonly [string, ReadonlySet<string>])[] = [];
  for (const [key, node] of properties ?? []) {
    const values = valuesOf(known, node);
    if (values !== undefined) tags.push([key, values]);
  }
  const isClosed = additionalProperties?.keywords.isFalse && patternProperties === undefined;
  if (required.length === 0 && tags.length === 0 && !isClosed) return anyShape;
  return { required, tags, allowed: isClosed ? [properties ?? new Set<string>()] : [] };
}

/** The values that a node, or the target of its reference, lists. */
function valuesOf(
  known: KnownShapes['values'],
  start: SchemaNode,
): ReadonlySet<string> | undefined {
  let node = start;
  for (let count = 0; count < maxDepth; count++) {
    const { keywords } = node;
    const values = keywords.const === undefined ? keywords.enum : [keywords.const.value];
    if (values !== undefined) {
      const set = known.get(node) ?? new Set(values.map(valueKey));
      known.set(node, set);
      return set;
    }
    if (keywords.ref === undefined) return undefined;
    node = keywords.ref;
  }
  return undefined;
}

/**
 * Each shape of the first list combined with each of the second. If these are too many, the first
 * list alone, which holds as well.
 */
function joined(first: readonly Shape[], second: readonly Shape[]): readonly Shape[] {
  if (first.length * second.length > maxShapes) return first;
  return first.flatMap((one) =>
    second.map((other) => {
      if (one === anyShape || other === anyShape) return one === anyShape ? other : one;
      return {
        required: [...one.required, ...other.required],
        tags: [...one.tags, ...other.tags],
        allowed: [...one.allowed, ...other.allowed],
      };
    }),
  );
}

/** Whether every shape demands the same key, with different values in each branch. */
function hasCommonTag(shapes: readonly (Shape & { readonly index: number })[]): boolean {
  return (shapes[0]?.required ?? []).some((key) => {
    const owner = new Map<string, number>();
    return shapes.every(({ index, required, tags }) => {
      const values = tags.find(([name]) => name === key)?.[1];
      if (values === undefined || !required.includes(key)) return false;
      for (const value of values) {
        if ((owner.get(value) ?? index) !== index) return false;
        owner.set(value, index);
      }
      return true;
    });
  });
}

/** Sorts the keys that few shapes demand to the front, because these distinguish most. */
function rarestFirst<T extends Shape>(shapes: readonly T[]): readonly T[] {
  const counts = new Map<string, number>();
  for (const { required } of shapes) {
    for (const key of required) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const countOf = (key: string): number => counts.get(key) ?? 0;
  return shapes.map((shape) => ({
    ...shape,
    required: shape.required.toSorted((a, b) => countOf(a) - countOf(b)),
  }));
}

function areApart(a: Shape, b: Shape): boolean {
  return demandsForbidden(a, b) || demandsForbidden(b, a) || haveOtherTags(a, b);
}

// These compare each pair of several hundred shapes. They use loops, because creating a function
// for each pair costs more.

function demandsForbidden(a: Shape, b: Shape): boolean {
  for (const keys of b.allowed) for (const key of a.required) if (!keys.has(key)) return true;
  return false;
}

function haveOtherTags(a: Shape, b: Shape): boolean {
  for (const [key, values] of a.tags) {
    for (const [other, others] of b.tags) {
      if (other !== key || !(a.required.includes(key) || b.required.includes(key))) continue;
      if (values.isDisjointFrom(others)) return true;
    }
  }
  return false;
}
