// Which columns SQL files read.

import { relationFqn } from '../../core/import/import-fqn.ts';
import type { FoundReads } from '../../core/needs/find/found-reads.ts';
import { gatherReads, type ReadPlace } from '../../core/needs/find/gather-reads.ts';
import { findSqlReads } from '../../core/needs/find/sql/find-sql-reads.ts';
import type { KnownColumns } from '../../core/needs/find/sql/sources.ts';
import type { CommandLineIo } from '../command-line.ts';
import { connect } from '../registry/connection/connect.ts';
import type { FindOptions, Found } from './found.ts';
import { findContracts } from './known-contracts.ts';
import { readInputs } from './list-inputs.ts';
import { openSqlParser } from './parse-sql.ts';
import { type SqlDialect, sqlDialects } from './sql-dialects.ts';

export async function findInSql(
  inputs: readonly string[],
  dialect: SqlDialect,
  options: FindOptions,
  io: CommandLineIo,
): Promise<Found> {
  const files = await readInputs(inputs, ['.sql']);
  const parse = await openSqlParser(dialect);
  const parsed = files.map(({ place, text }) => ({ place, answer: parse(text) }));
  const around = options.defaultSchema?.split('.').filter((part) => part !== '') ?? [];
  const fqn = (name: readonly string[]) => fqnOf(name, around);
  const findIn = (known: ReadonlyMap<string, KnownColumns>): Found => {
    const places = parsed.map(({ place, answer }): ReadPlace => {
      if (!answer.ok) return { place, found: withoutParsing(answer) };
      const columnsOf = (name: readonly string[]) => known.get(fqn(name)) ?? null;
      const found = findSqlReads(answer.sql, { dialect: sqlDialects[dialect], columnsOf });
      return { place, found };
    });
    return { origin: 'sql', places, assets: gatherReads(places, fqn) };
  };
  const found = findIn(new Map());
  // The tables are known only now, and their columns decide whose the columns without a table are.
  if (options.contracts !== true) return found;
  const names = found.assets.map((asset) => asset.fqn);
  const { client } = connect(options, io);
  return findIn(await findContracts(client, names, options.environment ?? 'production'));
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
  return relationFqn([...missing, ...name]);
}
