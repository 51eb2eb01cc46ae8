// Reads the keywords of one schema object, with a table row for each keyword.

import { isExactNumber, isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import { compareNumbers, isInteger, rationalOf } from '../value/rational.ts';
import { valueKey } from '../value/value-key.ts';
import type { Dialect } from './dialects.ts';
import { dialectOfUri } from './dialects.ts';
import {
  constraintsOf,
  evaluatesContained,
  hasBooleanExclusive,
  isAnnotation,
  type Keyword,
  keywordsOf,
} from './keywords.ts';
import { isBareReference } from './places.ts';
import type {
  Contains,
  JsonNumber,
  Keywords,
  SchemaNode,
  SchemaProblem,
  SchemaResource,
  TypeName,
} from './schema.ts';

export interface Reading {
  readonly raw: Json;
  readonly dialect: Dialect;
  readonly resource: SchemaResource;
  childOf(steps: readonly (string | number)[], raw: Json): SchemaNode;
  resolve(reference: string): SchemaNode | SchemaProblem;
}

type Draft = { -readonly [K in keyof Keywords]: Keywords[K] } & {
  /**
   * A schema may have both `$ref` and `$dynamicRef`: this is the target of the second, until all
   * are read.
   */
  secondRef?: SchemaNode;
};

/** Returns false if the value has the wrong form for the keyword. */
type Reader = (value: Json, draft: Draft, reading: Reading, keyword: string) => boolean;

export function readKeywords(reading: Reading): Keywords {
  const { raw, dialect } = reading;
  if (raw === true) return {};
  if (raw === false) return { isFalse: true };
  const draft: Draft = {};
  if (!isJsonObject(raw)) {
    addProblem(draft, invalid('schema', 'A schema is an object or a boolean.'));
    return draft;
  }
  if (isBareReference(raw, dialect)) {
    readers.get('$ref')?.(raw.$ref ?? null, draft, reading, '$ref');
    return draft;
  }
  // Some validators read all of it in another dialect, so nothing in it is known.
  if (namesOtherDialect(raw, dialect)) return { problems: [otherDialect('Give it an $id.')] };
  const { foreignIn } = reading.resource;
  if (foreignIn !== undefined) return { problems: [foreignPart(raw, dialect, foreignIn)] };
  const known = constraintsOf(dialect);
  for (const keyword of Object.keys(raw)) {
    if (!known.has(keyword)) continue;
    const value = raw[keyword] ?? null;
    const reader = readers.get(keyword);
    // The meaning of a keyword without a reader is unknown, so it may demand anything.
    if (reader === undefined) addProblem(draft, unread(keyword));
    else if (!reader(value, draft, reading, keyword)) addProblem(draft, invalidValue(keyword));
  }
  settle(draft, raw, reading);
  if (isIdle(draft, raw, known)) draft.isIdle = true;
  return draft;
}

function isIdle(draft: Draft, raw: JsonObject, known: ReadonlyMap<string, Keyword>): boolean {
  for (const _ in draft) return false;
  return Object.keys(raw).some((keyword) => known.has(keyword));
}

/** Only a schema that starts a resource has its own dialect; elsewhere `$schema` has no effect. */
function namesOtherDialect(raw: JsonObject, dialect: Dialect): boolean {
  if (typeof raw.$schema !== 'string' || !keywordsOf(dialect).has('$schema')) return false;
  return dialectOfUri(raw.$schema) !== dialect;
}

export function listAnnotations(raw: JsonObject, dialect: Dialect): JsonObject {
  return Object.fromEntries(Object.entries(raw).filter(([key]) => isAnnotation(dialect, key)));
}

const typeNames = new Set<Json>([
  ...['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'],
]);

const readersByName: Readonly<Record<string, Reader>> = {
  $ref: (value, draft, reading) => {
    if (typeof value !== 'string') return false;
    const target = reading.resolve(value);
    if ('code' in target) addProblem(draft, target);
    else addTarget(draft, target);
    return true;
  },
  $dynamicRef: (value, draft, reading) => {
    if (typeof value !== 'string') return false;
    const target = reading.resolve(value);
    const anchor = value.slice(value.indexOf('#') + 1);
    if ('code' in target) addProblem(draft, { ...target, keyword: '$dynamicRef' });
    else if (value.includes('#') && bears(target, '$dynamicAnchor', anchor)) {
      addDynamicTarget(draft, anchor, target);
    } else if (/^[^/]*%/.test(anchor)) addProblem(draft, escapedName(value));
    else addTarget(draft, target);
    return true;
  },
  $recursiveRef: (value, draft, reading) => {
    if (value !== '#') return false;
    const target = reading.resolve('#');
    if ('code' in target) addProblem(draft, { ...target, keyword: '$recursiveRef' });
    else if (bears(target, '$recursiveAnchor', true)) addDynamicTarget(draft, '', target);
    else addTarget(draft, target);
    return true;
  },
  type: (value, draft) => {
    const names = Array.isArray(value) ? value : [value];
    if (!names.every((name) => typeNames.has(name))) return false;
    draft.types = [...new Set(names)] as TypeName[];
    return true;
  },
  enum: (value, draft) => {
    if (!Array.isArray(value)) return false;
    draft.enum = value;
    return true;
  },
  const: (value, draft) => {
    draft.const = { value };
    return true;
  },
  minimum: readNumber('minimum'),
  maximum: readNumber('maximum'),
  exclusiveMinimum: readExclusive('exclusiveMinimum'),
  exclusiveMaximum: readExclusive('exclusiveMaximum'),
  multipleOf: (value, draft) => {
    if (!isNumber(value) || compareNumbers(value, 0) <= 0) return false;
    draft.multipleOf = value;
    return true;
  },
  minLength: readLowest('minLength'),
  maxLength: readHighest('maxLength'),
  pattern: readText('pattern'),
  format: readText('format'),
  prefixItems: readList('prefixItems'),
  items: (value, draft, reading) => {
    if (!Array.isArray(value)) return readOne('items')(value, draft, reading, 'items');
    if (keywordsOf(reading.dialect).get('items')?.shape !== 'schema_or_schemas') return false;
    draft.prefixItems = value.map((raw, index) => reading.childOf(['items', index], raw));
    return value.every(isSchema);
  },
  additionalItems: (value, draft, reading) => {
    // It counts only beside the array form of `items`.
    if (!isJsonObject(reading.raw) || !Array.isArray(reading.raw.items)) return true;
    if (!isSchema(value)) return false;
    draft.items = reading.childOf(['additionalItems'], value);
    return true;
  },
  contains: (value, draft, reading) => {
    if (!isSchema(value)) return false;
    const schema = reading.childOf(['contains'], value);
    draft.contains = { schema, min: 1, evaluates: evaluatesContained(reading.dialect) };
    return true;
  },
  minItems: readLowest('minItems'),
  maxItems: readHighest('maxItems'),
  uniqueItems: (value, draft) => {
    if (typeof value !== 'boolean') return false;
    if (value) draft.uniqueItems = true;
    return true;
  },
  unevaluatedItems: readOne('unevaluatedItems'),
  properties: readMap('properties'),
  patternProperties: readMap('patternProperties'),
  additionalProperties: readOne('additionalProperties'),
  unevaluatedProperties: readOne('unevaluatedProperties'),
  propertyNames: readOne('propertyNames'),
  required: (value, draft) => {
    if (!isTextList(value)) return false;
    if (value.length > 0) draft.required = value;
    return true;
  },
  minProperties: readLowest('minProperties'),
  maxProperties: readHighest('maxProperties'),
  dependencies: (value, draft, reading) => {
    if (!isJsonObject(value)) return false;
    if (keywordsOf(reading.dialect).get('dependencies')?.use === 'disputed') {
      addProblem(draft, disputedDependencies(value, reading.dialect));
      return true;
    }
    const required = new Map<string, readonly string[]>();
    const schemas = new Map<string, SchemaNode>();
    for (const [key, dependency] of Object.entries(value)) {
      if (isTextList(dependency)) required.set(key, dependency);
      else if (isSchema(dependency)) {
        schemas.set(key, reading.childOf(['dependencies', key], dependency));
      } else return false;
    }
    if (required.size > 0) draft.dependentRequired = required;
    if (schemas.size > 0) draft.dependentSchemas = schemas;
    return true;
  },
  dependentRequired: (value, draft) => {
    if (!isJsonObject(value)) return false;
    const entries = Object.entries(value).filter(([, keys]) => isTextList(keys));
    draft.dependentRequired = new Map(entries as [string, readonly string[]][]);
    return entries.length === Object.keys(value).length;
  },
  dependentSchemas: readMap('dependentSchemas'),
  allOf: readList('allOf'),
  anyOf: readList('anyOf'),
  oneOf: readList('oneOf'),
  not: readOne('not'),
  if: readOne('if'),
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword; nothing awaits this table.
  then: readOne('then'),
  else: readOne('else'),
  // Handled together with the keyword that they belong to.
  nullable: (value) => typeof value === 'boolean',
  minContains: () => true,
  maxContains: () => true,
};

/** A map, because a schema may have a keyword of any name. */
const readers: ReadonlyMap<string, Reader> = new Map(Object.entries(readersByName));

/** Resolves keywords that depend on a second one, after all have been read. */
function settle(draft: Draft, raw: JsonObject, reading: Reading): void {
  settleSecondRef(draft);
  const known = keywordsOf(reading.dialect);
  if (known.has('nullable') && raw.nullable === true && draft.types !== undefined) {
    draft.types = [...new Set([...draft.types, 'null' as const])];
  }
  if (draft.if === undefined) {
    // Deleting a missing member would also make the object slow.
    if (draft.then !== undefined) delete draft.then;
    if (draft.else !== undefined) delete draft.else;
  }
  if (draft.contains !== undefined && known.has('minContains')) {
    settleContains(draft, draft.contains, raw);
  }
  if (hasBooleanExclusive(reading.dialect)) {
    if (raw.exclusiveMinimum === true && draft.minimum !== undefined) {
      draft.exclusiveMinimum = draft.minimum;
      delete draft.minimum;
    }
    if (raw.exclusiveMaximum === true && draft.maximum !== undefined) {
      draft.exclusiveMaximum = draft.maximum;
      delete draft.maximum;
    }
  }
}

function addTarget(draft: Draft, target: SchemaNode): void {
  if (draft.ref === undefined) draft.ref = target;
  else draft.secondRef = target;
}

/** If the name occurs only once, the reference is static. */
function addDynamicTarget(draft: Draft, anchor: string, target: SchemaNode): void {
  const others = target.document.dynamicTargets(anchor).filter((other) => other !== target);
  if (others.length === 0) addTarget(draft, target);
  else draft.dynamicRef = { anchor, target };
}

/** A second target applies in addition to the first, like a member of `allOf`. */
function settleSecondRef(draft: Draft): void {
  const { secondRef } = draft;
  if (secondRef === undefined) return;
  delete draft.secondRef;
  draft.allOf = [secondRef, ...(draft.allOf ?? [])];
}

function settleContains(draft: Draft, contains: Contains, raw: JsonObject): void {
  const ends: { min?: number; max?: number } = {};
  for (const [keyword, end] of [
    ['minContains', 'min'],
    ['maxContains', 'max'],
  ] as const) {
    if (raw[keyword] === undefined) continue;
    const count = countOf(raw[keyword]);
    if (count === undefined) addProblem(draft, invalidValue(keyword));
    else ends[end] = count;
  }
  draft.contains = { ...contains, ...ends };
}

function readNumber(name: 'minimum' | 'maximum'): Reader {
  return (value, draft) => {
    if (!isNumber(value)) return false;
    draft[name] = value;
    return true;
  };
}

function readExclusive(name: 'exclusiveMinimum' | 'exclusiveMaximum'): Reader {
  return (value, draft, reading) => {
    if (hasBooleanExclusive(reading.dialect)) return typeof value === 'boolean';
    if (!isNumber(value)) return false;
    draft[name] = value;
    return true;
  };
}

function readLowest(name: 'minLength' | 'minItems' | 'minProperties'): Reader {
  return (value, draft) => {
    const lowest = countOf(value);
    if (lowest === undefined) return readWideSize(name, value, draft);
    if (lowest > 0) draft[name] = lowest;
    return true;
  };
}

function readHighest(name: 'maxLength' | 'maxItems' | 'maxProperties'): Reader {
  return (value, draft) => {
    const highest = countOf(value);
    if (highest === undefined) return readWideSize(name, value, draft);
    draft[name] = highest;
    return true;
  };
}

const sizedKinds = {
  minLength: 'string',
  minItems: 'array',
  minProperties: 'object',
  maxLength: 'string',
  maxItems: 'array',
  maxProperties: 'object',
} as const;

function readWideSize(keyword: keyof typeof sizedKinds, value: Json, draft: Draft): boolean {
  const exact = rationalOf(value);
  if (exact === null || typeof exact === 'number' || !isInteger(exact)) return false;
  const { numerator } = exact;
  if (numerator < 0n) return false;
  const isExceeded = keyword.startsWith('min');
  const most = isExceeded ? numerator - 1n : numerator;
  addProblem(draft, {
    code: 'wide_size',
    keyword,
    uri: String(numerator),
    message: `No value reaches the ${keyword} of ${numerator}.`,
    wideSize: { kind: sizedKinds[keyword], isExceeded, most },
  });
  return true;
}

function readText(name: 'pattern' | 'format'): Reader {
  return (value, draft) => {
    if (typeof value !== 'string') return false;
    draft[name] = value;
    return true;
  };
}

type SingleKeyword =
  | ('items' | 'unevaluatedItems' | 'additionalProperties' | 'unevaluatedProperties')
  | ('propertyNames' | 'not' | 'if' | 'then' | 'else');

function readOne(name: SingleKeyword): Reader {
  return (value, draft, reading) => {
    if (!isSchema(value)) return false;
    draft[name] = reading.childOf([name], value);
    return true;
  };
}

function readList(name: 'prefixItems' | 'allOf' | 'anyOf' | 'oneOf'): Reader {
  return (value, draft, reading) => {
    if (!Array.isArray(value)) return false;
    draft[name] = value.map((raw, index) => reading.childOf([name, index], raw));
    return value.every(isSchema);
  };
}

function readMap(name: 'properties' | 'patternProperties' | 'dependentSchemas'): Reader {
  return (value, draft, reading) => {
    if (!isJsonObject(value)) return false;
    const children = new Map<string, SchemaNode>();
    for (const key of Object.keys(value)) {
      children.set(key, reading.childOf([name, key], value[key] ?? null));
    }
    draft[name] = children;
    return true;
  };
}

function isSchema(value: Json): boolean {
  return typeof value === 'boolean' || isJsonObject(value);
}

function isTextList(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isNumber(value: Json | undefined): value is JsonNumber {
  return typeof value === 'number' || isExactNumber(value);
}

/** Whether a schema has that name, in its own dialect. */
function bears(node: SchemaNode, keyword: string, name: Json): boolean {
  if (keywordsOf(node.dialect).get(keyword)?.use !== 'names') return false;
  return isJsonObject(node.raw) && node.raw[keyword] === name;
}

/**
 * A whole number from zero on, including 3.0. Undefined for invalid sizes, and for those beyond
 * 2^53, which a double would change.
 */
function countOf(value: Json): number | undefined {
  if (!isNumber(value)) return undefined;
  const exact = rationalOf(value);
  return typeof exact === 'number' && exact >= 0 ? exact : undefined;
}

function invalidValue(keyword: string): SchemaProblem {
  return invalid(keyword, `The value of ${keyword} is not one it can have.`);
}

function unread(keyword: string): SchemaProblem {
  return { code: 'unclear', keyword, message: `Nothing here reads the keyword ${keyword}.` };
}

function disputedDependencies(value: JsonObject, readIn: Dialect): SchemaProblem {
  const says = 'is not of this dialect any more, and some validators still obey it';
  const message = `dependencies ${says}. Write dependentRequired or dependentSchemas.`;
  const isOfNames = Object.values(value).every(isTextList);
  return {
    ...{ code: 'unclear', keyword: 'dependencies', message, concerns: Object.keys(value) },
    // If it contains only names, it means the same everywhere.
    ...(isOfNames && { uri: `dependencies ${valueKey(value)}` }),
    ...(!isOfNames && !refersElsewhere(value) && { written: valueKey(value), readIn }),
  };
}

/** Whether it may contain a reference, whose target is written elsewhere. */
function refersElsewhere(value: Json): boolean {
  if (Array.isArray(value)) return value.some(refersElsewhere);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([key, member]) => /^\$.*ref$/i.test(key) || refersElsewhere(member),
  );
}

/** Without references, the same text means the same, whoever reads it. */
function foreignPart(raw: JsonObject, dialect: Dialect, around: Dialect): SchemaProblem {
  const problem = otherDialect(`In ${around} only the root may.`);
  return refersElsewhere(raw)
    ? problem
    : { ...problem, uri: `${dialect} in ${around} ${valueKey(raw)}` };
}

function otherDialect(advice: string): SchemaProblem {
  const message = `The schema names another dialect than the schema around it. ${advice}`;
  return { code: 'unclear', keyword: '$schema', message };
}

function escapedName(reference: string): SchemaProblem {
  const message = `Validators differ in whether ${reference} is dynamic. Write its name unescaped.`;
  return { code: 'unclear', keyword: '$dynamicRef', message };
}

function invalid(keyword: string, message: string): SchemaProblem {
  return { code: 'invalid_keyword', keyword, message };
}

function addProblem(draft: Draft, problem: SchemaProblem): void {
  draft.problems = [...(draft.problems ?? []), problem];
}
