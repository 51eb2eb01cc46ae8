// A contract is exported as a document, and importing it gives the same contract.

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkSpec } from '../../../src/controller/check-spec.ts';
import { dataContract } from '../../../src/controller/crd/data-contract.ts';
import type { ExportFormat } from '../../../src/core/export/export-format.ts';
import { parseOdcsText } from '../../../src/core/import/odcs/odcs-text.ts';
import { checkedFetch } from '../../support/client/client.ts';
import {
  createAsset,
  createUser,
  must,
  mustRefuse,
  openRegistryForFile,
  orderSchema,
  publishedAsset,
  publishOk,
  register,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

async function exported(contractId: string, format?: ExportFormat): Promise<string> {
  const params = { contract_id: contractId };
  const query = format === undefined ? {} : { format };
  return must(await world.consumer.client.exportContract({ params, query }), 200);
}

const guarantees = { nullability: { id: 'never' }, freshness: { max_staleness_minutes: 60 } };

async function richContract() {
  const user = await createUser(world.admin, { team_id: world.producer.teamId });
  const asset = await createAsset(world.producer, {
    owner_user_id: user.id,
    guarantee_mode: 'strict',
    metadata: { description: 'All orders.', tags: ['finance', 'no'], layer: 'gold' },
  });
  const contractId = await publishOk(world.producer.client, asset.id, {
    schema: orderSchema,
    compatibility_mode: 'full',
    guarantees,
  });
  await register(world.consumer, contractId);
  return { asset, contractId, email: user.email };
}

describe('GET /contracts/{id}/export', () => {
  test('as yaml is a complete DataContract that a cluster accepts', async () => {
    const { asset, contractId, email } = await richContract();
    const text = await exported(contractId);
    expect(await exported(contractId, 'yaml')).toBe(text);
    const manifest = parse(text);
    expect(manifest).toEqual({
      apiVersion: 'concordat.dev/v1',
      kind: 'DataContract',
      metadata: {
        name: asset.fqn.replace('_', '-'),
        annotations: { 'concordat.dev/exported-version': '1.0.0' },
      },
      spec: {
        fqn: asset.fqn,
        environment: 'production',
        team: world.producer.name.replace(' ', '-'),
        ownerUser: email,
        description: 'All orders.',
        tags: ['finance', 'no'],
        metadata: { layer: 'gold' },
        compatibilityMode: 'Full',
        guaranteeMode: 'Strict',
        publishPolicy: 'Manual',
        addConsumers: [{ team: world.consumer.name.replace(' ', '-') }],
        schema: orderSchema,
        guarantees: {
          freshness: { maxStalenessMinutes: 60 },
          nullability: { id: 'Never' },
        },
      },
    });
    expect(checkSpec(dataContract.spec, manifest.spec)).toEqual([]);
    // Readers of YAML 1.1 take a bare `no` for false.
    expect(text).toContain('"no"');
  });

  test('as odcs is a document whose import changes nothing', async () => {
    const { contractId } = await richContract();
    const text = await exported(contractId, 'odcs');
    const contract = parseOdcsText(text);
    if (!contract.ok) throw new Error(contract.problem.message);
    expect(contract.value).toMatchObject({ kind: 'DataContract', apiVersion: 'v3.2.0' });
    const imported = must(
      await world.producer.client.importOdcs({
        body: {
          contract: text,
          owner_team_id: world.producer.teamId,
          auto_publish_contracts: true,
          auto_create_proposals: true,
          auto_register_consumers: true,
        },
      }),
      200,
    );
    expect(imported).toMatchObject({
      contracts: { published: 0 },
      proposals: { created: 0 },
      registrations: { created: 0 },
      errors: [],
    });
  });

  test('as jsonschema is the published schema with its dialect', async () => {
    const { contractId } = await publishedAsset(world.producer);
    expect(JSON.parse(await exported(contractId, 'jsonschema'))).toEqual(orderSchema);
    const asset = await createAsset(world.producer);
    const old = await publishOk(world.producer.client, asset.id, {
      schema: { type: 'object' },
      dialect: 'draft-07',
    });
    expect(JSON.parse(await exported(old, 'jsonschema'))).toEqual({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
    });
  });

  test.each<ExportFormat>(['yaml', 'odcs', 'jsonschema'])(
    'as %s keeps every digit of a number',
    async (format) => {
      const asset = await createAsset(world.producer);
      const url = `${registry.url}/api/v1/assets/${asset.id}/contracts`;
      const published = await checkedFetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${world.producer.key}`,
          'content-type': 'application/json',
        },
        body: '{"schema":{"type":"integer","maximum":9223372036854775807}}',
      });
      expect(published.status).toBe(201);
      const { contract } = (await published.json()) as { contract: { id: string } };
      const text = await exported(contract.id, format);
      expect(text).toContain('9223372036854775807');
      const read = parseOdcsText(text);
      const numbers = JSON.stringify(read.ok ? read.value : null);
      expect(numbers).toContain('"maximum":9223372036854775807');
    },
  );

  test.each([
    ['typescript', /^export interface Orders\d+ \{$/m, /-1\.0\.0\.ts"$/],
    ['python', /^class Orders\d+\(TypedDict\):$/m, /_1_0_0\.py"$/],
  ] as const)('as %s has types for its values', async (format, declaration, fileName) => {
    const { contractId, fqn } = await publishedAsset(world.producer);
    const url = `${registry.url}/api/v1/contracts/${contractId}/export?format=${format}`;
    const headers = { authorization: `Bearer ${world.consumer.key}` };
    const answer = await checkedFetch(url, { headers });
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(fileName);
    const text = await answer.text();
    expect(text).toMatch(declaration);
    expect(text).toContain(`Made from version 1.0.0 of the contract of ${fqn} (production).`);
  });

  test('as ODCS has the id of its source document, otherwise one that all its versions share', async () => {
    const { client, teamId } = world.producer;
    const document = {
      apiVersion: 'v3.1.0',
      kind: 'DataContract',
      id: 'sales-7',
      version: '4.0.0',
      status: 'active',
      dataProduct: 'sales',
      schema: [{ name: 'invoices', properties: [{ name: 'id', logicalType: 'integer' }] }],
    };
    const body = { contract: document, owner_team_id: teamId, auto_publish_contracts: true };
    const { objects } = must(await client.importOdcs({ body }), 200);
    const [invoices] = objects;
    expect(await exported(invoices?.contract_id ?? '', 'odcs')).toContain('\nid: sales-7\n');
    const asset = await createAsset(world.producer);
    for (const schema of [{ type: 'object' }, { type: 'object', title: 'Orders' }]) {
      const contractId = await publishOk(client, asset.id, { schema });
      expect(await exported(contractId, 'odcs')).toContain(`\nid: ${asset.id}\n`);
    }
  });

  test('has a file name and an ETag', async () => {
    const { contractId } = await publishedAsset(world.producer);
    const headers = { authorization: `Bearer ${world.consumer.key}` };
    const url = `${registry.url}/api/v1/contracts/${contractId}/export?format=odcs`;
    const answer = await checkedFetch(url, { headers });
    expect(answer.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="orders_\d+-1\.0\.0\.odcs\.yaml"$/,
    );
    const again = await checkedFetch(url, {
      headers: { ...headers, 'if-none-match': answer.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  test('of a contract that does not exist is 404; in an unknown format it is 400', async () => {
    const { client } = world.consumer;
    const nobody = { contract_id: '0198c5a1-7be0-7c3f-b2a8-90d4c1e55f31' };
    mustRefuse(await client.exportContract({ params: nobody }), 404, 'CONTRACT_NOT_FOUND');
    const url = `${registry.url}/api/v1/contracts/${nobody.contract_id}/export?format=avro`;
    const headers = { authorization: `Bearer ${world.consumer.key}` };
    expect((await checkedFetch(url, { headers })).status).toBe(400);
  });
});
