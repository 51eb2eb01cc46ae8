// A schema without the differences between dialects, on which the containment engine, the validator
// and the diff are based. `parse-schema.ts` makes it.
//
// A document is parsed lazily: a node reads its keywords when they are first used, so a 12 MB
// document costs only what is used. Recursion through `$ref` gives the same node again.

import type { ExactNumber, Json, JsonObject } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';
import { writePointerToken } from '../value/pointer-token.ts';
import type { Dialect } from './dialects.ts';

export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** One document: every `$ref` that can be resolved leads to a node of the same document. */
export interface SchemaDocument {
  readonly json: Json;
  /** The dialect of the root: its `$schema` if it is known, otherwise the caller's choice. */
  readonly dialect: Dialect;
  readonly root: SchemaNode;
  /** The node at a JSON pointer (`/components/schemas/Pet`); `undefined` if there is none. */
  nodeAt(pointer: string): SchemaNode | undefined;
  /** The same by the steps from the root, as `stepsOf` returns them. */
  nodeBelow(steps: readonly (string | number)[]): SchemaNode | undefined;
  /** All nodes with this dynamic anchor; the empty name represents `$recursiveAnchor: true`. */
  dynamicTargets(anchor: string): readonly SchemaNode[];
  /** The target of a `$ref` with this text at a node. */
  resolve(from: SchemaNode, reference: string): SchemaNode | SchemaProblem;
}

/** One subschema at its location. Nodes are compared by identity. */
export interface SchemaNode {
  readonly document: SchemaDocument;
  /**
   * In the order of creation; unique among the nodes of the document and those of the metaschemas
   * that it refers to.
   */
  readonly id: number;
  /** The schema as it was written. */
  readonly raw: Json;
  readonly dialect: Dialect;
  /** The schema resource of the node, which `$id` delimits. */
  readonly resource: SchemaResource;
  /**
   * The parent through which the node was first reached. For `$ref` targets: the parent at the
   * target's location.
   */
  readonly parent: SchemaNode | undefined;
  /** The steps from `parent`, or from the root without a parent: ['properties', 'a']. */
  readonly steps: readonly (string | number)[];
  readonly keywords: Keywords;
}

/** A part of a document that `$id` delimits; the document root is one. Compared by identity. */
export interface SchemaResource {
  readonly uri: string;
  /**
   * The dialect around a part in another dialect, if it allows none: some validators read the part
   * in that dialect. Undefined for all other resources.
   */
  readonly foreignIn: Dialect | undefined;
  /**
   * The node with `$dynamicAnchor: name` in this resource, for `DynamicReference`. The empty name
   * represents `$recursiveAnchor: true`.
   */
  dynamicAnchor(name: string): SchemaNode | undefined;
  /**
   * Whether the resource has any dynamic anchor; other resources do not matter in a dynamic scope.
   */
  readonly hasDynamicAnchors: boolean;
}

/**
 * The assertions and applicators of one node. Absent keywords do not constrain.
 *
 * Normalized: draft-04 boolean `exclusiveMinimum`, array-form `items` and `additionalItems`,
 * `dependencies`, OpenAPI 3.0 `nullable`, siblings of `$ref` up to draft-07 and OpenAPI 3.0, `then`
 * and `else` without `if`, `minContains` and `maxContains` without `contains`, `uniqueItems:
 * false`, keywords that the dialect does not have.
 */
export interface Keywords {
  /** The schema `false`. The schema `true` has no keywords. */
  readonly isFalse?: true;
  /**
   * It has keywords without effect, such as `{"minItems": 0}`, which still counts as saying
   * something.
   */
  readonly isIdle?: true;
  /**
   * 'integer' is every number without a fraction, except 1.0 in dialects that depend on the
   * spelling.
   */
  readonly types?: readonly TypeName[];
  readonly enum?: readonly Json[];
  readonly const?: { readonly value: Json };

  readonly minimum?: JsonNumber;
  readonly maximum?: JsonNumber;
  readonly exclusiveMinimum?: JsonNumber;
  readonly exclusiveMaximum?: JsonNumber;
  readonly multipleOf?: JsonNumber;

  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** As written, known or not. The caller decides whether it asserts. */
  readonly format?: string;

  readonly prefixItems?: readonly SchemaNode[];
  /** For the items after `prefixItems`. */
  readonly items?: SchemaNode;
  readonly contains?: Contains;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: true;
  readonly unevaluatedItems?: SchemaNode;

  readonly properties?: ReadonlyMap<string, SchemaNode>;
  readonly patternProperties?: ReadonlyMap<string, SchemaNode>;
  readonly additionalProperties?: SchemaNode;
  readonly unevaluatedProperties?: SchemaNode;
  readonly propertyNames?: SchemaNode;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependentRequired?: ReadonlyMap<string, readonly string[]>;
  readonly dependentSchemas?: ReadonlyMap<string, SchemaNode>;

  readonly allOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly not?: SchemaNode;
  readonly if?: SchemaNode;
  readonly then?: SchemaNode;
  readonly else?: SchemaNode;

  /** The target of `$ref`, which applies in addition to the other keywords. */
  readonly ref?: SchemaNode;
  readonly dynamicRef?: DynamicReference;
  /** Problems that make the meaning of the node unknown. */
  readonly problems?: readonly SchemaProblem[];
}

export type JsonNumber = number | ExactNumber;

export interface Contains {
  readonly schema: SchemaNode;
  /** 1 if `minContains` is absent. */
  readonly min: number;
  readonly max?: number;
  /** Matching items count as evaluated for `unevaluatedItems`; in 2019-09 validators disagree. */
  readonly evaluates: boolean | 'disputed';
}

/**
 * A `$dynamicRef` (or `$recursiveRef`) whose first target has that dynamic anchor, which others
 * have too. It refers to the one in the outermost resource of the dynamic scope that has it, and to
 * `target` if none does.
 */
interface DynamicReference {
  readonly anchor: string;
  readonly target: SchemaNode;
}

/** A size beyond 2^53, which generators write for "no limit": no value is that large. */
export interface WideSize {
  readonly kind: 'string' | 'array' | 'object';
  /** True: values must be larger than `most`. False: they must be at most `most`. */
  readonly isExceeded: boolean;
  readonly most: bigint;
}

export interface SchemaProblem {
  /** `unclear`: validators read it in different ways. */
  readonly code:
    | 'reference_not_found'
    | 'external_reference'
    | 'invalid_keyword'
    | 'unclear'
    | 'wide_size';
  /** The keyword with the problem. */
  readonly keyword: string;
  readonly message: string;
  /** The absolute URI of an external reference: equal URIs name the same schema. */
  readonly uri?: string;
  /**
   * The text of the keyword, if nothing else affects its meaning: the same text means the same in
   * another version of the document. Without a uri and this, the meaning is unknown.
   */
  readonly written?: string;
  /** If the uri or the text means something else in another dialect: the one in which it stands. */
  readonly readIn?: Dialect;
  /** For a 'wide_size'. */
  readonly wideSize?: WideSize;
  /** Objects without these keys are not affected, nor are other values. */
  readonly concerns?: readonly string[];
}

/**
 * What two problems have in common if they mean the same, whatever that is. Undefined if it is not
 * known.
 */
export function meaningOf({ uri, written, readIn }: SchemaProblem): string | undefined {
  const name = uri ?? written;
  return name === undefined || readIn === undefined ? name : `${name} in ${readIn}`;
}

/**
 * The location of a node, as the product shows it.
 *
 * @example jsonPathOf(node) // "$.properties.lines.items", "$.properties['a b']"
 */
export function jsonPathOf(node: SchemaNode): string {
  return `$${stepsOf(node).map(stepText).join('')}`;
}

/** @example pointerOf(node) // "/properties/lines/items"; the root is "" */
export function pointerOf(node: SchemaNode): string {
  return stepsOf(node)
    .map((step) => `/${writePointerToken(String(step))}`)
    .join('');
}

export function stepsOf(node: SchemaNode): (string | number)[] {
  const parts: (readonly (string | number)[])[] = [];
  for (let at: SchemaNode | undefined = node; at !== undefined; at = at.parent)
    parts.push(at.steps);
  return parts.reverse().flat();
}

/** Whether a schema consists of nothing but a reference. */
export function isOnlyReference(keywords: Keywords): boolean {
  for (const name in keywords) if (name !== 'ref') return false;
  return keywords.ref !== undefined;
}

/**
 * Whether an `additionalProperties` or `unevaluatedProperties` schema "says something": it is not
 * absent, `true`, `{}`, or only annotations, and it does not only lead to such schemas by `$ref` or
 * `allOf`. Only then does it declare the keys that it allows.
 */
export function saysSomething(node: SchemaNode | undefined): node is SchemaNode {
  if (node === undefined || node.raw === true) return false;
  // A chain of references may be as long as the document has schemas.
  const reached = new Set([node]);
  for (const { keywords } of reached) {
    for (const name in keywords) if (name !== 'ref' && name !== 'allOf') return true;
    if (keywords.ref !== undefined) reached.add(keywords.ref);
    for (const part of keywords.allOf ?? []) reached.add(part);
  }
  return false;
}

/**
 * The schemas for keys that a node does not name, as far as they say something. Where
 * `additionalProperties` stands, nothing is left for `unevaluatedProperties`.
 */
export function saidOfOtherKeys({
  additionalProperties,
  unevaluatedProperties,
}: Keywords): readonly SchemaNode[] {
  return [additionalProperties ?? unevaluatedProperties].filter(saysSomething);
}

/**
 * Keywords that do not constrain: title, description, default, examples, readOnly, unknown
 * keywords.
 */
export type Annotations = JsonObject;
