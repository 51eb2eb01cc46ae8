// Finds the cells of an untyped file that are certainly valid. The validator reads all other cells, so it is
// no fault to miss a valid cell, but an invalid one must never count as valid.

import { validate } from '../../containment/validate/validator.ts';
import type { SchemaNode } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import { compileColumn } from './compile-column.ts';
import { allOf, anyOf, type Condition, sql, textOf } from './condition.ts';
import type { SqlDialect } from './dialect.ts';
import { decimalKind, integerKind } from './exact-kinds.ts';
import type { SourceColumn } from './source-column.ts';

/** Numbers that fit into 64 bits, which DuckDB reads fast. */
const numbers = [
  { pattern: '-?(0|[1-9][0-9]{0,17})', type: integerKind(64, true), sqlType: 'BIGINT' },
  {
    pattern: '-?(0|[1-9][0-9]{0,11})[.][0-9]{1,6}',
    ...{ type: decimalKind(18, 6), sqlType: 'DECIMAL(18,6)' },
  },
] as const;

/**
 * Null if no cell is certain: all of them have to be seen.
 *
 * @example certainCells(column, [parseSchema({ minimum: 0 }).root], duckdbDialect)
 */
export function certainCells(
  column: SourceColumn,
  nodes: readonly SchemaNode[],
  dialect: SqlDialect,
): string | null {
  if (column.type.kind !== 'cell') return null;
  const x = dialect.quoteName(column.name);
  const isValid = (value: Json) => nodes.every((node) => validate(node, value) === 'accepted');
  const certain: readonly Condition[] = [
    ...numbers.map((each) => certainNumbers(column, nodes, { ...each, dialect })),
    ...[true, false].map((value) => isValid(value) && sql(`${x} = '${value}'`)),
    isValid(null) && sql(dialect.isNull(column)),
  ];
  const condition = anyOf(certain);
  return condition === false ? null : `coalesce(${textOf(condition)}, FALSE)`;
}

interface Numbers extends Pick<SourceColumn, 'type' | 'sqlType'> {
  readonly pattern: string;
  readonly dialect: SqlDialect;
}

function certainNumbers(
  column: SourceColumn,
  nodes: readonly SchemaNode[],
  { pattern, dialect, ...number }: Numbers,
): Condition {
  const x = dialect.quoteName(column.name);
  const isNumber = `regexp_full_match(${x}, ${dialect.quoteText(pattern)})`;
  const read = `TRY_CAST(CASE WHEN ${isNumber} THEN ${x} END AS ${number.sqlType})`;
  const target = {
    column: { ...column, ...number },
    dialect: { ...dialect, quoteName: () => read },
  };
  const compiled = nodes.map((node) => compileColumn(node, target));
  const conditions = compiled.flatMap(
    (each) => each?.rules.map(({ condition }) => condition) ?? false,
  );
  return allOf([sql(`${read} IS NOT NULL`), ...conditions]);
}
