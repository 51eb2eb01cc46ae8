// Finds a value of one kind in a conjunction of forms.
//
// Atoms are collected and solved at once (solve-*.ts). A disjunction is split only if a value found
// without it violates it: most of "in a, and in none of b1 ... bn" never matters.

import type { Json } from '../../value/json.ts';
import { counterpartOf } from '../terms/counterpart.ts';
import { areDisjointForms } from '../terms/disjoint.ts';
import type { Engine, Found, Judge, SolveAtoms, Unknown } from '../terms/engine.types.ts';
import { budgetSpent, empty, found, unconfirmed, unknown } from '../terms/engine.types.ts';
import { orForm } from '../terms/forms.ts';
import type { AtMostOne, Atom, AtomOf, Form, Kind, Or, TwoOf } from '../terms/forms.types.ts';
import { notForm } from '../terms/not-form.ts';
import { needsTooManyKeys } from './least-keys.ts';
import { solveArray } from './solve-array.ts';
import { solveNumber } from './solve-number.ts';
import type { ObjectIndex } from './solve-object.ts';
import { indexObject, solveObject, termsOfKey } from './solve-object.ts';
import { solveString } from './solve-string.ts';

/** The most nested splits of disjunctions. Each takes a few stack frames. */
const maxSplits = 400;

/** Copying a state costs in proportion to its size. This many forms cost one step. */
const formsPerStep = 10;

interface State {
  readonly kind: Kind;
  readonly judge: Judge | undefined;
  readonly atoms: Atom[];
  readonly clauses: (Or | TwoOf)[];
  /** Examined only when a value has been found that two of the parts accept. */
  readonly limits: AtMostOne[];
  /** All forms that must hold, including those that were taken apart. */
  readonly seen: Set<Form>;
  /** Made when first needed. The atoms of a state do not change after that. */
  index: ObjectIndex | undefined;
}

export function searchForms(
  engine: Engine,
  kind: Kind,
  forms: readonly Form[],
  judge?: Judge,
): Found {
  const state: State = {
    ...{ kind, judge, atoms: [], clauses: [], limits: [], seen: new Set<Form>() },
    index: undefined,
  };
  for (const form of forms) if (!addForm(state, form)) return empty;
  return search(engine, state, 0);
}

/** Adds a form that must hold; false if it contradicts one that is there. */
function addForm(state: State, form: Form): boolean {
  if (form.tag === 'everything') return true;
  if (form.tag === 'nothing') return false;
  if (state.seen.has(form)) return true;
  if (form.negation !== undefined && state.seen.has(form.negation)) return false;
  state.seen.add(form);
  switch (form.tag) {
    case 'and':
      return form.parts.every((part) => addForm(state, part));
    case 'or':
    case 'two_of':
      state.clauses.push(form);
      return true;
    case 'at_most_one':
      state.limits.push(form);
      return true;
    case 'approximation':
      return addForm(state, form.over);
    default:
      state.atoms.push(form);
      return true;
  }
}

function search(engine: Engine, state: State, splits: number): Found {
  engine.steps.left -= 1 + state.clauses.length;
  if (engine.steps.left < 0) return budgetSpent;
  if (splits > maxSplits) return unknown('The question splits into too many cases.');
  if (!settleClauses(state)) return empty;
  const values = finiteValues(state);
  if (values !== undefined) return tryValues(engine, state, values);
  const direct = directClause(state);
  if (direct !== undefined) return split(engine, state, direct, splits);
  if (state.kind === 'object' && needsTooManyKeys(state.atoms, state.clauses)) return empty;
  const base = solve(engine, state);
  if (base.tag === 'empty') return empty;
  if (base.tag === 'unknown') {
    const clause = shortest(state.clauses);
    return clause === undefined ? base : split(engine, state, clause, splits);
  }
  const clause = violatedClause(engine, state, base.value);
  if (clause !== undefined) {
    const isEntangled = splits === 0 && state.clauses.length >= minEntangled;
    if (isEntangled && !dropContradictions(engine, state)) return empty;
    if (isEntangled && !state.clauses.includes(clause)) return search(engine, state, splits + 1);
    return split(engine, state, clause, splits);
  }
  const limit = violatedLimit(engine, state, base.value);
  if (limit === undefined) return state.judge?.(base.value) === false ? unconfirmed : base;
  // The value satisfies two parts. One of these must not hold: search again with that.
  return addForm(state, limit) ? search(engine, state, splits + 1) : empty;
}

/**
 * The disjunction that is split before a value is tried: the only one, or one that says "in none of
 * these many branches, or in two". The many branches are then compared with those of the other side
 * at once.
 */
function directClause({ kind, clauses }: State): Or | TwoOf | undefined {
  if (kind !== 'object' && kind !== 'array') return undefined;
  if (clauses.length === 1) return clauses[0];
  return clauses.find(
    ({ tag, parts }) =>
      tag === 'or' &&
      parts.some((part) => part.tag === 'two_of') &&
      parts.some((part) => part.tag === 'and' && part.parts.length >= minEntangled),
  );
}

/**
 * For two parts that both accept the value and must not: the form that one of them does not hold.
 */
function violatedLimit(engine: Engine, state: State, value: Json): Form | undefined {
  const { store } = engine;
  for (const limit of state.limits) {
    const [first, second] = limit.parts.filter((part) => engine.holdsForm(part, value) === true);
    if (first === undefined || second === undefined) continue;
    const apart = orForm(store, [notForm(store, first), notForm(store, second)]);
    // If it was added before, skip it: the value also violates another of the limits.
    if (!state.seen.has(apart)) return apart;
  }
  return undefined;
}

/**
 * Drops the disjunctions that already hold, and adds the last part of those with only one left.
 * False if one has none left.
 */
function settleClauses(state: State): boolean {
  for (let again = true; again; ) {
    again = false;
    const { seen } = state;
    const clauses = state.clauses.splice(0);
    for (const clause of clauses) {
      if (clause.tag === 'two_of') {
        state.clauses.push(clause);
        continue;
      }
      if (clause.parts.some((part) => seen.has(part))) continue;
      const isLeft = (part: Form): boolean =>
        part.negation === undefined || !seen.has(part.negation);
      const left = clause.parts.filter(isLeft);
      const [only] = left;
      if (only === undefined) return false;
      if (left.length > 1) state.clauses.push(clause);
      else {
        if (!addForm(state, only)) return false;
        again = true;
      }
    }
  }
  return true;
}

/**
 * Tries each part of each disjunction against its immediate consequences, and drops those that lead
 * to a contradiction. Otherwise so many disjunctions would be split in all their combinations,
 * although one has no part left. False if one has none left.
 */
function dropContradictions(engine: Engine, state: State): boolean {
  const { store } = engine;
  const clauses = state.clauses.splice(0);
  if (clauses.reduce((sum, clause) => sum + clause.parts.length, 0) > maxProbed) {
    state.clauses.push(...clauses);
    return true;
  }
  for (const clause of clauses) {
    const rest = clauses.filter((other) => other !== clause);
    const isPossible = (part: Form): boolean => {
      engine.steps.left--;
      const next = copyState(engine, state, rest);
      return addForm(next, part) && settleClauses(next);
    };
    const left = clause.tag === 'or' ? clause.parts.filter(isPossible) : clause.parts;
    if (left.length === clause.parts.length) state.clauses.push(clause);
    else if (!addForm(state, orForm(store, left))) return false;
  }
  return settleClauses(state);
}

/**
 * The number of disjunctions from which they are examined together before the first is split, and
 * the most parts that they may have.
 */
const minEntangled = 4;
const maxProbed = 400;

/** The only possible values, if an atom or the kind lists them. */
function finiteValues(state: State): Json[] | undefined {
  if (state.kind === 'null') return [null];
  const lists = state.atoms.filter((atom): atom is AtomOf<'values'> => atom.tag === 'values');
  const [first, ...others] = lists.toSorted((a, b) => a.values.size - b.values.size);
  if (first === undefined) return state.kind === 'boolean' ? [true, false] : undefined;
  const keys = [...first.values.keys()].filter((key) =>
    others.every((list) => list.values.has(key)),
  );
  return keys.map((key) => first.values.get(key) ?? null);
}

function tryValues(engine: Engine, state: State, values: readonly Json[]): Found {
  let doubt: Unknown | undefined;
  for (const value of values) {
    engine.steps.left--;
    if (engine.steps.left < 0) return budgetSpent;
    let truth: boolean | undefined = true;
    for (const form of [...state.atoms, ...state.clauses, ...state.limits]) {
      const holds = engine.holdsForm(form, value);
      if (holds === false) {
        truth = false;
        break;
      }
      if (holds === undefined) {
        truth = undefined;
        doubt ??= doubtOf(form);
      }
    }
    if (truth === true) {
      if (state.judge?.(value) !== false) return found(value);
      doubt ??= unconfirmed;
    }
    // The judge may know what the forms leave open.
    if (truth === undefined && state.judge?.(value) === true) return found(value);
  }
  return doubt ?? empty;
}

function doubtOf(form: Form): Unknown {
  if (form.tag === 'unknown' || form.tag === 'not_unknown') return unknown(form.reason, form.place);
  return unknown('A pattern or format is only known in part.');
}

const solvers: Readonly<Partial<Record<Kind, SolveAtoms>>> = {
  number: solveNumber,
  string: solveString,
  array: solveArray,
  object: solveObject,
};

/** Solves the atoms alone. Unknown sets make a value doubtful, but a proof remains a proof. */
function solve(engine: Engine, state: State): Found {
  const isKnown = (atom: Atom): boolean => atom.tag !== 'unknown' && atom.tag !== 'not_unknown';
  const opaque = state.atoms.find((atom) => !isKnown(atom));
  const solver = solvers[state.kind];
  if (solver === undefined) return unknown('No value of this kind was tried.');
  if (opaque === undefined) return solver(engine, state.atoms);
  const result = solver(engine, state.atoms.filter(isKnown));
  return result.tag === 'empty' ? empty : doubtOf(opaque);
}

function violatedClause(engine: Engine, state: State, value: Json): Or | TwoOf | undefined {
  const violated: (Or | TwoOf)[] = [];
  const doubtful: (Or | TwoOf)[] = [];
  for (const clause of state.clauses) {
    const holds = engine.holdsForm(clause, value);
    if (holds === false) violated.push(clause);
    if (holds === undefined) doubtful.push(clause);
  }
  return shortest(violated) ?? shortest(doubtful);
}

function shortest(clauses: readonly (Or | TwoOf)[]): Or | TwoOf | undefined {
  let best: Or | TwoOf | undefined;
  for (const clause of clauses) {
    if (best === undefined || clause.parts.length < best.parts.length) best = clause;
  }
  return best;
}

function split(engine: Engine, state: State, clause: Or | TwoOf, splits: number): Found {
  const rest = state.clauses.filter((other) => other !== clause);
  const branches = clause.tag === 'or' ? clause.parts.map((part) => [part]) : undefined;
  let doubt: Unknown | undefined;
  for (const parts of branches ?? pairsOf(engine, state, clause, rest, splits)) {
    engine.steps.left--;
    if (engine.steps.left < 0) return budgetSpent;
    if (parts.some((part) => isRefuted(engine, state, part))) continue;
    if (hasNothingBeside(engine, state, parts, rest, splits)) continue;
    const next = copyState(engine, state, rest);
    if (!parts.every((part) => addForm(next, part))) continue;
    const result = search(engine, next, splits + 1);
    if (result.tag === 'value') return result;
    if (result.tag === 'unknown') doubt ??= result;
    if (result === budgetSpent) return result;
  }
  return doubt ?? empty;
}

/**
 * Whether one of many disjunctions contradicts the parts, so that the others need not be examined.
 */
function hasNothingBeside(
  engine: Engine,
  state: State,
  parts: readonly Form[],
  clauses: readonly (Or | TwoOf)[],
  splits: number,
): boolean {
  const [only] = parts;
  if (only === undefined || parts.length > 1) return false;
  const counterpart = counterpartOf(only, clauses);
  if (counterpart === undefined) return false;
  const next = { ...copyState(engine, state, [counterpart]), judge: undefined };
  return !addForm(next, only) || search(engine, next, splits + 1).tag === 'empty';
}

function copyState(engine: Engine, state: State, clauses: readonly (Or | TwoOf)[]): State {
  engine.steps.left -= (state.atoms.length + state.seen.size + clauses.length) / formsPerStep;
  return {
    kind: state.kind,
    judge: state.judge,
    atoms: [...state.atoms],
    clauses: [...clauses],
    limits: [...state.limits],
    seen: new Set(state.seen),
    index: undefined,
  };
}

/** The pairs of parts that may both hold. Only parts that may hold at all are paired. */
function* pairsOf(
  engine: Engine,
  state: State,
  clause: TwoOf | Or,
  rest: readonly (Or | TwoOf)[],
  splits: number,
): Generator<Form[]> {
  const parts =
    clause.parts.length > maxPaired ? clause.parts : overlappingParts(engine, clause.parts);
  const possible: Form[] = [];
  for (const part of parts) {
    engine.steps.left--;
    if (isRefuted(engine, state, part)) continue;
    const next = copyState(engine, state, rest);
    if (addForm(next, part) && search(engine, next, splits + 1).tag !== 'empty') {
      possible.push(part);
    }
  }
  for (const [index, first] of possible.entries()) {
    for (const second of possible.slice(0, index)) {
      engine.steps.left--;
      if (!areDisjointForms(engine, first, second)) yield [first, second];
    }
  }
}

/**
 * Up to this many parts are compared in pairs before each is searched: in a tagged union no two
 * overlap.
 */
const maxPaired = 16;

/**
 * The parts that a quick check cannot tell apart from all others. A part that occurs twice remains.
 */
function overlappingParts(engine: Engine, parts: readonly Form[]): readonly Form[] {
  const overlapping = new Set<number>();
  for (const [index, first] of parts.entries()) {
    for (let at = 0; at < index; at++) {
      const second = parts[at];
      if (second === undefined || areDisjointForms(engine, first, second)) continue;
      overlapping.add(at).add(index);
    }
  }
  engine.steps.left -= parts.length;
  return parts.filter((_, index) => overlapping.has(index));
}

/**
 * A quick check of one part of a disjunction, before the state is copied for it: whether it demands
 * a property or item that cannot exist. It answers nearly all of "in a and not in b" if b equals a
 * or is wider.
 */
function isRefuted(engine: Engine, state: State, part: Form): boolean {
  if (part.negation !== undefined && state.seen.has(part.negation)) return true;
  if (part.tag === 'and') return part.parts.some((inner) => isRefuted(engine, state, inner));
  if (part.tag === 'some_item' && part.to === part.from + 1) {
    return isItemRefuted(engine, state, part);
  }
  if (part.tag !== 'has' && part.tag !== 'property') return false;
  state.index ??= indexObject(
    state.atoms.filter((atom) => atom.tag !== 'unknown' && atom.tag !== 'not_unknown'),
  );
  if (state.index === undefined) return false;
  if (part.tag === 'property' && !state.index.has.has(part.key)) return false;
  const terms = termsOfKey(engine, state.index, part.key);
  if (terms === undefined) return false;
  return engine.inhabit([...terms, part.term]).tag === 'empty';
}

function isItemRefuted(engine: Engine, state: State, part: AtomOf<'some_item'>): boolean {
  const terms = state.atoms.flatMap((atom) =>
    atom.tag === 'each_item' && atom.from <= part.from && part.from < atom.to ? [atom.term] : [],
  );
  return engine.inhabit([...terms, part.term]).tag === 'empty';
}
