// What the parts of the engine use of each other. They call each other in a circle (items have
// items), so they meet here instead of importing each other.

import type { SchemaNode } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import type { Cases } from './cases.types.ts';
import type { Atom, Form, Kind, NodeTerm, Store, Term } from './forms.types.ts';
import type { TextLanguages } from './texts.ts';

/**
 * The result of a search for a value. `empty` is a proof that there is none. A value was built from
 * the forms; the validator checks it before it is shown.
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
 * Decides whether a value is what was asked for. If only a larger set is known, the search may find
 * a value that is not; it then continues elsewhere.
 */
export type Judge = (value: Json) => boolean;

export interface Engine {
  readonly store: Store;
  readonly steps: { left: number };
  /**
   * How deep the engine is in its own recursions, to prevent a stack overflow, and how often it stopped
   * there or at a schema that refers to itself.
   */
  readonly nesting: { unfold: number; search: number; cuts: number };
  /** The cases of each node that were made in full, by role, kind and term: see evaluated.ts. */
  readonly cases: Map<string, Cases>;
  readonly usesFormats: boolean;
  /**
   * Whether overlapping branches are told apart, and whether any were met; see
   * evaluated-branches.ts.
   */
  readonly overlaps: Overlaps;
  readonly texts: TextLanguages;
  /** The form of a term for one kind, unfolded one level. */
  formOf(term: Term, kind: Kind): Form;
  /** Finds a value in all of the terms. If there is a judge, it must confirm the value. */
  inhabit(terms: readonly Term[], judge?: Judge): Found;
  /** Forgets all values that were found. */
  forgetValues(): void;
  /** Finds a value of one kind in all of the forms. */
  inhabitForms(kind: Kind, forms: readonly Form[], judge?: Judge): Found;
  /** Whether a value is in a term; undefined if that is not known. */
  holds(term: Term, value: Json): boolean | undefined;
  holdsForm(form: Form, value: Json): boolean | undefined;
  /** Witnesses that a narrower reading of closed(S) would not accept, by question. */
  readonly spares: Map<string, { readonly value: Json; readonly worth: 1 | 2 }>;
  /** Whether the texts of two nodes say the same. */
  isSame(a: SchemaNode, b: SchemaNode): boolean;
}

/**
 * Values are found sooner if overlapping branches are not told apart. Some proofs need them told
 * apart.
 */
interface Overlaps {
  readonly areToldApart: boolean;
  /** Whether branches were met that could have been told apart, but were not. */
  wereMet: boolean;
}

/** How the term of a child is used: as it is, or as its producer writes it. */
export type Wrap = (child: Term) => Term;

/** The parts of unfolding a node, for code that combines them in a different way. */
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

/** Finds a value of one kind in all of the atoms. */
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
