// A schema with the differences between dialects taken out: what the containment engine, the
// validator and the diff stand on. `parse-schema.ts` makes it; nothing here is dialect-dependent.
//
// A document is parsed lazily: a node reads its own keywords the first time they are asked for,
// so a 12 MB document costs what is looked at. Recursion through `$ref` gives the same node again.

import type { ExactNumber, Json, JsonObject } from '../value/json.ts';
import type { Dialect } from './dialects.ts';

export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** One document: every `$ref` that can be resolved leads to a node of the same document. */
export interface SchemaDocument {
  readonly json: Json;
  /** Of the root: `$schema` where it is known, else what the caller said. */
  readonly dialect: Dialect;
  readonly root: SchemaNode;
  /** The node at a JSON pointer (`/components/schemas/Pet`), `undefined` where nothing stands. */
  nodeAt(pointer: string): SchemaNode | undefined;
  /** The same by the steps from the root, as `stepsOf` gives them. */
  nodeBelow(steps: readonly (string | number)[]): SchemaNode | undefined;
  /** All that bear a dynamic anchor; the empty name stands for `$recursiveAnchor: true`. */
  dynamicTargets(anchor: string): readonly SchemaNode[];
  /** What a `$ref` of this text means at a node. */
  resolve(from: SchemaNode, reference: string): SchemaNode | SchemaProblem;
}

/** One subschema at its place. Nodes are compared by identity. */
export interface SchemaNode {
  readonly document: SchemaDocument;
  /** Counts up from 0 in the order of first sight; unique within the document. */
  readonly id: number;
  /** The schema as it was written. */
  readonly raw: Json;
  readonly dialect: Dialect;
  /** The schema resource the node belongs to: what `$id` delimits. */
  readonly resource: SchemaResource;
  /** Where the node was reached first. `$ref` targets: the place of the target. */
  readonly parent: SchemaNode | undefined;
  /** The steps from `parent`, or from the root where there is no parent: ['properties', 'a']. */
  readonly steps: readonly (string | number)[];
  readonly keywords: Keywords;
}

/** What `$id` delimits; the document root is one. Compared by identity. */
export interface SchemaResource {
  readonly uri: string;
  /**
   * The node that `$dynamicAnchor: name` marks in this resource, for `DynamicReference`.
   * The empty name stands for `$recursiveAnchor: true`.
   */
  dynamicAnchor(name: string): SchemaNode | undefined;
  /** Whether the resource has any dynamic anchor: others never matter in a dynamic scope. */
  readonly hasDynamicAnchors: boolean;
}

/**
 * The assertions and applicators of one node. What is absent does not constrain.
 *
 * Taken out: draft-04 boolean `exclusiveMinimum`, array-form `items` and `additionalItems`,
 * `dependencies`, OpenAPI 3.0 `nullable`, siblings of `$ref` up to draft-07 and OpenAPI 3.0,
 * `then` and `else` without `if`, `minContains` and `maxContains` without `contains`,
 * `uniqueItems: false`, keywords that the dialect does not have.
 */
export interface Keywords {
  /** The schema `false`. The schema `true` has no keywords at all. */
  readonly isFalse?: true;
  /** Keywords stand here, and none of them asks for anything: `{"minItems": 0}`. It says something. */
  readonly isIdle?: true;
  /** 'integer' is every number without a fraction, but for 1.0 where a dialect looks at how it is written. */
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
  /** As written, known or not. It asserts only where the question says so. */
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

  /** The target of `$ref`; constrains beside the other keywords. */
  readonly ref?: SchemaNode;
  readonly dynamicRef?: DynamicReference;
  /** What could not be read: the node then stands for a set that nobody knows. */
  readonly problems?: readonly SchemaProblem[];
}

export type JsonNumber = number | ExactNumber;

export interface Contains {
  readonly schema: SchemaNode;
  /** 1 where `minContains` is absent. */
  readonly min: number;
  readonly max?: number;
  /** Items that match count as evaluated for `unevaluatedItems`; in 2019-09 validators differ. */
  readonly evaluates: boolean | 'disputed';
}

/**
 * `$dynamicRef` (or `$recursiveRef`) whose first target bears that dynamic anchor, as others do: it
 * means the one in the outermost resource of the dynamic scope that has it, and `target` if none does.
 */
interface DynamicReference {
  readonly anchor: string;
  readonly target: SchemaNode;
}

/** A size past 2^53, as generators write it where they mean none: no value is so large. */
export interface WideSize {
  readonly kind: 'string' | 'array' | 'object';
  /** True: values must be larger than `most`. False: they must be `most` or smaller. */
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
  /** The keyword at fault. */
  readonly keyword: string;
  readonly message: string;
  /** The absolute URI of an external reference: the same URI names the same schema. */
  readonly uri?: string;
  /**
   * What was written there, where nothing else decides what it means: the same text means the same in
   * another version of the document. Without a uri and this, nobody knows what it means.
   */
  readonly written?: string;
  /** Of a 'wide_size'. */
  readonly wideSize?: WideSize;
  /** An object without these keys is none of its business, nor is any other value. */
  readonly concerns?: readonly string[];
}

/**
 * A place as the product shows it.
 *
 * @example jsonPathOf(node) // "$.properties.lines.items", "$.properties['a b']"
 */
export function jsonPathOf(node: SchemaNode): string {
  return `$${stepsOf(node).map(pathStep).join('')}`;
}

/** @example pointerOf(node) // "/properties/lines/items"; the root is "" */
export function pointerOf(node: SchemaNode): string {
  return stepsOf(node)
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

export function stepsOf(node: SchemaNode): (string | number)[] {
  const parts: (readonly (string | number)[])[] = [];
  for (let at: SchemaNode | undefined = node; at !== undefined; at = at.parent)
    parts.push(at.steps);
  return parts.reverse().flat();
}

/**
 * Whether an `additionalProperties` or `unevaluatedProperties` schema "says something": it is not
 * absent, `true`, `{}`, or annotations alone, nor does it only lead to such by `$ref` or `allOf`.
 * Only then does it declare the keys it lets in.
 */
export function saysSomething(node: SchemaNode | undefined): node is SchemaNode {
  if (node === undefined || node.raw === true) return false;
  for (const name in node.keywords) if (name !== 'ref' && name !== 'allOf') return true;
  return leadsToSpeech(node, new Set());
}

/** Each part is looked at once, those too that many references lead to. */
function leadsToSpeech(node: SchemaNode, seen: Set<SchemaNode>): boolean {
  if (seen.has(node)) return false;
  seen.add(node);
  const { ref, allOf = [], ...more } = node.keywords;
  for (const _ in more) return true;
  if (ref !== undefined && leadsToSpeech(ref, seen)) return true;
  return allOf.some((part) => leadsToSpeech(part, seen));
}

/** What constrains nothing: title, description, default, examples, readOnly, unknown keywords. */
export type Annotations = JsonObject;

export function pathStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  return /^[A-Za-z_$][\w$-]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}
