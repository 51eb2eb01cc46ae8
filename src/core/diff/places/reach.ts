// Which subschemas apply to one spot of a value, or may apply: through references, `allOf`,
// `anyOf`, `oneOf`, `then`, `else` and dependencies. Never through `not`, and through `if` only for
// the extent `written`.

import { isOnlyReference, type SchemaNode, saidOfOtherKeys } from '../../schema/schema.ts';
import { matchesKey } from './key-pattern.ts';

/** A spot of a value, found on demand. Two spots with the same nodes are one. */
export interface Spot {
  readonly key: string;
  /** Every node reached, the starting nodes first. */
  readonly nodes: readonly SchemaNode[];
}

/** A schema, and a function that tells which of its nodes accept no value. */
export interface Side {
  readonly root: SchemaNode;
  readonly isNever: (node: SchemaNode) => boolean;
}

export interface Reach {
  spotOf(nodes: readonly SchemaNode[]): Spot;
  /** Keys that some node names with a schema that some value fits. */
  declaredKeys(spot: Spot): ReadonlySet<string>;
  /** Keys that some node names, even if no value fits. */
  namedKeys(spot: Spot): ReadonlySet<string>;
  requiredKeys(spot: Spot): ReadonlySet<string>;
  /** The required keys, and the keys that other keys require. */
  demandedKeys(spot: Spot): ReadonlySet<string>;
  /** The nodes for the value of one key. */
  atKey(spot: Spot, key: string): Spot;
  /** The nodes that apply to it directly, without those that they lead to. */
  nodesAtKey(spot: Spot, key: string): readonly SchemaNode[];
  /** The nodes for the values of keys that are not named. */
  atOtherKeys(spot: Spot): Spot;
  nodesAtOtherKeys(spot: Spot): readonly SchemaNode[];
  /** The nodes for an item. `null` stands for the items after all named positions. */
  atItem(spot: Spot, index: number | null): Spot;
  nodesAtItem(spot: Spot, index: number | null): readonly SchemaNode[];
  /** The number of named positions of an array. */
  namedItems(spot: Spot): number;
  /**
   * Whether a key is declared, or allowed by a pattern or an additional schema that constrains it.
   */
  covers(spot: Spot, key: string): boolean;
  coversOtherKeys(spot: Spot): boolean;
}

/**
 * How far to follow. The target of a dynamic reference depends on the way to it, which is not
 * tracked: `most` follows all possible targets, and `least` follows none. `written` is `most` with
 * the schemas of `if`, which evaluate keys. `sure` has only the nodes that apply to every accepted
 * value.
 */
type Extent = 'most' | 'least' | 'written' | 'sure';

/** `isNever` tells whether a schema is known to accept no value. */
export function openReach(isNever: (node: SchemaNode) => boolean, extent: Extent): Reach {
  const spots = new Map<string, Spot>();
  const declared = new Map<Spot, ReadonlySet<string>>();
  const spotOf = (from: readonly SchemaNode[]): Spot => {
    const starts = [...new Set(from)].sort((a, b) => a.id - b.id);
    const key = starts.map((node) => node.id).join();
    const known = spots.get(key);
    if (known !== undefined) return known;
    // A reference and its target are one spot. Otherwise a circle would be walked twice.
    const nodes = reachedFrom(starts, extent);
    const speaking = nodes
      .filter((node) => !isOnlyReference(node.keywords))
      .sort((a, b) => a.id - b.id);
    const identity = `=${speaking.map((node) => node.id).join()}`;
    const spot = spots.get(identity) ?? { key: identity, nodes };
    spots.set(identity, spot).set(key, spot);
    return spot;
  };
  return {
    spotOf,
    declaredKeys(spot) {
      const known = declared.get(spot);
      if (known !== undefined) return known;
      const keys = new Set<string>();
      for (const { keywords } of spot.nodes) {
        for (const [key, child] of keywords.properties ?? []) {
          if (!keys.has(key) && !isNever(child)) keys.add(key);
        }
      }
      declared.set(spot, keys);
      return keys;
    },
    namedKeys: (spot) =>
      new Set(spot.nodes.flatMap(({ keywords }) => [...(keywords.properties?.keys() ?? [])])),
    demandedKeys: (spot) => new Set(spot.nodes.flatMap(demandsOf)),
    requiredKeys: (spot) => new Set(spot.nodes.flatMap(({ keywords }) => keywords.required ?? [])),
    nodesAtKey: (spot, key) => spot.nodes.flatMap((node) => childrenAtKey(node, key)),
    atKey: (spot, key) => spotOf(spot.nodes.flatMap((node) => childrenAtKey(node, key))),
    nodesAtOtherKeys: (spot) => spot.nodes.flatMap(childrenAtOtherKeys),
    nodesAtItem: (spot, index) => spot.nodes.flatMap((node) => childrenAtItem(node, index)),
    atOtherKeys: (spot) => spotOf(spot.nodes.flatMap(childrenAtOtherKeys)),
    atItem: (spot, index) => spotOf(spot.nodes.flatMap((node) => childrenAtItem(node, index))),
    namedItems: (spot) =>
      spot.nodes.reduce(
        (most, { keywords }) => Math.max(most, keywords.prefixItems?.length ?? 0),
        0,
      ),
    covers: (spot, key) =>
      spot.nodes.some(({ keywords }) => {
        const named = keywords.properties?.get(key);
        return named !== undefined && !isNever(named);
      }) || spot.nodes.some((node) => childrenAtKey(node, key).some((child) => !isNever(child))),
    coversOtherKeys: (spot) =>
      spot.nodes.some((node) => childrenAtOtherKeys(node).some((child) => !isNever(child))),
  };
}

/** Whether a node says nothing about properties or items, so that nothing is below it. */
export function isFlat({ keywords }: SchemaNode): boolean {
  for (const name in keywords) if (deepKeywords.has(name)) return false;
  return true;
}

const deepKeywords = new Set<string>([
  ...['ref', 'dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'],
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['required', 'prefixItems', 'items', 'contains', 'unevaluatedItems'],
]);

/** The nodes for any item, in any position. */
export function itemsOf(reach: Reach, spot: Spot): Spot {
  const count = reach.namedItems(spot);
  const named = Array.from({ length: count }, (_, index) => reach.atItem(spot, index).nodes);
  return reach.spotOf([...named.flat(), ...reach.atItem(spot, null).nodes]);
}

function demandsOf({ keywords }: SchemaNode): readonly string[] {
  const { required = [], dependentRequired } = keywords;
  return dependentRequired === undefined
    ? required
    : [...required, ...[...dependentRequired.values()].flat()];
}

function reachedFrom(starts: readonly SchemaNode[], extent: Extent): readonly SchemaNode[] {
  const reached = new Set<SchemaNode>();
  const waiting = [...starts];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    const { ref, dynamicRef, allOf, anyOf, oneOf, then: whenTrue, else: whenFalse } = node.keywords;
    if (ref !== undefined) waiting.push(ref);
    if (allOf !== undefined) waiting.push(...allOf);
    if (extent === 'sure') continue;
    for (const list of [anyOf, oneOf]) if (list !== undefined) waiting.push(...list);
    for (const one of [whenTrue, whenFalse]) if (one !== undefined) waiting.push(one);
    if (node.keywords.if !== undefined && extent === 'written') waiting.push(node.keywords.if);
    if (dynamicRef !== undefined && extent !== 'least') {
      const { anchor, target } = dynamicRef;
      waiting.push(target, ...target.document.dynamicTargets(anchor));
    }
    if (node.keywords.dependentSchemas !== undefined) {
      waiting.push(...node.keywords.dependentSchemas.values());
    }
  }
  return [...reached];
}

function childrenAtKey({ keywords, document }: SchemaNode, key: string): readonly SchemaNode[] {
  const { properties, patternProperties } = keywords;
  const named = properties?.get(key);
  const found = named === undefined ? [] : [named];
  for (const [pattern, child] of patternProperties ?? []) {
    if (matchesKey(document, pattern, key)) found.push(child);
  }
  return found.length > 0 ? found : saidOfOtherKeys(keywords);
}

function childrenAtOtherKeys({ keywords }: SchemaNode): readonly SchemaNode[] {
  return [...(keywords.patternProperties?.values() ?? []), ...saidOfOtherKeys(keywords)];
}

function childrenAtItem({ keywords }: SchemaNode, index: number | null): readonly SchemaNode[] {
  const { prefixItems, items, contains, unevaluatedItems } = keywords;
  const own = index === null ? items : (prefixItems?.[index] ?? items);
  return [own, contains?.schema, unevaluatedItems].filter((node) => node !== undefined);
}
