// Objects that lost their status, their finalizer or their uid, by a restore or a hurried user:
// they still own what they proposed, repeat nothing, and block nobody forever. And registrations that the
// watch lost: nothing is published before they are known.

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiClient, ApiError } from '../../../src/controller/cluster/api-client.ts';
import { objectPath } from '../../../src/controller/cluster/resources.ts';
import type { KindName } from '../../../src/controller/crd/kinds.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import { configOf } from '../../support/kubernetes/kubernetes.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import {
  accepted,
  openTestRegistry,
  patience,
  type TestRegistry,
} from '../support/open-controller.ts';

let registry: TestRegistry;
let cluster: TestClusterController;
let api: ApiClient;
let count = 0;
/** Whether nobody may read the registrations. */
let isUnreadable = false;
/** The registration that nobody may write, but for its status. */
let unwritable: string | null = null;
/** Whether the kinds cannot be asked for a field. */
let isOfEarlierRelease = false;
const selectors: string[] = [];
const registrations = '/apis/concordat.dev/v1/contractregistrations';

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  await registry.team('billing');
  cluster = await openClusterController(registry, {
    namespaces: {
      'lost-shop': 'checkout.billing',
      'lost-more': 'checkout',
      'lost-billing': 'billing',
      'lost-reports': 'billing',
      'lost-late': 'late',
    },
    before: async ({ method, path, query }) => {
      if (method === 'PATCH' && path === unwritable) throw new Error('no answer');
      if (method !== 'GET' || path !== registrations) return;
      if (isUnreadable) throw new Error('no answer');
      const selector = query?.fieldSelector;
      if (selector === undefined) return;
      selectors.push(String(selector));
      if (isOfEarlierRelease) {
        const message = 'field label not supported: spec.fqn';
        const body = { kind: 'Status', message };
        throw new ApiError(`GET ${path}`, { status: 400, body, retryAfterMs: null });
      }
    },
  });
  api = new ApiClient(configOf(cluster.address));
});

afterAll(async () => {
  api?.close();
  await cluster?.close();
  await registry?.stop();
});

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

/** A DataContract of checkout that billing consumes. */
async function consumed() {
  const name = `l${++count}`;
  const fqn = `lost.${name}`;
  const put = (...columns: string[]) =>
    cluster.put('DataContract', name, { fqn, team: 'checkout', schema: table(...columns) });
  await put('id', 'amount', 'note');
  await cluster.until('DataContract', name, 'Published', /1\.0\.0/);
  await cluster.put('ContractRegistration', `lost-billing/${name}`, { fqn });
  await cluster.until('ContractRegistration', `lost-billing/${name}`, 'UpToDate');
  const plan = `${name}-plan`;
  const propose = (columns: readonly string[], more: object = {}) =>
    cluster.put('ContractProposal', plan, { fqn, schema: table(...columns), ...more });
  return { name, fqn, put, plan, propose };
}

async function patch(kind: KindName, name: string, body: object, subresource = '') {
  const [namespace = '', inside = ''] = name.includes('/') ? name.split('/') : ['lost-shop', name];
  await api.expect({
    method: 'PATCH',
    path: `${objectPath(kind, namespace, inside)}${subresource}`,
    contentType: 'application/merge-patch+json',
    body,
  });
}

/** Changes an object while the controller is stopped. */
async function whileStopped(act: () => Promise<void>): Promise<void> {
  await cluster.stop();
  await act();
  await cluster.start();
}

const relabel = (namespace: string, name: 'team' | 'environment', value: string | null) =>
  api.expect({
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels: { [`concordat.dev/${name}`]: value } } },
  });

const loseStatus = (name: string) => patch('ContractProposal', name, { status: null }, '/status');

/** Deletes an object without waiting for finalizers, like a disaster. */
async function vanish(kind: KindName, name: string): Promise<void> {
  await patch(kind, name, { metadata: { finalizers: null } });
  await cluster.remove(kind, name);
}

const openOf = async (fqn: string) => {
  const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
  return registry.ports.reads.getOpenProposal(asset?.id ?? '');
};

describe('A ContractProposal', () => {
  test('that lost its status before it was edited goes on with its own proposal', async () => {
    const { fqn, plan, propose } = await consumed();
    await propose(['id', 'amount']);
    await cluster.until('ContractProposal', plan, 'ProposalPending');
    await whileStopped(async () => {
      await loseStatus(plan);
      await propose(['id', 'note']);
    });
    await cluster.until('ContractProposal', plan, 'ProposalPending', /waiting for billing/);
    expect((await openOf(fqn))?.breakingChanges.map(({ path }) => path)).toEqual([
      expect.stringContaining('amount'),
    ]);
  });

  test('that lost its status takes its proposal with it when it is deleted', async () => {
    const { fqn, plan, propose } = await consumed();
    await propose(['id']);
    await cluster.until('ContractProposal', plan, 'ProposalPending');
    await whileStopped(async () => {
      await loseStatus(plan);
      await cluster.remove('ContractProposal', plan);
    });
    await cluster.untilGone('ContractProposal', plan);
    expect(await openOf(fqn)).toBeNull();
  });

  test('that was restored under a new uid goes on, and takes its proposal with it', async () => {
    const { fqn, plan, propose } = await consumed();
    await propose(['id']);
    await cluster.until('ContractProposal', plan, 'ProposalPending');
    const before = await openOf(fqn);
    await whileStopped(async () => {
      await vanish('ContractProposal', plan);
      await propose(['id']);
    });
    const restored = await cluster.until('ContractProposal', plan, 'ProposalPending');
    expect(restored.status?.proposalId).toBe(before?.id);
    await propose(['id', 'note']);
    await vi.waitFor(async () => expect((await openOf(fqn))?.id).not.toBe(before?.id), patience);
    await cluster.until('ContractProposal', plan, 'ProposalPending', /waiting for billing/);
    await cluster.remove('ContractProposal', plan);
    await cluster.untilGone('ContractProposal', plan);
    expect(await openOf(fqn)).toBeNull();
  });

  test('that was restored without its status replays no answer', async () => {
    const { name, put, plan, propose } = await consumed();
    const said = { acknowledgements: [{ team: 'billing', response: 'Approved' }] };
    await propose(['id'], { ...said, decision: 'Approve' });
    await cluster.until('ContractProposal', plan, 'ProposalPending', /Approved/);
    await put('id');
    await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
    await put('id', 'amount', 'note');
    await cluster.until('DataContract', name, 'Published', /2\.1\.0/);
    await whileStopped(async () => {
      await vanish('ContractProposal', plan);
      await propose(['id'], { ...said, decision: 'Approve' });
    });
    await cluster.until(
      'ContractProposal',
      plan,
      'ProposalPending',
      /0 of 1.*The answer Approved was not sent/,
    );
  });

  test('whose block is not taken back takes its proposal with it when it is deleted', async () => {
    const { fqn, plan, propose } = await consumed();
    const blocked = { team: 'billing', response: 'Blocked', reason: 'Not yet.' };
    await propose(['id'], { acknowledgements: [blocked] });
    const { status } = await cluster.until('ContractProposal', plan, 'ProposalRejected');
    await cluster.remove('ContractProposal', plan);
    await cluster.untilGone('ContractProposal', plan);
    const proposal = await registry.ports.reads.getProposal(status?.proposalId ?? '');
    expect([fqn, proposal?.status]).toEqual([fqn, 'withdrawn']);
  });

  test('about an asset that another namespace manages by now takes its proposal with it', async () => {
    const { name, fqn, plan, propose } = await consumed();
    await propose(['id']);
    await cluster.until('ContractProposal', plan, 'ProposalPending');
    await cluster.remove('DataContract', name);
    const elsewhere = `lost-more/${name}`;
    const schema = table('id', 'amount', 'note');
    await cluster.put('DataContract', elsewhere, { fqn, schema });
    await cluster.until('DataContract', elsewhere, 'UpToDate');
    await cluster.remove('ContractProposal', plan);
    await cluster.untilGone('ContractProposal', plan);
    expect(await openOf(fqn)).toBeNull();
  });

  test('that asked what a DataContract asks, and then something else, shows no digest of the other', async () => {
    const { name, put, plan, propose } = await consumed();
    await put('id');
    const { status } = await cluster.until('DataContract', name, 'ProposalPending');
    await propose(['id']);
    const same = await cluster.until('ContractProposal', plan, 'ProposalPending');
    expect(same.status?.digest).toBe(status?.proposal?.digest);
    await propose(['id', 'note']);
    const other = await cluster.until('ContractProposal', plan, 'ProposalConflict');
    expect([other.status?.digest, other.status?.proposalId]).toEqual([undefined, undefined]);
  });

  test.each(['is reconciled', 'is deleted'])(
    'that was restored to an earlier spec withdraws what it proposed later, when it %s',
    async (how) => {
      const { fqn, plan, propose } = await consumed();
      await propose(['id']);
      const { status } = await cluster.until('ContractProposal', plan, 'ProposalPending');
      await propose(['note']);
      await vi.waitFor(
        async () => expect((await openOf(fqn))?.id).not.toBe(status?.proposalId),
        patience,
      );
      const later = await openOf(fqn);
      await cluster.until('ContractProposal', plan, 'ProposalPending');
      await whileStopped(async () => {
        await propose(['id']);
        await patch('ContractProposal', plan, { status: null }, '/status');
        await patch('ContractProposal', plan, { status }, '/status');
        if (how === 'is deleted') await cluster.remove('ContractProposal', plan);
      });
      if (how === 'is deleted') await cluster.untilGone('ContractProposal', plan);
      else await cluster.until('ContractProposal', plan, 'ProposalPending', /waiting for billing/);
      expect((await registry.ports.reads.getProposal(later?.id ?? ''))?.status).toBe('withdrawn');
    },
  );

  test('that is gone without a trace keeps no DataContract waiting', async () => {
    const { name, put, plan, propose } = await consumed();
    await propose(['id']);
    await cluster.until('ContractProposal', plan, 'ProposalPending');
    await put('id', 'note');
    await cluster.until(
      'DataContract',
      name,
      'ProposalConflict',
      /open proposal .*\. It continues once that proposal is published or withdrawn\.$/,
    );
    await whileStopped(() => vanish('ContractProposal', plan));
    await patch('DataContract', name, {
      metadata: { annotations: { 'concordat.dev/reconcile-at': 'now' } },
    });
    await cluster.until('DataContract', name, 'ProposalPending', /waiting for billing/);
  });

  test('about an asset that no object manages is answered by its name', async () => {
    const { name, fqn, plan, propose } = await consumed();
    await cluster.remove('DataContract', name);
    await cluster.untilGone('DataContract', name);
    await vi.waitFor(async () => {
      const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
      expect(asset?.managedBy).toBeNull();
    }, patience);
    await propose(['id']);
    const { status } = await cluster.until('ContractProposal', plan, 'ProposalPending');
    const entry = { proposalRef: { name: plan }, digest: status?.digest, response: 'Approved' };
    await cluster.put('ContractRegistration', `lost-billing/${name}`, {
      fqn,
      acknowledgements: [entry],
    });
    await cluster.until('ContractProposal', plan, 'Published', /2\.0\.0/);
  });
});

describe('A DataContract', () => {
  test('keeps its asset although the environment of its namespace changed', async () => {
    const { name, fqn, put } = await consumed();
    const other = await consumed();
    await put('id');
    await cluster.until('DataContract', name, 'ProposalPending');
    const asked = await openOf(fqn);
    await relabel('lost-shop', 'environment', 'staging');
    await cluster.until('DataContract', name, 'InvalidSpec', /manages .* in production/);
    await whileStopped(() => vanish('DataContract', other.name));
    // What is gone is released by now.
    await vi.waitFor(async () => {
      const asset = await registry.ports.reads.findAssetByName(other.fqn, 'production');
      expect(asset?.managedBy).toBeNull();
    }, patience);
    await cluster.until('DataContract', name, 'InvalidSpec', /manages .* in production/);
    await relabel('lost-shop', 'environment', null);
    await cluster.until('DataContract', name, 'ProposalPending', /waiting for billing/);
    expect((await openOf(fqn))?.id).toBe(asked?.id);
  });

  test.each(['Retain', 'Delete'] as const)(
    'that is being deleted asks nobody any more to deprecate it once its policy is %s',
    async (deletionPolicy) => {
      const name = `l${++count}`;
      const fqn = `lost.${name}`;
      const put = (policy: string) =>
        cluster.put('DataContract', name, {
          ...{ fqn, team: 'checkout', schema: table('id'), deletionPolicy: policy },
        });
      await put('Deprecate');
      await cluster.until('DataContract', name, 'Published');
      await cluster.put('ContractRegistration', `lost-billing/${name}`, { fqn });
      await cluster.until('ContractRegistration', `lost-billing/${name}`, 'UpToDate');
      await cluster.remove('DataContract', name);
      await vi.waitFor(async () => expect((await openOf(fqn))?.kind).toBe('deprecation'), patience);
      await put(deletionPolicy);
      await vi.waitFor(async () => expect(await openOf(fqn)).toBeNull(), patience);
    },
  );
});

describe('A DataContract whose status is older than what it asked last', () => {
  /** Restores the earlier status, like an outdated reconcile or a backup. */
  const goBack = async (name: string, before: object | undefined, put: () => Promise<void>) =>
    whileStopped(async () => {
      await patch('DataContract', name, { status: null }, '/status');
      await patch('DataContract', name, { status: before }, '/status');
      await put();
    });

  test('withdraws it once the spec is again what is active', async () => {
    const { name, fqn, put } = await consumed();
    const { status } = await cluster.get('DataContract', name);
    await put('id');
    await cluster.until('DataContract', name, 'ProposalPending');
    await goBack(name, status, () => put('id', 'amount', 'note'));
    await cluster.until('DataContract', name, 'UpToDate');
    await vi.waitFor(async () => expect(await openOf(fqn)).toBeNull(), patience);
  });

  test('asks again what the spec asks again', async () => {
    const { name, fqn, put } = await consumed();
    await put('id');
    const { status } = await cluster.until('DataContract', name, 'ProposalPending');
    await put('note');
    await vi.waitFor(
      async () => expect((await openOf(fqn))?.id).not.toBe(status?.proposal?.id),
      patience,
    );
    await cluster.until('DataContract', name, 'ProposalPending');
    await goBack(name, status, () => put('id'));
    await cluster.until('DataContract', name, 'ProposalPending', /waiting for billing/);
    const open = await openOf(fqn);
    const { status: now } = await cluster.get('DataContract', name);
    expect([now?.proposal?.id, open?.breakingChanges.length]).toEqual([open?.id, 2]);
  });
});

describe('A ContractRegistration', () => {
  const conflicting = async () => {
    const { name, fqn } = await consumed();
    const [held, twin] = [`lost-billing/${name}`, `lost-reports/${name}`];
    await cluster.put('ContractRegistration', twin, { fqn });
    await cluster.until('ContractRegistration', twin, 'Conflict', new RegExp(held));
    return { fqn, held, twin };
  };
  const label = (value: string | null) => relabel('lost-billing', 'team', value);
  const consumersOf = async (fqn: string) => {
    const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
    const facts = await registry.ports.reads.getAssetFacts(asset?.id ?? '');
    return facts?.consumers.map(({ teamName }) => teamName);
  };

  const untilNeed = (name: string, fields: readonly string[]) =>
    vi.waitFor(async () => {
      const { status } = await cluster.get('ContractRegistration', name);
      const registration = await registry.ports.reads.getRegistration(status?.registrationId ?? '');
      expect(registration?.need?.stated).toEqual({ fields });
    }, patience);

  test('takes over from one whose namespace acts for the team no longer, and keeps it', async () => {
    const { fqn, held, twin } = await conflicting();
    await label(null);
    await cluster.until('ContractRegistration', held, 'TeamNotResolved');
    await cluster.until('ContractRegistration', twin, 'UpToDate');
    await label('billing');
    await cluster.until('ContractRegistration', held, 'Conflict', new RegExp(twin));
    await cluster.remove('ContractRegistration', held);
    await cluster.untilGone('ContractRegistration', held);
    await cluster.until('ContractRegistration', twin, 'UpToDate');
    expect(await consumersOf(fqn)).toEqual(['billing']);
  });

  test('takes over from one that vanished while nobody looked', async () => {
    const { fqn, held, twin } = await conflicting();
    await whileStopped(() => vanish('ContractRegistration', held));
    await cluster.until('ContractRegistration', twin, 'UpToDate');
    expect(await consumersOf(fqn)).toEqual(['billing']);
  });

  test('takes over from one that vanished while somebody looked', async () => {
    const { fqn, held, twin } = await conflicting();
    await vanish('ContractRegistration', held);
    await cluster.until('ContractRegistration', twin, 'UpToDate');
    expect(await consumersOf(fqn)).toEqual(['billing']);
  });

  test('takes over although another one waits that is suspended', async () => {
    const { name, fqn } = await consumed();
    const held = `lost-billing/${name}`;
    const [suspended, twin] = [`lost-reports/${name}-a`, `lost-reports/${name}-b`];
    await cluster.put('ContractRegistration', suspended, { fqn, suspend: true });
    await cluster.until('ContractRegistration', suspended, 'Suspended');
    await cluster.put('ContractRegistration', twin, { fqn });
    await cluster.until('ContractRegistration', twin, 'Conflict');
    await cluster.remove('ContractRegistration', held);
    await cluster.until('ContractRegistration', twin, 'UpToDate');
    expect(await consumersOf(fqn)).toEqual(['billing']);
  });

  test('renamed without the needs of the old one counts as a reader of everything', async () => {
    const { name, fqn, put } = await consumed();
    const [held, twin] = [`lost-billing/${name}`, `lost-billing/${name}-renamed`];
    await cluster.put('ContractRegistration', held, { fqn, needs: { fields: ['$.id'] } });
    await untilNeed(held, ['$.id']);
    await cluster.put('ContractRegistration', twin, { fqn });
    await cluster.remove('ContractRegistration', held);
    await cluster.untilGone('ContractRegistration', held);
    await cluster.until('ContractRegistration', twin, 'UpToDate');
    await put('id', 'amount');
    await cluster.until('DataContract', name, 'ProposalPending', /waiting for billing/);
  });

  test('restored without its status and its needs counts as a reader of everything', async () => {
    const { name, fqn, put } = await consumed();
    const held = `lost-billing/${name}`;
    await cluster.put('ContractRegistration', held, { fqn, needs: { fields: ['$.id'] } });
    await untilNeed(held, ['$.id']);
    await whileStopped(async () => {
      await patch('ContractRegistration', held, { status: null }, '/status');
      await cluster.put('ContractRegistration', held, { fqn });
    });
    await cluster.until('ContractRegistration', held, 'UpToDate');
    await put('id', 'amount');
    await cluster.until('DataContract', name, 'ProposalPending', /waiting for billing/);
  });

  test('registers again once its namespace acts for the team again, if another object ended the registration', async () => {
    const { fqn, held, twin } = await conflicting();
    await label(null);
    await cluster.until('ContractRegistration', twin, 'UpToDate');
    await cluster.until('ContractRegistration', held, 'TeamNotResolved');
    await cluster.remove('ContractRegistration', twin);
    await cluster.untilGone('ContractRegistration', twin);
    await label('billing');
    await cluster.until('ContractRegistration', held, 'UpToDate');
    expect(await consumersOf(fqn)).toEqual(['billing']);
  });

  test('registers again what a restored database does not have', async () => {
    const { name, fqn } = await consumed();
    const held = `lost-billing/${name}`;
    const { status } = await cluster.get('ContractRegistration', held);
    await whileStopped(async () => {
      await registry.database.query('delete from registration where id = $1', [
        status?.registrationId,
      ]);
    });
    await vi.waitFor(async () => expect(await consumersOf(fqn)).toEqual(['billing']), patience);
    await cluster.until('ContractRegistration', held, 'UpToDate');
  });

  test('restored to earlier needs states them again', async () => {
    const { name, fqn, put } = await consumed();
    const held = `lost-billing/${name}`;
    const state = (...fields: string[]) =>
      cluster.put('ContractRegistration', held, { fqn, needs: { fields } });
    await state('$.id', '$.note');
    await untilNeed(held, ['$.id', '$.note']);
    const { status } = await cluster.until('ContractRegistration', held, 'UpToDate');
    await state('$.id');
    await untilNeed(held, ['$.id']);
    await whileStopped(async () => {
      await state('$.id', '$.note');
      await patch('ContractRegistration', held, { status: null }, '/status');
      await patch('ContractRegistration', held, { status }, '/status');
    });
    await untilNeed(held, ['$.id', '$.note']);
    await put('id', 'amount');
    await cluster.until('DataContract', name, 'ProposalPending', /waiting for billing/);
  });

  test.each([
    [
      'a suspended one that took it over',
      async (held: string, twin: string, fqn: string) => {
        await cluster.put('ContractRegistration', twin, { fqn, suspend: true });
        await cluster.until('ContractRegistration', twin, 'Suspended');
        await cluster.remove('ContractRegistration', held);
        await cluster.untilGone('ContractRegistration', held);
        expect(await consumersOf(fqn)).toEqual(['billing']);
        return twin;
      },
    ],
    [
      'one that lost its status',
      async (held: string) => {
        await cluster.stop();
        await patch('ContractRegistration', held, { status: null }, '/status');
        return held;
      },
    ],
  ])('ends with %s', async (_which, prepare) => {
    const { name, fqn } = await consumed();
    const last = await prepare(`lost-billing/${name}`, `lost-reports/${name}`, fqn);
    await cluster.remove('ContractRegistration', last);
    await cluster.stop();
    await cluster.start();
    await cluster.untilGone('ContractRegistration', last);
    expect(await consumersOf(fqn)).toEqual([]);
  });

  test('ends its registration although the environment of its namespace changed', async () => {
    const { fqn, held, twin } = await conflicting();
    await relabel('lost-billing', 'environment', 'staging');
    await cluster.until('ContractRegistration', held, 'InvalidSpec', /immutable/);
    await cluster.remove('ContractRegistration', held);
    await cluster.untilGone('ContractRegistration', held);
    await cluster.until('ContractRegistration', twin, 'UpToDate');
    expect(await consumersOf(fqn)).toEqual(['billing']);
    await relabel('lost-billing', 'environment', null);
    const other = await consumed();
    await relabel('lost-billing', 'environment', 'staging');
    const alone = `lost-billing/${other.name}`;
    await cluster.until('ContractRegistration', alone, 'InvalidSpec', /immutable/);
    await cluster.remove('ContractRegistration', alone);
    await cluster.untilGone('ContractRegistration', alone);
    expect(await consumersOf(other.fqn)).toEqual([]);
    await relabel('lost-billing', 'environment', null);
  });
});

// The API's messages would ask for answers that only the API can give.
test('an administrator sees what waits, in the words of objects', async () => {
  const { name, put, fqn } = await consumed();
  const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
  accepted(
    await verbs.publishContract(registry.ports, registry.admin, {
      assetId: asset?.id ?? '',
      schema: table('id'),
      dryRun: false,
      supersede: false,
      override: true,
      reason: 'We ask it ourselves.',
      source: 'api',
    }),
  );
  await put('id', 'note');
  const { status } = await cluster.until('DataContract', name, 'ProposalConflict');
  expect(status?.conditions?.[0]?.message).not.toContain('"supersede"');
});

describe('registrations that the watch lost', () => {
  const put = (name: string, ...columns: string[]) =>
    cluster.put('DataContract', name, {
      fqn: `lost.${name}`,
      team: 'checkout',
      schema: table(...columns),
    });

  test('hold up what they might be asked about while they cannot register, also if they were there first', async () => {
    const name = `l${++count}`;
    const reads = `lost-billing/${name}`;
    const fqn = `lost.${name}`;
    const put = (...columns: string[]) =>
      cluster.put('DataContract', name, { fqn, team: 'checkout', schema: table(...columns) });
    unwritable = objectPath('ContractRegistration', 'lost-billing', name);
    try {
      await cluster.put('ContractRegistration', reads, { fqn });
      await cluster.until('ContractRegistration', reads, 'AssetNotFound');
      await put('id', 'amount');
      await cluster.until('DataContract', name, 'Published', /1\.0\.0/);
      await put('id');
      const waits = new RegExp(`ContractRegistration ${reads} could not be read yet`);
      await cluster.until('DataContract', name, 'RegistryUnavailable', waits);
    } finally {
      unwritable = null;
    }
    await cluster.until('DataContract', name, 'ProposalPending', /waiting for billing/);
    await cluster.until('ContractRegistration', reads, 'UpToDate');
  });

  test.each([
    ['hung', false],
    ['hungbefore', true],
  ])(
    'are found before a break of %s is published, and their consumers are asked',
    async (name, isEarlier) => {
      isOfEarlierRelease = isEarlier;
      await put(name, 'id', 'name');
      await cluster.until('DataContract', name, 'Published', /1\.0\.0/);
      cluster.hang('ContractRegistration');
      await cluster.put('ContractRegistration', `lost-billing/${name}`, { fqn: `lost.${name}` });
      await put(name, 'id');
      const { status } = await cluster.until('DataContract', name, 'ProposalPending', /0 of 1/);
      expect(status?.version).toBe('1.0.0');
      expect(cluster.errors.join('\n')).toContain(`lost-billing/${name} could not be read yet`);
      expect(selectors).toContain(`spec.fqn=lost.${name}`);
      isOfEarlierRelease = false;
    },
  );

  test('are found before a break is published, although their Team was not told', async () => {
    await put('teamless', 'id', 'name');
    await cluster.until('DataContract', 'teamless', 'Published', /1\.0\.0/);
    cluster.hang('Team');
    await cluster.put('Team', '/late', {});
    await cluster.put('ContractRegistration', 'lost-late/teamless', { fqn: 'lost.teamless' });
    await cluster.until('ContractRegistration', 'lost-late/teamless', 'TeamNotFound');
    await put('teamless', 'id');
    await cluster.until('DataContract', 'teamless', 'ProposalPending', /waiting for late/);
    expect(cluster.errors.join('\n')).toContain('Team late could not be read yet');
  });

  test.each([
    ['moved', async () => void (await relabel('lost-reports', 'environment', 'staging'))],
    [
      'fresh',
      async () => {
        const labels = { 'concordat.dev/team': 'billing', 'concordat.dev/environment': 'staging' };
        const metadata = { name: 'lost-fresh', labels };
        await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata });
      },
    ],
  ])(
    'are found before a break is published, although the environment of their %s namespace was not told',
    async (name, change) => {
      const fqn = `lost.${name}`;
      const namespace = name === 'moved' ? 'lost-reports' : 'lost-fresh';
      const write = (environment: string, ...columns: string[]) =>
        cluster.put('DataContract', `${name}-${environment}`, {
          ...{ fqn, environment, team: 'checkout', schema: table(...columns) },
        });
      for (const environment of ['staging', 'production']) {
        await write(environment, 'id', 'name');
        await cluster.until('DataContract', `${name}-${environment}`, 'Published', /1\.0\.0/);
      }
      cluster.hang('Namespace');
      await change();
      try {
        await cluster.put('ContractRegistration', `${namespace}/${name}`, { fqn });
        await write('staging', 'id');
        const waits = /waiting for billing/;
        await cluster.until('DataContract', `${name}-staging`, 'ProposalPending', waits);
        await cluster.until('ContractRegistration', `${namespace}/${name}`, 'UpToDate');
      } finally {
        await cluster.remove('ContractRegistration', `${namespace}/${name}`);
        await cluster.untilGone('ContractRegistration', `${namespace}/${name}`);
        if (name === 'moved') await relabel('lost-reports', 'environment', null);
      }
    },
  );

  test('hold up what they might be asked about while they cannot be read, and nothing else', async () => {
    for (const name of ['unread', 'wider', 'kept']) {
      await put(name, 'id', 'name');
      await cluster.until('DataContract', name, 'Published', /1\.0\.0/);
    }
    isUnreadable = true;
    try {
      await put('unread', 'id');
      const said = /^ContractRegistrations cannot be read now, .* \(no answer\)/;
      await cluster.until('DataContract', 'unread', 'RegistryUnavailable', said);
      await put('wider', 'id', 'name', 'more');
      await cluster.until('DataContract', 'wider', 'Published', /1\.1\.0/);
      await cluster.remove('DataContract', 'kept');
      await cluster.untilGone('DataContract', 'kept');
    } finally {
      isUnreadable = false;
    }
    await cluster.until('DataContract', 'unread', 'Published', /2\.0\.0/);
  });
});

describe('a namespace that acts for another team by now, of which its watch has told nothing', () => {
  const handedOver = async () => {
    const asked = await consumed();
    await asked.put('id');
    await cluster.until('DataContract', asked.name, 'ProposalPending', /0 of 1/);
    cluster.hang('Namespace');
    await relabel('lost-billing', 'team', 'checkout');
    return { ...asked, proposal: await openOf(asked.fqn) };
  };
  afterEach(() => relabel('lost-billing', 'team', 'billing'));

  test('does not answer for the former one', async () => {
    const { name, fqn, proposal } = await handedOver();
    const { status } = await cluster.get('DataContract', name);
    const digest = status?.proposal?.digest;
    const answer = { proposalRef: { id: proposal?.id }, digest, response: 'Approved' };
    const spec = { fqn, acknowledgements: [answer] };
    await cluster.put('ContractRegistration', `lost-billing/${name}`, spec);
    await cluster.until('ContractRegistration', `lost-billing/${name}`, 'InvalidSpec', /billing/);
    expect((await openOf(fqn))?.progress.acknowledged).toBe(0);
  });

  test('does not say what the former one reads', async () => {
    const { name, fqn } = await handedOver();
    const spec = { fqn, needs: { fields: ['$.id'] } };
    await cluster.put('ContractRegistration', `lost-billing/${name}`, spec);
    await cluster.until('ContractRegistration', `lost-billing/${name}`, 'InvalidSpec', /billing/);
    expect((await openOf(fqn))?.progress.totalConsumers).toBe(1);
  });

  test('does not end the registration of the former one', async () => {
    const { name, fqn } = await handedOver();
    await cluster.remove('ContractRegistration', `lost-billing/${name}`);
    await cluster.untilGone('ContractRegistration', `lost-billing/${name}`);
    expect((await openOf(fqn))?.progress.totalConsumers).toBe(1);
  });

  test('is asked, if one of its registrations waited for its team', async () => {
    const { name, fqn, put } = await consumed();
    await relabel('lost-reports', 'team', null);
    await cluster.put('ContractRegistration', `lost-reports/${name}`, { fqn, team: 'billing' });
    await cluster.until('ContractRegistration', `lost-reports/${name}`, 'TeamNotResolved');
    await vanish('ContractRegistration', `lost-billing/${name}`);
    const [team] = await registry.ports.reads.listTeamsBySlug(['billing']);
    const page = { page: 1, pageSize: 10, includeTotal: false, consumerTeamId: team?.id };
    const { results } = accepted(await registry.ports.reads.listRegistrations(page));
    const own = results.find(({ assetFqn }) => assetFqn === fqn);
    const command = { registrationId: own?.id ?? '', reason: 'They asked us to.' };
    accepted(await verbs.deleteRegistration(registry.ports, registry.admin, command));
    cluster.hang('Namespace');
    await relabel('lost-reports', 'team', 'billing');
    await put('id');
    await cluster.until('DataContract', name, 'ProposalPending', /waiting for billing/);
  });

  test('does not decide for the former one', async () => {
    const { fqn, plan, propose, name } = await consumed();
    await propose(['id']);
    await cluster.until('ContractProposal', plan, 'ProposalPending');
    cluster.hang('Namespace');
    await relabel('lost-shop', 'team', 'billing');
    try {
      const decided = { decision: 'Withdraw', decisionReason: 'Not ours to say.' };
      await propose(['id'], decided);
      await cluster.until('ContractProposal', plan, 'NotPermitted');
      expect([name, (await openOf(fqn))?.status]).toEqual([name, 'pending']);
    } finally {
      await relabel('lost-shop', 'team', 'checkout.billing');
    }
  });
});

test('a registration that is pruned before its new name is applied is continued, also if its producer declares it meanwhile', async () => {
  const kept = await openClusterController(registry, {
    namespaces: { 'kept-shop': 'checkout', 'kept-billing': 'billing' },
    departurePauseMs: 24 * 60 * 60_000,
  });
  try {
    const fqn = 'lost.pruned';
    const put = (columns: readonly string[], more: object = {}) =>
      kept.put('DataContract', 'pruned', { fqn, schema: table(...columns), ...more });
    const needs = { fields: ['$.amount'] };
    await put(['id', 'amount']);
    await kept.put('ContractRegistration', 'kept-billing/before', { fqn, needs });
    const { status } = await kept.until('ContractRegistration', 'kept-billing/before', 'UpToDate');
    await put(['id']);
    await kept.until('DataContract', 'pruned', 'ProposalPending', /waiting for billing/);
    await kept.remove('ContractRegistration', 'kept-billing/before');
    await kept.untilGone('ContractRegistration', 'kept-billing/before');
    await put(['id'], { addConsumers: [{ team: 'billing' }] });
    await kept.until('DataContract', 'pruned', 'ProposalPending', /waiting for billing/);
    const registrationId = status?.registrationId ?? '';
    const continued = { endsAt: null, status: 'active', need: { stated: needs } };
    const registrationNow = () => registry.ports.reads.getRegistration(registrationId);
    expect(await registrationNow()).toMatchObject(continued);
    await kept.put('ContractRegistration', 'kept-billing/after', { fqn, needs });
    const after = await kept.until('ContractRegistration', 'kept-billing/after', 'UpToDate');
    expect(after.status?.registrationId).toBe(registrationId);
    expect(await registrationNow()).toMatchObject(continued);
    expect((await openOf(fqn))?.progress).toMatchObject({ acknowledged: 0, totalConsumers: 1 });
  } finally {
    await kept.close();
  }
});
