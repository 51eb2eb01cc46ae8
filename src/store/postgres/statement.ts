// A statement with a fixed text, built once. Executing it again only passes values: no template is
// joined, and the text is the same string object, so the name of its prepared statement is found
// quickly.

import type { PrimitiveValueExpression, QuerySqlToken } from 'slonik';

/**
 * The values in the template are examples, in the order in which real values are passed later.
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
