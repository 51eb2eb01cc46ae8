import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ParsedImport } from '../../../src/core/import/candidate.ts';
import { parseDbtManifest } from '../../../src/core/import/dbt/dbt.ts';
import { parseGraphql } from '../../../src/core/import/graphql/graphql.ts';
import { parseOpenApi } from '../../../src/core/import/openapi/openapi.ts';
import type { ImportOptions, ImportPlan } from '../../../src/core/import/plan/plan.types.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { cpuMsOf } from './cpu-time.ts';
import { columnsOf, largeManifest, manifestOf, modelOf } from './manifest-builder.ts';
import { applyPlan, consumerOf, emptyRegistry, planFor, planned } from './registry-model.ts';

const everything: Partial<ImportOptions> = {
  conflictMode: 'overwrite',
  autoPublishContracts: true,
  autoRegisterConsumers: true,
  inferConsumersFromRefs: true,
};

function manifest(name: 'before' | 'after-breaking'): ParsedImport {
  const url = new URL(`../../fixtures/import/dbt-${name}.json`, import.meta.url);
  return parseDbtManifest(JSON.parse(readFileSync(url, 'utf8')));
}

function ordersOf(
  more: JsonObject = {},
  columns: Record<string, string> = { id: 'bigint' },
): ParsedImport {
  const model = modelOf('orders', { columns: columnsOf(columns), ...more });
  return parseDbtManifest(manifestOf({ 'model.shop.orders': model }));
}

function withSvc(svc: JsonObject): JsonObject {
  return { meta: { svc } };
}

function kinds(plan: ImportPlan): Readonly<Record<string, number>> {
  const groups = Object.groupBy(plan.changes, ({ kind }) => kind);
  return Object.fromEntries(
    Object.entries(groups).map(([kind, list]) => [kind, list?.length ?? 0]),
  );
}

const imported = applyPlan(
  emptyRegistry,
  planned(planFor(manifest('before'), emptyRegistry, everything)),
);
const published = applyPlan(
  emptyRegistry,
  planned(planFor(ordersOf(), emptyRegistry, { autoPublishContracts: true })),
);

/** The same registry, with teams that consume the orders. */
function consumedBy(...teamIds: readonly string[]) {
  const assets = published.assets.map((asset) => ({
    ...asset,
    registeredTeamIds: teamIds,
    consumers: teamIds.map(consumerOf),
  }));
  return { ...published, assets };
}

test('a first import creates assets, contracts, dependencies and registrations, in that order', () => {
  const plan = planned(planFor(manifest('before'), emptyRegistry, everything));
  expect(kinds(plan)).toEqual({
    create_asset: 8,
    publish_contract: 8,
    register_consumer: 4,
    add_dependency: 6,
  });
  expect(plan.errors).toEqual([]);
  expect(plan.ownerTeamIds).toEqual([
    'team-customer_success',
    'team-data',
    'team-ingestion',
    'team-orders',
  ]);
  expect(plan.changes[0]).toMatchObject({
    kind: 'create_asset',
    key: 'production feat.analytics.fct_orders',
    ownerTeamId: 'team-orders',
  });
});

test('the same file twice changes nothing and says so', () => {
  const plan = planned(planFor(manifest('before'), imported, everything));
  expect(plan.changes).toEqual([]);
  expect(new Set(plan.items.map(({ action }) => action))).toEqual(new Set(['unchanged']));
  expect(plan.removed).toEqual([]);
});

test('without auto options contracts, proposals and registrations are not touched', () => {
  const plan = planned(planFor(manifest('before'), emptyRegistry));
  expect(kinds(plan)).toEqual({ create_asset: 8, add_dependency: 6 });
});

test.each<[ImportOptions['conflictMode'], string, number]>([
  ['ignore', 'skipped', 0],
  ['overwrite', 'updated', 1],
])('conflict_mode %s: an existing asset is %s', (conflictMode, action, updates) => {
  const plan = planned(
    planFor(ordersOf({ description: 'New words' }), published, { conflictMode }),
  );
  expect(plan.items.map((item) => item.action)).toEqual([action]);
  expect(plan.changes.filter(({ kind }) => kind === 'update_asset').length).toBe(updates);
});

test('conflict_mode fail lists all that exist, and nothing is imported', () => {
  const outcome = planFor(manifest('before'), imported, { conflictMode: 'fail' });
  expect(outcome).toMatchObject({
    ok: false,
    failure: { code: 'ASSETS_EXIST', details: { assets: { length: 8 } } },
  });
});

test('conflict_mode fail lets a file pass of which nothing exists', () => {
  expect(planFor(manifest('before'), emptyRegistry, { conflictMode: 'fail' }).ok).toBe(true);
});

test('overwrite keeps the keys of metadata that people added', () => {
  const assets = published.assets.map((asset) => ({
    ...asset,
    metadata: { ...asset.metadata, wiki: 'x' },
  }));
  const plan = planned(
    planFor(
      ordersOf({ description: 'New' }),
      { ...published, assets },
      { conflictMode: 'overwrite' },
    ),
  );
  expect(plan.changes).toMatchObject([
    { kind: 'update_asset', metadata: { wiki: 'x', description: 'New' } },
  ]);
});

test('an owner team that does not exist refuses the whole, and the message says which was not found', () => {
  const outcome = planFor(ordersOf(withSvc({ owner_team: 'ghosts' })), emptyRegistry);
  expect(outcome).toMatchObject({
    ok: false,
    failure: {
      code: 'OWNER_TEAM_NOT_FOUND',
      message: expect.stringMatching(/Owner team "ghosts" of db\.public\.orders was not found/),
      details: { errors: [{ fqn: 'db.public.orders', place: '$.nodes["model.shop.orders"]' }] },
    },
  });
});

test('owner_team overrides owner_team_id', () => {
  const plan = planned(planFor(ordersOf(withSvc({ owner_team: 'orders' })), emptyRegistry));
  expect(plan.changes).toMatchObject([{ kind: 'create_asset', ownerTeamId: 'team-orders' }]);
});

test.each<[string, JsonObject, string | null, readonly string[]]>([
  [
    'a member of the owning team',
    { owner_team: 'orders', owner_user: 'Ada@example.com' },
    'user-ada',
    [],
  ],
  ['nobody the registry has', { owner_user: 'bob@example.com' }, null, ['OWNER_USER_NOT_FOUND']],
  ['a member of another team', { owner_user: 'ada@example.com' }, null, ['OWNER_NOT_MEMBER']],
])('an owner_user who is %s', (_who, svc, ownerUserId, codes) => {
  const plan = planned(planFor(ordersOf(withSvc(svc)), emptyRegistry));
  expect(plan.changes).toMatchObject([{ kind: 'create_asset', ownerUserId }]);
  expect(plan.errors.map(({ code }) => code)).toEqual(codes);
});

test('a change of owner waits for the consumers, and happens at once where there are none', () => {
  const moved = ordersOf(withSvc({ owner_team: 'orders' }));
  const options = { conflictMode: 'overwrite' as const };
  const free = planned(planFor(moved, published, options));
  expect(free.changes).toMatchObject([{ kind: 'update_asset', ownerTeamId: 'team-orders' }]);
  const consumed = consumedBy('team-marketing');
  const told = planned(planFor(moved, consumed, options));
  expect(told.errors.map(({ code }) => code)).toEqual(['OWNER_CHANGE']);
  expect(told.changes).toMatchObject([{ kind: 'update_asset', ownerTeamId: 'team-data' }]);
  const asked = planned(planFor(moved, consumed, { ...options, autoCreateProposals: true }));
  expect(kinds(asked)).toEqual({ update_asset: 1, propose_move: 1 });
});

test('a file that names no owner does not move what it finds', () => {
  const options = { conflictMode: 'overwrite' as const, ownerTeamId: 'team-orders' };
  expect(planned(planFor(ordersOf(), published, options)).changes).toEqual([]);
});

const wider = ordersOf({}, { id: 'bigint', note: 'text' });
const broken = ordersOf({}, { id: 'varchar' });

test.each<[string, ParsedImport, Partial<ImportOptions>, Readonly<Record<string, number>>]>([
  ['compatible, published', wider, { autoPublishContracts: true }, { publish_contract: 1 }],
  ['compatible, nothing asked for', wider, {}, {}],
  ['compatible, proposals alone publish nothing', wider, { autoCreateProposals: true }, {}],
  ['breaking, nothing asked for', broken, {}, {}],
  ['breaking, proposals alone', broken, { autoCreateProposals: true }, { create_proposal: 1 }],
  [
    'breaking, both',
    broken,
    { autoCreateProposals: true, autoPublishContracts: true },
    { create_proposal: 1 },
  ],
  [
    'the same under overwrite',
    broken,
    { autoCreateProposals: true, conflictMode: 'overwrite' },
    { update_asset: 1, create_proposal: 1 },
  ],
])('a contract that exists: %s', (_what, parsed, options, expected) => {
  expect(kinds(planned(planFor(parsed, published, options)))).toEqual(expected);
});

test('a breaking change without proposals refuses the whole, and names what broke', () => {
  const outcome = planFor(broken, published, { autoPublishContracts: true });
  expect(outcome).toMatchObject({
    ok: false,
    failure: {
      code: 'BREAKING_CHANGE',
      message: expect.stringContaining('db.public.orders'),
      details: { errors: [{ code: 'BREAKING_CHANGE', fqn: 'db.public.orders' }] },
    },
  });
});

test('with partial the asset that breaks is left out alone', () => {
  const both = parseDbtManifest(
    manifestOf({
      'model.shop.orders': modelOf('orders', { columns: columnsOf({ id: 'varchar' }) }),
      'model.shop.new': modelOf('new'),
    }),
  );
  const options = { autoPublishContracts: true, partial: true, conflictMode: 'overwrite' as const };
  const plan = planned(planFor(both, published, options));
  expect(plan.items.map(({ action }) => action)).toEqual(['failed', 'created']);
  expect(plan.changes.map(({ kind, key }) => [kind, key])).toEqual([
    ['create_asset', 'production db.public.new'],
    ['publish_contract', 'production db.public.new'],
  ]);
  expect(plan.errors.map(({ code, fqn }) => [code, fqn])).toEqual([
    ['BREAKING_CHANGE', 'db.public.orders'],
  ]);
});

test('the same breaking file again proposes nothing again; another one does not replace the first', () => {
  const options = { autoCreateProposals: true };
  const pending = applyPlan(published, planned(planFor(broken, published, options)));
  expect(planned(planFor(broken, pending, options))).toMatchObject({ changes: [], errors: [] });
  const other = planned(planFor(ordersOf({}, { id: 'date' }), pending, options));
  expect(other.changes).toEqual([]);
  expect(other.errors.map(({ code }) => code)).toEqual(['PROPOSAL_PENDING']);
});

test('a mode that is relaxed in the manifest is proposed, not applied', () => {
  const parsed = ordersOf(withSvc({ compatibility_mode: 'none' }));
  const plan = planned(planFor(parsed, published, { autoCreateProposals: true }));
  expect(plan.changes).toMatchObject([
    { kind: 'create_proposal', terms: { compatibilityMode: 'none' } },
  ]);
});

const consumers = {
  consumers: [{ team: 'marketing', purpose: 'mail' }, { team: 'ghosts' }, { team: 'data' }],
};

test('declared consumers are registered with their purpose, and the producer is not its own', () => {
  const options = { autoPublishContracts: true, autoRegisterConsumers: true };
  const plan = planned(planFor(ordersOf(withSvc(consumers)), emptyRegistry, options));
  expect(plan.changes.filter(({ kind }) => kind === 'register_consumer')).toEqual([
    {
      kind: 'register_consumer',
      key: 'production db.public.orders',
      assetId: null,
      consumerTeamId: 'team-marketing',
      notes: 'mail',
      origin: 'declared',
    },
  ]);
  expect(plan.errors.map(({ code, message }) => [code, message])).toEqual([
    ['CONSUMER_TEAM_NOT_FOUND', expect.stringContaining('"ghosts"')],
    ['CONSUMER_IS_OWNER', expect.stringContaining('db.public.orders')],
  ]);
});

test('who is registered is not registered again, and nobody is taken away', () => {
  const parsed = ordersOf(withSvc({ consumers: [{ team: 'marketing' }] }));
  const registry = consumedBy('team-marketing', 'team-ingestion');
  const plan = planned(planFor(parsed, registry, { autoRegisterConsumers: true }));
  expect(plan.changes).toEqual([]);
});

test('consumers of an asset without a contract are told', () => {
  const parsed = ordersOf(withSvc({ consumers: [{ team: 'marketing' }, { team: 'orders' }] }));
  const plan = planned(planFor(parsed, emptyRegistry, { autoRegisterConsumers: true }));
  expect(kinds(plan)).toEqual({ create_asset: 1 });
  expect(plan.errors.map(({ code }) => code)).toEqual(['NO_CONTRACT']);
});

test('the team owning a model that references another is its consumer; of sources it is not', () => {
  const options = { autoPublishContracts: true, inferConsumersFromRefs: true };
  const plan = planned(planFor(manifest('before'), emptyRegistry, options));
  const registered = plan.changes.flatMap((change) =>
    change.kind === 'register_consumer' ? [[change.key, change.consumerTeamId]] : [],
  );
  expect(registered).toEqual([
    ['production feat.analytics.dim_customers_v2', 'team-orders'],
    ['production feat.analytics.stg_customers', 'team-customer_success'],
  ]);
});

const gone = parseDbtManifest(manifestOf({ 'model.shop.other': modelOf('other') }));

test('what vanished from the file is reported; another project’s is not', () => {
  const plan = planned(planFor(gone, published));
  expect(plan.removed.map(({ asset, isBreaking }) => [asset.fqn, isBreaking])).toEqual([
    ['db.public.orders', false],
  ]);
  const foreign = parseDbtManifest(manifestOf({ 'model.market.other': modelOf('other') }));
  expect(planned(planFor(foreign, published)).removed).toEqual([]);
});

test('prune deprecates what vanished; where there are consumers they are asked first', () => {
  const prune = { prune: 'deprecate' as const };
  const consumed = consumedBy('team-marketing');
  expect(kinds(planned(planFor(gone, published)))).toEqual({ create_asset: 1 });
  expect(kinds(planned(planFor(gone, published, prune)))).toEqual({
    create_asset: 1,
    deprecate_contract: 1,
  });
  const told = planned(planFor(gone, consumed, prune));
  expect([kinds(told), told.errors.map(({ code }) => code)]).toEqual([
    { create_asset: 1 },
    ['DEPRECATION'],
  ]);
  const asked = planned(planFor(gone, consumed, { ...prune, autoCreateProposals: true }));
  expect(kinds(asked)).toEqual({ create_asset: 1, propose_deprecation: 1 });
});

test.each([null, 7, []])(
  'prune deprecates nothing while an item is %j, which may be what is missing',
  (item) => {
    const nodes = { 'model.shop.b': modelOf('b'), 'model.shop.orders': item };
    const file = parseDbtManifest(manifestOf(nodes as unknown as Record<string, JsonObject>));
    for (const registry of [published, consumedBy('team-marketing')]) {
      for (const autoCreateProposals of [true, false]) {
        const options = { prune: 'deprecate', autoCreateProposals } as const;
        const plan = planned(planFor(file, registry, options));
        expect(kinds(plan)).toEqual({ create_asset: 1 });
        expect(plan.errors.map(({ code }) => code)).toEqual(['UNREADABLE_ITEM', 'DEPRECATION']);
      }
    }
  },
);

test('prune deprecates what vanished while a part of another item cannot be read', () => {
  const part = { columns: 7 };
  const file = parseDbtManifest(manifestOf({ 'model.shop.b': modelOf('b', part) }));
  expect(kinds(planned(planFor(file, published, { prune: 'deprecate' })))).toEqual({
    create_asset: 1,
    deprecate_contract: 1,
  });
});

test('prune asks once, and says what it waits for where something else is asked', () => {
  const options = { prune: 'deprecate', autoCreateProposals: true } as const;
  const consumed = consumedBy('team-marketing');
  const asked = applyPlan(consumed, planned(planFor(gone, consumed, options)));
  const again = planned(planFor(gone, asked, options));
  expect([again.changes, again.errors]).toEqual([[], []]);
  const breaking = { autoPublishContracts: true, autoCreateProposals: true };
  const proposed = applyPlan(consumed, planned(planFor(broken, consumed, breaking)));
  const waiting = planned(planFor(gone, proposed, options));
  expect([kinds(waiting), waiting.errors]).toMatchObject([
    { create_asset: 1 },
    [{ code: 'PROPOSAL_PENDING', message: expect.stringContaining('Import again once') }],
  ]);
});

test('an asset that is managed elsewhere is left out, unless nothing of it would change', () => {
  const assets = published.assets.map((asset) => ({ ...asset, isManagedElsewhere: true }));
  const managed = { ...published, assets };
  const options = { conflictMode: 'overwrite' as const, autoPublishContracts: true };
  const left = planned(planFor(wider, managed, options));
  expect([left.changes, left.errors.map(({ code }) => code)]).toEqual([
    [],
    ['ASSET_MANAGED_ELSEWHERE'],
  ]);
  expect(planned(planFor(ordersOf(), managed, options)).errors).toEqual([]);
});

test('dependencies follow the file, and those of people stay', () => {
  const nodes = (refs: readonly string[]) =>
    parseDbtManifest(
      manifestOf({
        'model.shop.a': modelOf('a'),
        'model.shop.b': modelOf('b'),
        'model.shop.c': modelOf('c', { depends_on: { nodes: refs } }),
      }),
    );
  const first = applyPlan(emptyRegistry, planned(planFor(nodes(['model.shop.a']), emptyRegistry)));
  const plan = planned(planFor(nodes(['model.shop.b']), first));
  expect(plan.changes).toMatchObject([
    { kind: 'add_dependency', upstreamKey: 'production db.public.b' },
    { kind: 'remove_dependency', upstreamKey: 'production db.public.a' },
  ]);
});

test('a dependency that people made stays, and is not made twice', () => {
  const chain = parseDbtManifest(
    manifestOf({
      'model.shop.a': modelOf('a'),
      'model.shop.c': modelOf('c', { depends_on: { nodes: ['model.shop.a'] } }),
    }),
  );
  const registry = applyPlan(emptyRegistry, planned(planFor(chain, emptyRegistry)));
  const assets = registry.assets.map((asset) => ({
    ...asset,
    importedUpstream: [],
    manualUpstream: ['production db.public.a', 'production other.public.z'],
  }));
  expect(planned(planFor(chain, { ...registry, assets })).changes).toEqual([]);
});

test('what an earlier import said and the file does not is gone, its other end deleted or not', () => {
  const assets = published.assets.map((asset) => ({
    ...asset,
    importedUpstream: ['production db.public.gone'],
  }));
  expect(planned(planFor(ordersOf(), { ...published, assets })).changes).toMatchObject([
    { kind: 'remove_dependency', upstreamKey: 'production db.public.gone' },
  ]);
});

test('what vanished keeps its dependencies until it is pruned', () => {
  const both = parseDbtManifest(
    manifestOf({
      'model.shop.a': modelOf('a'),
      'model.shop.c': modelOf('c', { depends_on: { nodes: ['model.shop.a'] } }),
    }),
  );
  const registry = applyPlan(emptyRegistry, planned(planFor(both, emptyRegistry)));
  const left = parseDbtManifest(manifestOf({ 'model.shop.a': modelOf('a') }));
  expect(planned(planFor(left, registry)).changes).toEqual([]);
  expect(planned(planFor(left, registry, { prune: 'deprecate' })).changes).toMatchObject([
    { kind: 'remove_dependency', key: 'production db.public.c' },
  ]);
});

describe('A name that was deleted before', () => {
  const [orders] = published.assets;
  if (orders === undefined) throw new Error('The registry holds orders.');
  const consumed = {
    ...orders,
    registeredTeamIds: ['team-data'],
    consumers: [consumerOf('team-data')],
  };
  const deleted = { ...published, assets: [], predecessors: [consumed] };
  const options = { autoPublishContracts: true, autoRegisterConsumers: true };

  test('goes on with its contract and its consumers, and that is told', () => {
    const plan = planned(planFor(ordersOf(), deleted, options));
    expect(plan.changes.map(({ kind }) => kind)).toEqual(['create_asset']);
    expect(plan.errors).toMatchObject([{ code: 'LINE_CONTINUES', fqn: orders.fqn }]);
  });

  test('is compared with what it had: a break is refused, or asked about', () => {
    expect(planFor(broken, deleted, options)).toMatchObject({
      ok: false,
      failure: { code: 'BREAKING_CHANGE' },
    });
    const asked = planned(planFor(broken, deleted, { autoCreateProposals: true }));
    expect(asked.changes).toMatchObject([
      { kind: 'create_asset' },
      { kind: 'create_proposal', assetId: null, base: { version: '1.0.0' } },
    ]);
  });

  test('publishes the next version of a compatible change', () => {
    const plan = planned(planFor(ordersOf(withSvc({ freshness })), deleted, options));
    expect(plan.changes).toMatchObject([
      { kind: 'create_asset' },
      { kind: 'publish_contract', assetId: null, base: { version: '1.0.0' } },
    ]);
  });
});

const freshness = { max_staleness_minutes: 5 };

test('what another import made under another prefix has not vanished', () => {
  const document = (path: string) => ({
    openapi: '3.0.0',
    info: { title: 'Shop' },
    paths: { [path]: { get: {} } },
  });
  const first = parseOpenApi(document('/a'), { prefix: 'one' });
  const registry = applyPlan(emptyRegistry, planned(planFor(first, emptyRegistry)));
  const removedBy = (prefix: string) =>
    planned(planFor(parseOpenApi(document('/b'), { prefix }), registry)).removed.length;
  expect([removedBy('one'), removedBy('two')]).toEqual([1, 0]);
});

test('a fatal problem refuses the whole with its code and place', () => {
  expect(planFor(parseOpenApi({ swagger: '1.2' }), emptyRegistry)).toMatchObject({
    ok: false,
    failure: { code: 'INVALID_OPENAPI', details: { place: '$.swagger' } },
  });
});

test('environments are apart: the same name in another is another asset', () => {
  const plan = planned(planFor(ordersOf(), published, { environment: 'staging' }));
  expect(plan.items.map(({ action }) => action)).toEqual(['created']);
});

test('a contract that was deprecated is published again where the file still has it', () => {
  const assets = published.assets.map((asset) => ({
    ...asset,
    base: asset.base === null ? null : { ...asset.base, status: 'deprecated' as const },
  }));
  const plan = planned(
    planFor(ordersOf(), { ...published, assets }, { autoPublishContracts: true }),
  );
  expect(kinds(plan)).toEqual({ publish_contract: 1 });
});

test('a type that gains its first argument is compared with what it was', () => {
  const before = parseGraphql('type User { name: String }');
  const registry = applyPlan(
    emptyRegistry,
    planned(planFor(before, emptyRegistry, { autoPublishContracts: true })),
  );
  const after = parseGraphql('type User { name(upper: Boolean): String age: Int }');
  const plan = planned(planFor(after, registry, { autoPublishContracts: true }));
  expect(plan.changes).toMatchObject([
    {
      kind: 'publish_contract',
      terms: { direction: 'operation' },
      comparison: { isBreaking: false, bump: 'minor' },
    },
  ]);
});

test('the genuine manifest that breaks the other is refused, or asked about', () => {
  const refused = planFor(manifest('after-breaking'), imported, { autoPublishContracts: true });
  const names = refused.ok ? [] : (refused.failure.details?.errors as { fqn: string }[]);
  expect(names.map(({ fqn }) => fqn)).toEqual([
    'feat.analytics.dim_customers_v1',
    'feat.analytics.dim_customers_v2',
  ]);
  const asked = planned(
    planFor(manifest('after-breaking'), imported, { autoCreateProposals: true }),
  );
  expect(kinds(asked)).toMatchObject({ create_proposal: 2 });
});

test('a plan of 5,000 models takes well under a second, and the same again nothing', () => {
  const parsed = parseDbtManifest(largeManifest(5_000, 10, 10_000));
  const elapsedMs = cpuMsOf(() => {
    const first = planned(planFor(parsed, emptyRegistry, everything));
    const registry = applyPlan(emptyRegistry, first);
    const again = planned(planFor(parsed, registry, everything));
    expect(first.changes.length).toBeGreaterThan(10_000);
    expect(again.changes).toEqual([]);
  });
  // Several times what it takes, so that only a change of its order of growth fails here.
  expect(elapsedMs).toBeLessThan(15_000);
});

test('a plan is data: it survives being written and read', () => {
  const plan = planned(planFor(manifest('before'), emptyRegistry, everything));
  const copy: Json = JSON.parse(JSON.stringify(plan.changes));
  expect(copy).toEqual(plan.changes);
});
