// The fields of a DataContract beside its schema, and the other formats of schemas.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toDataContract } from '../../../src/core/export/data-contract.ts';
import type { Team } from '../../../src/core/team.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import {
  accepted,
  openTestController,
  openTestRegistry,
  type TestController,
  type TestRegistry,
} from '../support/open-controller.ts';

let registry: TestRegistry;
let controller: TestController;
let checkout: Team;
let billing: Team;
let count = 0;

beforeAll(async () => {
  registry = await openTestRegistry();
  checkout = await registry.team('checkout');
  billing = await registry.team('billing');
  await registry.team('payments');
});

afterAll(() => registry?.stop());

beforeEach(async () => {
  controller = await openTestController(registry, { shop: ['checkout', 'payments'] });
});

afterEach(() => controller.stop());

const freshFqn = () => `fields.table_${++count}`;

const schema = { type: 'object', properties: { id: { type: 'string' } } };

const assetOf = async (fqn: string) => {
  const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
  if (asset === null) throw new Error(`no asset ${fqn}`);
  return asset;
};

const agree = async (proposalId: string | undefined) =>
  accepted(
    await verbs.acknowledgeProposal(registry.ports, registry.admin, {
      proposalId: proposalId ?? '',
      teamId: billing.id,
      reason: 'They told us.',
      response: 'approved',
    }),
  );

describe('A DataContract', () => {
  test('names the user who answers for it, a member of its team', async () => {
    const user = accepted(
      await verbs.createUser(registry.ports, registry.admin, {
        email: 'Ada@example.org',
        name: 'Ada',
        teamId: checkout.id,
        role: 'editor',
        duties: [],
        passwordHash: null,
      }),
    );
    const fqn = freshFqn();
    const spec = { fqn, schema, team: 'checkout' };
    await controller.put('shop/a.yaml', { ...spec, ownerUser: 'nobody@example.org' });
    await controller.until('a', 'InvalidSpec', /no user has that address/);
    await controller.put('shop/a.yaml', { ...spec, ownerUser: 'ada@example.org' });
    await controller.until('a', 'Published');
    expect((await assetOf(fqn)).ownerUserId).toBe(user.id);
    await controller.put('shop/b.yaml', {
      ...spec,
      fqn: freshFqn(),
      team: 'payments',
      ownerUser: 'ada@example.org',
    });
    await controller.until('b', 'InvalidSpec', /not a member/);
  });

  test('asks its consumers before another team owns it, and before the schema that comes with it', async () => {
    const fqn = freshFqn();
    const consumers = [{ team: 'billing' }];
    await controller.put('shop/a.yaml', { fqn, schema, consumers, team: 'checkout' });
    await controller.until('a', 'Published');
    const wider = { ...schema, properties: { ...schema.properties, more: { type: 'string' } } };
    await controller.put('shop/a.yaml', { fqn, schema: wider, consumers, team: 'payments' });
    const asked = await controller.until('a', 'ProposalPending', /0 of 1/);
    const proposal = await registry.ports.reads.getProposal(asked.proposal?.id ?? '');
    expect(proposal?.kind).toBe('move');
    expect(await assetOf(fqn)).toMatchObject({
      ownerTeamId: checkout.id,
      activeContractVersion: '1.0.0',
    });
    await agree(asked.proposal?.id);
    await controller.until('a', 'Published', /1\.1\.0/);
    expect(await assetOf(fqn)).toMatchObject({
      ownerTeamName: 'payments',
      activeContractVersion: '1.1.0',
    });
  });

  test('asks before its guarantees may be weakened, and a withdrawal is final for that spec', async () => {
    const fqn = freshFqn();
    const spec = { fqn, schema, consumers: [{ team: 'billing' }], team: 'checkout' };
    await controller.put('shop/a.yaml', { ...spec, guaranteeMode: 'strict' });
    await controller.until('a', 'Published');
    await controller.put('shop/a.yaml', { ...spec, guaranteeMode: 'ignore' });
    const asked = await controller.until('a', 'ProposalPending');
    const proposalId = asked.proposal?.id ?? '';
    expect((await registry.ports.reads.getProposal(proposalId))?.kind).toBe('guarantee_mode');
    const withdrawal = { proposalId, reason: 'It has to be.', override: true };
    accepted(await verbs.withdrawProposal(registry.ports, registry.admin, withdrawal));
    await controller.until('a', 'ProposalWithdrawn', /It has to be/);
    await controller.restart();
    await controller.until('a', 'ProposalWithdrawn');
    expect(await assetOf(fqn)).toMatchObject({ guaranteeMode: 'strict' });
    await controller.put('shop/a.yaml', { ...spec, guaranteeMode: 'strict' });
    await controller.until('a', 'UpToDate');
  });

  test('sets its needs mode, and asks before it asks fewer consumers', async () => {
    const fqn = freshFqn();
    const spec = { fqn, schema, consumers: [{ team: 'billing' }], team: 'checkout' };
    await controller.put('shop/a.yaml', { ...spec, needsMode: 'Protect' });
    await controller.until('a', 'Published');
    expect(await assetOf(fqn)).toMatchObject({ needsMode: 'protect' });
    await controller.put('shop/a.yaml', spec);
    const asked = await controller.until('a', 'ProposalPending');
    const proposal = await registry.ports.reads.getProposal(asked.proposal?.id ?? '');
    expect(proposal?.proposed).toEqual({ kind: 'needs_mode', needsMode: 'narrow' });
    await agree(asked.proposal?.id);
    await controller.until('a', 'UpToDate');
    expect(await assetOf(fqn)).toMatchObject({ needsMode: 'narrow' });
  });

  test('says what happens when the last day for answers is over, and its export too', async () => {
    const fqn = freshFqn();
    const spec = { fqn, schema, team: 'checkout' };
    await controller.put('shop/a.yaml', { ...spec, onDeadline: 'Escalate' });
    const { contractId = '' } = await controller.until('a', 'Published');
    expect(await assetOf(fqn)).toMatchObject({ onDeadline: 'escalate' });
    const facts = await registry.ports.reads.getExportFacts(contractId);
    expect(facts && toDataContract(facts)).toMatchObject({ spec: { onDeadline: 'Escalate' } });
    await controller.put('shop/a.yaml', spec);
    await controller.until('a', 'UpToDate');
    expect(await assetOf(fqn)).toMatchObject({ onDeadline: 'nothing' });
  });

  test('acts for no team that took over a slug since', async () => {
    const old = await registry.team('reborn');
    await controller.stop();
    controller = await openTestController(registry, { shop: ['reborn'] });
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema });
    await controller.until('a', 'Published');
    const reassignTo = checkout.id;
    accepted(
      await verbs.deleteTeam(registry.ports, registry.admin, { teamId: old.id, reassignTo }),
    );
    await registry.team('reborn');
    await controller.put('shop/b.yaml', { fqn: freshFqn(), schema });
    await controller.until('b', 'NotPermitted', /now belongs to a different team/);
    const denied = await registry.database.query(
      "select from audit_event where event_type = 'auth.denied' and actor_id = $1",
      [controller.source.get('DataContract/shop/b')?.uid],
    );
    expect(denied).toHaveLength(1);
  });
});

describe('A schema is read', () => {
  const openapi = `openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
      responses:
        '200':
          description: The order.
          content:
            application/json:
              schema: { type: object, properties: { id: { type: string } }, required: [id] }
`;
  const sdl = 'type Order { id: ID! lines: [Line!]! }\ntype Line { sku: String! }\n';
  const odcs = `apiVersion: v3.0.2
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
  - name: orders
    logicalType: object
    properties:
      - { name: id, logicalType: string, required: true }
`;
  const dbt = JSON.stringify({
    metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
    nodes: {
      'model.shop.orders': {
        unique_id: 'model.shop.orders',
        resource_type: 'model',
        name: 'orders',
        alias: 'orders',
        database: 'shop',
        schema: 'analytics',
        columns: { id: { name: 'id', data_type: 'varchar' } },
        depends_on: { nodes: [] },
      },
    },
    sources: {},
  });

  const put = async (document: string, from: object) => {
    const metadata = { name: 'documents' };
    const data = { document };
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
    await controller.write('shop/documents.json', JSON.stringify(map));
    const fqn = freshFqn();
    const schemaFrom = { configMapKeyRef: { name: 'documents', key: 'document' }, ...from };
    await controller.put('shop/a.yaml', { fqn, team: 'checkout', schemaFrom });
    return fqn;
  };

  test.each([
    ['an operation by its id', openapi, { format: 'openapi', operation: 'getOrder' }, 'operation'],
    [
      'an operation by its path',
      openapi,
      { format: 'openapi', operation: 'GET /orders/{id}' },
      'operation',
    ],
    ['a GraphQL type', sdl, { format: 'graphql', typeName: 'Order' }, 'response'],
    ['an ODCS object', odcs, { format: 'odcs' }, 'data'],
    ['a dbt node', dbt, { format: 'dbt', node: 'model.shop.orders' }, 'data'],
  ])('from %s', async (_, document, from, direction) => {
    const fqn = await put(document, from);
    await controller.until('a', 'Published', /1\.0\.0/);
    const { activeContractId } = await assetOf(fqn);
    const contract = await registry.ports.reads.getContract(activeContractId ?? '');
    expect(contract).toMatchObject({ format: from.format, direction });
    expect(JSON.stringify(contract?.schema)).toContain('"id"');
  });

  test.each([
    [
      'an operation that is not there',
      openapi,
      { format: 'openapi', operation: 'x' },
      /no operation x/,
    ],
    ['a type that is not there', sdl, { format: 'graphql', typeName: 'X' }, /no type X/],
    ['a node that is not there', dbt, { format: 'dbt', node: 'model.x' }, /no node model\.x/],
    ['what is no SDL', 'type {', { format: 'graphql', typeName: 'X' }, /key document: /],
    ['what is no manifest', '[', { format: 'dbt', node: 'x' }, /not JSON/],
    ['what is no OpenAPI', 'a: 1', { format: 'openapi', operation: 'x' }, /openapi/],
  ])('and not from %s', async (_, document, from, message) => {
    await put(document, from);
    const status = await controller.until('a', 'InvalidSchema', message);
    expect(status.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Stalled']);
  });
});
