// A schema that demands nothing of some names: what a value could become if it had them, with any content.

import type { Keywords, SchemaNode } from '../../schema/schema.ts';
import { isJsonObject, type Json } from '../../value/json.ts';
import type { PlaceBook } from '../places/place.types.ts';

/**
 * Accepts each value without these names that the schema accepts, and each that it would accept with some of
 * them. It may accept more. The node itself if it demands none of them.
 *
 * @example withoutNames(book, { required: ['a', 'b'] }, new Set(['b'])) // { required: ['a'] }
 */
export function withoutNames(
  book: PlaceBook,
  root: SchemaNode,
  names: ReadonlySet<string>,
): SchemaNode {
  // A node stands for itself while it is being made, which ends circles, and is made once.
  const made = new Map<SchemaNode, SchemaNode>();
  const one = (node: SchemaNode): SchemaNode => {
    const known = made.get(node);
    if (known !== undefined) return known;
    made.set(node, node);
    const keywords = freed(node.keywords);
    const fresh = keywords === null ? node : book.madeNode(node, keywords);
    made.set(node, fresh);
    return fresh;
  };
  const list = (nodes: readonly SchemaNode[]) => {
    const made = nodes.map(one);
    return made.some((node, index) => node !== nodes[index]) ? made : nodes;
  };
  /** Null if nothing changes. */
  const freed = (keywords: Keywords): Keywords | null => {
    const draft: { -readonly [Name in keyof Keywords]: Keywords[Name] } = { ...keywords };
    const { required, dependentRequired, dependentSchemas } = keywords;
    const kept = required?.filter((name) => !names.has(name));
    if (kept !== undefined && kept.length !== required?.length) draft.required = kept;
    if (keywords.minProperties !== undefined) delete draft.minProperties;
    for (const name of ['ref', 'then', 'else'] as const) {
      const node = keywords[name];
      if (node !== undefined) draft[name] = one(node);
    }
    for (const name of ['allOf', 'anyOf'] as const) {
      const nodes = keywords[name];
      if (nodes !== undefined) draft[name] = list(nodes);
    }
    if (dependentRequired !== undefined) {
      const left = Array.from(dependentRequired, ([key, demanded]) => {
        return [key, demanded.filter((name) => !names.has(name))] as const;
      });
      const isFewer = left.some(
        ([key, some]) => some.length !== dependentRequired.get(key)?.length,
      );
      if (isFewer) draft.dependentRequired = new Map(left);
    }
    if (dependentSchemas !== undefined) {
      const made = Array.from(dependentSchemas, ([key, node]) => [key, one(node)] as const);
      const isFreed = made.some(([key, node]) => node !== dependentSchemas.get(key));
      if (isFreed) draft.dependentSchemas = new Map(made);
    }
    if (keywords.oneOf?.some((node) => mentions(node, names)) === true) {
      delete draft.oneOf;
      const together = book.madeNode(root, { anyOf: list(keywords.oneOf) });
      draft.allOf = [...(draft.allOf ?? []), together];
    }
    if (keywords.not !== undefined && mentions(keywords.not, names)) delete draft.not;
    if (keywords.if !== undefined && mentions(keywords.if, names)) {
      const either = [draft.then, draft.else].map((node) => node ?? book.madeNode(root, {}));
      for (const name of ['if', 'then', 'else'] as const) delete draft[name];
      draft.allOf = [...(draft.allOf ?? []), book.madeNode(root, { anyOf: either })];
    }
    const values = keywords.const === undefined ? keywords.enum : [keywords.const.value];
    if (values?.some((value) => has(value, names)) === true) {
      delete draft.const;
      draft.enum = [...values, ...values.map((value) => without(value, names))];
    }
    const isSame = sameMembers(draft, keywords);
    return isSame ? null : draft;
  };
  return one(root);
}

function sameMembers(draft: Keywords, keywords: Keywords): boolean {
  const all = new Set([...Object.keys(draft), ...Object.keys(keywords)]) as Set<keyof Keywords>;
  return [...all].every((name) => draft[name] === keywords[name]);
}

/** Whether it may matter to a schema that a value has one of these names. */
function mentions(root: SchemaNode, names: ReadonlySet<string>): boolean {
  const reached = new Set([root]);
  for (const { keywords } of reached) {
    if (concerns(keywords, names)) return true;
    for (const part of partsOf(keywords)) reached.add(part);
  }
  return false;
}

/** Whether keywords themselves, apart from the schemas in them, may concern one of these names. */
export function concerns(keywords: Keywords, names: ReadonlySet<string>): boolean {
  const { required = [], properties, dependentRequired, dependentSchemas } = keywords;
  const said = [...required, ...keysOf(properties), ...keysOf(dependentSchemas)];
  for (const [key, demanded] of dependentRequired ?? []) said.push(key, ...demanded);
  if (said.some((name) => names.has(name)) || counts(keywords)) return true;
  const values = keywords.const === undefined ? (keywords.enum ?? []) : [keywords.const.value];
  return values.some((value) => has(value, names));
}

/** Keywords that concern names which they do not list. */
function counts(keywords: Keywords): boolean {
  return (
    keywords.minProperties !== undefined ||
    keywords.maxProperties !== undefined ||
    keywords.propertyNames !== undefined ||
    keywords.patternProperties !== undefined ||
    keywords.additionalProperties !== undefined ||
    keywords.unevaluatedProperties !== undefined ||
    keywords.dynamicRef !== undefined
  );
}

function partsOf(keywords: Keywords): readonly SchemaNode[] {
  const { allOf = [], anyOf = [], oneOf = [], dependentSchemas } = keywords;
  const single = [keywords.ref, keywords.not, keywords.if, keywords.then, keywords.else];
  return [...allOf, ...anyOf, ...oneOf, ...(dependentSchemas?.values() ?? []), ...single].filter(
    (node) => node !== undefined,
  );
}

function keysOf(map: ReadonlyMap<string, SchemaNode> | undefined): readonly string[] {
  return [...(map?.keys() ?? [])];
}

function has(value: Json, names: ReadonlySet<string>): boolean {
  return isJsonObject(value) && Object.keys(value).some((name) => names.has(name));
}

function without(value: Json, names: ReadonlySet<string>): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}
