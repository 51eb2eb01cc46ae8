import { hasMark } from '../../schema/places.ts';
import { type Keywords, type SchemaNode, saysSomething } from '../../schema/schema.ts';
import { someObject } from '../../value/json.ts';
import { matchesKey } from '../places/key-pattern.ts';
import type { PlaceBook } from '../places/place.types.ts';
import { openReach, type Reach, type Spot } from '../places/reach.ts';
import { areApart } from './apart.ts';
import { openLoosely } from './rewrite-loosely.ts';
import {
  type Context,
  contextsBelow,
  isTouched,
  type KeywordsOf,
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

/**
 * Removes the properties that OpenAPI marks, from what a schema declares and demands: `readOnly`
 * ones from requests, `writeOnly` ones from responses.
 */
export function withoutMarked(book: PlaceBook, root: SchemaNode, mark: Mark | null): Sent {
  if (mark === null || !someObject(book.document.json, (object) => object[mark] === true)) {
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
  const marks = (node: SchemaNode, { exempt }: Context) => exempt?.marking.has(node) === true;
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
  const isMarked = (key: string): boolean => {
    const marking = { reach, key, mark, seen: new Set<SchemaNode>(), depth: 0 };
    return markingOf(sure, marking, others) === 'marked';
  };
  // What a branch leads to does not hold for the values of another branch.
  const always: Spot = { key: '', nodes: allApplying(sure, conjunctsOf) };
  const unevaluated = new Set(always.nodes.map(({ keywords }) => keywords.unevaluatedProperties));
  const dropped = new Set([...reach.declaredKeys(spot)].filter(isMarked));
  const chains = new Map<string, readonly Chain[]>();
  for (const key of reach.declaredKeys(spot)) {
    if (dropped.has(key)) continue;
    const steps = { left: maxChainSteps };
    const marking = all.flatMap((node) => {
      const chain = others.includes(node) ? [node] : [];
      return markingChains(book, node, { key, mark, steps, chain, seen: new Set() });
    });
    if (marking.length > 0 && steps.left > 0) chains.set(key, marking);
  }
  const context: Context = {
    dropped,
    undescribed: dropped,
    shut: new Set([...dropped].filter((key) => isMapped(spot, key))),
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
  if (chains.size === 0) return context;
  const lifted = new Set([...dropped, ...chains.keys()]);
  // These names stay described: a branch that is closed must not refuse a value for having one.
  const within: Context = { ...context, dropped: lifted };
  return {
    ...context,
    exempt: { chains, marking: markingNodes(spot, mark, (key) => chains.has(key)), within },
    below: () => [...context.below(), within],
  };
}

type Mark = 'readOnly' | 'writeOnly';

/** The nodes of a spot that mark some of the names themselves, and which ones. */
function markingNodes({ nodes }: Spot, mark: Mark, isWanted: (key: string) => boolean) {
  const marksOf = ({ keywords: { properties = new Map() } }: SchemaNode) =>
    [...properties].flatMap(([key, child]) =>
      isWanted(key) && bearsMark(child, mark, new Set()) ? [key] : [],
    );
  return new Map(
    nodes.map((node) => [node, marksOf(node)] as const).filter(([, names]) => names.length > 0),
  );
}

/** Whether a pattern or a map describes the key, once nothing else does. */
function isMapped({ nodes }: Spot, key: string): boolean {
  return nodes.some(({ keywords, document }) => {
    const { patternProperties, additionalProperties, unevaluatedProperties } = keywords;
    if ([additionalProperties, unevaluatedProperties].some(isMap)) return true;
    return [...(patternProperties?.keys() ?? [])].some((each) => matchesKey(document, each, key));
  });
}

function isMap(node: SchemaNode | undefined): boolean {
  return saysSomething(node) && node.keywords.isFalse !== true;
}

/** The nodes that apply to every value, whichever branches do. */
export function withoutBranches(nodes: readonly SchemaNode[]): readonly SchemaNode[] {
  const optional = new Set(
    allApplying(nodes.flatMap(branchesOf), (node) => [...conjunctsOf(node), ...branchesOf(node)]),
  );
  return nodes.filter((node) => !optional.has(node));
}

function conjunctsOf({ keywords: { ref, allOf = [] } }: SchemaNode): readonly SchemaNode[] {
  return ref === undefined ? allOf : [ref, ...allOf];
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
  readonly mark: Mark;
  readonly seen: Set<SchemaNode>;
  readonly depth: number;
}

/**
 * The maximum nesting of branches, and the maximum length of a chain of references, to look into.
 */
const maxDepth = 500;

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
  const { reach, key, mark, seen, depth } = marking;
  if (depth > maxDepth) return 'open';
  const nodes = allApplying(starts, conjunctsOf);
  const isMarked = ({ keywords }: SchemaNode) => {
    const child = keywords.properties?.get(key);
    return child !== undefined && bearsMark(child, mark, new Set());
  };
  if (nodes.some(isMarked)) return 'marked';
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
  readonly mark: Mark;
  /** How many branches may still be visited. */
  readonly steps: { left: number };
  readonly chain: Chain;
  readonly seen: ReadonlySet<SchemaNode>;
}

/** The branches that mark a property, each with those that it stands in. */
function markingChains(
  book: PlaceBook,
  start: SchemaNode,
  { key, mark, steps, chain, seen }: MarkingChains,
): readonly Chain[] {
  if (seen.size > maxDepth || steps.left <= 0) return [];
  steps.left--;
  return allApplying([start], conjunctsOf).flatMap((node): readonly Chain[] => {
    const child = node.keywords.properties?.get(key);
    if (child !== undefined && bearsMark(child, mark, new Set())) return [chain];
    return conditionalParts(book, node).flatMap((part) => {
      const branch = part.at(-1);
      if (branch === undefined || seen.has(branch)) return [];
      const path = { chain: [...chain, ...part], seen: new Set([...seen, branch]) };
      return markingChains(book, branch, { key, mark, steps, ...path });
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
