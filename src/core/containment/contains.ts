// Answers whether every JSON value of a is in b.
//
// The engine searches for a value that is in a and not in b. It either builds one or proves that
// there is none. A value is shown only after the validator has found it in a and not in b. The
// validator shares only the parsed schema with the search.
//
//   contains({ a, b, closed: true })       one question
//   openComparison(oldJson, newJson, {})   many questions about the same two documents, which share
//                                          the parsed schemas, all results and the step budget
//   comparison.contains(comparison.old.root, comparison.next.root, { closed: true })

import { createSameness } from '../same/same-schema.ts';
import { areWrittenAlike } from '../same/written-alike.ts';
import type { Dialect } from '../schema/dialects.ts';
import { obeySiblings } from '../schema/obey-siblings.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import type { SchemaDocument, SchemaNode } from '../schema/schema.ts';
import { stepsOf } from '../schema/schema.ts';
import type { Json } from '../value/json.ts';
import type { ContainmentAnswer, ContainmentQuestion } from './containment.types.ts';
import { createMemory, forgetValues, inhabitTerms } from './inhabit.ts';
import { plainTerm } from './plain/plain-term.ts';
import { shrinkWitness } from './shrink.ts';
import { holdsForm, holdsTerm } from './solve/holds.ts';
import { maxWitnessSize, sizeOf } from './solve/many-parts.ts';
import { searchForms } from './solve/search.ts';
import type { Engine, Found, Judge } from './terms/engine.types.ts';
import { unconfirmed } from './terms/engine.types.ts';
import { closedTerm, createStore, nodeTerm, notTerm } from './terms/forms.ts';
import type { Term } from './terms/forms.types.ts';
import { createTextLanguages } from './terms/texts.ts';
import { unfoldTerm } from './terms/unfold.ts';
import { defaultValidationSteps, validate } from './validate/validator.ts';

/**
 * A step takes about half a microsecond, so a question that uses all of them takes a quarter
 * second.
 */
const defaultStepBudget = 500_000;

/**
 * The most values that one question passes to the validator, which may take half a second for each.
 */
const maxJudged = 20;

/** The steps of the validator for each smaller witness; at most sixty are tried. */
const shrinkSteps = 20_000;

/** The frames of the search that take as much of the stack as one nesting of the validator. */
const framesPerNesting = 5;

/** @example contains({ a: { type: 'integer' }, b: { type: 'number' } }).verdict // 'yes' */
export function contains(question: ContainmentQuestion): ContainmentAnswer {
  const answer = answerAsWritten(question);
  if (answer.verdict === 'undecided') return answer;
  const [a, b] = [question.a, question.b].map((each) => obeySiblings(each, question.dialect));
  if (a === null && b === null) return answer;
  const obeyed = { ...question, a: a?.schema ?? question.a, b: b?.schema ?? question.b };
  const other = answerAsWritten(obeyed);
  if (other.verdict === answer.verdict) return answer;
  const reason =
    'validators differ in whether keywords next to $ref count in this dialect, and so does the answer';
  return { verdict: 'undecided', steps: answer.steps + other.steps, place: '$', reason };
}

function answerAsWritten(question: ContainmentQuestion): ContainmentAnswer {
  const comparison = openComparison(question.a, question.b, question);
  const { old, next } = comparison;
  return comparison.contains(old.root, next.root, { closed: question.closed ?? false });
}

interface ComparisonOptions {
  readonly dialect?: Dialect;
  readonly formats?: boolean;
  readonly stepBudget?: number;
}

export interface OpenComparison {
  readonly old: SchemaDocument;
  readonly next: SchemaDocument;
  /** Both a and b may be nodes of either document. Steps are counted per question. */
  contains(a: SchemaNode, b: SchemaNode, how?: { readonly closed?: boolean }): ContainmentAnswer;
  /** Whether a producer of b may write every value of closed(a) that b accepts. */
  describes(a: SchemaNode, b: SchemaNode): ContainmentAnswer;
  /** Whether the texts of two nodes of different documents say the same, apart from annotations. */
  isSame(a: SchemaNode, b: SchemaNode): boolean;
  /** A value of the node; `null` if there is none or none was found. */
  example(node: SchemaNode): { readonly value: Json } | null;
  /** The remaining steps, which all questions share. */
  readonly steps: { readonly left: number };
  /** Gives the steps back: what is asked next belongs to another comparison. */
  renew(): void;
  /** Forgets all values and keeps the proofs, so that later examples do not depend on earlier questions. */
  forgetValues(): void;
  /** How much is remembered, as a number of terms and forms. */
  size(): number;
}

export function openComparison(
  oldJson: Json,
  nextJson: Json,
  options: ComparisonOptions = {},
): OpenComparison {
  const old = parseSchema(oldJson, options.dialect);
  const next = parseSchema(nextJson, options.dialect);
  return openComparisonOf(old, next, options);
}

/** The same about documents that are parsed. */
export function openComparisonOf(
  old: SchemaDocument,
  next: SchemaDocument,
  options: Omit<ComparisonOptions, 'dialect'> = {},
): OpenComparison {
  const stepBudget = options.stepBudget ?? defaultStepBudget;
  const steps = { left: stepBudget };
  const engine = createEngine(old, options, steps, false);
  const { store } = engine;
  let precise: Engine | undefined;
  const decide = (asked: Asked): ContainmentAnswer => {
    const answer = ask(engine, asked);
    if (answer.verdict !== 'undecided' || !engine.overlaps.wereMet) return answer;
    precise ??= createEngine(old, options, steps, true);
    const second = ask(precise, asked);
    return { ...second, steps: answer.steps + second.steps };
  };
  return {
    old,
    next,
    steps,
    renew: () => {
      steps.left = stepBudget;
    },
    forgetValues: () => {
      for (const each of [engine, precise]) each?.forgetValues();
    },
    size: () =>
      [engine, precise].reduce(
        (sum, each) => sum + (each?.store.terms.size ?? 0) + (each?.store.forms.size ?? 0),
        0,
      ),
    isSame: (a, b) => engine.isSame(a, b),
    example: (node) => {
      const result = engine.inhabit([nodeTerm(store, node)]);
      return result.tag === 'value' ? { value: result.value } : null;
    },
    contains: (a, b, how = {}) => decide({ a, b, closed: how.closed ?? false }),
    describes: (a, b) => decide({ a, b, closed: true, isDescribed: true }),
  };
}

function createEngine(
  first: SchemaDocument,
  options: ComparisonOptions,
  steps: { left: number },
  areToldApart: boolean,
): Engine {
  const memory = createMemory();
  const isSameText = createSameness(steps);
  const isSame = (a: SchemaNode, b: SchemaNode): boolean =>
    areWrittenAlike(a, b, steps) || isSameText(a, b);
  const engine: Engine = {
    store: createStore((node) => twinIn(first, node, isSame)),
    steps,
    nesting: { unfold: 0, search: 0, cuts: 0 },
    cases: new Map(),
    usesFormats: options.formats !== false,
    overlaps: { areToldApart, wereMet: false },
    texts: createTextLanguages(steps),
    formOf: (term, kind) => unfoldTerm(engine, term, kind),
    inhabit: (terms, judge) => inhabitTerms(engine, memory, terms, judge),
    forgetValues: () => {
      forgetValues(memory);
      engine.spares.clear();
    },
    inhabitForms: (kind, forms, judge) => searchForms(engine, kind, forms, judge),
    holds: (term, value) => holdsTerm(engine, term, value),
    holdsForm: (form, value) => holdsForm(engine, form, value),
    isSame,
    spares: new Map(),
  };
  return engine;
}

/**
 * The node of the first document that says the same as a node of the other, at the same location;
 * otherwise the node itself. Only targets of references are looked up: other nodes are compared
 * where they stand.
 */
function twinIn(
  first: SchemaDocument,
  node: SchemaNode,
  isSame: (a: SchemaNode, b: SchemaNode) => boolean,
): SchemaNode {
  if (node.document === first || !isReferenceTarget(node)) return node;
  const twin = first.nodeBelow(stepsOf(node));
  return twin !== undefined && isSame(twin, node) ? twin : node;
}

function isReferenceTarget(node: SchemaNode): boolean {
  const [first] = node.steps;
  return first === '$defs' || first === 'definitions' || first === 'components';
}

interface Asked {
  readonly a: SchemaNode;
  readonly b: SchemaNode;
  readonly closed: boolean;
  /** Asks for values that b accepts and that its producer does not write. */
  readonly isDescribed?: boolean;
}

function ask(engine: Engine, asked: Asked): ContainmentAnswer {
  const { store, steps: budget } = engine;
  const before = budget.left;
  if (areWrittenAlike(asked.a, asked.b, budget)) return { verdict: 'yes', steps: 1 };
  const inner = plainTerm(store, asked.a);
  const left = asked.closed ? closedTerm(store, [inner]) : inner;
  const other = plainTerm(store, asked.b);
  const right = notTerm(store, asked.isDescribed ? closedTerm(store, [other]) : other);
  const judged = judgeFor(engine, asked, `${left.id} ${right.id}`);
  const seek = (terms: readonly Term[]): Found => {
    const found = engine.inhabit(terms, judged.judge);
    if (found.tag === 'value') judged.judge(found.value);
    return found;
  };
  let result = seek([left, right]);
  // The first question does not say that b accepts the value, because most questions of two terms
  // are plain pairs. It is added only if that found no witness.
  const isAskedAgain = asked.isDescribed === true && result.tag !== 'empty';
  if (isAskedAgain && judged.witness() === undefined) result = seek([left, other, right]);
  const steps = Math.max(1, Math.ceil(before - Math.max(0, budget.left)));
  const witness = judged.witness();
  if (witness !== undefined) {
    const isSmaller = (value: Json): boolean =>
      isWitness(engine, asked, value, { stepBudget: shrinkSteps, least: witness.worth }) > 0;
    let smallest: Json | undefined;
    return {
      verdict: 'no',
      steps,
      // Most who ask show no value, and making it smaller may take longer than the search.
      get witness() {
        smallest ??= shrinkWitness(witness.value, isSmaller);
        return smallest;
      },
    };
  }
  if (result.tag === 'empty') return { verdict: 'yes', steps };
  const { place, reason } = result.tag === 'unknown' ? result : unconfirmed;
  return { verdict: 'undecided', steps, place, reason };
}

/** A value that was checked. `isWitness` explains its worth. */
interface Witness {
  readonly value: Json;
  readonly worth: 1 | 2;
}

interface Judged {
  readonly judge: Judge;
  witness(): Witness | undefined;
}

/**
 * Lets the search continue until it finds a witness under every reading of closed(a). Otherwise the
 * first witness under our reading is used. Starts with what an earlier question about the same
 * terms left.
 */
function judgeFor(engine: Engine, asked: Asked, key: string): Judged {
  let best: Witness | undefined = engine.spares.get(key);
  let count = 0;
  const judge = (value: Json): boolean => {
    if (best?.value === value && best.worth === 2) return true;
    if (++count > maxJudged || sizeOf(value) > maxWitnessSize) return false;
    const worth = isWitness(engine, asked, value, {
      stepBudget: defaultValidationSteps,
      least: 1,
    });
    if (worth > (best?.worth ?? 0)) best = { value, worth: worth === 2 ? 2 : 1 };
    if (worth === 1 && best !== undefined) engine.spares.set(key, best);
    return worth === 2;
  };
  return { judge, witness: () => best };
}

/**
 * The worth of a value: 2 if it is in a and not in b even under a narrower reading of closed(a), 1
 * if only under ours, 0 if it is no witness.
 */
function isWitness(
  engine: Engine,
  { a, b, closed, isDescribed = false }: Asked,
  value: Json,
  { stepBudget, least }: { readonly stepBudget: number; readonly least: 1 | 2 },
): 0 | 1 | 2 {
  // A witness is judged where it was found, with all of the search below it on the stack.
  const depth = Math.floor(engine.nesting.search / framesPerNesting);
  const how = { formats: engine.usesFormats, stepBudget, depth };
  const isInA = (isNarrow: boolean): boolean =>
    validate(a, value, { ...how, closed, isNarrow }) === 'accepted';
  const worth = isInA(true) ? 2 : closed && least === 1 && isInA(false) ? 1 : 0;
  if (worth === 0) return 0;
  const isOut = validate(b, value, { ...how, closed: isDescribed }) === 'rejected';
  if (!isOut || !isDescribed) return isOut ? worth : 0;
  return validate(b, value, how) === 'accepted' ? worth : 0;
}
