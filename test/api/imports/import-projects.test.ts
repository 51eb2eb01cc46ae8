// dbt projects that refer to each other's models, or install the same package. Neither may change
// the other's assets.

import { beforeEach, describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../src/core/value/json.ts';
import {
  must,
  openRegistryForFile,
  register,
  type World,
} from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';

const { world } = await openRegistryForFile();

let environment: string;
let environments = 0;
beforeEach(() => {
  environments++;
  environment = `e${environments}`;
});

/** One project's manifest, including nodes of other projects. */
function projectOf(name: string, ...manifests: readonly JsonObject[]): JsonObject {
  const metadata = {
    dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
    project_name: name,
  };
  const nodes = manifests.flatMap((manifest) => Object.entries(nodesOf(manifest)));
  return { metadata, nodes: Object.fromEntries(nodes), sources: {} };
}

function nodesOf({ nodes }: JsonObject): JsonObject {
  if (nodes === undefined || !isJsonObject(nodes)) throw new Error('A manifest has nodes.');
  return nodes;
}

type Upload = Parameters<World['admin']['uploadDbt']>[0]['body'];

async function upload(
  { client, teamId }: Pick<World['producer'], 'client' | 'teamId'>,
  manifest: JsonObject,
  more: Partial<Upload> = {},
) {
  const owned = { owner_team_id: teamId, environment, auto_publish_contracts: true };
  return must(await client.uploadDbt({ body: { manifest, ...owned, ...more } }), 200);
}

describe('A model of another project', () => {
  const shop = projectOf('shop', manifestOf('shop', [{ name: 'orders' }, { name: 'customers' }]));
  /** As dbt writes it when a project refers to another's public model: without file or columns. */
  const stub = {
    'model.shop.orders': {
      resource_type: 'model',
      package_name: 'shop',
      name: 'orders',
      alias: 'orders',
      database: 'shop',
      schema: 'public',
      path: '',
      original_file_path: '',
      columns: {},
      access: 'public',
    },
  };
  const [report] = Object.values(nodesOf(manifestOf('report', [{ name: 'daily' }])));
  const daily = { ...Object(report), depends_on: { nodes: ['model.shop.orders'] } };
  const reports = projectOf('report', { nodes: { ...stub, 'model.report.daily': daily } });

  test("keeps its own project's description, and the referring team becomes a consumer", async () => {
    await upload(world.producer, shop);
    // The key belongs only to the consumer, because nothing here needs a right over the other team.
    const made = await upload(world.consumer, reports, {
      conflict_mode: 'overwrite',
      infer_consumers_from_refs: true,
      prune: 'deprecate',
    });
    expect(made).toMatchObject({
      status: 'success',
      assets: { created: 1, updated: 0, skipped: 0 },
      models_processed: 1,
      registrations: { created: 1 },
      removed: [],
      errors: [],
    });
    const query = { environment, fqn: 'shop.public.orders' };
    const [orders] = must(await world.admin.listAssets({ query }), 200).results;
    expect(orders?.owner_team_id).toBe(world.producer.teamId);
    expect(orders?.metadata).toMatchObject({ path: 'models/orders.sql' });
    const params = { asset_id: made.models[0]?.asset_id ?? '' };
    const upstream = must(await world.admin.listDependencies({ params }), 200).results;
    expect(upstream.map(({ depends_on_fqn }) => depends_on_fqn)).toEqual(['shop.public.orders']);
    const again = await upload(world.consumer, reports, { infer_consumers_from_refs: true });
    expect(again).toMatchObject({ registrations: { created: 0 }, assets: { skipped: 1 } });
  });

  test('is not judged by the referring manifest', async () => {
    await upload(world.producer, shop);
    const body = { manifest: reports, environment, fail_on_breaking: true };
    const diff = must(await world.consumer.client.diffDbt({ body }), 200);
    expect(diff).toMatchObject({ summary: { new: 1, removed: 0, breaking: 0 }, blocking: false });
    expect(diff.models.map(({ fqn }) => fqn)).toEqual(['report.public.daily']);
  });

  test('that nobody has imported does not become an asset of the referring project', async () => {
    const made = await upload(world.consumer, reports, { infer_consumers_from_refs: true });
    expect(made.models.map(({ fqn }) => fqn)).toEqual(['report.public.daily']);
    expect(made).toMatchObject({ registrations: { created: 0 }, errors: [] });
  });
});

describe('A package that two projects install', () => {
  /** Each project builds the package in its own database schema. */
  function withPackage(project: string, ...models: readonly string[]): JsonObject {
    const installed = manifestOf(
      'elementary',
      models.map((name) => ({ name })),
    );
    const nodes = Object.entries(nodesOf(installed)).map(([id, node]) => [
      id,
      { ...Object(node), database: project },
    ]);
    const own = manifestOf(project, [{ name: 'orders' }]);
    return projectOf(project, own, { nodes: Object.fromEntries(nodes) });
  }

  test('has not vanished from one project because the other uses it elsewhere', async () => {
    await upload(world.producer, withPackage('shop', 'runs', 'alerts'));
    const other = await upload(world.producer, withPackage('bank', 'runs'), { prune: 'deprecate' });
    expect(other).toMatchObject({ assets: { created: 2 }, removed: [] });
  });

  test('has a vanished model reported if it vanished from the same project', async () => {
    await upload(world.producer, withPackage('shop', 'runs', 'alerts'));
    const { removed } = await upload(world.producer, withPackage('shop', 'runs'));
    expect(removed).toEqual([
      { fqn: 'shop.public.alerts', node_id: 'model.elementary.alerts', breaking: false },
    ]);
  });
});

describe('A model whose table moved to another schema', () => {
  const modelsOf = (columns: Readonly<Record<string, string>>) =>
    nodesOf(manifestOf('shop', [{ name: 'orders', columns }, { name: 'customers' }]));
  const production = projectOf('shop', { nodes: modelsOf({ id: 'bigint', total: 'bigint' }) });
  /** As dbt writes it for the target of a pull request. */
  function movedOf(columns: Readonly<Record<string, string>>): JsonObject {
    const nodes = Object.entries(modelsOf(columns)).map(([id, node]) => {
      return [id, { ...Object(node), schema: 'pr_7' }] as const;
    });
    return projectOf('shop', { nodes: Object.fromEntries(nodes) });
  }
  const was = { fqn: 'shop.public.orders', moved_to: 'shop.pr_7.orders' };

  test('is named with its new name, and compared with its contract under the old one', async () => {
    const made = await upload(world.producer, production);
    const contract = made.models.find(({ fqn }) => fqn === was.fqn)?.contract_id ?? '';
    await register(world.consumer, contract);
    const { client } = world.producer;
    const body = { manifest: movedOf({ id: 'bigint' }), environment };
    const same = { manifest: movedOf({ id: 'bigint', total: 'bigint' }), environment };
    const diff = must(await client.diffDbt({ body }), 200);
    expect(diff).toMatchObject({ summary: { new: 2, removed: 2, breaking: 2 } });
    const item = (report: typeof diff, name: string) =>
      report.models.find(({ fqn }) => fqn === name);
    expect(item(diff, was.moved_to)).toMatchObject({
      change_type: 'new',
      changes: [expect.objectContaining({ type: 'property_removed', breaking: true })],
    });
    expect(item(diff, was.fqn)).toMatchObject({
      ...was,
      change_type: 'removed',
      breaking_changes: [
        `${was.fqn} moved to ${was.moved_to}, and 1 team(s) consume it under its old name.`,
      ],
    });
    const unchanged = must(await client.diffDbt({ body: same }), 200);
    expect(item(unchanged, was.moved_to)).toMatchObject({ change_type: 'new', changes: [] });
    const impact = must(await client.impactBuildtool({ body }), 200);
    expect(impact.removed).toContainEqual(
      expect.objectContaining({ ...was, safe_to_publish: false }),
    );
    expect(impact.results.find(({ fqn }) => fqn === was.moved_to)).toMatchObject({
      safe_to_publish: false,
    });
  });

  test('is imported as a new asset, and its consumers are asked under the old name', async () => {
    const made = await upload(world.producer, production);
    const contract = made.models.find(({ fqn }) => fqn === was.fqn)?.contract_id ?? '';
    await register(world.consumer, contract);
    const manifest = movedOf({ id: 'bigint', total: 'bigint' });
    const refused = await upload(world.producer, manifest, { prune: 'deprecate', dry_run: true });
    expect(refused.errors).toMatchObject([
      {
        code: 'DEPRECATION',
        message: `${was.fqn} moved to ${was.moved_to} in the file, but its consumers must be asked before its contract is deprecated. Use auto_create_proposals.`,
      },
    ]);
    const moved = await upload(world.producer, manifest, {
      prune: 'deprecate',
      auto_create_proposals: true,
    });
    expect(moved).toMatchObject({ assets: { created: 2 }, proposals: { created: 1 } });
    expect(moved.removed).toContainEqual(expect.objectContaining({ ...was, breaking: true }));
    const models = await upload(world.producer, manifest);
    expect(models.removed).toContainEqual(expect.objectContaining(was));
  });

  test('and was imported for another pull request before is compared with the contract that has consumers', async () => {
    const made = await upload(world.producer, production);
    const contract = made.models.find(({ fqn }) => fqn === was.fqn)?.contract_id ?? '';
    await register(world.consumer, contract);
    const manifest = movedOf({ id: 'bigint' });
    const other = JSON.parse(JSON.stringify(manifest).replaceAll('pr_7', 'pr_5'));
    await upload(world.producer, other);
    const body = { manifest, environment };
    const { models } = must(await world.producer.client.diffDbt({ body }), 200);
    expect(models.find(({ fqn }) => fqn === was.moved_to)).toMatchObject({
      changes: [expect.objectContaining({ type: 'property_removed', breaking: true })],
    });
  });

  test('belongs to the team that has its names, whoever else has a project of the same name', async () => {
    const models = Array.from({ length: 3 }, (_, index) => ({ name: `m${index}` }));
    const elsewhere = Object.entries(nodesOf(manifestOf('shop', models))).map(([id, node]) => {
      return [id, { ...Object(node), database: 'other' }] as const;
    });
    await upload(world.consumer, projectOf('shop', { nodes: Object.fromEntries(elsewhere) }));
    const orders = projectOf('shop', manifestOf('shop', [{ name: 'orders' }]));
    await upload(world.producer, orders);
    const manifest = projectOf('shop', manifestOf('shop', [{ name: 'orders' }, ...models]));
    const body = { manifest, environment };
    const { summary } = must(await world.producer.client.diffDbt({ body }), 200);
    expect(summary).toMatchObject({ new: 3, removed: 0 });
  });

  test('is not one of another project that has the same name and few of its models', async () => {
    const models = ['orders', 'items', 'stocks'].map((name) => ({ name }));
    await upload(world.consumer, projectOf('shop', manifestOf('shop', models)));
    const [orders] = Object.values(nodesOf(manifestOf('shop', models)));
    const node = { ...Object(orders), database: 'other' };
    const manifest = projectOf('shop', { nodes: { 'model.shop.orders': node } });
    const body = { manifest, environment };
    const { summary } = must(await world.producer.client.diffDbt({ body }), 200);
    expect(summary).toMatchObject({ new: 1, removed: 0 });
  });
});
