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
  /** Candidates of which no value shows that they break, and no proof that they do not. */
  readonly unsure: ReadonlySet<Candidate>;
  /**
   * The candidates that break. Each has a whole value that shows it, and the part of the value that
   * it concerns.
   */
  readonly explained: ReadonlyMap<Candidate, Explanation>;
}

interface Explanation {
  readonly witness: Json;
  /** Whether the witness shows the candidate even if every other change is undone. */
  readonly isOwn: boolean;
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
  const unsure = new Set<Candidate>();
  const found = { place: '', reason: '', explained, unjudged, unsure };
  if (answer.verdict === 'yes') return { verdict: 'yes', ...found };
  const known = answer.verdict === 'no' ? answer.witness : undefined;
  const book = containment.emits === 'old' ? books.old : books.next;
  const search = openWitnessSearch(session, book, containment);
  const other = containment.emits === 'old' ? books.next : books.old;
  const isRefusedInside = (pair: PlacePair, whole: Json) =>
    isRefusedByUnions(search, other, pair, whole);
  const demands = candidates.flatMap((each) => {
    const demand = demandFor(containment, each);
    return demand === null ? [] : [{ each, demand }];
  });
  let askedCount = 0;
  for (const each of candidates) {
    const demand = demandFor(containment, each);
    if (demand === null) continue;
    if (askedCount >= maxExplained || session.steps.left <= 0) {
      unjudged.add(each);
      continue;
    }
    askedCount++;
    const isOwn = (whole: Json) => isOwnValue(search, each, demands, whole);
    const explanation = explain(search, each, { demand, known, isRefusedInside, isOwn });
    if (explanation !== null) explained.set(each, explanation);
    else if (search.isOpen()) unsure.add(each);
  }
  // A verdict has a value, even if no change has one of its own.
  const [firstOf, ...others] = [...explained];
  const hasOwn = [firstOf, ...others].some((each) => each?.[1].isOwn === true);
  if (firstOf !== undefined && !hasOwn) explained.set(firstOf[0], { ...firstOf[1], isOwn: true });
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

interface Explaining {
  readonly demand: SchemaNode;
  readonly known: Json | undefined;
  readonly isRefusedInside: (pair: PlacePair, whole: Json) => boolean;
  readonly isOwn: (whole: Json) => boolean;
}

/** Returns a whole value that shows that a candidate breaks, or null if none is found. */
function explain(
  search: WitnessSearch,
  each: Candidate,
  { demand, known, isRefusedInside, isOwn }: Explaining,
): Explanation | null {
  const { pair } = each;
  const focus = search.emits === 'old' ? each.oldFocus : each.newFocus;
  const explained = (witness: Json): Explanation => {
    const part = partAt(pair, witness);
    const found = { witness, isOwn: isOwn(witness) };
    return part === null ? found : { ...found, part: part.value };
  };
  const isShown = (whole: Json) => {
    const part = partAt(pair, whole);
    const isAbout = part !== null && (focus === undefined || search.accepts(focus, part.value));
    return isAbout && search.refuses(demand, part.value) && isRefusedInside(pair, whole);
  };
  const first = known !== undefined && isShown(known) ? explained(known) : null;
  if (first?.isOwn) return first;
  const own = search.emits === 'old' ? each.ownFocus : undefined;
  const asked = { pair, demand, known, isOwn };
  const witness =
    (own === undefined ? null : search.find({ ...asked, focus: own })) ??
    search.find({ ...asked, focus });
  if (witness === null || !isRefusedInside(pair, witness)) return first;
  const second = explained(witness);
  return first === null || second.isOwn ? second : first;
}

interface Demanding {
  readonly each: Candidate;
  readonly demand: SchemaNode;
}

/**
 * Whether a value shows a candidate even if every other change is undone. If the new side writes it,
 * nothing else in it may be new; within branches of other unions, it may.
 */
function isOwnValue(
  search: WitnessSearch,
  { pair, path, ownFocus }: Candidate,
  demands: readonly Demanding[],
  whole: Json,
): boolean {
  if (!search.isApart(pair, whole)) return false;
  if (search.emits === 'old') {
    const part = ownFocus === undefined ? null : partAt(pair, whole);
    return part === null || ownFocus === undefined || search.accepts(ownFocus, part.value);
  }
  return !demands.some(({ each, demand }) => {
    if (each.pair === pair || each.path.text === path.text || isInBranch(each.pair)) return false;
    const part = partAt(each.pair, whole);
    if (part === null || !search.refuses(demand, part.value)) return false;
    return each.newFocus === undefined || search.accepts(each.newFocus, part.value);
  });
}

function isInBranch(pair: PlacePair): boolean {
  for (let at = pair.from; at !== null; at = at.parent.from) {
    if (at.step.kind === 'branch') return true;
  }
  return false;
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
