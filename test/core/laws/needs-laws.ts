// The laws of needs, as functions that return what breaks them, so that a broken engine can be tested
// with them as well.

import type { ContractTerms, Direction } from '../../../src/core/comparison.ts';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import { openPlaces } from '../../../src/core/diff/places/place.ts';
import { withDemandsDescribed } from '../../../src/core/diff/rewrite/with-demands-described.ts';
import type { ConsumerVerdict, Need } from '../../../src/core/need.ts';
import type { findVerdicts } from '../../../src/core/needs/find-verdicts.ts';
import type { findUnmet, makeNeed } from '../../../src/core/needs/make-need.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import { isJsonObject, type Json } from '../../../src/core/value/json.ts';
import { lawSteps } from './laws.ts';
import type { Pair } from './schemas.ts';
import { randomFrom, valuesFor } from './values.ts';

export interface NeedEngine {
  readonly findVerdicts: typeof findVerdicts;
  readonly makeNeed: typeof makeNeed;
  readonly findUnmet: typeof findUnmet;
}

interface NeedTally {
  unaffected: number;
  breaks: number;
  may_break: number;
  written: number;
}

export function emptyNeedTally(): NeedTally {
  return { unaffected: 0, breaks: 0, may_break: 0, written: 0 };
}

/** A contract that changes, and a schema that a consumer may state. */
export interface NeedCase {
  readonly pair: Pair;
  readonly stated: Json;
}

type Written = Exclude<Direction, 'operation'>;

const valuesPerCase = 12;
/** Nothing is known about the change but that it may break, so that everything is asked. */
const comparison = { changes: [], isBreaking: true, breaksBackward: true };

function termsOf(pair: Pair, schema: Json, direction: Written): ContractTerms {
  const { dialect } = pair;
  return { schema, dialect, direction, compatibilityMode: 'backward', guarantees: null };
}

function ask(engine: NeedEngine, pair: Pair, need: Need, direction: Written): ConsumerVerdict {
  const change = {
    ...{ old: termsOf(pair, pair.a, direction), next: termsOf(pair, pair.b, direction) },
    comparison,
  };
  const [found] = engine.findVerdicts(change, [need], { stepBudget: lawSteps });
  if (found === undefined) throw new Error('There is a verdict for each need.');
  return found;
}

/**
 * Where a consumer is unaffected, no value that the new version emits is refused by its need, and where
 * it breaks, there is a field or such a value.
 */
export function breachOfVerdict(
  engine: NeedEngine,
  { pair, stated }: NeedCase,
  direction: Written,
  tally: NeedTally = emptyNeedTally(),
): string | null {
  const { dialect, b, seed } = pair;
  const need: Need = { stated: { schema: stated }, schema: stated, dialect };
  const { verdict, path, witness } = ask(engine, pair, need, direction);
  tally[verdict]++;
  const contract = parseSchema(b, dialect).root;
  const needed = parseSchema(stated, dialect).root;
  const [sent, to] = direction === 'request' ? [needed, contract] : [contract, needed];
  // A name that is demanded is declared (docs/decisions/kept-fields.md).
  const from = withDemandsDescribed(openPlaces(sent.document, 'old'), sent);
  const isEmitted = (value: Json) => validate(from, value, { closed: true }) === 'accepted';
  const isRefused = (value: Json) => validate(to, value) === 'rejected';
  if (verdict === 'breaks') {
    if (path !== undefined) return null;
    if (witness === undefined) return 'what breaks has a path or a value';
    return isEmitted(witness) && isRefused(witness) ? null : 'a value that breaks is refused';
  }
  if (verdict !== 'unaffected') return null;
  for (const value of valuesFor(b, stated, seed, valuesPerCase)) {
    if (!isEmitted(value)) continue;
    tally.written++;
    if (isRefused(value)) return `unaffected, though ${JSON.stringify(value)} is refused`;
  }
  return null;
}

/** Names of properties that stand in a schema: fields to state. */
function fieldsOf(schema: Json): readonly string[] {
  const fields = new Set<string>();
  const visit = (at: Json, path: string, depth: number): void => {
    if (!isJsonObject(at) || depth > 3) return;
    const { properties, items } = at;
    if (properties !== undefined && isJsonObject(properties)) {
      for (const [key, child] of Object.entries(properties)) {
        fields.add(`${path}.${key}`);
        visit(child, `${path}.${key}`, depth + 1);
      }
    }
    if (items !== undefined) visit(items, `${path}[*]`, depth + 1);
    for (const name of ['allOf', 'anyOf', 'oneOf']) {
      const members = at[name];
      if (Array.isArray(members)) for (const each of members) visit(each, path, depth + 1);
    }
  };
  visit(schema, '$', 0);
  return [...fields];
}

/** A consumer that reads fewer fields is not broken by what leaves one that reads more unaffected. */
export function breachOfNarrowing(
  engine: NeedEngine,
  pair: Pair,
  direction: Written,
  tally: NeedTally = emptyNeedTally(),
): string | null {
  const all = fieldsOf(pair.a);
  const random = randomFrom(pair.seed);
  const wide = all.filter(() => random() < 0.7);
  const narrow = wide.filter(() => random() < 0.5);
  const old = termsOf(pair, pair.a, direction);
  const needs = [wide, narrow].map((fields) => engine.makeNeed({ fields }, old));
  const [more, less] = needs.map((made) =>
    made.ok ? ask(engine, pair, made.need, direction) : null,
  );
  if (more == null || less == null) return null;
  tally[more.verdict]++;
  if (more.verdict !== 'unaffected' || less.verdict !== 'breaks') return null;
  return `${JSON.stringify(narrow)} breaks, and ${JSON.stringify(wide)} is unaffected`;
}

/** The contract emits nothing that the schema of some of its fields refuses. */
export function breachOfProjection(engine: NeedEngine, pair: Pair): string | null {
  const { dialect, a, seed } = pair;
  const random = randomFrom(seed);
  const fields = fieldsOf(a).filter(() => random() < 0.5);
  const made = engine.makeNeed({ fields }, termsOf(pair, a, 'data'));
  if (!made.ok) return null;
  const contract = parseSchema(a, dialect).root;
  const needed = parseSchema(made.need.schema, made.need.dialect).root;
  for (const value of valuesFor(a, made.need.schema, seed, valuesPerCase)) {
    if (validate(contract, value) !== 'accepted') continue;
    if (validate(needed, value) !== 'rejected') continue;
    return `${JSON.stringify(fields)} refuse ${JSON.stringify(value)}`;
  }
  return null;
}
