// Fills a registry of a given size directly in the database: in seconds, and the same every time.

import { insertManyEvents, someId } from '../../test/support/postgres/audit-events.ts';
import type { BenchDatabase } from './processes.ts';

interface Size {
  readonly teams: number;
  readonly assets: number;
  /** The number of versions of each asset; the last one is active. */
  readonly versions: number;
  readonly edgesPerAsset: number;
  readonly events: number;
}

const system = `'system', ${someId(`'system'`)}, 'system'`;
const moment = 'now() - make_interval(secs => i)';

export async function seedRegistry(database: BenchDatabase, size: Size): Promise<void> {
  await insertTeamsAndAssets(database, size);
  await insertContracts(database, size);
  await insertConsumers(database, size);
  await insertDependencies(database, size);
  await insertManyEvents(database, size.events, size.assets);
  await database.query('vacuum (analyze)');
}

/** The schema of the n-th version, from 1: each adds one optional property. */
export function schemaAt(version: number): Record<string, unknown> {
  const properties = Array.from({ length: 10 + version }, (_, at) => [
    `field_${at}`,
    { type: 'string', description: `What field ${at} says.` },
  ]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}

async function insertTeamsAndAssets(database: BenchDatabase, { teams, assets }: Size) {
  await database.query(`insert into team (id, name, slug, metadata, created_at, updated_at)
    select ${someId(`'team' || i`)}, 'team ' || i, 'team-' || i, '{}', ${moment}, ${moment}
    from generate_series(1, ${teams}) i`);
  await database.query(`insert into asset (id, fqn, environment, owner_team_id, guarantee_mode,
      auto_publish, metadata, resource_type, tags, search_text, created_at, updated_at)
    select ${someId(`'asset' || i`)}, 'shop.area_' || i % 100 || '.table_' || i, 'production',
      ${someId(`'team' || i % ${teams} + 1`)}, 'notify', false, '{"description": "A table."}',
      'model', array['bench'], 'shop area' || i % 100 || ' table' || i, ${moment}, ${moment}
    from generate_series(1, ${assets}) i`);
}

async function insertContracts(database: BenchDatabase, { assets, versions }: Size) {
  const schemas = Array.from({ length: versions }, (_, at) => JSON.stringify(schemaAt(at + 1)));
  await database.query(
    `insert into contract (id, asset_id, ordinal, version, status, schema, schema_digest,
      compatibility_mode, format, direction, change_type, published_at, published_by, actor_type,
      actor_id, actor_name, source, deprecated_at)
    select ${someId(`'contract' || i || '/' || v`)}, ${someId(`'asset' || i`)}, v,
      '1.' || v - 1 || '.0', case when v = ${versions} then 'active' else 'deprecated' end,
      ($1::json[])[v], lpad(to_hex(v), 64, '0'), 'backward', 'jsonschema', 'data',
      case when v = 1 then 'initial' else 'minor' end, ${moment},
      ${someId(`'team1'`)}, ${system}, 'api', case when v < ${versions} then ${moment} end
    from generate_series(1, ${assets}) i, generate_series(1, ${versions}) v`,
    [schemas],
  );
}

async function insertConsumers(database: BenchDatabase, { teams, assets, versions }: Size) {
  await database.query(`insert into registration (id, asset_id, contract_id, registered_version,
      consumer_team_id, status, source, actor_type, actor_id, actor_name, created_at, updated_at)
    select ${someId(`'registration' || i`)}, ${someId(`'asset' || i`)},
      ${someId(`'contract' || i || '/${versions}'`)}, '1.${versions - 1}.0',
      ${someId(`'team' || (i + 1) % ${teams} + 1`)}, 'active', 'api', ${system},
      ${moment}, ${moment} from generate_series(1, ${assets}) i`);
}

/** Every asset depends on some of the thousand before it: deep and wide. */
async function insertDependencies(database: BenchDatabase, { assets, edgesPerAsset }: Size) {
  await database.query(`insert into dependency (id, asset_id, depends_on_asset_id, type, source,
      created_at)
    select ${someId(`'dependency' || i || '/' || e`)}, ${someId(`'asset' || i`)},
      ${someId(`'asset' || greatest(1, i - 1 - (i * 37 + e * 211) % 1000)`)}, 'references', 'dbt',
      ${moment}
    from generate_series(2, ${assets}) i, generate_series(1, ${edgesPerAsset}) e
    on conflict do nothing`);
}
