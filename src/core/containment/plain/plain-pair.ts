// Finds a value in one schema and not in another if both have plain shapes: records, lists, and
// unions whose branches are distinguished by a tag. Most questions are about two versions of such a
// schema. Each equals a few smaller questions, which are asked before anything is unfolded into
// forms.
//
// The smaller questions are exactly equal to the question that they replace. The search (search.ts)
// answers what has no plain shape, and what the smaller questions leave undecided.

import { areWrittenAlike } from '../../same/written-alike.ts';
import type { SchemaNode } from '../../schema/schema.ts';
import { isOnlyReference, saysSomething } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import { haveNoCommonObject, overlappingBranches } from '../terms/apart.ts';
import type { Engine, Found, Judge } from '../terms/engine.types.ts';
import { empty, found } from '../terms/engine.types.ts';
import { closedTerm, notTerm } from '../terms/forms.ts';
import type { NodeTerm, Term } from '../terms/forms.types.ts';
import { kindBits, kindsOf } from '../terms/node-kinds.ts';
import { childTerms, closedChild, isScalar, referenceTerm } from '../terms/term-scope.ts';
import { plainTerm } from './plain-term.ts';
import { plainValue, saysOnly, simplestOutside } from './plain-value.ts';

/**
 * Each branch of one side is compared with each of the other: a few hundred comparisons of tags.
 * The search compares the branches of larger unions all together.
 */
const maxBranches = 32;
/** The branches compared in one step. */
const looksPerStep = 4;
/** The limit for closed unions. The search has only approximations of larger ones. */
const maxClosedBranches = 300;
/** The most overlapping branches that are tried one by one. */
const maxTried = 2;
/** The most items of a list that are written out. */
const maxItemsWritten = 16;

/** Asks for a value in `left` and not in `right`. Each is closed if the question says so. */
interface PlainPair {
  readonly left: NodeTerm;
  readonly isClosed: boolean;
  readonly right: NodeTerm;
  /** Whether the value must be outside of closed(right), instead of outside of right. */
  readonly isRightClosed: boolean;
}

/** The plain pair of two terms, if a conjunction is one. */
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

/** A way to answer a pair by smaller questions. */
export interface Way {
  /** Whether the smaller questions are about the same value, and not about parts of it. */
  readonly isInPlace: boolean;
  /** Finds a value of the pair; undefined if a smaller question is undecided. */
  find(judge: Judge | undefined): Found | undefined;
}

/** Undefined if the pair has no plain shape. */
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

/** Replaces a reference without other keywords by its target. */
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

/** If the two have no kind in common, no value of the left is in the right. */
function byKinds(engine: Engine, pair: PlainPair): Way | undefined {
  const known = engine.store.kinds;
  if (kindsOf(known, pair.left.node) & kindsOf(known, pair.right.node)) return undefined;
  return anyOfLeft(engine, pair);
}

/** Finds any value of the left, for pairs where none of them is in the right. */
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

/**
 * The right accepts all types of the left, or there is a value of a type that it does not accept.
 */
function byTypes({ left, right }: PlainPair): Way | undefined {
  const outside = simplestOutside(left.node, right.node);
  return outside && inPlace(() => outside);
}

/**
 * Asks about each branch of the left. For `oneOf` and for closed(left), this is the same question
 * only if no value is in two branches.
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

/**
 * Asks about the only branch of the right that may share a value with the left. The others do not
 * matter, not even for `oneOf`.
 */
function byTags(engine: Engine, pair: PlainPair): Way | undefined {
  const branches = branchesOf(engine, pair.right.node, pair);
  if (branches === undefined) return undefined;
  const { node } = pair.left;
  const isAny = pair.right.node.keywords.anyOf !== undefined;
  const isLeft = (branch: SchemaNode): boolean => areWrittenAlike(node, branch, engine.steps);
  // Not for closed(right): another branch that also holds may describe what this one leaves open.
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

/**
 * Empty if one branch contains all of the left. If none does, the search checks whether they
 * contain it together.
 */
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

/** The branches of a node without other keywords, so that each of its values is in one of them. */
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
  // `type: object` adds nothing if the branches accept only objects.
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

/**
 * Finds an object that lacks a member that the right requires, or has one that the right refuses.
 */
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
 * The keys that the right constrains, each with its schema there, or undefined if the right refuses
 * every value. One unused key represents all keys that neither side names.
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

/** A key longer than all of them. */
function unusedKey(keys: readonly string[]): string {
  return 'x'.repeat(1 + keys.reduce((most, key) => Math.max(most, key.length), 0));
}

/** The smallest object of the left with one given member; `empty` if there is none. */
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

/** The term of each member of the left, by its key; `none` if it must be absent. */
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

/**
 * Finds a list that is too short or too long for the right, or has an item that the right refuses.
 */
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

/** The complement of a part of the right. */
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

/**
 * Whether the left accepts only values of the kind and null, the right accepts the kind, and
 * neither has other keywords.
 */
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

/** If a part is undecided, the whole may still be decided: the search asks in a different way. */
function sure(result: Found): Found | undefined {
  return result.tag === 'unknown' ? undefined : result;
}
