import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Team } from '../../../src/core/team.ts';
import { verbs } from '../../../src/registry/verbs.ts';
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
let checkout: Team;
let billing: Team;
let count = 0;

beforeAll(async () => {
  registry = await openTestRegistry();
  checkout = await registry.team('checkout');
  billing = await registry.team('billing');
});

afterAll(() => registry?.stop());

beforeEach(async () => {
  controller = await openTestController(registry, { shop: ['checkout'] });
});

afterEach(() => controller.stop());

/** A name that no other test has. */
const freshFqn = () => `shop.table_${++count}`;

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

async function assetOf(fqn: string) {
  const listed = accepted(
    await registry.ports.reads.listAssets({ fqn, page: 1, pageSize: 1, includeTotal: false }),
  );
  const [asset] = listed.results;
  if (asset === undefined) throw new Error(`no asset ${fqn}`);
  return asset;
}

async function eventsOf(since: number): Promise<string[]> {
  const rows = await registry.database.query(
    'select event_type as type from audit_event order by id offset $1',
    [since],
  );
  return rows.map(({ type }) => String(type));
}

const eventCount = async () => (await eventsOf(0)).length;

/** Publishes a contract with billing as a consumer, and puts a breaking change into the file. */
async function proposeBreak(fqn: string, more: object = {}) {
  const consumers = [{ team: 'billing' }];
  await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount'), consumers, ...more });
  await controller.until('a', 'Published');
  await controller.put('shop/a.yaml', { fqn, schema: table('id'), consumers, ...more });
  const status = await controller.until('a', 'ProposalPending');
  return status.proposal?.id ?? '';
}

async function endRegistrations(fqn: string): Promise<void> {
  const { id: assetId } = await assetOf(fqn);
  const page = { page: 1, pageSize: 5, includeTotal: false };
  const listed = accepted(await registry.ports.reads.listRegistrations({ assetId, ...page }));
  for (const { id: registrationId } of listed.results) {
    const command = { registrationId, reason: 'They asked us to.' };
    accepted(await verbs.deleteRegistration(registry.ports, registry.admin, command));
  }
}

const answer = async (proposalId: string, response: 'approved' | 'blocked', notes?: string) =>
  accepted(
    await verbs.acknowledgeProposal(registry.ports, registry.admin, {
      proposalId,
      teamId: billing.id,
      reason: 'They told us.',
      response,
      notes,
    }),
  );

describe('A folder of contracts', () => {
  test('is published, compatible changes as well', async () => {
    const fqn = freshFqn();
    const before = await eventCount();
    await controller.put('shop/a.yaml', {
      fqn,
      schema: table('id'),
      description: 'Orders.',
      tags: ['pii'],
      consumers: [{ team: 'billing', purpose: 'invoices' }],
    });
    const first = await controller.until('a', 'Published');
    const asset = await assetOf(fqn);
    expect(first).toMatchObject({
      observedGeneration: 1,
      assetId: asset.id,
      contractId: asset.activeContractId,
      version: '1.0.0',
      effective: { compatibilityMode: 'Backward', environment: 'production', team: 'checkout' },
      consumers: 1,
      lastChange: { bump: 'Initial', breaking: false, changes: [] },
      source: { kind: 'Directory', path: 'shop/a.yaml' },
    });
    expect(asset).toMatchObject({
      ownerTeamId: checkout.id,
      autoPublish: true,
      metadata: { description: 'Orders.', tags: ['pii'] },
      managedBy: { source: 'directory', reference: `shop/a in ${controller.source.identity}` },
    });
    expect(await eventsOf(before)).toEqual([
      'asset.created',
      'contract.published',
      'registration.created',
    ]);
    await controller.put('shop/a.yaml', {
      fqn,
      schema: table('id', 'amount'),
      description: 'Orders.',
      tags: ['pii'],
      consumers: [{ team: 'billing', purpose: 'invoices' }],
    });
    const second = await controller.until('a', 'Published', /1\.1\.0/);
    expect(second).toMatchObject({
      observedGeneration: 2,
      version: '1.1.0',
      lastChange: {
        bump: 'Minor',
        breaking: false,
        changes: [{ type: 'PropertyAdded', path: '$.properties.amount' }],
      },
    });
    await vi.waitFor(
      () =>
        expect(controller.notes.map(({ note }) => [note.type, note.reason])).toEqual([
          ['Normal', 'Published'],
          ['Normal', 'Published'],
        ]),
      patience,
    );
  });

  test('asks the consumers of a breaking change, and goes on once they have answered', async () => {
    const fqn = freshFqn();
    const proposalId = await proposeBreak(fqn);
    const waiting = await controller.until('a', 'ProposalPending', /waiting for billing/);
    expect(waiting).toMatchObject({
      version: '1.0.0',
      proposal: {
        id: proposalId,
        digest: expect.stringMatching(/^[0-9a-f]{32}$/),
        acknowledged: 0,
        total: 1,
      },
      lastChange: { bump: 'Major', breaking: true },
    });
    await answer(proposalId, 'approved');
    const status = await controller.until('a', 'Published', /2\.0\.0/);
    expect([status.version, status.proposal]).toEqual(['2.0.0', undefined]);
    expect((await assetOf(fqn)).activeContractVersion).toBe('2.0.0');
  });

  test('waits for somebody to publish where the policy is Manual', async () => {
    const proposalId = await proposeBreak(freshFqn(), { publishPolicy: 'Manual' });
    await answer(proposalId, 'approved');
    await controller.until('a', 'ProposalPending', /publishPolicy is Manual/);
    const published = await verbs.publishProposal(registry.ports, registry.admin, { proposalId });
    expect(published.ok).toBe(true);
    await controller.until('a', 'Published', /2\.0\.0/);
  });

  test('publishes a breaking change at once where there is nobody to ask', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
    await controller.until('a', 'Published');
    await controller.put('shop/a.yaml', { fqn, schema: table('id') });
    await controller.until('a', 'Published', /2\.0\.0/);
  });

  test('says who blocked a change, and goes on where they take it back', async () => {
    const proposalId = await proposeBreak(freshFqn());
    await answer(proposalId, 'blocked', 'We sum the amount.');
    const status = await controller.until('a', 'ProposalRejected', /billing: We sum the amount/);
    expect(status.conditions?.map(({ type, status: is }) => [type, is])).toEqual([
      ['Ready', 'False'],
      ['Stalled', 'True'],
    ]);
    await answer(proposalId, 'approved');
    await controller.until('a', 'Published', /2\.0\.0/);
  });

  test('does not propose again what was withdrawn, until the spec changes or somebody asks', async () => {
    const fqn = freshFqn();
    const proposalId = await proposeBreak(fqn);
    const reason = 'Not in this quarter.';
    accepted(
      await verbs.withdrawProposal(registry.ports, registry.admin, {
        proposalId,
        reason,
        override: true,
      }),
    );
    await controller.until('a', 'ProposalWithdrawn', /Not in this quarter/);
    const before = await eventCount();
    await controller.restart();
    await controller.until('a', 'ProposalWithdrawn');
    expect(await eventsOf(before)).toEqual([]);
    const spec = { fqn, schema: table('id'), consumers: [{ team: 'billing' }] };
    const annotations = { 'concordat.dev/reconcile-at': 'now' };
    await controller.put('shop/a.yaml', spec, { annotations });
    const again = await controller.until('a', 'ProposalPending');
    expect(again.proposal?.id).not.toBe(proposalId);
    expect(again.lastHandledReconcileAt).toBe('now');
  });

  test('withdraws its proposal where the spec goes back, and asks again where it comes again', async () => {
    const fqn = freshFqn();
    const first = await proposeBreak(fqn);
    const consumers = [{ team: 'billing' }];
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount'), consumers });
    await controller.until('a', 'UpToDate', /1\.0\.0/);
    expect(await registry.ports.reads.getProposal(first)).toMatchObject({ status: 'withdrawn' });
    await controller.put('shop/a.yaml', { fqn, schema: table('id'), consumers });
    const second = await controller.until('a', 'ProposalPending');
    expect(second.proposal?.id).not.toBe(first);
    await controller.put('shop/a.yaml', { fqn, schema: table('other'), consumers });
    await vi.waitFor(async () => {
      const open = await registry.ports.reads.getOpenProposal(second.assetId ?? '');
      expect([open?.id === second.proposal?.id, open?.id === first]).toEqual([false, false]);
    }, patience);
  });

  test('leaves a proposal alone that was made elsewhere', async () => {
    const fqn = freshFqn();
    const consumers = [{ team: 'billing' }];
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount'), consumers });
    await controller.until('a', 'Published');
    const asset = await assetOf(fqn);
    const command = { assetId: asset.id, schema: table('other'), dryRun: false };
    const theirs = accepted(
      await verbs.publishContract(registry.ports, registry.admin, {
        ...command,
        supersede: false,
        override: true,
        reason: 'It has to be.',
      }),
    );
    if (theirs.action !== 'proposal_created') throw new Error('nothing was proposed');
    await controller.put('shop/a.yaml', { fqn, schema: table('id'), consumers });
    await controller.until('a', 'ProposalConflict', /already has an open proposal/);
    const proposalId = theirs.proposal.id ?? '';
    const reason = 'Theirs goes first.';
    accepted(
      await verbs.withdrawProposal(registry.ports, registry.admin, {
        proposalId,
        reason,
        override: true,
      }),
    );
    await controller.until('a', 'ProposalPending');
  });

  test('does not undo what an administrator overrode, and says that it differs', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: table('id') });
    await controller.until('a', 'Published');
    const asset = await assetOf(fqn);
    const override = { assetId: asset.id, schema: table('id', 'x'), dryRun: false };
    const refused = await verbs.publishContract(
      registry.ports,
      { ...registry.admin, actor: { ...registry.admin.actor, scope: 'write' } },
      { ...override, supersede: false },
    );
    expect(refused.ok ? '' : refused.failure.code).toBe('ASSET_MANAGED_ELSEWHERE');
    accepted(
      await verbs.publishContract(registry.ports, registry.admin, {
        ...override,
        supersede: false,
        override: true,
        reason: 'It has to be.',
      }),
    );
    await vi.waitFor(() => {
      const status = controller.source.get('DataContract/shop/a')?.status;
      expect(JSON.stringify(status)).toContain('published version 1.1.0 in the registry');
    }, patience);
    const before = await eventCount();
    await controller.restart();
    await controller.until('a', 'Published');
    expect([await eventsOf(before), (await assetOf(fqn)).activeContractVersion]).toEqual([
      [],
      '1.1.0',
    ]);
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'y') });
    const status = await controller.until('a', 'Published', /2\.0\.0/);
    expect(status.conditions?.map(({ type }) => type)).toEqual(['Ready']);
  });

  test('changes nothing where nothing changed, also after a restart', async () => {
    await controller.put('shop/a.yaml', { fqn: freshFqn(), schema: table('id') });
    const status = await controller.until('a', 'Published');
    const before = await eventCount();
    await controller.restart();
    // This object is later in the queue: once it is reconciled, the first one has been reconciled
    // again.
    await controller.put('shop/b.yaml', { fqn: 'no', schema: {} });
    await controller.until('b', 'InvalidSpec');
    expect(await controller.until('a', 'Published')).toEqual(status);
    expect(controller.notes.filter(({ name }) => name === 'a')).toHaveLength(1);
    expect(await eventsOf(before)).toEqual([]);
  });
});

describe('A contract that cannot go on', () => {
  test.each([
    ['no FQN', { schema: {} }, 'InvalidSpec', /spec.fqn: Required value/],
    [
      'a mistyped field',
      { fqn: 'a.b', schema: {}, compatibility_mode: 'full' },
      'InvalidSpec',
      /spec.compatibility_mode: unknown field/,
    ],
    [
      'a schema that is none',
      { fqn: 'bad.a', schema: { type: 'strnig' } },
      'InvalidSchema',
      /type/,
    ],
    [
      'a reference outside',
      { fqn: 'bad.b', schema: { $ref: 'https://example.org/x' } },
      'InvalidSchema',
      /ref/i,
    ],
    [
      'a guarantee that is none',
      { fqn: 'bad.h', schema: {}, guarantees: { freshnes: { max_staleness_minutes: 5 } } },
      'InvalidSpec',
      /spec\.guarantees\.freshnes/,
    ],
    [
      'a schema with two faults',
      { fqn: 'bad.i', schema: { properties: { a: { type: 'x' }, b: { type: 'y' } } } },
      'InvalidSchema',
      /\$\.properties\.a\.type: .*; \$\.properties\.b\.type: /,
    ],
    [
      'its own team as a consumer',
      { fqn: 'bad.j', schema: {}, addConsumers: [{ team: 'checkout' }] },
      'InvalidSpec',
      /Remove it from spec\.addConsumers/,
    ],
    [
      'a team that the namespace does not act for',
      { fqn: 'bad.d', schema: {}, team: 'billing' },
      'NotPermitted',
      /only for checkout/,
    ],
    [
      'a consumer that no team is',
      { fqn: 'bad.e', schema: {}, consumers: [{ team: 'nobody' }] },
      'TeamNotFound',
      /names team nobody/,
    ],
  ])('says so: %s', async (_, spec, reason, message) => {
    await controller.put('shop/bad.yaml', spec);
    await controller.put('shop/good.yaml', { fqn: freshFqn(), schema: table('id') });
    const status = await controller.until('bad', reason, message);
    await controller.until('good', 'Published');
    // The team may still be created.
    const waits = reason === 'TeamNotFound';
    expect(status.conditions?.map(({ type, status: is }) => [type, is])).toEqual([
      ['Ready', 'False'],
      [waits ? 'Reconciling' : 'Stalled', 'True'],
    ]);
    const told = () => controller.notes.filter(({ name }) => name === 'bad');
    await vi.waitFor(() => expect(told()).toHaveLength(1), patience);
    expect(told().map(({ note }) => note.type)).toEqual([waits ? 'Normal' : 'Warning']);
  });

  test.each([
    ['InvalidSpec', { schema: {}, guarantees: { freshnes: {} } }],
    ['InvalidSchema', { schema: { type: 'objekt' } }],
  ])('leaves no asset behind that nobody can publish: %s', async (reason, spec) => {
    const fqn = freshFqn();
    await controller.put('shop/bad.yaml', { fqn, ...spec });
    await controller.until('bad', reason);
    expect(await registry.ports.reads.findAssetByName(fqn, 'production')).toBeNull();
    // An existing asset is not changed either.
    await controller.put('shop/bad.yaml', { fqn, schema: {}, description: 'Orders.' });
    await controller.until('bad', 'Published');
    await controller.put('shop/bad.yaml', { fqn, ...spec, description: 'Other.' });
    await controller.until('bad', reason);
    const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
    expect(asset?.metadata).toEqual({ description: 'Orders.' });
  });

  test('asks for a version that is taken', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: table('id'), version: '1.0.0' });
    await controller.until('a', 'Published', /1\.0\.0/);
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'x'), version: '1.0.0' });
    await controller.until('a', 'InvalidSpec', /1\.0\.0/);
    expect((await assetOf(fqn)).activeContractVersion).toBe('1.0.0');
  });

  test('belongs to a namespace of no team, and goes on once the team is there', async () => {
    await controller.stop();
    controller = await openTestController(registry, { shop: ['late'] });
    await controller.put('shop/a.yaml', { fqn: freshFqn(), schema: {} });
    await controller.until('a', 'TeamNotFound', /No team has the slug late/);
    await registry.team('late');
    await controller.until('a', 'Published');
  });

  test('waits for its ConfigMap, and follows it', async () => {
    const fqn = freshFqn();
    const schemaFrom = { configMapKeyRef: { name: 'schemas', key: 'a.json' } };
    await controller.put('shop/a.yaml', { fqn, schemaFrom });
    const status = await controller.until(
      'a',
      'SourceNotFound',
      /ConfigMap shop\/schemas does not exist/,
    );
    expect(status.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Reconciling']);
    const configMap = (data: object) =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'schemas' }, data });
    await controller.write('shop/schemas.json', configMap({ 'b.json': '{}' }));
    await controller.until('a', 'SourceNotFound', /has no key a.json/);
    await controller.write('shop/schemas.json', configMap({ 'a.json': 'no' }));
    await controller.until('a', 'InvalidSchema', /not JSON/);
    await controller.write(
      'shop/schemas.json',
      configMap({ 'a.json': JSON.stringify(table('id')) }),
    );
    await controller.until('a', 'Published', /1\.0\.0/);
    await controller.write(
      'shop/schemas.json',
      configMap({ 'a.json': JSON.stringify(table('id', 'x')) }),
    );
    await controller.until('a', 'Published', /1\.1\.0/);
  });

  test('has a name that another contract claimed first, or another place manages', async () => {
    const fqn = freshFqn();
    await controller.put('shop/first.yaml', { fqn, schema: table('id') });
    await controller.until('first', 'Published');
    await controller.put('shop/second.yaml', { fqn, schema: table('other') });
    await controller.until('second', 'FqnConflict', /belongs to shop\/first/);
    const other = await openTestController(registry, { shop: ['checkout'] });
    try {
      await other.put('shop/third.yaml', { fqn, schema: table('third') });
      await other.until('third', 'ManagedElsewhere', /managed by directory \(shop\/first in /);
    } finally {
      await other.stop();
    }
    await controller.remove('shop/first.yaml');
    await controller.until('second', 'Published', /2\.0\.0/);
  });

  test('takes over an asset of its own team, and none of another', async () => {
    const own = freshFqn();
    const theirs = freshFqn();
    for (const [fqn, ownerTeamId] of [
      [own, checkout.id],
      [theirs, billing.id],
    ] as const) {
      accepted(await verbs.createAsset(registry.ports, registry.admin, { fqn, ownerTeamId }));
    }
    await controller.put('shop/own.yaml', { fqn: own, schema: table('id') });
    await controller.put('shop/theirs.yaml', { fqn: theirs, schema: table('id') });
    await controller.until('own', 'Published');
    await controller.until('theirs', 'NotPermitted');
    expect((await assetOf(own)).managedBy?.source).toBe('directory');
    expect((await assetOf(theirs)).managedBy).toBeNull();
  });
});

describe('A contract that is deleted', () => {
  test('is released, and its asset stays', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: table('id') });
    await controller.until('a', 'Published');
    await controller.remove('shop/a.yaml');
    await controller.untilGone('a');
    expect(await assetOf(fqn)).toMatchObject({ managedBy: null, activeContractVersion: '1.0.0' });
  });

  test('deletes nothing where it never came to own anything', async () => {
    const fqn = freshFqn();
    accepted(
      await verbs.createAsset(registry.ports, registry.admin, { fqn, ownerTeamId: billing.id }),
    );
    await controller.put('shop/a.yaml', { fqn, schema: {}, deletionPolicy: 'Delete' });
    await controller.until('a', 'NotPermitted');
    expect(controller.source.get('DataContract/shop/a')?.isClaimed).toBe(false);
    await controller.remove('shop/a.yaml');
    await controller.untilGone('a');
    expect((await assetOf(fqn)).deletedAt).toBeNull();
  });

  test('waits, visibly, while there are consumers, and then deletes the asset', async () => {
    const fqn = freshFqn();
    const consumers = [{ team: 'billing' }];
    const spec = { fqn, schema: table('id'), consumers, deletionPolicy: 'Delete' };
    await controller.put('shop/a.yaml', spec);
    await controller.until('a', 'Published');
    const asset = await assetOf(fqn);
    await controller.remove('shop/a.yaml');
    await controller.until('a', 'DeletionBlocked', /1 registered consumer\b/);
    await endRegistrations(fqn);
    await controller.untilGone('a');
    const deleted = await registry.ports.reads.getAsset(asset.id, 'any');
    expect(deleted?.deletedAt).not.toBeNull();
  });

  test('has its contract deprecated once the consumers agree', async () => {
    const fqn = freshFqn();
    const consumers = [{ team: 'billing' }];
    const spec = { fqn, schema: table('id'), consumers, deletionPolicy: 'Deprecate' };
    await controller.put('shop/a.yaml', spec);
    await controller.until('a', 'Published');
    const asset = await assetOf(fqn);
    await controller.remove('shop/a.yaml');
    await controller.until('a', 'DeletionBlocked', /waits for its consumers: 0 of 1/);
    const open = await registry.ports.reads.getOpenProposal(asset.id);
    await answer(open?.id ?? '', 'approved');
    await controller.untilGone('a');
    expect(await assetOf(fqn)).toMatchObject({ managedBy: null, activeContractId: null });
  });

  test('is settled although it was deleted while nobody looked', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: table('id') });
    await controller.put('shop/b.yaml', { fqn: freshFqn(), schema: table('id') });
    await controller.until('a', 'Published');
    await controller.until('b', 'Published');
    await controller.restart(() => controller.remove('shop/a.yaml'));
    await controller.untilGone('a');
    expect((await assetOf(fqn)).managedBy).toBeNull();
  });
});

describe('A folder that is not what it was', () => {
  test('is no deletion where it vanished or lost much at once, until somebody confirms', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const fqns = new Map(names.map((name) => [name, freshFqn()]));
    for (const name of names) {
      await controller.put(`shop/${name}.yaml`, { fqn: fqns.get(name), schema: table('id') });
    }
    for (const name of names) await controller.until(name, 'Published');
    for (const name of names.slice(1)) await controller.remove(`shop/${name}.yaml`);
    await vi.waitFor(
      () => expect(controller.source.suspicion()).toContain('5 of 6 objects are missing'),
      patience,
    );
    await controller.remove('shop');
    await vi.waitFor(() => expect(controller.source.suspicion()).toContain('is empty'), patience);
    expect([...controller.source.keys()]).toHaveLength(6);
    await controller.put('shop/a.yaml', { fqn: fqns.get('a'), schema: table('id') });
    await controller.source.confirm();
    for (const name of names.slice(1)) await controller.untilGone(name);
    expect(controller.source.suspicion()).toBeNull();
    expect([...controller.source.keys()]).toEqual(['DataContract/shop/a']);
  });

  test('keeps what was being deleted until somebody confirms, and then lets it go at once', async () => {
    const fqn = freshFqn();
    const consumers = [{ team: 'billing' }];
    const spec = { fqn, schema: table('id'), consumers, deletionPolicy: 'Delete' };
    await controller.put('shop/a.yaml', spec);
    await controller.put('shop/b.yaml', { fqn: freshFqn(), schema: table('id') });
    await controller.until('a', 'Published');
    await controller.until('b', 'Published');
    await controller.remove('shop/a.yaml');
    await controller.until('a', 'DeletionBlocked', /1 registered consumer\b/);
    await controller.remove('shop');
    await vi.waitFor(() => expect(controller.source.suspicion()).toContain('is empty'), patience);
    await endRegistrations(fqn);
    await controller.until('a', 'DeletionBlocked', /SourceSuspicious/);
    await controller.source.confirm();
    await controller.untilGone('a');
    expect(await registry.ports.reads.findAssetByName(fqn, 'production')).toBeNull();
  });

  test('has a file that broke: what stood in it is not deleted, and says why it stays', async () => {
    const fqn = freshFqn();
    const head = 'apiVersion: concordat.dev/v1\nkind: DataContract\nmetadata: {name: ';
    const good = `${head}a}\nspec: {fqn: ${fqn}, schema: {type: object}}\n`;
    await controller.write('shop/two.yaml', good);
    await controller.until('a', 'Published');
    await controller.write('shop/two.yaml', 'kind: [\n');
    await controller.until('a', 'InvalidSpec', /shop\/two.yaml: /);
    expect((await assetOf(fqn)).managedBy).not.toBeNull();
    await controller.write('shop/two.yaml', `${good}---\nkind: {\n`);
    await controller.until('a', 'UpToDate');
  });

  test.each([
    ['in YAML', 'owners.yaml', '- ann\n- ben\n'],
    ['in JSON', 'sample.json', '[["paid", "sent"]]'],
    ['of something else', 'menu.yaml', 'items: [soup, bread]\n'],
  ])('has a list of texts %s, which hides no object', async (_, file, list) => {
    await controller.write(`shop/${file}`, list);
    await controller.put('shop/goes.yaml', { fqn: freshFqn(), schema: {} });
    await controller.until('goes', 'Published');
    expect([...controller.source.keys()]).toEqual(['DataContract/shop/goes']);
    await controller.remove('shop/goes.yaml');
    await controller.untilGone('goes');
  });

  test('is read whatever the case of its extension', async () => {
    const spec = `{fqn: ${freshFqn()}, schema: {}}`;
    const head = 'apiVersion: concordat.dev/v1\nkind: DataContract\nmetadata: {name: capitals}\n';
    await controller.write('shop/capitals.YAML', `${head}spec: ${spec}\n`);
    await controller.until('capitals', 'Published');
  });

  test.each([
    ['a file that is not UTF-8', new Uint8Array([0xff, 0xfe, 0x00]), /not UTF-8/],
    [
      'a manifest of a future version',
      'apiVersion: concordat.dev/v9\nkind: DataContract\nmetadata: {name: odd}\nspec: {}\n',
      /Use concordat.dev\/v1/,
    ],
    [
      'a namespace that says otherwise',
      'apiVersion: concordat.dev/v1\nkind: DataContract\nmetadata: {name: odd, namespace: data}\nspec: {}\n',
      /metadata.namespace is data/,
    ],
    [
      'aliases that multiply',
      `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(10)}]\nc: &c [${'*b,'.repeat(10)}]\nd: [${'*c,'.repeat(10)}]\n`,
      /alias/,
    ],
    [
      'half of a surrogate pair',
      'apiVersion: concordat.dev/v1\nkind: ContractRegistration\nmetadata: {name: odd}\nspec: {fqn: a.b, purpose: "\\ud83d"}\n',
      /spec.purpose has half of a surrogate pair/,
    ],
    ['YAML that nests for ever', `a: ${'['.repeat(20_000)}`, /./],
  ])('has %s: that object says so, and the others are served', async (_, text, message) => {
    await controller.write('shop/odd.yaml', text);
    await controller.put('shop/good.yaml', { fqn: freshFqn(), schema: table('id') });
    const kind = String(text).includes('ContractRegistration')
      ? 'ContractRegistration'
      : 'DataContract';
    await controller.until(`${kind}/shop/odd`, 'InvalidSpec', message);
    await controller.until('good', 'Published');
  });
});
