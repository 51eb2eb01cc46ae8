import type { Keywords, SchemaNode } from '../../schema/schema.ts';
import { type Json, searchSchemas } from '../../value/json.ts';
import { matchesKey } from '../places/key-pattern.ts';
import type { PlaceBook } from '../places/place.types.ts';
import { openReach, type Reach, type Spot } from '../places/reach.ts';
import { areApart } from './apart.ts';
import { conjunctsOf, isMap, type Mark, type MarksOfSpot, marksAt, maxDepth } from './marks.ts';
import { openLoosely } from './rewrite-loosely.ts';
import {
  type Context,
  contextsBelow,
  isTouched,
  type KeywordsOf,
  type Marked,
  openKeywords,
  openRewrite,
  type Pairs,
  pairsOf,
  plainKeywords,
} from './rewrite-schema.ts';

/** A schema of what is sent. */
interface Sent {
  /** As servers and clients check it: nothing that is marked is demanded. */
  readonly plain: Reading;
  /** What is left of each value that the schema accepts, and more. The same nodes if that is no more. */
  readonly loose: Reading;
}

interface Reading {
  /** Values that a branch applies to have nothing that it marks. */
  readonly node: SchemaNode;
  /** The same, but they may have it. The same node if no branch marks anything. */
  readonly open: SchemaNode;
  /** Whether `open` accepts each value that `node` does. */
  readonly isOpenWider: boolean;
}

const marking: Readonly<Record<Mark, (schema: Json) => boolean>> = {
  readOnly: searchSchemas(({ readOnly }) => readOnly === true),
  writeOnly: searchSchemas(({ writeOnly }) => writeOnly === true),
};

/**
 * Removes the properties that OpenAPI marks, from what a schema declares and demands: `readOnly`
 * ones from requests, `writeOnly` ones from responses.
 */
export function withoutMarked(book: PlaceBook, root: SchemaNode, mark: Mark | null): Sent {
  if (mark === null || !marking[mark](book.document.json)) {
    const plain: Reading = { node: root, open: root, isOpenWider: true };
    return { plain, loose: plain };
  }
  const reach = openReach((node) => book.placeOf([node]).view.isNever, 'least');
  const contexts = new Map<string, Context>();
  const at = (all: readonly SchemaNode[], sure: readonly SchemaNode[]): Context => {
    const spot = reach.spotOf(all);
    const key = `${spot.key}/${reach.spotOf(sure).key}`;
    const known = contexts.get(key);
    if (known !== undefined) return known;
    const made = contextAt({ book, reach, spot, all, sure, mark }, at);
    contexts.set(key, made);
    return made;
  };
  const start = at([root], [root]);
  const pairs = pairsOf(root, start, isTouched, () => []);
  const narrowed = narrowedPairs(root, start);
  const readingOf = (
    rewriteBy: (keywordsOf: KeywordsOf) => SchemaNode,
  ): Omit<Reading, 'isOpenWider'> => {
    const node = rewriteBy(plainKeywords);
    return { node, open: narrowed === null ? node : rewriteBy(openKeywords) };
  };
  const plain: Reading = {
    ...readingOf((keywordsOf) =>
      openRewrite(book, pairs, (...pair) => keywordsOf(book, ...pair))(root, start),
    ),
    isOpenWider: narrowed === null || !mayWiden(narrowed),
  };
  const loosely = openLoosely(book, root, start);
  const loose = loosely === null ? plain : { ...readingOf(loosely), isOpenWider: true };
  return { plain, loose };
}

/** The pairs in which values no longer have what a branch marks; null if there are none. */
function narrowedPairs(root: SchemaNode, start: Context): Pairs | null {
  const marks = (node: SchemaNode, { marking }: Context) => marking?.has(node) === true;
  const pairs = pairsOf(root, start, marks, () => []);
  return pairs.get(start)?.get(root)?.isChanged === true ? pairs : null;
}

/** Whether a value may fit one branch or item fewer, and so be accepted that was not. */
function mayWiden(narrowed: Pairs): boolean {
  const isNarrowed = (node: SchemaNode, context: Context) =>
    narrowed.get(context)?.get(node)?.isChanged === true;
  const rows = [...narrowed.values()].flatMap((row) => [...row.values()]);
  return rows.some(({ node: { keywords }, context }) => {
    const { oneOf = [], contains } = keywords;
    if (oneOf.some((branch) => isNarrowed(branch, context)) && !areApart(oneOf)) return true;
    return contains?.max !== undefined && isNarrowed(contains.schema, context.atItems());
  });
}

/** A spot, and which of its nodes hold for every value there, whatever led to the value. */
interface MarkedSpot {
  readonly book: PlaceBook;
  readonly reach: Reach;
  readonly spot: Spot;
  readonly all: readonly SchemaNode[];
  readonly sure: readonly SchemaNode[];
  readonly mark: Mark;
}

function contextAt(
  { book, reach, spot, all, sure, mark }: MarkedSpot,
  at: (all: readonly SchemaNode[], sure: readonly SchemaNode[]) => Context,
): Context {
  const others = all.filter((node) => !sure.includes(node));
  const marks = marksAt(spot.nodes, mark);
  const isMarked = (key: string): boolean => {
    const marking = { reach, key, marks, seen: new Set<SchemaNode>(), depth: 0 };
    return markingOf(sure, marking, others) === 'marked';
  };
  // What a branch leads to does not hold for the values of another branch.
  const always: Spot = { key: '', nodes: allApplying(sure, conjunctsOf) };
  const unevaluated = new Set(always.nodes.map(({ keywords }) => keywords.unevaluatedProperties));
  const keys = new Set(reach.declaredKeys(spot));
  if (marks.hasMaps) for (const key of reach.demandedKeys(spot)) keys.add(key);
  const dropped = new Set([...keys].filter(isMarked));
  const chains = new Map<string, readonly Chain[]>();
  let isCutShort = false;
  for (const key of keys) {
    if (dropped.has(key)) continue;
    const steps = { left: maxChainSteps };
    const marking = all.flatMap((node) => {
      const chain = others.includes(node) ? [node] : [];
      return markingChains(book, node, { key, marks, steps, chain, seen: new Set() });
    });
    if (steps.left <= 0) isCutShort = true;
    else if (marking.length > 0) chains.set(key, marking);
  }
  const surely = new Set(always.nodes);
  const openMaps = new Set(always.nodes.flatMap((node) => [...marks.mapsOf(node)]));
  // A branch in which a name is still demanded, and none may be, would have no values.
  const branching = isCutShort ? [] : spot.nodes.filter((node) => !surely.has(node));
  const inBranches = new Map([
    ...markingNodes(spot.nodes, chains.keys(), { ...marks, mapsOf: () => new Set() }),
    ...markingNodes(branching, chains.keys(), marks),
  ]);
  const context: Context = {
    dropped,
    undescribed: dropped,
    ...(openMaps.size > 0 && { openMaps }),
    shut: new Set([...dropped].filter((key) => isMapped(spot, key, marks))),
    atKey: (key) => {
      const below = reach.nodesAtKey(spot, key);
      const isSure = (node: SchemaNode) => below.length === 1 || !unevaluated.has(node);
      return at(below, reach.nodesAtKey(always, key).filter(isSure));
    },
    atOtherKeys: () => {
      const below = reach.nodesAtOtherKeys(spot);
      // Several patterns apply to different keys, so none of them applies to all of these keys.
      return at(below, below.length === 1 ? reach.nodesAtOtherKeys(always) : []);
    },
    atItems: () => {
      const count = reach.namedItems(spot);
      const named = Array.from({ length: count }, (_, index) => reach.nodesAtItem(spot, index));
      const items = always.nodes.flatMap(({ keywords }) => keywords.items ?? []);
      return at([...named.flat(), ...reach.nodesAtItem(spot, null)], count === 0 ? items : []);
    },
    below: () => contextsBelow(context, reach, spot),
  };
  const lifted = new Set([...dropped, ...chains.keys()]);
  // These names stay described: a branch that is closed must not refuse a value for having one.
  const within: Context = { ...context, dropped: lifted };
  return {
    ...context,
    ...(inBranches.size > 0 && { marking: inBranches }),
    ...(chains.size > 0 && {
      exempt: { chains, within },
      below: () => [...context.below(), within],
    }),
  };
}

/** What the nodes of a spot mark themselves, where they do not apply to all of its values. */
function markingNodes(
  nodes: readonly SchemaNode[],
  keys: Iterable<string>,
  marks: MarksOfSpot,
): ReadonlyMap<SchemaNode, Marked> {
  const wanted = [...keys];
  const found = nodes.map((node): readonly [SchemaNode, Marked] => {
    return [
      node,
      { names: wanted.filter((key) => marks.marksKey(node, key)), maps: marks.mapsOf(node) },
    ];
  });
  return new Map(found.filter(([, { names, maps }]) => names.length > 0 || maps.size > 0));
}

/** Whether a pattern or a map describes the key, once nothing else does. */
function isMapped({ nodes }: Spot, key: string, { mapsOf }: MarksOfSpot): boolean {
  return nodes.some((node) => {
    const { patternProperties, additionalProperties, unevaluatedProperties } = node.keywords;
    const marked = mapsOf(node);
    const isLeft = (map: SchemaNode | undefined) => isMap(map) && !marked.has(map);
    if ([additionalProperties, unevaluatedProperties].some(isLeft)) return true;
    return [...(patternProperties ?? [])].some(
      ([each, child]) => isLeft(child) && matchesKey(node.document, each, key),
    );
  });
}

/** The nodes that apply to every value, whichever branches do. */
export function withoutBranches(nodes: readonly SchemaNode[]): readonly SchemaNode[] {
  const optional = new Set(
    allApplying(nodes.flatMap(branchesOf), (node) => [...conjunctsOf(node), ...branchesOf(node)]),
  );
  return nodes.filter((node) => !optional.has(node));
}

function branchesOf({ keywords }: SchemaNode): readonly SchemaNode[] {
  const { anyOf = [], oneOf = [], then: whenTrue, else: whenFalse, dependentSchemas } = keywords;
  const conditional = [whenTrue, whenFalse].filter((node) => node !== undefined);
  return [...anyOf, ...oneOf, ...conditional, ...(dependentSchemas?.values() ?? [])];
}

function allApplying(
  starts: readonly SchemaNode[],
  next: (node: SchemaNode) => readonly SchemaNode[],
): readonly SchemaNode[] {
  const found = new Set(starts);
  for (const node of found) for (const other of next(node)) found.add(other);
  return [...found];
}

interface Marking {
  readonly reach: Reach;
  readonly key: string;
  readonly marks: MarksOfSpot;
  readonly seen: Set<SchemaNode>;
  readonly depth: number;
}

/**
 * Whether schemas that apply together mark a property. Each branch that mentions the property has to mark
 * it, and so does each of the others, which apply to some values only. If one does not, its values have the
 * property.
 */
function markingOf(
  starts: readonly SchemaNode[],
  marking: Marking,
  others: readonly SchemaNode[] = [],
): 'marked' | 'open' | 'silent' {
  const { reach, key, marks, seen, depth } = marking;
  if (depth > maxDepth) return 'open';
  const nodes = allApplying(starts, conjunctsOf);
  if (nodes.some((node) => marks.marksKey(node, key))) return 'marked';
  const spot: Spot = { key: '', nodes };
  if (nodes.some(({ keywords }) => keywords.dynamicRef !== undefined)) return 'open';
  if (reach.nodesAtKey(spot, key).length > 0 || reach.demandedKeys(spot).has(key)) return 'open';
  const branches = [...nodes.flatMap(branchesOf), ...others].filter((node) => !seen.has(node));
  for (const branch of branches) seen.add(branch);
  const markings = new Set(
    branches.map((branch) => markingOf([branch], { ...marking, depth: depth + 1 })),
  );
  if (markings.has('open')) return 'open';
  return markings.has('marked') ? 'marked' : 'silent';
}

/** Nodes that a value satisfies together. */
type Chain = readonly SchemaNode[];

/** Branches within branches have exponentially many paths. A property with more is demanded as it is written. */
const maxChainSteps = 1000;

interface MarkingChains {
  readonly key: string;
  readonly marks: MarksOfSpot;
  /** How many branches may still be visited. */
  readonly steps: { left: number };
  readonly chain: Chain;
  readonly seen: ReadonlySet<SchemaNode>;
}

/** The branches that mark a property, each with those that it stands in. */
function markingChains(
  book: PlaceBook,
  start: SchemaNode,
  { key, marks, steps, chain, seen }: MarkingChains,
): readonly Chain[] {
  if (seen.size > maxDepth || steps.left <= 0) return [];
  steps.left--;
  return allApplying([start], conjunctsOf).flatMap((node): readonly Chain[] => {
    if (marks.marksKey(node, key)) return [chain];
    return conditionalParts(book, node).flatMap((part) => {
      const branch = part.at(-1);
      if (branch === undefined || seen.has(branch)) return [];
      const path = { chain: [...chain, ...part], seen: new Set([...seen, branch]) };
      return markingChains(book, branch, { key, marks, steps, ...path });
    });
  });
}

/** The branches of a node, each after what else holds where it applies. */
function conditionalParts(book: PlaceBook, node: SchemaNode): readonly Chain[] {
  const { anyOf = [], oneOf = [], if: condition, then, else: otherwise } = node.keywords;
  const made = (keywords: Keywords) => book.madeNode(node, keywords);
  const dependent = Array.from(node.keywords.dependentSchemas ?? [], ([key, part]) => [
    made({ required: [key] }),
    part,
  ]);
  return [
    ...[...anyOf, ...oneOf].map((part) => [part]),
    ...(condition ? [[condition]] : []),
    ...(condition && then ? [[condition, then]] : []),
    ...(condition && otherwise ? [[made({ not: condition }), otherwise]] : []),
    ...dependent,
  ];
}
