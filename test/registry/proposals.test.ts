import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { advanceMigrations } from '../../src/registry/proposals/advance-migrations.ts';
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
  publish,
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

/** An asset with consumers, and a proposal that removes one of its properties. */
async function makeQuestion(consumerCount: number, autoPublish = false) {
  const { ports } = world;
  const owner = await makeTeam(ports);
  const consumers = await Promise.all(Array.from({ length: consumerCount }, () => makeTeam(ports)));
  const asset = await makeAsset(ports, owner, { autoPublish });
  const first = await published(ports, asset.id, schemaOf('a', 'b'));
  const registrations = [];
  for (const team of consumers) registrations.push(await consume(ports, first.id, team));
  const proposal = await proposed(ports, asset.id, schemaOf('a'));
  return { owner, consumers, asset, first, registrations, proposal };
}

type Team = Awaited<ReturnType<typeof makeTeam>>;

function answer(
  proposalId: string,
  team: Team,
  response: 'approved' | 'migrating' | 'blocked' = 'approved',
  more: { readonly until?: string; readonly notes?: string } = {},
) {
  const notes = response === 'blocked' ? { notes: 'we read it' } : {};
  const command = { proposalId, response, ...notes, ...more };
  return verbs.acknowledgeProposal(world.ports, contextOf(memberOf(team)), command);
}

const byOwner = (team: Team) => contextOf(memberOf(team));

async function statusOf(proposalId: string) {
  return (await world.ports.reads.getProposal(proposalId))?.status;
}

async function eventsOf(entityId: string) {
  return (await historyOf(world.ports, entityId)).map(({ eventType }) => eventType);
}

describe('a proposal', () => {
  test('asks every consumer, and publishes a major once all have acknowledged', async () => {
    const { ports } = world;
    const question = await makeQuestion(2);
    const { owner, asset, first, proposal } = question;
    const [one, two] = question.consumers as [Team, Team];
    expect(proposal).toMatchObject({
      status: 'pending',
      kind: 'schema',
      changeType: 'major',
      proposedBy: owner.id,
      baseContractId: first.id,
      breakingChanges: [{ type: 'property_removed', path: '$.properties.b', breaking: true }],
      progress: { totalConsumers: 2, acknowledged: 0, remaining: 2, canPublish: false },
    });
    const early = await verbs.publishProposal(ports, byOwner(owner), { proposalId: proposal.id });
    expect(early).toMatchObject({
      ok: false,
      failure: { code: 'PROPOSAL_NOT_READY', details: { awaiting: expect.any(Array) } },
    });
    expect(accepted(await answer(proposal.id, one))).toMatchObject({
      acknowledged: true,
      remainingConsumers: 1,
    });
    expect(accepted(await answer(proposal.id, two))).toMatchObject({ remainingConsumers: 0 });
    const done = accepted(
      await verbs.publishProposal(ports, byOwner(owner), { proposalId: proposal.id }),
    );
    expect(done).toMatchObject({
      proposal: { status: 'published' },
      contract: { version: '2.0.0', status: 'active', changeType: 'major' },
    });
    expect(await ports.reads.getProposal(proposal.id)).toEqual(done.proposal);
    expect(await ports.reads.getContract(done.contract?.id ?? '')).toEqual(done.contract);
    for (const registration of question.registrations) {
      expect(await ports.reads.getRegistration(registration.id)).toMatchObject({
        contractId: done.contract?.id,
        registeredVersion: '1.0.0',
      });
    }
    expect(await eventsOf(proposal.id)).toEqual([
      'proposal.created',
      'proposal.acknowledged',
      'proposal.acknowledged',
      'proposal.published',
    ]);
    expect((await ports.reads.getAsset(asset.id))?.activeContractVersion).toBe('2.0.0');
  });

  test('without consumers can be published at once', async () => {
    const { owner, proposal } = await makeQuestion(0);
    expect(proposal.progress).toEqual({
      totalConsumers: 0,
      acknowledged: 0,
      remaining: 0,
      canPublish: true,
    });
    const context = byOwner(owner);
    const done = await verbs.publishProposal(world.ports, context, { proposalId: proposal.id });
    expect(accepted(done).contract?.version).toBe('2.0.0');
  });

  test('that is blocked is rejected, and the blocking team may take that back', async () => {
    const { proposal, consumers, owner } = await makeQuestion(2);
    const [one, two] = consumers as [Team, Team];
    expect(codeOf(await answer(proposal.id, one, 'blocked', { notes: ' ' }))).toBe(
      'VALIDATION_ERROR',
    );
    expect(accepted(await answer(proposal.id, one, 'blocked'))).toMatchObject({
      acknowledged: false,
      proposal: { status: 'rejected' },
    });
    expect(codeOf(await answer(proposal.id, two))).toBe('PROPOSAL_NOT_PENDING');
    const publishing = { proposalId: proposal.id };
    expect(codeOf(await verbs.publishProposal(world.ports, byOwner(owner), publishing))).toBe(
      'PROPOSAL_NOT_PENDING',
    );
    expect(accepted(await answer(proposal.id, one)).proposal.status).toBe('pending');
    expect(await eventsOf(proposal.id)).toEqual([
      'proposal.created',
      'proposal.rejected',
      'proposal.acknowledged',
    ]);
  });

  test('that was rejected and superseded cannot be reopened', async () => {
    const { ports } = world;
    const { asset, proposal, consumers } = await makeQuestion(1);
    const [one] = consumers as [Team];
    await answer(proposal.id, one, 'blocked');
    const second = await proposed(ports, asset.id, schemaOf('b'));
    expect(await ports.reads.getProposal(proposal.id)).toMatchObject({
      status: 'rejected',
      supersededBy: second.id,
    });
    expect(codeOf(await answer(proposal.id, one))).toBe('PROPOSAL_NOT_PENDING');
  });

  test('answered twice by the same team counts the last answer', async () => {
    const { ports } = world;
    const { proposal, consumers } = await makeQuestion(1);
    const [one] = consumers as [Team];
    await answer(proposal.id, one, 'approved', { notes: 'fine' });
    await answer(proposal.id, one, 'migrating', { until: '2099-01-01T00:00:00.000Z' });
    expect(await ports.reads.getProposal(proposal.id)).toMatchObject({
      progress: { totalConsumers: 1, acknowledged: 1, remaining: 0, canPublish: true },
      consumers: [{ response: 'migrating', until: '2099-01-01T00:00:00.000Z', notes: null }],
    });
  });

  test('cannot be answered by a team that is not a consumer, or for another team', async () => {
    const { ports } = world;
    const { proposal, consumers } = await makeQuestion(1);
    const [one] = consumers as [Team];
    const stranger = await makeTeam(ports);
    expect(codeOf(await answer(proposal.id, stranger))).toBe('FORBIDDEN');
    const command = { proposalId: proposal.id, response: 'approved' as const, teamId: one.id };
    const context = contextOf(memberOf(stranger));
    expect(codeOf(await verbs.acknowledgeProposal(ports, context, command))).toBe('FORBIDDEN');
    const { teamId: _, ...unnamed } = command;
    expect(await verbs.acknowledgeProposal(ports, contextOf(), unnamed)).toMatchObject({
      ok: false,
      failure: { code: 'VALIDATION_ERROR', field: 'team_id' },
    });
  });

  test('includes teams that register late, and does not wait for teams that leave', async () => {
    const { ports } = world;
    const { proposal, consumers, first, registrations, owner } = await makeQuestion(1);
    const [one] = consumers as [Team];
    await answer(proposal.id, one);
    const late = await makeTeam(ports);
    const registration = await consume(ports, first.id, late);
    expect((await ports.reads.getProposal(proposal.id))?.progress.remaining).toBe(1);
    const command = { registrationId: registration.id };
    const away = { ...command, status: 'inactive' as const };
    await verbs.updateRegistration(ports, contextOf(memberOf(late)), away);
    expect((await ports.reads.getProposal(proposal.id))?.progress.remaining).toBe(0);
    await verbs.updateRegistration(ports, contextOf(memberOf(late)), { ...away, status: 'active' });
    await verbs.deleteRegistration(ports, contextOf(memberOf(late)), command);
    expect(registrations).toHaveLength(1);
    const publishing = { proposalId: proposal.id };
    expect(codeOf(await verbs.publishProposal(ports, byOwner(owner), publishing))).toBe('ok');
  });

  test('that is approved also asks teams that register before it is published', async () => {
    const { ports } = world;
    const { proposal, consumers, first, owner } = await makeQuestion(1);
    const [one] = consumers as [Team];
    const command = { proposalId: proposal.id };
    expect(codeOf(await verbs.approveProposal(ports, byOwner(owner), command))).toBe(
      'PROPOSAL_NOT_READY',
    );
    await answer(proposal.id, one);
    const approved = accepted(await verbs.approveProposal(ports, byOwner(owner), command));
    expect(approved).toMatchObject({ status: 'approved', progress: { canPublish: true } });
    const late = await makeTeam(ports);
    await consume(ports, first.id, late);
    expect(await ports.reads.getProposal(proposal.id)).toMatchObject({
      status: 'pending',
      round: approved.round,
      progress: { totalConsumers: 2, acknowledged: 1 },
    });
    await answer(proposal.id, late);
    const done = accepted(await verbs.publishProposal(ports, byOwner(owner), command));
    const registered = accepted(
      await ports.reads.listRegistrations({ ...page, contractId: first.id }),
    );
    expect(registered.results).toEqual([]);
    expect(done.proposal.status).toBe('published');
  });

  test('is forced only by an admin, with a recorded reason', async () => {
    const { ports } = world;
    const { proposal, owner, first, consumers } = await makeQuestion(2);
    const [one, two] = consumers as [Team, Team];
    await answer(proposal.id, one);
    const command = { proposalId: proposal.id, reason: 'the law says so' };
    expect(codeOf(await verbs.forceProposal(ports, byOwner(owner), command))).toBe('FORBIDDEN');
    const blank = { ...command, reason: '  ' };
    expect(codeOf(await verbs.forceProposal(ports, contextOf(), blank))).toBe('VALIDATION_ERROR');
    const done = accepted(await verbs.forceProposal(ports, contextOf(), command));
    expect(done).toMatchObject({
      proposal: { status: 'force_published', reason: 'the law says so' },
      contract: { version: '2.0.0' },
    });
    const event = (await historyOf(ports, proposal.id)).at(-1);
    expect(event).toMatchObject({
      eventType: 'proposal.force_published',
      actorType: 'bootstrap',
      metadata: { reason: 'the law says so', not_agreed: [two.name], version: '2.0.0' },
    });
    // A consumer that had not agreed keeps its version.
    const stayed = accepted(await ports.reads.listRegistrations({ ...page, contractId: first.id }));
    expect(stayed.results.map(({ consumerTeamId }) => consumerTeamId)).toEqual([two.id]);
    expect(codeOf(await verbs.forceProposal(ports, contextOf(), command))).toBe(
      'PROPOSAL_NOT_PENDING',
    );
  });

  test('lets a migrating team stay until its date, and then moves it', async () => {
    const { ports } = world;
    const { proposal, owner, first, registrations, consumers } = await makeQuestion(1);
    const [one] = consumers as [Team];
    const [registration] = registrations;
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await answer(proposal.id, one, 'migrating', { until });
    await verbs.publishProposal(ports, byOwner(owner), { proposalId: proposal.id });
    expect(await ports.reads.getRegistration(registration?.id ?? '')).toMatchObject({
      contractId: first.id,
      migratesAt: until,
    });
    expect(await advanceMigrations(ports, contextOf())).toBe(0);
    const later = { ...contextOf(), now: () => new Date(Date.now() + 7_200_000).toISOString() };
    expect(await advanceMigrations(ports, later)).toBe(1);
    expect(await ports.reads.getRegistration(registration?.id ?? '')).toMatchObject({
      contractVersion: '2.0.0',
      migratesAt: null,
    });
  });

  test('is withdrawn by its producer, with a reason, also when rejected', async () => {
    const { ports } = world;
    const { proposal, owner, consumers } = await makeQuestion(1);
    const [one] = consumers as [Team];
    const command = { proposalId: proposal.id, reason: 'wrong idea' };
    const stranger = contextOf(memberOf(one));
    expect(codeOf(await verbs.withdrawProposal(ports, stranger, command))).toBe('FORBIDDEN');
    await answer(proposal.id, one, 'blocked');
    expect(accepted(await verbs.withdrawProposal(ports, byOwner(owner), command))).toMatchObject({
      status: 'withdrawn',
      reason: 'wrong idea',
    });
    // The wrong actor gets 403 before its state is checked.
    expect(codeOf(await verbs.withdrawProposal(ports, stranger, command))).toBe('FORBIDDEN');
    expect(codeOf(await verbs.withdrawProposal(ports, byOwner(owner), command))).toBe(
      'PROPOSAL_NOT_PENDING',
    );
  });
});

describe('auto_publish', () => {
  test('publishes after the last answer', async () => {
    const { proposal, consumers } = await makeQuestion(2, true);
    const [one, two] = consumers as [Team, Team];
    await answer(proposal.id, one);
    expect(await statusOf(proposal.id)).toBe('pending');
    await answer(proposal.id, two);
    expect(await statusOf(proposal.id)).toBe('published');
    const event = (await historyOf(world.ports, proposal.id)).at(-1);
    expect(event).toMatchObject({ actorType: 'system', metadata: { by_itself: true } });
  });

  test('publishes when the last awaited team leaves', async () => {
    const { proposal, registrations } = await makeQuestion(1, true);
    const [registration] = registrations;
    await verbs.deleteRegistration(world.ports, contextOf(), {
      registrationId: registration?.id ?? '',
      reason: 'They asked us to.',
    });
    expect(await statusOf(proposal.id)).toBe('published');
  });

  test('publishes at once without consumers, and when it is switched on later', async () => {
    const { ports } = world;
    expect(await statusOf((await makeQuestion(0, true)).proposal.id)).toBe('published');
    const { asset, proposal, owner } = await makeQuestion(0);
    const command = { assetId: asset.id, autoPublish: true };
    await verbs.updateAsset(ports, byOwner(owner), command);
    expect(await statusOf(proposal.id)).toBe('published');
  });

  test('publishes when the awaited team is deleted', async () => {
    const { ports } = world;
    const { proposal, consumers } = await makeQuestion(1, true);
    const [one] = consumers as [Team];
    await verbs.deleteTeam(ports, contextOf(), { teamId: one.id, reason: 'Its people are gone.' });
    expect(await statusOf(proposal.id)).toBe('published');
  });
});

describe('a stale proposal', () => {
  test('with the same breaks is rebased silently and keeps its answers', async () => {
    const { ports } = world;
    const { asset, proposal, owner, consumers } = await makeQuestion(1);
    const [one] = consumers as [Team];
    await answer(proposal.id, one);
    const newer = await published(ports, asset.id, {
      ...(schemaOf('a', 'b') as object),
      description: 'said better',
    });
    const command = { proposalId: proposal.id };
    const done = accepted(await verbs.publishProposal(ports, byOwner(owner), command));
    expect(done.proposal).toMatchObject({ status: 'published', baseContractId: newer.id });
    expect(done.contract?.version).toBe('2.0.0');
  });

  test('with different breaks cannot be published, forced or approved until it is rebased', async () => {
    const { ports } = world;
    const { asset, proposal, owner, consumers } = await makeQuestion(1);
    const [one] = consumers as [Team];
    await answer(proposal.id, one);
    const newer = await published(ports, asset.id, schemaOf('a', 'b', 'c'));
    const command = { proposalId: proposal.id };
    expect(codeOf(await verbs.publishProposal(ports, byOwner(owner), command))).toBe(
      'PROPOSAL_STALE',
    );
    const forcing = { ...command, reason: 'It has to be.' };
    expect(codeOf(await verbs.forceProposal(ports, contextOf(), forcing))).toBe('PROPOSAL_STALE');
    const rebased = accepted(await verbs.rebaseProposal(ports, byOwner(owner), command));
    expect(rebased).toMatchObject({
      status: 'pending',
      round: 2,
      baseContractId: newer.id,
      breakingChangesCount: 2,
      progress: { acknowledged: 0, remaining: 1 },
    });
    await answer(proposal.id, one);
    const done = accepted(await verbs.publishProposal(ports, byOwner(owner), command));
    expect(done.contract?.version).toBe('2.0.0');
  });
});

describe('the inbox', () => {
  test('contains what waits for a team, and nothing else', async () => {
    const { ports } = world;
    const { proposal, consumers, owner } = await makeQuestion(2);
    const [one, two] = consumers as [Team, Team];
    const inbox = async (team: Team) =>
      accepted(
        await ports.reads.listProposals({ ...page, consumerTeamId: team.id, awaiting: true }),
      ).results.map(({ id }) => id);
    expect(await inbox(one)).toEqual([proposal.id]);
    await answer(proposal.id, one);
    expect([await inbox(one), await inbox(two), await inbox(owner)]).toEqual([
      [],
      [proposal.id],
      [],
    ]);
    const produced = { ...page, teamId: owner.id, status: 'pending' as const };
    expect(accepted(await ports.reads.listProposals(produced)).results).toMatchObject([
      { id: proposal.id, progress: { totalConsumers: 2, acknowledged: 1, remaining: 1 } },
    ]);
  });
});

test('publishing the proposed schema again returns the open proposal', async () => {
  const { asset, owner } = await makeQuestion(1);
  const context = { actor: memberOf(owner) };
  expect(accepted(await publish(world.ports, asset.id, schemaOf('a'), context))).toMatchObject({
    existing: true,
  });
});
