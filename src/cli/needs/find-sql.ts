// Which columns SQL files read.

import { toFqn } from '../../core/import/import-fqn.ts';
import type { FoundReads } from '../../core/needs/find/found-reads.ts';
import { gatherReads, type ReadPlace } from '../../core/needs/find/gather-reads.ts';
import { findSqlReads } from '../../core/needs/find/sql/find-sql-reads.ts';
import type { FindOptions, Found } from './found.ts';
import { readInputs } from './list-inputs.ts';
import { openSqlParser } from './parse-sql.ts';
import { type SqlDialect, sqlDialects } from './sql-dialects.ts';

export async function findInSql(
  inputs: readonly string[],
  dialect: SqlDialect,
  { defaultSchema = '' }: Pick<FindOptions, 'defaultSchema'>,
): Promise<Found> {
  const files = await readInputs(inputs, ['.sql']);
  const parse = await openSqlParser(dialect);
  const places = files.map(({ place, text }): ReadPlace => {
    const parsed = parse(text);
    if (!parsed.ok) return { place, found: withoutParsing(parsed) };
    return { place, found: findSqlReads(parsed.sql, { dialect: sqlDialects[dialect] }) };
  });
  const around = defaultSchema === '' ? [] : defaultSchema.split('.');
  return { origin: 'sql', places, assets: gatherReads(places, (name) => fqnOf(name, around)) };
}

/** Its relations are shown, but it may read others. */
function withoutParsing(parsed: {
  readonly message: string;
  readonly relations: readonly (readonly string[])[];
}): FoundReads {
  const reason = 'the file is not understood';
  return {
    reads: parsed.relations.map((name) => ({ name, fields: null, reason })),
    doubts: [],
    unread: [parsed.message],
  };
}

/** The FQN that an import of dbt gives to the relation. */
function fqnOf(name: readonly string[], around: readonly string[]): string {
  const missing = around.slice(0, Math.max(0, around.length + 1 - name.length));
  return toFqn([...missing, ...name].map((part) => part.toLowerCase()));
}
