// What the comparisons of several contracts share if their schemas have the same definitions, as the
// operations of one OpenAPI document have: see docs/decisions/shared-comparisons.md.

import type { ContractTerms } from '../comparison.ts';
import { openComparisonOf } from '../containment/contains.ts';
import { compareSources, type SameSource } from '../same/same-source.ts';
import type { Dialect } from '../schema/dialects.ts';
import { defaultDialect } from '../schema/keywords.ts';
import { parseShared, type SharedDocument } from '../schema/parse-schema.ts';
import { mentionsNames } from '../schema/places.ts';
import { isJsonObject, type Json, type JsonObject, someObject } from '../value/json.ts';
import { readPointerToken } from '../value/pointer-token.ts';
import { freeName, type OpenSides, sidesOf } from './open-sides.ts';
import { referenceOf } from './places/place.ts';
import { classifyPlaces, type PlaceClasses } from './places/place-classes.ts';
import { type MetPairs, openMetPairs } from './walk/met-pairs.ts';
import {
  type AnnotationDifferences,
  annotationDifferences,
  sharedAnnotationDifferences,
} from './walk/unwalked-annotations.ts';

/** What is known about the places of two documents, whichever part of them is compared. */
export interface Tools {
  readonly classes: PlaceClasses;
  readonly likeness: PlaceClasses;
  readonly isSameSource: SameSource;
  readonly met: MetPairs;
  readonly listDifferences: AnnotationDifferences;
}

export function openTools({ oldBook, nextBook }: OpenSides): Tools {
  return {
    classes: classifyPlaces({ withAnnotations: false }),
    likeness: classifyPlaces({ withAnnotations: false, nameOf: referenceOf }),
    isSameSource: compareSources(oldBook.document, nextBook.document),
    met: openMetPairs(),
    listDifferences: annotationDifferences(oldBook.document, nextBook.document),
  };
}

export interface SharedSides<Part> extends OpenSides {
  readonly tools: Tools;
  /** The findings about parts, by their keys; null if nothing is shared. */
  readonly parts: Map<string, Part> | null;
}

/** Comparisons made one after the other. Each is the same as if it were made alone. */
export interface Sharing<Part> {
  /** Null if the two schemas have something that depends on the whole document that they stand in. */
  enter(old: ContractTerms, next: ContractTerms): SharedSides<Part> | null;
  /** Forgets everything, because a limit was met: what rests on it holds for one comparison only. */
  forget(): void;
}

/**
 * The most terms and forms to remember. With more, everything is forgotten, so that memory is bounded however
 * many operations there are. One operation alone makes some ten thousands.
 */
const maxRemembered = 400_000;

export function shareDefinitions<Part>(): Sharing<Part> {
  let shared: Shared<Part> | null = null;
  const isPlain = openPlainness();
  const mentions = openMentions();
  return {
    enter(old, next) {
      const dialect = old.dialect ?? defaultDialect;
      if (dialect !== (next.dialect ?? defaultDialect)) return null;
      const [before, after] = [old, next].map(({ schema }) => definedIn(schema, dialect, isPlain));
      if (!before || !after) return null;
      if (shared !== null && !mayStay(shared, dialect, before, after)) shared = null;
      shared ??= openShared(dialect, before, after);
      shared.old.enter(before);
      shared.next.enter(after);
      shared.sides.session.renew();
      return { ...shared.sides, freeName: () => freeNameIn([before, after], mentions) };
    },
    forget() {
      shared = null;
    },
  };
}

interface Shared<Part> {
  readonly dialect: Dialect;
  readonly old: SharedSide;
  readonly next: SharedSide;
  readonly sides: SharedSides<Part>;
}

function openShared<Part>(dialect: Dialect, before: Defined, after: Defined): Shared<Part> {
  const [old, next] = [openSide(before, dialect), openSide(after, dialect)];
  const sides = sidesOf(openComparisonOf(old.document, next.document), next.document);
  const listDifferences = sharedAnnotationDifferences(old.document, next.document);
  const tools = { ...openTools(sides), listDifferences };
  return { dialect, old, next, sides: { ...sides, tools, parts: new Map() } };
}

function mayStay<Part>(
  { dialect, old, next, sides }: Shared<Part>,
  asked: Dialect,
  before: Defined,
  after: Defined,
): boolean {
  const { session, oldBook, nextBook } = sides;
  const isFull = oldBook.isHalfFull() || nextBook.isHalfFull() || session.size() > maxRemembered;
  return !isFull && dialect === asked && old.hasSame(before) && next.hasSame(after);
}

/** A schema apart from its definitions, and these. */
interface Defined {
  readonly json: JsonObject;
  readonly own: JsonObject;
  readonly definitions: JsonObject;
}

function definedIn(schema: Json, dialect: Dialect, isPlain: Plainness): Defined | null {
  if (!isJsonObject(schema)) return null;
  const { $defs: definitions = {}, ...own } = schema;
  if (!isJsonObject(definitions)) return null;
  const all = [own, ...Object.values(definitions)];
  const isOf = (each: Json) => isPlain(each, dialect, definitions);
  return all.every(isOf) ? { json: schema, own, definitions } : null;
}

type Mentions = (json: Json, quoted: string) => boolean;

/** Whether a text occurs in a schema, which is written out once for each text. */
function openMentions(): Mentions {
  const known = new Map<string, WeakMap<object, boolean>>();
  return (json, quoted) => {
    if (typeof json !== 'object' || json === null) return JSON.stringify(json).includes(quoted);
    const answers = known.get(quoted) ?? new WeakMap<object, boolean>();
    known.set(quoted, answers);
    const answer = answers.get(json) ?? JSON.stringify(json).includes(quoted);
    answers.set(json, answer);
    return answer;
  };
}

function freeNameIn(sides: readonly Defined[], mentions: Mentions): string {
  return freeName((name) =>
    sides.some(({ own, definitions }) => {
      const parts = [own, ...Object.values(definitions)];
      const quoted = JSON.stringify(name);
      return Object.hasOwn(definitions, name) || parts.some((part) => mentions(part, quoted));
    }),
  );
}

type Plainness = (json: Json, dialect: Dialect, definitions: JsonObject) => boolean;

/**
 * Whether what a schema means depends only on itself and on the definitions that it names: it has no name
 * but that of a definition, and no keyword that looks at more than one place.
 */
function openPlainness(): Plainness {
  const known = new Map<Dialect, WeakMap<object, ReadonlySet<string> | null>>();
  return (json, dialect, definitions) => {
    if (typeof json !== 'object' || json === null) return true;
    const references = known.get(dialect) ?? new WeakMap();
    known.set(dialect, references);
    if (!references.has(json)) references.set(json, referredIn(json, dialect));
    const names = references.get(json) ?? null;
    return names !== null && [...names].every((name) => Object.hasOwn(definitions, name));
  };
}

const wholeKeywords = [
  ...['$schema', '$dynamicRef', '$recursiveRef'],
  ...['unevaluatedProperties', 'unevaluatedItems'],
];

/** The names of the definitions that a schema refers to; null if it does not only refer to such. */
function referredIn(json: Json, dialect: Dialect): ReadonlySet<string> | null {
  if (mentionsNames(json, dialect)) return null;
  const names = new Set<string>();
  const isForeign = (object: JsonObject) => {
    if (wholeKeywords.some((keyword) => Object.hasOwn(object, keyword))) return true;
    const { $ref: reference } = object;
    if (reference === undefined) return false;
    const name = typeof reference === 'string' ? definitionOf(reference) : null;
    if (name !== null) names.add(name);
    return name === null;
  };
  return someObject(json, isForeign) ? null : names;
}

const pointer = /^#\/\$defs\/([^/%]+)$/;

function definitionOf(reference: string): string | null {
  const [, name] = pointer.exec(reference) ?? [];
  return name === undefined ? null : readPointerToken(name);
}

/** One document whose root is exchanged. */
interface SharedSide {
  readonly document: SharedDocument;
  /** Whether the definitions are those of the roots before, as far as these have them. */
  hasSame(next: Defined): boolean;
  enter(next: Defined): void;
}

function openSide(first: Defined, dialect: Dialect): SharedSide {
  const definitions = new Map<string, Json>();
  const interned = new Map<string, JsonObject>();
  const rootOf = ({ json, definitions: named }: Defined) => {
    const kept = [named, ...Object.values(named)].map((each) => [each, each] as const);
    return internObject(json, '', { known: new Map<Json, Json>(kept), interned });
  };
  const document = parseShared(rootOf(first), dialect);
  return {
    document,
    hasSame: (next) =>
      Object.entries(next.definitions).every(([name, each]) => {
        const before = definitions.get(name);
        return before === undefined || before === each;
      }),
    enter(next) {
      for (const [name, each] of Object.entries(next.definitions)) definitions.set(name, each);
      document.enter(rootOf(next));
    },
  };
}

interface Interning {
  /** What was replaced in this schema: an object that stands at two places remains one. */
  readonly known: Map<Json, Json>;
  /** By place and text. */
  readonly interned: Map<string, JsonObject>;
}

/** Objects with one text at one place become one object, so that they have one node. */
function intern(json: Json, place: string, interning: Interning): Json {
  const { known, interned } = interning;
  if (typeof json !== 'object' || json === null) return json;
  const before = known.get(json);
  if (before !== undefined) return before;
  const made = Array.isArray(json)
    ? json.map((each, index) => intern(each, `${place}/${index}`, interning))
    : isJsonObject(json)
      ? internObject(json, place, interning)
      : json;
  known.set(json, made);
  if (!isJsonObject(made)) return made;
  const key = `${place} ${JSON.stringify(made)}`;
  const same = interned.get(key) ?? made;
  interned.set(key, same);
  known.set(json, same);
  return same;
}

function internObject(json: JsonObject, place: string, interning: Interning): JsonObject {
  return Object.fromEntries(
    Object.entries(json).map(([name, each]) => [
      name,
      intern(each, `${place}/${JSON.stringify(name)}`, interning),
    ]),
  );
}
