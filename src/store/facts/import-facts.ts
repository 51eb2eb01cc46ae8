// Reads the facts for an import in three statements, however many assets the file names.

import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type {
  FoundAsset,
  FoundBase,
  FoundDependency,
  FoundProposal,
  ImportFound,
} from '../../core/import/plan/found.ts';
import type { Consumer } from '../../core/registration.ts';
import type { ImportQuestion } from '../../registry/imports/import.types.ts';
import type { BulkQuestion } from '../../registry/transaction.ts';
import {
  assetColumns,
  assetOf,
  assetRow,
  assetTables,
  id,
  idRow,
  isActive,
  isLeaving,
  nothingRow,
} from '../postgres/rows.ts';
import { baseContractId } from '../read/read-assets.ts';
import {
  baseMembers,
  consumersOfAsset,
  highestVersionOfAsset,
  importedAsColumn,
  importedAsRow,
} from './asset-facts.ts';

const orNull = <T>() => z.custom<T | null>((value) => value === null || typeof value === 'object');

const foundRow = assetRow.extend({
  base: orNull<FoundBase>(),
  highestVersion: z.string().nullable(),
  consumers: z.custom<readonly Consumer[]>(Array.isArray),
  registeredTeamIds: z.array(id),
  upstream: z.custom<readonly FoundDependency[]>(Array.isArray),
  importedFor: id.nullable(),
  ...importedAsRow.shape,
  isBeingLeft: z.boolean(),
  openProposal: orNull<FoundProposal>(),
});

const teamNameRow = z.object({ id, name: z.string() });
const userRow = z.object({
  id,
  name: z.string(),
  email: z.string(),
  teamId: id.nullable(),
});

export async function readImportFacts(
  connection: CommonQueryMethods,
  question: ImportQuestion,
): Promise<ImportFound> {
  const assets = await readAssets(connection, question);
  const teams = await connection.any(sql.type(teamNameRow)`
    select team.id, stated.name from unnest(${sql.array(question.teamNames, 'text')}) as stated (name)
    join team on lower(team.name) = lower(stated.name) and team.deleted_at is null
    union all
    select id, name from team
    where deleted_at is null and id = any(${sql.array(question.teamIds, 'uuid')})`);
  const users = await connection.any(sql.type(userRow)`
    select id, name, email, team_id as "teamId" from app_user
    where deactivated_at is null and lower(email) = any(${sql.array(question.emails, 'text')})`);
  return {
    assets: assets.filter(({ asset }) => asset.deletedAt === null),
    predecessors: assets.filter(({ asset }) => asset.deletedAt !== null),
    teams,
    users,
  };
}

/**
 * The assets with these names, the last deleted holders of the free names, and the assets of the
 * source.
 */
async function readAssets(
  connection: CommonQueryMethods,
  question: ImportQuestion,
): Promise<readonly FoundAsset[]> {
  const rows = await connection.any(sql.type(foundRow)`
    with wanted as materialized (
      select fqn, environment, fingerprint
      from json_to_recordset(${JSON.stringify(question.names)}::json) as wanted (
        fqn text, environment text, fingerprint text)
    ), living as materialized (
      select asset.id, wanted.fingerprint
      from wanted
      join asset on asset.fqn = wanted.fqn and asset.environment = wanted.environment
        and asset.deleted_at is null
    ), gone as (
      select last.id, wanted.fingerprint
      from wanted
      cross join lateral (
        select id from asset
        where fqn = wanted.fqn and environment = wanted.environment and deleted_at is not null
        order by deleted_at desc, id desc
        limit 1
      ) last
      where not exists (
        select 1 from asset
        where fqn = wanted.fqn and environment = wanted.environment and deleted_at is null)
    ), found as materialized (
      -- By grouping, which takes as long however wrong the planner is about how many there are.
      select id, max(fingerprint) as fingerprint
      from (
        select id, fingerprint from living
        union all
        select id, fingerprint from gone
        union all
        select asset.id, null from ${ofSource(question)}
      ) each
      group by id
    )
    select ${assetColumns}, asset.imported_for as "importedFor",
      ${importedAsColumn}, ${isBeingLeft} as "isBeingLeft",
      (
        select json_build_object(${baseMembers}, 'format', format, 'dialect', dialect,
          'hasUnreadVariants', has_unread_variants,
          'schema', case
            when encode(sha256(convert_to(schema::text, 'UTF8')), 'hex') = found.fingerprint
            then null else schema end)
        from contract
        where id = ${baseContractId(sql.fragment`asset.id`)}
      ) as base,
      ${highestVersionOfAsset},
      ${consumersOfAsset},
      array(
        select consumer_team_id from registration
        where asset_id = asset.id and not (${isActive} and ${isLeaving})
      ) as "registeredTeamIds",
      (
        select coalesce(json_agg(json_build_object('id', dependency.id, 'type', dependency.type,
          'source', dependency.source, 'createdAt', iso(dependency.created_at),
          'assetId', upstream.id, 'fqn', upstream.fqn, 'environment', upstream.environment,
          'ownerTeamId', upstream.owner_team_id) order by upstream.fqn, upstream.id), '[]'::json)
        from dependency
        join asset upstream on upstream.id = dependency.depends_on_asset_id
        where dependency.asset_id = asset.id
      ) as upstream,
      (
        select json_build_object('id', id, 'status', status, 'proposedDigest', proposed_digest,
          'proposed', proposed)
        from proposal
        where asset_id = asset.id and status in ('pending', 'approved')
      ) as "openProposal"
    from found join ${assetTables} on asset.id = found.id`);
  return rows.map((row) => {
    const { base, highestVersion, consumers, openProposal, registeredTeamIds } = row;
    const { upstream, importedFor, importedAs, isBeingLeft } = row;
    return {
      ...{ asset: assetOf(row), base, highestVersion, consumers, openProposal },
      ...{ registeredTeamIds, upstream, importedFor, importedAs, isBeingLeft },
    };
  });
}

/**
 * The assets of the source, through an index for each kind: the file's own may be far fewer than
 * all.
 */
function ofSource({ source, environments }: ImportQuestion): FragmentSqlToken {
  if (source === null) return sql.fragment`(select id, deleted_at from asset where false) as asset`;
  const { values, fqnPrefix, described = [] } = source;
  const isThere = sql.fragment`asset.environment = any(${sql.array(environments, 'text')})
    and asset.deleted_at is null`;
  // A range of the index of names; ~ sorts after every character of an FQN.
  const isNamed = sql.fragment`asset.fqn >= ${fqnPrefix} and asset.fqn < ${`${fqnPrefix}~`}`;
  switch (source.kind) {
    case 'dbt': {
      const ends = values.map(nextAfter);
      return sql.fragment`
        unnest(${sql.array(values, 'text')}, ${sql.array(ends, 'text')}) as span ("from", until)
        join asset on ${isThere} and ${asNode} is not null
          and ${asNode} collate "C" >= span."from" and ${asNode} collate "C" < span.until`;
    }
    case 'odcs':
      return sql.fragment`
        (select id, deleted_at from asset
        where ${isThere} and ${asContract} is not null
          and (${asContract} = any(${sql.array(values, 'text')})
            -- The contract may have had another id before.
            or ${asContract} = any(array(
              select known.imported_as #>> '{odcs,of}'
              from living join asset known on known.id = living.id))
          )) as asset`;
    case 'openapi':
      return sql.fragment`
        (select id, deleted_at from asset
        where ${isThere} and ${isNamed} and ${asApi} is not null
          and (${asApi} = any(${sql.array(values, 'text')})
            or ${asApi} in (
              -- Titles of which the file describes half: the API may have had one of them before.
              select other.imported_as #>> '{openapi,of}'
              from asset other
              where (select count(*) from wanted) > (
                  select count(*) from living join asset known on known.id = living.id
                  where known.imported_as #>> '{openapi,of}' = any(${sql.array(values, 'text')}))
                and other.environment = any(${sql.array(environments, 'text')})
                and other.deleted_at is null and other.imported_as #>> '{openapi,of}' is not null
                and other.fqn >= ${fqnPrefix} and other.fqn < ${`${fqnPrefix}~`}
              group by other.imported_as #>> '{openapi,of}', other.environment,
                coalesce(other.imported_for, other.owner_team_id)
              having 2 * count(*) filter (
                where other.imported_as #>> '{openapi,thing}'
                  = any(${sql.array(described, 'text')})) >= count(*)))) as asset`;
    case 'graphql':
      return sql.fragment`
        (select id, deleted_at from asset
        where ${isThere} and ${isNamed}
          and asset.imported_as #>> '{graphql,of}' is not null) as asset`;
    default:
      return source.kind satisfies never;
  }
}

const asNode = sql.fragment`(asset.imported_as #>> '{dbt,of}')`;
const asContract = sql.fragment`(asset.imported_as #>> '{odcs,of}')`;
const asApi = sql.fragment`(asset.imported_as #>> '{openapi,of}')`;

/**
 * Whether a consumer reads a contract that is in force no longer: one that was not asked about its deprecation, did not
 * agree, or leaves on a day that has not come.
 */
const isBeingLeft = sql.fragment`
  not exists (select from contract where asset_id = asset.id and status = 'active')
  and exists (
    select from registration as reading
    where reading.asset_id = asset.id and reading.status <> 'inactive' and not exists (
      select from proposal
      join lateral (
        select response, until from acknowledgement
        where proposal_id = proposal.id and round = proposal.round
          and team_id = reading.consumer_team_id
        order by ordinal desc
        limit 1
      ) answer on answer.response = 'approved' or answer.until <= now()
      where proposal.asset_id = asset.id and proposal.resolved_at >= reading.created_at
        and proposal.status in ('published', 'force_published')
        and proposal.proposed ->> 'kind' = 'deprecation'
        and proposal.proposed ->> 'contractId' = ${baseContractId(sql.fragment`asset.id`)}::text))`;

/** The smallest text that is greater than every text with this prefix. */
function nextAfter(prefix: string): string {
  return (
    prefix.slice(0, -1) + String.fromCodePoint((prefix.codePointAt(prefix.length - 1) ?? 0) + 1)
  );
}

/**
 * Serializes imports, and prevents others from taking a name meanwhile, so names that were free
 * stay free. Then locks the assets in the order of ids, like everyone who locks several.
 */
export async function lockForImport(
  connection: CommonQueryMethods,
  assetIds: readonly string[],
): Promise<void> {
  await lockAllNames(connection);
  await lockInOrder(connection, assetIds);
}

async function lockAllNames(connection: CommonQueryMethods): Promise<void> {
  await connection.query(
    sql.type(nothingRow)`select pg_advisory_xact_lock(hashtextextended('imports', 2))`,
  );
}

async function lockInOrder(connection: CommonQueryMethods, ids: readonly string[]): Promise<void> {
  await connection.query(sql.type(idRow)`
    select id from asset where id = any(${sql.array(ids, 'uuid')}) order by id for update`);
}

export async function lockForBulk(
  connection: CommonQueryMethods,
  { fqns, assetIds, contractIds, proposalIds }: BulkQuestion,
): Promise<void> {
  if (fqns.length > 0) await lockAllNames(connection);
  const rows = await connection.any(sql.type(idRow)`
    select asset_id as id from contract where id = any(${sql.array(contractIds, 'uuid')})
    union
    select asset_id from proposal where id = any(${sql.array(proposalIds, 'uuid')})
    union
    select id from asset where id = any(${sql.array(assetIds, 'uuid')})
    union
    select id from asset where fqn = any(${sql.array(fqns, 'text')}) and deleted_at is not null`);
  await lockInOrder(
    connection,
    rows.map((row) => row.id),
  );
}

/** Prevents the teams from being deleted meanwhile; returns the existing ones. */
export async function holdTeams(
  connection: CommonQueryMethods,
  teamIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await connection.any(sql.type(idRow)`
    select id from team
    where id = any(${sql.array(teamIds, 'uuid')}) and deleted_at is null
    order by id
    for share`);
  return rows.map((row) => row.id);
}
