// A whole value that one side emits, the other refuses, and that shows one change.

import type { OpenComparison } from '../../containment/contains.ts';
import { validate } from '../../containment/validate/validator.ts';
import type { SchemaNode } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import { matchesKey } from '../places/key-pattern.ts';
import type { Place, PlaceBook } from '../places/place.types.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import { placedIn } from '../walk/value-parts.ts';
import type { PlacePair, Reached } from '../walk/walk.types.ts';
import { demandOf } from '../walk/walk-scalars.ts';

/** One containment: is every value that `left` emits accepted by `right`? */
export interface Containment {
  /** Which side emits the values. */
  readonly emits: 'old' | 'new';
  readonly left: SchemaNode;
  readonly right: SchemaNode;
  /** A part of `right` that is quicker to ask about: what is in it, is in `right`. */
  readonly inner: SchemaNode | null;
  /** Whether a property may go although it was demanded: the demand is not in `right` any more. */
  readonly forgivesRemoval: boolean;
  /**
   * Whether the values are those that the producer of `left` writes. Otherwise they are all that `left` accepts:
   * what one of its next versions may write.
   */
  readonly isWritten: boolean;
}

export interface WitnessSearch {
  readonly emits: 'old' | 'new';
  /** A value whose part at the pair's place meets the focus and is refused by the demand. */
  find(
    pair: PlacePair,
    demand: SchemaNode,
    focus: SchemaNode | undefined,
    known: Json | undefined,
  ): Json | null;
  refuses(node: SchemaNode, value: Json): boolean;
  accepts(node: SchemaNode, value: Json): boolean;
}

/** A value nests this deep at most: JSON is read to 512 levels, and people read fewer. */
const maxTrail = 200;

/** Questions about the whole schemas for single changes: each may cost what the verdict cost. */
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
  };
  return {
    emits: containment.emits,
    accepts: (node, value) => validate(node, value) === 'accepted',
    refuses: (node, value) => validate(node, value) === 'rejected',
    find: (pair, demand, focus, known) => findWitness(judging, { pair, demand, focus, known }),
  };
}

interface Judging {
  readonly session: OpenComparison;
  /** The schema of the side that emits. */
  readonly book: PlaceBook;
  readonly containment: Containment;
  readonly nothing: SchemaNode;
  /** A value that is emitted at each place asked about. */
  readonly examples: Map<PlacePair, Json | null>;
  readonly questions: { left: number };
}

interface Wanted {
  readonly pair: PlacePair;
  readonly demand: SchemaNode;
  readonly focus: SchemaNode | undefined;
  readonly known: Json | undefined;
}

/**
 * First a value of the place alone, put into an example of the whole; that is quick, and nearly
 * always enough. Then the engine is asked about the whole.
 */
function findWitness(judging: Judging, { pair, demand, focus, known }: Wanted): Json | null {
  const { session, book, containment, nothing } = judging;
  const refused = demandOf(book, { not: demand });
  const local = focus === undefined ? [refused] : [focus, refused];
  const here = demandOf(book, { allOf: [placeNode(judging, pair), ...local] });
  const part = session.contains(here, nothing, { closed: containment.isWritten });
  // Most candidates that break nothing are found out here, without the rest of the schema.
  if (part.verdict === 'yes' || isDeeperThan(pair, maxTrail)) return null;
  if (part.verdict === 'no') {
    const rootPair = rootOf(pair);
    for (const base of [exampleAt(judging, rootPair), known]) {
      if (base === null || base === undefined) continue;
      const whole = placedIn(pair, part.witness, base, {
        example: (at) => exampleAt(judging, at),
        otherKey: (pattern, taken) => otherKey(judging, pattern, taken),
      });
      if (whole !== null && isWitness(judging, whole)) return whole;
    }
  }
  if (judging.questions.left <= 0) return null;
  judging.questions.left--;
  const wanted = withinRoot(judging, pair, demandOf(book, { allOf: local }));
  if (wanted === null) return null;
  const whole = demandOf(book, { allOf: [containment.left, wanted] });
  const answer = session.contains(whole, containment.right, {
    closed: containment.isWritten,
  });
  return answer.verdict === 'no' && isWitness(judging, answer.witness) ? answer.witness : null;
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

function exampleAt(judging: Judging, pair: PlacePair): Json | null {
  const known = judging.examples.get(pair);
  if (known !== undefined) return known;
  const { session, nothing, containment } = judging;
  const closed = containment.isWritten;
  const answer = session.contains(placeNode(judging, pair), nothing, { closed });
  const example = answer.verdict === 'no' ? answer.witness : null;
  judging.examples.set(pair, example);
  return example;
}

/** A value that one side emits and the other refuses, by the validator. */
function isWitness({ containment }: Judging, value: Json): boolean {
  return (
    validate(containment.right, value) === 'rejected' &&
    validate(containment.left, value, { closed: containment.isWritten }) === 'accepted'
  );
}

/** Everything that holds at the emitting side's place, the places it is a branch of included. */
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

/** A schema for the whole value that says: at this place stands a value like this. */
function withinRoot(judging: Judging, pair: PlacePair, wanted: SchemaNode): SchemaNode | null {
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
        node = demandOf(book, { allOf: [nodeOfPlace(book, sideOf(judging, at)), inner] });
        break;
      default:
        step satisfies never;
    }
    at = parent;
  }
  return node;
}

function withKey(book: PlaceBook, key: string, node: SchemaNode): SchemaNode {
  return demandOf(book, { types: ['object'], properties: new Map([[key, node]]), required: [key] });
}

const plainKeys = ['key', 'name', 'other', 'extra', 'x', 'a', 'k1', 'k2'];

/** A key that no name covers, and that matches the pattern where there is one. */
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
