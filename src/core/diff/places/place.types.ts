// Types of places and views. They refer to each other, so they share a file.

import type {
  Annotations,
  Contains,
  JsonNumber,
  Keywords,
  SchemaDocument,
  SchemaNode,
  SchemaProblem,
} from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import type { Rational } from '../../value/rational.ts';
import type { TypeSet } from './type-set.ts';

export interface Place {
  readonly book: PlaceBook;
  /** Unique within the book. */
  readonly id: number;
  /** The id of the place that this one is nothing but references to, else its own. */
  readonly identity: number;
  /** All of these apply. */
  readonly nodes: readonly SchemaNode[];
  readonly view: View;
  /** Those of the view, and those that stand beside the references that lead to it. */
  readonly annotations: View['annotations'];
  /** The nodes that the annotations are of. */
  readonly annotated: readonly SchemaNode[];
}

/** The nodes of a place with `$ref`, `allOf` and rewritten unions followed. */
export interface Part {
  readonly node: SchemaNode;
  readonly unions: readonly Union[];
}

export interface Union {
  readonly kind: 'anyOf' | 'oneOf';
  readonly members: readonly Place[];
}

/** The places of one document, each made once. */
export interface PlaceBook {
  readonly document: SchemaDocument;
  readonly label: 'old' | 'new';
  /** The place where all of these nodes apply. */
  placeOf(nodes: readonly SchemaNode[]): Place;
  /** A node that stands nowhere in the document, with these keywords. */
  madeNode(like: SchemaNode, keywords: Keywords): SchemaNode;
  /** The same with the annotations of the node it is made like. */
  madeWithAnnotations(like: SchemaNode, keywords: Keywords): SchemaNode;
  /** The node that the annotations of a node are of; undefined where it has none. */
  writtenNode(node: SchemaNode): SchemaNode | undefined;
  annotationsOf(node: SchemaNode): Annotations;
  /** So many nodes were made that the unions that are left are taken as they are written. */
  isFull(): boolean;
  /** Only then do `additionalProperties: true` and `items: true` say anything. */
  readonly usesUnevaluated: boolean;
  /** Everything is accepted here. */
  readonly anything: Place;
  /** The nodes whose unions are being rewritten: one that holds itself is left as it is. */
  readonly rewriting: Set<SchemaNode>;
  /** The nodes that contain themselves. They are not rewritten, because that would never end. */
  readonly circular: Set<SchemaNode>;
  /** The node made from each key. A schema that contains itself thus gets one node, and not endlessly many. */
  readonly madeOf: Map<string, SchemaNode>;
  /** The result for each list of members, so that rewriting a schema that contains itself ends. */
  readonly rewritten: Map<readonly SchemaNode[], JoinedUnion>;
}

export type JoinedUnion = Union | { readonly nodes: readonly SchemaNode[] };

export interface View {
  /** Nothing is accepted. */
  readonly isNever: boolean;
  /**
   * The view does not say all that the place says (what a repeated name means, what `unevaluatedProperties`
   * inside of it looks at): so it is like no place of another document.
   */
  readonly isOpaque: boolean;
  readonly types: TypeSet;
  /** An integer is one that is written without a fraction, as draft-04 has it: 1.0 is none. */
  readonly asksForWrittenIntegers: boolean;
  /** The only values, by their canonical text; null where they are not listed. */
  readonly values: ReadonlyMap<string, Json> | null;
  readonly minimum: Bound | null;
  readonly maximum: Bound | null;
  /** By canonical text. */
  readonly multiples: ReadonlyMap<string, JsonNumber>;
  /** Bounds too wide to calculate with, by keyword and text: the engine says what it can of them. */
  readonly wideBounds: ReadonlyMap<string, Keywords>;
  readonly minLength: number;
  readonly maxLength: number;
  /** Sorted, each once; so are the formats. */
  readonly patterns: readonly string[];
  readonly formats: readonly string[];
  /** Null where nothing is said of single items. */
  readonly items: ArrayRegions | null;
  readonly minItems: number;
  readonly maxItems: number;
  readonly isUnique: boolean;
  readonly contains: readonly ContainsView[];
  readonly unevaluatedItems: readonly Place[];
  readonly objects: readonly ObjectRegions[];
  readonly required: ReadonlySet<string>;
  readonly minProperties: number;
  readonly maxProperties: number;
  readonly propertyNames: readonly Place[];
  readonly dependentRequired: ReadonlyMap<string, ReadonlySet<string>>;
  readonly dependentSchemas: ReadonlyMap<string, Place>;
  readonly unevaluatedProperties: readonly Place[];
  readonly unions: readonly Union[];
  readonly nots: readonly Place[];
  readonly ifs: readonly IfView[];
  readonly dynamic: readonly DynamicView[];
  readonly problems: readonly SchemaProblem[];
  /** What constrains nothing: every value that some node gives, by name. */
  readonly annotations: ReadonlyMap<string, readonly Json[]>;
  /** The nodes that were followed, aliases included. */
  readonly parts: readonly Part[];
}

export interface Bound {
  readonly value: Rational;
  /** As it was written, for people. */
  readonly text: string;
  readonly isExclusive: boolean;
}

interface ContainsView {
  readonly place: Place;
  /** What it says for `unevaluatedItems` depends on the dialect. */
  readonly evaluates: Contains['evaluates'];
  readonly min: number;
  readonly max: number;
}

export interface IfView {
  readonly condition: Place;
  readonly whenTrue: Place | null;
  readonly whenFalse: Place | null;
}

interface DynamicView {
  readonly anchor: string;
  readonly target: Place;
}

/** A view while it is read. */
export type DraftView = { -readonly [K in keyof View]: View[K] };

export interface ObjectRegions {
  readonly properties: PlacesByKey;
  /** By pattern; they apply to named keys too. */
  readonly patterns: PlacesByKey;
  /** For every other key; null where nothing is said of them. */
  readonly additional: Place | null;
  /** `properties` or `patternProperties` stands here, and so closes the place for its producer. */
  readonly isDeclaring: boolean;
  /** `additionalProperties: true` was written: it counts for `unevaluatedProperties` only. */
  readonly isOpen: boolean;
}

export interface ArrayRegions {
  readonly prefix: readonly Place[];
  readonly rest: Place | null;
}

/** Places by key, each created on first use. */
export interface PlacesByKey extends Iterable<readonly [string, Place]> {
  readonly size: number;
  keys(): Iterable<string>;
  has(key: string): boolean;
  nodesAt(key: string): readonly SchemaNode[];
  get(key: string): Place | undefined;
}
