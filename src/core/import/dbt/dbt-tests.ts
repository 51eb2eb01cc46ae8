// Converts tests and constraints to guarantees: a producer guarantees what it tests.

import type { Guarantees } from '../../comparison.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, objectAt, textAt, textsAt } from '../read-json.ts';
import type { DbtColumn } from './dbt-columns.ts';

/** The guarantees from the tests of one node so far. */
export interface Promises {
  readonly neverNull: Set<string>;
  readonly acceptedValues: Map<string, readonly Json[]>;
  /** Keyed by their text, so that a test and an equivalent constraint count once. */
  readonly custom: Map<string, JsonObject>;
}

export function noPromises(): Promises {
  return { neverNull: new Set(), acceptedValues: new Map(), custom: new Map() };
}

/** The guarantees object of `service.md`, in an order that does not depend on the file. */
export function toGuarantees(
  promises: Promises,
  stated: { readonly freshness?: Json; readonly volume?: Json },
): Guarantees {
  const never = [...promises.neverNull].sort().map((column) => [column, 'never'] as const);
  const accepted = [...promises.acceptedValues].sort(byKey);
  const custom = [...promises.custom].sort(byKey).map(([, entry]) => entry);
  return {
    ...(stated.freshness === undefined ? {} : { freshness: stated.freshness }),
    ...(stated.volume === undefined ? {} : { volume: stated.volume }),
    ...(never.length === 0 ? {} : { nullability: Object.fromEntries(never) }),
    ...(accepted.length === 0 ? {} : { accepted_values: Object.fromEntries<Json>(accepted) }),
    ...(custom.length === 0 ? {} : { custom }),
  };
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}

/** The relevant parts of a test node. */
export interface DbtTest {
  /** Null for a singular test, which is a query. */
  readonly name: string | null;
  readonly packageName: string | null;
  readonly ownName: string;
  readonly column: string | null;
  readonly kwargs: JsonObject;
  /** Conditions that weaken the test: a filter, a tolerance, or a warning as its result. */
  readonly conditions: JsonObject;
  readonly sql: string;
}

export function readTest(node: JsonObject): DbtTest {
  const metadata = objectAt(node, 'test_metadata');
  const stated = objectAt(metadata, 'kwargs') ?? {};
  // Since dbt 1.10, the arguments of a test may be under a separate key.
  const kwargs = { ...stated, ...(objectAt(stated, 'arguments') ?? {}) };
  const name = textAt(metadata, 'name') ?? null;
  const namespace = textAt(metadata, 'namespace') ?? null;
  const isBuiltIn = name !== null && builtIn.has(name) && (namespace ?? 'dbt') === 'dbt';
  return {
    name,
    packageName: isBuiltIn ? null : (namespace ?? textAt(node, 'package_name') ?? null),
    ownName: textAt(node, 'name') ?? '',
    column: unquoted(textAt(node, 'column_name') ?? textAt(kwargs, 'column_name') ?? null),
    kwargs,
    conditions: readConditions(objectAt(node, 'config')),
    sql: textAt(node, 'raw_code') ?? textAt(node, 'raw_sql') ?? '',
  };
}

const builtIn: ReadonlySet<string> = new Set([
  'not_null',
  'unique',
  'accepted_values',
  'relationships',
]);

/** Some projects write a quoted SQL column with its quotes. */
function unquoted(column: string | null): string | null {
  return column === null ? null : column.replace(/^(["`])(.*)\1$/s, '$2');
}

/** The number that a test compares is that of the rows which it found. */
const countsFailures = /^\s*count\s*\(\s*\*\s*\)\s*$/i;
const everyFailureFails = /^\s*(?:!=|<>|>)\s*0\s*$|^\s*>=\s*1\s*$/;

function readConditions(config: JsonObject | undefined): JsonObject {
  const where = textAt(config, 'where');
  const severity = textAt(config, 'severity')?.toLowerCase();
  const failCalc = textAt(config, 'fail_calc');
  const errorIf = textAt(config, 'error_if');
  const limit = memberOf(config, 'limit') ?? null;
  const tolerance = {
    ...(failCalc === undefined || countsFailures.test(failCalc) ? {} : { fail_calc: failCalc }),
    ...(errorIf === undefined || everyFailureFails.test(errorIf) ? {} : { error_if: errorIf }),
  };
  // One row that is found is enough, unless failures are tolerated.
  const isLimited = limit !== null && (Object.keys(tolerance).length > 0 || String(limit) === '0');
  return {
    ...(where === undefined ? {} : { where }),
    ...(severity === 'warn' ? { severity } : {}),
    ...tolerance,
    ...(isLimited ? { limit } : {}),
  };
}

/**
 * Adds the guarantee of a test. A test that is filtered, tolerant or only warns guarantees less
 * than its name says, so it becomes a custom entry with its conditions.
 */
export function addTest(promises: Promises, test: DbtTest, referencedFqn: string | null): void {
  if (test.name === null) {
    addCustom(promises, { type: 'singular', name: test.ownName, sql: test.sql, ...weakened(test) });
    return;
  }
  const isWhole = Object.keys(test.conditions).length === 0;
  if (test.packageName === null && isWhole && test.column !== null) {
    if (test.name === 'not_null') {
      promises.neverNull.add(test.column);
      return;
    }
    if (test.name === 'accepted_values' && addAcceptedValues(promises, test, test.column)) return;
  }
  const isRelationship = test.packageName === null && test.name === 'relationships';
  addCustom(promises, {
    type: test.packageName === null ? test.name : `${test.packageName}.${test.name}`,
    ...(test.column === null ? {} : { column: test.column }),
    config: {
      ...argumentsOf(test.kwargs),
      ...(isRelationship && referencedFqn !== null ? { to_fqn: referencedFqn } : {}),
      ...test.conditions,
    },
  });
}

function weakened(test: DbtTest): JsonObject {
  return Object.keys(test.conditions).length === 0 ? {} : { config: test.conditions };
}

/** If a column has two such tests, both apply: only values that both accept are accepted. */
function addAcceptedValues(promises: Promises, test: DbtTest, column: string): boolean {
  const values = arrayAt(test.kwargs, 'values') ?? [];
  if (values.length === 0) return false;
  const known = promises.acceptedValues.get(column);
  const accepted = known?.filter((value) => values.includes(value)) ?? values;
  if (accepted.length === 0) return false;
  promises.acceptedValues.set(column, accepted);
  return true;
}

const placeholders: ReadonlySet<string> = new Set(['model', 'column_name', 'arguments']);

/** The arguments from the project, without the model and column that dbt adds. */
function argumentsOf(kwargs: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(kwargs).filter(([key]) => !placeholders.has(key)));
}

function addCustom(promises: Promises, entry: JsonObject): void {
  promises.custom.set(JSON.stringify(entry), entry);
}

/**
 * Constraints of columns and of the whole node count like the corresponding tests. Without a contract that is enforced, dbt
 * ignores them; before version 9, and for sources, a manifest says nothing of it.
 */
export function addConstraints(
  promises: Promises,
  node: JsonObject,
  columns: readonly DbtColumn[],
): void {
  const contracts = [node, objectAt(node, 'config')].map((each) => objectAt(each, 'contract'));
  const enforced = contracts.map((contract) => memberOf(contract, 'enforced'));
  if (enforced.includes(false) && !enforced.includes(true)) return;
  for (const { name, constraints } of columns) {
    for (const constraint of constraints) addConstraint(promises, constraint, [name]);
  }
  for (const constraint of arrayAt(node, 'constraints') ?? []) {
    addConstraint(promises, constraint, textsAt(constraint, 'columns'));
  }
}

type ConstraintRule = (
  promises: Promises,
  constraint: JsonObject,
  columns: readonly string[],
) => void;

const constraintRules: Readonly<Record<string, ConstraintRule>> = {
  not_null: (promises, _constraint, columns) => {
    for (const column of columns) promises.neverNull.add(column);
  },
  unique: (promises, _constraint, columns) => addUnique(promises, columns),
  primary_key: (promises, _constraint, columns) => {
    for (const column of columns) promises.neverNull.add(column);
    addUnique(promises, columns);
  },
  foreign_key: (promises, constraint, columns) =>
    addCustom(promises, {
      type: 'relationships',
      ...named(columns),
      config: pickStated(constraint, ['to', 'to_columns', 'expression']),
    }),
  check: (promises, constraint, columns) =>
    addCustom(promises, {
      type: 'check',
      ...named(columns),
      config: pickStated(constraint, ['expression', 'name']),
    }),
  custom: (promises, constraint, columns) =>
    addCustom(promises, {
      type: 'constraint',
      ...named(columns),
      config: pickStated(constraint, ['expression', 'name']),
    }),
};

function addConstraint(promises: Promises, constraint: Json, columns: readonly string[]): void {
  const type = textAt(constraint, 'type')?.toLowerCase() ?? '';
  const rule = Object.hasOwn(constraintRules, type) ? constraintRules[type] : undefined;
  if (rule !== undefined && isJsonObject(constraint)) rule(promises, constraint, columns);
}

function addUnique(promises: Promises, columns: readonly string[]): void {
  if (columns.length > 0) addCustom(promises, { type: 'unique', ...named(columns), config: {} });
}

/** One column is written like a test on a column; several are listed. */
function named(columns: readonly string[]): JsonObject {
  const [first, ...others] = columns;
  if (first === undefined) return {};
  return others.length === 0 ? { column: first } : { columns };
}

function pickStated(source: JsonObject, keys: readonly string[]): JsonObject {
  const entries = keys.flatMap((key): (readonly [string, Json])[] => {
    const value = memberOf(source, key);
    const isStated = value !== undefined && value !== null && !isEmptyList(value);
    return isStated ? [[key, value]] : [];
  });
  return Object.fromEntries(entries);
}

function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0;
}
