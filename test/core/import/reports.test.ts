import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ImportKind, ParsedImport } from '../../../src/core/import/candidate.ts';
import { parseDbtManifest } from '../../../src/core/import/dbt/dbt.ts';
import { parseGraphql } from '../../../src/core/import/graphql/graphql.ts';
import { parseOdcs } from '../../../src/core/import/odcs/odcs.ts';
import { type ParsedOpenApi, parseOpenApi } from '../../../src/core/import/openapi/openapi.ts';
import { assessCandidates, listRemoved } from '../../../src/core/import/plan/assess.ts';
import {
  type Assessed,
  propertyOf,
  toDiffReport,
  toImpactReport,
} from '../../../src/core/import/plan/diff-report.ts';
import { toImportReport } from '../../../src/core/import/plan/import-report.ts';
import type {
  AppliedIds,
  ImportFacts,
  ImportOptions,
} from '../../../src/core/import/plan/plan.types.ts';
import type { JsonObject } from '../../../src/core/value/json.ts';
import { manifestOf, modelOf } from './manifest-builder.ts';
import {
  applyPlan,
  compareAll,
  emptyRegistry,
  factsFor,
  planFor,
  planned,
} from './registry-model.ts';

function manifest(name: 'before' | 'after-breaking'): ParsedImport {
  const url = new URL(`../../fixtures/import/dbt-${name}.json`, import.meta.url);
  return parseDbtManifest(JSON.parse(readFileSync(url, 'utf8')));
}

function assessed(kind: ImportKind, parsed: ParsedImport, registry: ImportFacts): Assessed {
  const facts = factsFor(parsed, registry);
  const assessments = assessCandidates(
    parsed.candidates,
    facts,
    compareAll(parsed, facts),
    'production',
  );
  const removed = listRemoved(parsed.candidates, facts, 'production');
  const title = 'apiTitle' in parsed ? { title: parsed as ParsedOpenApi } : {};
  return { kind, assessments, removed, problems: parsed.problems, ...title };
}

function registryAfter(parsed: ParsedImport, options: Partial<ImportOptions> = {}): ImportFacts {
  const chosen = { autoPublishContracts: true, autoRegisterConsumers: true, ...options };
  return applyPlan(emptyRegistry, planned(planFor(parsed, emptyRegistry, chosen)));
}

const dbt = registryAfter(manifest('before'));

function apiOf(type: string, version = '1.0.0'): ParsedOpenApi {
  const schema = { type: 'object', properties: { name: { type } } };
  return parseOpenApi({
    openapi: '3.0.0',
    info: { title: 'Shop', version },
    paths: {
      '/users': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } },
      '/bad': { get: { responses: { 200: { $ref: 'https://example.com/x' } } } },
    },
  });
}

test('diff: the shape of the specification, for a manifest that breaks', () => {
  const report = toDiffReport(assessed('dbt', manifest('after-breaking'), dbt), {
    failOnBreaking: true,
  });
  expect(report).toMatchObject({
    status: 'breaking_changes_detected',
    summary: { new: 0, modified: 2, unchanged: 6, breaking: 2, removed: 0 },
    blocking: true,
    errors: [],
  });
  const models = report.models as JsonObject[];
  expect(models.find(({ fqn }) => fqn === 'feat.analytics.dim_customers_v1')).toEqual({
    fqn: 'feat.analytics.dim_customers_v1',
    node_id: 'model.feature.dim_customers.v1',
    change_type: 'modified',
    schema_change_type: 'breaking',
    breaking_changes: [expect.stringContaining('email'), expect.stringContaining('customer_id')],
    version_bump: 'major',
    changes: expect.arrayContaining([expect.objectContaining({ breaking: true })]),
  });
  expect(models.find(({ fqn }) => fqn === 'feat.analytics.fct_orders')).toEqual({
    fqn: 'feat.analytics.fct_orders',
    node_id: 'model.feature.fct_orders',
    change_type: 'unchanged',
    schema_change_type: 'none',
    breaking_changes: [],
    version_bump: 'none',
    changes: [],
  });
});

test.each<[string, ParsedImport, boolean, JsonObject]>([
  ['nothing changed', manifest('before'), true, { status: 'no_changes', blocking: false }],
  [
    'it breaks, and that is allowed',
    manifest('after-breaking'),
    false,
    { status: 'breaking_changes_detected', blocking: false },
  ],
])('diff: status and blocking where %s', (_when, parsed, failOnBreaking, expected) => {
  expect(toDiffReport(assessed('dbt', parsed, dbt), { failOnBreaking })).toMatchObject(expected);
});

test('diff: what is new or modified alone are changes; what vanished breaks where somebody consumes it', () => {
  const svc = { meta: { svc: { consumers: [{ team: 'marketing' }] } } };
  const before = parseDbtManifest(
    manifestOf({
      'model.shop.a': modelOf('a', svc),
      'model.shop.b': modelOf('b'),
      'model.shop.c': modelOf('c'),
    }),
  );
  const after = parseDbtManifest(
    manifestOf({
      'model.shop.c': modelOf('c', { description: 'New words' }),
      'model.shop.d': modelOf('d'),
    }),
  );
  const registry = registryAfter(before);
  const report = toDiffReport(assessed('dbt', after, registry), { failOnBreaking: true });
  expect(report).toMatchObject({
    status: 'breaking_changes_detected',
    summary: { new: 1, modified: 1, unchanged: 0, breaking: 1, removed: 2 },
    blocking: true,
  });
  const removed = (report.models as JsonObject[]).filter(
    (model) => model.change_type === 'removed',
  );
  expect(removed.map(({ fqn, schema_change_type }) => [fqn, schema_change_type])).toEqual([
    ['db.public.a', 'breaking'],
    ['db.public.b', 'none'],
  ]);
});

test('impact: the shape of the specification, for a manifest that breaks', () => {
  const report = toImpactReport(assessed('dbt', manifest('after-breaking'), dbt));
  expect(report).toMatchObject({
    status: 'success',
    total_models: 8,
    models_with_contracts: 8,
    breaking_changes_count: 4,
    removed: [],
  });
  const results = report.results as JsonObject[];
  expect(results.find(({ fqn }) => fqn === 'feat.analytics.dim_customers_v2')).toEqual({
    fqn: 'feat.analytics.dim_customers_v2',
    node_id: 'model.feature.dim_customers.v2',
    has_contract: true,
    safe_to_publish: false,
    change_type: 'major',
    breaking_changes: [
      {
        type: 'property_removed',
        property: 'email',
        message: expect.stringContaining('email'),
        path: '$.properties.email',
      },
      {
        type: 'type_changed',
        property: 'customer_id',
        message: expect.stringContaining('customer_id'),
        path: '$.properties.customer_id',
        witness: expect.anything(),
      },
    ],
  });
});

test('impact: what has no contract is safe', () => {
  const report = toImpactReport(assessed('dbt', manifest('before'), emptyRegistry));
  expect(report).toMatchObject({ models_with_contracts: 0, breaking_changes_count: 0 });
  expect((report.results as JsonObject[])[0]).toMatchObject({
    has_contract: false,
    safe_to_publish: true,
    change_type: 'new',
  });
});

test('OpenAPI: diff and impact name endpoints by path and method, and list what could not be read', () => {
  const registry = registryAfter(apiOf('string'));
  const after = assessed('openapi', apiOf('integer', '2.0.0'), registry);
  const parseErrors = [
    {
      code: 'EXTERNAL_REFERENCE',
      message: expect.any(String),
      place: '$.paths["/bad"].get.responses["200"]',
    },
  ];
  expect(toDiffReport(after, { failOnBreaking: true })).toMatchObject({
    status: 'breaking_changes_detected',
    api_title: 'Shop',
    api_version: '2.0.0',
    summary: { new: 0, modified: 1, unchanged: 1, breaking: 1 },
    endpoints: [
      {
        fqn: 'api.shop.get_users',
        path: '/users',
        method: 'get',
        change_type: 'modified',
        schema_change_type: 'breaking',
      },
      {
        fqn: 'api.shop.get_bad',
        path: '/bad',
        method: 'get',
        change_type: 'unchanged',
        schema_change_type: 'none',
      },
    ],
    parse_errors: parseErrors,
  });
  expect(toImpactReport(after)).toMatchObject({
    status: 'breaking_changes_detected',
    api_title: 'Shop',
    api_version: '2.0.0',
    total_endpoints: 2,
    endpoints_with_contracts: 1,
    breaking_changes_count: 1,
    results: [
      { path: '/users', method: 'get', safe_to_publish: false },
      { path: '/bad', change_type: 'new' },
    ],
    parse_errors: parseErrors,
  });
  const same = assessed('openapi', apiOf('string'), registry);
  expect(toImpactReport(same)).toMatchObject({
    status: 'success',
    results: [{ change_type: 'none' }, {}],
  });
});

test('GraphQL and ODCS have the shapes of their siblings', () => {
  const graphql = assessed(
    'graphql',
    parseGraphql('enum Color { RED }'),
    registryAfter(parseGraphql('enum Color { RED BLUE }')),
  );
  expect(toDiffReport(graphql, { failOnBreaking: false })).toMatchObject({
    types: [
      { fqn: 'graphql.Color', type_name: 'Color', kind: 'enum', schema_change_type: 'breaking' },
    ],
  });
  expect(toImpactReport(graphql)).toMatchObject({
    status: 'breaking_changes_detected',
    total_types: 1,
    types_with_contracts: 1,
    results: [{ fqn: 'graphql.Color', type_name: 'Color', kind: 'enum', safe_to_publish: false }],
  });
  const contract = {
    kind: 'DataContract',
    apiVersion: 'v3.0.0',
    name: 'sales',
    schema: [{ name: 'orders' }],
  };
  const odcs = assessed('odcs', parseOdcs(contract), emptyRegistry);
  expect(toDiffReport(odcs, { failOnBreaking: true })).toMatchObject({
    status: 'changes_detected',
    summary: { new: 1 },
    objects: [{ fqn: 'sales.orders', object_name: 'orders', change_type: 'new' }],
  });
  expect(toImpactReport(odcs)).toMatchObject({ total_objects: 1, objects_with_contracts: 0 });
});

const noIds: AppliedIds = { assetIds: new Map(), contractIds: new Map(), proposalIds: new Map() };

test('an upload answers with counts, proposals and guarantees', () => {
  const parsed = manifest('after-breaking');
  const options = { autoCreateProposals: true, conflictMode: 'overwrite' as const };
  const plan = planned(planFor(parsed, dbt, options));
  const key = 'production feat.analytics.dim_customers_v1';
  const applied = { ...noIds, proposalIds: new Map([[key, 'p-1']]) };
  const report = toImportReport({
    kind: 'dbt',
    plan,
    problems: parsed.problems,
    applied,
    isDryRun: false,
  });
  expect(report).toMatchObject({
    status: 'success',
    dry_run: false,
    assets: { created: 0, updated: 2, skipped: 0, unchanged: 6, failed: 0, without_schema: 0 },
    contracts: { published: 0, unchanged: 6 },
    proposals: {
      created: 2,
      details: [
        {
          proposal_id: 'p-1',
          asset_fqn: 'feat.analytics.dim_customers_v1',
          change_type: 'major',
          breaking_changes_count: 2,
        },
        {
          proposal_id: null,
          asset_fqn: 'feat.analytics.dim_customers_v2',
          change_type: 'major',
          breaking_changes_count: 2,
        },
      ],
    },
    registrations: { created: 0 },
    guarantees_extracted: 20,
    models_processed: 8,
    errors: [],
    removed: [],
  });
});

test('an OpenAPI import answers form A and form B in one', () => {
  const parsed = apiOf('string');
  const plan = planned(planFor(parsed, emptyRegistry, { autoPublishContracts: true }));
  const key = 'production api.shop.get_users';
  const applied = {
    ...noIds,
    assetIds: new Map([[key, 'a-1']]),
    contractIds: new Map([[key, 'c-1']]),
  };
  const report = toImportReport({
    kind: 'openapi',
    plan,
    problems: parsed.problems,
    applied,
    isDryRun: false,
    title: parsed,
  });
  expect(report).toMatchObject({
    api_title: 'Shop',
    api_version: '1.0.0',
    endpoints_found: 2,
    assets_created: 2,
    assets_updated: 0,
    assets_skipped: 0,
    contracts_published: 1,
    endpoints: [
      {
        fqn: 'api.shop.get_users',
        path: '/users',
        method: 'get',
        action: 'created',
        asset_id: 'a-1',
        contract_id: 'c-1',
      },
      {
        fqn: 'api.shop.get_bad',
        path: '/bad',
        method: 'get',
        action: 'created',
        asset_id: null,
        contract_id: null,
      },
    ],
    parse_errors: [{ code: 'EXTERNAL_REFERENCE' }],
    status: 'success',
    assets: { created: 2, updated: 0, without_schema: 1 },
    contracts: { published: 1 },
    endpoints_processed: 2,
  });
});

test('an import that left something out says that it was partial', () => {
  const registry = registryAfter(apiOf('string'));
  const parsed = apiOf('integer');
  const plan = planned(planFor(parsed, registry, { autoPublishContracts: true, partial: true }));
  const report = toImportReport({
    kind: 'openapi',
    plan,
    problems: [],
    applied: noIds,
    isDryRun: true,
  });
  expect(report).toMatchObject({
    status: 'partial',
    dry_run: true,
    assets: { failed: 1, skipped: 1 },
    endpoints: [{ action: 'failed' }, { action: 'skipped' }],
    errors: [
      { code: 'EXTERNAL_REFERENCE' },
      { code: 'BREAKING_CHANGE', fqn: 'api.shop.get_users' },
    ],
  });
});

test.each([
  ['$.properties.email', 'email'],
  ['$.properties.lines.items.properties.sku', 'lines.sku'],
  ['$.properties["a b"].properties.c', 'a b.c'],
  ['$.properties.request.properties.body.required', 'request.body'],
  ['$', ''],
])('the property of %s is %s', (path, property) => {
  expect(propertyOf(path)).toBe(property);
});
