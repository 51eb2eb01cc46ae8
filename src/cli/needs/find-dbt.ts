// Which columns the models of a dbt project read.

import { objectAt, textAt } from '../../core/import/read-json.ts';
import { findDbtReads } from '../../core/needs/find/dbt/find-dbt-reads.ts';
import { gatherReads } from '../../core/needs/find/gather-reads.ts';
import { type Json, parseJson } from '../../core/value/json.ts';
import { wrongUsage } from '../exit-code.ts';
import { readTextFile, unreadable } from '../input/read-text.ts';
import type { FindOptions, Found } from './found.ts';
import { openSqlParser, openSqlTokens } from './parse-sql.ts';
import { type SqlDialect, sqlDialects } from './sql-dialects.ts';

export async function findInDbt(
  manifestPath: string,
  { dialect, catalog: catalogPath }: Pick<FindOptions, 'dialect' | 'catalog'>,
): Promise<Found> {
  const manifest = await readJson(manifestPath);
  const catalog = catalogPath === undefined ? null : await readJson(catalogPath);
  const metadata = objectAt(manifest, 'metadata');
  const spoken = dialect ?? dialectOf(textAt(metadata, 'adapter_type'));
  const parse = await openSqlParser(spoken);
  const parser = { parse, tokens: await openSqlTokens(spoken), dialect: sqlDialects[spoken] };
  const read = findDbtReads({ manifest, catalog }, parser);
  if (!read.ok) throw unreadable({ path: manifestPath }, '$', read.message);
  const source = textAt(metadata, 'project_name');
  const assets = gatherReads(read.places, ([fqn = '']) => fqn);
  return {
    ...{ origin: 'dbt', places: read.places, assets },
    ...(source !== undefined && { source }),
  };
}

async function readJson(path: string): Promise<Json> {
  const parsed = parseJson(await readTextFile(path));
  if (!parsed.ok) throw unreadable({ path }, '$', `It is no JSON: ${parsed.message}`);
  return parsed.value;
}

/** Adapters whose name is not that of a dialect. */
const adapters: Readonly<Record<string, SqlDialect>> = {
  alloydb: 'postgres',
  fabric: 'tsql',
  materialize: 'postgres',
  spark: 'spark',
  sqlserver: 'tsql',
  synapse: 'tsql',
};

function dialectOf(adapter: string | undefined): SqlDialect {
  const known = Object.keys(sqlDialects).find((each) => each === adapter);
  const found = adapters[adapter ?? ''] ?? (known as SqlDialect | undefined);
  if (found !== undefined) return found;
  throw wrongUsage(
    `The manifest is of the adapter ${adapter ?? '(none)'}. Say which SQL it writes: --dialect.`,
  );
}
