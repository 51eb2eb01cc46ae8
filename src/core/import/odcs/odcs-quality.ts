// Converts quality rules and service levels of a data contract to guarantees.

import type { Guarantees } from '../../comparison.ts';
import { isSameJson } from '../../value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, flagAt, memberOf, objectAt, textAt } from '../read-json.ts';
import { eachProperty } from './odcs-property.ts';
import { readFreshness } from './service-levels.ts';

export interface QualityFacts {
  /** The object of the contract's schema. */
  readonly object: JsonObject;
  readonly objectName: string;
  readonly slaProperties: readonly Json[];
}

/** @example toOdcsGuarantees({ object, objectName: 'orders', slaProperties: [] }) // { nullability: ... } */
export function toOdcsGuarantees(facts: QualityFacts): Guarantees | null {
  const found: Found = { never: [], accepted: new Map(), custom: new Map(), minRows: null };
  for (const rule of arrayAt(facts.object, 'quality') ?? []) addRule(found, rule, null);
  for (const { property, column, depth } of eachProperty(facts.object, '$')) {
    if (flagAt(property, 'unique') === true) addUnique(found, [column]);
    for (const rule of arrayAt(property, 'quality') ?? []) {
      // What is guaranteed by name are columns; a rule within one is a rule of its own.
      if (depth === 1) addRule(found, rule, column);
      else addCustom(found, rule, column);
    }
  }
  const key = primaryKeyOf(facts.object);
  for (const column of key) addNeverNull(found, column);
  if (key.length > 0) addUnique(found, key);
  const freshness = readFreshness(facts.slaProperties, facts.objectName)?.freshness ?? null;
  const custom = [...found.custom].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  const guarantees = {
    ...(freshness === null ? {} : { freshness }),
    ...(found.minRows === null ? {} : { volume: { min_rows: found.minRows } }),
    ...(found.never.length === 0
      ? {}
      : {
          nullability: Object.fromEntries(found.never.map((column) => [column, 'never'] as const)),
        }),
    ...(found.accepted.size === 0
      ? {}
      : { accepted_values: Object.fromEntries<Json>(found.accepted) }),
    ...(custom.length === 0 ? {} : { custom }),
  };
  return Object.keys(guarantees).length === 0 ? null : guarantees;
}

interface Found {
  readonly never: string[];
  readonly accepted: Map<string, readonly Json[]>;
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
  const isWhole = !isLenient(rule) && !hasConditions(rule);
  if (metric !== undefined && isWhole && addMetric(found, metric, rule, column)) return;
  addCustom(found, rule, column);
}

/** What describes a rule; anything else may be a filter, or another rule than its metric says. */
const describing =
  /^(?:type|metric|rule|arguments|validValues|must\w+|severity|unit|id|code|name|description|dimension|tags|businessImpact|schedule\w*|templateName|tool\w+|authoritativeDefinitions)$/;

function hasConditions(rule: JsonObject): boolean {
  return Object.entries(rule).some(([key, value]) => {
    if (key !== 'customProperties' || !Array.isArray(value)) return !describing.test(key);
    return value.some((each) => (memberOf(each, 'value') ?? null) !== null);
  });
}

function isLenient(rule: JsonObject): boolean {
  return /^(?:warn|warning|info)$/i.test(textAt(rule, 'severity') ?? '');
}

function addMetric(found: Found, metric: Metric, rule: JsonObject, column: string | null): boolean {
  if (metric === 'invalid') return column !== null && addAccepted(found, rule, column);
  // What they are told counts other rows than all.
  if (Object.keys(objectAt(rule, 'arguments') ?? {}).length > 0) return false;
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
  addUnique(found, [column]);
  return true;
}

/**
 * Whether the list says all that the rule says. If a column has several lists, all apply: what each
 * of them has is accepted.
 */
function addAccepted(found: Found, rule: JsonObject, column: string): boolean {
  const { validValues, ...others } = objectAt(rule, 'arguments') ?? {};
  const values = Array.isArray(validValues) ? validValues : (arrayAt(rule, 'validValues') ?? []);
  const known = found.accepted.get(column);
  const accepted = known?.filter((each) => values.some((value) => isSameJson(each, value)));
  if (!allowsNone(rule) || (accepted ?? values).length === 0) return false;
  found.accepted.set(column, accepted ?? values);
  return Object.keys(others).length === 0;
}

/** The rule allows no violations: explicitly, or without a threshold, as in 3.0. */
function allowsNone(rule: JsonObject): boolean {
  const operators = Object.keys(rule).filter((key) => /^must/.test(key));
  const [operator] = operators;
  if (operator === undefined) return true;
  if (operators.length > 1) return false;
  const value = memberOf(rule, operator);
  if (operator === 'mustBe' || operator === 'mustBeLessOrEqualTo') return value === 0;
  return operator === 'mustBeLessThan' && value === 1 && countsRows(rule);
}

/** Less than one row is none, and less than one percent is not. */
function countsRows(rule: JsonObject): boolean {
  return /^(?:rows?|records?|count)$/i.test(textAt(rule, 'unit') ?? 'rows');
}

function leastRows(rule: JsonObject): number | null {
  const atLeast = memberOf(rule, 'mustBeGreaterOrEqualTo');
  const moreThan = memberOf(rule, 'mustBeGreaterThan');
  const operators = Object.keys(rule).filter((key) => /^must/.test(key));
  if (operators.length !== 1 || !countsRows(rule)) return null;
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
      if (column === undefined || flagAt(property, 'primaryKey') !== true) return [];
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

function addCustom(found: Found, rule: Json, column: string | null): void {
  if (!isJsonObject(rule)) return;
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
