// Which columns jobs read, by the events of OpenLineage that they sent.

import { relationFqn } from '../../core/import/import-fqn.ts';
import { gatherReads } from '../../core/needs/find/gather-reads.ts';
import {
  dialectsOf,
  findOpenlineageReads,
} from '../../core/needs/find/openlineage/find-openlineage-reads.ts';
import type { ParseSql } from '../../core/needs/find/sql/find-sql-reads.ts';
import { type Json, parseJson } from '../../core/value/json.ts';
import { unreadable } from '../input/read-text.ts';
import type { FindOptions, Found } from './found.ts';
import { readInputs } from './list-inputs.ts';
import { openSqlParser } from './parse-sql.ts';
import { type SqlDialect, sqlDialects } from './sql-dialects.ts';

export async function findInOpenlineage(
  inputs: readonly string[],
  { dialect }: Pick<FindOptions, 'dialect'>,
): Promise<Found> {
  const files = await readInputs(inputs, ['.json', '.ndjson', '.jsonl']);
  const events = files.flatMap(({ place, text }) => eventsOf(place, text));
  const read = findOpenlineageReads(events, await openReaders(events, dialect));
  if (!read.ok) throw unreadable({ path: files[0]?.place ?? '' }, '$', read.message);
  const assets = gatherReads(read.places, relationFqn);
  return { origin: 'openlineage', places: read.places, assets };
}

/** A dialect that the events do not name, or not as people do, is the one that is given. */
async function openReaders(events: readonly Json[], given: SqlDialect | undefined) {
  const isKnown = (name: string): name is SqlDialect => Object.hasOwn(sqlDialects, name);
  const spoken = new Set([...dialectsOf(events).filter(isKnown), ...(given ? [given] : [])]);
  const readers = new Map<string, { parse: ParseSql; dialect: string }>();
  for (const name of spoken) {
    readers.set(name, { parse: await openSqlParser(name), dialect: sqlDialects[name] });
  }
  return (named: string | null) => readers.get(named ?? '') ?? readers.get(given ?? '') ?? null;
}

/** One event, a list of them, or one in each line. */
function eventsOf(path: string, text: string): readonly Json[] {
  const whole = parseJson(text);
  if (whole.ok) return Array.isArray(whole.value) ? whole.value : [whole.value];
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const parsed = parseJson(line);
    if (!parsed.ok)
      throw unreadable({ path }, '$', `Line ${index + 1} is no JSON: ${parsed.message}`);
    return [parsed.value];
  });
}
