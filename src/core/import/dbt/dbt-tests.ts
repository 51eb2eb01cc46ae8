// Tests and constraints become guarantees: what a producer checks is what it promises.

import type { Guarantees } from '../../comparison.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, objectAt, textAt, textsAt } from '../read-json.ts';
import type { DbtColumn } from './dbt-columns.ts';

/** What the tests of one node come to, while they are being read. */
export interface Promises {
  readonly neverNull: Set<string>;
  readonly acceptedValues: Map<string, readonly Json[]>;
  /** By their text, so that a test and the constraint that says the same count once. */
  readonly custom: Map<string, JsonObject>;
}

export function noPromises(): Promises {
  return { neverNull: new Set(), acceptedValues: new Map(), custom: new Map() };
}

/** The guarantees object of `service.md`, in an order that does not depend on the file's. */
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

/** A test node as far as it matters here. */
export interface DbtTest {
  /** Null for a singular test, which is a query of its own. */
  readonly name: string | null;
  readonly packageName: string | null;
  readonly ownName: string;
  readonly column: string | null;
  readonly kwargs: JsonObject;
  /** What weakens it: a filter, a tolerance, or that it only warns. */
  readonly conditions: JsonObject;
  readonly sql: string;
}

export function readTest(node: JsonObject): DbtTest {
  const metadata = objectAt(node, 'test_metadata');
  const stated = objectAt(metadata, 'kwargs') ?? {};
  // dbt 1.10 lets the arguments of a test stand under a key of their own.
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

/** A column that must be quoted in SQL is written with its quotes in some projects. */
function unquoted(column: string | null): string | null {
  return column === null ? null : column.replace(/^(["`])(.*)\1$/s, '$2');
}

const everyFailureFails = /^\s*(?:!=|<>|>)\s*0\s*$|^\s*>=\s*1\s*$/;

function readConditions(config: JsonObject | undefined): JsonObject {
  const where = textAt(config, 'where');
  const severity = textAt(config, 'severity')?.toLowerCase();
  const errorIf = textAt(config, 'error_if');
  return {
    ...(where === undefined ? {} : { where }),
    ...(severity === 'warn' ? { severity } : {}),
    ...(errorIf === undefined || everyFailureFails.test(errorIf) ? {} : { error_if: errorIf }),
  };
}

/**
 * Adds what the test promises. A test that is filtered, tolerant or only warns promises less than
 * its name says, and is kept as a custom entry with its conditions.
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

/** Two tests on a column both hold: what both accept is what is accepted. */
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

/** What the project said to the test: not the model and column that dbt adds by itself. */
function argumentsOf(kwargs: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(kwargs).filter(([key]) => !placeholders.has(key)));
}

function addCustom(promises: Promises, entry: JsonObject): void {
  promises.custom.set(JSON.stringify(entry), entry);
}

/** Constraints of columns and of the whole node count like the tests that say the same. */
export function addConstraints(
  promises: Promises,
  node: JsonObject,
  columns: readonly DbtColumn[],
): void {
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

/** One column has the shape of a test on a column; several are listed. */
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
