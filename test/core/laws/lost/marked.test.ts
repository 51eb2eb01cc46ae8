// Properties that OpenAPI marks are no part of requests (readOnly) or of responses (writeOnly), where the mark
// holds. Where it holds is asked of a validator that collects what each schema says about each value. A
// compatible change takes each request of old, and sends no response that old does not know. The side that writes
// may mark a property in some branches only, and have a oneOf, a `not`, a condition or a count that depends on it.
// MARKED_PAIRS asks for more pairs, and MARKED_SEED for others.

import '@hyperjump/json-schema/draft-2020-12';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validate } from '../../../../src/core/containment/validate/validator.ts';
import { parseSchema } from '../../../../src/core/schema/parse-schema.ts';
import { canonicalJson } from '../../../../src/core/value/canonical-json.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import { between, object } from '../../diff/support/terms.ts';
import { type Mark, openMarks } from './marks.ts';

const pairCount = Number(process.env.MARKED_PAIRS ?? 100);
const seed = Number(process.env.MARKED_SEED ?? 20_261_128);

const written = (key: string, values: readonly Json[]) => [
  {},
  ...values.map((value): JsonObject => ({ [key]: value })),
];
const world: readonly JsonObject[] = written('k', ['a', 'b'])
  .slice(1)
  .flatMap((k) =>
    written('p', [1, 's', true]).flatMap((p) =>
      written('q', [1, 's']).map((q) => ({ ...k, ...p, ...q })),
    ),
  );

const anyContent = fc.constantFrom<Json>(
  ...[{ type: 'integer' }, { type: 'string' }, { type: ['integer', 'string'] }, {}],
);

/** Any two of these have values in common. */
const wideContent = fc.constantFrom<Json>({ type: ['integer', 'string'] }, {});

/**
 * A name is marked wherever the schema describes it, or nowhere. What a marked
 * property contains is left open: a content that no value has would end every request.
 */
function leaf(
  mark: Mark,
  marked: readonly string[],
  content: fc.Arbitrary<Json> = anyContent,
): fc.Arbitrary<Json> {
  const contentOf = (name: string) =>
    marked.includes(name) ? fc.constant<Json>({ [mark]: true }) : content;
  const kind = fc.constantFrom<Json>({}, { const: 'a' }, { const: 'b' });
  const required = fc.subarray(['k', 'p', 'q']);
  const named = fc
    .record({ k: kind, p: contentOf('p'), q: contentOf('q') }, { requiredKeys: [] })
    .chain((properties) => required.map((names) => object(properties, names)));
  const mapped = fc.oneof(
    contentOf('p').map((p): Json => ({ patternProperties: { '^p': p } })),
    fc
      .tuple(contentOf('p'), contentOf('q'))
      .map(([p, q]): Json => ({ properties: { k: {}, q }, additionalProperties: p })),
  );
  return fc.oneof({ weight: 4, arbitrary: named }, { weight: 1, arbitrary: mapped });
}

/** What is marked is marked outside of all branches. */
function anySchema(mark: Mark): fc.Arbitrary<Json> {
  return fc.subarray(['p', 'q']).chain((marked) => {
    const properties = Object.fromEntries(marked.map((name) => [name, { [mark]: true }]));
    return combined(leaf(mark, marked)).map((node): Json => ({ properties, allOf: [node] }));
  });
}

function combined(one: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const { node } = fc.letrec<{ node: Json }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 2, arbitrary: one },
      ...(['allOf', 'anyOf'] as const).map((keyword) =>
        fc
          .tuple(one, tie('node'), tie('node'))
          .map(([own, ...parts]): Json => ({ ...(own as JsonObject), [keyword]: parts })),
      ),
      fc.tuple(tie('node'), tie('node')).map(
        ([then, not]): Json => ({
          if: { properties: { k: { const: 'a' } }, required: ['k'] },
          ...{ then, else: not },
        }),
      ),
      fc
        .tuple(tie('node'), one)
        .map(([part, own]): Json => ({ ...(own as JsonObject), dependentSchemas: { k: part } })),
    ),
  }));
  return node;
}

interface Side {
  /** The values that the schema accepts, without what it marks in them. */
  readonly accepted: readonly { readonly kept: string; readonly marked: ReadonlySet<string> }[];
  /** What is written of them: those that have no other properties than it describes. */
  readonly written: ReadonlyMap<string, JsonObject>;
}

async function sideOf(schema: Json, mark: Mark): Promise<Side> {
  const markedIn = await openMarks(schema, mark);
  const { root } = parseSchema(schema);
  const accepted: Side['accepted'][number][] = [];
  const written = new Map<string, JsonObject>();
  for (const value of world) {
    const marked = markedIn(value);
    if (marked === null) continue;
    const kept = without(value, marked);
    accepted.push({ kept: canonicalJson(kept), marked });
    if (validate(root, value, { closed: true }) === 'accepted')
      written.set(canonicalJson(kept), kept);
  }
  return { accepted, written };
}

function without(value: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !names.has(key)));
}

/**
 * What writes: some branches mark a property, others do not, and which values are accepted may depend on it.
 */
function anyWriter(mark: Mark): fc.Arbitrary<Json> {
  const one = fc.subarray(['p', 'q']).chain((marked) => leaf(mark, marked));
  const { node } = fc.letrec<{ node: Json }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 2, arbitrary: one },
      ...(['allOf', 'anyOf', 'oneOf'] as const).map((keyword) =>
        fc
          .tuple(one, tie('node'), tie('node'))
          .map(([own, ...parts]): Json => ({ ...(own as JsonObject), [keyword]: parts })),
      ),
      fc
        .tuple(one, fc.oneof(one, tie('node')), fc.constantFrom('not', 'dependentSchemas'))
        .map(([own, part, keyword]): Json => {
          const said = keyword === 'not' ? part : { k: part };
          return { ...(own as JsonObject), [keyword]: said };
        }),
      fc
        .tuple(tie('node'), tie('node'), tie('node'))
        .map(([condition, then, not]): Json => ({ if: condition, ...{ then, else: not } })),
      fc
        .tuple(tie('node'), fc.integer({ min: 1, max: 3 }))
        .map(([part, minProperties]): Json => ({ allOf: [part], minProperties })),
    ),
  }));
  return node;
}

/** What reads, where branches may mark a property that others do not. */
function anyReader(mark: Mark): fc.Arbitrary<Json> {
  return combined(fc.subarray(['p', 'q']).chain((marked) => leaf(mark, marked, wideContent)));
}

/**
 * A reader of responses looks for nothing that its schema marks; a server refuses a request that has it, or ignores
 * it if it is `lenient`.
 */
function reads({ accepted }: Side, value: JsonObject, isLenient: boolean): boolean {
  return accepted.some(({ kept, marked }) => {
    const seen = isLenient ? without(value, marked) : value;
    return canonicalJson(seen) === kept;
  });
}

function placesOf(text: string, part: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) places.push(at);
  return places;
}

/** Small changes, so that many of them are compatible. */
function edited(schema: Json, mark: Mark): fc.Arbitrary<Json> {
  const text = JSON.stringify(schema);
  const places = ['"type":"integer"', '"p","q"]', `{"${mark}":true}`].flatMap((part) =>
    placesOf(text, part).map((index) => [part, index] as const),
  );
  if (places.length === 0) return fc.constant(schema);
  const others: Readonly<Record<string, readonly string[]>> = {
    '"type":"integer"': ['"type":["integer","string"]', '"type":"string"'],
    '"p","q"]': ['"p"]', '"q"]'],
  };
  return fc.tuple(fc.constantFrom(...places), fc.nat()).map(([[part, index], nth]): Json => {
    const options = others[part];
    if (options === undefined) {
      const all = nth % 2 === 0 ? text.replaceAll(part, '{}') : null;
      return JSON.parse(
        all ?? `${text.slice(0, index)}{}${text.slice(index + part.length)}`,
      ) as Json;
    }
    const other = options[nth % options.length] ?? part;
    return JSON.parse(text.slice(0, index) + other + text.slice(index + part.length)) as Json;
  });
}

/** The same schema without any mark, with a small change or without one. */
function withoutMarks(schema: Json, mark: Mark): fc.Arbitrary<Json> {
  const plain = JSON.parse(JSON.stringify(schema).replaceAll(`"${mark}":true`, '')) as Json;
  return fc.oneof(fc.constant(plain), edited(plain, mark));
}

const cases = (['request', 'response'] as const).map(
  (direction) => [direction, direction === 'request' ? 'readOnly' : 'writeOnly'] as const,
);

type Pair = readonly [writer: Json, reader: Json];

/** The pairs that are compatible, and still lose something that is written. */
async function lostIn(
  pairs: fc.Arbitrary<Pair>,
  direction: 'request' | 'response',
  mark: Mark,
  isLenient: boolean,
): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const [writer, reader] of fc.sample(pairs, { numRuns: pairCount, seed })) {
    const [old, next] = direction === 'request' ? [writer, reader] : [reader, writer];
    if (between(old, next, { direction }).isBreaking) continue;
    const [from, to] = [await sideOf(writer, mark), await sideOf(reader, mark)];
    const lost = [...from.written.values()].filter((value) => !reads(to, value, isLenient));
    if (lost.length > 0) {
      found.push({ old: JSON.stringify(old), next: JSON.stringify(next), lost });
    }
  }
  return found;
}

test.each(cases)(
  'a %s, without what is %s, is lost by no compatible change',
  async (direction, mark) => {
    const any = anySchema(mark);
    const pairs = fc.oneof(
      fc.tuple(any, any),
      any.chain((schema) => fc.tuple(fc.constant(schema), edited(schema, mark))),
      any.chain((schema) => fc.tuple(edited(schema, mark), fc.constant(schema))),
    );
    expect(await lostIn(pairs, direction, mark, direction === 'response')).toEqual([]);
  },
);

test.each(cases)(
  'nor is a %s of which only some branches are %s, or depend on what is',
  async (direction, mark) => {
    const any = anyWriter(mark);
    const reader = anyReader(mark);
    const pairs = fc.oneof(
      fc.tuple(any, reader),
      any.chain((schema) => fc.tuple(fc.constant(schema), withoutMarks(schema, mark))),
      reader.chain((schema) => fc.tuple(fc.constant(schema), edited(schema, mark))),
      reader.chain((schema) => fc.tuple(edited(schema, mark), fc.constant(schema))),
    );
    expect(await lostIn(pairs, direction, mark, true)).toEqual([]);
  },
);
