// What a producer writes, judged by ajv alone: where the answer for closed was yes, what ajv takes for a
// value of closed(a) it takes for one of b, too. A law that asks the engine's own validator would not see
// what the two understand wrongly in the same way.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contains } from '../../../src/core/containment/contains.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { isJsonObject } from '../../../src/core/value/json.ts';
import { ajvOf } from './ajv.ts';
import type { Breach } from './laws.ts';
import { lawSteps } from './laws.ts';
import { plainPair } from './plain-schemas.ts';
import type { Pair } from './schemas.ts';
import { valuesFor } from './values.ts';

const pairCount = Number(process.env.LAW_PAIRS ?? 2_000);
const seed = Number(process.env.LAW_SEED ?? 20_261_121);
const timeoutMs = 60_000 + pairCount * 20;
const valuesPerPair = 12;

/**
 * A schema of less than closed(a), for those who know nothing of producers: nothing but what is evaluated
 * stands at any place, and what says nothing evaluates nothing. Of places that two branches describe it
 * takes less than a producer may write, which is no harm here.
 */
function closedText(schema: Json, isPlace: boolean): Json {
  if (!isJsonObject(schema)) return schema;
  const made: Record<string, Json> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties' && isJsonObject(value)) made[name] = eachPlace(value);
    else if (name === 'items') made[name] = closedText(value, true);
    else if (name === 'additionalProperties') {
      if (saysSomething(value)) made[name] = closedText(value, true);
    } else if ((name === 'anyOf' || name === 'oneOf') && Array.isArray(value)) {
      made[name] = value.map((branch: Json) => closedText(branch, false));
    } else made[name] = value;
  }
  return isPlace ? { ...made, unevaluatedProperties: false } : made;
}

function eachPlace(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, closedText(value, true)]),
  );
}

/** The schemas of plain-schemas.ts that do not: `true`, `{}` and a title. */
function saysSomething(schema: Json): boolean {
  if (!isJsonObject(schema)) return schema === false;
  return Object.keys(schema).some((name) => name !== 'title');
}

/** Where a branch is narrowed that holds another `oneOf`, it may take what the whole one refuses. */
function isReadable(schema: Json): boolean {
  const text = JSON.stringify(schema);
  return !text.includes('$ref') && text.split('"oneOf"').length <= 2;
}

interface Judged {
  yes: number;
  written: number;
}

function breachOfProducer({ dialect, a, b, seed: own }: Pair, judged: Judged): Breach | null {
  const left = withoutDefinitions(a);
  if (!isReadable(left)) return null;
  const answer = contains({ a, b, dialect, closed: true, formats: false, stepBudget: lawSteps });
  if (answer.verdict !== 'yes') return null;
  const inA = ajvOf(dialect, left);
  const inClosed = ajvOf(dialect, closedText(left, true));
  const inB = ajvOf(dialect, b);
  if (inA === null || inClosed === null || inB === null) return null;
  judged.yes++;
  for (const value of valuesFor(left, b, own, valuesPerPair)) {
    if (inA(value) !== 'accepted' || inClosed(value) !== 'accepted') continue;
    judged.written++;
    if (inB(value) !== 'rejected') continue;
    return { law: 'what a producer of a writes is in b', value, answer };
  }
  return null;
}

function withoutDefinitions(schema: Json): Json {
  if (!isJsonObject(schema)) return schema;
  const { $defs: _, ...rest } = schema;
  return rest;
}

describe('what a producer writes', () => {
  test(
    'is in b by another validator, where the engine said that it is',
    () => {
      const judged = { yes: 0, written: 0 };
      fc.assert(
        fc.property(plainPair, (one) => {
          expect(breachOfProducer(one, judged)).toBeNull();
        }),
        { numRuns: Math.ceil(pairCount * 0.02), seed },
      );
      expect(judged.written).toBeGreaterThan(pairCount * 0.05);
    },
    timeoutMs,
  );
});
