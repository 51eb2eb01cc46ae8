// Converts quality rules and service levels of a data contract to guarantees.

import type { Guarantees } from '../../comparison.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, objectAt, textAt } from '../read-json.ts';

export interface QualityFacts {
  /** The object of the contract's schema. */
  readonly object: JsonObject;
  readonly objectName: string;
  readonly slaProperties: readonly Json[];
}

/** @example toOdcsGuarantees({ object, objectName: 'orders', slaProperties: [] }) // { nullability: ... } */
export function toOdcsGuarantees(facts: QualityFacts): Guarantees | null {
  const found: Found = { never: [], accepted: [], custom: new Map(), minRows: null };
  for (const rule of arrayAt(facts.object, 'quality') ?? []) addRule(found, rule, null);
  for (const property of arrayAt(facts.object, 'properties') ?? []) {
    const column = textAt(property, 'name');
    if (column === undefined || !isJsonObject(property)) continue;
    if (memberOf(property, 'unique') === true) addUnique(found, [column]);
    for (const rule of arrayAt(property, 'quality') ?? []) addRule(found, rule, column);
  }
  const key = primaryKeyOf(facts.object);
  for (const column of key) addNeverNull(found, column);
  if (key.length > 0) addUnique(found, key);
  const freshness = readFreshness(facts);
  const custom = [...found.custom].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  const guarantees = {
    ...(freshness === null ? {} : { freshness }),
    ...(found.minRows === null ? {} : { volume: { min_rows: found.minRows } }),
    ...(found.never.length === 0
      ? {}
      : {
          nullability: Object.fromEntries(found.never.map((column) => [column, 'never'] as const)),
        }),
    ...(found.accepted.length === 0
      ? {}
      : { accepted_values: Object.fromEntries<Json>(found.accepted) }),
    ...(custom.length === 0 ? {} : { custom }),
  };
  return Object.keys(guarantees).length === 0 ? null : guarantees;
}

interface Found {
  readonly never: string[];
  readonly accepted: (readonly [string, readonly Json[]])[];
  readonly custom: Map<string, JsonObject>;
  minRows: number | null;
}

type Metric = 'nulls' | 'duplicates' | 'invalid' | 'rows';

/** The metrics of 3.1 and later, and the rules of 3.0 that they replaced. */
const metrics: ReadonlyMap<string, Metric> = new Map([
  ['nullvalues', 'nulls'],
  ['nullcheck', 'nulls'],
  ['nullcount', 'nulls'],
  ['duplicatevalues', 'duplicates'],
  ['duplicatecount', 'duplicates'],
  ['uniquecheck', 'duplicates'],
  ['invalidvalues', 'invalid'],
  ['validvalues', 'invalid'],
  ['rowcount', 'rows'],
  ['countcheck', 'rows'],
]);

/** A rule with a tolerance, or that only warns, guarantees less and is kept as a custom entry. */
function addRule(found: Found, rule: Json, column: string | null): void {
  if (!isJsonObject(rule)) return;
  const stated = textAt(rule, 'metric') ?? textAt(rule, 'rule') ?? '';
  const metric = metrics.get(stated.toLowerCase());
  if (metric !== undefined && !isLenient(rule) && addMetric(found, metric, rule, column)) return;
  addCustom(found, rule, column);
}

function isLenient(rule: JsonObject): boolean {
  return /^(?:warn|warning|info)$/i.test(textAt(rule, 'severity') ?? '');
}

function addMetric(found: Found, metric: Metric, rule: JsonObject, column: string | null): boolean {
  if (metric === 'rows') {
    const least = leastRows(rule);
    if (column !== null || least === null) return false;
    found.minRows = Math.max(found.minRows ?? 0, least);
    return true;
  }
  if (column === null || !allowsNone(rule)) return false;
  if (metric === 'nulls') {
    addNeverNull(found, column);
    return true;
  }
  if (metric === 'duplicates') {
    addUnique(found, [column]);
    return true;
  }
  const values =
    arrayAt(objectAt(rule, 'arguments'), 'validValues') ?? arrayAt(rule, 'validValues') ?? [];
  if (values.length === 0) return false;
  found.accepted.push([column, values]);
  return true;
}

/** The rule allows no violations: explicitly, or without a threshold, as in 3.0. */
function allowsNone(rule: JsonObject): boolean {
  const operators = Object.keys(rule).filter((key) => /^must/.test(key));
  const [operator] = operators;
  if (operator === undefined) return true;
  if (operators.length > 1) return false;
  const value = memberOf(rule, operator);
  if (operator === 'mustBe' || operator === 'mustBeLessOrEqualTo') return value === 0;
  return operator === 'mustBeLessThan' && value === 1;
}

function leastRows(rule: JsonObject): number | null {
  const atLeast = memberOf(rule, 'mustBeGreaterOrEqualTo');
  const moreThan = memberOf(rule, 'mustBeGreaterThan');
  const operators = Object.keys(rule).filter((key) => /^must/.test(key));
  if (operators.length !== 1) return null;
  const least = typeof moreThan === 'number' ? moreThan + 1 : atLeast;
  return typeof least === 'number' && Number.isSafeInteger(least) && least >= 0 ? least : null;
}

/**
 * The columns of the key by position; those without a position come last, in the order of the file.
 */
function primaryKeyOf(object: JsonObject): readonly string[] {
  const last = Number.POSITIVE_INFINITY;
  return (arrayAt(object, 'properties') ?? [])
    .flatMap((property) => {
      const column = textAt(property, 'name');
      if (column === undefined || memberOf(property, 'primaryKey') !== true) return [];
      const stated = memberOf(property, 'primaryKeyPosition');
      return [{ column, place: typeof stated === 'number' && stated > 0 ? stated : last }];
    })
    .sort((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0))
    .map(({ column }) => column);
}

function addNeverNull(found: Found, column: string): void {
  if (!found.never.includes(column)) found.never.push(column);
}

/** One column is written like a rule on a column; several are listed, like those of dbt. */
function addUnique(found: Found, columns: readonly string[]): void {
  const [column = '', ...others] = columns;
  const entry = { type: 'unique', ...(others.length === 0 ? { column } : { columns }), config: {} };
  found.custom.set(JSON.stringify(entry), entry);
}

function addCustom(found: Found, rule: JsonObject, column: string | null): void {
  const { type, name, metric, ...config } = rule;
  const kind = typeof metric === 'string' ? metric : typeof type === 'string' ? type : 'library';
  const entry = {
    type: kind,
    ...(column === null ? {} : { column }),
    ...(typeof name === 'string' ? { name } : {}),
    config,
  };
  found.custom.set(JSON.stringify(entry), entry);
}

const minutesPerUnit: readonly (readonly [RegExp, number])[] = [
  [/^(?:m|mi|min|mins|minutes?)$/i, 1],
  [/^(?:s|sec|secs|seconds?)$/i, 1 / 60],
  [/^(?:h|hr|hrs|hours?)$/i, 60],
  [/^(?:d|days?)$/i, 1_440],
  [/^(?:w|wk|weeks?)$/i, 10_080],
  [/^(?:y|yr|years?)$/i, 525_600],
];

/** The maximum age of data: freshness if it is given, otherwise latency. */
function readFreshness(facts: QualityFacts): JsonObject | null {
  for (const name of ['freshness', 'latency']) {
    for (const level of facts.slaProperties) {
      if (textAt(level, 'property')?.toLowerCase() !== name) continue;
      const freshness = toFreshness(level, facts.objectName);
      if (freshness !== null) return freshness;
    }
  }
  return null;
}

/**
 * The element is an object or one of its columns; a level without an element applies to every
 * object.
 */
function toFreshness(level: Json, objectName: string): JsonObject | null {
  const element = textAt(level, 'element');
  const isOwn =
    element === undefined || element === objectName || element.startsWith(`${objectName}.`);
  const stated = memberOf(level, 'value');
  const value =
    typeof stated === 'number' || typeof stated === 'string' ? Number(stated) : Number.NaN;
  const unit = textAt(level, 'unit') ?? 'minutes';
  const factor = minutesPerUnit.find(([pattern]) => pattern.test(unit))?.[1];
  if (!isOwn || factor === undefined) return null;
  const minutes = Math.ceil(value * factor);
  if (!Number.isSafeInteger(minutes) || minutes < 1) return null;
  const column = element?.slice(objectName.length + 1) ?? '';
  return { max_staleness_minutes: minutes, ...(column === '' ? {} : { measured_by: column }) };
}
