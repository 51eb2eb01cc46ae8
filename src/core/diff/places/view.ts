// What all subschemas of a place say together, merged into one record. Keywords without an effect
// on the remaining types are dropped, so that equal meanings have equal views.

import { isOpenApiFormat } from '../../schema/formats/formats.ts';
import { asksForWrittenIntegers, isOpenApi } from '../../schema/keywords.ts';
import type { JsonNumber, Keywords, SchemaNode } from '../../schema/schema.ts';
import { canonicalJson, isSameJson } from '../../value/canonical-json.ts';
import { isExactNumber, type Json, numberText } from '../../value/json.ts';
import {
  addRationals,
  areEqualRationals,
  ceilingOf,
  compareRationals,
  floorOf,
  isInteger,
  isMultipleOf,
  rationalOf,
  subtractRationals,
} from '../../value/rational.ts';
import type { Bound, DraftView, IfView, Part, PlaceBook, View } from './place.types.ts';
import { isFlat } from './reach.ts';
import { mergeArrays, mergeObjects } from './regions.ts';
import { settleItems, settleUnevaluated } from './settle-regions.ts';
import { everyType, numberTypes, typeBit, typeOfValue, typeSetOf } from './type-set.ts';

export function readView(
  book: PlaceBook,
  starts: readonly SchemaNode[],
  parts: readonly Part[],
): View {
  const draft = emptyView(parts);
  for (const { node, unions } of parts) {
    addKeywords(book, draft, node.keywords);
    draft.asksForWrittenIntegers ||= saysWrittenIntegers(node);
    if (unions.length > 0) draft.unions = [...draft.unions, ...unions];
  }
  const nodes = parts.map(({ node }) => node);
  draft.annotations = joinedAnnotations(book, draft.annotations, nodes);
  const keywords = nodes.map((node) => node.keywords);
  draft.objects = mergeObjects(book, keywords);
  draft.items = mergeArrays(book, keywords);
  draft.isOpaque = nodes.some((node) => isOpaque(book, node));
  settleUnevaluated(book, draft, starts.length === 1);
  settleItems(draft);
  settleNumbers(draft);
  settleValues(draft);
  dropWhatCannotMatter(draft);
  return draft;
}

/** Whether one schema object without unions can express the view. */
export function isPlain(view: View): boolean {
  return (
    view.unions.length === 0 &&
    view.nots.length === 0 &&
    view.ifs.length === 0 &&
    view.dynamic.length === 0 &&
    view.problems.length === 0 &&
    !view.isOpaque
  );
}

const none: readonly never[] = [];
const noKeys: ReadonlySet<string> = new Set();
const noMap: ReadonlyMap<string, never> = new Map<string, never>();

function emptyView(parts: readonly Part[]): DraftView {
  return {
    isNever: false,
    isOpaque: false,
    types: everyType,
    asksForWrittenIntegers: false,
    values: null,
    minimum: null,
    maximum: null,
    multiples: noMap,
    wideBounds: noMap,
    minLength: 0,
    maxLength: Number.POSITIVE_INFINITY,
    patterns: none,
    formats: none,
    items: null,
    minItems: 0,
    maxItems: Number.POSITIVE_INFINITY,
    isUnique: false,
    contains: none,
    unevaluatedItems: none,
    objects: none,
    required: noKeys,
    minProperties: 0,
    maxProperties: Number.POSITIVE_INFINITY,
    propertyNames: none,
    dependentRequired: noMap,
    dependentSchemas: noMap,
    unevaluatedProperties: none,
    unions: none,
    nots: none,
    ifs: none,
    dynamic: none,
    problems: none,
    annotations: noMap,
    parts,
  };
}

function saysWrittenIntegers({ keywords: { types }, dialect }: SchemaNode): boolean {
  if (types === undefined || !types.includes('integer') || types.includes('number')) return false;
  return asksForWrittenIntegers(dialect);
}

/** Whether the meaning of a node cannot be told from its own keywords. */
function isOpaque(book: PlaceBook, { keywords, dialect }: SchemaNode): boolean {
  const { problems = [], dynamicRef, format } = keywords;
  if (dynamicRef !== undefined) return true;
  if (problems.some(({ uri, written }) => uri === undefined && written === undefined)) return true;
  if (format === undefined || !isOpenApiFormat(format)) return false;
  return isOpenApi(dialect) !== isOpenApi(book.document.dialect);
}

function addKeywords(book: PlaceBook, draft: DraftView, keywords: Keywords): void {
  for (const _ in keywords) {
    addScalars(draft, keywords);
    addArrayKeywords(book, draft, keywords);
    addObjectKeywords(book, draft, keywords);
    addLogic(book, draft, keywords);
    return;
  }
}

function addScalars(draft: DraftView, keywords: Keywords): void {
  if (keywords.isFalse) draft.isNever = true;
  if (keywords.types !== undefined) draft.types &= typeSetOf(keywords.types);
  if (keywords.enum !== undefined) draft.values = narrowedValues(draft.values, keywords.enum);
  if (keywords.const !== undefined) {
    draft.values = narrowedValues(draft.values, [keywords.const.value]);
  }
  for (const name of boundKeywords) addBound(draft, name, keywords[name]);
  if (keywords.multipleOf !== undefined) {
    const text = canonicalJson(keywords.multipleOf);
    draft.multiples = new Map([...draft.multiples, [text, keywords.multipleOf]]);
    const step = rationalOf(keywords.multipleOf);
    if (step !== null && isInteger(step)) draft.types &= ~typeBit.fraction;
  }
  if (keywords.minLength !== undefined) {
    draft.minLength = Math.max(draft.minLength, keywords.minLength);
  }
  if (keywords.maxLength !== undefined) {
    draft.maxLength = Math.min(draft.maxLength, keywords.maxLength);
  }
  if (keywords.pattern !== undefined) draft.patterns = withText(draft.patterns, keywords.pattern);
  if (keywords.format !== undefined) draft.formats = withText(draft.formats, keywords.format);
}

function addArrayKeywords(book: PlaceBook, draft: DraftView, keywords: Keywords): void {
  if (keywords.minItems !== undefined) {
    draft.minItems = Math.max(draft.minItems, keywords.minItems);
  }
  if (keywords.maxItems !== undefined) {
    draft.maxItems = Math.min(draft.maxItems, keywords.maxItems);
  }
  if (keywords.uniqueItems) draft.isUnique = true;
  if (keywords.contains !== undefined) {
    const { schema, min, max = Number.POSITIVE_INFINITY, evaluates } = keywords.contains;
    draft.contains = [...draft.contains, { place: book.placeOf([schema]), min, max, evaluates }];
  }
  if (keywords.unevaluatedItems !== undefined) {
    const place = book.placeOf([keywords.unevaluatedItems]);
    draft.unevaluatedItems = [...draft.unevaluatedItems, place];
  }
}

function addObjectKeywords(book: PlaceBook, draft: DraftView, keywords: Keywords): void {
  if (keywords.required !== undefined) {
    draft.required =
      draft.required.size === 0
        ? new Set(keywords.required)
        : new Set([...draft.required, ...keywords.required]);
  }
  if (keywords.minProperties !== undefined) {
    draft.minProperties = Math.max(draft.minProperties, keywords.minProperties);
  }
  if (keywords.maxProperties !== undefined) {
    draft.maxProperties = Math.min(draft.maxProperties, keywords.maxProperties);
  }
  if (keywords.propertyNames !== undefined) {
    draft.propertyNames = [...draft.propertyNames, book.placeOf([keywords.propertyNames])];
  }
  if (keywords.unevaluatedProperties !== undefined) {
    const place = book.placeOf([keywords.unevaluatedProperties]);
    draft.unevaluatedProperties = [...draft.unevaluatedProperties, place];
  }
  if (keywords.dependentRequired !== undefined) {
    const merged = new Map(draft.dependentRequired);
    for (const [key, demanded] of keywords.dependentRequired) {
      const demands = [...(merged.get(key) ?? []), ...demanded].filter((name) => name !== key);
      if (demands.length > 0) merged.set(key, new Set(demands));
    }
    draft.dependentRequired = merged;
  }
  if (keywords.dependentSchemas !== undefined) {
    const merged = new Map(draft.dependentSchemas);
    for (const [key, node] of keywords.dependentSchemas) {
      merged.set(key, book.placeOf([...(merged.get(key)?.nodes ?? []), node]));
    }
    draft.dependentSchemas = merged;
  }
}

function addLogic(book: PlaceBook, draft: DraftView, keywords: Keywords): void {
  if (keywords.not !== undefined) draft.nots = [...draft.nots, book.placeOf([keywords.not])];
  if (keywords.if !== undefined && isHeeded(keywords, keywords.if)) {
    const view: IfView = {
      condition: book.placeOf([keywords.if]),
      whenTrue: keywords.then === undefined ? null : book.placeOf([keywords.then]),
      whenFalse: keywords.else === undefined ? null : book.placeOf([keywords.else]),
    };
    draft.ifs = [...draft.ifs, view];
  }
  if (keywords.dynamicRef !== undefined) {
    const { anchor, target } = keywords.dynamicRef;
    draft.dynamic = [...draft.dynamic, { anchor, target: book.placeOf([target]) }];
  }
  if (keywords.problems !== undefined) draft.problems = [...draft.problems, ...keywords.problems];
}

/** An `if` without `then` and `else` evaluates what it describes, and has no other effect. */
function isHeeded(keywords: Keywords, condition: SchemaNode): boolean {
  if ((keywords.then ?? keywords.else) !== undefined) return true;
  return !isFlat(condition) || condition.keywords.problems !== undefined;
}

/** These are neither schemas nor annotations of a value. They contain the targets of references. */
const holders = new Set(['components', 'paths']);

/** The annotations of these nodes, without repeated values. */
export function joinedAnnotations(
  book: PlaceBook,
  known: View['annotations'],
  nodes: readonly SchemaNode[],
): View['annotations'] {
  let joined: Map<string, readonly Json[]> | null = null;
  for (const node of nodes) {
    for (const [name, value] of Object.entries(book.annotationsOf(node))) {
      if (holders.has(name) && node.parent === undefined) continue;
      joined ??= new Map(known);
      const values = joined.get(name) ?? [];
      if (!values.some((other) => isSameJson(other, value))) joined.set(name, [...values, value]);
    }
  }
  return joined ?? known;
}

function narrowedValues(
  known: ReadonlyMap<string, Json> | null,
  values: readonly Json[],
): ReadonlyMap<string, Json> {
  const listed = new Map(values.map((value) => [canonicalJson(value), value]));
  if (known === null) return listed;
  return new Map([...known].filter(([text]) => listed.has(text)));
}

function withText(texts: readonly string[], text: string): readonly string[] {
  return texts.includes(text) ? texts : [...texts, text].sort();
}

const boundKeywords = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'] as const;

function addBound(
  draft: DraftView,
  name: (typeof boundKeywords)[number],
  written: JsonNumber | undefined,
): void {
  if (written === undefined) return;
  const side = name === 'minimum' || name === 'exclusiveMinimum' ? 'minimum' : 'maximum';
  const value = rationalOf(written);
  if (value === null) {
    const key = `${name} ${canonicalJson(written)}`;
    draft.wideBounds = new Map([...draft.wideBounds, [key, { [name]: written }]]);
    return;
  }
  const bound: Bound = { value, text: numberText(written) ?? '', isExclusive: name !== side };
  const known = draft[side];
  if (known === null || isTighter(bound, known, side)) draft[side] = bound;
}

/** Whether a bound allows less than another bound on the same side. */
export function isTighter(a: Bound, b: Bound, side: 'minimum' | 'maximum'): boolean {
  const order = compareRationals(a.value, b.value);
  if (order === 0) return a.isExclusive && !b.isExclusive;
  return side === 'minimum' ? order > 0 : order < 0;
}

export function isSameBound(a: Bound | null, b: Bound | null): boolean {
  if (a === null || b === null) return a === b;
  return a.isExclusive === b.isExclusive && areEqualRationals(a.value, b.value);
}

/** For integers, `minimum: 3`, `exclusiveMinimum: 2` and `minimum: 2.5` are the same bound. */
function settleNumbers(draft: DraftView): void {
  if ((draft.types & typeBit.fraction) !== 0) return;
  draft.multiples = new Map([...draft.multiples].filter(([text]) => text !== '1'));
  const { minimum, maximum } = draft;
  if (minimum !== null) {
    const isPushed = minimum.isExclusive && isMultipleOf(minimum.value, 1);
    const value = isPushed ? addRationals(minimum.value, 1) : ceilingOf(minimum.value);
    draft.minimum = { value, text: isPushed ? String(value) : minimum.text, isExclusive: false };
  }
  if (maximum !== null) {
    const isPushed = maximum.isExclusive && isMultipleOf(maximum.value, 1);
    const value = isPushed ? subtractRationals(maximum.value, 1) : floorOf(maximum.value);
    draft.maximum = { value, text: isPushed ? String(value) : maximum.text, isExclusive: false };
  }
}

/** Listed values determine the types. A list of all values of a type is replaced by the type. */
function settleValues(draft: DraftView): void {
  if (draft.values === null) return;
  const kept = [...draft.values].filter(([, value]) => isWithin(draft, value));
  const types = kept.reduce((set, [, value]) => set | typeOfValue(value), 0);
  draft.types &= types;
  draft.values = new Map(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
  if (kept.length === 0) draft.isNever = true;
  const isWholeType = (types & ~(typeBit.null | typeBit.boolean)) === 0;
  const booleanCount = kept.filter(([, value]) => typeof value === 'boolean').length;
  if (isWholeType && booleanCount !== 1 && kept.length > 0) draft.values = null;
}

/**
 * Whether a listed value passes the checks that are cheap. The other constraints stay beside the
 * list.
 */
function isWithin(draft: DraftView, value: Json): boolean {
  if ((draft.types & typeOfValue(value)) === 0) return false;
  if (typeof value === 'string') {
    const length = [...value].length;
    return length >= draft.minLength && length <= draft.maxLength;
  }
  const rational = rationalOf(value);
  if (rational === null) return true;
  const { minimum, maximum } = draft;
  const bound: Bound = { value: rational, text: '', isExclusive: false };
  return (
    (minimum === null || !isTighter(minimum, bound, 'minimum')) &&
    (maximum === null || !isTighter(maximum, bound, 'maximum'))
  );
}

function dropWhatCannotMatter(draft: DraftView): void {
  if (draft.isNever) draft.types = 0;
  if (draft.types === 0) {
    const { annotations, parts } = draft;
    Object.assign(draft, emptyView(parts), { annotations, isNever: true, types: 0 });
    return;
  }
  if ((draft.types & typeBit.integer) === 0) draft.asksForWrittenIntegers = false;
  const isListed = draft.values !== null;
  // A number that is too wide to calculate with was not compared with the bounds, so they are kept.
  const isWide = [...(draft.values?.values() ?? [])].some(
    (value) => isExactNumber(value) && rationalOf(value) === null,
  );
  if ((isListed && !isWide) || (draft.types & numberTypes) === 0) {
    draft.minimum = null;
    draft.maximum = null;
    if (!isListed) draft.multiples = noMap;
    if (!isListed) draft.wideBounds = noMap;
  }
  if (isListed || (draft.types & typeBit.string) === 0) {
    draft.minLength = 0;
    draft.maxLength = Number.POSITIVE_INFINITY;
  }
  if ((draft.types & typeBit.string) === 0) draft.patterns = none;
  if ((draft.types & typeBit.array) === 0) dropArrays(draft);
  if ((draft.types & typeBit.object) === 0) dropObjects(draft);
}

function dropArrays(draft: DraftView): void {
  draft.items = null;
  draft.minItems = 0;
  draft.maxItems = Number.POSITIVE_INFINITY;
  draft.isUnique = false;
  draft.contains = none;
  draft.unevaluatedItems = none;
}

function dropObjects(draft: DraftView): void {
  draft.objects = none;
  draft.required = noKeys;
  draft.minProperties = 0;
  draft.maxProperties = Number.POSITIVE_INFINITY;
  draft.propertyNames = none;
  draft.dependentRequired = noMap;
  draft.dependentSchemas = noMap;
  draft.unevaluatedProperties = none;
}
