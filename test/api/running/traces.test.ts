// Traces go from the request, or the reconciliation, down to each statement, and to the receiver.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import packageFile from '../../../package.json' with { type: 'json' };
import { readConfig } from '../../../src/ops/config/config.ts';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import { must, openWorld, publishedAsset, widerSchema } from '../../support/client/client-world.ts';
import {
  openTraceReceiver,
  type ReceivedSpan,
  type TraceReceiver,
} from '../../support/trace-receiver.ts';

const theirTrace = '0af7651916cd43dd8448eb211c80319c';
const theirSpan = 'b7ad6b7169203331';
const contractsPath = '/api/v1/assets/{asset_id}/contracts';
const secretText = 'a description that nobody else may read';

/** All requests to the registry; their spans are checked afterwards. */
const requestIds = {
  followed: 'request-followed',
  malformed: 'request-malformed',
  unsampled: 'request-unsampled',
} as const;

let receiver: TraceReceiver;
let spans: readonly ReceivedSpan[];
let folder: string;
let keys: readonly string[];
let openMetrics: { readonly type: string | null; readonly text: string };

beforeAll(async () => {
  receiver = await openTraceReceiver();
  folder = await mkdtemp(join(tmpdir(), 'concordat-traces-'));
  await mkdir(join(folder, 'contracts/shop'), { recursive: true });
  await writeFile(join(folder, 'teams.yaml'), 'shop: [shop-team]\n');
  await writeFile(
    join(folder, 'contracts/shop/orders.yaml'),
    'apiVersion: concordat.dev/v1\nkind: DataContract\nmetadata: {name: orders}\n' +
      'spec: {fqn: shop.orders, schema: {type: object}}\n',
  );
  const registry = await openRegistry({
    CONTRACTS_DIR: join(folder, 'contracts'),
    TEAM_MAPPING_FILE: join(folder, 'teams.yaml'),
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=shop,authorization=Bearer%20collector',
    OTEL_SERVICE_NAME: 'registry-of-the-tests',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  try {
    keys = await ask(registry);
  } finally {
    // Remaining spans are sent before the process ends.
    await registry.stop();
  }
  spans = receiver.spans;
});
afterAll(async () => {
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

async function ask(registry: TestRegistry): Promise<readonly string[]> {
  const world = await openWorld(registry.url, registry.bootstrapKey);
  const { assetId } = await publishedAsset(world.producer);
  const publish = async (requestId: string, traceparent: string, schema: object) => {
    const response = await fetch(`${registry.url}${contractsPath.replace('{asset_id}', assetId)}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.producer.key}`,
        'content-type': 'application/json',
        'x-request-id': requestId,
        traceparent,
      },
      body: JSON.stringify({ schema }),
    });
    expect(response.status).toBeLessThan(300);
  };
  const wider = { ...widerSchema, description: secretText };
  await publish(requestIds.followed, `00-${theirTrace}-${theirSpan}-01`, wider);
  await publish(requestIds.malformed, `00-${'0'.repeat(32)}-${theirSpan}-01`, wider);
  await publish(requestIds.unsampled, `00-${'1'.repeat(32)}-${theirSpan}-00`, wider);
  must(await world.admin.createTeam({ body: { name: 'Shop', slug: 'shop-team' } }), 201);
  // The source is reconciled again as soon as its team exists.
  await vi.waitFor(
    async () => {
      const listed = must(await world.admin.listAssets({ query: { fqn: 'shop.orders' } }), 200);
      expect(listed.results[0]?.active_contract_version).toBe('1.0.0');
    },
    { timeout: 30_000, interval: 200 },
  );
  const response = await fetch(`${registry.url}/metrics`, {
    headers: { accept: 'application/openmetrics-text; version=1.0.0, text/plain;q=0.5' },
  });
  openMetrics = { type: response.headers.get('content-type'), text: await response.text() };
  return [world.producer.key, registry.bootstrapKey];
}

const ofRequest = (id: string) =>
  spans.filter(({ attributes }) => attributes['concordat.request_id'] === id);
const ofTrace = (traceId: string) => spans.filter((span) => span.traceId === traceId);
const childrenOf = (parent: ReceivedSpan | undefined) =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId);

describe('A request that is part of a trace', () => {
  test('is an exemplar of its duration, for who accepts OpenMetrics', () => {
    const { type, text } = openMetrics;
    expect(type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(text).toMatch(
      /^concordat_http_request_duration_seconds_bucket\{kind="write",le="[\d.]+"\} \d+ # \{trace_id="[0-9a-f]{32}"\} [\d.e-]+ [\d.]+$/m,
    );
    expect(text).toContain('\n# TYPE concordat_http_requests counter\n');
    expect(text.endsWith('\n# EOF\n')).toBe(true);
  });

  test("is a span of the caller's trace, with its route and its answer", () => {
    const [root, ...more] = ofRequest(requestIds.followed);
    expect(more).toEqual([]);
    expect(root).toEqual({
      name: `POST ${contractsPath}`,
      traceId: theirTrace,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parentSpanId: theirSpan,
      kind: 2,
      status: 0,
      attributes: {
        'http.request.method': 'POST',
        'http.route': contractsPath,
        'url.path': expect.stringMatching(/^\/api\/v1\/assets\/[0-9a-f-]{36}\/contracts$/),
        'http.response.status_code': 201,
        'concordat.request_id': requestIds.followed,
      },
      resource: expect.objectContaining({
        'service.name': 'registry-of-the-tests',
        'service.version': packageFile.version,
        'service.instance.id': expect.stringMatching(/./),
        'deployment.environment.name': 'test',
      }),
    });
  });

  test('includes all work for it, down to the statements', () => {
    const [root] = ofRequest(requestIds.followed);
    const verb = childrenOf(root).find(({ name }) => name === 'publishContract');
    const steps = childrenOf(verb).map(({ name }) => name);
    expect(steps).toContain('engine examine');
    const transaction = childrenOf(verb).find(({ name }) => name === 'transaction');
    const statements = childrenOf(transaction);
    expect(statements.map(({ name }) => name)).toContain('select asset');
    const texts = statements.map(({ attributes }) => String(attributes['db.query.text']));
    expect(texts.join('\n')).toMatch(/insert into contract\b/);
    for (const { kind, attributes } of statements) {
      expect(kind).toBe(3);
      expect(attributes).toEqual({
        'db.system.name': 'postgresql',
        'db.query.text': expect.stringMatching(/\w/),
      });
    }
    // All spans are connected.
    const known = new Set(ofTrace(theirTrace).map(({ spanId }) => spanId));
    const loose = ofTrace(theirTrace).filter(
      ({ parentSpanId }) => parentSpanId !== theirSpan && !known.has(parentSpanId ?? ''),
    );
    expect(loose).toEqual([]);
  });

  test('starts its own trace if the context is invalid', () => {
    const [root] = ofRequest(requestIds.malformed);
    expect(root?.parentSpanId).toBeNull();
    expect(root?.traceId).toMatch(/[1-9a-f]/);
  });

  test("is not exported if its caller's trace is not sampled", () => {
    expect(ofTrace('1'.repeat(32))).toEqual([]);
  });
});

test('A reconciliation is a trace, down to the statements', () => {
  const roots = spans.filter(({ name }) => name === 'reconcile DataContract');
  expect(roots.length).toBeGreaterThan(0);
  for (const root of roots) {
    expect(root).toMatchObject({
      parentSpanId: null,
      attributes: { 'concordat.object': 'DataContract/shop/orders' },
    });
  }
  const published = roots.find((root) =>
    childrenOf(root).some(({ name }) => name === 'declareContract'),
  );
  const texts = ofTrace(published?.traceId ?? '').map(({ attributes }) =>
    String(attributes['db.query.text']),
  );
  expect(texts.join('\n')).toMatch(/insert into contract\b/);
});

test('Background work of the process belongs to no trace', () => {
  const roots = new Set(spans.filter((s) => s.parentSpanId === null).map(({ name }) => name));
  expect([...roots].filter((name) => !/^(GET|POST|PATCH|DELETE|reconcile) /.test(name))).toEqual(
    [],
  );
});

test('No span contains a secret, or stored content', () => {
  const text = JSON.stringify(spans);
  for (const secret of [...keys, secretText]) expect(text).not.toContain(secret);
});

test('Traces are posted to the configured address, with its headers', () => {
  expect(receiver.posts.length).toBeGreaterThan(0);
  for (const { path, headers } of receiver.posts) {
    expect(path).toBe('/v1/traces');
    expect(headers).toMatchObject({ 'x-tenant': 'shop', authorization: 'Bearer collector' });
  }
});

test('An unavailable receiver costs only one log line', async () => {
  const gone = await openTraceReceiver();
  await gone.close();
  const registry = await openRegistry({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${gone.url}/there` });
  const world = await openWorld(registry.url, registry.bootstrapKey);
  must(await world.admin.listTeams(), 200);
  await registry.stop();
});

test('Without an endpoint, or with OTEL_SDK_DISABLED, nothing is sent', async () => {
  const unused = await openTraceReceiver();
  const registry = await openRegistry({
    OTEL_EXPORTER_OTLP_ENDPOINT: unused.url,
    OTEL_SDK_DISABLED: 'true',
  });
  const world = await openWorld(registry.url, registry.bootstrapKey);
  must(await world.admin.listTeams(), 200);
  await registry.stop();
  await unused.close();
  expect(unused.posts).toEqual([]);
});

test('An invalid setting for traces is reported at startup', () => {
  expect(
    readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector',
      OTEL_EXPORTER_OTLP_HEADERS: 'nothing',
      OTEL_TRACES_SAMPLER: 'often',
      OTEL_TRACES_SAMPLER_ARG: '2',
    }),
  ).toMatchObject({
    ok: false,
    problems: [
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_ENDPOINT=collector is invalid/),
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_HEADERS is invalid: it must be name=value/),
      expect.stringMatching(/^OTEL_TRACES_SAMPLER=often is invalid/),
      expect.stringMatching(/^OTEL_TRACES_SAMPLER_ARG=2 is invalid/),
    ],
  });
});
