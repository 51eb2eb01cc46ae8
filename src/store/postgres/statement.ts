// A statement of one fixed text, put together once. Asked again it costs its values alone: no
// template is joined, and its text is the same string, which is known by its address in the names
// of prepared statements.

import type { PrimitiveValueExpression, QuerySqlToken } from 'slonik';

/**
 * The values stand in the template as examples, in the order in which they are given later.
 *
 * @example
 * const teamById = statement(sql.type(teamRow)`select ... from team where id = ${''}`);
 * pool.maybeOne(teamById(id))
 */
export function statement<Query extends QuerySqlToken>(
  written: Query,
): (...values: readonly PrimitiveValueExpression[]) => Query {
  // The text that slonik would build each time.
  const sql = written.sql.replaceAll('$slonik_', '$');
  return (...values) => {
    if (values.length !== written.values.length) {
      throw new Error(`${values.length} values for a statement of ${written.values.length}.`);
    }
    return { ...written, sql, values };
  };
}
