// Every row of the table in core/proposal-machine.ts, and every combination that it does not list,
// through the API.

import { describe, expect, test } from 'vitest';
import {
  type ProposalAct,
  type ProposalRow,
  type ProposalState,
  proposalActs,
  proposalStates,
  proposalTable,
} from '../../../src/core/proposal-machine.ts';
import {
  must,
  mustRefuse,
  openRegistryForFile,
  proposedAsset,
  publish,
  publishedAsset,
  register,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

interface Scene {
  readonly assetId: string;
  readonly proposalId: string;
}

/** Brings a proposal with one consumer into a state, by the acts that lead there. */
async function sceneIn(state: ProposalState, isAnswered: boolean): Promise<Scene> {
  const scene = await proposedAsset(world.producer, [world.consumer]);
  const needsAnswer = state === 'approved' || state === 'published';
  if (needsAnswer || (isAnswered && state === 'pending')) must(await act.acknowledge(scene), 200);
  if (state === 'approved') must(await act.approve(scene), 200);
  if (state === 'published') must(await act.publish(scene), 200);
  if (state === 'rejected') must(await act.block(scene), 200);
  if (state === 'force_published') must(await act.force(scene), 200);
  if (state === 'withdrawn') must(await act.withdraw(scene), 200);
  expect(await stateOf(scene)).toBe(state);
  return scene;
}

async function stateOf({ proposalId }: Scene): Promise<ProposalState> {
  return must(await world.admin.getProposal({ params: { proposal_id: proposalId } }), 200).status;
}

/** As if it had been proposed so many days earlier. */
async function age({ proposalId }: Scene, days: number): Promise<void> {
  await registry.database.query(
    `update proposal set proposed_at = proposed_at - make_interval(days => $2) where id = $1`,
    [proposalId, days],
  );
}

/** The acts of requests, by the permitted caller. */
const act = {
  acknowledge: ({ proposalId }: Scene) =>
    world.consumer.client.acknowledgeProposal({ params: { proposal_id: proposalId }, body: {} }),
  block: ({ proposalId }: Scene) =>
    world.consumer.client.acknowledgeProposal({
      params: { proposal_id: proposalId },
      body: { response: 'blocked', notes: 'We read it.' },
    }),
  approve: ({ proposalId }: Scene) =>
    world.producer.client.approveProposal({ params: { proposal_id: proposalId } }),
  publish: ({ proposalId }: Scene) =>
    world.producer.client.publishProposal({ params: { proposal_id: proposalId } }),
  rebase: ({ proposalId }: Scene) =>
    world.producer.client.rebaseProposal({ params: { proposal_id: proposalId } }),
  force: ({ proposalId }: Scene) =>
    world.admin.forceProposal({
      params: { proposal_id: proposalId },
      body: { reason: 'It has to be.' },
    }),
  withdraw: ({ proposalId }: Scene) =>
    world.producer.client.withdrawProposal({
      params: { proposal_id: proposalId },
      body: { reason: 'It has to be.' },
    }),
  object: ({ proposalId }: Scene) =>
    world.other.client.objectToProposal({
      params: { proposal_id: proposalId },
      body: { reason: 'We will read it soon.' },
    }),
  expire: ({ proposalId }: Scene) =>
    world.producer.client.expireProposal({ params: { proposal_id: proposalId } }),
} satisfies Partial<Record<ProposalAct, unknown>>;

type Asked = keyof typeof act;

function isAsked(name: ProposalAct): name is Asked {
  return name in act;
}

const listed = proposalTable.filter(
  (row): row is ProposalRow & { from: ProposalState; act: Asked } =>
    // A registration reopens an approved proposal at once, so there an approved one waits for
    // nobody.
    row.from !== 'none' &&
    isAsked(row.act) &&
    !(row.from === 'approved' && row.when === 'cannot_publish'),
);

describe('A row of the table', () => {
  test.each(
    listed.map((row) => [`${row.from}, ${row.act} (${row.when}) -> ${row.to}`, row] as const),
  )('%s', async (_name, row) => {
    const scene = await sceneIn(row.from, row.when === 'can_publish');
    if (row.when === 'overdue') await age(scene, 30);
    const result = await act[row.act](scene);
    if (row.to === 'PROPOSAL_NOT_READY' || row.to === 'PROPOSAL_NOT_OVERDUE') {
      mustRefuse(result, 409, row.to);
      expect(await stateOf(scene)).toBe(row.from);
      return;
    }
    expect(result).toMatchObject({ ok: true, status: 200 });
    expect(await stateOf(scene)).toBe(row.to);
    const history = await world.admin.listEntityHistory({
      params: { entity_type: 'proposal', entity_id: scene.proposalId },
    });
    expect(must(history, 200).results[0]?.event_type).toBe(row.event);
  });

  test('none, propose -> pending', async () => {
    expect(await stateOf(await proposedAsset(world.producer, [world.consumer]))).toBe('pending');
  });

  test.each(['pending', 'approved'] as const)('%s, supersede -> withdrawn', async (state) => {
    const scene = await sceneIn(state, true);
    const result = await publish(world.producer.client, scene.assetId, {
      schema: { type: 'object', properties: { id: { type: 'string' } } },
      supersede: true,
    });
    expect(result.action).toBe('proposal_created');
    expect(await stateOf(scene)).toBe('withdrawn');
  });

  test.each(['pending', 'approved'] as const)('%s, delete_asset -> withdrawn', async (state) => {
    const scene = await sceneIn(state, true);
    const params = { asset_id: scene.assetId };
    must(
      await world.admin.deleteAsset({ params, query: { force: true, reason: 'It has to be.' } }),
      204,
    );
    expect(await stateOf(scene)).toBe('withdrawn');
  });

  test('approved, reopen -> pending: a new consumer is asked too, and the other answers stay', async () => {
    const { contractId, proposalId, assetId } = await proposedAsset(world.producer, [
      world.consumer,
    ]);
    const scene = { proposalId, assetId };
    must(await act.acknowledge(scene), 200);
    must(await act.approve(scene), 200);
    await register(world.other, contractId);
    const params = { proposal_id: proposalId };
    const proposal = must(await world.admin.getProposal({ params }), 200);
    expect(proposal).toMatchObject({ status: 'pending', round: 1, can_publish: false });
    const agreed = proposal.consumers.map(({ team_id, acknowledged }) => [team_id, acknowledged]);
    expect(new Map(agreed as [string, boolean][])).toEqual(
      new Map([
        [world.consumer.teamId, true],
        [world.other.teamId, false],
      ]),
    );
    const history = await world.admin.listEntityHistory({
      params: { entity_type: 'proposal', entity_id: proposalId },
    });
    expect(must(history, 200).results[0]).toMatchObject({
      event_type: 'proposal.reopened',
      metadata: { from: 'approved', to: 'pending', awaiting: [world.other.name] },
    });
    must(await world.other.client.acknowledgeProposal({ params, body: {} }), 200);
    must(await act.publish(scene), 200);
  });

  test('pending, auto_publish -> published', async () => {
    const scene = await proposedAsset(world.producer, [world.consumer], { auto_publish: true });
    must(await act.acknowledge(scene), 200);
    await expect.poll(() => stateOf(scene)).toBe('published');
  });

  test('is tested for every act in the table', () => {
    const tried = new Set<ProposalAct>([
      ...listed.map((row) => row.act),
      'propose',
      'supersede',
      'delete_asset',
      'auto_publish',
      'reopen',
      // Tested with FOUR_EYES, in four-eyes.test.ts.
      'request_force',
    ]);
    expect(proposalActs.filter((name) => !tried.has(name))).toEqual([]);
  });
});

const pairs = proposalStates.flatMap((from) =>
  proposalActs
    .filter(isAsked)
    .filter((name) => !listed.some((row) => row.from === from && row.act === name))
    .map((name) => [from, name] as const),
);

describe('A combination that the table does not list', () => {
  test.each(pairs)('%s, %s is 409 PROPOSAL_NOT_PENDING and names the state', async (from, name) => {
    const scene = await sceneIn(from, false);
    const refusal = mustRefuse(await act[name](scene), 409, 'PROPOSAL_NOT_PENDING');
    expect(refusal).toMatchObject({ state: from });
    expect(refusal.message).toContain(from);
    if (from === 'rejected') expect(refusal.message).toContain('an administrator can force it');
    expect(await stateOf(scene)).toBe(from);
  });

  test('rejected, force, is 409 once another proposal was made', async () => {
    const scene = await sceneIn('rejected', false);
    await publish(world.producer.client, scene.assetId, {
      schema: { type: 'object', properties: { id: { type: 'string' } } },
    });
    mustRefuse(await act.force(scene), 409, 'PROPOSAL_NOT_PENDING');
  });

  test('rejected, acknowledge by a team other than the one that blocked, is 409', async () => {
    const { contractId, proposalId, assetId } = await proposedAsset(world.producer, [
      world.consumer,
    ]);
    await register(world.other, contractId);
    const scene = { proposalId, assetId };
    must(await act.block(scene), 200);
    const params = { proposal_id: proposalId };
    mustRefuse(
      await world.other.client.acknowledgeProposal({ params, body: {} }),
      409,
      'PROPOSAL_NOT_PENDING',
    );
  });

  test('rejected, acknowledge by the team that blocked, is 409 once another proposal was made', async () => {
    const scene = await sceneIn('rejected', false);
    const next = await publish(world.producer.client, scene.assetId, {
      schema: { type: 'object', properties: { id: { type: 'string' } } },
    });
    expect(next.action).toBe('proposal_created');
    mustRefuse(await act.acknowledge(scene), 409, 'PROPOSAL_NOT_PENDING');
  });
});

describe('The wrong actor', () => {
  test.each(proposalStates)('is 403 before the state is checked: %s', async (state) => {
    const { proposalId } = await sceneIn(state, true);
    const params = { proposal_id: proposalId };
    const { client } = world.other;
    const body = { reason: 'It has to be.' };
    for (const result of [
      await client.acknowledgeProposal({ params, body: {} }),
      await client.approveProposal({ params }),
      await client.publishProposal({ params }),
      await client.rebaseProposal({ params }),
      await client.forceProposal({ params, body }),
      await client.withdrawProposal({ params, body }),
      await client.expireProposal({ params }),
      await world.consumer.client.objectToProposal({ params, body }),
    ]) {
      mustRefuse(result, 403, 'FORBIDDEN');
    }
    expect(await stateOf({ proposalId, assetId: '' })).toBe(state);
  });

  test('cannot propose: a break published by another team is 403', async () => {
    const { assetId } = await publishedAsset(world.producer);
    const result = await world.other.client.publishContract({
      params: { asset_id: assetId },
      body: { schema: { type: 'string' } },
    });
    mustRefuse(result, 403, 'FORBIDDEN');
  });
});
