import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { noSecret, readSecret } from '../../../src/controller/admission/certificate-secret.ts';
import { readsOfCluster } from '../../../src/controller/admission/cluster-reads.ts';
import {
  type CertificateFacts,
  decideCertificates,
} from '../../../src/controller/admission/decide-certificates.ts';
import {
  dnsNamesOfService,
  keepCertificates,
} from '../../../src/controller/admission/keep-certificates.ts';
import {
  issueCertificate,
  makeAuthority,
} from '../../../src/controller/admission/make-certificates.ts';
import { answerReview, readReview } from '../../../src/controller/admission/review.ts';
import { reviewObject } from '../../../src/controller/admission/review-object.ts';
import { webhookRights } from '../../../src/controller/admission/rights.ts';
import { toWebhookConfiguration } from '../../../src/controller/admission/webhook-configuration.ts';
import { startWebhook, type Webhook } from '../../../src/controller/admission/webhook-server.ts';
import { type Clock, systemClock } from '../../../src/controller/clock.ts';
import { ApiClient } from '../../../src/controller/cluster/api-client.ts';
import { collectionPath, objectPath } from '../../../src/controller/cluster/resources.ts';
import { controllerRights } from '../../../src/controller/cluster/rights.ts';
import type { Asset } from '../../../src/core/asset.ts';
import { parseOpenApi } from '../../../src/core/import/openapi/openapi.ts';
import type { Team } from '../../../src/core/team.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { newUuid } from '../../../src/ops/uuid.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import { freePorts } from '../../support/free-ports.ts';
import {
  type ClusterAddress,
  configOf,
  kubectl,
  kubectlOk,
} from '../../support/kubernetes/kubernetes.ts';
import { shareKubernetes } from '../../support/kubernetes/kubernetes-setup.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres/postgres-proxy.ts';
import {
  accepted,
  openTestRegistry,
  patience,
  type TestRegistry,
} from '../support/open-controller.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const namespace = 'webhook';
const configuration = 'concordat-webhook-test';

describe('The certificates of the webhook', () => {
  const nowMs = Date.UTC(2026, 0, 1);
  const validity = { fromMs: nowMs, toMs: nowMs + dayMs };

  test('are those of a server, signed by an authority of its own', () => {
    const authority = makeAuthority('An authority', validity);
    const names = dnsNamesOfService('concordat', 'data');
    const issued = issueCertificate({ name: 'An authority', key: authority.key }, names, validity);
    const root = new X509Certificate(authority.certificate);
    const leaf = new X509Certificate(issued.certificate);
    expect(names).toEqual(['concordat.data.svc', 'concordat.data.svc.cluster.local']);
    expect([root.ca, root.subject, root.issuer]).toEqual([
      true,
      'CN=An authority',
      'CN=An authority',
    ]);
    expect([leaf.ca, leaf.issuer, leaf.verify(root.publicKey), leaf.checkIssued(root)]).toEqual([
      false,
      'CN=An authority',
      true,
      true,
    ]);
    expect(leaf.subjectAltName).toBe(
      'DNS:concordat.data.svc, DNS:concordat.data.svc.cluster.local',
    );
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect([leaf.validFromDate.getTime(), leaf.validToDate.getTime()]).toEqual([
      nowMs,
      nowMs + dayMs,
    ]);
    const late = makeAuthority('Late', { fromMs: nowMs, toMs: Date.UTC(2051, 5, 1) });
    expect(new X509Certificate(late.certificate).validToDate.getTime()).toBe(Date.UTC(2051, 5, 1));
  });

  const authority = (fromDays: number, toDays: number) => ({
    fromMs: nowMs + fromDays * dayMs,
    toMs: nowMs + toDays * dayMs,
  });
  const fresh = authority(-30, 335);
  const due = authority(-300, 65);
  const over = authority(-366, -1);
  const serving = (fromDays: number, toDays: number, signedBy = 0, hasRightNames = true) => ({
    ...authority(fromDays, toDays),
    signedBy,
    hasRightNames,
  });
  const held = (
    authorities: CertificateFacts['authorities'],
    one: CertificateFacts['serving'],
    hasAuthorityKey = true,
  ): CertificateFacts => ({ authorities, hasAuthorityKey, serving: one });

  test.each([
    ['nothing is there', held([], null, false), 'start over'],
    ['all is fresh', held([fresh], serving(-30, 60)), 'keep'],
    ['the authority is over', held([over], serving(-30, 60)), 'start over'],
    ['the key of the authority is lost', held([fresh], serving(-30, 60), false), 'start over'],
    ['nothing can be served', held([fresh], null), 'issue'],
    ['what is served is over', held([fresh], serving(-91, -1)), 'issue'],
    ['what is served has another name', held([fresh], serving(-30, 60, 0, false)), 'issue'],
    ['nobody trusted signed what is served', held([fresh], serving(-30, 60, -1)), 'issue'],
    ['what is served ends soon', held([fresh], serving(-61, 29)), 'issue'],
    ['the authority ends soon', held([due], serving(-30, 60)), 'add authority'],
    [
      'the new authority is told of a moment ago',
      held([authority(0, 365), due], serving(-30, 60, 1)),
      'keep',
    ],
    ['the new authority is known', held([authority(-1, 364), due], serving(-30, 60, 1)), 'issue'],
    ['the old authority is over', held([fresh, over], serving(-30, 60)), 'keep'],
  ] as const)('when %s', (_, facts, decision) => {
    expect(decideCertificates(facts, nowMs)).toBe(decision);
  });
});

describe('A review', () => {
  test('is none where it is not one', () => {
    expect(readReview({ kind: 'AdmissionReview' })).toBeNull();
    expect(readReview('x')).toBeNull();
    expect(readReview({ request: { uid: '1', object: { kind: 'Pod' } } })).toEqual({
      uid: '1',
      request: null,
    });
  });

  test('is answered with warnings that fit into a header', () => {
    const warnings = ['a\nb', 'x'.repeat(300), ...Array.from({ length: 20 }, (_, i) => `w${i}`)];
    const { response } = answerReview('1', { allowed: true, warnings }) as {
      response: { warnings: string[] };
    };
    expect(response.warnings[0]).toBe('a b');
    expect(response.warnings[1]).toBe(`${'x'.repeat(247)}...`);
    expect(response.warnings).toHaveLength(13);
    expect(response.warnings.at(-1)).toBe('... and 10 more');
  });
});

describe('The webhook on a real API server', () => {
  let address: ClusterAddress;
  let release: () => Promise<void>;
  let registry: TestRegistry;
  let postgres: PostgresProxy;
  let admin: ApiClient;
  let client: ApiClient;
  let webhook: Webhook;
  let port: number;
  let billing: Team;
  let orders: Asset;
  let reviews = 0;
  let bound: { namespace: string; slug: string; teamId: string }[] = [];
  let offsetMs = 0;
  const errors: string[] = [];
  const onError = (error: unknown, during: string) => {
    errors.push(`${during}: ${error instanceof Error ? error.message : error}`);
  };
  const clock: Clock = {
    ...systemClock,
    wallTime: () => new Date(Date.now() + offsetMs),
    after: (delayMs, call) => (delayMs >= 5_000 ? () => {} : systemClock.after(delayMs, call)),
  };
  const place = () => ({ client, namespace, name: 'concordat-webhook' });
  const open = () =>
    startWebhook({
      port,
      host: '127.0.0.1',
      clock,
      readCertificate: async () => {
        const secret = await readSecret(place());
        return secret.certificate === '' ? null : secret;
      },
      review: (request) => {
        reviews += 1;
        const { ports } = registry;
        const { now } = registry.admin;
        const reads = readsOfCluster(client, {
          identity: 'test-cluster',
          readBindings: async () => bound,
        });
        const mapping = new Map();
        return reviewObject({ ports, verbs, reads, mapping, now, newId: newUuid }, request);
      },
      onError,
      answerWithinMs: 3_000,
    });
  const keep = () =>
    keepCertificates({
      ...place(),
      // The test calls `look` itself; scheduled calls would race with it.
      clock: { ...clock, after: () => () => {} },
      dnsNames: ['localhost'],
      configuration,
      onError,
      times: {
        authorityMs: 14 * hourMs,
        servingMs: 8 * hourMs,
        settleMs: 60_000,
        // Certificates made while the clock is ahead must also be valid by the real clock.
        backdateMs: 10 * hourMs,
      },
    });

  const table = (...columns: string[]) => ({
    type: 'object',
    properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
  });
  const manifest = (name: string, spec: object, more: object = {}) => ({
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: { namespace, name, ...more },
    spec,
  });
  /** The exit code and the output of kubectl for a dry run. */
  const applyDry = async (object: object) => {
    const args = ['apply', '--server-side', '--dry-run=server', '-f', '-'];
    const { code, stderr } = await kubectl(address, args, { input: JSON.stringify(object) });
    const lines = stderr.split('\n').filter((line) => line !== '');
    return { code, lines };
  };
  const eventCount = async () => {
    const rows = await registry.database.query('select count(*)::int as n from audit_event', []);
    return rows[0]?.n;
  };
  const configure = async (failurePolicy: 'Ignore' | 'Fail') => {
    const made = toWebhookConfiguration({
      name: configuration,
      clientConfig: { url: `https://localhost:${port}/validate` },
    }) as { webhooks: object[] };
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
    const webhooks = made.webhooks.map((hook) => ({ ...hook, failurePolicy, namespaceSelector }));
    await kubectlOk(address, ['apply', '--server-side', '-f', '-'], {
      input: stringify({ ...made, webhooks }),
    });
  };

  beforeAll(async () => {
    ({ address, release } = await shareKubernetes());
    registry = await openTestRegistry(async (url) => {
      postgres = await startPostgresProxy(url);
      return postgres.url;
    });
    const checkout = await registry.team('checkout');
    billing = await registry.team('billing');
    admin = new ApiClient(configOf(address));
    client = new ApiClient(configOf(address, 'robot'));
    const rights = webhookRights({ configuration, secret: place().name });
    const role = (kind: string, rules: readonly object[], more: object = {}) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
      metadata: { name: 'webhook-test', ...more },
      rules,
    });
    const binding = (kind: string, roleKind: string, more: object = {}) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
      metadata: { name: 'webhook-test', ...more },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: roleKind, name: 'webhook-test' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'robot' }],
    });
    const objects = [
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace, labels: { 'concordat.dev/team': 'checkout' } },
      },
      role('ClusterRole', [...controllerRights, ...rights.cluster]),
      binding('ClusterRoleBinding', 'ClusterRole'),
      role('Role', rights.namespaced, { namespace }),
      binding('RoleBinding', 'Role', { namespace }),
    ];
    await kubectlOk(address, ['apply', '--server-side', '-f', '-'], {
      input: objects.map((object) => stringify(object)).join('---\n'),
    });
    [port = 0] = await freePorts(1);
    const { ports, admin: context } = registry;
    orders = accepted(
      await verbs.createAsset(ports, context, { fqn: 'shop.orders', ownerTeamId: checkout.id }),
    );
    const published = accepted(
      await verbs.publishContract(ports, context, {
        assetId: orders.id,
        schema: table('id', 'amount'),
        dryRun: false,
        supersede: false,
      }),
    );
    if (published.action !== 'published') throw new Error('nothing was published');
    accepted(
      await verbs.registerConsumer(ports, context, {
        contractId: published.contract.id ?? '',
        consumerTeamId: billing.id,
      }),
    );
    accepted(await verbs.createAsset(ports, context, { fqn: 'theirs.a', ownerTeamId: billing.id }));
    await configure('Ignore');
    webhook = await open();
  });

  afterAll(async () => {
    await webhook?.stop();
    admin?.close();
    client?.close();
    await release?.();
    await registry?.stop();
    await postgres?.close();
  });

  const invalid = () => manifest('invalid', { fqn: 'shop.bad', schema: { type: 'strnig' } });

  test('blocks nothing before it has a certificate, and works once it has one', async () => {
    expect(await readSecret(place())).toEqual(noSecret);
    expect((await applyDry(invalid())).code).toBe(0);
    const keeper = keep();
    try {
      await keeper.look();
      await webhook.refresh();
      await vi.waitFor(async () => expect((await applyDry(invalid())).code).toBe(1), patience);
      expect(await keeper.look()).toBe('keep');
    } finally {
      await keeper.stop();
    }
  });

  test('refuses an invalid schema, and says what is wrong with it', async () => {
    const { code, lines } = await applyDry(invalid());
    expect(code).toBe(1);
    expect(lines.join()).toMatch(
      /admission webhook "validate\.concordat\.dev" denied the request: .*type/,
    );
    const proposal = {
      ...manifest('p', { fqn: 'shop.orders', schema: { $ref: 'https://example.org/x' } }),
      kind: 'ContractProposal',
    };
    const twice = { id: { type: 'strng' }, note: { type: 'boolaen' } };
    const both = await applyDry(
      manifest('both', { fqn: 'shop.both', schema: { properties: twice } }),
    );
    expect(both.lines.join()).toMatch(
      /DataContract [a-z-]+\/both: The schema is not valid\. \$\.properties\.id\.type: .*; \$\.properties\.note\.type: /,
    );
    const guarantees = { freshnes: { max_staleness_minutes: 5 } };
    const typo = await applyDry(manifest('typo', { fqn: 'shop.typo', schema: {}, guarantees }));
    expect([typo.code, typo.lines.join()]).toEqual([
      1,
      expect.stringMatching(/DataContract [a-z-]+\/typo: .*spec\.guarantees\.freshnes/),
    ]);
    const refused = await applyDry(proposal);
    expect([refused.code, refused.lines.join()]).toEqual([1, expect.stringMatching(/ref/i)]);
  });

  test('refuses a check that could never run, and warns where nothing checks', async () => {
    const secretKeyRef = { name: 'check', key: 'key' };
    const check = (schedule: string, table?: string) => ({
      ...manifest('check', {
        ...{ fqn: 'shop.orders', schedule, registryKey: { secretKeyRef } },
        source: { url: 'postgres://db/shop', table },
      }),
      kind: 'ContractCheck',
    });
    const never = await applyDry(check('61 * * * *', 'orders'));
    expect([never.code, never.lines.join()]).toEqual([
      1,
      expect.stringMatching(/ContractCheck [a-z-]+\/check: .*"61 \* \* \* \*" is no schedule/),
    ]);
    expect((await applyDry(check('@daily'))).lines.join()).toContain('a table or a query');
    expect(await applyDry(check('@daily', 'orders'))).toEqual({
      code: 0,
      lines: ['Warning: this release checks no data: set checks.enabled of its chart to true'],
    });
  });

  test('answers a breaking change with what breaks and who is asked, and writes nothing', async () => {
    const before = await eventCount();
    const { code, lines } = await applyDry(
      manifest('orders', { fqn: 'shop.orders', schema: table('id') }),
    );
    expect(code).toBe(0);
    expect(lines).toEqual([
      'Warning: this breaks shop.orders 1.0.0: billing would be asked, and it is published once they have acknowledged it',
      expect.stringMatching(/^Warning: \$\.properties\.amount: /),
    ]);
    const consumers = [{ team: 'checkout' }];
    const more = await applyDry(
      manifest('orders', {
        fqn: 'shop.orders',
        schema: table('id'),
        addConsumers: consumers,
        publishPolicy: 'Manual',
      }),
    );
    expect(more.lines[0]).toContain(
      'billing, checkout would be asked, and it can be published once they have acknowledged it',
    );
    expect(await eventCount()).toBe(before);
  });

  test('names the consumers that are asked, by what they read', async () => {
    const { ports, admin: context } = registry;
    const shipping = await registry.team('shipping');
    const asset = accepted(
      await verbs.createAsset(ports, context, {
        fqn: 'shop.read',
        ownerTeamId: orders.ownerTeamId,
        needsMode: 'protect',
      }),
    );
    const first = accepted(
      await verbs.publishContract(ports, context, {
        assetId: asset.id,
        schema: table('id', 'amount'),
        compatibilityMode: 'none',
        dryRun: false,
        supersede: false,
      }),
    );
    if (first.action !== 'published') throw new Error('nothing was published');
    const needs = [
      [billing.id, '$.amount'],
      [shipping.id, '$.id'],
    ] as const;
    for (const [consumerTeamId, field] of needs) {
      accepted(
        await verbs.registerConsumer(ports, context, {
          contractId: first.contract.id ?? '',
          consumerTeamId,
          needs: { fields: [field] },
        }),
      );
    }
    const spec = {
      fqn: 'shop.read',
      schema: table('id'),
      compatibilityMode: 'None',
      needsMode: 'Protect',
    };
    expect((await applyDry(manifest('read', spec))).lines).toEqual([
      'Warning: this may break readers of shop.read 1.0.0: billing would be asked, and it is published once they have acknowledged it',
    ]);
  });

  test('judges a document as the reconciler does: by its dialect, direction and guarantees', async () => {
    const { ports, admin: context } = registry;
    const bound = { type: 'number', minimum: 0, exclusiveMinimum: true, nullable: true };
    const document = {
      openapi: '3.0.3',
      info: { title: 'shop', version: '1' },
      paths: {
        '/totals': {
          get: {
            responses: {
              200: {
                description: '',
                content: {
                  'application/json': { schema: { type: 'object', properties: { total: bound } } },
                },
              },
            },
          },
        },
      },
    };
    const [operation] = parseOpenApi(document).candidates;
    if (operation?.terms == null) throw new Error('the document has no operation');
    const asset = accepted(
      await verbs.createAsset(ports, context, {
        fqn: 'shop.totals',
        ownerTeamId: orders.ownerTeamId,
      }),
    );
    accepted(
      await verbs.publishContract(ports, context, {
        ...operation.terms,
        assetId: asset.id,
        dryRun: false,
        supersede: false,
      }),
    );
    const literal = `--from-literal=a=${JSON.stringify(document)}`;
    await kubectlOk(address, ['create', 'configmap', 'totals', '-n', namespace, literal]);
    const schemaFrom = {
      configMapKeyRef: { name: 'totals', key: 'a' },
      format: 'OpenAPI',
      operation: 'GET /totals',
    };
    const object = manifest('totals', { fqn: 'shop.totals', schemaFrom });
    expect(await applyDry(object)).toEqual({ code: 0, lines: [] });
  });

  test('warns of what else consumers are asked: another team, and modes that protect less', async () => {
    const { ports, admin: context } = registry;
    const made = {
      fqn: 'shop.strict',
      ownerTeamId: orders.ownerTeamId,
      guaranteeMode: 'strict',
      needsMode: 'protect',
    } as const;
    const asset = accepted(await verbs.createAsset(ports, context, made));
    const published = accepted(
      await verbs.publishContract(ports, context, {
        assetId: asset.id,
        schema: table('id'),
        dryRun: false,
        supersede: false,
      }),
    );
    if (published.action !== 'published') throw new Error('nothing was published');
    const contractId = published.contract.id ?? '';
    const strict = { guaranteeMode: 'Strict', needsMode: 'Protect' };
    const linesOf = async (more: object) => {
      const spec = { fqn: made.fqn, schema: table('id'), ...strict, ...more };
      return (await applyDry(manifest('strict', spec))).lines;
    };
    // Nobody would be asked.
    expect(await linesOf({ guaranteeMode: 'Notify' })).toEqual([]);
    const reader = { contractId, consumerTeamId: billing.id };
    accepted(await verbs.registerConsumer(ports, context, reader));
    const before = await eventCount();
    const asked =
      'Warning: this takes something from the consumers of shop.strict: billing would be asked, and it is applied once they have acknowledged it';
    expect(await linesOf({})).toEqual([]);
    expect(await linesOf({ guaranteeMode: 'Notify' })).toEqual([
      asked,
      'Warning: $.guaranteeMode: The guarantee mode of shop.strict would change from Strict to Notify.',
    ]);
    expect(await linesOf({ needsMode: 'Narrow', publishPolicy: 'Manual' })).toEqual([
      asked.replace('it is applied', 'it can be applied'),
      expect.stringMatching(/^Warning: \$\.needsMode: .* from Protect to Narrow,/),
    ]);
    expect(await eventCount()).toBe(before);
    await registry.team('stock');
    const actFor = (teams: string) =>
      kubectlOk(address, ['label', 'ns', namespace, '--overwrite', `concordat.dev/team=${teams}`]);
    await actFor('checkout.stock');
    const moved = await linesOf({ team: 'stock' });
    await actFor('checkout');
    expect(moved).toEqual([
      asked,
      'Warning: $.team: shop.strict would move: its owner changes from checkout to stock.',
    ]);
  });

  test('takes the older spelling, and says what to write instead', async () => {
    const { code, lines } = await applyDry(
      manifest('older', {
        fqn: 'shop.older',
        schema: {},
        compatibilityMode: 'full',
        guaranteeMode: 'strict',
        guarantees: { freshness: { max_staleness_minutes: 5 } },
        consumers: [{ team: 'billing' }],
      }),
    );
    expect(code).toBe(0);
    expect(lines.sort()).toEqual([
      'Warning: spec.compatibilityMode: write Full instead of full',
      'Warning: spec.guaranteeMode: write Strict instead of strict',
      'Warning: spec.guarantees.freshness: write maxStalenessMinutes instead of max_staleness_minutes',
      'Warning: spec: write addConsumers instead of consumers',
    ]);
    const registration = {
      ...manifest('reads', {
        fqn: 'shop.orders',
        acknowledge: [{ proposal: 'orders-1', response: 'Approved' }],
      }),
      kind: 'ContractRegistration',
    };
    expect(await applyDry(registration)).toEqual({
      code: 0,
      lines: ['Warning: spec: write acknowledgements, which name a digest, instead of acknowledge'],
    });
  });

  test('speaks of the fields of the object', async () => {
    const guarantees = { freshness: { maxStalenessMinutes: 0 }, acceptedValues: { state: [] } };
    const { code, lines } = await applyDry(
      manifest('words', { fqn: 'shop.words', schema: {}, guarantees }),
    );
    expect(code).toBe(1);
    expect(lines.join()).toContain('spec.guarantees.freshness.maxStalenessMinutes must be');
    expect(lines.join()).toContain('spec.guarantees.acceptedValues.state must be');
    expect(lines.join()).not.toMatch(/[a-z]_[a-z]/);
  });

  test('says nothing of what breaks nobody', async () => {
    const spec = { fqn: 'shop.orders', schema: table('id', 'amount', 'tax') };
    expect(await applyDry(manifest('orders', spec))).toEqual({ code: 0, lines: [] });
    expect(await applyDry(manifest('fresh', { fqn: 'shop.fresh', schema: {} }))).toEqual({
      code: 0,
      lines: [],
    });
    expect(await applyDry(manifest('off', { ...invalid().spec, suspend: true }))).toEqual({
      code: 0,
      lines: [],
    });
  });

  test('tells nobody what the contract of another team says', async () => {
    const { code, lines } = await applyDry(manifest('a', { fqn: 'theirs.a', schema: {} }));
    expect(code).toBe(0);
    expect(lines).toEqual([
      'Warning: theirs.a belongs to billing, and namespace webhook does not act for that team.',
    ]);
    const named = await applyDry(manifest('b', { fqn: 'x.y', schema: {}, team: 'billing' }));
    expect(named.lines.join()).toContain('does not act for team billing, only for checkout');
  });

  test('minds which team a namespace was bound to, when its slug has gone to another', async () => {
    bound = [{ namespace, slug: 'checkout', teamId: billing.id }];
    const { lines } = await applyDry(manifest('a', { fqn: 'shop.orders', schema: table('id') }));
    bound = [];
    expect(lines).toEqual([
      expect.stringContaining('The slug checkout now belongs to a different team'),
    ]);
  });

  test('reads the ConfigMap that a schema comes from', async () => {
    const schemaFrom = { configMapKeyRef: { name: 'schemas', key: 'a' } };
    const object = manifest('from', { fqn: 'shop.orders', schemaFrom });
    expect((await applyDry(object)).lines.join()).toContain(
      'ConfigMap webhook/schemas does not exist',
    );
    const literal = `--from-literal=a=${JSON.stringify(table('id'))}`;
    await kubectlOk(address, ['create', 'configmap', 'schemas', '-n', namespace, literal]);
    expect((await applyDry(object)).lines[0]).toContain('billing would be asked');
    const bad = ['patch', 'configmap', 'schemas', '-n', namespace, '--type=merge', '-p'];
    await kubectlOk(address, [...bad, '{"data":{"a":"no"}}']);
    expect(await applyDry(object)).toEqual({
      code: 1,
      lines: [expect.stringContaining('It is not JSON')],
    });
  });

  test('is not asked where the spec stays', async () => {
    const spec = { fqn: 'shop.kept', schema: table('id') };
    await kubectlOk(address, ['apply', '--server-side', '-f', '-'], {
      input: JSON.stringify(manifest('kept', spec)),
    });
    const before = reviews;
    await kubectlOk(address, ['annotate', 'datacontract', 'kept', '-n', namespace, 'a=b']);
    await kubectlOk(address, ['delete', 'datacontract', 'kept', '-n', namespace]);
    expect(reviews).toBe(before);
  });

  test('lets pass what it cannot check in time, and says so', async () => {
    const breaking = manifest('orders', { fqn: 'shop.orders', schema: table('id') });
    postgres.stall();
    try {
      const { code, lines } = await applyDry(breaking);
      expect([code, lines]).toEqual([
        0,
        [
          'Warning: not checked by Concordat yet, because checking it takes too long: see its status later',
        ],
      ]);
    } finally {
      postgres.heal();
    }
    // An invalid schema is refused without the registry.
    expect((await applyDry(invalid())).code).toBe(1);
    await vi.waitFor(
      async () => expect((await applyDry(breaking)).lines[0]).toContain('would be asked'),
      patience,
    );
  });

  test('blocks nothing while it is down', async () => {
    await webhook.stop();
    expect(await applyDry(invalid())).toEqual({ code: 0, lines: [] });
    // The alert ConcordatAdmissionUnreachable asks for this metric.
    expect(await kubectlOk(address, ['get', '--raw', '/metrics'])).toMatch(
      /^apiserver_admission_webhook_fail_open_count\{name="validate\.concordat\.dev",type="validating"\} [1-9]/m,
    );
    webhook = await open();
    await vi.waitFor(async () => expect((await applyDry(invalid())).code).toBe(1), patience);
  });

  test('has its certificates changed, and its authority, without a request that fails', async () => {
    await configure('Fail');
    const path = objectPath('DataContract', namespace, 'rotated');
    const said: Json[] = [];
    let isOver = false;
    const ask = async () => {
      const body = manifest('rotated', { fqn: 'shop.rotated', schema: {} });
      // Uses a new connection, so that the certificate is checked each time.
      const answer = await admin.request({
        method: 'POST',
        path: collectionPath('DataContract', namespace),
        query: { dryRun: 'All' },
        body,
      });
      if (answer.status !== 201) said.push(answer.body);
    };
    const requests = (async () => {
      while (!isOver) await ask();
    })();
    const keeper = keep();
    const states: string[] = [];
    const note = async () => {
      states.push(await keeper.look());
      await webhook.refresh();
    };
    try {
      const first = await readSecret(place());
      await note();
      // A third of the served certificate's lifetime is left, and more of the authority's.
      offsetMs = 3 * hourMs;
      await note();
      await note();
      const second = await readSecret(place());
      offsetMs = 7 * hourMs;
      await note();
      const third = await readSecret(place());
      // The new authority is published, but not served with yet.
      await note();
      offsetMs += 2 * 60_000;
      await note();
      await note();
      const fourth = await readSecret(place());
      expect(states).toEqual(['keep', 'issue', 'keep', 'add authority', 'keep', 'issue', 'keep']);
      expect(second.authorities).toBe(first.authorities);
      expect(second.certificate).not.toBe(first.certificate);
      expect(third.certificate).toBe(second.certificate);
      expect(third.authorities).toContain(second.authorities);
      expect(fourth.certificate).not.toBe(third.certificate);
      const [newest = ''] = fourth.authorities.split(/(?<=END CERTIFICATE-----\n)/);
      const issuer = new X509Certificate(newest);
      expect(new X509Certificate(fourth.certificate).verify(issuer.publicKey)).toBe(true);
      // Enough requests with the new certificate to reveal a refusal.
      await Promise.all(Array.from({ length: 20 }, ask));
    } finally {
      isOver = true;
      await requests;
      await keeper.stop();
      offsetMs = 0;
    }
    expect(said).toEqual([]);
    expect(await admin.request({ method: 'GET', path })).toMatchObject({ status: 404 });
  });

  test('starts over where somebody wrote nonsense into its Secret', async () => {
    await configure('Fail');
    const patch = ['patch', 'secret', 'concordat-webhook', '-n', namespace, '--type=merge', '-p'];
    const nonsense = Buffer.from('nonsense').toString('base64');
    await kubectlOk(address, [...patch, `{"data":{"ca.crt":"${nonsense}"}}`]);
    const keeper = keep();
    try {
      expect(await keeper.look()).toBe('start over');
      await webhook.refresh();
      expect(await keeper.look()).toBe('keep');
    } finally {
      await keeper.stop();
    }
    await vi.waitFor(async () => {
      const { lines } = await applyDry(invalid());
      expect(lines.join()).toContain('denied the request');
    }, patience);
  });

  test('is told that its configuration is missing, and takes nothing else for it', async () => {
    await kubectlOk(address, ['delete', 'validatingwebhookconfiguration', configuration]);
    const keeper = keep();
    try {
      await keeper.look();
    } finally {
      await keeper.stop();
    }
    expect(errors.at(-1)).toContain(`ValidatingWebhookConfiguration ${configuration} is not there`);
    const listed = await kubectlOk(address, [
      'get',
      'validatingwebhookconfigurations',
      '-o',
      'name',
    ]);
    expect(listed).not.toContain(configuration);
  });
});
