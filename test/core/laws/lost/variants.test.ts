// A field that responses of one variant had, and no longer have, breaks the operation, whether the variant forbids it, no
// longer describes it or marks it. What is written is asked of a validator that collects what each schema says about
// each value. VARIANT_PAIRS asks for more pairs, and VARIANT_SEED for others.

import '@hyperjump/json-schema/draft-2020-12';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ContractTerms } from '../../../../src/core/comparison.ts';
import { validate } from '../../../../src/core/containment/validate/validator.ts';
import { compare } from '../../../../src/core/diff/compare.ts';
import { toContractTerms } from '../../../../src/core/import/candidate.ts';
import { alignTerms } from '../../../../src/core/import/openapi/align-terms.ts';
import { parseOpenApi } from '../../../../src/core/import/openapi/openapi.ts';
import { parseSchema } from '../../../../src/core/schema/parse-schema.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import { object } from '../../diff/support/terms.ts';
import { openMarks } from './marks.ts';

const pairCount = Number(process.env.VARIANT_PAIRS ?? 200);
const seed = Number(process.env.VARIANT_SEED ?? 20_261_129);

const tags = ['a', 'b'] as const;
const names = ['p', 'q'] as const;
const world: readonly JsonObject[] = tags.flatMap((t) =>
  [{}, { p: 1 }].flatMap((p) => [{}, { q: 1 }].map((q): JsonObject => ({ t, ...p, ...q }))),
);

const whole: Json = { type: 'integer' };
/** What a variant says of one name; null is nothing. */
const said = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Json | null>(whole) },
  fc.constantFrom<Json | null>(...[null, false, { ...(whole as JsonObject), writeOnly: true }]),
  fc.constant<Json | null>({ not: {} }),
);
const more = fc.oneof(
  { weight: 5, arbitrary: fc.constant<JsonObject>({}) },
  fc.constantFrom<JsonObject>(
    ...[{ additionalProperties: false }, { required: ['t', 'p'] }, { maxProperties: 2 }],
    ...[{ not: { required: ['p'] } }, { propertyNames: { enum: ['t', 'p'] } }],
    ...[{ patternProperties: { '^p': { writeOnly: true } } }, { additionalProperties: whole }],
  ),
);

interface Variant {
  readonly p: Json | null;
  readonly q: Json | null;
  readonly more: JsonObject;
}

interface Response {
  readonly variants: readonly Variant[];
  /** What is said of `q` for all variants. */
  readonly around: Json | null;
}

const variant: fc.Arbitrary<Variant> = fc.record({ p: said, q: said, more });
const around = fc.constantFrom<Json | null>(null, null, whole);
const response: fc.Arbitrary<Response> = fc.record({
  variants: fc.tuple(variant, variant),
  around,
});

function edited(old: Response): fc.Arbitrary<Response> {
  const parts = fc.record({ index: fc.nat(1), part: fc.constantFrom('p', 'q', 'more'), variant });
  return fc.oneof(
    {
      weight: 4,
      arbitrary: parts.map(({ index, part, variant }): Response => {
        const of = old.variants.map((each, at) =>
          at === index ? { ...each, [part]: variant[part as keyof Variant] } : each,
        );
        return { ...old, variants: of };
      }),
    },
    around.map((each): Response => ({ ...old, around: each })),
  );
}

interface Shape {
  readonly union: 'oneOf' | 'anyOf';
  readonly place: 'whole' | 'property' | 'items';
  readonly status: 200 | 404;
}

function schemaOf({ variants, around }: Response, { union }: Shape): Json {
  const described = (of: Readonly<Record<string, Json | null>>): JsonObject =>
    Object.fromEntries(Object.entries(of).filter(([, each]) => each !== null)) as JsonObject;
  const members = variants.map(
    ({ p, q, more }, index): Json => ({
      ...{ type: 'object', required: ['t'] },
      ...{ properties: { t: { const: tags[index] ?? '' }, ...described({ p, q }) }, ...more },
    }),
  );
  return object({ t: { enum: [...tags] }, ...described({ q: around }) }, [], { [union]: members });
}

function operationOf(schema: Json, { place, status }: Shape): ContractTerms {
  const body =
    place === 'whole'
      ? schema
      : object({ n: place === 'property' ? schema : { type: 'array', items: schema } });
  const answer = (each: Json) => ({
    ...{ description: 'ok', content: { 'application/json': { schema: each } } },
  });
  const responses = { 200: answer(object({ id: whole })), [status]: answer(body) };
  const paths = { '/orders': { get: { responses } } };
  const document = { openapi: '3.1.0', info: { title: 'Shop', version: '1' }, paths };
  const terms = parseOpenApi(document as Json).candidates[0]?.terms;
  if (terms == null) throw new Error('The operation has no contract.');
  return toContractTerms(terms, null);
}

/** For each variant, the fields of the values that are written. */
async function fieldsOf(schema: Json): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const markedIn = await openMarks(schema, 'writeOnly');
  const { root } = parseSchema(schema);
  const found = new Map<string, Set<string>>();
  for (const value of world) {
    const marked = markedIn(value);
    if (marked === null || validate(root, value, { closed: true }) !== 'accepted') continue;
    const fields = found.get(String(value.t)) ?? new Set();
    for (const name of names) if (name in value && !marked.has(name)) fields.add(name);
    found.set(String(value.t), fields);
  }
  return found;
}

/** What only stands beside the variants may go from one of them: docs/decisions/kept-fields.md, "Still open". */
function isSaid({ variants, around }: Response, tag: string, name: string): boolean {
  const own = variants[tags.indexOf(tag as (typeof tags)[number])];
  return name !== 'q' || around === null || own?.q !== null;
}

test(
  'a field that a variant of a response loses breaks the operation',
  async () => {
    const tally = { lost: 0, kept: 0 };
    const pairs = fc.record({
      sides: response.chain((old) => fc.tuple(fc.constant(old), edited(old))),
      shape: fc.record<Shape>({
        union: fc.constantFrom('oneOf', 'anyOf'),
        place: fc.constantFrom('whole', 'property', 'items'),
        status: fc.constantFrom(200, 404),
      }),
    });
    for (const { sides, shape } of fc.sample(pairs, { numRuns: pairCount, seed })) {
      const [old, next] = sides.map((side) => schemaOf(side, shape)) as [Json, Json];
      const [had, has] = [await fieldsOf(old), await fieldsOf(next)];
      const lost = [...had].flatMap(([tag, fields]) => {
        const left = has.get(tag);
        const isLost = (name: string) => left?.has(name) === false && isSaid(sides[0], tag, name);
        return [...fields].filter(isLost);
      });
      tally[lost.length > 0 ? 'lost' : 'kept']++;
      if (lost.length === 0) continue;
      const terms = [old, next].map((each) => operationOf(each, shape)) as [
        ContractTerms,
        ContractTerms,
      ];
      const { isBreaking } = compare(...alignTerms(...terms));
      expect({ lost, isBreaking, old, next, shape }).toEqual({
        ...{ lost, isBreaking: true, old, next, shape },
      });
    }
    expect(Math.min(tally.lost, tally.kept)).toBeGreaterThan(pairCount / 20);
  },
  60_000 + pairCount * 100,
);
