// Fields of active contracts by name.

import { sql } from 'slonik';
import { z } from 'zod';
import { parseField } from '../../../core/needs/field-path.ts';
import { wholeLexeme } from '../../../core/search/name-fields.ts';
import { rankName } from '../../../core/search/rank-name.ts';
import type { Hit } from '../../../core/search/search.types.ts';
import { partsOf, spellingsOf } from '../../../core/search/words.ts';
import { id, plannedEachTime } from '../../postgres/rows.ts';
import {
  type Find,
  gather,
  maxCandidates,
  patternsOf,
  type Step,
  sampleSize,
  whyOf,
} from './gather.ts';
import { prefixQueryOf, typedQueryOf } from './search-text.ts';

/** The maximum number of fields of one contract that are ranked. */
const maxFieldsOfContract = 20;

const fieldRow = plannedEachTime(
  z.object({
    assetId: id,
    fqn: z.string(),
    environment: z.string(),
    contractId: id,
    version: z.string(),
    paths: z.array(z.string()),
  }),
);

export const findFields: Find = async (pool, asked) => {
  const { text, words, limit } = asked;
  const parts = partsOf(text);
  const names = (ending: string) =>
    spellingsOf(text)
      .map((spelling) => `'${wholeLexeme(spelling)}'${ending}`)
      .join(' | ');
  const eachOf = (query: (words: readonly string[]) => string) =>
    [...new Set([query(parts), query(words)])].map((each) => `(${each})`).join(' | ');
  const having = (query: string, count: number): Step => {
    const isWanted = sql.fragment`field_words @@ ${query}::tsquery limit ${count}`;
    const living = sql.fragment`
      join asset on asset.id = contract.asset_id and asset.deleted_at is null`;
    return {
      sample: sql.fragment`
        select contract.id from (
          select id, asset_id, field_words from contract
          where status = 'active' limit ${sampleSize}) contract
        ${living}
        where ${isWanted}`,
      whole: sql.fragment`
        select contract.id from contract ${living}
        where contract.status = 'active' and ${isWanted}`,
    };
  };
  const ids = await gather(
    pool,
    asked,
    [
      having(names(''), 2 * limit),
      having(names(':*'), 2 * limit),
      having(eachOf(typedQueryOf), maxCandidates),
    ],
    parts.length > 1 ? having(eachOf(prefixQueryOf), maxCandidates) : null,
  );
  // The paths that have all words; which of them match is decided below.
  const rows = await pool.any(sql.type(fieldRow)`
    select asset.id as "assetId", asset.fqn, asset.environment, contract.id as "contractId",
      contract.version, field.paths
    from contract
    join asset on asset.id = contract.asset_id and asset.deleted_at is null
    cross join lateral (
      select array_agg(path) as paths from (
        select path from unnest(field_paths) path
        where lower(path) like all(${patternsOf(parts)})
        order by length(path)
        limit ${maxFieldsOfContract}
      ) matching
    ) field
    where contract.id = any(${sql.array([...ids], 'uuid')}) and contract.status = 'active'
      and field.paths is not null`);
  return rows.flatMap(({ paths, ...row }) =>
    paths.flatMap((path): readonly Hit[] => {
      const rank = rankName(namesOf(path), text);
      return rank === null ? [] : [{ type: 'field', ...row, path, rank, why: whyOf(rank, 'path') }];
    }),
  );
};

function namesOf(path: string): readonly string[] {
  return (parseField(path) ?? []).flatMap((step) => (typeof step === 'string' ? [] : [step.key]));
}
