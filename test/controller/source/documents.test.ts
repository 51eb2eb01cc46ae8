// `schemaFrom.file`: the schema of a contract in a file beside its manifest, in a folder.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { Clock } from '../../../src/controller/clock.ts';
import { openDirectory } from '../../../src/controller/source/directory.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import { replaceFile } from '../../support/replace-file.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  accepted,
  openTestController,
  openTestRegistry,
  patience,
  type TestController,
  type TestRegistry,
} from '../support/open-controller.ts';

let registry: TestRegistry;
let controller: TestController;
let count = 0;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  await registry.team('billing');
});

afterAll(() => registry?.stop());

beforeEach(async () => {
  controller = await openTestController(registry, { shop: ['checkout'] });
});

afterEach(() => controller.stop());

/** A name that no other test has. */
const freshFqn = () => `documents.table_${++count}`;

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

const json = (...columns: string[]) => JSON.stringify(table(...columns));

const from = (path: string, more: object = {}) => ({ schemaFrom: { file: { path }, ...more } });

async function schemaOf(fqn: string) {
  const page = { page: 1, pageSize: 1, includeTotal: false };
  const [asset] = accepted(await registry.ports.reads.listAssets({ fqn, ...page })).results;
  const { reads } = registry.ports;
  const contract = await reads.getContract(asset?.activeContractId ?? '');
  return contract;
}

describe('A contract whose schema is in a file beside its manifest', () => {
  test('follows the file alone, in JSON and in YAML', async () => {
    const fqn = freshFqn();
    await controller.write('shop/order.schema.json', json('id'));
    await controller.put('shop/a.yaml', { fqn, ...from('./order.schema.json') });
    await controller.until('a', 'Published', /1\.0\.0/);
    await controller.write('shop/order.schema.json', json('id', 'amount'));
    await controller.until('a', 'Published', /1\.1\.0/);
    expect((await schemaOf(fqn))?.schema).toEqual(table('id', 'amount'));
    await controller.write('shop/below/order.yml', stringify(table('id', 'amount', 'day')));
    await controller.put('shop/a.yaml', { fqn, ...from('below/order.yml') });
    await controller.until('a', 'Published', /1\.2\.0/);
    expect([...controller.source.keys()]).toEqual(['DataContract/shop/a']);
  });

  test('asks the consumers where a change of the file alone breaks them', async () => {
    const fqn = freshFqn();
    const consumers = [{ team: 'billing' }];
    await controller.write('shop/order.graphqls', 'type Order { id: ID! amount: Int! }\n');
    const more = { format: 'GraphQL', typeName: 'Order' };
    await controller.put('shop/a.yaml', { fqn, consumers, ...from('order.graphqls', more) });
    await controller.until('a', 'Published', /1\.0\.0/);
    await controller.write('shop/order.graphqls', 'type Order { id: ID! }\n');
    const status = await controller.until('a', 'ProposalPending');
    expect(status).toMatchObject({ version: '1.0.0', proposal: { acknowledged: 0, total: 1 } });
    expect(JSON.stringify((await schemaOf(fqn))?.schema)).toContain('amount');
    const proposalId = status.proposal?.id ?? '';
    const command = { proposalId, reason: 'They told us.', response: 'approved' } as const;
    const { id: teamId } = accepted(
      await registry.ports.reads.listTeams({ page: 1, pageSize: 9, includeTotal: false }),
    ).results.find(({ slug }) => slug === 'billing') ?? { id: '' };
    accepted(
      await verbs.acknowledgeProposal(registry.ports, registry.admin, { ...command, teamId }),
    );
    await controller.until('a', 'Published', /2\.0\.0/);
  });

  test.each([
    [
      'OpenAPI',
      'api.yaml',
      {
        openapi: '3.1.0',
        info: { title: 'Shop', version: '1' },
        paths: {
          '/orders': {
            get: {
              operationId: 'listOrders',
              responses: { 200: { content: { 'application/json': { schema: table('id') } } } },
            },
          },
        },
      },
      { operation: 'listOrders' },
      'operation',
    ],
    [
      'ODCS',
      'orders.odcs.yaml',
      {
        ...{ apiVersion: 'v3.0.2', kind: 'DataContract', id: 'o', version: '1.0.0' },
        ...{ status: 'active' },
        schema: [{ name: 'orders', properties: [{ name: 'id', logicalType: 'string' }] }],
      },
      {},
      'data',
    ],
    [
      'Dbt',
      'target/manifest.json',
      {
        metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
        nodes: {
          'model.shop.orders': {
            ...{ unique_id: 'model.shop.orders', resource_type: 'model', name: 'orders' },
            ...{ alias: 'orders', database: 'shop', schema: 'analytics' },
            columns: { id: { name: 'id', data_type: 'varchar' } },
            depends_on: { nodes: [] },
          },
        },
        sources: {},
      },
      { node: 'model.shop.orders' },
      'data',
    ],
  ])('of %s is no manifest that is broken', async (format, path, document, more, direction) => {
    const fqn = freshFqn();
    const text = path.endsWith('.json') ? JSON.stringify(document) : stringify(document);
    await controller.write(`shop/${path}`, text);
    await controller.put('shop/a.yaml', { fqn, ...from(path, { format, ...more }) });
    await controller.until('a', 'Published', /1\.0\.0/);
    expect(await schemaOf(fqn)).toMatchObject({ format: format.toLowerCase(), direction });
    expect([...controller.source.keys()]).toEqual(['DataContract/shop/a']);
    expect(controller.source.hidesObjects()).toBe(false);
  });

  test('may be proposed first, from a file, and that file proposes another change', async () => {
    const spec = { fqn: freshFqn(), consumers: [{ team: 'billing' }] };
    await controller.put('shop/a.yaml', { ...spec, schema: table('id', 'amount', 'day') });
    await controller.until('a', 'Published', /1\.0\.0/);
    await controller.write('shop/next.json', json('id', 'amount'));
    const proposed = { contractRef: { name: 'a' }, ...from('./next.json') };
    await controller.put('shop/p.yaml', proposed, {}, { kind: 'ContractProposal' });
    const untilBreaks = (paths: readonly string[]) =>
      vi.waitFor(() => {
        const { status } = controller.source.get('ContractProposal/shop/p') ?? {};
        expect(status).toMatchObject({
          phase: 'Pending',
          breakingChanges: paths.map((path) => ({ path: `$.properties.${path}` })),
        });
        return status?.digest;
      }, patience);
    const first = await untilBreaks(['day']);
    await controller.write('shop/next.json', json('id'));
    expect(await untilBreaks(['amount', 'day'])).not.toBe(first);
  });

  test('is two contracts, if two manifests name the file', async () => {
    const fqns = [freshFqn(), freshFqn()];
    await controller.write('shop/below/both.json', json('id'));
    await controller.put('shop/a.yaml', { fqn: fqns[0], ...from('below/both.json') });
    await controller.put('shop/below/b.yaml', { fqn: fqns[1], ...from('./both.json') });
    await controller.until('a', 'Published', /1\.0\.0/);
    await controller.until('b', 'Published', /1\.0\.0/);
    await controller.write('shop/below/both.json', json('id', 'x'));
    await controller.until('a', 'Published', /1\.1\.0/);
    await controller.until('b', 'Published', /1\.1\.0/);
  });

  test('noticed what changed while nobody looked, and nothing else', async () => {
    const fqn = freshFqn();
    await controller.write('shop/order.json', json('id'));
    await controller.put('shop/a.yaml', { fqn, ...from('order.json') });
    const { observedGeneration } = await controller.until('a', 'Published', /1\.0\.0/);
    await controller.restart();
    await controller.until('a', 'Published', /1\.0\.0/);
    expect(controller.source.get('DataContract/shop/a')?.generation).toBe(observedGeneration);
    await controller.restart(() => controller.write('shop/order.json', json('id', 'x')));
    await controller.until('a', 'Published', /1\.1\.0/);
  });
});

describe('A file that cannot be the schema of a contract', () => {
  test.each([
    [
      'is gone',
      async () => controller.remove('shop/order.json'),
      'SourceNotFound',
      /^shop\/order\.json does not exist\. Add it, or correct spec\.schemaFrom\.file\.path\. What was published stays/,
    ],
    [
      'is empty',
      async () => controller.write('shop/order.json', ''),
      'SourceNotFound',
      /^shop\/order\.json is empty, as a file is while it is written/,
    ],
    [
      'is no UTF-8',
      async () => controller.write('shop/order.json', new Uint8Array([0x7b, 0xe9, 0x7d])),
      'InvalidSchema',
      /^shop\/order\.json cannot be read: it is not UTF-8\. Save it as UTF-8\. What was/,
    ],
    [
      'is too large',
      async () =>
        controller.write('shop/order.json', `{"type":"object"${' '.repeat(10 * 1024 * 1024)}}`),
      'InvalidSchema',
      /^shop\/order\.json cannot be read: it is larger than 10485760 bytes\. Split it/,
    ],
    [
      'is cut off',
      async () => controller.write('shop/order.json', '{"type": "object", "properties": {'),
      'InvalidSchema',
      /^shop\/order\.json: It is not JSON or YAML/,
    ],
    [
      'is of another kind',
      async () =>
        controller.write(
          'shop/order.json',
          JSON.stringify({ openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: {} }),
        ),
      'InvalidSchema',
      /^shop\/order\.json: It is an OpenAPI document, and no JSON Schema\. Write another spec\.schemaFrom\.format/,
    ],
    [
      'is a folder',
      async () => {
        await controller.remove('shop/order.json');
        await mkdir(join(controller.root, 'shop/order.json'));
      },
      'InvalidSchema',
      /^shop\/order\.json cannot be read: it is no file/,
    ],
  ] as const)(
    'because it %s: says so, and takes nothing back',
    async (_, spoil, reason, message) => {
      const fqn = freshFqn();
      await controller.write('shop/order.json', json('id'));
      await controller.put('shop/a.yaml', { fqn, ...from('order.json') });
      await controller.until('a', 'Published', /1\.0\.0/);
      await spoil();
      const status = await controller.until('a', reason, message);
      expect((await schemaOf(fqn))?.schema).toEqual(table('id'));
      expect(status.conditions?.map(({ type }) => type)).toEqual([
        'Ready',
        reason === 'SourceNotFound' ? 'Reconciling' : 'Stalled',
      ]);
      expect([...controller.source.keys()]).toEqual(['DataContract/shop/a']);
      await rm(join(controller.root, 'shop/order.json'), { recursive: true, force: true });
      await controller.write('shop/order.json', json('id', 'x'));
      await controller.until('a', 'Published', /1\.1\.0/);
    },
  );

  test.each([
    '../outside/order.json',
    '/etc/passwd',
    'below/../../outside/order.json',
    '.hidden/order.json',
    '..\\order.json',
    './',
  ])('because its path is %s: refused, whatever is there', async (path) => {
    await controller.write('outside/order.json', json('id'));
    await controller.put('shop/a.yaml', { fqn: freshFqn(), ...from(path) });
    await controller.until(
      'a',
      'InvalidSpec',
      /spec\.schemaFrom\.file\.path: path must lead to a file in the folder of the manifest/,
    );
  });

  test('because a link leads out of the folder of the namespace', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'concordat-outside-'));
    await writeFile(join(outside, 'order.json'), json('secret'));
    await controller.write('accounts/order.json', json('theirs'));
    const shop = join(controller.root, 'shop');
    await symlink(join(outside, 'order.json'), join(shop, 'direct.json'));
    await symlink(outside, join(shop, 'folder'));
    await symlink('../accounts/order.json', join(shop, 'theirs.json'));
    await symlink('order.json', join(shop, 'inside.json'));
    await controller.write('shop/order.json', json('id'));
    for (const path of ['direct.json', 'folder/order.json', 'theirs.json']) {
      await controller.put('shop/a.yaml', { fqn: `${freshFqn()}`, ...from(path) });
      await controller.until('a', 'InvalidSchema', /it is a link out of its folder/);
    }
    const fqn = freshFqn();
    await controller.put('shop/b.yaml', { fqn, ...from('inside.json') });
    await controller.until('b', 'Published');
    expect((await schemaOf(fqn))?.schema).toEqual(table('id'));
    await rm(outside, { recursive: true });
  });

  test('because it is the manifest itself, or another one', async () => {
    await controller.put('shop/a.yaml', { fqn: freshFqn(), ...from('a.yaml') });
    await controller.until(
      'a',
      'InvalidSchema',
      /shop\/a\.yaml: It is a DataContract, and no JSON Schema/,
    );
  });

  test('because it had objects, and is broken now: they are not deleted', async () => {
    const fqn = freshFqn();
    await controller.put('shop/b.yaml', { fqn, schema: table('id'), deletionPolicy: 'Delete' });
    await controller.until('b', 'Published');
    await controller.put('shop/a.yaml', { fqn: freshFqn(), ...from('b.yaml') });
    await controller.until('a', 'InvalidSchema', /It is a DataContract/);
    await controller.write('shop/b.yaml', '<<<<<<< ours\nkind: [');
    await controller.until('b', 'InvalidSpec', /^shop\/b\.yaml: /);
    expect(controller.source.get('DataContract/shop/b')?.isDeleting).toBe(false);
    expect((await schemaOf(fqn))?.schema).toEqual(table('id'));
  });

  test('because it had a registration, and was broken while nobody looked: the registration stays', async () => {
    const namespaces = { accounts: ['checkout'], reports: ['billing'] };
    const other = await openTestController(registry, namespaces);
    try {
      const fqn = freshFqn();
      await other.put('accounts/c.yaml', { fqn, schema: table('id') });
      const kind = { kind: 'ContractRegistration' };
      await other.put('reports/r.yaml', { fqn }, {}, kind);
      const registered = () => other.source.get('ContractRegistration/reports/r');
      await vi.waitFor(
        () => expect(registered()?.status).toMatchObject({ registrationId: expect.any(String) }),
        patience,
      );
      await other.restart(async () => {
        await other.put('reports/a.yaml', { fqn: freshFqn(), ...from('r.yaml') });
        await other.write('reports/r.yaml', '<<<<<<< ours\nkind: [');
      });
      await vi.waitFor(() => {
        const { status } = other.source.get('DataContract/reports/a') ?? {};
        expect(JSON.stringify(status)).toContain('InvalidSchema');
      }, patience);
      expect(registered()).toMatchObject({ isDeleting: false, problem: expect.any(String) });
      // Nothing else may wait for that.
      await other.write('reports/r.yaml', json('id'));
      await vi.waitFor(() => expect(registered()).toBeNull(), patience);
    } finally {
      await other.stop();
    }
  });

  test('of a manifest that is broken just now stays no broken manifest of its own', async () => {
    const fqn = freshFqn();
    const odcs = stringify({
      ...{ apiVersion: 'v3.0.2', kind: 'DataContract', id: 'o', version: '1.0.0' },
      ...{ status: 'active' },
      schema: [{ name: 'orders', properties: [{ name: 'id', logicalType: 'string' }] }],
    });
    await controller.write('shop/orders.odcs.yaml', odcs);
    await controller.put('shop/a.yaml', { fqn, ...from('orders.odcs.yaml', { format: 'ODCS' }) });
    await controller.until('a', 'Published');
    await controller.write('shop/a.yaml', 'apiVersion: concordat.dev/v1\nkind: DataContract\nx: [');
    await controller.until('a', 'InvalidSpec', /^shop\/a\.yaml: /);
    expect([...controller.source.keys()]).toEqual(['DataContract/shop/a']);
  });
});

describe('A file and the manifest that names it', () => {
  const manual = new ManualClock();
  let root: string;
  let source: ReturnType<typeof openDirectory>;
  /** Called whenever the source looks again, and whenever it begins to read. */
  let onLook = () => {};
  let onRead = () => {};

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'concordat-settling-'));
    await replaceFile(join(root, 'shop/kustomization.yaml'), 'kind: Kustomization\n');
    const clock: Clock = {
      wallTime: manual.wallTime,
      monotonicMs: () => {
        onRead();
        return manual.monotonicMs();
      },
      after: (delayMs, call) =>
        manual.after(delayMs, () => {
          onLook();
          call();
        }),
    };
    const records = { load: async () => [], save: async () => {}, remove: async () => {} };
    const mapping = new Map([['shop', ['checkout']]]);
    source = openDirectory({ root, identity: 'settling', clock, records, mapping });
    await source.start({ onChange: () => {}, onError: () => {} });
  });

  afterEach(async () => {
    onLook = () => {};
    onRead = () => {};
    await source.stop();
    await rm(root, { recursive: true });
  });

  const find = () => source.get('DataContract/shop/a');
  const name = (description: string) => {
    const spec = { fqn: 'shop.a', description, ...from('order.schema') };
    const manifest = { ...{ apiVersion: 'concordat.dev/v1', kind: 'DataContract' }, spec };
    return replaceFile(
      join(root, 'shop/a.yaml'),
      stringify({ ...manifest, metadata: { name: 'a' } }),
    );
  };
  const step = async () => {
    await vi.waitFor(() => expect(manual.waiting).toBe(1), patience);
    manual.advanceToNext();
  };
  let written = 0;
  const writeAnother = () =>
    writeFileSync(join(root, 'shop/order.schema'), `# ${'x'.repeat(++written)}\ntype: object\n`);

  test('are read once the file has settled, although nobody named it before', async () => {
    onLook = writeAnother;
    await name('First.');
    const before = written;
    while (written < before + 12) await step();
    expect(find()).toBeNull();
    onLook = () => {};
    await writeFile(join(root, 'shop/order.schema'), json('id'));
    while (find() === null) await step();
    expect(find()?.document).toMatchObject({ ok: true, text: json('id') });
  });

  test('are not read from a folder that becomes a link out of its own while it is read', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'concordat-outside-'));
    await writeFile(join(outside, 'order.json'), json('secret'));
    const shop = join(root, 'shop');
    await symlink(outside, join(shop, 'link'));
    await replaceFile(join(shop, 'below/order.json'), json('id'));
    const spec = { fqn: 'shop.a', ...from('below/order.json') };
    const manifest = { ...{ apiVersion: 'concordat.dev/v1', kind: 'DataContract' }, spec };
    await replaceFile(join(shop, 'a.yaml'), stringify({ ...manifest, metadata: { name: 'a' } }));
    const swap = `const { renameSync } = require('node:fs');
      const pause = new Int32Array(new SharedArrayBuffer(4));
      for (;;) {
        renameSync('below', 'away'); renameSync('link', 'below');
        renameSync('below', 'link'); renameSync('away', 'below');
        Atomics.wait(pause, 0, 0, 0.3);
      }`;
    const swapping = spawn(process.execPath, ['-e', swap], { cwd: shop, stdio: 'ignore' });
    try {
      const texts = new Set<string>();
      for (let count = 0; count < 3_000; count++) {
        await source.confirm();
        const { document } = find() ?? {};
        if (document?.ok === true) texts.add(document.text);
      }
      expect([...texts]).toEqual([json('id')]);
    } finally {
      const ended = once(swapping, 'exit');
      swapping.kill('SIGKILL');
      await ended;
      await rm(outside, { recursive: true });
    }
  });

  test('are looked at a few times, however many files change at once', async () => {
    let looks = 0;
    onRead = () => looks++;
    for (let index = 0; index < 400; index++) {
      writeFileSync(join(root, `shop/other-${index}.yaml`), 'kind: Kustomization\n');
    }
    await writeFile(join(root, 'shop/order.schema'), json('id'));
    await name('First.');
    while (find() === null) await step();
    expect(looks).toBeLessThan(40);
  });

  test('are those of one moment: what changes while they are read is read again', async () => {
    await writeFile(join(root, 'shop/order.schema'), json('id'));
    await name('First.');
    while (find() === null) await step();
    // Only once after each look, because every change makes the source look again.
    let isNext = false;
    onLook = () => {
      isNext = true;
    };
    onRead = () => {
      if (isNext) writeAnother();
      isNext = false;
    };
    const before = written;
    await name('Second.');
    while (written < before + 6) await step();
    expect(find()).toMatchObject({ spec: { description: 'First.' }, generation: 1 });
    expect(find()?.document).toMatchObject({ text: json('id') });
    onLook = () => {};
    onRead = () => {};
    await writeFile(join(root, 'shop/order.schema'), json('id', 'x'));
    while (find()?.generation === 1) await step();
    expect(find()).toMatchObject({
      spec: { description: 'Second.' },
      document: { text: json('id', 'x') },
      generation: 2,
    });
  });
});
