// Fields of an object within an object, a list or a map, in whose place null, a text or a list may stand: contracts
// over a small world, so that all values are known, for those who read the fields and for those who send them.

import fc from 'fast-check';
import type { ContractTerms, Direction } from '../../../src/core/comparison.ts';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import { compare } from '../../../src/core/diff/compare.ts';
import { openPlaces } from '../../../src/core/diff/places/place.ts';
import { withDemandsDescribed } from '../../../src/core/diff/rewrite/with-demands-described.ts';
import { type FieldStep, parseField } from '../../../src/core/needs/field-path.ts';
import { checkSchema } from '../../../src/core/schema/check-schema.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/value/json.ts';
import { ajvOf } from '../laws/ajv.ts';
import { applyEdit } from '../laws/edits.ts';
import { lawSteps } from '../laws/laws.ts';
import type { NeedEngine } from '../laws/needs-laws.ts';
import { conditional, withoutNull } from './branch-law.ts';

const dialect = '2020-12';
const inner = ['a', 'b', 'c'] as const;
/** Schemas name one text and no number, so that another text fits wherever they do not. */
const atoms: readonly Json[] = ['x', 'y', 1, null, true];

const things: readonly Json[] = [
  ...[null, 'x', 'y', 1, [], [1]],
  ...inner.reduce<readonly JsonObject[]>(
    (objects, key) =>
      objects.flatMap((one) => [one, ...atoms.map((atom) => ({ ...one, [key]: atom }))]),
    [{}],
  ),
  // A condition may fail because of a name that no schema has.
  { other: 'x' },
];

const holders = {
  object: { path: '$.o', values: things },
  list: { path: '$.o[*]', values: [null, 'x', {}, [], ...things.map((one) => [one])] },
  map: { path: '$.o.*', values: [null, 'x', [], {}, ...things.map((one) => ({ z: one }))] },
} as const satisfies Record<string, { path: string; values: readonly Json[] }>;
type Holder = keyof typeof holders;

function valuesOf(holder: Holder): readonly JsonObject[] {
  const held = holders[holder].values.map((o) => ({ o }));
  return [{}, { other: 'x' }, ...held].flatMap((one) => [
    one,
    { ...one, k: 'x' },
    { ...one, k: 1 },
  ]);
}
const world = Object.fromEntries(
  Object.keys(holders).map((holder) => [holder, valuesOf(holder as Holder)]),
) as Readonly<Record<Holder, readonly JsonObject[]>>;

const of = (...all: readonly Json[]): fc.Arbitrary<Json> => fc.constantFrom(...all);
const something: readonly Json[] = [
  ...[{ type: 'string' }, { type: 'integer' }, {}, { const: 'x' }, { enum: ['x', null] }],
  ...[{ type: ['string', 'null'] }, { type: ['integer', 'string'] }, { not: { const: 'x' } }],
];
const present = of(...something);
const leaf = of(...something, false);
const name = fc.constantFrom(...inner);
const someNames = fc.uniqueArray(name, { minLength: 1, maxLength: 2 });

const part: fc.Arbitrary<JsonObject> = fc
  .record({
    properties: fc.option(fc.dictionary(name, leaf, { minKeys: 1, maxKeys: 2 }), { freq: 6 }),
    required: fc.option(someNames, { freq: 1 }),
    type: of(...Array(8).fill(null), 'object', ['object', 'null'], 'null'),
  })
  .map(withoutNull);

/** What may stand beside the fields of an object, or in a branch that is about them. */
function moreOf(part: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  return fc.oneof(
    ...['oneOf', 'anyOf', 'allOf'].map((keyword) =>
      fc.array(part, { minLength: 1, maxLength: 2 }).map((all) => ({ [keyword]: all })),
    ),
    fc.tuple(part, part, part).map(([tested, then, other]) => conditional(tested, then, other)),
    fc.tuple(part, part).map(([tested, then]) => conditional(tested, then)),
    part.map((said) => ({ not: said })),
  );
}

const ofNames: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.tuple(name, part).map(([key, said]) => ({ dependentSchemas: { [key]: said } })),
  fc.tuple(name, name).map(([key, other]) => ({ dependentRequired: { [key]: [other] } })),
  fc.integer({ min: 1, max: 3 }).map((minProperties) => ({ minProperties })),
  fc.integer({ min: 1, max: 2 }).map((maxProperties) => ({ maxProperties })),
  leaf.map((said) => ({ patternProperties: { '^[bc]$': said } })),
  of({ enum: ['a', 'b'] }, { enum: ['b', 'c'] }, { not: { const: 'c' } }).map((names) => ({
    propertyNames: names,
  })),
  fc.constantFrom<JsonObject>({ additionalProperties: false }, { unevaluatedProperties: false }),
  fc.constant<JsonObject>({ additionalProperties: { type: 'string' } }),
);
const more = fc.oneof(moreOf(part), ofNames);

const thing: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.record({ a: leaf, b: present }, { requiredKeys: ['b'] }),
    fc.option(someNames),
    fc.option(more),
  )
  .map(([properties, required, also]) => ({
    ...withoutNull({ type: 'object', properties, required }),
    ...also,
  }));

/** What stands in the place of an object. */
const none = of(
  ...[
    { type: 'null' },
    { enum: [null] },
    { type: ['object', 'null'], enum: [null] },
    { const: 'x' },
  ],
  ...[{ type: ['object', 'null'], const: null }, { type: 'string' }, { not: { type: 'object' } }],
  ...[
    { type: ['object', 'string'], enum: ['x'] },
    { type: 'array', items: { type: 'integer' } },
  ],
  ...[{ type: ['array', 'null'] }, { $ref: '#/$defs/none' }, { allOf: [{ enum: [null] }] }, {}],
  ...[
    { type: ['string', 'object'], not: { type: 'object' } },
    { type: 'object', enum: ['x'] },
  ],
);
const reference: JsonObject = { $ref: '#/$defs/thing' };
const anObject = fc.oneof({ weight: 3, arbitrary: thing }, fc.constant(reference));

const place: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 3, arbitrary: thing },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('anyOf', 'oneOf'), anObject, none)
      .map(([keyword, one, other]) => ({ [keyword]: [one, other] })),
  },
  thing.map((one) => ({ ...one, type: ['object', 'null'] })),
  thing.map(({ type: _type, ...rest }) => rest),
  fc.tuple(thing, part).map(([one, said]) => ({ allOf: [one, said] })),
  part.map((said) => ({ ...said, ...reference })),
  fc.tuple(anObject, thing, none).map((all) => ({ anyOf: [{ allOf: [all[0]] }, ...all.slice(1)] })),
  fc.tuple(thing, none).map(([one, other]) => ({ ...one, anyOf: [{ required: ['b'] }, other] })),
);

const aboveNames = fc.constantFrom<JsonObject>(
  ...[{ dependentRequired: { k: ['o'] } }, { additionalProperties: false }, { minProperties: 2 }],
  ...[{ unevaluatedProperties: false }, { not: { required: ['k', 'o'] } }, { minProperties: 1 }],
);

/** The object alone, or a list or a map of such objects. */
function heldIn(holder: Holder, said: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  if (holder === 'object') return said;
  const shapes: readonly ((one: Json) => JsonObject)[] =
    holder === 'list'
      ? [
          (items) => ({ type: 'array', items }),
          (items) => ({ type: ['array', 'null'], items, minItems: 1 }),
          (schema) => ({ type: 'array', items: schema, contains: schema }),
        ]
      : [
          (others) => ({ type: 'object', additionalProperties: others }),
          (others) => ({ type: ['object', 'null'], additionalProperties: others }),
          (others) => ({ type: 'object', patternProperties: { '^[xyz]$': others } }),
          (named) => ({ type: 'object', properties: { z: named } }),
        ];
  const held = fc.tuple(fc.constantFrom(...shapes), said).map(([shape, one]) => shape(one));
  const chosen = fc.tuple(fc.constantFrom('anyOf', 'oneOf'), held, none);
  return fc.oneof(
    { weight: 2, arbitrary: held },
    chosen.map(([keyword, one, other]) => ({ [keyword]: [one, other] })),
  );
}

function above(holder: Holder): fc.Arbitrary<JsonObject> {
  const o = heldIn(holder, fc.oneof(place, part, none));
  const held = o.map((said): JsonObject => ({ properties: { o: said } }));
  const branch = fc
    .tuple(held, fc.boolean(), fc.option(fc.constantFrom(['o'], ['k'], ['k', 'o'])), leaf)
    .map(([said, hasKey, required, k]) => ({
      properties: { ...(said.properties as JsonObject), ...(hasKey && { k }) },
      ...(required && { required }),
    }));
  const few = fc.oneof(branch, of({ required: ['o'] }, { required: ['k'] }));
  return fc.oneof(
    ...[moreOf(few), aboveNames, held.map((said) => ({ dependentSchemas: { k: said } }))],
    o.map((said) => ({ patternProperties: { '^o': said } })),
    o.map((said) => ({ properties: {}, additionalProperties: said })),
  );
}

function contract(holder: Holder): fc.Arbitrary<{ schema: Json; definitions: JsonObject }> {
  return fc
    .record({
      ...{ k: present, o: heldIn(holder, place), thing },
      none: of({ type: 'null' }, { enum: [null] }, { type: 'string' }),
      required: fc.option(fc.constantFrom(['o'], ['k'], ['k', 'o'])),
      also: fc.option(above(holder), { freq: 1 }),
    })
    .map(({ k, o, required, also, ...definitions }) => ({
      definitions,
      schema: {
        type: 'object',
        properties: { k, o },
        ...(required && { required }),
        ...also,
      },
    }));
}

function withDefinitions(schema: Json, $defs: JsonObject): Json {
  const isAlone = !isJsonObject(schema) || !JSON.stringify(schema).includes('"#/$defs/');
  return isAlone ? schema : { $defs, ...schema };
}

interface NestedCase {
  readonly holder: Holder;
  readonly old: Json;
  readonly next: Json;
  readonly fields: readonly string[];
}

/** To be merged into properties. */
const another = fc.tuple(name, present).map(([key, said]): JsonObject => ({ [key]: said }));

/** The next version is the old one after an edit or two. */
export const nestedCase: fc.Arbitrary<NestedCase> = fc
  .constantFrom<Holder>('object', 'object', 'list', 'map')
  .chain((holder) => {
    const edit = fc.record({
      place: fc.nat(60),
      how: fc.constantFrom('drop', 'merge', 'wrap', 'nudge', 'swap', 'replace', 'replace'),
      which: fc.nat(8),
      part: fc.oneof(leaf, none, part, more, place, above(holder), another),
    });
    const { path } = holders[holder];
    return fc
      .record({
        old: contract(holder),
        edits: fc.array(edit, { minLength: 1, maxLength: 2 }),
        fields: fc.constantFrom(
          ...[[`${path}.b`], [`${path}.b`], [`${path}.b`], [`${path}.a`, `${path}.b`]],
          ...[
            ['$.k', `${path}.b`],
            [path],
            ...(holder === 'map' ? [['$.o.z.a', `${path}.b`]] : []),
          ],
        ),
      })
      .map(({ old: { schema, definitions }, edits, fields }) => {
        const old = withDefinitions(schema, definitions);
        const next = withDefinitions(edits.reduce<Json>(applyEdit, old), definitions);
        return { holder, old, next, fields };
      });
  });

interface NestedTally {
  unaffected: number;
  asked: number;
  sent: number;
}

/**
 * A reader who is unaffected sees nothing that it did not see before. Nobody who is unaffected sends what is refused, and
 * each value of the stated and the demanded fields is in what the need sends.
 */
export function breachOfNested(
  engine: NeedEngine,
  { holder, old, next, fields }: NestedCase,
  direction: Exclude<Direction, 'operation'>,
  tally: NestedTally = { unaffected: 0, asked: 0, sent: 0 },
): string | null {
  if ([old, next].some((schema) => checkSchema(schema, { dialect }).length > 0)) return null;
  const terms = (schema: Json): ContractTerms => ({
    ...{ schema, direction, dialect, compatibilityMode: 'backward', guarantees: null },
  });
  const [before, after] = [terms(old), terms(next)];
  const made = engine.makeNeed({ fields }, before);
  if (!made.ok || engine.findUnmet(made.need, before, { stepBudget: lawSteps }) !== null)
    return null;
  const change = { old: before, next: after, comparison: compare(before, after) };
  if (!change.comparison.isBreaking) return null;
  tally.asked++;
  const [found] = engine.findVerdicts(change, [made.need], { stepBudget: lawSteps });
  const isUnaffected = found?.verdict === 'unaffected';
  if (isUnaffected) tally.unaffected++;
  const steps = fields.map((field) => parseField(field) ?? []);
  if (direction !== 'request') {
    return isUnaffected ? breachOfReading(holder, [old, next], steps) : null;
  }
  const isSent = openSent(old, steps);
  const isEmitted = emits(old);
  const { root: taking } = parseSchema(old, dialect);
  const isTaken = (value: Json) => validate(taking, value) === 'accepted';
  const sent = world[holder].filter(
    (value) => isEmitted(value) && (isSent(value) || isLeast(value, fields, isTaken)),
  );
  tally.sent += sent.length;
  const isKept = emits(made.need.schema);
  const left = sent.find((value) => !isKept(value));
  if (left !== undefined) return `${JSON.stringify(left)} is sent, and the need has it not`;
  const { root } = parseSchema(next, dialect);
  const refused = sent.find((value) => validate(root, value) === 'rejected');
  return isUnaffected && refused !== undefined
    ? `unaffected, though ${JSON.stringify(refused)} is refused`
    : null;
}

function breachOfReading(
  holder: Holder,
  [old, next]: readonly [Json, Json],
  fields: readonly (readonly FieldStep[])[],
): string | null {
  // Who reads an object reads what it has now, and not what it gets.
  const unknown = inner.filter((key) => !JSON.stringify(old).includes(JSON.stringify(key)));
  const shown = (value: Json) =>
    JSON.stringify(
      fields.map((steps) => shownAt(value, steps)),
      (key, one) => (unknown.some((each) => each === key) ? undefined : one),
    );
  const had = emittedOf(old, world[holder]);
  const seen = new Set(had.map(shown));
  const other = emittedOf(next, world[holder]).find((value) => !seen.has(shown(value)));
  return other === undefined || had.length === 0
    ? null
    : `unaffected, though ${JSON.stringify(other)} is new to the reader`;
}

/** What a reader of one field sees: of what stands in the place of an object or a list, what kind of thing it is. */
function shownAt(value: Json | undefined, [step, ...rest]: readonly FieldStep[]): Json {
  if (value === undefined) return 'absent';
  if (step === undefined) return [value];
  if (step === 'items') {
    return Array.isArray(value) ? value.map((item) => shownAt(item, rest)) : kindOf(value);
  }
  if (!isJsonObject(value)) return kindOf(value);
  if (step !== 'any_key') return shownAt(value[step.key], rest);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shownAt(one, rest)]));
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** Whether a value has the stated fields alone, with those that the contract demands. */
function openSent(
  contract: Json,
  fields: readonly (readonly FieldStep[])[],
): (value: Json) => boolean {
  const demanded = demandedIn(contract);
  const isSent = (value: Json, wanted: readonly (readonly FieldStep[])[]): boolean => {
    if (wanted.some((steps) => steps.length === 0)) return true;
    const below = (isMeant: (step: FieldStep | undefined) => boolean) =>
      wanted.filter(([step]) => isMeant(step)).map((steps) => steps.slice(1));
    if (Array.isArray(value)) {
      const items = below((step) => step === 'items');
      return items.length === 0 || value.every((item) => isSent(item, items));
    }
    if (!isJsonObject(value)) return true;
    return Object.entries(value).every(([key, one]) => {
      const meant = below(
        (step) => step === 'any_key' || (typeof step === 'object' && step.key === key),
      );
      return meant.length > 0 ? isSent(one, meant) : demanded.has(key);
    });
  };
  return (value) => isSent(value, fields);
}

/** Whether a value has the field, and the contract takes it no more if any of the names that nobody stated go. */
function isLeast(
  { o, ...others }: JsonObject,
  fields: readonly string[],
  isTaken: (value: Json) => boolean,
): boolean {
  if (!fields.includes('$.o.b') || o === undefined || !isJsonObject(o) || !('b' in o)) return false;
  const stated = new Set(fields.map((field) => field.split('.').at(-1)));
  const names = Object.keys({ ...others, ...o }).filter((key) => !stated.has(key));
  const without = (one: JsonObject, gone: readonly string[]) =>
    Object.fromEntries(Object.entries(one).filter(([key]) => !gone.includes(key)));
  return names
    .reduce<string[][]>((all, key) => all.flatMap((gone) => [gone, [...gone, key]]), [[]])
    .every(
      (gone) => gone.length === 0 || !isTaken({ ...without(others, gone), o: without(o, gone) }),
    );
}

/** Each name that something demands, but in a condition. */
function demandedIn(contract: Json): ReadonlySet<string> {
  const names = new Set<string>();
  const waiting: Json[] = [contract];
  for (const schema of waiting) {
    if (Array.isArray(schema)) waiting.push(...schema);
    if (!isJsonObject(schema)) continue;
    const {
      required = null,
      dependentRequired,
      if: _tested,
      $defs: _there,
      ...rest
    } = schema as Record<string, Json>;
    const along = Object.values((dependentRequired ?? {}) as JsonObject);
    for (const each of [required, ...along].flat()) if (typeof each === 'string') names.add(each);
    waiting.push(...Object.values(rest).filter((each) => !waiting.includes(each)));
    const target = definitionsOf(contract)[String(schema.$ref).slice('#/$defs/'.length)];
    if (target !== undefined && !waiting.includes(target)) waiting.push(target);
  }
  return names;
}

function definitionsOf(contract: Json): JsonObject {
  const { $defs = {} } = contract as JsonObject;
  return $defs as JsonObject;
}

function emittedOf(schema: Json, values: readonly JsonObject[]): readonly JsonObject[] {
  return values.filter(emits(schema));
}

/** Whether a producer of the schema writes a value: a name that is demanded is declared. */
function emits(schema: Json): (value: Json) => boolean {
  const document = parseSchema(schema, dialect);
  const described = withDemandsDescribed(openPlaces(document, 'old'), document.root);
  const judge = ajvOf(dialect, schema);
  return (value) =>
    validate(described, value, { closed: true }) === 'accepted' && judge?.(value) !== 'rejected';
}
