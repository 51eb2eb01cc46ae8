// The API server's validation, for manifests from files, and repeated for those in a cluster. The
// fields and rules are the CRD's, so files and clusters refuse the same things.

import { isJsonObject, type Json, type JsonObject } from '../core/value/json.ts';
import type { Schema } from './crd/schema.ts';

interface SpecProblem {
  /** `spec.consumers[0].team` */
  readonly path: string;
  readonly message: string;
}

/** The maximum number of problems shown; nobody reads more at once. */
const maxProblems = 20;

/**
 * Returns the problems of a spec; empty for a valid one.
 *
 * @example checkSpec(dataContract.spec, { fqn: 'a.b' }) // give exactly one of schema and schemaFrom
 */
export function checkSpec(schema: Schema, spec: Json, old?: JsonObject): readonly SpecProblem[] {
  return checkValue(schema, spec, old, 'spec').slice(0, maxProblems);
}

export function describeProblems(problems: readonly SpecProblem[]): string {
  return problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

function checkValue(
  schema: Schema,
  value: Json,
  old: Json | undefined,
  path: string,
): readonly SpecProblem[] {
  if (schema.type === undefined) return [];
  switch (schema.type) {
    case 'string':
      return typeof value === 'string'
        ? checkText(schema, value, path)
        : [mustBe(path, 'a string')];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [mustBe(path, 'true or false')];
    case 'integer': {
      const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
      const isRight = typeof value === 'number' && Number.isSafeInteger(value);
      if (isRight && value >= minimum && value <= maximum) return [];
      const from = schema.minimum === undefined ? '' : ` from ${minimum}`;
      const to = schema.maximum === undefined ? '' : ` to ${maximum}`;
      return [mustBe(path, `an integer${from}${to}`)];
    }
    case 'array':
      return Array.isArray(value) ? checkList(schema, value, path) : [mustBe(path, 'a list')];
    case 'object':
      return isJsonObject(value)
        ? checkObject(schema, value, old !== undefined && isJsonObject(old) ? old : undefined, path)
        : [mustBe(path, 'an object')];
    default:
      return schema.type satisfies never;
  }
}

function checkText(schema: Schema, value: string, path: string): readonly SpecProblem[] {
  const { enum: choices, minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema;
  if (choices !== undefined && !choices.includes(value)) {
    const older = schema.older?.() ?? [];
    const shown = choices.filter((choice) => !older.includes(choice));
    return [{ path, message: `"${cut(value)}" is not one of ${shown.join(', ')}` }];
  }
  const length = [...value].length;
  if (length < minLength) return [mustBe(path, 'not empty')];
  if (length > maxLength) return [mustBe(path, `at most ${maxLength} characters long`)];
  if (pattern !== undefined && !new RegExp(pattern).test(value)) {
    return [{ path, message: `"${cut(value)}" should match ${pattern}` }];
  }
  if (schema.format === 'date-time' && !isMoment(value)) {
    return [mustBe(path, 'a time such as 2026-01-31T12:00:00Z')];
  }
  if (schema.format === 'date' && !isDay(value)) {
    return [mustBe(path, 'a day such as 2026-01-31')];
  }
  return [];
}

function checkList(schema: Schema, value: readonly Json[], path: string): readonly SpecProblem[] {
  const { items, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (value.length > maxItems) return [mustBe(path, `a list of at most ${maxItems}`)];
  const found =
    items === undefined
      ? []
      : value.flatMap((item, index) => checkValue(items, item, undefined, `${path}[${index}]`));
  const [key] = schema['x-kubernetes-list-map-keys'] ?? [];
  if (key === undefined || found.length > 0) return found;
  const keys = value.map((item) => (isJsonObject(item) ? item[key] : undefined));
  const twice = keys.findIndex((one, index) => keys.indexOf(one) !== index);
  if (twice < 0) return [];
  return [{ path: `${path}[${twice}]`, message: `Duplicate value: ${key} ${String(keys[twice])}` }];
}

function checkObject(
  schema: Schema,
  value: JsonObject,
  old: JsonObject | undefined,
  path: string,
): readonly SpecProblem[] {
  const { properties = {}, additionalProperties, required = [] } = schema;
  const takesAny = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ path: `${path}.${name}`, message: 'Required value' }));
  const wrong = Object.entries(value).flatMap(([name, member]) => {
    const at = `${path}.${name}`;
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (known !== undefined) return checkValue(known, member, old?.[name], at);
    if (takesAny) return [];
    const names = Object.keys(properties).join(', ');
    return [{ path: at, message: `unknown field; use ${names}` }];
  });
  const found = [...missing, ...wrong];
  if (found.length > 0) return found;
  return (schema['x-kubernetes-validations'] ?? [])
    .filter((rule) => !rule.holds(value, old))
    .map(({ message, fieldPath }) => ({ path: `${path}${fieldPath}`, message }));
}

function mustBe(path: string, what: string): SpecProblem {
  return { path, message: `must be ${what}` };
}

function isMoment(text: string): boolean {
  return (
    /^.{10}T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) &&
    isDay(text.slice(0, 10)) &&
    !Number.isNaN(Date.parse(text))
  );
}

/** No February 30, which `Date` takes for a day in March. */
function isDay(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\d$/.test(text) &&
    new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true
  );
}

function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}
