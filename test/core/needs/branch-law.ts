// Fields within branches: small contracts over three fields and five values, so that all objects are
// known, and a reader of some fields sees exactly the parts of them.

import fc from 'fast-check';
import type { ContractTerms, Direction } from '../../../src/core/comparison.ts';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import { compare } from '../../../src/core/diff/compare.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { ajvOf } from '../laws/ajv.ts';
import { lawSteps } from '../laws/laws.ts';
import type { NeedEngine } from '../laws/needs-laws.ts';

const names = ['kind', 'one', 'two'] as const;
/** Each schema names two strings at most, so a third one fits wherever others do. */
const atoms: readonly Json[] = ['x', 'y', 'z', 1, null];

const everyObject: readonly JsonObject[] = names.reduce<readonly JsonObject[]>(
  (objects, name) =>
    objects.flatMap((object) => [object, ...atoms.map((atom) => ({ ...object, [name]: atom }))]),
  // A condition that forbids other names may fail because of one that no schema names.
  [{}, { other: 'x' }],
);

const name = fc.constantFrom(...names);
const field: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  ...[{ type: 'string' }, { type: 'integer' }, {}, { const: 'x' }, { const: 'y' }],
  ...[{ enum: ['x', 1] }, { type: ['string', 'null'] }, { not: { const: 'x' } }, false],
);

/** What a branch says of the fields. */
const plain: fc.Arbitrary<JsonObject> = fc
  .record({
    properties: fc.dictionary(name, field, { minKeys: 1, maxKeys: 3 }),
    required: fc.option(fc.uniqueArray(name, { minLength: 1, maxLength: 2 }), { freq: 1 }),
    additionalProperties: fc.option(fc.constantFrom<Json>(false, { type: 'string' }), { freq: 8 }),
  })
  .map((said) => withoutNull(said));

export function withoutNull(said: Readonly<Record<string, Json>>): JsonObject {
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
}

const branches: fc.Arbitrary<JsonObject> = fc.oneof(
  ...['oneOf', 'anyOf', 'allOf'].map((keyword) =>
    fc.array(plain, { minLength: 2, maxLength: 3 }).map((all) => ({ [keyword]: all })),
  ),
  fc
    .tuple(plain, plain, plain)
    .map(([tested, followed, other]) => conditional(tested, followed, other)),
  fc.tuple(name, plain).map(([key, said]) => ({ dependentSchemas: { [key]: said } })),
  plain.map((said) => ({ not: said })),
  fc.tuple(name, name, fc.boolean()).map(([key, other, isThere]) => ({
    dependentRequired: { [key]: [other] },
    ...(isThere && { required: [key] }),
  })),
);

export function conditional(tested: Json, followed: Json, other?: Json): JsonObject {
  return Object.fromEntries([
    ...[['if', tested] as const, ['then', followed] as const],
    ...(other === undefined ? [] : [['else', other] as const]),
  ]);
}

const contract: fc.Arbitrary<JsonObject> = fc
  .tuple(plain, branches, fc.boolean())
  .map(([said, more, isBare]) => ({ type: 'object', ...(isBare ? {} : said), ...more }));

interface BranchCase {
  readonly old: JsonObject;
  readonly next: JsonObject;
  readonly fields: readonly string[];
}

/** The next version has the branches, or what stands beside them, of another contract. */
export const branchCase: fc.Arbitrary<BranchCase> = fc
  .tuple(
    contract,
    contract,
    branches,
    fc.nat(2),
    fc.subarray([...names], { minLength: 1, maxLength: 2 }),
  )
  .map(([old, other, more, which, fields]) => ({
    old,
    next:
      [
        { ...old, ...other },
        { ...other, ...old },
        { ...old, ...more },
      ][which] ?? old,
    fields,
  }));

function partOf(value: JsonObject, fields: readonly string[]): string {
  return JSON.stringify(fields.map((key) => (key in value ? [value[key]] : [])));
}

/** A reader who is unaffected sees nothing that it did not see before, and each field is still there. */
export function breachOfBranches(
  engine: NeedEngine,
  { old, next, fields }: BranchCase,
  direction: Exclude<Direction, 'operation' | 'request'>,
  tally: { unaffected: number; asked: number },
): string | null {
  const [before, after] = [old, next].map(
    (schema): ContractTerms => ({
      ...{ schema, direction, dialect: '2020-12', compatibilityMode: 'backward', guarantees: null },
    }),
  ) as [ContractTerms, ContractTerms];
  const made = engine.makeNeed({ fields: fields.map((key) => `$.${key}`) }, before);
  if (!made.ok || engine.findUnmet(made.need, before, { stepBudget: lawSteps }) !== null)
    return null;
  const change = { old: before, next: after, comparison: compare(before, after) };
  const [found] = engine.findVerdicts(change, [made.need], { stepBudget: lawSteps });
  tally.asked++;
  if (found?.verdict !== 'unaffected') return null;
  const [had, has] = [old, next].map(valuesOf) as [readonly JsonObject[], readonly JsonObject[]];
  if (has.length === 0 || fields.some((key) => !had.some((value) => key in value))) return null;
  tally.unaffected++;
  const seen = new Set(had.map((value) => partOf(value, fields)));
  const other = has.find((value) => !seen.has(partOf(value, fields)));
  if (other !== undefined)
    return `unaffected, though ${JSON.stringify(other)} is new to the reader`;
  const lost = fields.find((key) => !has.some((value) => key in value));
  return lost === undefined ? null : `unaffected, though no value has ${lost} any more`;
}

function valuesOf(schema: JsonObject): readonly JsonObject[] {
  const { root } = parseSchema(schema, '2020-12');
  const judge = ajvOf('2020-12', schema);
  return everyObject.filter(
    (value) =>
      validate(root, value, { closed: true }) === 'accepted' && judge?.(value) !== 'rejected',
  );
}
