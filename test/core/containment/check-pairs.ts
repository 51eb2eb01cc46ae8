// Runs a table of pairs through the engine, in both directions, and every witness through ajv.

import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import AjvDraft04 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { contains } from '../../../src/core/containment/contains.ts';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { Json } from '../../../src/core/value/json.ts';

type Verdict = 'yes' | 'no' | 'undecided';

/** Is a in b, and is b in a? */
export type Row = readonly [a: Json, b: Json, forth: Verdict, back: Verdict];

export interface Reading {
  readonly dialect?: Dialect;
  readonly formats?: boolean;
  readonly closed?: boolean;
  /** Set where ajv is known to be wrong. */
  readonly skipsAjv?: true;
}

export function checkPairs(title: string, rows: readonly Row[], reading: Reading = {}): void {
  for (const [index, [a, b, forth, back]] of rows.entries()) {
    const isSampled = index % sampleEvery === 0 && isPlain(reading);
    test(`${title}: ${JSON.stringify(a)} in ${JSON.stringify(b)}: ${forth}, back ${back}`, async () => {
      expect({ forth: verdictOf(a, b, reading), back: verdictOf(b, a, reading) }).toEqual({
        forth,
        back,
      });
      if (isSampled) await checkWitnesses(a, b);
    });
  }
}

/** Every so many rows the witnesses are put to a third validator as well. */
const sampleEvery = 4;

function isPlain({ dialect, closed }: Reading): boolean {
  return dialect === undefined && !closed;
}

async function checkWitnesses(a: Json, b: Json): Promise<void> {
  for (const [left, right] of [
    [a, b],
    [b, a],
  ] as const) {
    const answer = contains({ a: left, b: right, formats: false });
    if (answer.verdict !== 'no' || !isSelfContained(left) || !isSelfContained(right)) continue;
    const { witness } = answer;
    const inA = await isAcceptedByThird(left, witness);
    const inB = await isAcceptedByThird(right, witness);
    expect({ inA, inB, witness }).toEqual({ inA: true, inB: false, witness });
  }
}

/** Ids would have to be registered, and kept apart. */
function isSelfContained(schema: Json): boolean {
  return !JSON.stringify(schema).includes('$id');
}

let registered = 0;

async function isAcceptedByThird(schema: Json, value: Json): Promise<boolean> {
  const uri = `https://pairs.test/${registered++}`;
  registerSchema(schema as never, uri, 'https://json-schema.org/draft/2020-12/schema');
  const output = await validate(uri, value as never);
  unregisterSchema(uri);
  return output.valid;
}

function verdictOf(a: Json, b: Json, reading: Reading): Verdict {
  const answer = contains({ a, b, ...reading });
  if (answer.verdict === 'no' && reading.skipsAjv === undefined) {
    const { witness } = answer;
    const seen = { inA: accepts(a, witness, reading), inB: accepts(b, witness, reading), witness };
    expect(seen).toEqual({ inA: true, inB: false, witness });
  }
  return answer.verdict;
}

type Check = (schema: Json, value: Json) => boolean;

/** A second opinion: ajv, which knows nothing of the engine. */
export function accepts(schema: Json, value: Json, reading: Reading): boolean {
  return checkFor(reading)(schema, value);
}

const checks = new Map<string, Check>();

function checkFor({ dialect = '2020-12', formats = true }: Reading): Check {
  const key = `${dialect} ${formats}`;
  const known = checks.get(key);
  if (known !== undefined) return known;
  const options = { strict: false, validateFormats: formats, logger: false } as const;
  const make = () => {
    if (dialect === 'draft-04' || dialect === 'openapi-3.0') return new AjvDraft04.default(options);
    if (dialect === 'draft-06' || dialect === 'draft-07') return new Ajv(options);
    return dialect === '2019-09' ? new Ajv2019(options) : new Ajv2020(options);
  };
  const check: Check = (schema, value) => {
    const ajv = make();
    if (formats) addFormats.default(ajv);
    return ajv.compile(schema as object)(value) === true;
  };
  checks.set(key, check);
  return check;
}
