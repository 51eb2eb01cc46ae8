// Rewrites a schema so that it accepts each value that is left of an accepted one once names are removed from
// it. A keyword that may refuse what is left is dropped or widened: whether exactly one branch holds, whether
// something does not hold, or how much there is.

import type { Keywords, SchemaNode } from '../../schema/schema.ts';
import { type Json, type JsonObject, someObject } from '../../value/json.ts';
import type { PlaceBook } from '../places/place.types.ts';
import {
  type Context,
  droppingContexts,
  isTouched,
  type KeywordsOf,
  nowhere,
  openRewrite,
  pairsOf,
  type Rewrite,
  rewriteKeywords,
} from './rewrite-schema.ts';
import { concerns } from './without-names.ts';

/** Definitions that refer to each other have a copy at each spot. With more of them, nothing is widened. */
const maxSpots = 40;

/** Returns null if there is no keyword to widen, or if there are more than `maxSpots` spots. */
export function openLoosely(
  book: PlaceBook,
  root: SchemaNode,
  start: Context,
): ((keywordsOf: KeywordsOf) => SchemaNode) | null {
  const dropping = droppingContexts(start);
  const names = new Set([...dropping].flatMap(namesAt));
  const loseAnyName = [...dropping].some(losesAnyName);
  if ((names.size === 0 && !loseAnyName) || dropping.size > maxSpots) return null;
  const depends = (node: SchemaNode | undefined) =>
    node !== undefined && (loseAnyName || mayDepend(node, names));
  const refusing = ({ keywords }: SchemaNode, context: Context): readonly (keyof Keywords)[] => {
    const { minProperties, contains, const: only } = keywords;
    const isRefusing: Partial<Record<keyof Keywords, boolean>> = {
      minProperties:
        minProperties !== undefined && (namesAt(context).length > 0 || losesAnyName(context)),
      not: depends(keywords.not),
      if: depends(keywords.if),
      oneOf: keywords.oneOf?.some(depends) === true,
      uniqueItems: keywords.uniqueItems === true && dropping.has(context.atItems()),
      contains: contains?.max !== undefined && depends(contains.schema),
      enum: hasName(keywords.enum ?? [], loseAnyName ? null : names),
      const: only !== undefined && hasName([only.value], loseAnyName ? null : names),
    };
    const all = Object.keys(isRefusing) as (keyof Keywords)[];
    return all.filter((name) => isRefusing[name]);
  };
  const touches = (node: SchemaNode, context: Context) =>
    isTouched(node, context) || refusing(node, context).length > 0;
  const pairs = pairsOf(root, start, touches, ({ keywords }) => (keywords.if ? [keywords.if] : []));
  const widenings = new Map(
    [...pairs.values()]
      .flatMap((row) => [...row.values()])
      .map((pair) => [pair, new Set(refusing(pair.node, pair.context))] as const)
      .filter(([, keywords]) => keywords.size > 0),
  );
  if (widenings.size === 0) return null;
  return (keywordsOf) =>
    openRewrite(book, pairs, (pair, rewrite) => {
      const keywords = keywordsOf(book, pair, rewrite);
      const some = widenings.get(pair);
      return some === undefined
        ? keywords
        : loosenedKeywords(book, { ...pair, keywords, some }, rewrite);
    })(root, start);
}

interface Widening {
  readonly node: SchemaNode;
  readonly context: Context;
  /** Rewritten, but for what is widened. */
  readonly keywords: Keywords;
  readonly some: ReadonlySet<keyof Keywords>;
}

function loosenedKeywords(
  book: PlaceBook,
  { node, context, keywords, some }: Widening,
  rewrite: Rewrite,
): Keywords {
  const made = (keywords: Keywords) => book.madeNode(node, keywords);
  const apart: SchemaNode[] = [];
  const draft: { -readonly [Name in keyof Keywords]: Keywords[Name] } = { ...keywords };
  for (const name of some) if (name !== 'contains') delete draft[name];
  if (some.has('oneOf')) apart.push(made({ anyOf: keywords.oneOf ?? [] }));
  if (some.has('if') && keywords.if !== undefined) {
    const { then: whenTrue, else: whenFalse = made({}) } = keywords;
    const held = [rewrite(keywords.if, context), ...(whenTrue === undefined ? [] : [whenTrue])];
    apart.push(made({ anyOf: [made({ allOf: held }), whenFalse] }));
    delete draft.then;
    delete draft.else;
  }
  const { minProperties = 0, contains } = keywords;
  const left = minProperties - namesAt(context).length;
  if (some.has('minProperties') && left > 0 && !losesAnyName(context)) draft.minProperties = left;
  if (some.has('contains') && contains !== undefined) {
    const { max: _, ...others } = contains;
    draft.contains = others;
  }
  return { ...draft, allOf: [...(keywords.allOf ?? []), ...apart] };
}

function namesAt({ dropped, exempt }: Context): readonly string[] {
  return [...dropped, ...(exempt?.chains.keys() ?? [])];
}

/** Whether names that the schema does not list may be removed. */
function losesAnyName({ openMaps, marking }: Context): boolean {
  return openMaps !== undefined || [...(marking?.values() ?? [])].some(({ maps }) => maps.size > 0);
}

/** Null stands for any name. */
function hasName(values: readonly Json[], names: ReadonlySet<string> | null): boolean {
  const isNamed = (object: JsonObject) =>
    Object.keys(object).some((name) => names?.has(name) ?? true);
  return values.some((value) => someObject(value, isNamed));
}

/** Whether it may matter to a schema, at any depth, that a value has one of these names. */
function mayDepend(root: SchemaNode, names: ReadonlySet<string>): boolean {
  const reached = new Set([root]);
  for (const { keywords } of reached) {
    if (concerns(keywords, names)) return true;
    for (const node of [keywords.not, keywords.if]) if (node !== undefined) reached.add(node);
    rewriteKeywords(keywords, nowhere, (node) => {
      reached.add(node);
      return node;
    });
  }
  return false;
}
