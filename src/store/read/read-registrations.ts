import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Registration } from '../../core/registration.ts';
import type { RegistrationQuery } from '../../registry/lists.ts';
import type { Reads } from '../../registry/ports.ts';
import { unknownAsset } from '../../registry/sources/fencing.ts';
import {
  consumerNeedRow,
  id,
  isActive,
  isLeaving,
  registrationColumns,
  registrationListColumns,
  registrationRow,
  registrationTables,
  timestamp,
  writtenRow,
} from '../postgres/rows.ts';
import { statement } from '../postgres/statement.ts';
import { defineList, haveRivals, listPage } from './list.ts';

const registrations = defineList({
  shape: registrationRow,
  columns: registrationListColumns,
  tables: registrationTables,
  countedTables: sql.fragment`registration`,
  id: sql.fragment`registration.id`,
  sorts: { created_at: { column: sql.fragment`registration.created_at`, type: 'timestamptz' } },
  defaultSort: { field: 'created_at', direction: 'descending' },
  toEntity: (row): Registration => row,
});

type RegistrationReads = Pick<
  Reads,
  | 'getRegistration'
  | 'listRegistrations'
  | 'listNeeds'
  | 'listFoundFields'
  | 'listNeedsToReview'
  | 'recordNeedHeld'
  | 'listDueMigrations'
  | 'listDueDepartures'
  | 'getTime'
>;

const timeRow = z.object({ time: timestamp });

/** Of all needs that are asked together: a thread reads them as one text. */
const neededBytes = 16 * 1024 * 1024;

const needsByAsset = statement(sql.type(consumerNeedRow)`
  with reading as (
    select registration.id, need_digest, need, found_digest, found
    from registration
    where registration.asset_id = ${''} and ${isActive}
      and (registration.need is not null or registration.found is not null)
  ), asked as (
    (
      select distinct on (need_digest) need_digest as digest, need, null::json as found
      from reading
      where need_digest is not null
      order by need_digest, id
    )
    union all
    select found_digest, null, json_build_object('fields', found -> 'fields')
    from reading
    where found_digest is not null
  ), sized as (
    select *, sum(length(coalesce(need, found)::text)) over (order by digest) as total from asked
  )
  select digest, case when total <= ${0} then need end as need,
    case when total <= ${0} then found end as found
  from sized
  order by digest`);

/** Of all consumers of an asset; past it, the fields that were seen longest ago are left out. */
const maxSeenFields = 100_000;

const seenFieldRow = z.object({
  registrationId: id,
  field: z.string().nullable(),
  lastSeenAt: timestamp,
});

const needToReviewRow = z.object({
  id,
  assetId: id,
  digest: z.string(),
  status: z.enum(['met', 'unmet']),
});

const toReview = sql.fragment`
  select registration.id, registration.asset_id as "assetId",
    registration.need ->> 'digest' as digest, registration.need ->> 'status' as status
  from registration
  join contract on contract.asset_id = registration.asset_id and contract.status = 'active'
  where registration.need is not null and ${isActive}
    and registration.need_contract_id is distinct from contract.id`;

const needsToReview = statement(sql.type(needToReviewRow)`
  ${toReview} order by registration.id limit ${0}`);

const needsOfAssetToReview = statement(sql.type(needToReviewRow)`
  ${toReview} and registration.asset_id = ${''} order by registration.id limit ${0}`);

export function readRegistrations(pool: DatabasePool): RegistrationReads {
  return {
    getRegistration: (id) =>
      pool.maybeOne(
        sql.type(registrationRow)`
          select ${registrationColumns} from ${registrationTables}
          where registration.id = ${id}`,
      ),

    listRegistrations: (query) =>
      listPage(
        pool,
        { ...registrations, isPlannedEachTime: !isOne(query) && haveRivals(filtersOf(query)) },
        conditionsOf(query),
        query,
      ),

    listNeeds: async (assetId) => pool.any(needsByAsset(assetId, neededBytes, neededBytes)),

    listFoundFields: (assetId) =>
      pool.any(
        sql.type(seenFieldRow)`
          select registration.id as "registrationId", field.path as field,
            max(place ->> 'lastSeenAt') as "lastSeenAt"
          from registration
          cross join json_array_elements(registration.found -> 'places') place
          left join json_array_elements_text(
            case when json_typeof(place -> 'fields') = 'array' then place -> 'fields' end
          ) field (path) on true
          where registration.asset_id = ${assetId} and ${isActive}
            and registration.found is not null
          group by registration.id, field.path
          order by "lastSeenAt" desc
          limit ${maxSeenFields}`,
      ),

    listNeedsToReview: async (assetId, limit) =>
      pool.any(assetId === null ? needsToReview(limit) : needsOfAssetToReview(assetId, limit)),

    recordNeedHeld: async (assetId, { digest, status }, contractId) => {
      await pool.query(sql.type(writtenRow)`
        update registration set need_contract_id = ${contractId}
        where asset_id = ${assetId} and need is not null and need ->> 'status' = ${status}
          and need ->> 'digest' = ${digest}`);
    },

    listDueMigrations: async (now, limit) =>
      pool.any(
        sql.type(registrationRow)`
          select ${registrationListColumns} from ${registrationTables}
          where registration.migrates_at <= ${now}
          order by registration.migrates_at
          limit ${limit}`,
      ),

    getTime: () => pool.oneFirst(sql.type(timeRow)`select clock_timestamp() as "time"`),

    listDueDepartures: async (now, limit) =>
      pool.any(
        sql.type(registrationRow)`
          select ${registrationListColumns} from ${registrationTables}
          where registration.ends_at <= ${now} and ${isLeaving} and not exists (
            -- What came in its place may not be read yet, for example after a restart, or cannot register, for
            -- example because it is suspended. A source that was not read in the minutes before is gone: an API
            -- server confirms once a minute that nothing changed.
            select from controller_lease as lease
            where lease.read_at > registration.ends_at - interval '3 minutes'
              and (lease.read_at < registration.ends_at
                or lease.unsettled && array[asset.environment || '/' || asset.fqn, ${unknownAsset}]))
          order by registration.ends_at
          limit ${limit}`,
      ),
  };
}

function filtersOf({ assetId, contractId, consumerTeamId, status }: RegistrationQuery) {
  return [assetId, contractId, consumerTeamId, status];
}

/** A team has at most one registration of an asset. */
function isOne({ assetId, consumerTeamId }: RegistrationQuery): boolean {
  return assetId !== undefined && consumerTeamId !== undefined;
}

function conditionsOf(query: RegistrationQuery): FragmentSqlToken[] {
  const conditions: FragmentSqlToken[] = [];
  if (query.assetId !== undefined && query.consumerTeamId !== undefined) {
    // By its key, because for a team that uses nearly everything Postgres would expect thousands.
    conditions.push(sql.fragment`registration.id = (
      select id from registration
      where asset_id = ${query.assetId} and consumer_team_id = ${query.consumerTeamId})`);
  } else if (query.assetId !== undefined) {
    conditions.push(sql.fragment`registration.asset_id = ${query.assetId}`);
  } else if (query.consumerTeamId !== undefined) {
    conditions.push(sql.fragment`registration.consumer_team_id = ${query.consumerTeamId}`);
  }
  if (query.contractId !== undefined) {
    conditions.push(sql.fragment`registration.contract_id = ${query.contractId}`);
  }
  if (query.status !== undefined) {
    conditions.push(sql.fragment`registration.status = ${query.status}`);
  }
  return conditions;
}
