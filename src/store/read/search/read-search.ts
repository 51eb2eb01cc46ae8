// Finds assets, fields, services, teams, proposals and users by name. Postgres gathers a bounded number of
// candidates from indexes, the best first, and core ranks them.

import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { proposalKinds } from '../../../core/proposal.ts';
import { proposalStates } from '../../../core/proposal-machine.ts';
import { rankName, ranks } from '../../../core/search/rank-name.ts';
import {
  type Hit,
  type SearchFound,
  type SearchQuestion,
  type SearchType,
  searchTypes,
} from '../../../core/search/search.types.ts';
import { wordsOf } from '../../../core/search/words.ts';
import type { Reads } from '../../../registry/ports.ts';
import { id, plannedEachTime, timestamp } from '../../postgres/rows.ts';
import { findAssets, gatherAssets } from './find-assets.ts';
import { findFields } from './find-fields.ts';
import { type Asked, type Find, matchOf, maxCandidates, patternsOf, whyOf } from './gather.ts';
import { prefixQueryOf } from './search-text.ts';

const maxNewest = 300;
/** Decided proposals are found for this long. */
const closedDays = 30;
/** Counting stops here: the counts only say that there are some. */
const maxCounted = 1_000;

export function readSearch(pool: DatabasePool): Pick<Reads, 'search'> {
  return {
    search: async (question): Promise<SearchFound> => {
      const asked = readAsked(question);
      if (asked.words.length === 0) return { hits: [], cutContracts: 0, pendingContracts: 0 };
      const isWanted = (type: SearchType) => question.types.includes(type);
      const isAboutAssets = isWanted('asset') || isWanted('proposal');
      const assetIds = isAboutAssets ? gatherAssets(pool, asked) : Promise.resolve([]);
      const [found, counts] = await Promise.all([
        Promise.all(
          searchTypes.filter(isWanted).map((type) => finders[type](pool, asked, assetIds)),
        ),
        isWanted('field') ? pool.one(countFields) : { cut: 0, pending: 0 },
      ]);
      const hits = found.flatMap((each) => inOrder(each).slice(0, question.limit));
      return { hits: inOrder(hits), cutContracts: counts.cut, pendingContracts: counts.pending };
    },
  };
}

function readAsked({ q, limit }: SearchQuestion): Asked {
  const text = q.trim();
  return { text, words: wordsOf(text), limit };
}

/** Within a rank, shorter names come first: the text covers more of them. */
function inOrder(hits: readonly Hit[]): readonly Hit[] {
  return hits.toSorted(
    (a, b) =>
      ranks.indexOf(a.rank) - ranks.indexOf(b.rank) ||
      searchTypes.indexOf(a.type) - searchTypes.indexOf(b.type) ||
      nameOf(a).length - nameOf(b).length ||
      (nameOf(a) < nameOf(b) ? -1 : 1),
  );
}

function nameOf(hit: Hit): string {
  if (hit.type === 'field') return `${hit.path} ${hit.fqn}`;
  return 'fqn' in hit ? hit.fqn : hit.name;
}

const countFields = sql.type(z.object({ cut: z.int(), pending: z.int() }))`
  select
    (select count(*)::int from (
      select from contract where status = 'active' and fields_cut limit ${maxCounted}) cut) as cut,
    (select count(*)::int from (
      select from contract where status = 'active' and field_paths is null
      limit ${maxCounted}) pending) as pending`;

// Services, teams and users

const serviceRow = z.object({ serviceId: id, name: z.string(), ownerTeamName: z.string() });

const findServices: Find = async (pool, asked) => {
  const rows = await pool.any(sql.type(serviceRow)`
    select service.id as "serviceId", service.name, team.name as "ownerTeamName"
    from service join team on team.id = service.owner_team_id
    where service.deleted_at is null and ${hasWords(sql.fragment`service.name`, asked)}
    order by length(service.name), service.name
    limit ${maxCandidates}`);
  return rows.flatMap((row): readonly Hit[] => {
    const rank = rankName([row.name], asked.text);
    return rank === null ? [] : [{ type: 'service', ...row, rank, why: whyOf(rank, 'name') }];
  });
};

const teamRow = z.object({ teamId: id, name: z.string() });

const findTeams: Find = async (pool, asked) => {
  const rows = await pool.any(sql.type(teamRow)`
    select id as "teamId", name from team
    where deleted_at is null and ${hasWords(sql.fragment`name`, asked)}
    order by length(name), name
    limit ${maxCandidates}`);
  return rows.flatMap((row): readonly Hit[] => {
    const rank = rankName([row.name], asked.text);
    return rank === null ? [] : [{ type: 'team', ...row, rank, why: whyOf(rank, 'name') }];
  });
};

const userRow = z.object({ userId: id, name: z.string(), email: z.string() });

const findUsers: Find = async (pool, asked) => {
  const rows = await pool.any(sql.type(userRow)`
    select id as "userId", name, email from app_user
    where deactivated_at is null and ${hasWords(sql.fragment`name || ' ' || email`, asked)}
    order by length(name), name
    limit ${maxCandidates}`);
  return rows.flatMap((row): readonly Hit[] => {
    const rank = rankName([row.name], asked.text);
    if (rank !== null) return [{ type: 'user', ...row, rank, why: whyOf(rank, 'name') }];
    const ofAddress = rankName([row.email], asked.text);
    if (ofAddress === null) return [];
    return [{ type: 'user', ...row, rank: ofAddress, why: 'This is in the address.' }];
  });
};

function hasWords(text: FragmentSqlToken, { words }: Asked): FragmentSqlToken {
  return sql.fragment`lower(${text}) like all(${patternsOf(words)})`;
}

// Proposals

const proposalRow = plannedEachTime(
  z.object({
    assetId: id,
    fqn: z.string(),
    environment: z.string(),
    proposalId: id,
    kind: z.enum(proposalKinds),
    status: z.enum(proposalStates),
    proposedAt: timestamp,
  }),
);

/** Proposals about the assets that match, and the newest ones about assets with these words. */
const findProposals: Find = async (pool, asked, assetIds) => {
  const ids = sql.array([...(await assetIds)], 'uuid');
  const words = prefixQueryOf(asked.words);
  const isRecent = sql.fragment`(resolved_at is null
    or resolved_at > now() - make_interval(days => ${closedDays}))`;
  const rows = await pool.any(sql.type(proposalRow)`
    with newest as materialized (
      (select id from proposal where status = 'pending' order by proposed_at desc limit ${maxNewest})
      union
      (select id from proposal where status = 'approved' order by proposed_at desc limit ${maxNewest})
      union
      (select id from proposal order by proposed_at desc limit ${maxNewest})
    ), found as materialized (
      select proposal.id from proposal
      where asset_id = any(${ids}) and ${isRecent}
      union
      select proposal.id from newest join proposal using (id)
      join asset on asset.id = proposal.asset_id
      where ${isRecent} and asset.search @@ ${words}::tsquery
    )
    select asset.id as "assetId", asset.fqn, asset.environment, proposal.id as "proposalId",
      proposal.kind, proposal.status, iso(proposal.proposed_at) as "proposedAt"
    from found join proposal using (id)
    join asset on asset.id = proposal.asset_id and asset.deleted_at is null
    order by proposal.resolved_at is not null, proposal.proposed_at desc
    limit ${maxCandidates}`);
  return rows.map((row): Hit => ({ type: 'proposal', ...row, ...ofItsAsset(row.fqn, asked) }));
};

function ofItsAsset(fqn: string, asked: Asked): Pick<Hit, 'rank' | 'why'> {
  const { rank } = matchOf(fqn, asked);
  return { rank, why: 'It is about an asset that was found.' };
}

const finders: Readonly<Record<SearchType, Find>> = {
  asset: findAssets,
  field: findFields,
  service: findServices,
  team: findTeams,
  proposal: findProposals,
  user: findUsers,
};
