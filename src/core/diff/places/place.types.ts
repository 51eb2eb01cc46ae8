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
  /** The id of its target if the place is only references, otherwise its own id. */
  readonly identity: number;
  /** All of these apply. */
  readonly nodes: readonly SchemaNode[];
  readonly view: View;
  /** The annotations of the view, and those beside the references that lead to it. */
  readonly annotations: View['annotations'];
  /** The nodes that have these annotations. */
  readonly annotated: readonly SchemaNode[];
}

/** A node of a place after `$ref`, `allOf` and rewritten unions were followed. */
export interface Part {
  readonly node: SchemaNode;
  readonly unions: readonly Union[];
}

export interface Union {
  readonly kind: 'anyOf' | 'oneOf';
  readonly members: readonly Place[];
}

/** The places of one document. Each is made once. */
export interface PlaceBook {
  readonly document: SchemaDocument;
  readonly label: 'old' | 'new';
  /** The place where all of these nodes apply. */
  placeOf(nodes: readonly SchemaNode[]): Place;
  /** Makes a node with these keywords that is not part of the document. */
  madeNode(like: SchemaNode, keywords: Keywords): SchemaNode;
  /** Makes a node that also has the annotations of the node that it is made like. */
  madeWithAnnotations(like: SchemaNode, keywords: Keywords): SchemaNode;
  /** The node that a node has its annotations from, or undefined if it has none. */
  writtenNode(node: SchemaNode): SchemaNode | undefined;
  annotationsOf(node: SchemaNode): Annotations;
  /** Whether so many nodes were made that the remaining unions stay as they are written. */
  isFull(): boolean;
  /** Whether half as many were made. */
  isHalfFull(): boolean;
  /**
   * Whether the document uses `unevaluatedProperties` or `unevaluatedItems`. Otherwise
   * `additionalProperties: true` and `items: true` have no effect.
   */
  readonly usesUnevaluated: boolean;
  /** The place that accepts every value. */
  readonly anything: Place;
  /** The nodes whose unions are being rewritten. A union that contains itself stays as it is. */
  readonly rewriting: Set<SchemaNode>;
  /** The nodes that contain themselves. They are not rewritten, because that would never end. */
  readonly circular: Set<SchemaNode>;
  /**
   * The node made for each key. A schema that contains itself thus gets one node instead of
   * infinitely many.
   */
  readonly madeOf: Map<string, SchemaNode>;
  /** The result for each list of members, so that rewriting a schema that contains itself ends. */
  readonly rewritten: Map<readonly SchemaNode[], JoinedUnion>;
}

export type JoinedUnion = Union | { readonly nodes: readonly SchemaNode[] };

export interface View {
  /** Whether no value is accepted. */
  readonly isNever: boolean;
  /**
   * Whether the view is incomplete, for example because of a name that is defined twice or an
   * `unevaluatedProperties` that does not see the whole place. Then no place of another document
   * counts as the same.
   */
  readonly isOpaque: boolean;
  readonly types: TypeSet;
  /**
   * Whether an integer has to be written without a fraction, as in draft-04: 1.0 is not an integer.
   */
  readonly asksForWrittenIntegers: boolean;
  /** The only accepted values, by their canonical text; null if they are not listed. */
  readonly values: ReadonlyMap<string, Json> | null;
  readonly minimum: Bound | null;
  readonly maximum: Bound | null;
  /** By canonical text. */
  readonly multiples: ReadonlyMap<string, JsonNumber>;
  /**
   * Bounds that are too wide to calculate with, by keyword and text. The engine handles them as far
   * as it can.
   */
  readonly wideBounds: ReadonlyMap<string, Keywords>;
  readonly minLength: number;
  readonly maxLength: number;
  /** Sorted and unique, like the formats. */
  readonly patterns: readonly string[];
  readonly formats: readonly string[];
  /** Null if nothing is said about single items. */
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
  /** Annotations by name, with every value that a node gives. */
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
  /**
   * Whether matching items count as evaluated for `unevaluatedItems`, which depends on the dialect.
   */
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

/** A view that is being read. */
export type DraftView = { -readonly [K in keyof View]: View[K] };

export interface ObjectRegions {
  readonly properties: PlacesByKey;
  /** By pattern. They apply to named keys too. */
  readonly patterns: PlacesByKey;
  /** For every other key; null if nothing is said about them. */
  readonly additional: Place | null;
  /**
   * Whether there is a `properties` or `patternProperties`, which closes the place for its
   * producer.
   */
  readonly isDeclaring: boolean;
  /**
   * Whether `additionalProperties: true` was written. It matters for `unevaluatedProperties` only.
   */
  readonly isOpen: boolean;
}

export interface ArrayRegions {
  readonly prefix: readonly Place[];
  readonly rest: Place | null;
}

/** Places by key, each made on first use. */
export interface PlacesByKey extends Iterable<readonly [string, Place]> {
  readonly size: number;
  keys(): Iterable<string>;
  has(key: string): boolean;
  nodesAt(key: string): readonly SchemaNode[];
  get(key: string): Place | undefined;
}
