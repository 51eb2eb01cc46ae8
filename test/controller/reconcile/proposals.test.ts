// ContractProposals on a real API server: those that the controller creates, and those that a team
// writes before it changes its DataContract.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ContractProposal } from '../../../src/controller/crd/resources.ts';
import type { Team } from '../../../src/core/team.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import { after, before, counts, foundByDbt, readsTwo } from '../../support/one-of-three.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import {
  accepted,
  openTestRegistry,
  patience,
  type TestRegistry,
} from '../support/open-controller.ts';

let registry: TestRegistry;
let cluster: TestClusterController;
let billing: Team;
let parcels: Team;
let count = 0;
let needsTwo = false;

beforeAll(async () => {
  registry = await openTestRegistry(undefined, {
    keyMaxDays: null,
    get fourEyes() {
      return needsTwo;
    },
  });
  await registry.team('checkout');
  billing = await registry.team('billing');
  await registry.team('search');
  parcels = await registry.team('parcels');
  cluster = await openClusterController(registry, {
    namespaces: { 'proposals-shop': 'checkout', 'proposals-billing': 'billing' },
    allowForce: true,
  });
});

afterAll(async () => {
  await cluster?.close();
  await registry?.stop();
});

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

/** A published DataContract that billing reads; its name is the last part of its FQN. */
async function consumed(more: object = {}) {
  const name = `c${++count}`;
  const fqn = `proposals.${name}`;
  const put = (schema: object, others: object = {}) =>
    cluster.put('DataContract', name, {
      fqn,
      schema,
      consumers: [{ team: 'billing' }],
      ...more,
      ...others,
    });
  await put(table('id', 'amount'));
  await cluster.until('DataContract', name, 'Published', /1\.0\.0/);
  return { name, fqn, put };
}

async function madeFor(name: string): Promise<ContractProposal> {
  const contract = await cluster.until('DataContract', name, 'ProposalPending');
  const made = contract.status?.proposal?.name ?? '';
  return cluster.until('ContractProposal', made, 'ProposalPending');
}

const answer = async (
  proposalId: string | undefined,
  response: 'approved' | 'blocked',
  notes?: string,
) =>
  accepted(
    await verbs.acknowledgeProposal(registry.ports, registry.admin, {
      proposalId: proposalId ?? '',
      teamId: billing.id,
      reason: 'They told us.',
      response,
      notes,
    }),
  );

const decide = (name: string, decision: string, decisionReason?: string) =>
  cluster.put('ContractProposal', name, { decision, decisionReason }, {});

async function deniedBy(uid: string): Promise<number> {
  const rows = await registry.database.query(
    "select from audit_event where event_type = 'auth.denied' and actor_id = $1",
    [uid],
  );
  return rows.length;
}

/** An administrator answers for another team. */
const reason = 'They asked us to.';

describe('A ContractProposal that the controller makes', () => {
  test('says of each consumer what breaks of what it reads', async () => {
    const { fqn, name, put } = await consumed();
    const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
    const { consumers = [] } = (await registry.ports.reads.getAssetFacts(asset?.id ?? '')) ?? {};
    const registrationId = consumers[0]?.registrationId ?? '';
    const command = { registrationId, needs: { fields: ['$.amount'] }, reason };
    accepted(await verbs.updateRegistration(registry.ports, registry.admin, command));
    await put(table('id'));
    const { status } = await madeFor(name);
    expect(status?.consumers).toMatchObject([
      { team: 'billing', acknowledged: false, verdict: 'Breaks', path: '$.amount' },
    ]);
    const counts = { breaks: 1, mayBreak: 0, unaffected: 0 };
    expect([status?.verdicts, status?.excused]).toEqual([counts, []]);
    expect((await cluster.get('DataContract', name)).status?.proposal).toMatchObject({
      verdicts: counts,
    });
  });

  test('can say whom to ask, and until when', async () => {
    const { name, put } = await consumed();
    await put(table('id'));
    const { metadata, status } = await madeFor(name);
    const said = { contact: 'Ada, #shop', answerBy: '2099-05-03' };
    await cluster.put('ContractProposal', metadata.name, said, {});
    await vi.waitFor(async () => {
      const proposal = await registry.ports.reads.getProposal(status?.proposalId ?? '');
      expect(proposal?.request).toMatchObject(said);
    }, patience);
  });

  test('names the consumers that are not asked, and both kinds count them', async () => {
    const { fqn, name, put } = await consumed({
      consumers: [{ team: 'billing' }, { team: 'search' }],
    });
    const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
    const { consumers = [] } = (await registry.ports.reads.getAssetFacts(asset?.id ?? '')) ?? {};
    const reads = consumers.find(({ teamId }) => teamId === billing.id);
    const registrationId = reads?.registrationId ?? '';
    const command = { registrationId, needs: { fields: ['$.id'] }, reason };
    accepted(await verbs.updateRegistration(registry.ports, registry.admin, command));
    await put(table('id'));
    const { status } = await madeFor(name);
    const counts = { breaks: 0, mayBreak: 1, unaffected: 1 };
    expect([status?.verdicts, status?.excused]).toEqual([counts, ['billing']]);
    expect(status?.consumers).toMatchObject([{ team: 'search' }]);
    expect((await cluster.get('DataContract', name)).status?.proposal).toMatchObject({
      verdicts: counts,
    });
  });

  test('for a field that two of three consumers do not read asks the third', async () => {
    const teams = [{ team: 'billing' }, { team: 'search' }, { team: 'parcels' }];
    const { fqn, name, put } = await consumed({ consumers: teams });
    await put(table(...before), { consumers: teams });
    await cluster.until('DataContract', name, 'Published', /1\.1\.0/);
    const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
    const { consumers = [] } = (await registry.ports.reads.getAssetFacts(asset?.id ?? '')) ?? {};
    const idOf = (teamId: string) =>
      consumers.find((each) => each.teamId === teamId)?.registrationId ?? '';
    const { ports, admin } = registry;
    const stated = { registrationId: idOf(billing.id), needs: readsTwo, reason };
    accepted(await verbs.updateRegistration(ports, admin, stated));
    const registrationId = idOf(parcels.id);
    const found = accepted(await verbs.findNeeds(ports, admin, { registrationId, ...foundByDbt }));
    const digest = found.found?.digest ?? '';
    accepted(await verbs.confirmNeeds(ports, admin, { registrationId, digest, reason }));
    await put(table(...after), { consumers: teams });
    const { status } = await madeFor(name);
    expect([status?.verdicts, status?.excused?.toSorted()]).toEqual([
      counts,
      ['billing', 'parcels'],
    ]);
    expect(status?.consumers).toMatchObject([{ team: 'search' }]);
    expect((await cluster.get('DataContract', name)).status?.proposal?.verdicts).toEqual(counts);
  });

  test('is named, owned, told of in the status, and follows what is answered through the API', async () => {
    const { name, put } = await consumed();
    await put(table('id'));
    const made = await madeFor(name);
    const owner = await cluster.get('DataContract', name);
    expect(made.metadata.name).toMatch(new RegExp(`^${name}-[0-9a-f]{10}$`));
    expect(made.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'concordat.dev/v1',
        kind: 'DataContract',
        name,
        uid: owner.metadata.uid,
        controller: true,
      },
    ]);
    expect(made.metadata.finalizers).toBeUndefined();
    expect(made.spec).toEqual({
      contractRef: { name },
      schema: table('id'),
      compatibilityMode: 'Backward',
    });
    expect(made.status).toMatchObject({
      proposalId: owner.status?.proposal?.id,
      phase: 'Pending',
      acknowledged: 0,
      total: 1,
      canPublish: false,
      consumers: [{ team: 'billing', acknowledged: false }],
      changes: [],
      breakingChanges: [{ type: 'PropertyRemoved', path: '$.properties.amount' }],
    });
    expect(owner.status?.proposal).toEqual({
      name: made.metadata.name,
      id: made.status?.proposalId,
      verdicts: { breaks: 0, mayBreak: 1, unaffected: 0 },
      digest: made.status?.digest,
      acknowledged: 0,
      total: 1,
    });
    await answer(made.status?.proposalId, 'blocked', 'We sum it.');
    const rejected = await cluster.until(
      'ContractProposal',
      made.metadata.name,
      'ProposalRejected',
      /billing: We sum it/,
    );
    expect(rejected.status?.phase).toBe('Rejected');
    await answer(made.status?.proposalId, 'approved');
    const over = await cluster.until(
      'ContractProposal',
      made.metadata.name,
      'Published',
      /2\.0\.0/,
    );
    expect(over.status).toMatchObject({
      phase: 'Published',
      publishedVersion: '2.0.0',
      acknowledged: 1,
      total: 1,
      consumers: [{ team: 'billing', acknowledged: true, response: 'Approved' }],
    });
    await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
  });

  test('waits for decision Publish where the policy is Manual', async () => {
    const { name, put } = await consumed({ publishPolicy: 'Manual' });
    await put(table('id'));
    const { metadata, status } = await madeFor(name);
    const untilAwaited = () =>
      cluster.until('ContractProposal', metadata.name, 'ProposalPending', /waiting for billing/);
    await decide(metadata.name, 'Publish');
    await untilAwaited();
    await decide(metadata.name, 'Pending');
    // Before it is answered: until the controller has seen this, it would publish.
    await untilAwaited();
    await answer(status?.proposalId, 'approved');
    await cluster.until('DataContract', name, 'ProposalPending', /publishPolicy is Manual/);
    await cluster.until('ContractProposal', metadata.name, 'ProposalPending', /Decide/);
    await decide(metadata.name, 'Approve');
    const parked = await cluster.until(
      'ContractProposal',
      metadata.name,
      'ProposalPending',
      /Approved/,
    );
    expect(parked.status?.phase).toBe('Approved');
    await decide(metadata.name, 'Publish');
    await cluster.until('ContractProposal', metadata.name, 'Published', /2\.0\.0/);
    await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
  });

  test('is withdrawn from the resource, and not proposed again until git changes', async () => {
    const { name, put } = await consumed();
    await put(table('id'));
    const { metadata } = await madeFor(name);
    await decide(metadata.name, 'Withdraw', 'Not this quarter.');
    const withdrawn = await cluster.until(
      'ContractProposal',
      metadata.name,
      'UpToDate',
      /Not this quarter/,
    );
    expect(withdrawn.status?.phase).toBe('Withdrawn');
    await cluster.until('DataContract', name, 'ProposalWithdrawn', /Not this quarter/);
    await cluster.stop();
    await cluster.start();
    await cluster.until('DataContract', name, 'ProposalWithdrawn');
    await put(table('id'), { description: 'Changed.' });
    const again = await madeFor(name);
    expect(again.metadata.name).not.toBe(metadata.name);
  });

  test('asks twice where a change comes, goes and comes again', async () => {
    const { name, put } = await consumed();
    await put(table('id'));
    const first = await madeFor(name);
    await put(table('id', 'amount'));
    await cluster.until('DataContract', name, 'UpToDate', /1\.0\.0/);
    const over = await cluster.until(
      'ContractProposal',
      first.metadata.name,
      'UpToDate',
      /was set back/,
    );
    expect(over.status?.phase).toBe('Withdrawn');
    await put(table('id'));
    const second = await madeFor(name);
    expect(second.metadata.name).not.toBe(first.metadata.name);
    expect(second.status).toMatchObject({ acknowledged: 0, total: 1 });
  });

  test('is forced from the resource where that is allowed, and is on record', async () => {
    const { name, put } = await consumed();
    await put(table('id'));
    const { metadata } = await madeFor(name);
    await decide(metadata.name, 'Force', 'The old column leaks.');
    const forced = await cluster.until(
      'ContractProposal',
      metadata.name,
      'Published',
      /Forced as version 2\.0\.0/,
    );
    expect(forced.status?.phase).toBe('ForcePublished');
    const events = await registry.database.query(
      "select metadata from audit_event where event_type = 'proposal.force_published' and actor_id = $1",
      [metadata.uid],
    );
    expect(events).toMatchObject([{ metadata: { reason: 'The old column leaks.' } }]);
    await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
  });

  test('is not forced once more by an object that was restored without its status', async () => {
    const { name, fqn, put } = await consumed();
    const forced = `${name}-forced`;
    const force = (decisionReason: string) =>
      cluster.put('ContractProposal', forced, {
        fqn,
        schema: table('id'),
        decision: 'Force',
        decisionReason,
      });
    await force('The old column leaks.');
    await cluster.until('ContractProposal', forced, 'Published', /Forced as version 2\.0\.0/);
    await put(table('id', 'tax'));
    await cluster.until('DataContract', name, 'Published', /2\.1\.0/);
    await cluster.remove('ContractProposal', forced);
    await cluster.untilGone('ContractProposal', forced);
    await force('The old column leaks.');
    await cluster.until('ContractProposal', forced, 'NotPermitted', /a decision forces once/);
    await force('The new column leaks.');
    await cluster.until('ContractProposal', forced, 'Published', /Forced as version 3\.0\.0/);
  });

  test('is not forced where it stands in a ConfigMap, which others may change', async () => {
    const { name, fqn } = await consumed();
    const data = { 'a.json': JSON.stringify(table('id')) };
    const metadata = { name, namespace: 'proposals-shop' };
    await cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    const forced = `${name}-forced`;
    const schemaFrom = { configMapKeyRef: { name, key: 'a.json' } };
    const decision = { decision: 'Force', decisionReason: 'The old column leaks.' };
    await cluster.put('ContractProposal', forced, { fqn, schemaFrom, ...decision });
    await cluster.until('ContractProposal', forced, 'NotPermitted', /spec\.schema in place/);
    await cluster.put('ContractProposal', forced, { fqn, schemaFrom });
    await cluster.until('ContractProposal', forced, 'ProposalPending');
  });

  test('is forced from the resource although a consumer blocked it', async () => {
    const { name, put } = await consumed();
    await put(table('id'));
    const { metadata, status } = await madeFor(name);
    await answer(status?.proposalId, 'blocked', 'We read it.');
    await cluster.until(
      'ContractProposal',
      metadata.name,
      'ProposalRejected',
      /can force the proposal/,
    );
    await decide(metadata.name, 'Force', 'The old column leaks.');
    await cluster.until(
      'ContractProposal',
      metadata.name,
      'Published',
      /Forced as version 2\.0\.0/,
    );
    await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
  });

  test.each([
    ['Force', 'because'],
    ['Force', `x${'\u200b'.repeat(20)}`],
    ['Withdraw', 'because'],
  ])('is not decided for a reason that says too little: %s, %j', async (decision, reason) => {
    const { name, put } = await consumed();
    await put(table('id'));
    const { metadata } = await madeFor(name);
    await decide(metadata.name, decision, reason);
    const refused = await cluster.until(
      'ContractProposal',
      metadata.name,
      'InvalidSpec',
      /a reason of at least 8 letters/,
    );
    expect(refused.status?.phase).toBe('Pending');
    const asset = await registry.ports.reads.findAssetByName(`proposals.${name}`, 'production');
    expect(asset?.activeContractVersion).toBe('1.0.0');
  });

  test('is not forced from the resource where two administrators are needed', async () => {
    const { name, put } = await consumed();
    await put(table('id'));
    const { metadata } = await madeFor(name);
    needsTwo = true;
    try {
      await decide(metadata.name, 'Force', 'The old column leaks.');
      const refused = await cluster.until(
        'ContractProposal',
        metadata.name,
        'NotPermitted',
        /two administrators must force a proposal/,
      );
      expect(refused.status?.phase).toBe('Pending');
    } finally {
      needsTwo = false;
    }
  });

  test('comes again where somebody deletes it while it is open', async () => {
    const { name, put } = await consumed();
    await put(table('id'));
    const { metadata } = await madeFor(name);
    await cluster.remove('ContractProposal', metadata.name);
    await vi.waitFor(async () => {
      const again = await cluster.get('ContractProposal', metadata.name);
      expect(again.metadata.uid).not.toBe(metadata.uid);
      expect(again.status?.phase).toBe('Pending');
    }, patience);
  });

  test("cannot be written by hand for a proposal that is somebody else's", async () => {
    const { name, put } = await consumed();
    await put(table('id'));
    const { status, metadata } = await madeFor(name);
    const owner = await cluster.get('DataContract', name);
    await cluster.put(
      'ContractProposal',
      `${name}-forged`,
      {
        contractRef: { name },
        schema: table('id'),
        decision: 'Force',
        decisionReason: 'It has to be.',
      },
      {
        annotations: { 'concordat.dev/proposal': status?.proposalId },
        ownerReferences: [{ ...metadata.ownerReferences?.[0], uid: owner.metadata.uid }],
      },
    );
    await cluster.until('ContractProposal', `${name}-forged`, 'InvalidSpec', /was not/);
    await cluster.until('ContractProposal', metadata.name, 'ProposalPending');
  });

  test('is kept ten times once it is finished', async () => {
    const { name, put } = await consumed();
    for (let round = 0; round < 12; round++) {
      await put(table('id', `amount_${round}`));
      const made = await madeFor(name);
      await decide(made.metadata.name, 'Withdraw', 'Once again.');
      await cluster.until('DataContract', name, 'ProposalWithdrawn');
      await cluster.until('ContractProposal', made.metadata.name, 'UpToDate');
    }
    await put(table('id'));
    await madeFor(name);
    const all = (await cluster.list('ContractProposal')).filter(
      ({ spec }) => spec.contractRef?.name === name,
    );
    expect(all).toHaveLength(11);
  });
});

describe('A ContractProposal that a team writes first', () => {
  const write = (contract: string, schema: object, more: object = {}) =>
    cluster.put('ContractProposal', `${contract}-first`, {
      contractRef: { name: contract },
      schema,
      ...more,
    });

  test('is settled before the DataContract follows, which is then published at once, and once only', async () => {
    const { name, put } = await consumed();
    const why = 'The amount moved to another table.';
    await write(name, table('id'), { decision: 'Publish', reason: why });
    const asked = await cluster.until(
      'ContractProposal',
      `${name}-first`,
      'ProposalPending',
      /waiting for billing/,
    );
    const told = await registry.ports.reads.getProposal(asked.status?.proposalId ?? '');
    expect(told?.request).toMatchObject({ reason: why });
    await answer(asked.status?.proposalId, 'approved');
    // Parked: the DataContract still requests something else.
    const parked = await cluster.until(
      'ContractProposal',
      `${name}-first`,
      'ProposalPending',
      /once the DataContract has the same change/,
    );
    expect(parked.status?.phase).toBe('Approved');
    await cluster.until('DataContract', name, 'Published', /1\.0\.0/);
    await put(table('id'));
    await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
    await cluster.until('ContractProposal', `${name}-first`, 'Published', /2\.0\.0/);
    // After a change back, the same change is asked about again: the approval was used up.
    await put(table('id', 'amount'));
    await cluster.until('DataContract', name, 'Published', /2\.1\.0/);
    await put(table('id'));
    const again = await madeFor(name);
    expect(again.status).toMatchObject({ acknowledged: 0, total: 1 });
  });

  test('tells the consumers what it says, also later, and leaves what it does not say', async () => {
    const { name } = await consumed();
    const first = `${name}-first`;
    const requestOf = async (id: string | undefined) =>
      (await registry.ports.reads.getProposal(id ?? ''))?.request;
    const asked = {
      reason: 'Amounts move to another table.',
      contact: 'Ada, #shop',
      answerBy: '2099-05-03',
    };
    await write(name, table('id'), asked);
    const { status } = await cluster.until('ContractProposal', first, 'ProposalPending');
    expect(await requestOf(status?.proposalId)).toMatchObject(asked);
    const proposalId = status?.proposalId ?? '';
    const command = { proposalId, request: { migrateBy: '2099-12-31' } };
    accepted(await verbs.updateProposal(registry.ports, registry.admin, command));

    const migration = 'Join `amounts` by `id`.';
    await write(name, table('id'), { ...asked, contact: 'Grace, #shop', migration });
    const all = { ...asked, contact: 'Grace, #shop', migration, migrateBy: '2099-12-31' };
    await vi.waitFor(async () => expect(await requestOf(proposalId)).toEqual(all), patience);
    expect((await cluster.get('ContractProposal', first)).status?.proposalId).toBe(proposalId);

    await write(name, table('id'), { ...asked, answerBy: '2020-01-01' });
    await cluster.until('ContractProposal', first, 'InvalidSpec', /The day 2020-01-01 is over/);
    expect(await requestOf(proposalId)).toEqual(all);
  });

  test('is asked about again where another version came in between', async () => {
    const { name, put } = await consumed();
    await write(name, table('id'), { decision: 'Approve' });
    const asked = await cluster.until('ContractProposal', `${name}-first`, 'ProposalPending');
    await answer(asked.status?.proposalId, 'approved');
    await cluster.until('ContractProposal', `${name}-first`, 'ProposalPending', /Approved/);
    await put(table('id', 'amount', 'note'));
    await cluster.until('DataContract', name, 'Published', /1\.1\.0/);
    const anew = await cluster.until(
      'ContractProposal',
      `${name}-first`,
      'ProposalPending',
      /waiting for billing/,
    );
    expect(anew.status).toMatchObject({ phase: 'Pending', acknowledged: 0, total: 1 });
    await put(table('id'));
    await cluster.until('DataContract', name, 'ProposalPending', /waiting for billing/);
    await answer(anew.status?.proposalId, 'approved');
    await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
  });

  test('counts only while every current consumer has acknowledged', async () => {
    const { name, fqn, put } = await consumed();
    await write(name, table('id'), { decision: 'Approve' });
    const asked = await cluster.until('ContractProposal', `${name}-first`, 'ProposalPending');
    await answer(asked.status?.proposalId, 'approved');
    await cluster.until('ContractProposal', `${name}-first`, 'ProposalPending', /Approved/);
    const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
    const [search] = await registry.ports.reads.listTeamsBySlug(['search']);
    accepted(
      await verbs.registerConsumer(registry.ports, registry.admin, {
        contractId: asset?.activeContractId ?? '',
        consumerTeamId: search?.id ?? '',
      }),
    );
    await put(table('id'));
    await cluster.until('DataContract', name, 'ProposalPending', /1 of 2.*waiting for search/);
  });

  test('says that nobody needs to be asked, and changes nothing', async () => {
    const { name, fqn } = await consumed();
    await write(name, table('id', 'amount', 'note'));
    const found = await cluster.until(
      'ContractProposal',
      `${name}-first`,
      'UpToDate',
      /breaks no consumer/,
    );
    expect(found.status?.phase).toBe('NotBreaking');
    const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
    expect(asset?.activeContractVersion).toBe('1.0.0');
  });

  test('is withdrawn with the object', async () => {
    const { name } = await consumed();
    await write(name, table('id'));
    const { status } = await cluster.until('ContractProposal', `${name}-first`, 'ProposalPending');
    await cluster.remove('ContractProposal', `${name}-first`);
    await cluster.untilGone('ContractProposal', `${name}-first`);
    const proposal = await registry.ports.reads.getProposal(status?.proposalId ?? '');
    expect(proposal).toMatchObject({ status: 'withdrawn' });
    expect(proposal?.reason).toContain('was deleted');
  });

  test('show in their status what was said of them', async () => {
    const { name, put } = await consumed();
    await put(table('id'));
    const { metadata, status } = await madeFor(name);
    const comment = (text: string) =>
      verbs.commentOnProposal(registry.ports, registry.admin, {
        ...{ proposalId: status?.proposalId ?? '', teamId: billing.id, text },
      });
    accepted(await comment('Which day?'));
    const shown = async () =>
      (await cluster.get('ContractProposal', metadata.name)).status?.comments;
    await vi.waitUntil(async () => ((await shown())?.length ?? 0) === 1, patience);
    accepted(await comment('x'.repeat(2_000)));
    await vi.waitUntil(async () => ((await shown())?.length ?? 0) === 2, patience);
    expect(await shown()).toMatchObject([
      { team: billing.name, text: 'Which day?' },
      { team: billing.name, text: `${'x'.repeat(999)}…` },
    ]);
  });

  test('shows the objections of teams that are not asked, and only those that stand', async () => {
    const { name, put } = await consumed();
    await put(table('id'));
    const { metadata, status } = await madeFor(name);
    const team = await registry.team('planning');
    const object = (reason: string | null) =>
      verbs.objectToProposal(registry.ports, registry.admin, {
        ...{ proposalId: status?.proposalId ?? '', teamId: team.id, reason },
      });
    const shown = async () => {
      const { status: now } = await cluster.get('ContractProposal', metadata.name);
      return now?.objections;
    };
    accepted(await object('We read it from June on.'));
    await vi.waitUntil(async () => ((await shown())?.length ?? 0) === 1, patience);
    expect(await shown()).toMatchObject([{ team: team.name, reason: 'We read it from June on.' }]);
    accepted(await object(null));
    await vi.waitUntil(async () => (await shown())?.length === 0, patience);
  });

  test.each([
    ['a deprecation', { kind: 'Deprecation' }, 'deprecation'],
    ['another owner', { kind: 'Move', team: 'search' }, 'move'],
  ])('may be about %s', async (_, spec, kind) => {
    const { name } = await consumed();
    await cluster.put('ContractProposal', `${name}-first`, { contractRef: { name }, ...spec });
    const { status } = await cluster.until('ContractProposal', `${name}-first`, 'ProposalPending');
    const proposal = await registry.ports.reads.getProposal(status?.proposalId ?? '');
    expect(proposal?.kind).toBe(kind);
  });
});

describe('Who acts for whom', () => {
  test('a consumer answers from its own namespace; another team is refused, on record', async () => {
    const { name, fqn, put } = await consumed();
    await put(table('id'));
    const { metadata, status } = await madeFor(name);
    await cluster.put('ContractProposal', metadata.name, {
      acknowledgements: [{ team: 'billing', response: 'Approved' }],
    });
    await cluster.until(
      'ContractProposal',
      metadata.name,
      'NotPermitted',
      /answers for checkout, not for billing/,
    );
    expect(await deniedBy(metadata.uid)).toBe(1);
    await cluster.put('ContractProposal', 'proposals-billing/mine', {
      fqn,
      schema: table('id'),
      decision: 'Withdraw',
      decisionReason: 'It has to be.',
    });
    const mine = await cluster.until(
      'ContractProposal',
      'proposals-billing/mine',
      'NotPermitted',
      /belongs to checkout/,
    );
    expect(await deniedBy(mine.metadata.uid)).toBe(1);
    expect(await registry.ports.reads.getProposal(status?.proposalId ?? '')).toMatchObject({
      status: 'pending',
    });
    await cluster.put('ContractRegistration', 'proposals-billing/reads', {
      fqn,
      acknowledge: [{ proposal: metadata.name, response: 'Migrating', notes: 'In May.' }],
    });
    await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
    expect(await registry.ports.reads.getProposal(status?.proposalId ?? '')).toMatchObject({
      consumers: [{ response: 'migrating', notes: 'In May.' }],
    });
    // The refused answer does not matter to what is published.
    await cluster.until('ContractProposal', metadata.name, 'Published', /2\.0\.0/);
  });
});
