// A team that answered `migrating` with a date: its registration before, on and after that date.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { advanceMigrations } from '../../src/registry/proposals/advance-migrations.ts';
import {
  accepted,
  codeOf,
  consume,
  contextOf,
  makeAsset,
  makeTeam,
  memberOf,
  openWorld,
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

/** Version 2.0.0 is published, and its only consumer reads 1.0.0 until its date. */
async function makeMigration() {
  const { ports } = world;
  const asset = await makeAsset(ports, await makeTeam(ports));
  const first = await published(ports, asset.id, schemaOf('a', 'b', 'c'));
  const team = await makeTeam(ports);
  const registration = await consume(ports, first.id, team);
  const proposal = await proposed(ports, asset.id, schemaOf('a', 'b'));
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const answer = { proposalId: proposal.id, response: 'migrating' as const, until };
  accepted(await verbs.acknowledgeProposal(ports, contextOf(memberOf(team)), answer));
  const publishing = { proposalId: proposal.id };
  const second = accepted(await verbs.publishProposal(ports, contextOf(), publishing)).contract;
  return { asset, team, registration, secondId: second?.id ?? '' };
}

async function versionAtItsDate(registrationId: string): Promise<string | undefined> {
  const { ports } = world;
  const late = { ...contextOf(), now: () => new Date(Date.now() + 7_200_000).toISOString() };
  await advanceMigrations(ports, late);
  const registration = await ports.reads.getRegistration(registrationId);
  expect(registration?.migratesAt).toBeNull();
  return registration?.contractVersion;
}

async function force(assetId: string, ...columns: string[]): Promise<void> {
  const proposal = await proposed(world.ports, assetId, schemaOf(...columns));
  const command = { proposalId: proposal.id, reason: 'the law says so' };
  accepted(await verbs.forceProposal(world.ports, contextOf(), command));
}

describe('On its date a registration moves', () => {
  test('to the newest compatible version after the one that its team agreed to', async () => {
    const { asset, registration } = await makeMigration();
    await published(world.ports, asset.id, schemaOf('a', 'b', 'd'));
    expect(await versionAtItsDate(registration.id)).toBe('2.1.0');
  });

  test('not to a version that was forced since, which its team never agreed to', async () => {
    const { asset, registration } = await makeMigration();
    await published(world.ports, asset.id, schemaOf('a', 'b', 'd'));
    await force(asset.id, 'a');
    await published(world.ports, asset.id, schemaOf('a', 'e'));
    expect(await versionAtItsDate(registration.id)).toBe('2.1.0');
  });

  test('nowhere if the version that its team agreed to is archived', async () => {
    const { asset, registration, secondId } = await makeMigration();
    await force(asset.id, 'a');
    const archiving = { contractId: secondId, status: 'archived' as const };
    accepted(await verbs.updateContract(world.ports, contextOf(), archiving));
    expect(await versionAtItsDate(registration.id)).toBe('1.0.0');
  });
});

describe('A date that has passed excuses nobody', () => {
  test('who moved on its date is asked about the next break', async () => {
    const { asset, registration, team } = await makeMigration();
    await versionAtItsDate(registration.id);
    const proposal = await proposed(world.ports, asset.id, schemaOf('a'));
    expect(proposal.consumers).toMatchObject([{ teamId: team.id, response: null }]);
    expect(await publishing(proposal.id)).toBe('PROPOSAL_NOT_READY');
  });

  test('who still reads the old version is asked about the next break, too', async () => {
    const { asset, team } = await makeMigration();
    const proposal = await proposed(world.ports, asset.id, schemaOf('a'));
    expect(proposal.consumers).toMatchObject([{ teamId: team.id, response: null }]);
    expect(await publishing(proposal.id)).toBe('PROPOSAL_NOT_READY');
  });

  test('a break that was approved while it was inactive waits once it is active again', async () => {
    const { asset, registration, team } = await makeMigration();
    const asTeam = contextOf(memberOf(team));
    const setting = { registrationId: registration.id };
    const pause = { ...setting, status: 'inactive' as const };
    accepted(await verbs.updateRegistration(world.ports, asTeam, pause));
    await versionAtItsDate(registration.id);
    const proposal = await proposed(world.ports, asset.id, schemaOf('a'));
    const wake = { ...setting, status: 'active' as const };
    accepted(await verbs.updateRegistration(world.ports, asTeam, wake));
    expect(await publishing(proposal.id)).toBe('PROPOSAL_NOT_READY');
  });
});

async function publishing(proposalId: string): Promise<string> {
  return codeOf(await verbs.publishProposal(world.ports, contextOf(), { proposalId }));
}
