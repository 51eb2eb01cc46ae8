// What an import looks at: three statements, however many assets its file names.

import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Consumer } from '../core/registration.ts';
import type {
  FoundAsset,
  FoundBase,
  FoundProposal,
  ImportFound,
  ImportQuestion,
} from '../registry/import-facts.ts';
import { baseContractId } from './read-assets.ts';
import { assetColumns, assetOf, assetRow, assetTables, id } from './rows.ts';

const orNull = <T>() => z.custom<T | null>((value) => value === null || typeof value === 'object');

const foundRow = assetRow.extend({
  base: orNull<FoundBase>(),
  highestVersion: z.string().nullable(),
  consumers: z.custom<readonly Consumer[]>(Array.isArray),
  registeredTeamIds: z.array(id),
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

/** The living of these names, the last deleted holders of the free ones, and those of the source. */
async function readAssets(
  connection: CommonQueryMethods,
  question: ImportQuestion,
): Promise<readonly FoundAsset[]> {
  const rows = await connection.any(sql.type(foundRow)`
    with wanted as materialized (
      select fqn, environment, digest
      from json_to_recordset(${JSON.stringify(question.names)}::json) as wanted (
        fqn text, environment text, digest text)
    ), living as materialized (
      select asset.id, wanted.digest
      from wanted
      join asset on asset.fqn = wanted.fqn and asset.environment = wanted.environment
        and asset.deleted_at is null
    ), gone as (
      select last.id, wanted.digest
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
      select id, digest from living
      union all
      select id, digest from gone
      union all
      select asset.id, null from asset
      where asset.deleted_at is null and ${isOfSource(question)}
        and asset.id not in (select id from living)
    )
    select ${assetColumns},
      (
        select json_build_object('id', id, 'version', version, 'status', status,
          'compatibilityMode', compatibility_mode, 'guarantees', guarantees,
          'direction', direction, 'dialect', dialect, 'schemaDigest', schema_digest,
          'schema', case when schema_digest = found.digest then null else schema end)
        from contract
        where id = ${baseContractId(sql.fragment`asset.id`)}
      ) as base,
      (
        select version from contract where asset_id = asset.id order by ordinal desc limit 1
      ) as "highestVersion",
      (
        select coalesce(json_agg(json_build_object('teamId', team.id, 'teamName', team.name,
          'registrationId', registration.id, 'contractId', contract.id,
          'contractVersion', contract.version) order by team.name, team.id), '[]'::json)
        from registration
        join contract on contract.id = registration.contract_id and contract.status <> 'archived'
        join team on team.id = registration.consumer_team_id
        where registration.asset_id = asset.id and registration.status = 'active'
      ) as consumers,
      array(
        select consumer_team_id from registration where asset_id = asset.id
      ) as "registeredTeamIds",
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
    };
  });
}

function isOfSource({ source, environments }: ImportQuestion): FragmentSqlToken {
  if (source === null) return sql.fragment`false`;
  const value = sql.fragment`asset.metadata ->> ${source.metadataKey}`;
  const isOne =
    source.match === 'equals'
      ? sql.fragment`${value} = one`
      : sql.fragment`starts_with(${value}, one)`;
  return sql.fragment`asset.environment = any(${sql.array(environments, 'text')})
    and starts_with(asset.fqn, ${source.fqnPrefix})
    and exists (select 1 from unnest(${sql.array(source.values, 'text')}) as one where ${isOne})`;
}

/**
 * Imports commit one after the other, and nobody takes a name while one does: what it found free
 * stays free. Then the assets, in the order in which everyone who locks several locks them.
 */
export async function lockForImport(
  connection: CommonQueryMethods,
  assetIds: readonly string[],
): Promise<void> {
  await connection.query(
    sql.type(z.object({}))`select pg_advisory_xact_lock(hashtextextended('imports', 2))`,
  );
  await connection.query(sql.type(z.object({ id }))`
    select id from asset where id = any(${sql.array(assetIds, 'uuid')}) order by id for update`);
}

/** Against being deleted meanwhile; answers those that are there. */
export async function holdTeams(
  connection: CommonQueryMethods,
  teamIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await connection.any(sql.type(z.object({ id }))`
    select id from team
    where id = any(${sql.array(teamIds, 'uuid')}) and deleted_at is null
    order by id
    for share`);
  return rows.map((row) => row.id);
}
