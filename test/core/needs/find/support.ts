import { openSqlParser } from '../../../../src/cli/needs/parse-sql.ts';
import { type SqlDialect, sqlDialects } from '../../../../src/cli/needs/sql-dialects.ts';
import type { FoundReads } from '../../../../src/core/needs/find/found-reads.ts';
import { findSqlReads } from '../../../../src/core/needs/find/sql/find-sql-reads.ts';

/** The columns of relations, as they are known besides the SQL. */
export type Catalog = Readonly<Record<string, readonly string[]>>;

export async function readsOf(
  sql: string,
  dialect: SqlDialect = 'postgres',
  catalog: Catalog = {},
): Promise<FoundReads> {
  const parsed = (await openSqlParser(dialect))(sql);
  if (!parsed.ok) throw new Error(parsed.message);
  return findSqlReads(parsed.sql, {
    dialect: sqlDialects[dialect],
    columnsOf: (name) => {
      const columns = catalog[name.join('.')];
      return columns === undefined ? null : { names: new Set(columns), isComplete: true };
    },
  });
}

/** @example readText(found) // 'orders(id total) lines(*)' */
export function readText({ reads }: FoundReads): string {
  const text = (fields: readonly string[] | null) => fields?.map(nameOf).join(' ') ?? '*';
  return reads.map(({ name, fields }) => `${name.join('.')}(${text(fields)})`).join(' ');
}

/** @example nameOf('$.id') // 'id' */
export function nameOf(field: string): string {
  return field.startsWith('$.') ? field.slice(2) : String(JSON.parse(field.slice(2, -1)));
}
