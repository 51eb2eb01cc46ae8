// Checks whether a schema is valid for a contract: its dialect is known, every keyword's value
// satisfies its metaschema, its patterns are regular expressions, its references lead into the
// document, and it stays within the limits.
//
// Metaschemas are checked with a table (keywords.ts) instead of by validation, so each problem has
// a location and a message in words.

import type { Json, JsonObject } from '../value/json.ts';
import { isExactNumber, isJsonObject } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';
import { compareNumbers, isWholeNumber, rationalOf } from '../value/rational.ts';
import { valueKey } from '../value/value-key.ts';
import type { Dialect } from './dialects.ts';
import { dialectOfUri, dialectTitle } from './dialects.ts';
import {
  defaultDialect,
  hasBooleanSchemas,
  isIgnored,
  keywordsOf,
  requiresBoundBesideFlag,
  type Shape,
} from './keywords.ts';
import { parseSchema } from './parse-schema.ts';
import { patternProblem } from './patterns/pattern.ts';
import { type SchemaDocument, type SchemaNode, stepsOf } from './schema.ts';

interface SchemaFault {
  readonly code: 'UNSUPPORTED_DIALECT' | 'INVALID_SCHEMA' | 'SCHEMA_TOO_LARGE';
  /** The location of the problem: $.properties.amount.type */
  readonly path: string;
  /** What is wrong there, and what to do. */
  readonly message: string;
}

interface SchemaLimits {
  /** The size of the document as JSON in UTF-8. */
  readonly bytes: number;
  /** The maximum nesting of schemas. */
  readonly depth: number;
  readonly subschemas: number;
}

export const schemaLimits: SchemaLimits = { bytes: 1_048_576, depth: 64, subschemas: 10_000 };

interface CheckOptions {
  /** The dialect without a `$schema`: 2020-12 by default. */
  readonly dialect?: Dialect;
  readonly limits?: SchemaLimits;
  /** Whether keywords are refused that the dialect ignores, and another one does not. */
  readonly refusesIgnored?: boolean;
}

/** More than anyone reads. */
const maxFaults = 100;

/**
 * All problems of a schema; empty for a valid one.
 *
 * @example checkSchema({ properties: { amount: { type: 'strng' } } })
 * // [{ code: 'INVALID_SCHEMA', path: '$.properties.amount.type', message: '"strng" is not ...' }]
 */
export function checkSchema(json: Json, options: CheckOptions = {}): readonly SchemaFault[] {
  const limits = options.limits ?? schemaLimits;
  const bytes = bytesOf(JSON.stringify(json));
  if (bytes > limits.bytes) {
    const message = `The schema takes ${bytes} bytes as JSON; at most ${limits.bytes} are kept.`;
    return [{ code: 'SCHEMA_TOO_LARGE', path: '$', message: `${message} Split it.` }];
  }
  const dialect = options.dialect ?? defaultDialect;
  const check: Check = {
    limits,
    refusesIgnored: options.refusesIgnored === true,
    document: parseSchema(json, dialect),
    faults: [],
    waiting: [{ raw: json, steps: [], depth: 1, dialect }],
    count: 0,
    seen: new Set(),
    targets: [],
  };
  for (let next = nextPlace(check); next !== undefined; next = nextPlace(check)) {
    const isWithin = checkPlace(check, next);
    if (!isWithin) return check.faults.slice(-1);
    if (check.faults.length >= maxFaults) break;
  }
  return check.faults.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

type Steps = readonly (string | number)[];

/** A subschema that has not been checked yet. */
interface Place {
  readonly raw: Json;
  readonly steps: Steps;
  readonly depth: number;
  /** The dialect of the enclosing schema. */
  readonly dialect: Dialect;
}

interface Check {
  readonly limits: SchemaLimits;
  readonly refusesIgnored: boolean;
  readonly document: SchemaDocument;
  readonly faults: SchemaFault[];
  readonly waiting: Place[];
  count: number;
  readonly seen: Set<JsonObject>;
  /** The targets of references. Some are under no keyword that contains schemas. */
  readonly targets: SchemaNode[];
}

function nextPlace(check: Check): Place | undefined {
  const next = check.waiting.pop();
  if (next !== undefined) return next;
  for (let target = check.targets.pop(); target !== undefined; target = check.targets.pop()) {
    const { raw, dialect } = target;
    if (!isJsonObject(raw) || check.seen.has(raw)) continue;
    return { raw, steps: stepsOf(target), depth: 1, dialect };
  }
  return undefined;
}

function bytesOf(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // Two bytes up to 0x7ff, three above; a surrogate pair takes four together.
    if (code >= 0x800 && (code < 0xd800 || code > 0xdfff)) bytes += 2;
    else if (code >= 0x80) bytes += 1;
  }
  return bytes;
}

function report(check: Check, steps: Steps, message: string, code?: SchemaFault['code']): void {
  const path = `$${steps.map(stepText).join('')}`;
  check.faults.push({ code: code ?? 'INVALID_SCHEMA', path, message });
}

/** False if the schema exceeds a limit, which ends the check. */
function checkPlace(check: Check, place: Place): boolean {
  const { limits } = check;
  check.count++;
  if (check.count > limits.subschemas) {
    const message = `The schema has more than ${limits.subschemas} subschemas. Split it.`;
    report(check, [], message, 'SCHEMA_TOO_LARGE');
    return false;
  }
  if (place.depth > limits.depth) {
    const message = `Schemas nest deeper than ${limits.depth} levels here. Move parts to $defs.`;
    report(check, place.steps, message, 'SCHEMA_TOO_LARGE');
    return false;
  }
  const { raw, steps } = place;
  if (typeof raw === 'boolean' && hasBooleanSchemas(place.dialect)) return true;
  if (!isJsonObject(raw)) {
    const allowed = hasBooleanSchemas(place.dialect) ? 'an object, true or false' : 'an object';
    report(check, steps, `${shown(raw)} is not a schema. A schema is ${allowed}.`);
    return true;
  }
  check.seen.add(raw);
  const dialect = dialectAt(check, place, raw);
  if (dialect === null) return true;
  const keywords = keywordsOf(dialect);
  const { depth } = place;
  // A schema has only a few of the fifty keywords.
  for (const keyword of Object.keys(raw)) {
    const shape = keywords.get(keyword)?.shape;
    const value = raw[keyword];
    if (check.refusesIgnored && isIgnored(dialect, keyword)) {
      const read = `\`${keyword}\` says nothing in ${dialectTitle(dialect)}`;
      const message = `${read}, in which the schema is read. Name its dialect in $schema, or leave the keyword out.`;
      report(check, [...steps, keyword], message);
    }
    if (shape === undefined || value === undefined) continue;
    checkValue(check, { dialect, raw, steps: [...steps, keyword], depth }, shape, value);
  }
  if (requiresBoundBesideFlag(dialect)) checkExclusive(check, steps, raw);
  checkReferences(check, steps, raw, dialect);
  return true;
}

/** The dialect that a schema names, otherwise the enclosing one; `null` for an unknown one. */
function dialectAt(check: Check, place: Place, raw: JsonObject): Dialect | null {
  const uri = raw.$schema;
  const isKeyword = keywordsOf(place.dialect).has('$schema');
  if (typeof uri !== 'string' || !(isKeyword || place.steps.length === 0)) return place.dialect;
  const named = dialectOfUri(uri);
  if (named !== undefined) return named;
  if (!isKeyword) return place.dialect;
  report(
    check,
    [...place.steps, '$schema'],
    `"${uri}" is not a dialect that is read here. Use one of draft-04, draft-06, draft-07, 2019-09, ` +
      '2020-12, OpenAPI 3.0 or OpenAPI 3.1.',
    'UNSUPPORTED_DIALECT',
  );
  return null;
}

function checkExclusive(check: Check, steps: Steps, raw: JsonObject): void {
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (raw[flag] === undefined || raw[bound] !== undefined) continue;
    report(check, [...steps, flag], `${flag} stands without ${bound}, which it belongs to.`);
  }
}

/** Reports references that lead nowhere or to no schema. The schemas are checked after all others. */
function checkReferences(check: Check, steps: Steps, raw: JsonObject, dialect: Dialect): void {
  const keywords = keywordsOf(dialect);
  const names = Object.keys(raw).filter((name) => keywords.get(name)?.use === 'refers');
  const node = names.length === 0 ? undefined : check.document.nodeBelow(steps);
  if (node === undefined) return;
  for (const name of names) {
    const reference = raw[name];
    if (typeof reference !== 'string') continue;
    const target = check.document.resolve(node, reference);
    if ('code' in target) {
      const isUnclear = target.code === 'unclear';
      if (!isUnclear) report(check, [...steps, name], target.message);
    } else if (isSchema(target)) {
      if (target.document === check.document) check.targets.push(target);
    } else {
      report(check, [...steps, name], `The ${name} leads to something that is not a schema.`);
    }
  }
}

function isSchema({ raw, dialect }: SchemaNode): boolean {
  return isJsonObject(raw) || (typeof raw === 'boolean' && hasBooleanSchemas(dialect));
}

const typeNames = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

function checkValue(check: Check, place: Place, shape: Shape, value: Json): void {
  const { steps } = place;
  const fail = (must: string, code?: SchemaFault['code']): void => {
    report(check, steps, `${shown(value)} ${must}`, code);
  };
  switch (shape) {
    case 'anything':
    case 'components':
    case 'dialect':
      if (shape === 'dialect' && typeof value !== 'string') fail('is not the URI of a dialect.');
      return;
    case 'text':
    case 'old_id':
    case 'reference':
      if (typeof value !== 'string') fail('is not a string.');
      return;
    case 'id':
      if (typeof value !== 'string' || !/^[^#]*#?$/.test(value)) {
        fail('is not a URI without a fragment. Use $anchor for names within a document.');
      }
      return;
    case 'anchor':
    case 'early_anchor':
      checkAnchor(shape, value, fail);
      return;
    case 'flag':
      if (typeof value !== 'boolean') fail('is not true or false.');
      return;
    case 'number':
    case 'positive':
    case 'count':
    case 'small_count':
      checkNumber(shape, value, fail);
      return;
    case 'pattern':
      checkPattern(check, steps, value);
      return;
    case 'type_name':
    case 'type_names':
      checkType(check, place, shape, value);
      return;
    case 'list':
    case 'distinct_list':
    case 'texts':
    case 'some_texts':
      checkList(check, steps, shape, value);
      return;
    case 'schema':
    case 'schema_or_flag':
    case 'schemas':
    case 'schema_or_schemas':
      checkSchemas(check, place, shape, value);
      return;
    case 'schema_map':
    case 'pattern_map':
    case 'early_pattern_map':
    case 'texts_map':
    case 'flag_map':
    case 'dependencies':
    case 'some_dependencies':
      checkMap(check, place, shape, value);
      return;
    default:
      shape satisfies never;
  }
}

function checkAnchor(
  shape: 'anchor' | 'early_anchor',
  value: Json,
  fail: (must: string) => void,
): void {
  const isEarly = shape === 'early_anchor';
  const pattern = isEarly ? /^[A-Za-z][-A-Za-z0-9.:_]*$/ : /^[A-Za-z_][-A-Za-z0-9._]*$/;
  if (typeof value === 'string' && pattern.test(value)) return;
  fail('is not a name for an anchor. Begin with a letter; go on with letters, digits, - . _');
}

function checkNumber(
  shape: 'number' | 'positive' | 'count' | 'small_count',
  value: Json,
  fail: (must: string, code?: SchemaFault['code']) => void,
): void {
  if (typeof value !== 'number' && !isExactNumber(value)) {
    fail('is not a number.');
    return;
  }
  const order = compareNumbers(value, 0);
  if (shape === 'positive' && order <= 0) fail('is not above zero.');
  if (shape !== 'count' && shape !== 'small_count') return;
  const exact = rationalOf(value);
  if (order < 0) fail('is below zero.');
  else if (!isWholeNumber(value)) fail('is not a whole number.');
  else if (exact === null || (shape === 'small_count' && typeof exact !== 'number')) {
    fail('is more than can be counted. Leave it out.', 'SCHEMA_TOO_LARGE');
  }
}

function checkPattern(check: Check, steps: Steps, value: Json): void {
  if (typeof value !== 'string') {
    report(check, steps, `${shown(value)} is not a string.`);
    return;
  }
  const problem = patternProblem(value);
  if (problem === null) return;
  const reason = problem.replace(/^Invalid regular expression: \/[\s\S]*\/[a-z]*: /, '');
  report(check, steps, `${shown(value)} is not a regular expression (ECMA-262): ${reason}.`);
}

function checkType(
  check: Check,
  { steps }: Place,
  shape: 'type_name' | 'type_names',
  value: Json,
): void {
  if (Array.isArray(value) && shape === 'type_names') {
    checkList(check, steps, 'distinct_list', value);
    for (const [index, name] of value.entries()) checkTypeName(check, [...steps, index], name);
  } else {
    checkTypeName(check, steps, value, shape === 'type_name' ? 'null' : undefined);
  }
}

function checkTypeName(check: Check, steps: Steps, name: Json, besides?: string): void {
  const allowed = typeNames.filter((one) => one !== besides);
  if (typeof name === 'string' && allowed.includes(name)) return;
  report(check, steps, `${shown(name)} is not a JSON type. Use one of ${allowed.join(', ')}.`);
}

function checkList(
  check: Check,
  steps: Steps,
  shape: 'list' | 'distinct_list' | 'texts' | 'some_texts',
  value: Json,
): void {
  if (!Array.isArray(value)) {
    report(check, steps, `${shown(value)} is not a list.`);
    return;
  }
  const needsOne = shape === 'distinct_list' || shape === 'some_texts';
  if (needsOne && value.length === 0) report(check, steps, 'The list is empty.');
  if (shape === 'list') return;
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const isText = typeof item === 'string';
    if (shape !== 'distinct_list' && !isText) {
      report(check, [...steps, index], `${shown(item)} is not a string.`);
    }
    const key = valueKey(item);
    if (seen.has(key)) report(check, [...steps, index], `${shown(item)} stands twice in the list.`);
    seen.add(key);
  }
}

function checkSchemas(check: Check, place: Place, shape: Shape, value: Json): void {
  const { steps, depth, dialect } = place;
  const wait = (raw: Json, at: Steps): void => {
    check.waiting.push({ raw, steps: at, depth: depth + 1, dialect });
  };
  if (shape === 'schema_or_flag' && typeof value === 'boolean') return;
  if (Array.isArray(value) && (shape === 'schemas' || shape === 'schema_or_schemas')) {
    if (value.length === 0) report(check, steps, 'The list is empty. List at least one schema.');
    for (const [index, raw] of value.entries()) wait(raw, [...steps, index]);
  } else if (shape === 'schemas') {
    report(check, steps, `${shown(value)} is not a list of schemas.`);
  } else {
    wait(value, steps);
  }
}

function checkMap(check: Check, place: Place, shape: Shape, value: Json): void {
  const { steps, depth, dialect } = place;
  if (!isJsonObject(value)) {
    report(check, steps, `${shown(value)} is not an object.`);
    return;
  }
  const isPatterned = shape === 'pattern_map' || shape === 'early_pattern_map';
  for (const key of Object.keys(value)) {
    const raw = value[key] ?? null;
    const at = [...steps, key];
    if (isPatterned) checkPattern(check, at, key);
    if (shape === 'flag_map') {
      if (typeof raw !== 'boolean') report(check, at, `${shown(raw)} is not true or false.`);
    } else if (shape === 'texts_map') {
      checkList(check, at, 'texts', raw);
    } else if (Array.isArray(raw) && shape !== 'schema_map' && !isPatterned) {
      checkList(check, at, shape === 'some_dependencies' ? 'some_texts' : 'texts', raw);
    } else {
      check.waiting.push({ raw, steps: at, depth: depth + 1, dialect });
    }
  }
}

/** A value as a person would quote it, shortened if it is long. */
function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
