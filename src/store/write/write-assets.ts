import { type DatabaseTransactionConnection, sql } from 'slonik';
import type { Asset, ImportedAs } from '../../core/asset.ts';
import type { Write, WriteOf } from '../../core/decide/write.ts';
import type { TeamId } from '../../core/id.ts';
import { fieldColumnsOf } from '../postgres/field-columns.ts';
import { writtenRow } from '../postgres/rows.ts';
import { statement } from '../postgres/statement.ts';
import { resourceTypeOf, searchTextOf, tagsOf } from '../read/search/search-text.ts';
import { continueLineage } from './write-lineage.ts';

type Connection = DatabaseTransactionConnection;
type Of<Kind extends Write['kind']> = readonly WriteOf<Kind>[];

export async function insertAssets(connection: Connection, writes: Of<'insert_asset'>) {
  await connection.query(sql.type(writtenRow)`
    insert into asset (id, fqn, environment, owner_team_id, owner_user_id, service_id, guarantee_mode,
      needs_mode, auto_publish, on_deadline, metadata, resource_type, tags, search_text, managed_source, managed_reference,
      imported_for, imported_as, created_at, updated_at)
    select id, fqn, environment, owner_team_id, owner_user_id, service_id, guarantee_mode,
      needs_mode, auto_publish, on_deadline, metadata, resource_type, tags, search_text, managed_source, managed_reference,
      imported_for, imported_as, created_at, updated_at
    from json_to_recordset(${assetRows(writes)}::json) as row (
      id uuid, fqn text, environment text, owner_team_id uuid, owner_user_id uuid,
      service_id uuid, guarantee_mode text, needs_mode text, auto_publish boolean, on_deadline text, metadata json, resource_type text, tags text[],
      search_text text, managed_source text, managed_reference text, imported_for uuid,
      imported_as jsonb, created_at timestamptz, updated_at timestamptz)`);
  await continueLines(connection, writes);
}

export async function updateAssets(connection: Connection, writes: Of<'update_asset'>) {
  await connection.query(sql.type(writtenRow)`
    update asset
    set environment = row.environment, owner_team_id = row.owner_team_id,
      owner_user_id = row.owner_user_id, service_id = row.service_id,
      guarantee_mode = row.guarantee_mode,
      needs_mode = row.needs_mode, auto_publish = row.auto_publish,
      on_deadline = row.on_deadline, metadata = row.metadata,
      resource_type = row.resource_type, tags = row.tags, search_text = row.search_text,
      managed_source = row.managed_source, managed_reference = row.managed_reference,
      imported_as = coalesce(row.imported_as, asset.imported_as),
      imported_for = coalesce(row.imported_for, asset.imported_for),
      updated_at = row.updated_at, deleted_at = row.deleted_at
    from json_to_recordset(${assetRows(writes)}::json) as row (
      id uuid, environment text, owner_team_id uuid, owner_user_id uuid, service_id uuid, guarantee_mode text,
      needs_mode text, auto_publish boolean, on_deadline text, metadata json, resource_type text, tags text[], search_text text,
      managed_source text, managed_reference text, imported_as jsonb, imported_for uuid,
      updated_at timestamptz,
      deleted_at timestamptz)
    where asset.id = row.id`);
}

export async function restoreAssets(connection: Connection, writes: Of<'restore_asset'>) {
  await updateAssets(
    connection,
    writes.map(({ asset, events }) => ({ kind: 'update_asset', asset, events })),
  );
  await continueLines(connection, writes);
}

/** Moves the contracts and registrations of a deleted asset to the one that reuses its name. */
async function continueLines(
  connection: Connection,
  writes: Of<'insert_asset'> | Of<'restore_asset'>,
) {
  const lines = writes.flatMap(({ asset, continues }) =>
    continues === null ? [] : [{ from: continues, to: asset.id }],
  );
  if (lines.length === 0) return;
  await continueLineage(connection, lines);
  await connection.query(sql.type(writtenRow)`
    with line as materialized (
      select "from", "to"
      from json_to_recordset(${JSON.stringify(lines)}::json) as line ("from" uuid, "to" uuid)
    ), contracts as (
      update contract set asset_id = line."to" from line where contract.asset_id = line."from"
    ), proposals as (
      update proposal set asset_id = line."to" from line where proposal.asset_id = line."from"
    )
    update registration set asset_id = line."to" from line
    where registration.asset_id = line."from"`);
}

/** One statement, so it costs the same with and without a move. */
const insertAndMove = statement(sql.type(writtenRow)`
  with moved as (
    update registration
    set contract_id = case when moves then row."to" else contract_id end,
      migrates_at = case when not moves then migrates_at end,
      updated_at = case when moves then row.at else updated_at end,
      need_contract_id = case
        when is_met and need_contract_id = row."from" then row."to"
        else need_contract_id
      end
    from json_to_recordset(${''}::json) as row (
      id uuid, "from" uuid, "to" uuid, at timestamptz, moves boolean, is_met boolean)
    where registration.id = row.id
  )
  insert into contract (id, asset_id, ordinal, version, status, schema, schema_digest,
    compatibility_mode, guarantees, format, direction, dialect, change_type,
    previous_contract_id, published_at, published_by, actor_type, actor_id, actor_name, source,
    source_reference, source_commit, field_paths, field_words, fields_cut, sunsets_due,
    sunsets_told)
  select id, asset_id,
    coalesce((
      select ordinal from contract
      where contract.asset_id = row.asset_id
      order by ordinal desc
      limit 1), 0) + 1,
    version, status, schema, schema_digest, compatibility_mode,
    case when json_typeof(guarantees) <> 'null' then guarantees end,
    format, direction, dialect, change_type, previous_contract_id, published_at, published_by,
    actor_type, actor_id, actor_name, source, source_reference, source_commit,
    field_paths, array_to_tsvector(field_words), fields_cut,
    case when schema::text like '%"x-sunset"%' then '-infinity'::date end,
    case when schema::text like '%"x-sunset"%' then (
      select sunsets_told from contract before where before.id = row.previous_contract_id)
    end
  from json_to_recordset(${''}::json) as row (
    id uuid, asset_id uuid, version text, status text, schema json, schema_digest text,
    compatibility_mode text, guarantees json, format text, direction text, dialect text,
    change_type text, previous_contract_id uuid, published_at timestamptz, published_by uuid,
    actor_type text, actor_id uuid, actor_name text, source text, source_reference text,
    source_commit text, field_paths text[], field_words text[], fields_cut boolean)`);

export async function insertContracts(connection: Connection, writes: Of<'insert_contract'>) {
  const rows = writes.map(({ contract }) => ({
    id: contract.id,
    asset_id: contract.assetId,
    version: contract.version,
    status: contract.status,
    schema: contract.schema,
    schema_digest: contract.schemaDigest,
    compatibility_mode: contract.compatibilityMode,
    guarantees: contract.guarantees,
    format: contract.format,
    direction: contract.direction,
    dialect: contract.dialect,
    change_type: contract.changeType,
    previous_contract_id: contract.previousContractId,
    published_at: contract.publishedAt,
    published_by: contract.publishedBy,
    actor_type: contract.publishedByActor.type,
    actor_id: contract.publishedByActor.id,
    actor_name: contract.publishedByActor.name,
    source: contract.source,
    source_reference: contract.sourceReference,
    source_commit: contract.commit,
    ...(contract.status === 'active' && fieldColumnsOf(contract.schema)),
  }));
  const registrations = writes.flatMap(registrationRows);
  await connection.query(insertAndMove(JSON.stringify(registrations), JSON.stringify(rows)));
}

/** The registrations that move to the new version, and those whose need it meets. */
function registrationRows({ contract, moved, met }: Of<'insert_contract'>[number]) {
  const [moving, meeting] = [new Set(moved), new Set(met)];
  return [...moving.union(meeting)].map((id) => ({
    ...{ id, from: contract.previousContractId, to: contract.id, at: contract.publishedAt },
    ...{ moves: moving.has(id), is_met: meeting.has(id) },
  }));
}

const updateStatuses = statement(sql.type(writtenRow)`
  update contract
  set status = row.status,
    deprecated_at = case when row.status = 'deprecated' then row.at else deprecated_at end,
    archived_at = case when row.status = 'archived' then row.at else archived_at end,
    field_paths = case when row.status = 'active' then field_paths end,
    field_words = case when row.status = 'active' then field_words end,
    fields_cut = case when row.status = 'active' then fields_cut end
  from json_to_recordset(${''}::json) as row (
    id uuid, status text, at timestamptz)
  where contract.id = row.id`);

export async function setContractStatuses(
  connection: Connection,
  writes: Of<'set_contract_status'>,
) {
  const rows = writes.map(({ id, status, at }) => ({ id, status, at }));
  await connection.query(updateStatuses(JSON.stringify(rows)));
}

export async function noteSunsets(connection: Connection, writes: Of<'note_sunsets'>) {
  const rows = writes.map(({ id, told, due, state }) => ({ id, told, due, state }));
  await connection.query(sql.type(writtenRow)`
    update contract
    set sunsets_told = row.told,
      sunsets_due = case when contract.xmin::text = row.state then row.due else sunsets_due end
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, told jsonb, due date, state text)
    where contract.id = row.id`);
}

function assetRows(
  writes: readonly {
    readonly asset: Asset;
    readonly importedFor?: TeamId;
    readonly importedAs?: ImportedAs;
  }[],
): string {
  return JSON.stringify(
    writes.map(({ asset, importedFor, importedAs }) => ({
      id: asset.id,
      fqn: asset.fqn,
      environment: asset.environment,
      owner_team_id: asset.ownerTeamId,
      owner_user_id: asset.ownerUserId,
      service_id: asset.serviceId,
      guarantee_mode: asset.guaranteeMode,
      needs_mode: asset.needsMode,
      auto_publish: asset.autoPublish,
      on_deadline: asset.onDeadline,
      metadata: asset.metadata,
      resource_type: resourceTypeOf(asset),
      tags: tagsOf(asset),
      search_text: searchTextOf(asset),
      managed_source: asset.managedBy?.source ?? null,
      managed_reference: asset.managedBy?.reference ?? null,
      imported_for: importedFor ?? null,
      imported_as: importedAs ?? null,
      created_at: asset.createdAt,
      updated_at: asset.updatedAt,
      deleted_at: asset.deletedAt,
    })),
  );
}
