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
import {
  assetColumns,
  assetOf,
  assetRow,
  assetTables,
  id,
  idRow,
  nothingRow,
} from '../postgres/rows.ts';
import { baseContractId } from '../read/read-assets.ts';
import { baseMembers, consumersOfAsset, highestVersionOfAsset } from './asset-facts.ts';

const orNull = <T>() => z.custom<T | null>((value) => value === null || typeof value === 'object');

const foundRow = assetRow.extend({
  base: orNull<FoundBase>(),
  highestVersion: z.string().nullable(),
  consumers: z.custom<readonly Consumer[]>(Array.isArray),
  registeredTeamIds: z.array(id),
  upstream: z.custom<readonly FoundDependency[]>(Array.isArray),
  importedFor: id.nullable(),
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
    select id, name from team
    where deleted_at is null and (
      lower(name) = any(${sql.array(question.teamNames, 'text')})
      or id = any(${sql.array(question.teamIds, 'uuid')}))`);
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
      (
        select json_build_object(${baseMembers}, 'format', format, 'dialect', dialect,
          'schema', case
            when encode(sha256(convert_to(schema::text, 'UTF8')), 'hex') = found.fingerprint
            then null else schema end)
        from contract
        where id = ${baseContractId(sql.fragment`asset.id`)}
      ) as base,
      ${highestVersionOfAsset},
      ${consumersOfAsset},
      array(
        select consumer_team_id from registration where asset_id = asset.id
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
    return {
      asset: assetOf(row),
      base,
      highestVersion,
      consumers,
      openProposal,
      registeredTeamIds,
      upstream: row.upstream,
      importedFor: row.importedFor,
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
  switch (source.metadataKey) {
    case 'build_node_id': {
      const ends = values.map(nextAfter);
      return sql.fragment`
        unnest(${sql.array(values, 'text')}, ${sql.array(ends, 'text')}) as span ("from", until)
        join asset on ${isThere} and asset.build_node is not null
          and asset.build_node >= span."from" and asset.build_node < span.until`;
    }
    case 'contract_id': {
      const ids = values.map((value) => value.slice(0, 500));
      return sql.fragment`
        (select id, deleted_at from asset
        where ${isThere} and asset.odcs_contract is not null
          and (asset.odcs_contract = any(${sql.array(ids, 'text')})
            -- The contract may have had another id before.
            or asset.odcs_contract = any(array(
              select known.odcs_contract from living join asset known on known.id = living.id))
          )) as asset`;
    }
    case 'api_title':
      return sql.fragment`
        (select id, deleted_at from asset
        where ${isThere} and ${isNamed}
          and (asset.metadata ->> 'api_title' = any(${sql.array(values, 'text')})
            or asset.metadata ->> 'api_title' in (
              -- Titles of which the file describes most: the API may have had one of them before.
              select other.metadata ->> 'api_title'
              from asset other
              where (select count(*) from wanted) > (
                  select count(*) from living join asset known on known.id = living.id
                  where known.metadata ->> 'api_title' = any(${sql.array(values, 'text')}))
                and other.environment = any(${sql.array(environments, 'text')})
                and other.deleted_at is null and other.resource_type = 'endpoint'
                and other.fqn >= ${fqnPrefix} and other.fqn < ${`${fqnPrefix}~`}
              group by other.metadata ->> 'api_title', other.environment,
                coalesce(other.imported_for, other.owner_team_id)
              having 2 * count(*) filter (
                where (other.metadata ->> 'method') || ' ' || regexp_replace(
                  other.metadata ->> 'path', '\\{[^}]*\\}', '{}', 'g'
                ) in (select unnest(${sql.array(described, 'text')}))) > count(*)))) as asset`;
    case 'resource_type':
      return sql.fragment`
        (select id, deleted_at from asset
        where ${isThere} and ${isNamed}
          and asset.resource_type = any(${sql.array(values, 'text')})) as asset`;
    default:
      return source.metadataKey satisfies never;
  }
}

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
  await connection.query(
    sql.type(nothingRow)`select pg_advisory_xact_lock(hashtextextended('imports', 2))`,
  );
  await connection.query(sql.type(idRow)`
    select id from asset where id = any(${sql.array(assetIds, 'uuid')}) order by id for update`);
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
