// Fills a registry with thousands of rows of every list, directly in the database.

import { someId } from '../../support/postgres/audit-events.ts';
import type { TestDatabase } from '../../support/postgres/postgres.ts';

const system = `'system', ${someId(`'system'`)}, 'system'`;
const ago = 'now() - make_interval(mins => 7 * i)';

/** Some are as long as people make them. */
const teamName = `case when i % 9 = 4 then 'Customer analytics and reporting platform for northern Europe '
  else (array['Billing', 'Search', 'Pricing', 'Stock', 'Fraud', 'Mail'])[i % 6 + 1] || ' ' end || i`;
const assetName = `case when i % 9 = 4
    then 'warehouse_of_the_northern_region.curated_and_certified_models.customer_lifetime_values_by_channel_'
  else (array['bakery', 'shop', 'fleet', 'claims'])[i % 4 + 1] || '.area_' || i % 50 || '.table_' end || i`;

/** Each asset has an owner, a contract and a consumer; every second one had or has a proposal. */
export async function insertManyRows(
  database: Pick<TestDatabase, 'query'>,
  rows: number,
  consumed: { readonly assetId: string },
): Promise<void> {
  const all = `generate_series(1, ${rows}) i`;
  const team = (i: string) => someId(`'team' || ${i}`);
  for (const statement of [
    `insert into team (id, name, slug, metadata, created_at, updated_at)
     select ${team('i')}, ${teamName}, 'team-' || i, '{}', ${ago}, ${ago} from ${all}`,
    `insert into asset (id, fqn, environment, owner_team_id, guarantee_mode, auto_publish, metadata,
       resource_type, tags, search_text, created_at, updated_at)
     select ${someId(`'asset' || i`)}, fqn, case when i % 7 = 0 then 'staging' else 'production' end,
       ${team(`(i % ${rows} + 1)`)}, 'notify', false, '{"description": "One row for each day."}',
       (array['model', 'source', 'api_endpoint'])[i % 3 + 1], array['many'],
       translate(fqn, '._', '  '), ${ago}, ${ago}
     from (select i, ${assetName} as fqn from ${all}) named`,
    `insert into contract (id, asset_id, ordinal, version, status, schema, schema_digest,
       compatibility_mode, format, direction, change_type, published_at, published_by, actor_type,
       actor_id, actor_name, source)
     select ${someId(`'contract' || i`)}, ${someId(`'asset' || i`)}, 1, '1.0.0', 'active',
       '{"type": "object", "properties": {"id": {"type": "string"}, "total": {"type": "number"}}}',
       repeat('0', 64), 'backward', 'jsonschema', 'data', 'initial', ${ago}, ${team(`'1'`)},
       ${system}, 'api'
     from ${all}`,
    `insert into registration (id, asset_id, contract_id, registered_version, consumer_team_id,
       status, source, actor_type, actor_id, actor_name, created_at, updated_at)
     select ${someId(`'registration' || i`)}, ${someId(`'asset' || i`)}, ${someId(`'contract' || i`)},
       '1.0.0', ${team(`((i + 1) % ${rows} + 1)`)}, 'active', 'api', ${system}, ${ago}, ${ago}
     from ${all}`,
    `insert into registration (id, asset_id, contract_id, registered_version, consumer_team_id,
       status, source, actor_type, actor_id, actor_name, created_at, updated_at)
     select ${someId(`'reader' || i`)}, contract.asset_id, contract.id, contract.version,
       ${team('i')}, 'active', 'api', ${system}, ${ago}, ${ago}
     from ${all}, contract
     where contract.asset_id = '${consumed.assetId}' and contract.status = 'active'`,
    `insert into proposal (id, asset_id, kind, status, proposed, proposed_digest, changes,
       breaking_changes, breaking_changes_count, base_contract_id, round, proposed_at, proposed_by,
       answer_by, actor_type, actor_id, actor_name, resolved_at, decided_consumers, decided_total,
       decided_acknowledged)
     select ${someId(`'proposal' || i`)}, ${someId(`'asset' || i`)}, 'schema', status,
       '{"kind": "schema", "schema": {}}', '', '[]', '[]', i % 40 + 1, ${someId(`'contract' || i`)},
       1, ${ago}, ${team(`(i % ${rows} + 1)`)},
       case when i % 4 = 0 then (now() + make_interval(days => i % 60 - 5))::date end, ${system},
       case when status = 'withdrawn' then now() end,
       case when status = 'withdrawn' then '[]'::json end,
       case when status = 'withdrawn' then 0 end, case when status = 'withdrawn' then 0 end
     from (select i, case when i % 3 = 0 then 'withdrawn' else 'pending' end as status
       from ${all} where i % 2 = 0) made`,
    `insert into app_user (id, email, name, team_id, role, created_at, updated_at)
     select ${someId(`'user' || i`)}, 'person.' || i || '@example.com',
       (array['Ada', 'Grace', 'Edith', 'Mary', 'Karen'])[i % 5 + 1] || ' the ' || i || 'th',
       ${team('i')}, (array['editor', 'viewer', 'admin'])[i % 3 + 1], ${ago}, ${ago}
     from ${all}`,
    `insert into api_key (id, name, digest, prefix, team_id, scopes, team_ids, all_teams,
       created_at, expires_at, last_used_at)
     select ${someId(`'key' || i`)}, 'pipeline of table ' || i, sha256(('key' || i)::bytea),
       'ck_' || lpad(i::text, 9, '0'), ${team('i')}, array['read', 'write'], array[${team('i')}],
       false, ${ago}, case when i % 3 = 0 then now() + make_interval(days => i % 90) end,
       case when i % 2 = 0 then ${ago} end
     from ${all}`,
    `insert into audit_event (id, event_type, entity_type, entity_id, actor_type, actor_id,
       occurred_at, request_id, metadata)
     select uuid_floor(${ago}), (array['asset.updated', 'contract.published'])[i % 2 + 1],
       (array['asset', 'contract'])[i % 2 + 1], ${someId(`'asset' || i`)}, 'user',
       ${someId(`'user' || i`)}, ${ago}, null, '{}'
     from ${all}`,
    'analyze',
  ]) {
    await database.query(statement);
  }
}
