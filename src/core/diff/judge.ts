// Whether a change breaks, and the value that shows it: containment asked of the whole schemas
// decides, and asked of single places it tells which of the candidates explain the answer.

import type { OpenComparison } from '../containment/contains.ts';
import type { Json } from '../json.ts';
import type { SchemaNode } from '../schema/schema.ts';
import { openWitnessSearch, type WitnessSearch } from './find-witness.ts';
import type { PlaceBook } from './place.ts';
import { partAt } from './value-parts.ts';
import type { Candidate } from './walk.types.ts';
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
  /** Candidates that were not looked at one by one: there are more than are explained. */
  readonly unjudged: ReadonlySet<Candidate>;
  /** The candidates that break, with the whole value that shows it and the part it is about. */
  readonly explained: ReadonlyMap<Candidate, Explanation>;
}

export interface Explanation {
  readonly witness: Json;
  /** The part of the witness at the candidate's place; absent where the place is not in it. */
  readonly part?: Json;
}

/** As many changes are explained by a value of their own; more than anybody reads. */
const maxExplained = 500;

export function judge(
  session: OpenComparison,
  books: { readonly old: PlaceBook; readonly next: PlaceBook },
  containment: Containment,
  candidates: readonly Candidate[],
): Judgement {
  const answer = session.contains(containment.left, containment.right, { closed: true });
  const explained = new Map<Candidate, Explanation>();
  const unjudged = new Set<Candidate>();
  const found = { place: '', reason: '', explained, unjudged };
  if (answer.verdict === 'yes') return { verdict: 'yes', ...found };
  const known = answer.verdict === 'no' ? answer.witness : undefined;
  const book = containment.emits === 'old' ? books.old : books.next;
  const search = openWitnessSearch(session, book, containment);
  let askedCount = 0;
  for (const each of candidates) {
    const demand = demandFor(containment, each);
    if (demand === null) continue;
    if (askedCount >= maxExplained || session.steps.left <= 0) {
      unjudged.add(each);
      continue;
    }
    askedCount++;
    const explanation = explain(search, each, demand, known);
    if (explanation !== null) explained.set(each, explanation);
  }
  if (answer.verdict === 'no') return { verdict: 'no', ...found, witness: answer.witness };
  const [first] = explained.values();
  const { place, reason } = answer;
  if (first === undefined) return { verdict: 'undecided', ...found, place, reason };
  // What could not be decided for the whole has been shown by a part.
  return { verdict: 'no', ...found, place, reason, witness: first.witness };
}

/** What the refusing side asks that the other does not. */
function demandFor(containment: Containment, each: Candidate): SchemaNode | null {
  if (containment.forgivesRemoval && each.type === 'property_removed') return null;
  return containment.emits === 'old' ? each.newDemand : each.oldDemand;
}

/** The whole value that shows that a candidate breaks, or null where none is found. */
function explain(
  search: WitnessSearch,
  each: Candidate,
  demand: SchemaNode,
  known: Json | undefined,
): Explanation | null {
  const focus = search.emits === 'old' ? each.oldFocus : each.newFocus;
  if (known !== undefined) {
    const part = partAt(each.pair, known);
    const isAbout = part !== null && (focus === undefined || search.accepts(focus, part.value));
    if (isAbout && search.refuses(demand, part.value)) return { witness: known, part: part.value };
  }
  const witness = search.find(each.pair, demand, focus, known);
  if (witness === null) return null;
  const part = partAt(each.pair, witness);
  return part === null ? { witness } : { witness, part: part.value };
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
