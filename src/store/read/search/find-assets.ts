// Assets by name, description and tags.

import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { Hit } from '../../../core/search/search.types.ts';
import { id, plannedEachTime } from '../../postgres/rows.ts';
import {
  type Asked,
  type Find,
  gather,
  matchOf,
  maxCandidates,
  type Step,
  sampleSize,
} from './gather.ts';
import { beginsWith, exactQueryOf, prefixQueryOf, typedQueryOf } from './search-text.ts';

const assetRow = plannedEachTime(
  z.object({
    assetId: id,
    fqn: z.string(),
    environment: z.string(),
    ownerTeamName: z.string(),
    version: z.string().nullable(),
  }),
);

export const findAssets: Find = async (pool, asked, assetIds) => {
  const ids = sql.array([...(await assetIds)], 'uuid');
  const rows = await pool.any(sql.type(assetRow)`
    select asset.id as "assetId", asset.fqn, asset.environment, team.name as "ownerTeamName",
      (select version from contract where asset_id = asset.id and status = 'active') as version
    from asset join team on team.id = asset.owner_team_id
    where asset.id = any(${ids}) and asset.deleted_at is null`);
  return rows.map((row): Hit => ({ type: 'asset', ...row, ...matchOf(row.fqn, asked) }));
};

/** Assets by the beginning of their name, of its last segment, and by words. */
export function gatherAssets(pool: DatabasePool, asked: Asked): Promise<readonly string[]> {
  const { text, words, limit } = asked;
  const name = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const lastName = sql.fragment`lower(split_part(fqn, '.', -1))`;
  const having = (query: string): Step => {
    const isWanted = sql.fragment`search @@ ${query}::tsquery limit ${maxCandidates}`;
    return {
      sample: sql.fragment`
        select id from (
          select id, search from asset where deleted_at is null limit ${sampleSize}) sampled
        where ${isWanted}`,
      whole: sql.fragment`select id from asset where deleted_at is null and ${isWanted}`,
    };
  };
  const named = sql.fragment`
    (select id from asset
      where deleted_at is null and ${beginsWith(sql.fragment`fqn`, text)}
      order by fqn limit ${limit})
    union all
    (select id from asset
      where deleted_at is null and ${beginsWith(lastName, name)}
      order by ${lastName}, fqn limit ${limit})`;
  return gather(
    pool,
    asked,
    [{ whole: named }, having(exactQueryOf(words)), having(typedQueryOf(words))],
    words.length > 1 ? having(prefixQueryOf(words)) : null,
  );
}
