// Whether a change breaks, and the value that shows it: containment asked of the whole schemas
// decides, and asked of single places it tells which of the candidates explain the answer.

import type { OpenComparison } from '../containment/contains.ts';
import type { Json } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { SchemaNode } from '../schema/schema.ts';
import { matchesKey } from './key-pattern.ts';
import type { Place, PlaceBook } from './place.ts';
import { nodeOfPlace } from './view-keywords.ts';
import type { Candidate, PlacePair, Reached } from './walk.types.ts';
import { demandOf } from './walk-scalars.ts';

/** One containment: is every value that `left` emits accepted by `right`? */
export interface Containment {
  /** Which side emits the values. */
  readonly emits: 'old' | 'new';
  readonly left: SchemaNode;
  readonly right: SchemaNode;
  /** Whether a property may go although it was demanded: the demand is not in `right` any more. */
  readonly forgivesRemoval: boolean;
}

export interface Judgement {
  readonly verdict: 'yes' | 'no' | 'undecided';
  /** Where the verdict is undecided. */
  readonly place: string;
  readonly reason: string;
  /** A whole value that shows the verdict no. */
  readonly witness?: Json;
  /** The candidates that break, with the whole value that shows it and the part it is about. */
  readonly explained: ReadonlyMap<Candidate, Explanation>;
}

export interface Explanation {
  readonly witness: Json;
  /** The part of the witness at the candidate's place; absent where the place is not in it. */
  readonly part?: Json;
}

/** As many changes are explained by a value of their own; more than anybody reads. */
const maxExplained = 1_000;

export function judge(
  session: OpenComparison,
  books: { readonly old: PlaceBook; readonly next: PlaceBook },
  containment: Containment,
  candidates: readonly Candidate[],
): Judgement {
  const { left, right, emits } = containment;
  const answer = session.contains(left, right, { closed: true });
  const explained = new Map<Candidate, Explanation>();
  if (answer.verdict === 'yes') return { verdict: 'yes', place: '', reason: '', explained };
  const book = emits === 'old' ? books.old : books.next;
  const judging: Judging = { session, book, containment };
  const known = answer.verdict === 'no' ? answer.witness : undefined;
  for (const each of candidates) {
    if (explained.size >= maxExplained) break;
    const explanation = explain(judging, each, known);
    if (explanation !== null) explained.set(each, explanation);
  }
  if (answer.verdict === 'no') {
    const { witness } = answer;
    return { verdict: 'no', place: '', reason: '', witness, explained };
  }
  const [first] = explained.values();
  const { place, reason } = answer;
  if (first === undefined) return { verdict: 'undecided', place, reason, explained };
  // What could not be decided for the whole has been shown by a part.
  return { verdict: 'no', place, reason, witness: first.witness, explained };
}

/** Whether a demand asks anything of the place at all; it may be said in other words already. */
export function isVacuous(
  session: OpenComparison,
  place: SchemaNode,
  focus: SchemaNode | undefined,
  demand: SchemaNode,
  book: PlaceBook,
): boolean {
  const asked = focus === undefined ? place : demandOf(book, { allOf: [place, focus] });
  return session.contains(asked, demand).verdict === 'yes';
}

interface Judging {
  readonly session: OpenComparison;
  /** Of the side that emits. */
  readonly book: PlaceBook;
  readonly containment: Containment;
}

/** The whole value that shows that a candidate breaks, or null where none is found. */
function explain(judging: Judging, each: Candidate, known: Json | undefined): Explanation | null {
  const { emits } = judging.containment;
  const demand = emits === 'old' ? each.newDemand : each.oldDemand;
  if (demand === null) return null;
  if (judging.containment.forgivesRemoval && each.type === 'property_removed') return null;
  const focus = emits === 'old' ? each.oldFocus : each.newFocus;
  if (known !== undefined) {
    const part = partAt(each.pair, known);
    if (part !== null && shows(judging, part.value, demand, focus)) {
      return { witness: known, part: part.value };
    }
  }
  const witness = searchWitness(judging, each.pair, demand, focus);
  if (witness === null) return null;
  const part = partAt(each.pair, witness);
  return part === null ? { witness } : { witness, part: part.value };
}

/** Whether a part is what the demand is about, and refused by it. */
function shows(
  judging: Judging,
  part: Json,
  demand: SchemaNode,
  focus: SchemaNode | undefined,
): boolean {
  return (
    isRefused(judging, demand, part) && (focus === undefined || isAccepted(judging, focus, part))
  );
}

/**
 * Asks for a whole value that meets the demand's refusal at its place. First any such value, which
 * is quick, then one that the other side refuses too, which is what counts.
 */
function searchWitness(
  judging: Judging,
  pair: PlacePair,
  demand: SchemaNode,
  focus: SchemaNode | undefined,
): Json | null {
  const { session, book, containment } = judging;
  const refused = demandOf(book, { not: demand });
  const local = focus === undefined ? [refused] : [focus, refused];
  const place = placeNode(judging, pair);
  const here = demandOf(book, { allOf: [place, ...local] });
  const nothing = demandOf(book, { isFalse: true });
  // Most candidates that break nothing are found out here, without the rest of the schema.
  if (session.contains(here, nothing, { closed: true }).verdict === 'yes') return null;
  const wanted = withinRoot(judging, pair, demandOf(book, { allOf: local }));
  if (wanted === null) return null;
  const whole = demandOf(book, { allOf: [containment.left, wanted] });
  const any = session.contains(whole, nothing, { closed: true });
  if (any.verdict === 'yes') return null;
  if (any.verdict === 'no' && isWitness(judging, any.witness)) return any.witness;
  const answer = session.contains(whole, containment.right, { closed: true });
  return answer.verdict === 'no' && isWitness(judging, answer.witness) ? answer.witness : null;
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
  const isFree = (key: string) => !known.has(key) && (pattern === null || matchesKey(pattern, key));
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

/** The part of a whole value at a pair's place; null where it has none. */
function partAt(pair: PlacePair, whole: Json): { readonly value: Json } | null {
  const steps: Reached['step'][] = [];
  for (let at = pair.from; at !== null; at = at.parent.from) steps.push(at.step);
  let value: Json = whole;
  for (const step of steps.reverse()) {
    const next = partBelow(value, step);
    if (next === undefined) return null;
    value = next;
  }
  return { value };
}

function partBelow(value: Json, step: Reached['step']): Json | undefined {
  switch (step.kind) {
    case 'branch':
      return value;
    case 'index':
      return Array.isArray(value) ? value[step.index] : undefined;
    case 'key':
      return isJsonObject(value) && Object.hasOwn(value, step.key) ? value[step.key] : undefined;
    case 'other_key': {
      if (!isJsonObject(value)) return undefined;
      const { known, pattern } = step;
      const key = Object.keys(value).find((name) =>
        pattern === null ? !known.has(name) : matchesKey(pattern, name),
      );
      return key === undefined ? undefined : value[key];
    }
    default:
      return step satisfies never;
  }
}

/** A value that one side emits and the other refuses: asked anew, of the schemas alone. */
function isWitness(judging: Judging, value: Json): boolean {
  const { session, book, containment } = judging;
  const itself = demandOf(book, { const: { value } });
  if (session.contains(itself, containment.right).verdict !== 'no') return false;
  // A constant declares nothing, so this is closed(left) and the value, both.
  const emitted = demandOf(book, { allOf: [containment.left, itself] });
  const nothing = demandOf(book, { isFalse: true });
  return session.contains(emitted, nothing, { closed: true }).verdict === 'no';
}

function isRefused({ session, book }: Judging, node: SchemaNode, value: Json): boolean {
  return session.contains(demandOf(book, { const: { value } }), node).verdict === 'no';
}

function isAccepted({ session, book }: Judging, node: SchemaNode, value: Json): boolean {
  return session.contains(demandOf(book, { const: { value } }), node).verdict === 'yes';
}
