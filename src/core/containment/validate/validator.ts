// Whether a value is valid under a schema. This is an interpreter with counted steps: no generated
// code (strict pages forbid it), no overflow, no hang. It shares only the parsed schema with the
// search for witnesses, because witnesses are checked with it.

import type { Steps } from '../../schema/patterns/steps.ts';
import {
  isOnlyReference,
  type Keywords,
  type SchemaNode,
  type SchemaProblem,
} from '../../schema/schema.ts';
import type { Json, JsonObject } from '../../value/json.ts';
import { isJsonObject } from '../../value/json.ts';
import { kindOf } from '../../value/value-key.ts';
import type { Notes, Said } from './validator-notes.ts';
import {
  blankNotes,
  isClosed,
  joinNotes,
  notesOf,
  nothingSaid,
  saidBy,
  sayKey,
  uncertainNotes,
} from './validator-notes.ts';
import type { Truth } from './validator-scalars.ts';
import { isFound, isWithin, passesScalars } from './validator-scalars.ts';
import type { Applied, Chain } from './validator-scope.ts';
import { dynamicTarget, enterResource, isLooping } from './validator-scope.ts';

interface ValidateOptions {
  /** Whether `format` is an assertion. Default true. */
  readonly formats?: boolean;
  /** Whether to read the schema as its producer: closed(S) instead of Valid(S). */
  readonly closed?: boolean;
  /**
   * Uses a smaller set than closed(S): schemas under `if`, `dependentSchemas` or `contains` also
   * make a place a closed one. A witness that is in this set too needs no explanation.
   */
  readonly isNarrow?: boolean;
  readonly stepBudget?: number;
  /** How much of `maxNesting` the caller has used of the same stack. */
  readonly depth?: number;
}

/** `gave_up`: the budget is spent, a reference loops, or a part of the schema cannot be read. */
export type Validity = 'accepted' | 'rejected' | 'gave_up';

/** A step takes less than a microsecond: the worst schema there is takes half a second. */
export const defaultValidationSteps = 1_000_000;

/**
 * How deep schemas may be nested, whether the next one applies to a part of the value or to the same
 * value. JSON has at most 512 levels. A level takes about a kilobyte of the stack, which has one
 * megabyte.
 */
const maxNesting = 600;

/** The most references in a row that are followed at once. They take no stack. */
const maxHops = 100;

/**
 * @example validate(parseSchema({ minimum: 3 }).root, 2) // 'rejected'
 */
export function validate(schema: SchemaNode, value: Json, options: ValidateOptions = {}): Validity {
  const run: Run = {
    steps: { left: options.stepBudget ?? defaultValidationSteps },
    usesFormats: options.formats !== false,
    isClosing: options.closed === true,
    isNarrow: options.isNarrow === true,
  };
  const { depth = 0 } = options;
  const place: Place = { value, wantsNotes: run.isClosing, isWeak: false, depth, above: null };
  const result = evaluate(run, { node: schema, scope: [] }, place);
  if (result === 'rejected') return 'rejected';
  if (result === 'unknown') return 'gave_up';
  const truth = run.isClosing ? isClosed(value, result) : true;
  return truth === undefined ? 'gave_up' : truth ? 'accepted' : 'rejected';
}

interface Run {
  readonly steps: Steps;
  readonly usesFormats: boolean;
  readonly isClosing: boolean;
  readonly isNarrow: boolean;
}

/** The value that a schema is applied to, and how. */
interface Place {
  readonly value: Json;
  readonly wantsNotes: boolean;
  /** Whether schemas here evaluate keys without declaring the place: see validator-notes.ts. */
  readonly isWeak: boolean;
  readonly depth: number;
  /** The schemas that are being applied to the same value, the innermost first. */
  readonly above: Chain | null;
}

type Result = Notes | 'rejected' | 'unknown';

function evaluate(run: Run, start: Applied, place: Place): Result {
  run.steps.left--;
  const applied = referred(run, start);
  const { node } = applied;
  if (run.steps.left < 0 || place.depth > maxNesting) return 'unknown';
  const { keywords } = node;
  if (keywords.isFalse) return 'rejected';
  const own = enterResource(applied);
  if (isLooping(own, place.above)) return 'unknown';
  const scalars = passesScalars(run, node, place.value);
  if (scalars === false || lacksDemanded(keywords.required, place.value)) return 'rejected';
  if (hasOtherTag(run, keywords, place.value)) return 'rejected';
  const asksForNotes =
    keywords.unevaluatedItems !== undefined || keywords.unevaluatedProperties !== undefined;
  const inside: Place = {
    ...place,
    wantsNotes: place.wantsNotes || asksForNotes,
    depth: place.depth + 1,
    above: { applied: own, next: place.above },
  };
  if (keywords.problems?.some((problem) => lacksSize(problem, place.value))) return 'rejected';
  const isUnread = keywords.problems?.some((problem) => concerns(problem, place.value)) ?? false;
  const known: Result = scalars === undefined || isUnread ? 'unknown' : blankNotes;
  const inPlace = conjoin(known, inPlaceTests(run, own, inside));
  if (inPlace === 'rejected') return 'rejected';
  const parts = withBoth(inPlace, evaluateParts(run, own, inside));
  if (parts === 'rejected' || !asksForNotes) return parts;
  return conjoin(parts, [(sofar) => evaluateRest(run, own, inside, sofar)]);
}

/** What a schema refers to that says nothing else. */
function referred(run: Run, start: Applied): Applied {
  let applied = start;
  for (let hops = 0; hops < maxHops; hops++) {
    const { keywords } = applied.node;
    if (keywords.ref === undefined || !isOnlyReference(keywords)) break;
    run.steps.left--;
    applied = { node: keywords.ref, scope: enterResource(applied).scope };
  }
  return applied;
}

/** Whether the schema demands a size above 2^53, which no value has. */
function lacksSize({ wideSize }: SchemaProblem, value: Json): boolean {
  return wideSize?.isExceeded === true && kindOf(value) === wideSize.kind;
}

function concerns({ concerns: keys, wideSize }: SchemaProblem, value: Json): boolean {
  if (wideSize !== undefined) return false;
  if (keys === undefined) return true;
  return isJsonObject(value) && keys.some((key) => Object.hasOwn(value, key));
}

/**
 * Checked before the branches, because most branches of a large union demand a key that the value
 * does not have.
 */
function lacksDemanded(required: readonly string[] | undefined, value: Json): boolean {
  if (required === undefined || !isJsonObject(value)) return false;
  return !required.every((key) => Object.hasOwn(value, key));
}

/**
 * Whether a property of its own has a value that is refused at a glance. Also checked before the branches,
 * because a variant of a large union may state its tag next to the schemas that it includes.
 */
function hasOtherTag(run: Run, { allOf, ref, properties }: Keywords, value: Json): boolean {
  if (properties === undefined || (allOf ?? ref) === undefined || !isJsonObject(value))
    return false;
  for (const [key, node] of properties) {
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    if (member !== undefined && passesScalars(run, node, member) === false) return true;
  }
  return false;
}

/** Gets the notes so far. If the start was unknown, they are uncertain. */
type Test = (sofar: Notes) => Result;

/** All tests must accept. A certain rejection outweighs unknown results. */
function conjoin(start: Exclude<Result, 'rejected'>, tests: readonly Test[]): Result {
  let notes = start === 'unknown' ? uncertainNotes : start;
  let isSure = start !== 'unknown';
  for (const test of tests) {
    const result = test(notes);
    if (result === 'rejected') return 'rejected';
    if (result === 'unknown') isSure = false;
    notes = joinNotes(notes, result === 'unknown' ? uncertainNotes : result);
  }
  return isSure ? notes : 'unknown';
}

function withBoth(first: Exclude<Result, 'rejected'>, second: Result): Result {
  if (second === 'rejected') return 'rejected';
  return first === 'unknown' || second === 'unknown' ? 'unknown' : joinNotes(first, second);
}

function asResult(truth: Truth): Result {
  return truth === undefined ? 'unknown' : truth ? blankNotes : 'rejected';
}

/** The keywords that apply other schemas to the same value. */
function inPlaceTests(run: Run, { node, scope }: Applied, place: Place): readonly Test[] {
  const { keywords } = node;
  if (!isApplied(keywords)) return noTests;
  const tests: Test[] = [];
  const apply = (target: SchemaNode, how: Place = place): Result =>
    evaluate(run, { node: target, scope }, how);
  const { ref, dynamicRef, allOf, anyOf, oneOf, not } = keywords;
  if (ref !== undefined) tests.push(() => apply(ref));
  if (dynamicRef !== undefined) {
    const { anchor, target } = dynamicRef;
    tests.push(() => apply(dynamicTarget(scope, anchor) ?? target));
  }
  for (const branch of allOf ?? []) tests.push(() => apply(branch));
  if (anyOf !== undefined) tests.push(() => applyAny(anyOf, apply, place.wantsNotes));
  if (oneOf !== undefined) tests.push(() => applyOne(oneOf, apply));
  if (not !== undefined) {
    tests.push(() => {
      const result = apply(not, { ...place, wantsNotes: false });
      return result === 'unknown' ? 'unknown' : asResult(result === 'rejected');
    });
  }
  if (keywords.if !== undefined) tests.push(() => applyCondition(node, apply, place));
  if (keywords.dependentSchemas !== undefined && isJsonObject(place.value)) {
    for (const [key, schema] of keywords.dependentSchemas) {
      if (Object.hasOwn(place.value, key)) {
        tests.push(() => apply(schema, { ...place, isWeak: true }));
      }
    }
  }
  return tests;
}

const noTests: readonly Test[] = [];

function isApplied(keywords: Keywords): boolean {
  for (const name in keywords) if (inPlaceKeywords.has(name)) return true;
  return false;
}

const inPlaceKeywords = new Set<string>([
  ...['ref', 'dynamicRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'dependentSchemas'],
]);

type Apply = (target: SchemaNode, how?: Place) => Result;

function applyAny(branches: readonly SchemaNode[], apply: Apply, wantsNotes: boolean): Result {
  let accepted: Notes | null = null;
  let isSure = true;
  for (const branch of branches) {
    const result = apply(branch);
    if (result === 'rejected') continue;
    if (result === 'unknown') isSure = false;
    else if (!wantsNotes) return result;
    else accepted = joinNotes(accepted ?? blankNotes, result);
  }
  if (accepted === null) return isSure ? 'rejected' : 'unknown';
  return isSure ? accepted : joinNotes(accepted, uncertainNotes);
}

function applyOne(branches: readonly SchemaNode[], apply: Apply): Result {
  let accepted: Notes | null = null;
  let isSure = true;
  for (const branch of branches) {
    const result = apply(branch);
    if (result === 'rejected') continue;
    if (result === 'unknown') isSure = false;
    else if (accepted !== null) return 'rejected';
    else accepted = result;
  }
  if (!isSure) return 'unknown';
  return accepted ?? 'rejected';
}

function applyCondition(node: SchemaNode, apply: Apply, place: Place): Result {
  const { if: condition, then, else: otherwise } = node.keywords;
  if (condition === undefined) return blankNotes;
  const asked = apply(condition, { ...place, isWeak: true });
  const whenTrue = (): Result => (then === undefined ? blankNotes : apply(then));
  const whenFalse = (): Result => (otherwise === undefined ? blankNotes : apply(otherwise));
  if (asked === 'rejected') return whenFalse();
  if (asked !== 'unknown') return conjoin(asked, [whenTrue]);
  const [first, second] = [whenTrue(), whenFalse()];
  return first === 'rejected' && second === 'rejected' ? 'rejected' : 'unknown';
}

/** The keywords that apply other schemas to the parts of the value. */
function evaluateParts(run: Run, applied: Applied, place: Place): Result {
  const { value } = place;
  if (Array.isArray(value)) return evaluateItems(run, applied, place, value);
  return isJsonObject(value) ? evaluateMembers(run, applied, place, value) : blankNotes;
}

/** A part of the value. Notes about it are needed only if closed(S) is asked for. */
function partOf(run: Run, place: Place, value: Json): Place {
  return { ...place, value, wantsNotes: run.isClosing, above: null };
}

function evaluateItems(run: Run, applied: Applied, place: Place, list: readonly Json[]): Result {
  const { prefixItems, items } = applied.node.keywords;
  const prefix = prefixItems?.length ?? 0;
  const parts = new Map<number, Notes>();
  let isSure = true;
  const last = items === undefined ? Math.min(prefix, list.length) : list.length;
  for (let index = 0; index < last; index++) {
    const node = index < prefix ? prefixItems?.[index] : items;
    if (node === undefined) continue;
    const how = partOf(run, place, list[index] ?? null);
    const result = evaluate(run, { node, scope: applied.scope }, how);
    if (result === 'rejected') return 'rejected';
    if (result === 'unknown') isSure = false;
    else if (run.isClosing) parts.set(index, result);
  }
  if (!isSure) return contained(run, applied, place, list) === 'rejected' ? 'rejected' : 'unknown';
  const own: Notes = { ...blankNotes, itemCount: last, parts };
  return conjoin(last === 0 ? blankNotes : own, [() => contained(run, applied, place, list)]);
}

function contained(run: Run, applied: Applied, place: Place, list: readonly Json[]): Result {
  const { contains } = applied.node.keywords;
  if (contains === undefined) return blankNotes;
  const parts = new Map<number, Notes>();
  const items = new Set<number>();
  let unsure = 0;
  for (const [index, item] of list.entries()) {
    const how = { ...partOf(run, place, item), isWeak: true };
    const result = evaluate(run, { node: contains.schema, scope: applied.scope }, how);
    if (result === 'rejected') continue;
    if (result === 'unknown') unsure++;
    else {
      items.add(index);
      if (run.isClosing) parts.set(index, result);
    }
  }
  const max = contains.max ?? Number.POSITIVE_INFINITY;
  if (items.size > max || items.size + unsure < contains.min) return 'rejected';
  if (items.size < contains.min || items.size + unsure > max) return 'unknown';
  const notes = {
    ...{ ...blankNotes, parts },
    items: contains.evaluates === true ? items : blankNotes.items,
    hasDisputedItems: contains.evaluates === 'disputed',
  };
  return unsure > 0 ? joinNotes(notes, uncertainNotes) : notes;
}

function evaluateMembers(run: Run, applied: Applied, place: Place, value: JsonObject): Result {
  const { keywords } = applied.node;
  const keys = Object.keys(value);
  if (!isWithin(keys.length, keywords.minProperties, keywords.maxProperties)) return 'rejected';
  const isMissing = (key: string): boolean => !Object.hasOwn(value, key);
  for (const [key, needed] of keywords.dependentRequired ?? []) {
    if (!isMissing(key) && needed.some(isMissing)) return 'rejected';
  }
  const said = nothingSaid();
  for (const key of keys) {
    const truth = evaluateMember(run, applied, place, { key, value: value[key] ?? null, said });
    if (truth === false) return 'rejected';
    const name = evaluateName(run, applied, place, key);
    if (name === false) return 'rejected';
    if (truth === undefined || name === undefined) said.isSure = false;
  }
  if (!said.isSure) return 'unknown';
  const isDeclaring = keywords.properties !== undefined || keywords.patternProperties !== undefined;
  const declares = run.isClosing && isDeclaring && (run.isNarrow || !place.isWeak);
  return place.wantsNotes ? { ...notesOf(said), declares } : blankNotes;
}

interface Member {
  readonly key: string;
  readonly value: Json;
  readonly said: Said;
}

function evaluateName(run: Run, applied: Applied, place: Place, key: string): Truth {
  const { propertyNames } = applied.node.keywords;
  if (propertyNames === undefined) return true;
  const how = { ...partOf(run, place, key), wantsNotes: false };
  const result = evaluate(run, { node: propertyNames, scope: applied.scope }, how);
  return result === 'unknown' ? undefined : result !== 'rejected';
}

function evaluateMember(run: Run, applied: Applied, place: Place, member: Member): Truth {
  const { properties, patternProperties, additionalProperties } = applied.node.keywords;
  const how = partOf(run, place, member.value);
  run.steps.left--;
  const schemas: SchemaNode[] = [];
  const named = properties?.get(member.key);
  if (named !== undefined) schemas.push(named);
  let isSure = true;
  for (const [pattern, schema] of patternProperties ?? []) {
    const found = isFound(run, pattern, member.key);
    if (found === true) schemas.push(schema);
    else if (found === undefined) isSure = false;
  }
  const isNamed = schemas.length > 0;
  if (!isNamed && isSure && additionalProperties !== undefined) schemas.push(additionalProperties);
  if (schemas.length === 0) return isSure ? true : undefined;
  const apply = (node: SchemaNode): Result => evaluate(run, { node, scope: applied.scope }, how);
  const [first, second] = schemas;
  const inside =
    first !== undefined && second === undefined
      ? apply(first)
      : conjoin(
          blankNotes,
          schemas.map((node) => () => apply(node)),
        );
  if (inside === 'rejected') return false;
  if (inside === 'unknown' || !isSure) return undefined;
  if (place.wantsNotes) {
    const by = isNamed ? 'something' : saidBy(additionalProperties);
    sayKey(member.said, member.key, inside, by);
  }
  return true;
}

/**
 * Applies `unevaluatedProperties` and `unevaluatedItems`, after all other notes have been
 * collected.
 */
function evaluateRest(run: Run, applied: Applied, place: Place, sofar: Notes): Result {
  const { unevaluatedProperties, unevaluatedItems } = applied.node.keywords;
  const { value } = place;
  const judge = (node: SchemaNode, part: Json): Result => {
    const how = partOf(run, place, part);
    const result = evaluate(run, { node, scope: applied.scope }, how);
    // If a branch is undecided, the part may be evaluated after all, so only acceptance is certain.
    const isUncertain = sofar.isUncertain || (Array.isArray(value) && sofar.hasDisputedItems);
    return result === 'rejected' && isUncertain ? 'unknown' : result;
  };
  if (Array.isArray(value) && unevaluatedItems !== undefined) {
    const parts = new Map<number, Notes>();
    let isSure = true;
    for (const [index, item] of value.entries()) {
      if (index < sofar.itemCount || sofar.items.has(index)) continue;
      const result = judge(unevaluatedItems, item);
      if (result === 'rejected') return 'rejected';
      if (result === 'unknown') isSure = false;
      else parts.set(index, result);
    }
    return isSure ? { ...blankNotes, itemCount: value.length, parts } : 'unknown';
  }
  if (!isJsonObject(value) || unevaluatedProperties === undefined) return blankNotes;
  const said = nothingSaid();
  for (const key of Object.keys(value)) {
    if (sofar.keys.has(key)) continue;
    const result = judge(unevaluatedProperties, value[key] ?? null);
    if (result === 'rejected') return 'rejected';
    if (result === 'unknown') said.isSure = false;
    else sayKey(said, key, result, saidBy(unevaluatedProperties));
  }
  return said.isSure ? notesOf(said) : 'unknown';
}
