// What the parts of the engine have of one another. They call each other in a circle (items have
// items), so they meet here and not by import.

import type { SchemaNode } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import type { Atom, Form, Kind, NodeTerm, Store, Term } from './forms.types.ts';
import type { TextLanguages } from './texts.ts';

/**
 * What a search for a member ends with. `empty` is a proof that there is none; a value has been
 * built from the forms, and is checked by the validator before anybody sees it.
 */
export type Found =
  | { readonly tag: 'empty' }
  | { readonly tag: 'value'; readonly value: Json }
  | Unknown;

export interface Unknown {
  readonly tag: 'unknown';
  readonly place: string;
  readonly reason: string;
}

/**
 * Says whether a value is what was asked for. Where a set is only known from outside, the search may
 * come up with a value that is not; then it goes on elsewhere.
 */
export type Judge = (value: Json) => boolean;

export interface Engine {
  readonly store: Store;
  readonly steps: { left: number };
  /** How deep the engine is in its own recursions: it must not overflow the stack. */
  readonly nesting: { unfold: number; search: number };
  readonly usesFormats: boolean;
  /** Whether and where what a producer writes in overlapping branches is said; see evaluated-branches.ts. */
  readonly overlaps: Overlaps;
  readonly texts: TextLanguages;
  /** What a term says about one kind, unfolded one level. */
  formOf(term: Term, kind: Kind): Form;
  /** A value in all of the terms, and one that the judge confirms, if there is a judge. */
  inhabit(terms: readonly Term[], judge?: Judge): Found;
  /** A value of one kind in all of the forms. */
  inhabitForms(kind: Kind, forms: readonly Form[], judge?: Judge): Found;
  /** Whether a value is in a term; undefined where that is not known. */
  holds(term: Term, value: Json): boolean | undefined;
  holdsForm(form: Form, value: Json): boolean | undefined;
  /** Witnesses that a narrower reading of closed(S) would not take, by question. */
  readonly spares: Map<string, { readonly value: Json; readonly worth: 1 | 2 }>;
  /** Whether two nodes say the same, by their texts. */
  isSame(a: SchemaNode, b: SchemaNode): boolean;
}

/** Values are found sooner where overlapping branches are not told apart, and proofs only where they are. */
interface Overlaps {
  readonly areToldApart: boolean;
  /** Some were met that could be told apart, and were not. */
  wereMet: boolean;
}

/** How a child's term is taken up: as it is, or as its producer writes it. */
export type Wrap = (child: Term) => Term;

/** The parts of unfolding a node, for those who put them together in another way. */
export interface Unfolding {
  ownForms(engine: Engine, term: NodeTerm, kind: Kind, wrap: Wrap): Form[];
  applicatorForms(engine: Engine, term: NodeTerm, kind: Kind): Form[];
  namedRegion(engine: Engine, term: NodeTerm): Form;
  onlyOneForm(
    engine: Engine,
    kind: Kind,
    branches: readonly SchemaNode[],
    forms: readonly Form[],
  ): Form;
  childTerms(engine: Engine, term: NodeTerm, wrap: Wrap): (node: SchemaNode) => Term;
  referenceTerm(engine: Engine, term: NodeTerm): Term | undefined;
  dynamicTerm(engine: Engine, term: NodeTerm): Term | undefined;
  unknownForm(engine: Engine, term: Term, reason: string): Form;
}

/** A value of one kind in all of the atoms. */
export type SolveAtoms = (engine: Engine, atoms: readonly Atom[]) => Found;

export const empty: Found = { tag: 'empty' };

export function found(value: Json): Found {
  return { tag: 'value', value };
}

export function unknown(reason: string, place = '$'): Unknown {
  return { tag: 'unknown', place, reason };
}

export const unconfirmed = unknown('A value was found that the validator does not confirm.');

export const budgetSpent = unknown('The question took more steps than its budget has.');
