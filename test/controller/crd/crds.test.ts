import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { crdFiles, staleCrdFiles } from '../../../scripts/crds.ts';
import { checkSpec, describeProblems } from '../../../src/controller/check-spec.ts';
import { ApiClient, messageOf } from '../../../src/controller/cluster/api-client.ts';
import { collectionPath, objectPath } from '../../../src/controller/cluster/resources.ts';
import {
  apiVersion,
  isClusterScoped,
  type KindName,
  kinds,
} from '../../../src/controller/crd/kinds.ts';
import type { Rule, Schema } from '../../../src/controller/crd/schema.ts';
import { onlyBesideFiles } from '../../../src/controller/crd/shared-fields.ts';
import { canonicalJson } from '../../../src/core/value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/value/json.ts';
import { type ClusterAddress, configOf, kubectlOk } from '../../support/kubernetes/kubernetes.ts';
import { shareKubernetes } from '../../support/kubernetes/kubernetes-setup.ts';

const namespace = 'crds';
let address: ClusterAddress;
let release: () => Promise<void>;
let client: ApiClient;

beforeAll(async () => {
  ({ address, release } = await shareKubernetes());
  client = new ApiClient(configOf(address));
  await kubectlOk(address, ['create', 'namespace', namespace]);
});

afterAll(async () => {
  client?.close();
  await release?.();
});

function manifest(kind: KindName, name: string, spec: object): object {
  return { apiVersion, kind, metadata: { namespace: placeOf(kind), name }, spec };
}

/** '' for a kind without namespaces. */
const placeOf = (kind: KindName) => (isClusterScoped(kind) ? '' : namespace);

const schema = { type: 'object', properties: { id: { type: 'string' } } };
const contract = { fqn: 'shop.orders', schema };
const proposal = { contractRef: { name: 'orders' }, schema };
const registration = { fqn: 'shop.orders' };
const secretKeyRef = { name: 'shop', key: 'token' };
const check = {
  contractRef: { name: 'orders' },
  source: { url: 'postgres://reader@db:5432/shop?sslmode=verify-full', table: 'public.orders' },
  registryKey: { secretKeyRef },
};
const exampleTeam = parse(readFileSync('examples/gitops/teams/orders.yaml', 'utf8')).spec;
const exampleCheck = parse(readFileSync('examples/gitops/checks/orders.yaml', 'utf8')).spec;
const checking = (source: object, more: object = {}) =>
  ['ContractCheck', { ...check, ...more, source }] as const;
const answerById = {
  proposalRef: { id: '01890000-0000-7000-8000-000000000000' },
  digest: 'f00',
};

async function create(kind: KindName, name: string, spec: object): Promise<JsonObject> {
  return client.expect({
    method: 'POST',
    path: collectionPath(kind, placeOf(kind)),
    body: manifest(kind, name, spec),
  });
}

/** The API server's message about a spec; '' if it accepts it. The spec is not stored. */
async function refusalOf(kind: KindName, spec: object, before?: object): Promise<string> {
  const name = `try-${randomUUID()}`;
  const stored = before === undefined ? null : await create(kind, name, before);
  const answer = await client.request({
    method: stored === null ? 'POST' : 'PUT',
    path:
      stored === null ? collectionPath(kind, placeOf(kind)) : objectPath(kind, placeOf(kind), name),
    query: { dryRun: 'All' },
    body: stored === null ? manifest(kind, name, spec) : { ...stored, spec },
  });
  return answer.status < 300 ? '' : messageOf(answer.body);
}

function refusalOfFile(kind: KindName, spec: object, before?: object): string {
  const schema = kinds.find((candidate) => candidate.kind === kind)?.spec;
  if (schema === undefined) throw new Error(`no kind ${kind}`);
  const asJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value));
  const old = before === undefined ? undefined : asJson(before);
  return describeProblems(checkSpec(schema, asJson(spec), old));
}

describe('The files made from the kinds', () => {
  test('are what the code says', () => {
    expect(staleCrdFiles()).toEqual([]);
    expect(Object.keys(crdFiles)).toHaveLength(7);
  });
});

describe('The CRDs on a real API server', () => {
  test('say something about every field', () => {
    const silent = kinds.flatMap((kind) => [
      ...silentFields(`${kind.kind}.spec`, kind.spec),
      ...silentFields(`${kind.kind}.status`, kind.status),
    ]);
    expect(silent).toEqual([]);
  });

  test('read like a manual in kubectl explain', async () => {
    const text = await kubectlOk(address, ['explain', 'datacontract.spec.publishPolicy']);
    expect(text.replace(/\s+/g, ' ')).toContain(
      'ENUM: Automatic Manual DESCRIPTION: What happens to a breaking change once all consumers have acknowledged it.',
    );
    const nested = await kubectlOk(address, ['explain', 'cprop.spec.acknowledgements.reason']);
    expect(nested).toContain('A message to the producer. Required with Blocked.');
  });

  test('are known by their short names and their category', async () => {
    const text = await kubectlOk(address, [
      'api-resources',
      '--categories=concordat',
      '--no-headers',
    ]);
    const rows = text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).slice(0, 2));
    expect(rows).toEqual([
      ['contractchecks', 'ccheck'],
      ['contractproposals', 'cprop'],
      ['contractregistrations', 'creg'],
      ['datacontracts', 'dcon'],
      ['teams', 'cteam'],
    ]);
  });

  test.each([
    ['a contract', 'DataContract', contract],
    [
      'a contract with everything',
      'DataContract',
      {
        ...contract,
        environment: 'staging',
        team: 'checkout',
        ownerUser: 'ada@example.org',
        description: 'Orders.',
        tags: ['pii'],
        metadata: { any: { thing: [1, null] } },
        compatibilityMode: 'Full',
        guarantees: {
          freshness: { maxStalenessMinutes: 5, measuredBy: 'at' },
          nullability: { id: 'Never' },
          acceptedValues: { state: ['a', 1, null] },
          custom: [{ type: 'unique', column: 'id' }],
        },
        guaranteeMode: 'Strict',
        addConsumers: [{ team: 'billing', purpose: 'invoices' }, { team: 'search' }],
        decisions: [{ digest: 'f00', decision: 'Withdraw', reason: 'Not now.' }],
        adopt: true,
        version: '1.2.3',
        publishPolicy: 'Manual',
        deletionPolicy: 'Deprecate',
        suspend: true,
      },
    ],
    [
      'a contract in the spelling of the registry, which is older',
      'DataContract',
      {
        ...contract,
        compatibilityMode: 'full',
        guarantees: {
          freshness: { max_staleness_minutes: 5, measured_by: 'at' },
          nullability: { id: 'never' },
          accepted_values: { state: ['a', 1, null] },
        },
        guaranteeMode: 'strict',
        consumers: [{ team: 'billing' }],
      },
    ],
    [
      'a contract from a ConfigMap',
      'DataContract',
      { fqn: 'a.b', schemaFrom: { configMapKeyRef: { name: 'x', key: 'schema.json' } } },
    ],
    ['a proposal', 'ContractProposal', proposal],
    [
      'a proposal of a deprecation',
      'ContractProposal',
      { fqn: 'a.b', environment: 'x', kind: 'Deprecation' },
    ],
    ['a proposal of a move', 'ContractProposal', { fqn: 'a.b', kind: 'Move', team: 'billing' }],
    [
      'a registration',
      'ContractRegistration',
      {
        ...registration,
        acknowledgements: [
          { proposalRef: { name: 'orders-1' }, digest: 'f00', response: 'Approved' },
          { ...answerById, response: 'Blocked', reason: 'We read it.' },
        ],
        acknowledge: [{ proposal: 'orders-1', response: 'Approved' }],
      },
    ],
    ['a team', 'Team', {}],
    ['the example of a team', 'Team', exampleTeam],
    ['a check', 'ContractCheck', check],
    ['the example of a check', 'ContractCheck', exampleCheck],
    [
      'a check with everything',
      'ContractCheck',
      {
        ...{ fqn: 'a.b', environment: 'x', team: 'checkout', severity: 'Critical', suspend: true },
        ...{ schedule: '*/5 0-6 ? jan-mar MON', timeoutSeconds: 60 },
        registryKey: { secretKeyRef },
        source: {
          ...{ urlFrom: { secretKeyRef }, passwordFrom: { secretKeyRef } },
          ...{ query: 'select 1', window: '2h', redact: ['email'] },
        },
      },
    ],
    ['a check of a topic', ...checking({ url: 'kafka://a:9092,b:9092/orders?tls=true' })],
  ] as const)('take %s', async (_, kind, spec) => {
    expect(await refusalOf(kind, spec)).toBe('');
    expect(refusalOfFile(kind, spec)).toBe('');
  });

  const reference = { configMapKeyRef: { name: 'x', key: 'y' } };
  const answer = { team: 'billing', response: 'Blocked' };
  const refusedSpecs = [
    ['DataContract', { schema }, 'spec.fqn: Required value'],
    ['DataContract', { ...contract, fqn: 'orders' }, 'should match'],
    ['DataContract', { ...contract, fqn: 'a..b' }, 'should match'],
    ['DataContract', { fqn: 'a.b' }, 'give exactly one of schema and schemaFrom'],
    [
      'DataContract',
      { ...contract, schemaFrom: reference },
      'give exactly one of schema and schemaFrom',
    ],
    [
      'DataContract',
      { fqn: 'a.b', schemaFrom: {} },
      'give exactly one of file and configMapKeyRef',
    ],
    [
      'ContractProposal',
      { fqn: 'a.b', schemaFrom: { ...reference, file: { path: 'a.json' } } },
      'give exactly one of file and configMapKeyRef',
    ],
    ...['../a.json', '/a.json', 'a/../../b.json', '.git/config', 'a\\b.json', 'a//b'].map(
      (path) =>
        [
          path.startsWith('/') ? 'ContractProposal' : 'DataContract',
          { fqn: 'a.b', schemaFrom: { file: { path } } },
          'path must lead to a file in the folder of the manifest',
        ] as const,
    ),
    ['DataContract', { ...contract, compatibilityMode: 'backwards' }, 'Unsupported value'],
    ['DataContract', { ...contract, team: 'Check Out' }, 'should match'],
    ['DataContract', { ...contract, version: '1.2' }, 'should match'],
    ['DataContract', { ...contract, ownerUser: 'ada' }, 'should match'],
    ['DataContract', { ...contract, consumers: [{ team: 'a' }, { team: 'a' }] }, 'Duplicate value'],
    ...['GraphQL', 'OpenAPI', 'Dbt'].flatMap((format) =>
      // Includes the older spelling.
      [format, format.toLowerCase()].flatMap((spelled) =>
        (['DataContract', 'ContractProposal'] as const).map(
          (kind) =>
            [
              kind,
              { fqn: 'a.b', schemaFrom: { ...reference, format: spelled } },
              `is needed where format is ${format}`,
            ] as const,
        ),
      ),
    ),
    [
      'DataContract',
      { ...contract, consumers: [{ team: 'a' }], addConsumers: [{ team: 'b' }] },
      'give addConsumers, and not consumers',
    ],
    [
      'DataContract',
      { ...contract, decisions: [{ digest: 'f00', decision: 'Withdraw' }] },
      'reason is needed where decision is Withdraw',
    ],
    // A credential, or a file of the pod, in an address.
    [...checking({ url: 'postgres://reader:secret@db/shop' }), 'should match'],
    [...checking({ url: 'postgres://db/shop?password=secret' }), 'should match'],
    [...checking({ url: 'postgres://db/shop?sslmode=require&passw%6Frd=secret' }), 'should match'],
    [...checking({ url: 'kafka://user:secret@a:9092/orders' }), 'should match'],
    [...checking({ url: 'kafka://a:9092/orders?tls=true&key=/etc/key' }), 'should match'],
    [...checking({ url: '/etc/passwd' }), 'should match'],
    [...checking({ url: '@/etc/passwd' }), 'should match'],
    [...checking({ url: 'file:///data/orders.csv' }), 'should match'],
    [...checking({}), 'give exactly one of url and urlFrom'],
    [...checking({ ...check.source, query: 'x' }), 'give at most one of table and query'],
    [
      ...checking({ ...check.source, certFrom: { secretKeyRef: { name: 'a', key: 'b' } } }),
      'give certFrom and keyFrom together',
    ],
    [...checking(check.source, { timeZone: '../etc' }), 'should match'],
    [...checking(check.source, { fqn: 'a.b' }), 'give exactly one of contractRef and fqn'],
    [...checking(check.source, { environment: 'x' }), 'environment goes with fqn'],
    [...checking(check.source, { schedule: 'daily' }), 'should match'],
    [...checking(check.source, { schedule: '0 5 * * * *' }), 'should match'],
    [...checking(check.source, { timeoutSeconds: 86_401 }), 'timeoutSeconds'],
    [...checking({ ...check.source, window: '2 weeks' }), 'should match'],
    ['ContractProposal', { schema }, 'give exactly one of contractRef and fqn'],
    ['ContractProposal', { ...proposal, fqn: 'a.b' }, 'give exactly one of contractRef and fqn'],
    ['ContractProposal', { ...proposal, environment: 'x' }, 'environment goes with fqn'],
    [
      'ContractProposal',
      { ...proposal, schemaFrom: reference },
      'give schema or schemaFrom, not both',
    ],
    ['ContractProposal', { fqn: 'a.b' }, 'nothing is proposed'],
    ['ContractProposal', { ...proposal, kind: 'Deprecation' }, 'go with kind Schema only'],
    ['ContractProposal', { fqn: 'a.b', kind: 'Move' }, 'team goes with kind Move'],
    ['ContractProposal', { ...proposal, team: 'x' }, 'team goes with kind Move'],
    [
      'ContractProposal',
      { fqn: 'a.b', kind: 'GuaranteeMode' },
      'guaranteeMode goes with kind GuaranteeMode',
    ],
    ['ContractRegistration', { fqn: 'a.b', needs: {} }, 'give exactly one of fields and schema'],
    ['ContractProposal', { fqn: 'a.b', kind: 'NeedsMode' }, 'needsMode goes with kind NeedsMode'],
    [
      'ContractProposal',
      { ...proposal, decision: 'Withdraw' },
      'decisionReason is needed where decision is Withdraw or Force',
    ],
    [
      'ContractProposal',
      { ...proposal, decision: 'Force', decisionReason: '' },
      'decisionReason is needed where decision is Withdraw or Force',
    ],
    [
      'ContractProposal',
      { ...proposal, acknowledgements: [answer] },
      'reason is needed with response Blocked',
    ],
    [
      'ContractProposal',
      { ...proposal, acknowledgements: [{ ...answer, reason: 'No.', notes: 'No.' }] },
      'give reason, and not notes, which is its older name',
    ],
    [
      'ContractRegistration',
      { ...registration, purpose: 'Invoices.', notes: 'Invoices.' },
      'give purpose, and not notes, which is its older name',
    ],
    [
      'ContractProposal',
      {
        ...proposal,
        acknowledgements: [{ team: 'a', response: 'Approved', until: '2026-01-01T00:00:00Z' }],
      },
      'until is for response Migrating only',
    ],
    [
      'ContractRegistration',
      { ...registration, acknowledgements: [{ ...answerById, response: 'Blocked' }] },
      'reason is needed with response Blocked',
    ],
    [
      'ContractRegistration',
      {
        ...registration,
        acknowledgements: [{ proposalRef: {}, digest: 'f00', response: 'Approved' }],
      },
      'give exactly one of name and id',
    ],
    [
      'ContractRegistration',
      { ...registration, acknowledge: [{ proposal: 'x', response: 'Blocked' }] },
      'notes are needed with response Blocked',
    ],
    [
      'ContractRegistration',
      {
        ...registration,
        acknowledge: [{ proposal: 'x', response: 'Approved', until: '2026-01-01T00:00:00Z' }],
      },
      'until is for response Migrating only',
    ],
  ] as const;
  test.each(refusedSpecs)('refuse a %s with %j, and say why', async (kind, spec, message) => {
    expect(await refusalOf(kind, spec)).toContain(message);
    // A file, which no API server sees, is refused in the same words.
    expect(refusalOfFile(kind, spec)).toContain(
      message.replace(/^spec.fqn: |Unsupported value/, ''),
    );
  });

  test.each([
    ['2026-02-30', false],
    ['2026-1-31', false],
    ['2028-02-29', true],
  ])('take a day of the calendar: answerBy %s', async (answerBy, isDay) => {
    const spec = { ...proposal, answerBy };
    const refusals = [
      await refusalOf('ContractProposal', spec),
      refusalOfFile('ContractProposal', spec),
    ];
    if (isDay) expect(refusals).toEqual(['', '']);
    else
      expect(refusals).toEqual([
        expect.stringContaining('date'),
        expect.stringContaining('a day such as'),
      ]);
  });

  const refusedChanges = [
    ['DataContract', contract, { ...contract, fqn: 'shop.other' }, 'fqn is immutable'],
    ['DataContract', contract, { ...contract, environment: 'x' }, 'environment is immutable'],
    ['DataContract', { ...contract, environment: 'x' }, contract, 'environment is immutable'],
    [
      'ContractProposal',
      proposal,
      { ...proposal, contractRef: { name: 'other' } },
      'contractRef, fqn and environment are immutable',
    ],
    [
      'ContractProposal',
      { fqn: 'a.b', schema },
      { ...proposal },
      'contractRef, fqn and environment are immutable',
    ],
    [
      'ContractProposal',
      { fqn: 'a.b', schema },
      { fqn: 'a.b', kind: 'Deprecation' },
      'kind is immutable',
    ],
    ['ContractRegistration', registration, { fqn: 'a.b' }, 'fqn is immutable'],
    [
      'ContractRegistration',
      registration,
      { ...registration, environment: 'x' },
      'environment is immutable',
    ],
    [
      'ContractRegistration',
      { ...registration, team: 'x' },
      { ...registration, team: 'y' },
      'team is immutable',
    ],
    ['ContractRegistration', { ...registration, team: 'x' }, registration, 'team is immutable'],
  ] as const;
  test.each(refusedChanges)(
    'refuse to change a %s from %j to %j',
    async (kind, before, now, message) => {
      expect(await refusalOf(kind, now, before)).toContain(message);
      expect(refusalOfFile(kind, now, before)).toContain(message);
    },
  );

  test('have no rule of which none of these examples is refused', () => {
    const examples: readonly (readonly [KindName, string])[] = [
      ...refusedSpecs.map(([kind, , message]) => [kind, message] as const),
      ...refusedChanges.map(([kind, , , message]) => [kind, message] as const),
      ...refusedInClusters.map((kind) => [kind, onlyBesideFiles] as const),
    ];
    const untold = kinds.flatMap(({ kind, spec }) =>
      rulesOf(spec)
        .filter((rule) => !examples.some(([of, said]) => of === kind && rule.includes(said)))
        .map((rule) => `${kind}: ${rule}`),
    );
    expect(untold).toEqual([]);
  });

  test('name the field and the reason in every rule', () => {
    const rules = kinds.flatMap(({ spec }) => placedRulesOf(spec, 'spec'));
    expect(rules.length).toBeGreaterThan(20);
    for (const { rule, schema: at } of rules) {
      expect(Object.keys(at.properties ?? {}), rule.message).toContain(rule.fieldPath.slice(1));
      expect(rule.reason, rule.message).toMatch(/^FieldValue/);
    }
  });

  const refusedInClusters = ['DataContract', 'ContractProposal'] as const;
  test.each(refusedInClusters)(
    'refuse a file beside a %s in a cluster, which has no files; from a file it is valid',
    async (kind) => {
      const spec = { fqn: 'a.b', schemaFrom: { file: { path: './below/a.json' } } };
      expect(await refusalOf(kind, spec)).toContain(
        `spec.schemaFrom.file.path: Forbidden: ${onlyBesideFiles}`,
      );
      expect(refusalOfFile(kind, spec)).toBe('');
    },
  );

  test('say the path once, and of which object', async () => {
    const refused = await refusalOf('DataContract', { ...contract, schemaFrom: reference });
    expect(refused).toMatch(/DataContract\S* "[^"]+" is invalid: spec\.schema: Invalid value/);
    expect(refused.match(/spec\.schema:/g)).toHaveLength(1);
  });

  test('take the default environment written out as no change', async () => {
    const now = { ...contract, environment: 'production' };
    expect(await refusalOf('DataContract', now, contract)).toBe('');
  });

  test('keep a schema exactly as it was written, null and large integers too', async () => {
    const odd = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      const: null,
      enum: [null, JSON.rawJSON('9007199254740993')],
      maximum: JSON.rawJSON('9223372036854775807'),
      properties: { 'a/b': true, default: { default: null } },
    };
    const made = await create('DataContract', 'odd', { fqn: 'a.b', schema: odd });
    expect(canonicalJson(at(made, 'spec', 'schema'))).toBe(canonicalJson(odd));
  });

  test('start with observedGeneration -1, so that nothing takes a new object for a ready one', async () => {
    for (const [kind, spec] of [
      ['DataContract', contract],
      ['ContractProposal', proposal],
      ['ContractRegistration', registration],
      ['ContractCheck', check],
      ['Team', {}],
    ] as const) {
      const made = await create(kind, 'fresh', spec);
      expect([kind, made.status]).toEqual([kind, { observedGeneration: -1 }]);
    }
  });

  test('never mix the schemas of two appliers into a third', async () => {
    const apply = (manager: string, properties: object, force: boolean) =>
      client.request({
        method: 'PATCH',
        path: objectPath('DataContract', namespace, 'shared'),
        query: { fieldManager: manager, force },
        contentType: 'application/apply-patch+yaml',
        body: manifest('DataContract', 'shared', { fqn: 'a.b', schema: { properties } }),
      });
    const first = { a: { type: 'string' } };
    const second = { b: { type: 'integer' } };
    expect((await apply('first', first, false)).status).toBe(201);
    const conflict = await apply('second', second, false);
    expect([conflict.status, messageOf(conflict.body)]).toEqual([
      409,
      expect.stringContaining('.spec.schema'),
    ]);
    const forced = await apply('second', second, true);
    expect(at(forced.body, 'spec', 'schema')).toEqual({ properties: second });
  });

  test('show what matters in kubectl get', async () => {
    await create('DataContract', 'columns', contract);
    await client.expect({
      method: 'PATCH',
      path: `${objectPath('DataContract', namespace, 'columns')}/status`,
      contentType: 'application/merge-patch+json',
      body: {
        status: {
          version: '1.2.0',
          effective: { environment: 'production', compatibilityMode: 'Full', team: 'checkout' },
          consumers: 2,
          proposal: { name: 'columns-1', acknowledged: 1, total: 2 },
          conditions: [
            {
              type: 'Ready',
              status: 'True',
              reason: 'Published',
              message: 'Fine.',
              lastTransitionTime: '2026-01-01T00:00:00Z',
            },
          ],
        },
      },
    });
    const lines = async (...flags: string[]) => {
      const text = await kubectlOk(address, ['get', 'dcon', 'columns', '-n', namespace, ...flags]);
      return text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
    };
    const [head, row] = await lines();
    expect(head).toBe('NAME FQN VERSION READY REASON ACKNOWLEDGED ASKED AGE');
    expect(row).toMatch(/^columns shop.orders 1.2.0 True Published 1 2 \d+s$/);
    const [wideHead, wideRow] = await lines('-o', 'wide');
    expect(wideHead).toBe(
      'NAME FQN VERSION READY REASON ACKNOWLEDGED ASKED ENVIRONMENT MODE TEAM CONSUMERS PROPOSAL AGE MESSAGE',
    );
    expect(wideRow).toMatch(
      /^columns shop.orders 1.2.0 True Published 1 2 production Full checkout 2 columns-1 \d+s Fine.$/,
    );
  });

  test('are selected by their FQN and environment', async () => {
    await create('DataContract', 'selected', {
      fqn: 'select.me',
      environment: 'staging',
      schema,
    });
    const names = await kubectlOk(address, [
      'get',
      'dcon',
      '-n',
      namespace,
      '--field-selector=spec.fqn=select.me,spec.environment=staging',
      '-o',
      'name',
    ]);
    expect(names.trim()).toBe('datacontract.concordat.dev/selected');
  });

  test('take a schema of 1 MiB by server-side apply', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 9_000 }, (_, i) => [
        `column_${i}`,
        { type: 'string', description: 'x'.repeat(70) },
      ]),
    );
    const large = { type: 'object', properties };
    expect(JSON.stringify(large).length).toBeGreaterThan(1024 * 1024 * 0.98);
    const body = manifest('DataContract', 'large', { fqn: 'a.large', schema: large });
    await kubectlOk(address, ['apply', '--server-side', '-f', '-'], {
      input: JSON.stringify(body),
    });
    const stored = await client.expect({
      method: 'GET',
      path: objectPath('DataContract', namespace, 'large'),
    });
    expect(at(stored, 'spec', 'schema')).toEqual(large);
  });
});

/** The messages of all rules, including those of nested fields. */
function rulesOf(field: Schema): readonly string[] {
  const own = (field['x-kubernetes-validations'] ?? []).map(({ message }) => message);
  const inner = [...Object.values(field.properties ?? {}), ...(field.items ? [field.items] : [])];
  return [...own, ...inner.flatMap(rulesOf)];
}

function placedRulesOf(
  field: Schema,
  path: string,
): readonly { readonly rule: Rule; readonly schema: Schema }[] {
  const own = (field['x-kubernetes-validations'] ?? []).map((rule) => ({ rule, schema: field }));
  const inner = [...Object.values(field.properties ?? {}), ...(field.items ? [field.items] : [])];
  return [...own, ...inner.flatMap((one) => placedRulesOf(one, path))];
}

function silentFields(path: string, field: Schema): string[] {
  const own = field.description.trim() === '' ? [path] : [];
  const inner = Object.entries(field.properties ?? {});
  return [
    ...own,
    ...inner.flatMap(([name, member]) => silentFields(`${path}.${name}`, member)),
    ...(field.items === undefined ? [] : silentFields(`${path}[]`, field.items)),
  ];
}

function at(value: Json, ...path: readonly string[]): Json {
  return path.reduce<Json>(
    (inner, key) => (isJsonObject(inner) ? (inner[key] ?? null) : null),
    value,
  );
}
