// Rewrites a schema spot by spot: names are removed from what it demands and declares, or added.

import { type Keywords, type SchemaNode, saysSomething } from '../../schema/schema.ts';
import type { PlaceBook } from '../places/place.types.ts';
import { itemsOf, type Reach, type Spot } from '../places/reach.ts';
import { mapsOf } from './marks.ts';

/**
 * The same schema, but no place is left open to its producer: every schema describes its place, if
 * only as one without properties. It accepts the same values.
 */
export function withPlacesDescribed(book: PlaceBook, root: SchemaNode): SchemaNode {
  return rewriteEach(book, root, (keywords) => ({ properties: new Map(), ...keywords }));
}

/** The same schema, but values that fit several branches of a `oneOf` are accepted. */
export function withBranchesTogether(book: PlaceBook, root: SchemaNode): SchemaNode {
  return rewriteEach(book, root, ({ oneOf, ...others }) => {
    if (oneOf === undefined) return others;
    if (others.anyOf === undefined) return { ...others, anyOf: oneOf };
    return { ...others, allOf: [...(others.allOf ?? []), book.madeNode(root, { anyOf: oneOf })] };
  });
}

/**
 * The same schema, but its producer also writes a property with this name wherever it is not
 * refused.
 */
export function withNameWritten(book: PlaceBook, root: SchemaNode, name: string): SchemaNode {
  const isShut = ({ unevaluatedProperties }: Keywords) => unevaluatedProperties !== undefined;
  const anything = book.madeNode(root, {});
  return rewriteEach(book, root, (keywords, old) => {
    // Declaring the name here would make it evaluated.
    if (isShut(old)) return old;
    if (saysSomething(keywords.additionalProperties)) return keywords;
    return { ...keywords, properties: new Map([...(keywords.properties ?? []), [name, anything]]) };
  });
}

/** The same schema, but names that it allows without listing them may have any value. */
export function withNamesLetIn(book: PlaceBook, root: SchemaNode): SchemaNode {
  const anything = book.madeNode(root, {});
  const letIn = (node: SchemaNode) => (node.keywords.isFalse === true ? node : anything);
  return rewriteEach(book, root, (keywords) => {
    const { additionalProperties, unevaluatedProperties, patternProperties } = keywords;
    return {
      ...keywords,
      ...(additionalProperties && { additionalProperties: letIn(additionalProperties) }),
      ...(unevaluatedProperties && { unevaluatedProperties: letIn(unevaluatedProperties) }),
      ...(patternProperties && {
        patternProperties: new Map(
          Array.from(patternProperties, ([key, node]) => [key, letIn(node)]),
        ),
      }),
    };
  });
}

type Turn = (keywords: Keywords, old: Keywords) => Keywords;

/**
 * Rewrites the keywords of each node that may apply to objects or lists. The nodes below it are
 * rewritten first.
 */
function rewriteEach(book: PlaceBook, root: SchemaNode, turn: Turn): SchemaNode {
  const made = new Map<SchemaNode, SchemaNode>();
  const rewrite: Rewrite = (node) => {
    const known = made.get(node);
    if (known !== undefined) return known;
    const { isFalse, types } = node.keywords;
    const isFlat = types?.every((type) => type !== 'object' && type !== 'array') === true;
    if (isFalse || isFlat) return node;
    const fresh = lazyNode(book, node, () =>
      turn(rewriteKeywords(node.keywords, nowhere, rewrite), node.keywords),
    );
    made.set(node, fresh);
    return fresh;
  };
  return rewrite(root, nowhere);
}

const none: ReadonlySet<string> = new Set();

export const nowhere: Context = {
  dropped: new Set(),
  below: () => [],
  atKey: () => nowhere,
  atOtherKeys: () => nowhere,
  atItems: () => nowhere,
};

/** The keywords are made on first use, because schemas may be circular. */
function lazyNode(book: PlaceBook, like: SchemaNode, make: () => Keywords): SchemaNode {
  let keywords: Keywords | undefined;
  return Object.defineProperty(book.madeWithAnnotations(like, {}), 'keywords', {
    get: () => {
      keywords ??= make();
      return keywords;
    },
  });
}

/** A spot of the value, and the names that are removed or added there. */
export interface Context {
  readonly dropped: ReadonlySet<string>;
  /** The names that are removed from `properties` too. */
  readonly undescribed?: ReadonlySet<string>;
  /** Removed names that something else at the spot describes: they stay as properties that no value has. */
  readonly shut?: ReadonlySet<string>;
  /** Names that a node then describes, with any value. */
  readonly added?: ReadonlyMap<SchemaNode, readonly string[]>;
  readonly exempt?: Exempt;
  /** Schemas for names that are not listed, which no longer describe any. */
  readonly openMaps?: ReadonlySet<SchemaNode>;
  /** Nodes that mark something themselves. No value that they apply to has it. */
  readonly marking?: ReadonlyMap<SchemaNode, Marked>;
  readonly below: () => readonly Context[];
  readonly atKey: (key: string) => Context;
  readonly atOtherKeys: () => Context;
  readonly atItems: () => Context;
}

export interface Marked {
  readonly names: readonly string[];
  /** Schemas for names that are not listed. */
  readonly maps: ReadonlySet<SchemaNode>;
}

/** Names that a value may lack if it satisfies all branches of one of these chains. */
interface Exempt {
  readonly chains: ReadonlyMap<string, readonly (readonly SchemaNode[])[]>;
  /** The same spot, without any demand for the names. A branch of a chain is rewritten for it. */
  readonly within: Context;
}

/** Makes the contexts of all spots of one schema. */
export function contextsOf(
  reach: Reach,
  root: SchemaNode,
  namesAt: (spot: Spot) => Pick<Context, 'dropped' | 'added'>,
): Context {
  const contexts = new Map<string, Context>();
  const at = (spot: Spot): Context => {
    const known = contexts.get(spot.key);
    if (known !== undefined) return known;
    const context: Context = {
      ...namesAt(spot),
      atKey: (key) => at(reach.atKey(spot, key)),
      atOtherKeys: () => at(reach.atOtherKeys(spot)),
      atItems: () => at(itemsOf(reach, spot)),
      below: () => contextsBelow(context, reach, spot),
    };
    contexts.set(spot.key, context);
    return context;
  };
  return at(reach.spotOf([root]));
}

export function contextsBelow(context: Context, reach: Reach, spot: Spot): readonly Context[] {
  if (spot.nodes.length === 0) return [];
  const named = [...reach.namedKeys(spot)].map(context.atKey);
  return [...named, context.atOtherKeys(), context.atItems()];
}

/** The rewritten root. Parts that do not change stay the same nodes. */
export interface Rewritten {
  readonly plain: SchemaNode;
  /**
   * The same, but it refuses no value that the root accepts. If branches of a `oneOf`, or items
   * that `contains` counts up to a maximum, lost a demand, either the old or the new reading
   * suffices.
   */
  readonly wide: SchemaNode;
}

export function rewriteSchema(book: PlaceBook, root: SchemaNode, start: Context): Rewritten {
  const pairs = pairsOf(root, start, isTouched, () => []);
  if (pairs.get(start)?.get(root)?.isChanged !== true) return { plain: root, wide: root };
  const plain = openRewrite(book, pairs, (pair, rewrite) => plainKeywords(book, pair, rewrite));
  const isNarrowed = [...pairs.values()].some((row) =>
    [...row.values()].some((pair) => pair.isChanged && mayNarrow(pair)),
  );
  const made = plain(root, start);
  if (!isNarrowed) return { plain: made, wide: made };
  const wide = openRewrite(book, pairs, (pair, rewrite) =>
    mayNarrow(pair)
      ? widenedKeywords(book, pair, rewrite, plain)
      : plainKeywords(book, pair, rewrite),
  );
  return { plain: made, wide: wide(root, start) };
}

/** A node at a spot. A definition may occur at several spots. */
interface Pair {
  readonly node: SchemaNode;
  readonly context: Context;
  /** Pairs that are changed if this one is. */
  readonly dependents: Pair[];
  isChanged: boolean;
}

export type Pairs = ReadonlyMap<Context, ReadonlyMap<SchemaNode, Pair>>;

/**
 * All pairs below the root at spots where names are removed or added, and which of them change: those that
 * are touched, and those that hold one that changes.
 */
export function pairsOf(
  root: SchemaNode,
  start: Context,
  touches: (node: SchemaNode, context: Context) => boolean,
  conditionsOf: (node: SchemaNode) => readonly SchemaNode[],
): Pairs {
  const dropping = droppingContexts(start);
  const pairs = new Map<Context, Map<SchemaNode, Pair>>();
  const changed: Pair[] = [];
  const waiting: Pair[] = [];
  const reach = (node: SchemaNode, context: Context, from: Pair | null): void => {
    if (!dropping.has(context)) return;
    const row = pairs.get(context) ?? new Map<SchemaNode, Pair>();
    pairs.set(context, row);
    let pair = row.get(node);
    if (pair === undefined) {
      pair = { node, context, dependents: [], isChanged: touches(node, context) };
      row.set(node, pair);
      waiting.push(pair);
      if (pair.isChanged) changed.push(pair);
    }
    if (from !== null) pair.dependents.push(from);
  };
  reach(root, start, null);
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const from = pair;
    rewriteKeywords(pair.node.keywords, pair.context, (node, context) => {
      reach(node, context, from);
      return node;
    });
    for (const node of conditionsOf(pair.node)) reach(node, pair.context, from);
    for (const [node, context] of exemptingAt(pair)) reach(node, context, from);
  }
  for (let pair = changed.pop(); pair !== undefined; pair = changed.pop()) {
    for (const dependent of pair.dependents) {
      if (dependent.isChanged) continue;
      dependent.isChanged = true;
      changed.push(dependent);
    }
  }
  return pairs;
}

/** The contexts where names are removed or added, and the contexts above them. */
export function droppingContexts(start: Context): ReadonlySet<Context> {
  const above = new Map<Context, Context[]>([[start, []]]);
  const waiting = [start];
  for (let context = waiting.pop(); context !== undefined; context = waiting.pop()) {
    for (const below of context.below()) {
      const known = above.get(below);
      if (known !== undefined) known.push(context);
      else {
        above.set(below, [context]);
        waiting.push(below);
      }
    }
  }
  const dropping = new Set(
    [...above.keys()].filter(({ dropped, added, exempt, openMaps, marking }) => {
      return (
        dropped.size > 0 || [added, exempt, openMaps, marking].some((each) => each !== undefined)
      );
    }),
  );
  for (const context of dropping) for (const each of above.get(context) ?? []) dropping.add(each);
  return dropping;
}

export function isTouched(node: SchemaNode, context: Context): boolean {
  const { dropped, undescribed = none, added, exempt, openMaps, marking } = context;
  if (added?.has(node) === true) return true;
  const isLifted = (name: string) => dropped.has(name) || exempt?.chains.has(name) === true;
  if (demandsOf(node).some(isLifted) || marking?.has(node) === true) return true;
  if (openMaps !== undefined && mapsOf(node).some((map) => openMaps.has(map))) return true;
  const { properties } = node.keywords;
  return [...undescribed].some((name) => properties?.has(name) === true);
}

function demandsOf({ keywords: { required = [], dependentRequired } }: SchemaNode) {
  return [...required, ...[...(dependentRequired?.values() ?? [])].flat()];
}

/** The branches that exempt a value from a demand of the node, and the spot that they are rewritten for. */
function exemptingAt({ node, context }: Pair): readonly (readonly [SchemaNode, Context])[] {
  const { exempt } = context;
  if (exempt === undefined) return [];
  const chains = demandsOf(node).flatMap((name) => exempt.chains.get(name) ?? []);
  return chains.flat().map((branch) => [branch, exempt.within] as const);
}

/** With fewer demands, a value may match one branch too many, or have too many counted items. */
function mayNarrow({ node: { keywords } }: Pair): boolean {
  return keywords.oneOf !== undefined || keywords.contains?.max !== undefined;
}

export type Rewrite = (node: SchemaNode, context: Context) => SchemaNode;

/** `make` makes the keywords of a pair that changes. All others stay the same nodes. */
export function openRewrite(
  book: PlaceBook,
  pairs: Pairs,
  make: (pair: Pair, rewrite: Rewrite) => Keywords,
): Rewrite {
  const made = new Map<Pair, SchemaNode>();
  const rewrite: Rewrite = (node, context) => {
    const pair = pairs.get(context)?.get(node);
    if (pair?.isChanged !== true) return node;
    const known = made.get(pair);
    if (known !== undefined) return known;
    const fresh = lazyNode(book, node, () => make(pair, rewrite));
    made.set(pair, fresh);
    return fresh;
  };
  return rewrite;
}

/** Makes the keywords of a pair that changes. */
export type KeywordsOf = (book: PlaceBook, pair: Pair, rewrite: Rewrite) => Keywords;

export function plainKeywords(book: PlaceBook, pair: Pair, rewrite: Rewrite): Keywords {
  const keywords = openKeywords(book, pair, rewrite);
  const { node, context } = pair;
  const marked = context.marking?.get(node);
  if (marked === undefined) return keywords;
  return withNever(
    book,
    node,
    marked.names,
    withoutMaps(book, node, keywords, { maps: marked.maps, areShut: true }),
  );
}

/** The same, but the values of a branch may have what it marks. */
export function openKeywords(book: PlaceBook, { node, context }: Pair, rewrite: Rewrite): Keywords {
  const exempted = withExempt(book, node, context, rewrite);
  const keywords = rewriteKeywords(exempted, context, rewrite);
  const { shut } = context;
  const names = [...(node.keywords.properties?.keys() ?? [])].filter((name) => shut?.has(name));
  const { openMaps: maps } = context;
  const left =
    maps === undefined ? keywords : withoutMaps(book, node, keywords, { maps, areShut: false });
  return withAdded(book, node, context, withNever(book, node, names, left));
}

interface EmptiedMaps {
  readonly maps: ReadonlySet<SchemaNode>;
  /** Whether their names are refused; otherwise they are only not described. */
  readonly areShut: boolean;
}

/** The keywords of a rewritten node, without its schemas for names that are not listed, as far as these are `maps`. */
function withoutMaps(
  book: PlaceBook,
  node: SchemaNode,
  keywords: Keywords,
  { maps, areShut }: EmptiedMaps,
): Keywords {
  if (!mapsOf(node).some((map) => maps.has(map))) return keywords;
  const never = book.madeNode(node, { isFalse: true });
  const properties = keywords.properties ?? new Map();
  const draft: { -readonly [Name in keyof Keywords]: Keywords[Name] } = { ...keywords, properties };
  const { patternProperties = [] } = node.keywords;
  let describesOthers = false;
  for (const name of ['additionalProperties', 'unevaluatedProperties'] as const) {
    const map = node.keywords[name];
    if (map === undefined) continue;
    if (maps.has(map)) draft[name] = areShut ? never : book.madeNode(node, {});
    else describesOthers ||= saysSomething(map);
  }
  const patterns = [...patternProperties].flatMap(([key, child]) => {
    if (!maps.has(child)) return [[key, keywords.patternProperties?.get(key) ?? child] as const];
    // Without its pattern, a name would be one of the others.
    return areShut || describesOthers ? [[key, never] as const] : [];
  });
  if (keywords.patternProperties !== undefined) draft.patternProperties = new Map(patterns);
  return draft;
}

/** Describes names as properties that no value has. */
function withNever(
  book: PlaceBook,
  node: SchemaNode,
  names: readonly string[],
  keywords: Keywords,
): Keywords {
  if (names.length === 0) return keywords;
  const never = book.madeNode(node, { isFalse: true });
  const properties = new Map([
    ...(keywords.properties ?? []),
    ...names.map((name) => [name, never] as const),
  ]);
  return { ...keywords, properties };
}

/** A demand for an exempt name becomes a choice: the name, or what exempts a value from it. */
function withExempt(
  book: PlaceBook,
  node: SchemaNode,
  { exempt }: Context,
  rewrite: Rewrite,
): Keywords {
  const { required = [], dependentRequired } = node.keywords;
  const isExempt = (name: string) => exempt?.chains.has(name) === true;
  if (exempt === undefined || !demandsOf(node).some(isExempt)) return node.keywords;
  const made = (keywords: Keywords) => book.madeNode(node, keywords);
  const choices = (names: readonly string[]) =>
    names.filter(isExempt).map((name) => {
      const exempting = exempt.chains.get(name)?.map((chain) => {
        return made({ allOf: chain.map((branch) => rewrite(branch, exempt.within)) });
      });
      return made({ anyOf: [made({ required: [name] }), ...(exempting ?? [])] });
    });
  const along = Array.from(
    dependentRequired ?? [],
    ([key, names]) => [key, choices(names)] as const,
  )
    .filter(([, some]) => some.length > 0)
    .map(([key, some]) => made({ dependentSchemas: new Map([[key, made({ allOf: some })]]) }));
  const left = (names: readonly string[]) => names.filter((name) => !isExempt(name));
  return {
    ...node.keywords,
    required: left(required),
    ...(dependentRequired && {
      dependentRequired: new Map(
        Array.from(dependentRequired, ([key, names]) => [key, left(names)]),
      ),
    }),
    allOf: [...(node.keywords.allOf ?? []), ...choices(required), ...along],
  };
}

function withAdded(
  book: PlaceBook,
  node: SchemaNode,
  { added }: Context,
  keywords: Keywords,
): Keywords {
  const names = added?.get(node);
  if (names === undefined) return keywords;
  const fresh = names.map((name) => [name, book.madeNode(node, {})] as const);
  return { ...keywords, properties: new Map([...(keywords.properties ?? []), ...fresh]) };
}

/**
 * A keyword that may narrow the schema is set apart: it has to hold either as it was or as
 * rewritten.
 */
function widenedKeywords(
  book: PlaceBook,
  { node, context }: Pair,
  rewrite: Rewrite,
  plain: Rewrite,
): Keywords {
  const { oneOf, contains, ...others } = node.keywords;
  const isCounted = contains?.max !== undefined;
  const keywords = rewriteKeywords(
    contains === undefined || isCounted ? others : { ...others, contains },
    context,
    rewrite,
  );
  const apart: Keywords[] = [
    ...(oneOf === undefined ? [] : [{ oneOf }]),
    ...(isCounted ? [{ contains }] : []),
  ];
  const either = apart.map((written) => {
    const readings = [written, rewriteKeywords(written, context, plain)];
    return book.madeNode(node, { anyOf: readings.map((each) => book.madeNode(node, each)) });
  });
  return { ...keywords, allOf: [...(keywords.allOf ?? []), ...either] };
}

export function rewriteKeywords(keywords: Keywords, context: Context, rewrite: Rewrite): Keywords {
  const here = (node: SchemaNode) => rewrite(node, context);
  const others = (node: SchemaNode) => rewrite(node, context.atOtherKeys());
  const items = (node: SchemaNode) => rewrite(node, context.atItems());
  const demanded = (names: readonly string[]) => names.filter((name) => !context.dropped.has(name));
  const draft: { -readonly [K in keyof Keywords]: Keywords[K] } = { ...keywords };
  const one = (name: OneNode, turn: (node: SchemaNode) => SchemaNode) => {
    const node = keywords[name];
    if (node !== undefined) draft[name] = turn(node);
  };
  const list = (name: NodeList, turn: (node: SchemaNode) => SchemaNode) => {
    const nodes = keywords[name];
    if (nodes !== undefined) draft[name] = nodes.map(turn);
  };
  const map = (name: NodeMap, turn: (node: SchemaNode, key: string) => SchemaNode) => {
    const nodes = keywords[name];
    if (nodes !== undefined) {
      draft[name] = new Map(Array.from(nodes, ([key, node]) => [key, turn(node, key)]));
    }
  };
  for (const name of ['ref', 'then', 'else'] as const) one(name, here);
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) list(name, here);
  map('dependentSchemas', here);
  map('properties', (node, key) => rewrite(node, context.atKey(key)));
  const { undescribed } = context;
  if (undescribed !== undefined && draft.properties !== undefined) {
    draft.properties = new Map([...draft.properties].filter(([key]) => !undescribed.has(key)));
  }
  map('patternProperties', others);
  for (const name of ['additionalProperties', 'unevaluatedProperties'] as const) one(name, others);
  list('prefixItems', items);
  for (const name of ['items', 'unevaluatedItems'] as const) one(name, items);
  if (keywords.contains !== undefined) {
    draft.contains = { ...keywords.contains, schema: items(keywords.contains.schema) };
  }
  if (keywords.required !== undefined) draft.required = demanded(keywords.required);
  if (keywords.dependentRequired !== undefined) {
    draft.dependentRequired = new Map(
      Array.from(keywords.dependentRequired, ([key, names]) => [key, demanded(names)]),
    );
  }
  return draft;
}

type OneNode =
  | ('ref' | 'then' | 'else' | 'items' | 'unevaluatedItems')
  | ('additionalProperties' | 'unevaluatedProperties');
type NodeList = 'allOf' | 'anyOf' | 'oneOf' | 'prefixItems';
type NodeMap = 'dependentSchemas' | 'properties' | 'patternProperties';
