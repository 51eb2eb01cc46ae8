// Decides whether a change breaks, and finds a value that shows it. Containment of the whole
// schemas gives the verdict; containment at single places shows which candidates explain it.

import type { ContainmentAnswer } from '../../containment/containment.types.ts';
import type { OpenComparison } from '../../containment/contains.ts';
import { validate } from '../../containment/validate/validator.ts';
import type { SchemaNode } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import type { PlaceBook } from '../places/place.types.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import { partAt } from '../walk/value-parts.ts';
import type { Candidate, PlacePair } from '../walk/walk.types.ts';
import { demandOf } from '../walk/walk-scalars.ts';
import type { Containment } from './find-witness.ts';
import { openWitnessSearch, type WitnessSearch } from './find-witness.ts';

export interface Judgement {
  readonly verdict: 'yes' | 'no' | 'undecided';
  /** The place that could not be decided, if any. */
  readonly place: string;
  readonly reason: string;
  /** A whole value that shows the verdict "no". */
  readonly witness?: Json;
  /**
   * Candidates that were not checked one by one, because there are too many or no steps were left.
   */
  readonly unjudged: ReadonlySet<Candidate>;
  /**
   * The candidates that break. Each has a whole value that shows it, and the part of the value that
   * it concerns.
   */
  readonly explained: ReadonlyMap<Candidate, Explanation>;
}

interface Explanation {
  readonly witness: Json;
  /**
   * The part of the witness at the candidate's place; absent if the witness does not have that
   * place.
   */
  readonly part?: Json;
}

/** The maximum number of candidates that get their own example value; more than anyone reads. */
const maxExplained = 500;

export function judge(
  session: OpenComparison,
  books: { readonly old: PlaceBook; readonly next: PlaceBook },
  containment: Containment,
  candidates: readonly Candidate[],
): Judgement {
  const answer = verdictOf(session, containment);
  const explained = new Map<Candidate, Explanation>();
  const unjudged = new Set<Candidate>();
  const found = { place: '', reason: '', explained, unjudged };
  if (answer.verdict === 'yes') return { verdict: 'yes', ...found };
  const known = answer.verdict === 'no' ? answer.witness : undefined;
  const book = containment.emits === 'old' ? books.old : books.next;
  const search = openWitnessSearch(session, book, containment);
  const other = containment.emits === 'old' ? books.next : books.old;
  const isRefusedInside = (pair: PlacePair, whole: Json) =>
    isRefusedByUnions(search, other, pair, whole);
  let askedCount = 0;
  for (const each of candidates) {
    const demand = demandFor(containment, each);
    if (demand === null) continue;
    if (askedCount >= maxExplained || session.steps.left <= 0) {
      unjudged.add(each);
      continue;
    }
    askedCount++;
    const explanation = explain(search, each, demand, known, isRefusedInside);
    if (explanation !== null) explained.set(each, explanation);
  }
  if (answer.verdict === 'no') return { verdict: 'no', ...found, witness: answer.witness };
  const [first] = explained.values();
  const { place, reason } = answer;
  if (first === undefined) return { verdict: 'undecided', ...found, place, reason };
  // The whole could not be decided, but a part shows a break.
  return { verdict: 'no', ...found, place, reason, witness: first.witness };
}

function verdictOf(
  session: OpenComparison,
  { left, right, inner, isWritten }: Containment,
): ContainmentAnswer {
  const ask = (node: SchemaNode) => session.contains(left, node, { closed: isWritten });
  if (inner === null) return ask(right);
  const quick = ask(inner);
  if (quick.verdict === 'yes') return quick;
  const isRefused = quick.verdict === 'no' && validate(right, quick.witness) === 'rejected';
  return isRefused ? quick : ask(right);
}

/** What the refusing side demands and the other side does not. */
function demandFor(containment: Containment, each: Candidate): SchemaNode | null {
  if (containment.forgivesRemoval && each.type === 'property_removed') return null;
  return containment.emits === 'old' ? each.newDemand : each.oldDemand;
}

/** Returns a whole value that shows that a candidate breaks, or null if none is found. */
function explain(
  search: WitnessSearch,
  each: Candidate,
  demand: SchemaNode,
  known: Json | undefined,
  isRefusedInside: (pair: PlacePair, whole: Json) => boolean,
): Explanation | null {
  const focus = search.emits === 'old' ? each.oldFocus : each.newFocus;
  if (known !== undefined) {
    const part = partAt(each.pair, known);
    const isAbout = part !== null && (focus === undefined || search.accepts(focus, part.value));
    if (isAbout && search.refuses(demand, part.value) && isRefusedInside(each.pair, known)) {
      return { witness: known, part: part.value };
    }
  }
  const witness = search.find(each.pair, demand, focus, known);
  if (witness === null || !isRefusedInside(each.pair, witness)) return null;
  const part = partAt(each.pair, witness);
  return part === null ? { witness } : { witness, part: part.value };
}

/**
 * Whether no other branch accepts what one branch refuses: at every union on the way to the place,
 * the part of the value is refused. Otherwise the whole value is refused for another reason.
 */
function isRefusedByUnions(
  search: WitnessSearch,
  book: PlaceBook,
  pair: PlacePair,
  whole: Json,
): boolean {
  for (let at = pair; at.from !== null; at = at.from.parent) {
    if (at.from.step.kind !== 'branch') continue;
    const { parent } = at.from;
    const part = partAt(parent, whole);
    const place = search.emits === 'old' ? parent.next : parent.old;
    if (part !== null && search.accepts(nodeOfPlace(book, place), part.value)) return false;
  }
  return true;
}

/**
 * Whether a demand has no effect at the place, because the schema there already makes it in other
 * words.
 */
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
