// Finds what a schema says to nobody: a keyword for values of a type that the schema beside it does not
// allow, such as the `minimum` of a number that became a string; one that its dialect does not have; one
// that lacks another; and a name that is nearly a keyword. Such a schema is valid, so these are remarks.

import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';
import type { Dialect } from './dialects.ts';
import { dialectTitle } from './dialects.ts';
import { constraintsOf, dialectOf, dialects, isIgnored, keywordsOf } from './keywords.ts';
import { isBareReference, resourceStart, type Standing, standingBelow } from './places.ts';

export interface Remark {
  readonly path: string;
  readonly message: string;
}

/** The types of the values that a keyword is about. The others are about values of every type. */
const concerned: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    number: 'multipleOf maximum minimum exclusiveMaximum exclusiveMinimum',
    string: 'maxLength minLength pattern',
    array:
      'items prefixItems additionalItems contains minContains maxContains maxItems minItems uniqueItems unevaluatedItems',
    object:
      'properties patternProperties additionalProperties unevaluatedProperties propertyNames required maxProperties minProperties dependencies dependentRequired dependentSchemas',
  }).flatMap(([type, keywords]) =>
    keywords
      .split(' ')
      .map((keyword) => [keyword, type === 'number' ? ['number', 'integer'] : [type]] as const),
  ),
);

/** What says nothing without another keyword beside it. */
const needed: ReadonlyMap<string, string> = new Map([
  ['then', 'if'],
  ['else', 'if'],
  ['minContains', 'contains'],
  ['maxContains', 'contains'],
]);

const known: ReadonlySet<string> = new Set(
  dialects.flatMap((dialect) => [...keywordsOf(dialect).keys()]),
);

/** More than anyone reads. */
const maxRemarks = 100;

/**
 * In the order of the document. The schema is a valid one.
 *
 * @example findIdleKeywords({ type: 'string', minimum: 0 })
 * // [{ path: '$.minimum', message: '"minimum" is about numbers, and ...' }]
 */
export function findIdleKeywords(schema: Json, stated?: Dialect): readonly Remark[] {
  const found: Remark[] = [];
  const waiting: Place[] = [
    { raw: schema, path: '$', standing: 'schema', dialect: dialectOf(schema, stated) },
  ];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { raw, path, standing } = place;
    if (typeof raw !== 'object' || raw === null || standing === 'data') continue;
    const isSchema = standing === 'schema' && isJsonObject(raw);
    const dialect = (isSchema && resourceStart(raw, place.dialect)?.dialect) || place.dialect;
    if (isSchema) {
      for (const [keyword, message] of remarksOn(raw, dialect)) {
        found.push({ path: path + stepText(keyword), message });
        if (found.length >= maxRemarks) return found;
      }
    }
    const steps = Array.isArray(raw) ? raw.keys() : Object.keys(raw);
    const below = [...steps].map((step): Place => {
      const where = { dialect, isRoot: path === '$' };
      return {
        raw: (raw as JsonObject)[step] as Json,
        path: path + stepText(step),
        standing: standingBelow(standing, raw, step, where),
        dialect,
      };
    });
    waiting.push(...below.reverse());
  }
  return found;
}

interface Place {
  readonly raw: Json;
  readonly path: string;
  readonly standing: Standing;
  readonly dialect: Dialect;
}

function* remarksOn(raw: JsonObject, dialect: Dialect): Iterable<readonly [string, string]> {
  const types = typesOf(raw);
  const isReference = isBareReference(raw, dialect);
  for (const keyword of Object.keys(raw)) {
    const message = remarkOn(raw, keyword, { dialect, types, isReference });
    if (message !== null) yield [keyword, message];
  }
}

interface Beside {
  readonly dialect: Dialect;
  /** Null if every type is allowed. */
  readonly types: readonly string[] | null;
  readonly isReference: boolean;
}

function remarkOn(raw: JsonObject, keyword: string, beside: Beside): string | null {
  const { dialect, types, isReference } = beside;
  const title = dialectTitle(dialect);
  if (isIgnored(dialect, keyword)) {
    return `${title} has no "${keyword}", so it says nothing here.`;
  }
  if (constraintsOf(dialect).has(keyword)) {
    if (isReference && keyword !== '$ref') {
      return `${title} reads nothing beside "$ref". Put "${keyword}" and the reference into an "allOf".`;
    }
    const about = concerned.get(keyword);
    if (types !== null && about !== undefined && !about.some((type) => types.includes(type))) {
      return `It says nothing, because values have the type ${types.map((type) => `"${type}"`).join(' or ')} here, and "${keyword}" is about the type "${about[0]}". Remove it.`;
    }
    const other = needed.get(keyword);
    return other === undefined || Object.hasOwn(raw, other)
      ? null
      : `It says nothing without "${other}" beside it.`;
  }
  if (known.has(keyword)) return null;
  const meant = [...constraintsOf(dialect).keys()].find((name) => isNearly(keyword, name));
  return meant === undefined ? null : `It is no keyword. Did you mean "${meant}"?`;
}

function typesOf({ type }: JsonObject): readonly string[] | null {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((one) => typeof one === 'string') : null;
}

/** Shorter names are too near to words. */
const shortest = 4;

/** One letter more, less, another or exchanged, or other capitals. */
function isNearly(name: string, keyword: string): boolean {
  if (Math.min(name.length, keyword.length) < shortest) return false;
  const a = name.toLowerCase();
  const b = keyword.toLowerCase();
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
