// What the schemas of a spot mark with `readOnly` or `writeOnly`: properties by name, by pattern, or all others.

import { hasMark } from '../../schema/places.ts';
import { type SchemaNode, saysSomething } from '../../schema/schema.ts';
import { matchesKey } from '../places/key-pattern.ts';

export type Mark = 'readOnly' | 'writeOnly';

export interface MarksOfSpot {
  /** Whether some node marks all properties of a pattern, or all others. */
  readonly hasMaps: boolean;
  /** Whether a node itself marks the property. */
  readonly marksKey: (node: SchemaNode, key: string) => boolean;
  /** The marked schemas of a node for properties that it does not name. */
  readonly mapsOf: (node: SchemaNode) => ReadonlySet<SchemaNode>;
}

export function marksAt(nodes: readonly SchemaNode[], mark: Mark): MarksOfSpot {
  const isMarked = (child: SchemaNode) => bearsMark(child, mark, new Set());
  const maps = new Map(
    nodes.map((node) => [node, new Set(mapsOf(node).filter(isMarked))] as const),
  );
  const markedOf = (node: SchemaNode) => maps.get(node) ?? new Set(mapsOf(node).filter(isMarked));
  return {
    hasMaps: [...maps.values()].some(({ size }) => size > 0),
    mapsOf: markedOf,
    marksKey(node, key) {
      const { properties, additionalProperties, unevaluatedProperties } = node.keywords;
      const named = properties?.get(key);
      if (named !== undefined && isMarked(named)) return true;
      const marked = markedOf(node);
      if (marked.size === 0) return false;
      const matching = patternsFor(node, key);
      if (matching.length > 0 || named !== undefined)
        return matching.some((child) => marked.has(child));
      if (additionalProperties !== undefined) return marked.has(additionalProperties);
      // It is left for no key that another schema may evaluate.
      if (unevaluatedProperties === undefined || !marked.has(unevaluatedProperties)) return false;
      return !nodes.some((other) => evaluates(other, key));
    },
  };
}

/** Whether a schema describes properties that it does not name. */
export function isMap(node: SchemaNode | undefined): node is SchemaNode {
  return saysSomething(node) && node.keywords.isFalse !== true;
}

/** The schemas of a node for properties that it does not name. */
export function mapsOf({ keywords }: SchemaNode): readonly SchemaNode[] {
  const { patternProperties, additionalProperties, unevaluatedProperties } = keywords;
  const others = [additionalProperties, unevaluatedProperties].filter((node) => node !== undefined);
  return [...(patternProperties?.values() ?? []), ...others];
}

function patternsFor({ keywords, document }: SchemaNode, key: string): readonly SchemaNode[] {
  return [...(keywords.patternProperties ?? [])].flatMap(([pattern, child]) =>
    matchesKey(document, pattern, key) ? [child] : [],
  );
}

function evaluates(node: SchemaNode, key: string): boolean {
  const { properties, additionalProperties } = node.keywords;
  if (properties?.has(key) === true || additionalProperties !== undefined) return true;
  return patternsFor(node, key).length > 0;
}

export function conjunctsOf({ keywords: { ref, allOf = [] } }: SchemaNode): readonly SchemaNode[] {
  return ref === undefined ? allOf : [ref, ...allOf];
}

/**
 * The maximum nesting of branches, and the maximum length of a chain of references, to look into.
 */
export const maxDepth = 500;

/** Whether a node, or what it consists of, has the mark. */
function bearsMark(node: SchemaNode, mark: Mark, seen: Set<SchemaNode>): boolean {
  if (seen.has(node) || seen.size > maxDepth) return false;
  seen.add(node);
  const { raw, dialect, keywords } = node;
  if (hasMark(raw, dialect, mark)) return true;
  if (conjunctsOf(node).some((part) => bearsMark(part, mark, seen))) return true;
  return [keywords.anyOf, keywords.oneOf].some(
    (members = []) => members.length > 0 && members.every((each) => bearsMark(each, mark, seen)),
  );
}
