// Values to try a law with: made for a schema, from what stands in it, and then changed a little.

import { findFormat } from '../../../src/core/schema/formats/formats.ts';
import { complement } from '../../../src/core/schema/patterns/language.ts';
import { listMembers } from '../../../src/core/schema/patterns/members.ts';
import { compilePattern } from '../../../src/core/schema/patterns/pattern.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { isJsonObject } from '../../../src/core/value/json.ts';

export type Random = () => number;

/** Mulberry32: small, and the same on every machine. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Values that have a fair chance to be in `schema`, and changed ones. */
export function valuesFor(schema: Json, other: Json, seed: number, count: number): Json[] {
  const random = randomFrom(seed);
  const atoms = collectAtoms([schema, other]);
  const values: Json[] = [];
  for (let i = 0; i < count; i++) {
    const made = makeValue(
      { root: i % 3 === 2 ? other : schema, atoms, random },
      i % 3 === 2 ? other : schema,
      0,
    );
    values.push(made);
    values.push(changeValue(made, atoms, random));
  }
  return values;
}

interface Atoms {
  readonly keys: readonly string[];
  readonly scalars: readonly Json[];
  readonly texts: readonly string[];
}

function pick<T>(random: Random, list: readonly T[]): T | undefined {
  return list[Math.floor(random() * list.length)];
}

const knownTexts = new Map<string, readonly string[]>();

function textsOfPattern(source: string): readonly string[] {
  const known = knownTexts.get(source);
  if (known !== undefined) return known;
  const steps = { left: 1_000_000 };
  const pattern = compilePattern(source, steps);
  const languages = pattern.kind === 'language' ? [pattern.language] : [];
  const others = languages.map((language) => complement(language, steps));
  const found = [...languages, ...others.filter((each) => each !== 'too_large')];
  const texts = found.flatMap((language) => listMembers(language, 4, steps));
  if (texts.length === 0) texts.push('aa', 'a');
  knownTexts.set(source, texts);
  return texts;
}

function collectAtoms(schemas: readonly Json[]): Atoms {
  const keys = new Set(['a', 'b', 'zz']);
  const scalars = new Set<Json>([null, true, false, 0, 1, -1, 0.5, '']);
  const texts = new Set<string>(['', 'a', 'b', 'zz']);
  const visit = (at: Json, name: string): void => {
    if (typeof at === 'number') for (const near of [-1, -0.5, 0, 0.5, 1]) scalars.add(at + near);
    if (typeof at === 'string') {
      if (name === 'pattern') for (const text of textsOfPattern(at)) texts.add(text);
      else if (name === 'format') for (const text of findFormat(at)?.samples ?? []) texts.add(text);
      else texts.add(at);
    }
    if (typeof at === 'number' && name.endsWith('Length')) texts.add('x'.repeat(Math.min(at, 9)));
    if (Array.isArray(at)) {
      if (name === 'required') for (const one of at) if (typeof one === 'string') keys.add(one);
      for (const part of at) visit(part, name);
    } else if (isJsonObject(at)) {
      for (const [key, part] of Object.entries(at)) {
        if (name === 'properties' || name.startsWith('dependent')) keys.add(key);
        if (name === 'patternProperties') for (const text of textsOfPattern(key)) keys.add(text);
        visit(part, key);
      }
    }
  };
  for (const schema of schemas) visit(schema, '');
  return {
    keys: [...keys],
    texts: [...texts],
    scalars: [...scalars, ...texts],
  };
}

interface Making {
  readonly root: Json;
  readonly atoms: Atoms;
  readonly random: Random;
}

function makeValue(making: Making, schema: Json, depth: number): Json {
  const { random, atoms } = making;
  if (!isJsonObject(schema) || depth > 5) return pick(random, atoms.scalars) ?? null;
  const { $ref, enum: list, const: only, allOf, anyOf, oneOf } = schema;
  const parts: Json[] = [];
  if (typeof $ref === 'string') parts.push(resolve(making.root, $ref));
  if (schema.$dynamicRef !== undefined) parts.push(making.root);
  if (Array.isArray(allOf)) parts.push(...allOf);
  for (const branches of [anyOf, oneOf]) {
    if (Array.isArray(branches)) parts.push(pick(random, branches) ?? true);
  }
  // A value of two branches has the keys of both.
  if (Array.isArray(anyOf) && random() < 0.4) parts.push(pick(random, anyOf) ?? true);
  for (const name of ['then', 'else', 'if', 'dependentSchemas']) {
    const part = schema[name];
    if (part !== undefined && random() < 0.5) parts.push(part);
  }
  const made = parts.map((part) => makeValue(making, part, depth + 1));
  if (only !== undefined && random() < 0.9) return only;
  if (Array.isArray(list) && random() < 0.9) return pick(random, list) ?? null;
  const own = makeOfKind(making, schema, kindFor(making, schema, made), depth);
  let joined = own;
  for (const value of made) joined = joinValues(joined, value, random);
  return joined;
}

/** One value for two schemas that apply to the same place. */
function joinValues(own: Json, value: Json, random: Random): Json {
  if (isJsonObject(own) && isJsonObject(value)) return { ...value, ...own };
  if (Array.isArray(own) && Array.isArray(value)) return own.length > 0 ? own : value;
  return random() < 0.6 ? own : value;
}

const impliedKinds: readonly (readonly [string, string])[] = [
  ['properties', 'object'],
  ['required', 'object'],
  ['patternProperties', 'object'],
  ['additionalProperties', 'object'],
  ['unevaluatedProperties', 'object'],
  ['minProperties', 'object'],
  ['maxProperties', 'object'],
  ['propertyNames', 'object'],
  ['dependentRequired', 'object'],
  ['dependentSchemas', 'object'],
  ['dependencies', 'object'],
  ['items', 'array'],
  ['prefixItems', 'array'],
  ['contains', 'array'],
  ['minItems', 'array'],
  ['maxItems', 'array'],
  ['uniqueItems', 'array'],
  ['unevaluatedItems', 'array'],
  ['pattern', 'string'],
  ['format', 'string'],
  ['minLength', 'string'],
  ['maxLength', 'string'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['multipleOf', 'number'],
];

function kindFor(making: Making, schema: JsonObject, made: readonly Json[]): string {
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (Array.isArray(types)) return String(pick(making.random, types));
  if (made.length > 0 && making.random() < 0.7) {
    const first = made[0] ?? null;
    if (isJsonObject(first)) return 'object';
    if (Array.isArray(first)) return 'array';
  }
  const implied = impliedKinds.filter(([name]) => name in schema).map(([, kind]) => kind);
  return pick(making.random, [...implied, ...implied, ...implied, 'any']) ?? 'any';
}

function makeOfKind(making: Making, schema: JsonObject, kind: string, depth: number): Json {
  const { random, atoms } = making;
  switch (kind) {
    case 'null':
      return null;
    case 'boolean':
      return random() < 0.5;
    case 'integer':
    case 'number':
      return (
        pick(
          random,
          atoms.scalars.filter((one) => typeof one === 'number'),
        ) ?? 0
      );
    case 'string':
      return pick(random, atoms.texts) ?? '';
    case 'array':
      return makeArray(making, schema, depth);
    case 'object':
      return makeObject(making, schema, depth);
    default:
      return pick(random, atoms.scalars) ?? null;
  }
}

function makeArray(making: Making, schema: JsonObject, depth: number): Json {
  const { random } = making;
  const { items, contains, additionalItems, unevaluatedItems } = schema;
  const prefix = Array.isArray(schema.prefixItems)
    ? schema.prefixItems
    : Array.isArray(items)
      ? items
      : [];
  const rest = [Array.isArray(items) ? additionalItems : items, contains, unevaluatedItems].filter(
    (one) => one !== undefined,
  );
  const length = Math.floor(random() * 4);
  return Array.from({ length }, (_, index) => {
    const own = prefix[index] ?? (rest.length === 0 ? true : (pick(random, rest) ?? true));
    return makeValue(making, own, depth + 1);
  });
}

function makeObject(making: Making, schema: JsonObject, depth: number): Json {
  const { random, atoms } = making;
  const made: Record<string, Json> = {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  for (const [name, part] of Object.entries(properties)) {
    if (required.includes(name) || random() < 0.5) made[name] = makeValue(making, part, depth + 1);
  }
  const { additionalProperties, unevaluatedProperties, patternProperties } = schema;
  const patterns = isJsonObject(patternProperties) ? Object.values(patternProperties) : [];
  const rest = [additionalProperties, unevaluatedProperties, ...patterns].filter(isJsonObject);
  const extra = [
    ...required.map(String),
    ...(random() < 0.5 ? [pick(random, atoms.keys) ?? 'a'] : []),
  ];
  for (const name of extra) {
    if (!Object.hasOwn(made, name)) {
      made[name] = makeValue(making, pick(random, rest) ?? true, depth + 1);
    }
  }
  return made;
}

function resolve(root: Json, reference: string): Json {
  let at: Json | undefined = root;
  for (const token of reference.slice(1).split('/').slice(1)) {
    at = isJsonObject(at) ? at[token] : undefined;
  }
  return at ?? true;
}

function changeValue(value: Json, atoms: Atoms, random: Random): Json {
  if (Array.isArray(value) && random() < 0.8) {
    const index = Math.floor(random() * (value.length + 1));
    const inside = value[index];
    if (random() < 0.3) return value.toSpliced(index, 1);
    const next =
      inside === undefined
        ? (value[0] ?? pick(random, atoms.scalars) ?? null)
        : changeValue(inside, atoms, random);
    return value.toSpliced(index, inside === undefined ? 0 : 1, next);
  }
  if (isJsonObject(value) && random() < 0.8) {
    const names = Object.keys(value);
    const name = random() < 0.4 ? pick(random, atoms.keys) : pick(random, names);
    if (name === undefined)
      return { [pick(random, atoms.keys) ?? 'a']: pick(random, atoms.scalars) ?? null };
    if (random() < 0.3)
      return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
    const inside = value[name];
    const next =
      inside === undefined
        ? (pick(random, atoms.scalars) ?? null)
        : changeValue(inside, atoms, random);
    return { ...value, [name]: next };
  }
  const choice = random();
  if (choice < 0.1) return [value];
  if (choice < 0.2) return { [pick(random, atoms.keys) ?? 'a']: value };
  return pick(random, atoms.scalars) ?? null;
}
