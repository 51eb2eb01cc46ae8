// Whether no value fits a schema. A property counts as declared only if some value fits its schema.
// A schema may exclude all values in many ways: `false`, `{"not": {}}`, or a minimum length of five
// and a maximum of three.

import type { OpenComparison } from '../../containment/contains.ts';
import type { JsonNumber, Keywords, SchemaNode, TypeName } from '../../schema/schema.ts';
import { addRationals, compareRationals, rationalOf } from '../../value/rational.ts';
import type { Place, PlaceBook } from './place.types.ts';
import { typeOfValue, typeSetOf } from './type-set.ts';
import { keywordsOfView, nodeOfPlace } from './view-keywords.ts';

export interface Emptiness {
  readonly ofNode: (node: SchemaNode) => boolean;
  readonly ofPlace: (place: Place) => boolean;
  /** Whether some value that the producer writes is known to fit the place. */
  readonly isFilled: (place: Place) => boolean;
  /** The same for objects or for lists. */
  readonly isFilledBy: (place: Place, type: 'object' | 'array') => boolean;
}

/** Each may cost as much as a verdict. After that, a schema counts as one that some value fits. */
const maxQuestions = 100;

/** @example openEmptiness(session, book).ofNode(book.document.root) */
export function openEmptiness(session: OpenComparison, book: PlaceBook): Emptiness {
  const known = new Map<SchemaNode, boolean>();
  const isFilled = openFilled('accepted');
  const isWritten = openFilled('written');
  const places = new Map<Place, SchemaNode>();
  let nothing: SchemaNode | undefined;
  let left = maxQuestions;
  const isRefuted = (node: SchemaNode): boolean => {
    if (left <= 0 || session.steps.left <= 0) return false;
    left--;
    nothing ??= book.madeNode(book.document.root, { isFalse: true });
    return session.contains(node, nothing).verdict === 'yes';
  };
  const isEmpty = (node: SchemaNode, place: Place): boolean => {
    const answer = known.get(node);
    if (answer !== undefined) return answer;
    const found = place.view.isNever || isRefuted(node);
    known.set(node, found);
    return found;
  };
  const shown = new Map<string, boolean>();
  let shownLeft = maxQuestions;
  const isShown = (place: Place, type: TypeName | undefined): boolean => {
    const [only] = place.nodes;
    const isOne = only !== undefined && place.nodes.length === 1;
    if (isOne && type === undefined && isWritten(only)) return true;
    const key = `${place.id} ${type}`;
    const answer = shown.get(key);
    if (answer !== undefined) return answer;
    const keywords = keywordsOfView(book, place.view);
    const typed = keywords && (type === undefined ? keywords : { ...keywords, types: [type] });
    let found = typed !== null && isSurelyFilled(typed, isWritten, 'written');
    if (!found && shownLeft > 0 && session.steps.left > 0) {
      shownLeft--;
      nothing ??= book.madeNode(book.document.root, { isFalse: true });
      const own = nodeOfPlace(book, place);
      const types = type === undefined ? {} : { types: [type] };
      const node = type === undefined ? own : book.madeNode(own, { allOf: [own], ...types });
      found = session.contains(node, nothing, { closed: true }).verdict === 'no';
    }
    shown.set(key, found);
    return found;
  };
  return {
    ofNode: (node) => !isFilled(node) && isEmpty(node, book.placeOf([node])),
    ofPlace(place) {
      const [only] = place.nodes;
      if (only !== undefined && place.nodes.length === 1 && isFilled(only)) return false;
      const node = places.get(place) ?? nodeOfPlace(book, place);
      places.set(place, node);
      return isEmpty(node, place);
    },
    isFilled: (place) => isShown(place, undefined),
    isFilledBy: (place, type) => isShown(place, type),
  };
}

type Filled = (node: SchemaNode) => boolean;

/** Whether any accepted value counts, or only one that a producer writes. */
type Filling = 'accepted' | 'written';

/** The maximum nesting of schemas to look into. Each level takes about five stack frames. */
const maxDepth = 100;

/** A quick yes for nearly all schemas: the keywords alone show that some value fits. */
function openFilled(filling: Filling): Filled {
  const known = new Map<SchemaNode, boolean>();
  let depth = 0;
  const isFilled = (node: SchemaNode): boolean => {
    const answer = known.get(node);
    if (answer !== undefined) return answer;
    if (depth >= maxDepth) return false;
    // A schema that contains itself must not count as proof that it has a value.
    known.set(node, false);
    depth++;
    const found = isSurelyFilled(node.keywords, isFilled, filling);
    depth--;
    known.set(node, found);
    return found;
  };
  return isFilled;
}

function isSurelyFilled(keywords: Keywords, isFilled: Filled, filling: Filling): boolean {
  for (const name in keywords) {
    if (decisiveKeywords.has(name)) return isFilledChoice(keywords, isFilled);
  }
  // Without `types`, a value of a type that the keywords do not constrain fits.
  if (keywords.types === undefined) return true;
  return keywords.types.some((type) => isFilledType(keywords, { type, isFilled, filling }));
}

/** Keywords that constrain values of every type. */
const decisiveKeywords = new Set<string>([
  ...['isFalse', 'enum', 'const', 'ref', 'dynamicRef', 'problems'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if'],
]);

/** A schema of one such keyword. A list of values may have types beside it. */
function isFilledChoice(keywords: Keywords, isFilled: Filled): boolean {
  const { ref, anyOf, enum: values, types, ...others } = keywords;
  for (const _ in others) return false;
  if (values !== undefined) {
    if (ref !== undefined || anyOf !== undefined) return false;
    const allowed = types === undefined ? null : typeSetOf(types);
    return values.some((value) => allowed === null || (typeOfValue(value) & allowed) !== 0);
  }
  if (types !== undefined) return false;
  if (ref !== undefined) return anyOf === undefined && isFilled(ref);
  return anyOf?.some(isFilled) === true;
}

interface Asked {
  readonly type: TypeName;
  readonly isFilled: Filled;
  readonly filling: Filling;
}

function isFilledType(keywords: Keywords, { type, isFilled, filling }: Asked): boolean {
  switch (type) {
    case 'null':
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return isFilledRange(keywords);
    case 'string': {
      const { pattern, format, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = keywords;
      if (pattern !== undefined) return false;
      return format === undefined ? minLength <= maxLength : minLength === 0 && maxLength >= 255;
    }
    case 'array':
      return isFilledArray(keywords, isFilled);
    case 'object':
      return isFilledObject(keywords, isFilled, filling);
    default:
      return type satisfies never;
  }
}

/** A whole number certainly lies between the bounds. */
function isFilledRange(keywords: Keywords): boolean {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf, format } = keywords;
  const lows = [minimum, exclusiveMinimum].filter((each) => each !== undefined);
  const highs = [maximum, exclusiveMaximum].filter((each) => each !== undefined);
  if (lows.length + highs.length === 0) return true;
  if (format !== undefined || multipleOf !== undefined) return false;
  return lows.every((low) => highs.every((high) => isApart(low, high)));
}

function isApart(low: JsonNumber, high: JsonNumber): boolean {
  const from = rationalOf(low);
  const to = rationalOf(high);
  return from !== null && to !== null && compareRationals(addRationals(from, 2), to) <= 0;
}

function isFilledArray(keywords: Keywords, isFilled: Filled): boolean {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items, contains } = keywords;
  if (contains !== undefined && contains.min > 0) return false;
  if (minItems === 0) return true;
  const { prefixItems, uniqueItems, unevaluatedItems } = keywords;
  if (prefixItems !== undefined || uniqueItems || unevaluatedItems !== undefined) return false;
  if (contains !== undefined || minItems > maxItems) return false;
  return items === undefined || isFilled(items);
}

function isFilledObject(keywords: Keywords, isFilled: Filled, filling: Filling): boolean {
  const { required = [], properties, additionalProperties } = keywords;
  if (keywords.minProperties !== undefined) return false;
  if (required.length === 0) return true;
  for (const name of entangling) if (keywords[name] !== undefined) return false;
  return required.every((key) => {
    const said = properties?.get(key) ?? additionalProperties;
    if (said !== undefined) return isFilled(said);
    // A producer does not write an undescribed key if the schema names other keys.
    return filling === 'accepted' || properties === undefined;
  });
}

/** With these keywords, an object of its required keys alone may be refused. */
const entangling = [
  ...(['maxProperties', 'patternProperties', 'propertyNames', 'unevaluatedProperties'] as const),
  ...(['dependentRequired', 'dependentSchemas'] as const),
];
