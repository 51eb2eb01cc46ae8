// The last day for answers, and what the asset's setting makes of its end.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeadlineAct } from '../../src/core/asset.ts';
import type { Team } from '../../src/core/team.ts';
import { openSweep } from '../../src/registry/sweep.ts';
import {
  accepted,
  codeOf,
  consume,
  contextOf,
  historyOf,
  makeAsset,
  makeTeam,
  memberOf,
  openWorld,
  page,
  proposed,
  published,
  schemaOf,
  verbs,
  type World,
} from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const dayMs = 86_400_000;

function timeAfter(days: number): string {
  return new Date(Date.now() + days * dayMs).toISOString();
}

function dayAfter(days: number): string {
  return timeAfter(days).slice(0, '2026-01-31'.length);
}

/** Two consumers are asked until tomorrow, and one of them has agreed. */
async function makeAsked(onDeadline: DeadlineAct) {
  const { ports } = world;
  const owner = await makeTeam(ports);
  const asset = await makeAsset(ports, owner);
  accepted(await verbs.updateAsset(ports, contextOf(), { assetId: asset.id, onDeadline }));
  const first = await published(ports, asset.id, schemaOf('a', 'b'));
  const [quick, slow] = [await makeTeam(ports), await makeTeam(ports)];
  for (const team of [quick, slow]) await consume(ports, first.id, team);
  const { id: proposalId } = await proposed(ports, asset.id, schemaOf('a'));
  await setDay(proposalId, 1);
  await answer(proposalId, quick);
  return { asset, owner, proposalId, quick, slow };
}

async function setDay(proposalId: string, days: number): Promise<void> {
  const command = { proposalId, request: { answerBy: dayAfter(days) } };
  accepted(await verbs.updateProposal(world.ports, contextOf(), command));
}

async function answer(proposalId: string, team: Team) {
  const command = { proposalId, response: 'approved' as const };
  return verbs.acknowledgeProposal(world.ports, contextOf(memberOf(team)), command);
}

/** As every replica does about each minute, so many days from now. */
async function sweepAfter(days: number): Promise<void> {
  const context = { ...contextOf(), now: () => timeAfter(days) };
  await Promise.all([openSweep(world.ports, context)(), openSweep(world.ports, context)()]);
}

async function get(proposalId: string) {
  const proposal = await world.ports.reads.getProposal(proposalId);
  if (proposal === null) throw new Error('It was made.');
  return proposal;
}

/** What the system did. */
async function actsOf(proposalId: string) {
  const events = await historyOf(world.ports, proposalId);
  return events.filter(({ actorType }) => actorType === 'system');
}

describe('On the last day and before', () => {
  test('nothing happens, whatever the setting', async () => {
    for (const setting of ['nothing', 'remind', 'escalate'] as const) {
      const { proposalId } = await makeAsked(setting);
      await sweepAfter(1);
      expect(await actsOf(proposalId)).toEqual([]);
    }
  });
});

describe('After the last day', () => {
  test('nothing happens with "nothing"', async () => {
    const { proposalId } = await makeAsked('nothing');
    await sweepAfter(2);
    expect(await actsOf(proposalId)).toEqual([]);
    expect((await get(proposalId)).escalatedAt).toBeNull();
  });

  test('who has not answered is reminded once with "remind", by one of two replicas', async () => {
    const { proposalId, slow } = await makeAsked('remind');
    await sweepAfter(2);
    await sweepAfter(3);
    expect(await actsOf(proposalId)).toMatchObject([
      {
        eventType: 'proposal.reminded',
        metadata: { awaiting: [slow.name], deadline: dayAfter(1) },
      },
    ]);
    expect(await get(proposalId)).toMatchObject({ status: 'pending', escalatedAt: null });
  });

  test('missing answers count as none with "escalate", and nothing is published', async () => {
    const { proposalId, slow } = await makeAsked('escalate');
    await sweepAfter(2);
    await sweepAfter(3);
    expect(await actsOf(proposalId)).toMatchObject([
      {
        eventType: 'proposal.deadline_passed',
        metadata: { no_answer: [slow.name], answer_by: dayAfter(1), round: 1 },
      },
    ]);
    const proposal = await get(proposalId);
    expect(proposal).toMatchObject({ status: 'pending', progress: { canPublish: false } });
    expect(proposal.escalatedAt).not.toBeNull();
    expect(codeOf(await verbs.publishProposal(world.ports, contextOf(), { proposalId }))).toBe(
      'PROPOSAL_NOT_READY',
    );
  });

  test('an administrator finds it, and the force names who gave no answer', async () => {
    const { asset, proposalId, slow } = await makeAsked('escalate');
    const listed = async (escalated: boolean) =>
      accepted(
        await world.ports.reads.listProposals({ ...page, assetId: asset.id, escalated }),
      ).results.map(({ id }) => id);
    expect([await listed(true), await listed(false)]).toEqual([[], [proposalId]]);
    await sweepAfter(2);
    expect([await listed(true), await listed(false)]).toEqual([[proposalId], []]);
    const command = { proposalId, reason: 'They were asked twice.' };
    accepted(await verbs.forceProposal(world.ports, contextOf(), command));
    expect(await historyOf(world.ports, proposalId)).toContainEqual(
      expect.objectContaining({
        eventType: 'proposal.force_published',
        metadata: expect.objectContaining({ no_answer: [slow.name] }),
      }),
    );
    expect([await listed(true), await listed(false)]).toEqual([[], [proposalId]]);
  });

  test('a late answer counts', async () => {
    const { proposalId, slow } = await makeAsked('escalate');
    await sweepAfter(2);
    accepted(await answer(proposalId, slow));
    accepted(await verbs.publishProposal(world.ports, contextOf(), { proposalId }));
  });

  test('another day starts again', async () => {
    const { proposalId } = await makeAsked('escalate');
    await sweepAfter(2);
    await setDay(proposalId, 5);
    expect((await get(proposalId)).escalatedAt).toBeNull();
    await sweepAfter(5);
    expect(await actsOf(proposalId)).toHaveLength(1);
    await sweepAfter(6);
    expect(await actsOf(proposalId)).toHaveLength(2);
    expect((await get(proposalId)).escalatedAt).not.toBeNull();
  });

  test('a new round has not missed the day of the one before', async () => {
    const { proposalId } = await makeAsked('escalate');
    await sweepAfter(2);
    accepted(await verbs.rebaseProposal(world.ports, contextOf(), { proposalId }));
    await sweepAfter(3);
    expect(await actsOf(proposalId)).toHaveLength(1);
    expect(await get(proposalId)).toMatchObject({ round: 2, escalatedAt: null });
  });

  test('a round that begins after the day is not late', async () => {
    const { proposalId, slow } = await makeAsked('escalate');
    accepted(await answer(proposalId, slow));
    await world.database.query(`update proposal set answer_by = answer_by - 3 where id = $1`, [
      proposalId,
    ]);
    accepted(await verbs.rebaseProposal(world.ports, contextOf(), { proposalId }));
    await sweepAfter(0);
    expect(await actsOf(proposalId)).toEqual([]);
  });

  test('nothing happens if everybody has answered', async () => {
    const { proposalId, slow } = await makeAsked('escalate');
    accepted(await answer(proposalId, slow));
    await sweepAfter(2);
    expect(await actsOf(proposalId)).toEqual([]);
  });
});
