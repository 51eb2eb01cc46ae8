// A DataContract with `Retain` is deleted without waiting for the controller: its asset is released
// even if nobody watched.

import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Asset } from '../../../src/core/asset.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import { kubectlOk } from '../../support/kubernetes/kubernetes.ts';
import { type CuttingProxy, openCuttingProxy } from '../../support/kubernetes/kubernetes-proxy.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import {
  accepted,
  openTestRegistry,
  patience,
  type TestRegistry,
} from '../support/open-controller.ts';

const namespace = 'depart';

let registry: TestRegistry;
let cluster: TestClusterController;
let database: CuttingProxy;

beforeAll(async () => {
  registry = await openTestRegistry(async (databaseUrl) => {
    const url = new URL(databaseUrl);
    database = await openCuttingProxy({ server: `tcp://${url.host}` });
    url.host = new URL(database.server).host;
    return url.href;
  });
  await registry.team('checkout');
  await registry.team('billing');
  cluster = await openClusterController(registry, {
    namespaces: { [namespace]: 'checkout', 'depart-reads': 'billing' },
  });
});

afterAll(async () => {
  await cluster?.close();
  await registry?.stop();
  await database?.close();
});

beforeEach(() => {
  cluster.errors.length = 0;
});

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});
const consumers = [{ team: 'billing' }];
const fqnOf = (name: string) => `depart.${name.replaceAll('-', '_')}`;

const put = (name: string, spec: object = {}) =>
  cluster.put('DataContract', name, { fqn: fqnOf(name), schema: table('id', 'note'), ...spec });
const until = (name: string, reason: string, message?: RegExp) =>
  cluster.until('DataContract', name, reason, message);
const remove = (name: string) => cluster.remove('DataContract', name);
const untilGone = (name: string) => cluster.untilGone('DataContract', name);

async function assetOf(fqn: string): Promise<Asset | null> {
  return registry.ports.reads.findAssetByName(fqn, 'production');
}
const managerOf = async (name: string) =>
  (await assetOf(fqnOf(name)))?.managedBy?.reference.replace(/ in .*$/, '') ?? null;
const untilReleased = (name: string) =>
  vi.waitFor(async () => expect((await assetOf(fqnOf(name)))?.managedBy).toBeNull(), patience);

async function whileRegistryIsAway(run: () => Promise<void>): Promise<void> {
  database.refuse();
  try {
    await run();
  } finally {
    database.letThrough();
  }
}

const patch = (name: string, type: 'json' | 'merge', body: object) =>
  kubectlOk(cluster.address, [
    ...[
      'patch',
      'datacontract',
      name,
      '-n',
      namespace,
      `--type=${type}`,
      '-p',
      JSON.stringify(body),
    ],
  ]);
const finalizersOf = async (name: string) =>
  (await cluster.get('DataContract', name)).metadata.finalizers;

async function proposalsOf(fqn: string): Promise<readonly string[]> {
  const asset = await assetOf(fqn);
  const query = { assetId: asset?.id ?? '', page: 1, pageSize: 10, includeTotal: false };
  const { results } = accepted(await registry.ports.reads.listProposals(query));
  return results.map(({ id, status }) => `${id} ${status}`);
}

const publishedOf = async (fqn: string) =>
  (
    await registry.database.query(
      `select version from contract join asset on asset.id = contract.asset_id
       where fqn = $1 order by ordinal`,
      [fqn],
    )
  ).map(({ version }) => version);

test.each([
  ['DataContract', 'depart/replaced', 'Published'],
  ['ContractRegistration', 'depart-reads/replaced', 'UpToDate'],
  ['Team', '/replaced', 'UpToDate'],
] as const)(
  'A %s that is replaced without its finalizer gets it again',
  async (kind, name, reason) => {
    const fqn = fqnOf('replaced');
    const contract = { fqn, schema: table('id', 'note'), deletionPolicy: 'Delete' };
    await put('replaced', contract);
    await until('replaced', 'Published');
    const spec = { DataContract: contract, ContractRegistration: { fqn }, Team: {} }[kind];
    await cluster.put(kind, name, spec);
    const { metadata } = await cluster.until(kind, name, reason);
    const { namespace } = metadata;
    const named = { name: metadata.name, ...(namespace !== undefined && { namespace }) };
    const manifest = { apiVersion: 'concordat.dev/v1', kind, metadata: named, spec };
    // As Argo CD does with Replace=true.
    await kubectlOk(cluster.address, ['replace', '-f', '-'], { input: JSON.stringify(manifest) });
    await vi.waitFor(async () => {
      const now = await cluster.get(kind, name);
      expect(now.metadata.finalizers).toEqual(['concordat.dev/registry']);
    }, patience);
  },
);

describe('An object that retains', () => {
  test('is deleted at once, and released: what it asked is withdrawn, who waits for its name goes on', async () => {
    await put('watched', { consumers });
    await until('watched', 'Published');
    await put('watched', { schema: table('id'), consumers });
    const { status } = await until('watched', 'ProposalPending');
    expect(await finalizersOf('watched')).toBeUndefined();
    await put('waiting', { fqn: fqnOf('watched') });
    await until('waiting', 'FqnConflict');
    const proposalId = status?.proposal?.id ?? '';

    await remove('watched');
    await until('waiting', 'UpToDate');
    expect(await managerOf('watched')).toBe('depart/waiting');
    expect(await registry.ports.reads.getProposal(proposalId)).toMatchObject({
      status: 'withdrawn',
      reason: 'DataContract depart/watched was deleted',
    });
    // The audit trail names the deleted object.
    const events = await registry.database.query(
      `select actor_type, metadata from audit_event
       where event_type = 'asset.updated' and entity_id = $1 order by id`,
      [status?.assetId],
    );
    expect(events).toMatchObject([
      { actor_type: 'controller', metadata: { to: { managed_by: null } } },
      { actor_type: 'controller', metadata: { from: { managed_by: null } } },
    ]);
  });

  test('that was deleted while nobody reconciled is released at the start; what others manage is left', async () => {
    await put('unwatched');
    await until('unwatched', 'Published');
    await put('kept');
    await until('kept', 'Published');
    const [team] = await registry.ports.reads.listTeamsBySlug(['checkout']);
    // Managed from another cluster, where its object exists.
    const managedBy = { source: 'kubernetes', reference: 'depart/unwatched in another-cluster' };
    const command = { fqn: 'depart.elsewhere', ownerTeamId: team?.id ?? '', managedBy };
    accepted(await verbs.createAsset(registry.ports, registry.admin, command));
    await cluster.stop();
    await remove('unwatched');
    await untilGone('unwatched');
    expect(await managerOf('unwatched')).toBe('depart/unwatched');
    await cluster.start();
    await untilReleased('unwatched');
    expect(await managerOf('kept')).toBe('depart/kept');
    expect((await assetOf('depart.elsewhere'))?.managedBy).toEqual(managedBy);
  });

  test('that was deleted while the registry was away is released once it is back', async () => {
    await put('away');
    await until('away', 'Published');
    await whileRegistryIsAway(async () => {
      await remove('away');
      await untilGone('away');
      const failed = 'reconciling DataContract/depart/away';
      await vi.waitFor(() => expect(cluster.errors.join()).toContain(failed), patience);
    });
    await untilReleased('away');
  });

  test('and the registry is away at the start, is found once it is back', async () => {
    await put('late');
    await until('late', 'Published');
    await cluster.stop();
    await remove('late');
    await untilGone('late');
    await cluster.start();
    // The comparison at startup is still running, so it fails.
    await whileRegistryIsAway(() =>
      vi.waitFor(() => expect(cluster.errors.join()).toContain('comparing what'), patience),
    );
    await untilReleased('late');
  });

  test('that is deleted while its first version is published is released after that', async () => {
    const gate = new pg.Client(registry.database.url);
    await gate.connect();
    await gate.query('begin');
    await gate.query(`select from team where slug = 'checkout' for update`);
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    try {
      await put('quick');
      await vi.waitFor(
        async () => expect(await registry.database.query(waiting)).toHaveLength(1),
        patience,
      );
      await remove('quick');
      const knows = () => cluster.knows('DataContract/depart/quick');
      await vi.waitFor(() => expect(knows()).toBe(false), patience);
      // It does not exist yet, so there was nothing to release.
      expect(await assetOf(fqnOf('quick'))).toBeNull();
    } finally {
      await gate.query('commit');
      await gate.end();
    }
    await vi.waitFor(
      async () => expect(await publishedOf(fqnOf('quick'))).toEqual(['1.0.0']),
      patience,
    );
    await untilReleased('quick');
  });

  test('and is held by somebody else is released at once', async () => {
    await put('held');
    await until('held', 'Published');
    await patch('held', 'merge', { metadata: { finalizers: ['test.dev/holds'] } });
    await remove('held');
    await untilReleased('held');
    expect(await finalizersOf('held')).toEqual(['test.dev/holds']);
    await patch('held', 'merge', { metadata: { finalizers: [] } });
    await untilGone('held');
  });

  test('with the finalizer of an earlier release is finalized as it was promised', async () => {
    await put('old');
    await until('old', 'Published');
    await patch('old', 'merge', { metadata: { finalizers: ['concordat.dev/registry'] } });
    await remove('old');
    await untilGone('old');
    // No later than the object itself.
    expect((await assetOf(fqnOf('old')))?.managedBy).toBeNull();
  });
});

describe('An object that was deleted and made anew', () => {
  const replace = async (name: string, spec: object = {}) => {
    await remove(name);
    await untilGone(name);
    await put(name, spec);
  };

  const away = {
    'while nobody reconciled': async (meanwhile: () => Promise<void>) => {
      await cluster.stop();
      await meanwhile();
      await cluster.start();
    },
    'while the watch was cut': async (meanwhile: () => Promise<void>) => {
      cluster.proxy.refuse();
      await vi.waitFor(() => expect(cluster.errors.length).toBeGreaterThan(0), patience);
      await meanwhile();
      await cluster.address.compactEtcd();
      await cluster.address.killApiServer();
      await cluster.address.startApiServer();
      cluster.proxy.letThrough();
    },
  };

  test.each(Object.entries(away))('%s goes on where it was', async (when, whileAway) => {
    const name = when === 'while nobody reconciled' ? 'same-down' : 'same-cut';
    await put(name, { consumers });
    await until(name, 'Published');
    await put(name, { schema: table('id'), consumers });
    const before = await until(name, 'ProposalPending');
    const asked = await proposalsOf(fqnOf(name));
    await whileAway(() => replace(name, { schema: table('id'), consumers }));
    const after = await until(name, 'ProposalPending');
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.status?.proposal).toEqual(before.status?.proposal);
    expect(await proposalsOf(fqnOf(name))).toEqual(asked);
    expect(await managerOf(name)).toBe(`depart/${name}`);
    expect(await publishedOf(fqnOf(name))).toEqual(['1.0.0']);
    // The ContractProposal of the earlier object proposes nothing by itself.
    const made = before.status?.proposal?.name ?? '';
    await cluster.until('ContractProposal', made, 'ProposalPending');
    // A cluster collects it, because its owner is gone. The new object creates it again.
    await cluster.remove('ContractProposal', made);
    await vi.waitFor(async () => {
      const { metadata } = await cluster.get('ContractProposal', made);
      expect(metadata.ownerReferences).toMatchObject([{ uid: after.metadata.uid }]);
    }, patience);
    await cluster.until('ContractProposal', made, 'ProposalPending');
    // Its new change supersedes the one of the earlier object.
    await put(name, { schema: table('note'), consumers });
    await vi.waitFor(async () => {
      const { status } = await cluster.get('DataContract', name);
      expect(status?.proposal?.id).not.toBe(before.status?.proposal?.id);
      expect(await proposalsOf(fqnOf(name))).toHaveLength(2);
    }, patience);
    expect((await proposalsOf(fqnOf(name))).map((one) => one.replace(/.* /, '')).sort()).toEqual([
      'pending',
      'withdrawn',
    ]);
    const over = await cluster.until('ContractProposal', made, 'UpToDate', /Withdrawn/);
    expect(over.metadata.finalizers).toBeUndefined();
  });

  test.each(Object.entries(away))(
    '%s under another fqn lets go of the old one',
    async (when, whileAway) => {
      const name = when === 'while nobody reconciled' ? 'other-down' : 'other-cut';
      await put(name);
      await until(name, 'Published');
      const fqn = `${fqnOf(name)}_now`;
      await whileAway(() => replace(name, { fqn }));
      await until(name, 'Published');
      await untilReleased(name);
      expect((await assetOf(fqn))?.managedBy?.reference).toMatch(new RegExp(`^depart/${name} in `));
    },
  );
});

describe('An object whose end deletes something', () => {
  test('waits from the moment on that its status tells of that', async () => {
    await put('promised');
    await until('promised', 'Published');
    await put('promised', { deletionPolicy: 'Delete' });
    await until('promised', 'Published');
    const written = (await cluster.writes()).filter((write) => write.includes(' promised '));
    expect(written).toEqual([
      'patch datacontracts/status promised 200',
      'patch datacontracts promised 200',
      'patch datacontracts/status promised 200',
    ]);
    await remove('promised');
    await untilGone('promised');
    expect(await assetOf(fqnOf('promised'))).toBeNull();
  });

  test.each([
    ['is suspended with the same change', { suspend: true }, 'Suspended'],
    ['is given a wrong schema with it', { schema: { type: 'strnig' } }, 'InvalidSchema'],
  ])('waits, too, where it %s', async (_, more, reason) => {
    const name = reason === 'Suspended' ? 'promised-suspended' : 'promised-wrong';
    await put(name);
    await until(name, 'Published');
    await put(name, { deletionPolicy: 'Delete', ...more });
    await until(name, reason);
    expect(await finalizersOf(name)).toEqual(['concordat.dev/registry']);
  });

  test('is only released where it was never promised more', async () => {
    await put('unpromised');
    await until('unpromised', 'Published');
    await cluster.stop();
    await put('unpromised', { deletionPolicy: 'Delete' });
    await patch('unpromised', 'merge', { metadata: { finalizers: ['test.dev/holds'] } });
    await remove('unpromised');
    await cluster.start();
    await untilReleased('unpromised');
    expect((await assetOf(fqnOf('unpromised')))?.activeContractVersion).toBe('1.0.0');
    await patch('unpromised', 'merge', { metadata: { finalizers: [] } });
    await untilGone('unpromised');
  });

  test('comes back after the deprecation, and its consumers are asked about what breaks them', async () => {
    const name = 'returned';
    const fqn = fqnOf(name);
    const agree = async () => {
      const asset = await assetOf(fqn);
      const open = await registry.ports.reads.getOpenProposal(asset?.id ?? '');
      const [consumer] = open?.consumers ?? [];
      const answer = { response: 'approved', reason: 'They told us.' } as const;
      accepted(
        await verbs.acknowledgeProposal(registry.ports, registry.admin, {
          proposalId: open?.id ?? '',
          teamId: consumer?.teamId ?? '',
          ...answer,
        }),
      );
    };
    const read = (notes: string) =>
      cluster.put('ContractRegistration', `depart-reads/${name}`, { fqn, notes });
    const untilRead = (message: RegExp) =>
      cluster.until('ContractRegistration', `depart-reads/${name}`, 'UpToDate', message);
    await put(name, { deletionPolicy: 'Deprecate' });
    await until(name, 'Published');
    await read('first');
    await untilRead(/Registered/);
    await remove(name);
    await until(name, 'DeletionBlocked', /0 of 1/);
    await agree();
    await untilGone(name);
    expect((await assetOf(fqn))?.activeContractId).toBeNull();
    // The deprecated version is still read, also by who registers only now.
    await cluster.remove('ContractRegistration', `depart-reads/${name}`);
    await cluster.untilGone('ContractRegistration', `depart-reads/${name}`);
    await read('again');
    await untilRead(/Registered/);

    await put(name, { schema: table('id') });
    await until(name, 'ProposalPending', /0 of 1 .*; waiting for billing\.$/);
    expect(await publishedOf(fqn)).toEqual(['1.0.0']);
    expect(await proposalsOf(fqn)).toHaveLength(2);
    await agree();
    // Whether the object says that it published the version, or that this matches, depends on who saw the last answer first.
    await vi.waitFor(async () => {
      const { status } = await cluster.get('DataContract', name);
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect([ready?.status, ready?.message]).toEqual(['True', expect.stringMatching(/2\.0\.0/)]);
    }, patience);
    expect(await proposalsOf(fqn)).toHaveLength(2);
  });

  test('may be told to retain after all', async () => {
    await put('relented', { deletionPolicy: 'Delete' });
    await until('relented', 'Published');
    await put('relented', { deletionPolicy: 'Retain' });
    await vi.waitFor(async () => {
      const { metadata, status } = await cluster.get('DataContract', 'relented');
      expect(status?.observedGeneration).toBe(metadata.generation);
    }, patience);
    await remove('relented');
    await untilGone('relented');
    expect((await assetOf(fqnOf('relented')))?.managedBy).toBeNull();
  });
});
