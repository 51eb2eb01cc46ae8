// The laws of the engine, each as a function that answers what breaks it, so that a broken engine can
// be put before them as well.

import type {
  ContainmentAnswer,
  ContainmentQuestion,
} from '../../../src/core/containment/containment.types.ts';
import type { openComparison } from '../../../src/core/containment/contains.ts';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { rewrite } from './rewritings.ts';
import type { Pair } from './schemas.ts';
import { randomFrom, valuesFor } from './values.ts';

export type Contains = (question: ContainmentQuestion) => ContainmentAnswer;

export interface Breach {
  readonly law: string;
  readonly value?: Json;
  readonly answer?: ContainmentAnswer;
}

/** What was decided, to see that the laws look at something. */
export interface Tally {
  yes: number;
  no: number;
  undecided: number;
  tried: number;
  accepted: number;
}

export function emptyTally(): Tally {
  return { yes: 0, no: 0, undecided: 0, tried: 0, accepted: 0 };
}

/** Steps of one question: enough for what is small, and a law must hold for any budget. */
export const lawSteps = 40_000;
const valuesPerPair = 12;

/** Where the answer was yes no value is in a and not in b; a witness is one. */
export function breachOfAnswer(
  contains: Contains,
  { dialect, a, b, seed }: Pair,
  closed: boolean,
  tally: Tally = emptyTally(),
): Breach | null {
  const answer = contains({ a, b, dialect, closed, stepBudget: lawSteps });
  tally[answer.verdict]++;
  const [inA, inB] = [parseSchema(a, dialect).root, parseSchema(b, dialect).root];
  if (answer.verdict === 'no') {
    const isIn = validate(inA, answer.witness, { closed }) === 'accepted';
    const isOut = validate(inB, answer.witness) === 'rejected';
    return isIn && isOut ? null : { law: 'a witness is in a and not in b', answer };
  }
  if (answer.verdict !== 'yes') return null;
  for (const value of valuesFor(a, b, seed, valuesPerPair)) {
    tally.tried++;
    if (validate(inB, value) !== 'rejected') continue;
    if (validate(inA, value, { closed }) !== 'accepted') continue;
    return { law: 'what is yes has no exception', value, answer };
  }
  return null;
}

export type Open = typeof openComparison;

/** Where b describes all that a writes, no value of closed(a) that b accepts is outside of closed(b). */
export function breachOfDescription(open: Open, { dialect, a, b, seed }: Pair): Breach | null {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    const comparison = open(from, to, { dialect, stepBudget: lawSteps });
    const answer = comparison.describes(comparison.old.root, comparison.next.root);
    if (answer.verdict === 'undecided') continue;
    const [inFrom, inTo] = [parseSchema(from, dialect).root, parseSchema(to, dialect).root];
    const isException = (value: Json): boolean =>
      validate(inTo, value, { closed: true }) === 'rejected' &&
      validate(inTo, value) === 'accepted' &&
      validate(inFrom, value, { closed: true }) === 'accepted';
    if (answer.verdict === 'no') {
      if (isException(answer.witness)) continue;
      return { law: 'a witness is accepted and not described', answer };
    }
    const value = valuesFor(from, to, seed, valuesPerPair).find(isException);
    if (value !== undefined) return { law: 'what is described has no exception', value, answer };
  }
  return null;
}

/** Every schema contains itself. */
export function breachOfReflexivity(contains: Contains, { dialect, a }: Pair): Breach | null {
  for (const closed of [false, true]) {
    const answer = contains({ a, b: a, dialect, closed, stepBudget: lawSteps });
    if (answer.verdict === 'no') return { law: 'every schema contains itself', answer };
  }
  return null;
}

/** The same question has the same answer, whatever was asked between. */
export function breachOfRepetition(contains: Contains, { dialect, a, b }: Pair): Breach | null {
  const question = { a, b, dialect, stepBudget: lawSteps };
  const first = contains(question);
  contains({ a: b, b: a, dialect, stepBudget: lawSteps });
  const second = contains(question);
  const isSame = JSON.stringify(first) === JSON.stringify(second);
  return isSame ? null : { law: 'the same question has the same answer', answer: second };
}

/** What is in a part of a whole is in the whole. */
export function breachOfTransitivity(
  contains: Contains,
  { dialect, a, b }: Pair,
  c: Json,
): Breach | null {
  const ask = (left: Json, right: Json): ContainmentAnswer =>
    contains({ a: left, b: right, dialect, stepBudget: lawSteps });
  if (ask(a, b).verdict !== 'yes' || ask(b, c).verdict !== 'yes') return null;
  const answer = ask(a, c);
  return answer.verdict === 'no' ? { law: 'containment is transitive', answer } : null;
}

/** Another spelling of the same schemas never turns yes into no, or no into yes. */
export function breachOfRewriting(
  contains: Contains,
  { dialect, a, b, seed }: Pair,
  closed: boolean,
): Breach | null {
  const random = randomFrom(seed);
  const [otherA, otherB] = [rewrite(a, dialect, random), rewrite(b, dialect, random)];
  const plain = contains({ a, b, dialect, closed, stepBudget: lawSteps });
  const other = contains({ a: otherA, b: otherB, dialect, closed, stepBudget: lawSteps });
  const isTurned =
    plain.verdict !== other.verdict &&
    plain.verdict !== 'undecided' &&
    other.verdict !== 'undecided';
  if (!isTurned) return null;
  return { law: 'another spelling has the same answer', value: [otherA, otherB], answer: other };
}
