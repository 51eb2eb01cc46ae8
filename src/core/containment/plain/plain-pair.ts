// A value in one schema and not in another, where the two are of plain shapes: records, lists, and
// unions whose branches are told apart by a tag. Most questions are of such schemas in two versions.
// Each is the same as a few smaller questions, which are asked before anything is unfolded into forms.
//
// What is put in place of a question is equal to it, neither more nor less. Whatever is not of a plain
// shape, or is not decided by its parts, is left to the search (search.ts).

import { areWrittenAlike } from '../../same/written-alike.ts';
import type { SchemaNode } from '../../schema/schema.ts';
import { saysSomething } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import { haveNoCommonObject, overlappingBranches } from '../terms/apart.ts';
import type { Engine, Found, Judge } from '../terms/engine.types.ts';
import { empty, found } from '../terms/engine.types.ts';
import { closedTerm, notTerm } from '../terms/forms.ts';
import type { NodeTerm, Term } from '../terms/forms.types.ts';
import { isOnlyReference, kindBits, kindsOf } from '../terms/node-kinds.ts';
import { childTerms, closedChild, isScalar, referenceTerm } from '../terms/term-scope.ts';
import { plainTerm } from './plain-term.ts';
import { plainValue, saysOnly, simplestOutside } from './plain-value.ts';

/** Each branch of the one side is held against each of the other: a few hundred looks at a tag. */
const maxBranches = 32;
/** The branches of larger unions are told apart together, by the search. */
const looksPerStep = 4;
/** The search knows larger unions, as their producers write them, only by sets around them. */
const maxClosedBranches = 300;
/** Of branches that overlap, so many are tried one by one. */
const maxTried = 2;
/** Items of a list that are written out one by one. */
const maxItemsWritten = 16;

/** In `left`, and not in `right`, each as its producer writes it where that is asked. */
interface PlainPair {
  readonly left: NodeTerm;
  readonly isClosed: boolean;
  readonly right: NodeTerm;
  /** Whether it is asked what the producer of the right does not write. */
  readonly isRightClosed: boolean;
}

/** The pair that a conjunction of two terms is, if it is one. */
export function plainPairOf(parts: readonly Term[]): PlainPair | undefined {
  const [first, second] = parts;
  if (first === undefined || second === undefined || parts.length !== 2) return undefined;
  return pairOf(first, second) ?? pairOf(second, first);
}

function pairOf(positive: Term, negative: Term): PlainPair | undefined {
  if (negative.tag !== 'not') return undefined;
  const [isClosed, isRightClosed] = [positive.tag === 'closed', negative.term.tag === 'closed'];
  const [left, right] = [soleOf(positive), soleOf(negative.term)];
  if (left?.tag !== 'node' || right?.tag !== 'node' || left.isWeak || right.isWeak) {
    return undefined;
  }
  if (isRightClosed && !isClosed && !isScalar(left.node)) return undefined;
  return { left, isClosed, right, isRightClosed };
}

function soleOf(term: Term): Term | undefined {
  if (term.tag !== 'closed') return term;
  return term.terms.length === 1 ? term.terms[0] : undefined;
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
    byTypes(pair) ??
    byBranches(engine, pair) ??
    byTags(engine, pair) ??
    byMembers(engine, pair) ??
    byItems(engine, pair)
  );
}

function leftTerm({ store }: Engine, { left, isClosed }: PlainPair): Term {
  return isClosed ? closedTerm(store, [left]) : left;
}

function notRight({ store }: Engine, { isRightClosed }: PlainPair, right: Term): Term {
  return notTerm(store, isRightClosed ? closedTerm(store, [right]) : right);
}

/** A reference that says nothing else is what it leads to. */
function byReference(engine: Engine, pair: PlainPair): Way | undefined {
  const left = targetOf(engine, pair.left);
  const right = targetOf(engine, pair.right);
  if (left === pair.left && right === pair.right) return undefined;
  const { store } = engine;
  const own = pair.isClosed ? closedTerm(store, [left]) : left;
  const outside = notRight(engine, pair, right);
  return inPlace((judge) => sure(engine.inhabit([own, outside], judge)));
}

function targetOf(engine: Engine, term: NodeTerm): Term {
  return (isOnlyReference(term.node.keywords) && referenceTerm(engine, term)) || term;
}

/** Of different kinds, nothing of the left is in the right. */
function byKinds(engine: Engine, pair: PlainPair): Way | undefined {
  const known = engine.store.kinds;
  if (kindsOf(known, pair.left.node) & kindsOf(known, pair.right.node)) return undefined;
  return anyOfLeft(engine, pair);
}

/** Nothing of the left is in the right: any value of it will do. */
function anyOfLeft(engine: Engine, pair: PlainPair): Way {
  const { node } = pair.left;
  const plain = plainValue(node);
  if (plain !== undefined) return inPlace(() => found(plain));
  if (!arePlain(node, node, 'object', recordKeywords)) {
    return inPlace((judge) => sure(engine.inhabit([leftTerm(engine, pair)], judge)));
  }
  const hasNull = node.keywords.types?.includes('null');
  return { isInPlace: false, find: () => (hasNull ? found(null) : objectWith(engine, pair)) };
}

/** Of a type that the right takes without a further word, or of one that it does not take. */
function byTypes({ left, right }: PlainPair): Way | undefined {
  const outside = simplestOutside(left.node, right.node);
  return outside && inPlace(() => outside);
}

/**
 * What is in one of the branches. Of `oneOf`, and as a producer writes it, that is so where no value is in
 * two of them.
 */
function byBranches(engine: Engine, pair: PlainPair): Way | undefined {
  const { node } = pair.left;
  const branches = branchesOf(engine, node, pair);
  if (branches === undefined) return undefined;
  const mustBeApart = pair.isClosed || node.keywords.oneOf !== undefined;
  if (mustBeApart && !areApart(engine, branches)) return undefined;
  const right = notRight(engine, pair, pair.right);
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

const nothingThere = inPlace(() => empty);

/** Not in the one branch that may share a value with the left: of oneOf, too, the others have no say. */
function byTags(engine: Engine, pair: PlainPair): Way | undefined {
  const branches = branchesOf(engine, pair.right.node, pair);
  if (branches === undefined) return undefined;
  const { node } = pair.left;
  const isAny = pair.right.node.keywords.anyOf !== undefined;
  const isLeft = (branch: SchemaNode): boolean => areWrittenAlike(node, branch, engine.steps);
  // A branch that leaves its place open may stand beside one that describes it.
  const isWhole = isAny && !pair.isRightClosed;
  if (isWhole && branches.some(isLeft)) return nothingThere;
  engine.steps.left -= branches.length / looksPerStep;
  const [first, ...others] = branches.filter((branch) => mayShareValue(engine, node, branch));
  if (first === undefined) return anyOfLeft(engine, pair);
  if (others.length > 0) return isWhole ? byTrying(engine, pair, [first, ...others]) : undefined;
  if (isLeft(first)) return nothingThere;
  const question = [leftTerm(engine, pair), outsideOf(engine, pair)(first)];
  return inPlace((judge) => sure(engine.inhabit(question, judge)));
}

function mayShareValue(engine: Engine, a: SchemaNode, b: SchemaNode): boolean {
  const { kinds: known, shapes } = engine.store;
  const common = kindsOf(known, a) & kindsOf(known, b);
  if (common === 0) return false;
  return common !== kindBits.object || !haveNoCommonObject(shapes, a, b);
}

/** All of the left is in one of the branches, or the search looks whether they cover it together. */
function byTrying(
  engine: Engine,
  pair: PlainPair,
  branches: readonly SchemaNode[],
): Way | undefined {
  if (branches.length > maxTried) return undefined;
  const own = leftTerm(engine, pair);
  const outside = outsideOf(engine, pair);
  const isAround = (branch: SchemaNode): boolean =>
    engine.inhabit([own, outside(branch)]).tag === 'empty';
  return inPlace(() => (branches.some(isAround) ? empty : undefined));
}

/** The branches of a node that says nothing else: each of its values is in one of them. */
function branchesOf(
  engine: Engine,
  { keywords }: SchemaNode,
  { isRightClosed }: PlainPair,
): readonly SchemaNode[] | undefined {
  const { anyOf, oneOf, types } = keywords;
  const branches = anyOf ?? oneOf;
  const most = isRightClosed ? maxClosedBranches : maxBranches;
  if (branches === undefined || (anyOf && oneOf) || branches.length > most) return undefined;
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
  const outside = outsideOf(engine, pair);
  const member = leftMembers(engine, pair);
  let isSure = true;
  for (const [key, other] of membersAsked(pair)) {
    const mine = a.properties?.get(key);
    const isAlike = mine && other && areWrittenAlike(mine, other, engine.steps);
    if (isAlike) continue;
    const refused = other === undefined ? engine.store.all : outside(other);
    const result = engine.inhabit([member(key), refused]);
    if (result.tag === 'unknown') isSure = false;
    if (result.tag === 'value') return objectWith(engine, pair, [key, result.value]);
  }
  return isSure ? empty : undefined;
}

/**
 * The keys that the right speaks of, and what it refuses there, which is all where nothing is given; for
 * all that nobody names, one.
 */
function* membersAsked({
  left,
  right,
  isRightClosed,
}: PlainPair): Generator<readonly [key: string, other: SchemaNode | undefined]> {
  const { properties: own, required = [] } = left.node.keywords;
  const { properties: others, additionalProperties } = right.node.keywords;
  for (const [key, node] of others ?? []) yield [key, node];
  const isShut = isRightClosed && others !== undefined && !saysSomething(additionalProperties);
  const rest = isShut ? undefined : additionalProperties;
  if (rest === undefined && !isShut) return;
  const named = new Set([...(own?.keys() ?? []), ...required]);
  for (const key of named) if (!others?.has(key)) yield [key, rest];
  const fresh = freshKeys.find((key) => !named.has(key) && !others?.has(key));
  yield [fresh ?? unusedKey([...named, ...(others?.keys() ?? [])]), rest];
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
  const { required, properties } = pair.left.node.keywords;
  const member = leftMembers(engine, pair);
  const members: (readonly [string, Json])[] = [];
  for (const key of required ?? []) {
    if (key === given?.[0]) continue;
    const node = properties?.get(key);
    const plain = node && plainValue(node);
    if (plain !== undefined) {
      members.push([key, plain]);
      continue;
    }
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
  const isSame = items && others && areWrittenAlike(items, others, engine.steps);
  if (others !== undefined && most > 0 && !isSame) {
    const result = engine.inhabit([own, outsideOf(engine, pair)(others)]);
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
  return childTerms(
    engine,
    left,
    isClosed ? closedChild(engine.store) : (plain) => plain,
    plainTerm,
  );
}

/** What a part of the right refuses. */
function outsideOf(engine: Engine, pair: PlainPair): (node: SchemaNode) => Term {
  const { store } = engine;
  const close = pair.isRightClosed ? closedChild(store) : (plain: Term) => plain;
  return childTerms(engine, pair.right, (plain) => notTerm(store, close(plain)), plainTerm);
}

const unionKeywords: ReadonlySet<string> = new Set(['types', 'anyOf', 'oneOf']);
const listKeywords: ReadonlySet<string> = new Set(['types', 'items', 'minItems', 'maxItems']);
const recordKeywords: ReadonlySet<string> = new Set([
  ...['types', 'properties', 'required', 'additionalProperties'],
]);

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
