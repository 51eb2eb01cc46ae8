// Finds a whole value that one side emits and the other refuses, and that shows one particular
// change.

import type { OpenComparison } from '../../containment/contains.ts';
import { validate } from '../../containment/validate/validator.ts';
import type { SchemaNode } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import { matchesKey } from '../places/key-pattern.ts';
import type { Place, PlaceBook } from '../places/place.types.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import { placedIn } from '../walk/value-parts.ts';
import type { PlacePair, Reached, ValueStep } from '../walk/walk.types.ts';
import { demandOf } from '../walk/walk-scalars.ts';
import { branchesAbove, isApart, siblingsOf } from './siblings.ts';

/** One question of containment: does `right` accept every value that `left` emits? */
export interface Containment {
  /** The side that emits the values. */
  readonly emits: 'old' | 'new';
  readonly left: SchemaNode;
  readonly right: SchemaNode;
  /**
   * A narrower form of `right` that is cheaper to ask about: `right` accepts everything that it
   * accepts.
   */
  readonly inner: SchemaNode | null;
  /** Whether a demanded property may be removed. `right` then no longer contains the demand. */
  readonly forgivesRemoval: boolean;
  /**
   * Whether the values are those that the producer of `left` writes. Otherwise they are all values
   * that `left` accepts: a later version may write them.
   */
  readonly isWritten: boolean;
}

export interface WitnessSearch {
  readonly emits: 'old' | 'new';
  /**
   * Returns a whole value whose part at the pair's place fits the focus and is refused by the
   * demand: one that shows no other change, if one is found.
   */
  find(wanted: Wanted): Json | null;
  /** Whether the last search ended without a value because neither the part nor the whole was decided. */
  isOpen(): boolean;
  /** Whether the other branches of the unions on the way refused the value before, too. */
  isApart(pair: PlacePair, whole: Json): boolean;
  refuses(node: SchemaNode, value: Json): boolean;
  accepts(node: SchemaNode, value: Json): boolean;
}

/**
 * The maximum nesting of a witness. JSON is read to 512 levels, and a deeper value than this is
 * hard to read.
 */
const maxTrail = 200;

/**
 * The maximum number of questions about the whole schemas for single changes. Each may cost as much
 * as the verdict.
 */
const maxWholeQuestions = 40;

export function openWitnessSearch(
  session: OpenComparison,
  book: PlaceBook,
  containment: Containment,
): WitnessSearch {
  const judging: Judging = {
    session,
    book,
    containment,
    nothing: demandOf(book, { isFalse: true }),
    examples: new Map(),
    questions: { left: maxWholeQuestions },
    common: undefined,
    isOpen: false,
  };
  return {
    emits: containment.emits,
    accepts: (node, value) => validate(node, value) === 'accepted',
    refuses: (node, value) => validate(node, value) === 'rejected',
    find: (wanted) => findWitness(judging, wanted),
    isOpen: () => judging.isOpen,
    isApart: (pair, whole) => isApart(book, containment.emits, pair, whole),
  };
}

interface Judging {
  readonly session: OpenComparison;
  /** The schema of the emitting side. */
  readonly book: PlaceBook;
  readonly containment: Containment;
  readonly nothing: SchemaNode;
  /** For each place that was asked about, a value that is emitted there, by the step that leads into it. */
  readonly examples: Map<PlacePair, Map<string, Json | null>>;
  readonly questions: { left: number };
  common: Json | null | undefined;
  isOpen: boolean;
}

interface Wanted {
  readonly pair: PlacePair;
  readonly demand: SchemaNode;
  readonly focus: SchemaNode | undefined;
  readonly known: Json | undefined;
  /** Whether a value shows this change even if every other change is undone. */
  readonly isOwn: (whole: Json) => boolean;
}

/**
 * First looks for a value of the place alone and puts it into an example of the whole. This is
 * quick and nearly always enough. Otherwise the engine is asked about the whole.
 */
function findWitness(judging: Judging, wanted: Wanted): Json | null {
  const { pair, demand, focus, known, isOwn } = wanted;
  const { session, book, containment, nothing } = judging;
  const refused = demandOf(book, { not: demand });
  const local = focus === undefined ? [refused] : [focus, refused];
  const here = demandOf(book, { allOf: [placeNode(judging, pair), ...local] });
  let shared: Json | null = null;
  const part = session.contains(here, nothing, { closed: containment.isWritten });
  judging.isOpen = part.verdict === 'undecided';
  // Most candidates that break nothing end here, without the rest of the schema.
  if (part.verdict === 'yes' || isDeeperThan(pair, maxTrail)) return null;
  if (part.verdict === 'no') {
    const rootPair = rootOf(pair);
    const bases = [
      () => exampleAt(judging, rootPair, null),
      () => known,
      () => commonExample(judging),
    ];
    for (const makeBase of bases) {
      const base = makeBase();
      if (base === null || base === undefined) continue;
      const whole = placedIn(pair, part.witness, base, {
        example: (at, step) => exampleAt(judging, at, step),
        otherKey: (pattern, taken) => otherKey(judging, pattern, taken),
      });
      if (whole === null || !isWitness(judging, whole)) continue;
      if (isOwn(whole)) return whole;
      shared ??= whole;
    }
  }
  const isBetween = [...branchesAbove(pair)].some(
    (at) => siblingsOf(containment.emits, at).length > 0,
  );
  // Apart from the other branches, such a value is one of this change alone.
  for (const isAlone of isBetween ? [true, false] : [false]) {
    if (shared !== null && !isAlone) break;
    const whole = askWhole(judging, pair, demandOf(book, { allOf: local }), isAlone);
    if (whole !== null) return whole;
  }
  return shared;
}

function askWhole(
  judging: Judging,
  pair: PlacePair,
  wanted: SchemaNode,
  isAlone: boolean,
): Json | null {
  const { session, book, containment } = judging;
  if (judging.questions.left <= 0) return null;
  judging.questions.left--;
  const within = withinRoot(judging, pair, wanted, isAlone);
  if (within === null) return null;
  const whole = demandOf(book, { allOf: [containment.left, within] });
  const answer = session.contains(whole, containment.right, { closed: containment.isWritten });
  if (answer.verdict === 'yes' && !isAlone) judging.isOpen = false;
  return answer.verdict === 'no' && isWitness(judging, answer.witness) ? answer.witness : null;
}

/** A value that both sides accept: what is put into it is all that is refused. */
function commonExample(judging: Judging): Json | null {
  const { session, book, containment, nothing } = judging;
  if (judging.common === undefined) {
    const { left, right, isWritten } = containment;
    const both = demandOf(book, { allOf: [left, right] });
    const answer = session.contains(both, nothing, { closed: isWritten });
    judging.common = answer.verdict === 'no' ? answer.witness : null;
  }
  return judging.common;
}

function isDeeperThan(pair: PlacePair, limit: number): boolean {
  let depth = 0;
  for (let at = pair.from; at !== null && depth <= limit; at = at.parent.from) depth++;
  return depth > limit;
}

function rootOf(pair: PlacePair): PlacePair {
  let root = pair;
  while (root.from !== null) root = root.from.parent;
  return root;
}

/** A value of the place, of the kind that the step leads into. */
function exampleAt(judging: Judging, pair: PlacePair, step: ValueStep | null): Json | null {
  const examples = judging.examples.get(pair) ?? new Map<string, Json | null>();
  judging.examples.set(pair, examples);
  const name = step?.kind === 'key' ? `.${step.key}` : (step?.kind ?? 'branch');
  const known = examples.get(name);
  if (known !== undefined) return known;
  const { session, nothing, containment, book } = judging;
  const closed = containment.isWritten;
  const place = placeNode(judging, pair);
  const held = step === null ? null : heldBy(book, step);
  const wanted = held === null ? place : demandOf(book, { allOf: [place, held] });
  const answer = session.contains(wanted, nothing, { closed });
  const example = answer.verdict === 'no' ? answer.witness : null;
  examples.set(name, example);
  return example;
}

/** What a value must be for the step to lead into it; null if that is given. */
function heldBy(book: PlaceBook, step: ValueStep): SchemaNode | null {
  switch (step.kind) {
    case 'key':
      return demandOf(book, { types: ['object'], required: [step.key] });
    case 'other_key':
      return demandOf(book, { types: ['object'] });
    case 'index':
      return demandOf(book, { types: ['array'] });
    case 'branch':
      return null;
    default:
      return step satisfies never;
  }
}

/** Whether one side emits a value and the other refuses it, according to the validator. */
function isWitness({ containment }: Judging, value: Json): boolean {
  return (
    validate(containment.right, value) === 'rejected' &&
    validate(containment.left, value, { closed: containment.isWritten }) === 'accepted'
  );
}

/**
 * Everything that applies at the place of the emitting side. If the place is a branch, this
 * includes the places above that it is a branch of.
 */
function placeNode(judging: Judging, pair: PlacePair): SchemaNode {
  const nodes: SchemaNode[] = [];
  for (let at: PlacePair | null = pair; at !== null; at = branchParent(at)) {
    nodes.push(nodeOfPlace(judging.book, sideOf(judging, at)));
  }
  const [only] = nodes;
  return only !== undefined && nodes.length === 1 ? only : demandOf(judging.book, { allOf: nodes });
}

function branchParent(pair: PlacePair): PlacePair | null {
  return pair.from?.step.kind === 'branch' ? pair.from.parent : null;
}

function sideOf(judging: Judging, pair: PlacePair): Place {
  return judging.containment.emits === 'old' ? pair.old : pair.next;
}

/** A schema of whole values that have a wanted value at this place. */
function withinRoot(
  judging: Judging,
  pair: PlacePair,
  wanted: SchemaNode,
  isAlone: boolean,
): SchemaNode | null {
  let node: SchemaNode | null = wanted;
  let at: PlacePair = pair;
  while (at.from !== null && node !== null) {
    const { parent, step }: Reached = at.from;
    const { book } = judging;
    const inner: SchemaNode = node;
    switch (step.kind) {
      case 'key':
        node = withKey(book, step.key, inner);
        break;
      case 'other_key': {
        const key = otherKey(judging, step.pattern, step.known);
        node = key === null ? null : withKey(book, key, inner);
        break;
      }
      case 'index': {
        const before = Array.from({ length: step.index }, () => nodeOfPlace(book, book.anything));
        const prefixItems = [...before, inner];
        node = demandOf(book, { types: ['array'], prefixItems, minItems: step.index + 1 });
        break;
      }
      case 'branch':
        node = demandOf(book, {
          allOf: [
            nodeOfPlace(book, sideOf(judging, at)),
            inner,
            ...(isAlone ? siblingsOf(judging.containment.emits, at) : []).map((place) =>
              demandOf(book, { not: nodeOfPlace(book, place) }),
            ),
          ],
        });
        break;
      default:
        step satisfies never;
    }
    at = parent;
  }
  return node;
}

/** Objects with such a value under the key. */
export function withKey(book: PlaceBook, key: string, node: SchemaNode): SchemaNode {
  return demandOf(book, { types: ['object'], properties: new Map([[key, node]]), required: [key] });
}

const plainKeys = ['key', 'name', 'other', 'extra', 'x', 'a', 'k1', 'k2'];

/** A key that no name covers. If there is a pattern, the key matches it. */
function otherKey(
  { session, book }: Judging,
  pattern: string | null,
  known: ReadonlySet<string>,
): string | null {
  const isFree = (key: string) =>
    !known.has(key) && (pattern === null || matchesKey(book.document, pattern, key));
  const plain = plainKeys.find(isFree);
  if (plain !== undefined) return plain;
  const names = demandOf(book, { enum: [...known] });
  const node = demandOf(book, {
    types: ['string'],
    ...(pattern === null ? { minLength: 1 } : { pattern }),
    ...(known.size === 0 ? {} : { not: names }),
  });
  const example = session.example(node);
  return typeof example?.value === 'string' && isFree(example.value) ? example.value : null;
}
