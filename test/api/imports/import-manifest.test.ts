// dbt manifests through the API: two real ones, of which the second breaks the first.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import { checkedFetch, openClient, type TestClient } from '../../support/client/client.ts';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import { must, mustRefuse } from '../../support/client/client-world.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres/postgres-proxy.ts';

const importLimitBytes = 2_000_000;

let registry: TestRegistry;
let proxy: PostgresProxy;
let admin: TestClient;
let ownerId: string;

beforeAll(async () => {
  registry = await openRegistry({ IMPORT_LIMIT_BYTES: String(importLimitBytes) }, async (url) => {
    proxy = await startPostgresProxy(url);
    return proxy.url;
  });
  admin = openClient(registry.url, registry.bootstrapKey);
  const names = ['data', 'orders', 'customer_success', 'ingestion', 'marketing'];
  const teams = await Promise.all(
    names.map(async (name) => must(await admin.createTeam({ body: { name } }), 201)),
  );
  ownerId = teams[0]?.id ?? '';
});
afterAll(async () => {
  await registry.stop();
  await proxy.close();
});

let environment: string;
let environments = 0;

/** Each test has its own environment, without other tests' assets. */
beforeEach(() => {
  environments++;
  environment = `e${environments}`;
});

function manifest(name: 'before' | 'after-breaking'): JsonObject {
  const url = new URL(`../../fixtures/import/dbt-${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8'));
}

type Upload = Parameters<TestClient['uploadBuildtool']>[0]['body'];

function upload(name: 'before' | 'after-breaking', more: Partial<Upload> = {}) {
  const body: Upload = { manifest: manifest(name), owner_team_id: ownerId, environment, ...more };
  return admin.uploadBuildtool({ body });
}

const publishing = { auto_publish_contracts: true, auto_register_consumers: true };

async function counted(table: string): Promise<number> {
  const [row] = await registry.database.query(`select count(*)::int as count from ${table}`);
  return Number(row?.count);
}

async function rowCounts() {
  const tables = ['asset', 'contract', 'registration', 'proposal', 'audit_event'];
  return Promise.all(tables.map(counted));
}

describe('POST /sync/buildtool/upload', () => {
  test('imports assets, contracts and consumers, and reports what it did', async () => {
    const made = must(await upload('before', publishing), 200);
    expect(made).toMatchObject({
      status: 'success',
      dry_run: false,
      assets: { created: 8, updated: 0, skipped: 0, unchanged: 0, failed: 0 },
      proposals: { created: 0, details: [] },
      removed: [],
      models_processed: 8,
    });
    expect(made.contracts.published).toBeGreaterThan(0);
    expect(made.registrations.created).toBeGreaterThan(0);
    expect(made.guarantees_extracted).toBeGreaterThan(0);
    const orders = made.models.find(({ node_id }) => node_id === 'model.feature.fct_orders');
    const asset = must(await admin.getAsset({ params: { asset_id: orders?.asset_id ?? '' } }), 200);
    expect(asset).toMatchObject({
      fqn: orders?.fqn,
      environment,
      owner_team_name: 'orders',
      active_contract_id: orders?.contract_id,
      active_contract_version: '1.0.0',
      metadata: { build_node_id: 'model.feature.fct_orders', resource_type: 'model' },
    });
    const events = must(await admin.listEvents({ query: { event_type: 'import.completed' } }), 200);
    expect(events.results[0]?.metadata).toMatchObject({
      format: 'dbt',
      assets_created: 8,
      contracts_published: made.contracts.published,
    });
  });

  test('with the same file writes nothing, and says so', async () => {
    const first = must(await upload('before', publishing), 200);
    const before = await rowCounts();
    const again = must(await upload('before', publishing), 200);
    expect(await rowCounts()).toEqual(before);
    expect(again).toMatchObject({
      assets: { created: 0, updated: 0, skipped: 8 },
      contracts: { published: 0, unchanged: first.contracts.published },
      registrations: { created: 0 },
    });
    const over = must(await upload('before', { ...publishing, conflict_mode: 'overwrite' }), 200);
    expect(over.assets).toMatchObject({ created: 0, updated: 0, skipped: 0, unchanged: 8 });
    expect(await rowCounts()).toEqual(before);
  });

  test('asks the consumers about breaks once', async () => {
    must(await upload('before', publishing), 200);
    const asked = must(await upload('after-breaking', { auto_create_proposals: true }), 200);
    expect(asked.proposals.created).toBeGreaterThan(0);
    expect(asked.contracts.published).toBe(0);
    const [detail] = asked.proposals.details;
    expect(detail).toMatchObject({ change_type: 'major' });
    const proposal = must(
      await admin.getProposal({ params: { proposal_id: detail?.proposal_id ?? '' } }),
      200,
    );
    expect(proposal).toMatchObject({ asset_fqn: detail?.asset_fqn, status: 'pending' });
    expect(proposal.breaking_changes).toHaveLength(detail?.breaking_changes_count ?? 0);
    const before = await rowCounts();
    must(await upload('after-breaking', { auto_create_proposals: true }), 200);
    expect(await rowCounts()).toEqual(before);
  });

  test('is refused if a change breaks and no proposals were requested', async () => {
    must(await upload('before', publishing), 200);
    const before = await rowCounts();
    const refused = await upload('after-breaking', { auto_publish_contracts: true });
    const detail = mustRefuse(refused, 409, 'BREAKING_CHANGE');
    expect(detail.errors).not.toEqual([]);
    expect(await rowCounts()).toEqual(before);
  });

  test('with partial leaves out only what breaks', async () => {
    must(await upload('before', publishing), 200);
    const more = { auto_publish_contracts: true, partial: true };
    const made = must(await upload('after-breaking', more), 200);
    expect(made.status).toBe('partial');
    expect(made.assets.failed).toBeGreaterThan(0);
    expect(made.errors.filter(({ code }) => code === 'BREAKING_CHANGE')).toHaveLength(
      made.assets.failed,
    );
  });

  test('with conflict_mode fail imports nothing if an asset exists', async () => {
    must(await upload('before'), 200);
    const before = await rowCounts();
    const refused = await upload('before', { conflict_mode: 'fail' });
    const detail = mustRefuse(refused, 409, 'ASSETS_EXIST');
    expect(detail.assets).toHaveLength(8);
    expect(await rowCounts()).toEqual(before);
  });

  test('reports an owner team that does not exist, and imports nothing', async () => {
    const text = JSON.stringify(manifest('before')).replaceAll('"orders"', '"ordres"');
    const before = await rowCounts();
    const refused = await upload('before', { manifest: JSON.parse(text) });
    const detail = mustRefuse(refused, 422, 'OWNER_TEAM_NOT_FOUND');
    expect(detail.message).toMatch(/Owner team "ordres" of \S+ was not found/);
    expect(await rowCounts()).toEqual(before);
  });

  test('with dry_run answers alike and writes nothing', async () => {
    const before = await rowCounts();
    const dry = must(await upload('before', { ...publishing, dry_run: true }), 200);
    expect(await rowCounts()).toEqual(before);
    const real = must(await upload('before', publishing), 200);
    const { models: dryModels, ...dryRest } = dry;
    const { models, ...rest } = real;
    expect(dryRest).toEqual({ ...rest, dry_run: true });
    expect(dryModels).toEqual(
      models.map((model) => ({ ...model, asset_id: null, contract_id: null })),
    );
  });

  test('refuses a file that is not a manifest, and unknown fields', async () => {
    mustRefuse(await upload('before', { manifest: {} }), 422, 'INVALID_MANIFEST');
    const unknown = { auto_publish: true } as Partial<Upload>;
    mustRefuse(await upload('before', unknown), 400, 'VALIDATION_ERROR');
    const nobody = { owner_team_id: '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2aff' };
    mustRefuse(await upload('before', nobody), 404, 'TEAM_NOT_FOUND');
  });

  test('continues the versions of a name that was deleted', async () => {
    const made = must(await upload('before', publishing), 200);
    const orders = made.models.find(({ node_id }) => node_id === 'model.feature.fct_orders');
    const params = { asset_id: orders?.asset_id ?? '' };
    must(await admin.deleteAsset({ params, query: { force: true, reason: 'It has to be.' } }), 204);
    const again = must(await upload('before', publishing), 200);
    expect(again.assets).toMatchObject({ created: 1, skipped: 7 });
    expect(again.errors.map(({ code }) => code)).toContain('LINE_CONTINUES');
    const next = again.models.find(({ node_id }) => node_id === 'model.feature.fct_orders');
    const asset = must(await admin.getAsset({ params: { asset_id: next?.asset_id ?? '' } }), 200);
    expect(asset.active_contract_id).toBe(orders?.contract_id);
  });
});

test('POST /sync/buildtool changes no contract', async () => {
  const body = { manifest: manifest('before'), owner_team_id: ownerId, environment };
  const made = must(await admin.syncBuildtool({ body }), 200);
  expect(made.assets.created).toBe(8);
  expect(made.contracts.published).toBe(0);
  mustRefuse(
    await admin.syncBuildtool({ body: { ...body, auto_publish_contracts: true } as typeof body }),
    400,
    'VALIDATION_ERROR',
  );
});

test('impact and diff report what breaks and write nothing, under both names', async () => {
  must(await upload('before', publishing), 200);
  const before = await rowCounts();
  const body = { manifest: manifest('after-breaking'), environment };
  const impact = must(await admin.impactBuildtool({ body }), 200);
  expect(impact).toMatchObject({ status: 'success', total_models: 8 });
  expect(impact.breaking_changes_count).toBeGreaterThan(0);
  const diff = must(await admin.diffBuildtool({ body: { ...body, fail_on_breaking: true } }), 200);
  expect(diff).toMatchObject({ status: 'breaking_changes_detected', blocking: true });
  expect(diff.summary.breaking).toBe(
    diff.models.filter((model) => model.schema_change_type === 'breaking').length,
  );
  expect(must(await admin.impactDbt({ body }), 200)).toEqual(impact);
  const alias = must(await admin.diffDbt({ body }), 200);
  expect(alias).toEqual({ ...diff, blocking: false });
  expect(await rowCounts()).toEqual(before);
});

test('what dbt says of a model as a whole is told by diff, and published as a patch', async () => {
  must(await upload('before', publishing), 200);
  const id = 'model.feature.dim_customers.v2';
  const nodes = manifest('before').nodes as Record<string, JsonObject>;
  const governed = {
    ...nodes[id],
    ...{ access: 'private', deprecation_date: '2027-06-30T00:00:00+00:00' },
  };
  const body = {
    environment,
    manifest: { ...manifest('before'), nodes: { ...nodes, [id]: governed } },
  };
  const diff = must(await admin.diffBuildtool({ body }), 200);
  const changed = diff.models.filter(({ change_type }) => change_type !== 'unchanged');
  expect(changed).toEqual([
    expect.objectContaining({
      node_id: id,
      schema_change_type: 'none',
      version_bump: 'patch',
      changes: [
        '`$`: deprecated was added: true',
        '`$`: x-dbt-access changed from "public" to "private to customer_success"',
        '`$`: x-sunset was added: "2027-06-30"',
      ].map((description) =>
        expect.objectContaining({
          ...{ type: 'annotation_changed', description, breaking: false },
          ...(description.includes('access') && {
            warning: 'Only models of its group can refer to it.',
          }),
        }),
      ),
    }),
  ]);
  const done = must(await upload('before', { ...publishing, manifest: body.manifest }), 200);
  expect(done.contracts.published).toBe(1);
});

test('Two imports at once have the same result as one after the other', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => upload('before', publishing)));
  const made = answers.map((answer) => must(answer, 200));
  const created = made.map(({ assets }) => assets.created).sort();
  expect(created).toEqual([0, 0, 8]);
  const assets = must(await admin.listAssets({ query: { environment } }), 200);
  expect(assets.total).toBe(8);
});

test('An import of 1,000 assets sends the same statements as an import of 10', async () => {
  const small = await statementsOf(async () => {
    must(await admin.uploadBuildtool({ body: generated(10) }), 200);
  });
  const large = await statementsOf(async () => {
    must(await admin.uploadBuildtool({ body: generated(1_000) }), 200);
  });
  expect(large).toEqual(small);
  expect(large).toHaveLength(10);
});

const ofImports = /'imports'|json_to_recordset|lower\((?:name|email)\)|for (?:share|update)$/;

/** Only the import's statements, without periodic background work. */
async function statementsOf(act: () => Promise<void>): Promise<readonly string[]> {
  const statements = await proxy.record(act);
  return statements
    .map(({ text }) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => ofImports.test(text) && !text.includes('audit_seal'));
}

function generated(count: number): Upload {
  const name = `n${count}`;
  const nodes = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `model.${name}.m${index}`,
      {
        unique_id: `model.${name}.m${index}`,
        resource_type: 'model',
        package_name: name,
        name: `m${index}`,
        alias: `m${index}`,
        database: name,
        schema: 'public',
        fqn: [name, `m${index}`],
        path: `m${index}.sql`,
        original_file_path: `models/m${index}.sql`,
        config: { materialized: 'table' },
        tags: [],
        description: '',
        columns: { id: { name: 'id', data_type: 'bigint' } },
        depends_on: { nodes: [] },
      },
    ]),
  );
  const metadata = { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' };
  return {
    manifest: { metadata, nodes, sources: {} },
    owner_team_id: ownerId,
    environment,
    auto_publish_contracts: true,
  };
}

describe('A compressed body', () => {
  function send(bytes: Buffer, encoding: string) {
    return checkedFetch(`${registry.url}/api/v1/sync/dbt/upload`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${registry.bootstrapKey}`,
        'content-type': 'application/json',
        'content-encoding': encoding,
      },
      body: new Uint8Array(bytes),
    });
  }

  test('is decompressed', async () => {
    const text = JSON.stringify(generated(4));
    const response = await send(gzipSync(text), 'gzip');
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ assets: { created: 4 } });
  });

  test('is 413 above the limit, however small it is when compressed', async () => {
    const bomb = gzipSync(Buffer.alloc(importLimitBytes * 50, 0x20));
    expect(bomb.length).toBeLessThan(importLimitBytes);
    const response = await send(bomb, 'gzip');
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ detail: { code: 'PAYLOAD_TOO_LARGE' } });
  });

  test('is 413 when decompressed above the limit, 400 if it is not gzip, 415 in another encoding', async () => {
    expect((await send(Buffer.alloc(importLimitBytes + 1, 0x20), 'identity')).status).toBe(413);
    expect((await send(Buffer.from('not gzip'), 'gzip')).status).toBe(400);
    expect((await send(Buffer.from('{}'), 'br')).status).toBe(415);
  });
});
