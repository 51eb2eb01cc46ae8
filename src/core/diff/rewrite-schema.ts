// A schema with some names taken out of what it demands, and declares, spot by spot.

import type { Keywords, SchemaNode } from '../schema/schema.ts';
import type { PlaceBook } from './place.ts';

/** A spot of the value, and the names that go there. */
export interface Context {
  readonly dropped: ReadonlySet<string>;
  /** Whether the names are no longer declared either. */
  readonly dropsProperties: boolean;
  readonly below: () => readonly Context[];
  readonly atKey: (key: string) => Context;
  readonly atOtherKeys: () => Context;
  readonly atItems: () => Context;
}

/** The root without those names; the root itself where none is dropped anywhere. */
export function rewriteSchema(book: PlaceBook, root: SchemaNode, start: Context): SchemaNode {
  if (!dropsAnything(start)) return root;
  const made = new Map<Context, Map<SchemaNode, SchemaNode>>();
  const rewrite = (node: SchemaNode, context: Context): SchemaNode => {
    const own = made.get(context) ?? new Map<SchemaNode, SchemaNode>();
    made.set(context, own);
    const known = own.get(node);
    if (known !== undefined) return known;
    // The keywords are made when somebody looks: schemas go in circles.
    let keywords: Keywords | undefined;
    const fresh: SchemaNode = Object.defineProperty(
      book.madeWithAnnotations(node, {}),
      'keywords',
      {
        get: () => {
          keywords ??= rewriteKeywords(node.keywords, context, rewrite);
          return keywords;
        },
      },
    );
    own.set(node, fresh);
    return fresh;
  };
  return rewrite(root, start);
}

function dropsAnything(root: Context): boolean {
  const seen = new Set<Context>([root]);
  const waiting = [root];
  for (let context = waiting.pop(); context !== undefined; context = waiting.pop()) {
    if (context.dropped.size > 0) return true;
    for (const below of context.below()) {
      if (seen.has(below)) continue;
      seen.add(below);
      waiting.push(below);
    }
  }
  return false;
}

type Rewrite = (node: SchemaNode, context: Context) => SchemaNode;

function rewriteKeywords(keywords: Keywords, context: Context, rewrite: Rewrite): Keywords {
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
  if (context.dropsProperties && draft.properties !== undefined) {
    draft.properties = new Map([...draft.properties].filter(([key]) => !context.dropped.has(key)));
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
