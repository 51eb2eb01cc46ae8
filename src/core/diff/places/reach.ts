// Which subschemas speak of one spot of a value, whatever they decide: through references, `allOf`,
// `anyOf`, `oneOf`, `then`, `else` and dependencies, never through `not` or `if`.

import { type SchemaNode, saidOfOtherKeys } from '../../schema/schema.ts';
import { matchesKey } from './key-pattern.ts';

/** The spots of a value, walked as far as somebody asks. Two with the same nodes are one. */
export interface Spot {
  readonly key: string;
  /** Every node reached, the ones started from first. */
  readonly nodes: readonly SchemaNode[];
}

export interface Reach {
  spotOf(nodes: readonly SchemaNode[]): Spot;
  /** Keys that some node names with a schema that something fits. */
  declaredKeys(spot: Spot): ReadonlySet<string>;
  /** Keys that some node names, whatever fits. */
  namedKeys(spot: Spot): ReadonlySet<string>;
  requiredKeys(spot: Spot): ReadonlySet<string>;
  /** Those, and the ones that come with others. */
  demandedKeys(spot: Spot): ReadonlySet<string>;
  /** What speaks of the value of one key. */
  atKey(spot: Spot, key: string): Spot;
  /** The nodes that speak of it, without those they lead to. */
  nodesAtKey(spot: Spot, key: string): readonly SchemaNode[];
  /** What speaks of the values of keys that are not named. */
  atOtherKeys(spot: Spot): Spot;
  nodesAtOtherKeys(spot: Spot): readonly SchemaNode[];
  /** What speaks of an item; `null` for the ones after every position that is named. */
  atItem(spot: Spot, index: number | null): Spot;
  nodesAtItem(spot: Spot, index: number | null): readonly SchemaNode[];
  /** How many positions of an array are named. */
  namedItems(spot: Spot): number;
  /** Whether a key is declared, or let in by a pattern or an additional schema that says something. */
  covers(spot: Spot, key: string): boolean;
  coversOtherKeys(spot: Spot): boolean;
}

/**
 * Where a dynamic reference leads depends on how it was reached, which is not looked at: `most` takes all
 * that it may lead to, and `least` none of it. `written` is `most` with what stands under `if`, which
 * evaluates keys. `sure` is what speaks of every value that is accepted.
 */
type Extent = 'most' | 'least' | 'written' | 'sure';

/** `isNever` tells of a schema that nothing fits, as far as is known. */
export function openReach(isNever: (node: SchemaNode) => boolean, extent: Extent): Reach {
  const spots = new Map<string, Spot>();
  const declared = new Map<Spot, ReadonlySet<string>>();
  const spotOf = (from: readonly SchemaNode[]): Spot => {
    const starts = [...new Set(from)].sort((a, b) => a.id - b.id);
    const key = starts.map((node) => node.id).join();
    const known = spots.get(key);
    if (known !== undefined) return known;
    // A reference and what it leads to are one spot, or a circle would be walked twice.
    const nodes = reachedFrom(starts, extent);
    const speaking = nodes.filter((node) => !isAlias(node)).sort((a, b) => a.id - b.id);
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

/** Whether a node says nothing of properties or items: there is nothing below it. */
export function isFlat({ keywords }: SchemaNode): boolean {
  for (const name in keywords) if (deepKeywords.has(name)) return false;
  return true;
}

const deepKeywords = new Set<string>([
  ...['ref', 'dynamicRef', 'allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'],
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['required', 'prefixItems', 'items', 'contains', 'unevaluatedItems'],
]);

/** What speaks of any item, whatever its position. */
export function itemsOf(reach: Reach, spot: Spot): Spot {
  const count = reach.namedItems(spot);
  const named = Array.from({ length: count }, (_, index) => reach.atItem(spot, index).nodes);
  return reach.spotOf([...named.flat(), ...reach.atItem(spot, null).nodes]);
}

function isAlias({ keywords }: SchemaNode): boolean {
  for (const name in keywords) if (name !== 'ref') return false;
  return keywords.ref !== undefined;
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
