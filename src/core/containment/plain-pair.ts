// A value in one schema and not in another, where the two are of plain shapes: records, lists, and
// unions whose branches are told apart by a tag. Most questions are of such schemas in two versions.
// Each is the same as a few smaller questions, which are asked before anything is unfolded into forms.
//
// What is put in place of a question is equal to it, neither more nor less. Whatever is not of a plain
// shape, or is not decided by its parts, is left to the search (search.ts).

import type { Json } from '../json.ts';
import type { Keywords, SchemaNode } from '../schema/schema.ts';
import { saysSomething } from '../schema/schema.ts';
import { haveNoCommonObject, overlappingBranches } from './apart.ts';
import type { Engine, Found, Judge } from './engine.types.ts';
import { empty, found } from './engine.types.ts';
import { closedTerm, notTerm } from './forms.ts';
import type { NodeTerm, Term } from './forms.types.ts';
import { isOnlyReference, kindBits, kindsOf } from './node-kinds.ts';
import { childTerms, closedChild, referenceTerm } from './term-scope.ts';

/** Each branch of the one side is held against each of the other: a few hundred looks at a tag. */
const maxBranches = 32;
/** The branches of larger unions are told apart together, by the search. */
const looksPerStep = 4;
/** Items of a list that are written out one by one. */
const maxItemsWritten = 16;

/** In `left` (as its producer writes it, where that is asked), and not in `right`. */
export interface PlainPair {
  readonly left: NodeTerm;
  readonly isClosed: boolean;
  readonly right: NodeTerm;
}

/** The pair that a conjunction of two terms is, if it is one. */
export function plainPairOf(parts: readonly Term[]): PlainPair | undefined {
  const [first, second] = parts;
  if (first === undefined || second === undefined || parts.length !== 2) return undefined;
  return pairOf(first, second) ?? pairOf(second, first);
}

function pairOf(positive: Term, negative: Term): PlainPair | undefined {
  if (negative.tag !== 'not' || negative.term.tag !== 'node') return undefined;
  const isClosed = positive.tag === 'closed';
  const left = isClosed && positive.terms.length === 1 ? positive.terms[0] : positive;
  if (left?.tag !== 'node' || left.isWeak || negative.term.isWeak) return undefined;
  return { left, isClosed, right: negative.term };
}

/** How a pair is answered by smaller questions. */
export interface Way {
  /** The smaller questions are about the same value, and not about what is inside of it. */
  readonly isInPlace: boolean;
  /** Finds what is in the pair; undefined where one of the parts is not decided. */
  find(judge: Judge | undefined): Found | undefined;
}

/** Undefined where the pair is not of a plain shape. */
export function wayOf(engine: Engine, pair: PlainPair): Way | undefined {
  return (
    byReference(engine, pair) ??
    byKinds(engine, pair) ??
    byBranches(engine, pair) ??
    byTags(engine, pair) ??
    byMembers(engine, pair) ??
    byItems(engine, pair)
  );
}

function leftTerm({ store }: Engine, { left, isClosed }: PlainPair): Term {
  return isClosed ? closedTerm(store, [left]) : left;
}

/** A reference that says nothing else is what it leads to. */
function byReference(engine: Engine, pair: PlainPair): Way | undefined {
  const left = targetOf(engine, pair.left);
  const right = targetOf(engine, pair.right);
  if (left === pair.left && right === pair.right) return undefined;
  const { store } = engine;
  const own = pair.isClosed ? closedTerm(store, [left]) : left;
  return inPlace((judge) => sure(engine.inhabit([own, notTerm(store, right)], judge)));
}

function targetOf(engine: Engine, term: NodeTerm): Term {
  return (isOnlyReference(term.node.keywords) && referenceTerm(engine, term)) || term;
}

/** Of different kinds, nothing of the left is in the right. */
function byKinds(engine: Engine, pair: PlainPair): Way | undefined {
  const known = engine.store.kinds;
  if (kindsOf(known, pair.left.node) & kindsOf(known, pair.right.node)) return undefined;
  return inPlace((judge) => sure(engine.inhabit([leftTerm(engine, pair)], judge)));
}

/**
 * What is in one of the branches. Of `oneOf`, and as a producer writes it, that is so where no value is in
 * two of them.
 */
function byBranches(engine: Engine, pair: PlainPair): Way | undefined {
  const { store } = engine;
  const { node } = pair.left;
  const branches = branchesOf(engine, node);
  if (branches === undefined) return undefined;
  const mustBeApart = pair.isClosed || node.keywords.oneOf !== undefined;
  if (mustBeApart && !areApart(engine, branches)) return undefined;
  const right = notTerm(store, pair.right);
  return inPlace((judge) => {
    let isSure = true;
    for (const branch of branches.map(leftChildren(engine, pair))) {
      const result = engine.inhabit([branch, right], judge);
      if (result.tag === 'value' && judge?.(result.value) !== false) return result;
      if (result.tag !== 'empty') isSure = false;
    }
    return isSure ? empty : undefined;
  });
}

function inPlace(find: Way['find']): Way {
  return { isInPlace: true, find };
}

/** Not in the one branch that may share a value with the left: of oneOf, too, the others have no say. */
function byTags(engine: Engine, pair: PlainPair): Way | undefined {
  const branches = branchesOf(engine, pair.right.node);
  if (branches === undefined) return undefined;
  const { node } = pair.left;
  const known = engine.store.kinds;
  engine.steps.left -= branches.length / looksPerStep;
  const [first, second] = branches.filter((branch) => {
    const common = kindsOf(known, node) & kindsOf(known, branch);
    return (
      common !== 0 &&
      (common !== kindBits.object || !haveNoCommonObject(engine.store.shapes, node, branch))
    );
  });
  if (second !== undefined) return undefined;
  const own = leftTerm(engine, pair);
  if (first === undefined) return inPlace((judge) => sure(engine.inhabit([own], judge)));
  const right = notTerm(engine.store, childTerms(engine, pair.right, (plain) => plain)(first));
  return inPlace((judge) => sure(engine.inhabit([own, right], judge)));
}

/** The branches of a node that says nothing else: each of its values is in one of them. */
function branchesOf(engine: Engine, { keywords }: SchemaNode): readonly SchemaNode[] | undefined {
  const { anyOf, oneOf, types } = keywords;
  const branches = anyOf ?? oneOf;
  if (branches === undefined || (anyOf && oneOf) || branches.length > maxBranches) return undefined;
  if (!saysOnly(keywords, unionKeywords)) return undefined;
  if (types === undefined) return branches;
  // Beside branches of objects alone, that it is an object is no news.
  const isNews = types.length !== 1 || types[0] !== 'object';
  const known = engine.store.kinds;
  const isOther = (branch: SchemaNode): boolean =>
    (kindsOf(known, branch) & ~kindBits.object) !== 0;
  return isNews || branches.some(isOther) ? undefined : branches;
}

/** Whether no value is in two of the branches. */
function areApart(engine: Engine, branches: readonly SchemaNode[]): boolean {
  let seen = 0;
  for (const branch of branches) {
    const kinds = kindsOf(engine.store.kinds, branch);
    if (seen & kinds & ~kindBits.object) return false;
    seen |= kinds;
  }
  return overlappingBranches(engine.store.shapes, branches).length === 0;
}

/** An object that lacks what the right demands, or has a member that the right refuses. */
function byMembers(engine: Engine, pair: PlainPair): Way | undefined {
  const { left, right } = pair;
  if (!arePlain(left.node, right.node, 'object', recordKeywords)) return undefined;
  return { isInPlace: false, find: () => nullOutside(pair) ?? findObject(engine, pair) };
}

function findObject(engine: Engine, pair: PlainPair): Found | undefined {
  const a = pair.left.node.keywords;
  const b = pair.right.node.keywords;
  const demanded = new Set(a.required);
  for (const key of b.required ?? []) {
    if (!demanded.has(key)) return objectWith(engine, pair);
  }
  const refused = childTerms(engine, pair.right, (plain) => notTerm(engine.store, plain));
  const member = leftMembers(engine, pair);
  let isSure = true;
  for (const [key, outside] of membersAsked(pair, refused)) {
    const own = member(key);
    if (own.negation === outside) continue;
    const result = engine.inhabit([own, outside]);
    if (result.tag === 'unknown') isSure = false;
    if (result.tag === 'value') return objectWith(engine, pair, [key, result.value]);
  }
  return isSure ? empty : undefined;
}

/** The keys that the right speaks of, and what it refuses there; for all that nobody names, one. */
function* membersAsked(
  { left, right }: PlainPair,
  refused: (node: SchemaNode) => Term,
): Generator<readonly [key: string, outside: Term]> {
  const { properties: own, required = [] } = left.node.keywords;
  const { properties: others, additionalProperties: rest } = right.node.keywords;
  for (const [key, node] of others ?? []) yield [key, refused(node)];
  if (rest === undefined) return;
  const outside = refused(rest);
  const named = new Set([...(own?.keys() ?? []), ...required]);
  for (const key of named) if (!others?.has(key)) yield [key, outside];
  const fresh = freshKeys.find((key) => !named.has(key) && !others?.has(key));
  yield [fresh ?? unusedKey([...named, ...(others?.keys() ?? [])]), outside];
}

/** Keys that read well in a witness. */
const freshKeys = ['extra', 'other', 'another', 'x', 'y', 'z', 'a', 'b', 'c'];

/** Longer than any of them. */
function unusedKey(keys: readonly string[]): string {
  return 'x'.repeat(1 + keys.reduce((most, key) => Math.max(most, key.length), 0));
}

/** The least object of the left, with one member as it is given; `empty` where there is none. */
function objectWith(
  engine: Engine,
  pair: PlainPair,
  given?: readonly [key: string, value: Json],
): Found | undefined {
  const member = leftMembers(engine, pair);
  const members: (readonly [string, Json])[] = [];
  for (const key of pair.left.node.keywords.required ?? []) {
    if (key === given?.[0]) continue;
    const result = engine.inhabit([member(key)]);
    if (result.tag === 'unknown') return undefined;
    if (result.tag === 'empty') return empty;
    members.push([key, result.value]);
  }
  return found(Object.fromEntries(given === undefined ? members : [...members, given]));
}

/** What a member of the left is in, by its key: `none` where there may be none. */
function leftMembers(engine: Engine, pair: PlainPair): (key: string) => Term {
  const { store } = engine;
  const { properties, additionalProperties: rest } = pair.left.node.keywords;
  const child = leftChildren(engine, pair);
  const isShut = pair.isClosed && properties !== undefined && !saysSomething(rest);
  const others = isShut ? store.none : rest === undefined ? store.all : child(rest);
  return (key) => {
    const node = properties?.get(key);
    return node === undefined ? others : child(node);
  };
}

/** A list too short, too long, or with an item that the right refuses. */
function byItems(engine: Engine, pair: PlainPair): Way | undefined {
  const { left, right } = pair;
  if (!arePlain(left.node, right.node, 'array', listKeywords)) return undefined;
  return { isInPlace: false, find: () => nullOutside(pair) ?? findList(engine, pair) };
}

function findList(engine: Engine, pair: PlainPair): Found | undefined {
  const { store } = engine;
  const { items, minItems: least = 0, maxItems: most = unbounded } = pair.left.node.keywords;
  const { items: others, minItems = 0, maxItems = unbounded } = pair.right.node.keywords;
  if (least > most) return empty;
  const own = items === undefined ? store.all : leftChildren(engine, pair)(items);
  if (least < minItems) return listOf(least, least === 0 ? found(null) : engine.inhabit([own]));
  let isSure = true;
  if (most > maxItems) {
    const result = engine.inhabit([own]);
    if (result.tag === 'value') return listOf(Math.max(least, maxItems + 1), result);
    if (result.tag === 'unknown') isSure = false;
  }
  if (others !== undefined && most > 0) {
    const outside = notTerm(store, childTerms(engine, pair.right, (plain) => plain)(others));
    const result = engine.inhabit([own, outside]);
    if (result.tag === 'value') return listOf(Math.max(least, 1), result);
    if (result.tag === 'unknown') isSure = false;
  }
  return isSure ? empty : undefined;
}

function listOf(count: number, item: Found): Found | undefined {
  if (item.tag === 'empty') return empty;
  if (item.tag === 'unknown' || count > maxItemsWritten) return undefined;
  return found(new Array<Json>(count).fill(item.value));
}

const unbounded = Number.POSITIVE_INFINITY;

function leftChildren(engine: Engine, { left, isClosed }: PlainPair): (node: SchemaNode) => Term {
  return childTerms(engine, left, isClosed ? closedChild(engine.store) : (plain) => plain);
}

const unionKeywords: ReadonlySet<string> = new Set(['types', 'anyOf', 'oneOf']);
const listKeywords: ReadonlySet<string> = new Set(['types', 'items', 'minItems', 'maxItems']);
const recordKeywords: ReadonlySet<string> = new Set([
  ...['types', 'properties', 'required', 'additionalProperties'],
]);

function saysOnly(keywords: Keywords, names: ReadonlySet<string>): boolean {
  for (const name in keywords) if (!names.has(name)) return false;
  return true;
}

/** The left has values of one kind, and null at most; the right speaks of nothing but that kind. */
function arePlain(
  left: SchemaNode,
  right: SchemaNode,
  kind: 'array' | 'object',
  names: ReadonlySet<string>,
): boolean {
  const { types } = left.keywords;
  if (!types?.includes(kind) || !types.every((type) => type === kind || type === 'null')) {
    return false;
  }
  if (right.keywords.types?.includes(kind) === false) return false;
  return saysOnly(left.keywords, names) && saysOnly(right.keywords, names);
}

function nullOutside({ left, right }: PlainPair): Found | undefined {
  const isIn = right.node.keywords.types?.includes('null') ?? true;
  return !isIn && left.node.keywords.types?.includes('null') ? found(null) : undefined;
}

/** Where a part is not decided the whole may be: the search looks at it from another side. */
function sure(result: Found): Found | undefined {
  return result.tag === 'unknown' ? undefined : result;
}
