// Compares types, listed values and the constraints on single values, with one table row for each
// keyword.

import type { ChangeType } from '../../comparison.ts';
import type { Keywords, SchemaNode } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import { jsonOfRational } from '../../value/rational.ts';
import type { Bound, PlaceBook, View } from '../places/place.types.ts';
import { type TypeSet, typeBit, typeNamesOf } from '../places/type-set.ts';
import { isSameBound, isTighter } from '../places/view.ts';
import type { Candidate, PlacePair, Walk } from './walk.types.ts';

type Told = Pick<Candidate, 'type' | 'says'> & Partial<Candidate>;

/** Makes a candidate at the pair's own place. */
export function candidate(pair: PlacePair, told: Told): Candidate {
  return {
    pair,
    path: pair.path,
    newDemand: null,
    oldDemand: null,
    mayBeVacuous: true,
    kind: 'schema',
    ...told,
  };
}

export function demandOf(book: PlaceBook, keywords: Keywords): SchemaNode {
  return book.madeNode(book.document.root, keywords);
}

/** Compares the types, and returns those that both sides have. */
export function compareTypes(walk: Walk, pair: PlacePair, old: View, next: View): TypeSet {
  if (old.isNever || next.isNever) {
    if (old.isNever !== next.isNever) walk.found.push(neverCandidate(walk, pair, next.isNever));
    return 0;
  }
  const before = old.types & ~typeBit.null;
  const after = next.types & ~typeBit.null;
  const hadNull = (old.types & typeBit.null) !== 0;
  const hasNull = (next.types & typeBit.null) !== 0;
  const isNullAlone = before === 0 || after === 0;
  if (hadNull !== hasNull && !isNullAlone) walk.found.push(nullCandidate(walk, pair, hasNull));
  const was = isNullAlone ? old.types : before;
  const is = isNullAlone ? next.types : after;
  // Two lists of values are reported as lists, unless they have no type in common.
  const isToldAsList = old.values !== null && next.values !== null && (was & is) !== 0;
  if (was !== is && !isToldAsList) walk.found.push(typeCandidate(walk, pair, was, is));
  return old.types & next.types;
}

function neverCandidate(walk: Walk, pair: PlacePair, isNeverNow: boolean): Candidate {
  return candidate(
    pair,
    isNeverNow
      ? {
          type: 'schema_narrowed',
          says: 'no value is accepted now',
          newDemand: demandOf(walk.nextBook, { isFalse: true }),
        }
      : {
          type: 'schema_widened',
          says: 'values are accepted here now',
          oldDemand: demandOf(walk.oldBook, { isFalse: true }),
        },
  );
}

function nullCandidate(walk: Walk, pair: PlacePair, hasNull: boolean): Candidate {
  const types = typeNamesOf(typeBit.null ^ 127);
  return candidate(
    pair,
    hasNull
      ? {
          type: 'nullable_added',
          says: 'may be null now',
          oldDemand: demandOf(walk.oldBook, { types }),
        }
      : {
          type: 'nullable_removed',
          says: 'may no longer be null',
          newDemand: demandOf(walk.nextBook, { types }),
        },
  );
}

function typeCandidate(walk: Walk, pair: PlacePair, was: TypeSet, is: TypeSet): Candidate {
  const isWider = (was & ~is) === 0;
  const isNarrower = (is & ~was) === 0;
  const type: ChangeType = isWider ? 'type_widened' : isNarrower ? 'type_narrowed' : 'type_changed';
  const nullName = (was & typeBit.null) === 0 && (is & typeBit.null) === 0 ? typeBit.null : 0;
  return candidate(pair, {
    type,
    says: `${typeText(was)} became ${typeText(is)}`,
    old: typeJson(was),
    new: typeJson(is),
    newDemand: isWider ? null : demandOf(walk.nextBook, { types: typeNamesOf(is | nullName) }),
    oldDemand: isNarrower ? null : demandOf(walk.oldBook, { types: typeNamesOf(was | nullName) }),
  });
}

function typeText(types: TypeSet): string {
  const names = typeNamesOf(types);
  return types >= (127 & ~typeBit.null) ? 'any type' : names.join(' or ');
}

function typeJson(types: TypeSet): Json {
  const names = typeNamesOf(types);
  return names.length === 1 ? (names[0] ?? null) : names;
}

export function compareScalars(
  walk: Walk,
  pair: PlacePair,
  old: View,
  next: View,
  common: TypeSet,
): void {
  compareValues(walk, pair, old, next);
  if (old.values === null && next.values === null) {
    compareBound(walk, pair, 'minimum', old.minimum, next.minimum);
    compareBound(walk, pair, 'maximum', old.maximum, next.maximum);
  }
  for (const rule of countRules) {
    if ((rule.types & common) !== 0) compareCount(walk, pair, rule, old, next);
  }
  for (const rule of textRules) {
    if ((rule.types & common) !== 0) compareTexts(walk, pair, rule, rule.of(old), rule.of(next));
  }
  if (old.isUnique !== next.isUnique) {
    walk.found.push(
      constraint(walk, pair, 'uniqueItems', old.isUnique, next.isUnique, {
        newKeywords: next.isUnique ? { uniqueItems: true } : null,
        oldKeywords: old.isUnique ? { uniqueItems: true } : null,
      }),
    );
  }
  compareFormats(walk, pair, old, next);
}

function compareValues(walk: Walk, pair: PlacePair, old: View, next: View): void {
  const before = old.values;
  const after = next.values;
  if (before === null || after === null) {
    if (before === after) return;
    const newKeywords = after === null ? null : { enum: [...after.values()] };
    const oldKeywords = before === null ? null : { enum: [...before.values()] };
    const was = before === null ? undefined : [...before.values()];
    const is = after === null ? undefined : [...after.values()];
    const told = constraint(walk, pair, 'enum', was, is, { newKeywords, oldKeywords });
    walk.found.push({ ...told, says: listText(before, after) });
    return;
  }
  // A null that was added or removed has been reported already.
  const isListed = ([text]: readonly [string, Json]) => text !== 'null' || isNullAlone(old, next);
  const removed = [...before].filter((entry) => !after.has(entry[0]) && isListed(entry));
  const added = [...after].filter((entry) => !before.has(entry[0]) && isListed(entry));
  if (removed.length > 0) {
    walk.found.push(
      candidate(pair, {
        type: 'enum_values_removed',
        says: `${valuesText(removed)} ${removed.length === 1 ? 'is' : 'are'} no longer accepted`,
        old: removed.map(([, value]) => value),
        newDemand: demandOf(walk.nextBook, { enum: [...after.values()] }),
        oldFocus: demandOf(walk.oldBook, { enum: removed.map(([, value]) => value) }),
      }),
    );
  }
  if (added.length > 0) {
    walk.found.push(
      candidate(pair, {
        type: 'enum_values_added',
        says: `${valuesText(added)} ${added.length === 1 ? 'is' : 'are'} accepted now`,
        new: added.map(([, value]) => value),
        oldDemand: demandOf(walk.oldBook, { enum: [...before.values()] }),
        newFocus: demandOf(walk.nextBook, { enum: added.map(([, value]) => value) }),
      }),
    );
  }
}

/** Describes a list of values that was added or removed as a whole. */
function listText(before: View['values'], after: View['values']): string {
  if (before !== null) return `more than ${valuesText([...before])} is accepted now`;
  return `only ${valuesText([...(after ?? [])])} ${after?.size === 1 ? 'is' : 'are'} accepted now`;
}

function isNullAlone(old: View, next: View): boolean {
  return (
    (old.types | typeBit.null) === typeBit.null || (next.types | typeBit.null) === typeBit.null
  );
}

const maxValuesShown = 10;

function valuesText(entries: readonly (readonly [string, Json])[]): string {
  const shown = entries.slice(0, maxValuesShown).map(([, value]) => JSON.stringify(value));
  const more = entries.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/**
 * Reports a constraint that was added, removed or changed: as tightened if the new schema demands
 * more, otherwise as relaxed.
 */
function constraint(
  walk: Walk,
  pair: PlacePair,
  keyword: string,
  old: Json | undefined,
  next: Json | undefined,
  asks: { readonly newKeywords: Keywords | null; readonly oldKeywords: Keywords | null },
): Candidate {
  const isTightened = asks.newKeywords !== null;
  const isNone = (value: Json | undefined) => value === undefined || value === false;
  const movement = isNone(old)
    ? `was added${isNone(next) || next === true ? '' : `: ${JSON.stringify(next)}`}`
    : isNone(next)
      ? `was dropped${old === true ? '' : `: it was ${JSON.stringify(old)}`}`
      : `${JSON.stringify(old)} became ${JSON.stringify(next)}`;
  return candidate(pair, {
    type: isTightened ? 'constraint_tightened' : 'constraint_relaxed',
    says: `${keyword} ${movement}`,
    old,
    new: next,
    newDemand: asks.newKeywords && demandOf(walk.nextBook, asks.newKeywords),
    oldDemand: asks.oldKeywords && !isTightened ? demandOf(walk.oldBook, asks.oldKeywords) : null,
  });
}

function compareBound(
  walk: Walk,
  pair: PlacePair,
  side: 'minimum' | 'maximum',
  old: Bound | null,
  next: Bound | null,
): void {
  if (isSameBound(old, next)) return;
  const isTightened = next !== null && (old === null || isTighter(next, old, side));
  walk.found.push(
    constraint(walk, pair, boundName(side, next ?? old), boundJson(old), boundJson(next), {
      newKeywords: isTightened ? boundKeywords(side, next) : null,
      oldKeywords: isTightened ? null : boundKeywords(side, old),
    }),
  );
}

function boundName(side: 'minimum' | 'maximum', bound: Bound | null): string {
  if (bound?.isExclusive !== true) return side;
  return side === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
}

function boundJson(bound: Bound | null): Json | undefined {
  return bound === null ? undefined : (jsonOfRational(bound.value) ?? bound.text);
}

function boundKeywords(side: 'minimum' | 'maximum', bound: Bound | null): Keywords | null {
  const value = bound === null ? null : jsonOfRational(bound.value);
  return value === null ? null : { [boundName(side, bound)]: value };
}

interface CountRule {
  readonly keyword:
    | 'minLength'
    | 'maxLength'
    | 'minItems'
    | 'maxItems'
    | 'minProperties'
    | 'maxProperties';
  readonly types: TypeSet;
}

const countRules: readonly CountRule[] = [
  { keyword: 'minLength', types: typeBit.string },
  { keyword: 'maxLength', types: typeBit.string },
  { keyword: 'minItems', types: typeBit.array },
  { keyword: 'maxItems', types: typeBit.array },
  { keyword: 'minProperties', types: typeBit.object },
  { keyword: 'maxProperties', types: typeBit.object },
];

function compareCount(walk: Walk, pair: PlacePair, rule: CountRule, old: View, next: View): void {
  const { keyword } = rule;
  const was = old[keyword];
  const is = next[keyword];
  if (was === is) return;
  // A list of values has no length bounds, because its values have already been checked against
  // them.
  if (rule.types === typeBit.string && (old.values !== null || next.values !== null)) return;
  const isTightened = keyword.startsWith('min') ? is > was : is < was;
  const none = keyword.startsWith('min') ? 0 : Number.POSITIVE_INFINITY;
  const told = constraint(
    walk,
    pair,
    keyword,
    was === none ? undefined : was,
    is === none ? undefined : is,
    {
      newKeywords: isTightened ? { [keyword]: is } : null,
      oldKeywords: isTightened ? null : { [keyword]: was },
    },
  );
  const isWritten = [old, next].some((view) => isSaid(view, keyword));
  walk.found.push(isWritten ? told : { ...told, says: `the array ${endText(was, is)}` });
}

function isSaid(view: View, keyword: keyof Keywords): boolean {
  return view.parts.some(({ node }) => node.keywords[keyword] !== undefined);
}

/** `items: false` limits the length of an array without naming a length. */
function endText(was: number, is: number): string {
  if (was === Number.POSITIVE_INFINITY) return `has at most ${itemCount(is)} now`;
  if (is === Number.POSITIVE_INFINITY) return `may have more than ${itemCount(was)} now`;
  return `had at most ${itemCount(was)}, and has at most ${itemCount(is)} now`;
}

function itemCount(count: number): string {
  return `${count} ${count === 1 ? 'item' : 'items'}`;
}

interface TextRule {
  readonly keyword: string;
  readonly types: TypeSet;
  /** The constraints by their texts. */
  readonly of: (view: View) => ReadonlyMap<string, Keywords>;
  readonly shown: (text: string) => Json;
}

const numberBits = typeBit.integer | typeBit.fraction;

const textRules: readonly TextRule[] = [
  {
    keyword: 'multipleOf',
    types: numberBits,
    of: (view) =>
      new Map([...view.multiples].map(([text, multipleOf]) => [text, { multipleOf }] as const)),
    shown: (text) => Number(text),
  },
  { keyword: 'bound', types: numberBits, of: (view) => view.wideBounds, shown: (text) => text },
  {
    keyword: 'pattern',
    types: typeBit.string,
    of: (view) => new Map(view.patterns.map((pattern) => [pattern, { pattern }] as const)),
    shown: (text) => text,
  },
];

/**
 * Compares constraints that are combined: each added one demands more, and each removed one
 * demanded more. The engine finds out whether it had any effect.
 */
function compareTexts(
  walk: Walk,
  pair: PlacePair,
  rule: TextRule,
  old: ReadonlyMap<string, Keywords>,
  next: ReadonlyMap<string, Keywords>,
): void {
  if (old.size === 0 && next.size === 0) return;
  const gone = [...old].filter(([text]) => !next.has(text));
  const come = [...next].filter(([text]) => !old.has(text));
  const shown = (entries: readonly (readonly [string, Keywords])[]): Json | undefined => {
    const values = entries.map(([text]) => rule.shown(text));
    return values.length > 1 ? values : values[0];
  };
  if (come.length > 0) {
    const newKeywords = allTogether(
      walk.nextBook,
      come.map(([, keywords]) => keywords),
    );
    walk.found.push(
      constraint(walk, pair, rule.keyword, shown(gone), shown(come), {
        newKeywords,
        oldKeywords: null,
      }),
    );
  }
  if (gone.length > 0) {
    const oldKeywords = allTogether(
      walk.oldBook,
      gone.map(([, keywords]) => keywords),
    );
    walk.found.push(
      constraint(walk, pair, rule.keyword, shown(gone), shown(come), {
        newKeywords: null,
        oldKeywords,
      }),
    );
  }
}

function allTogether(book: PlaceBook, keywords: readonly Keywords[]): Keywords {
  const [only] = keywords;
  if (only !== undefined && keywords.length === 1) return only;
  return { allOf: keywords.map((each) => demandOf(book, each)) };
}

function compareFormats(walk: Walk, pair: PlacePair, old: View, next: View): void {
  const gone = old.formats.filter((format) => !next.formats.includes(format));
  const come = next.formats.filter((format) => !old.formats.includes(format));
  if (gone.length + come.length === 0) return;
  const was = gone.join(', ');
  const is = come.join(', ');
  const says =
    gone.length === 0
      ? `format ${is} was added`
      : come.length === 0
        ? `format ${was} was dropped`
        : `format ${was} became ${is}`;
  const keywords = (formats: readonly string[]) => formats.map((format) => ({ format }));
  walk.found.push(
    candidate(pair, {
      type: 'format_changed',
      says,
      old: gone.length === 0 ? undefined : was,
      new: come.length === 0 ? undefined : is,
      newDemand:
        come.length === 0
          ? null
          : demandOf(walk.nextBook, allTogether(walk.nextBook, keywords(come))),
      oldDemand:
        gone.length === 0
          ? null
          : demandOf(walk.oldBook, allTogether(walk.oldBook, keywords(gone))),
    }),
  );
}
