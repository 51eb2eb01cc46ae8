// A break that only says "something is no longer accepted": compared with another contract, it may
// be a different one.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../src/core/value/json.ts';
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
  verbs,
  type World,
} from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const allBut = (...values: Json[]): Json => ({ not: { enum: values } });

test('an unspecific break is asked about again if the newest contract is another one', async () => {
  const { ports } = world;
  const asset = await makeAsset(ports, await makeTeam(ports));
  const team = await makeTeam(ports);
  await consume(ports, (await published(ports, asset.id, allBut(1, 2))).id, team);
  const { id: proposalId, breakingChanges } = await proposed(ports, asset.id, allBut(1, 2, 3));
  expect(breakingChanges.map(({ type }) => type)).toEqual(['schema_narrowed']);
  const agree = async () => {
    const answer = { proposalId, response: 'approved' as const };
    accepted(await verbs.acknowledgeProposal(ports, contextOf(memberOf(team)), answer));
  };
  const conclude = () => verbs.publishProposal(ports, contextOf(), { proposalId });

  await agree();
  // 2 is promised now, and the proposal would remove it, but its list of changes is the same as
  // before.
  await published(ports, asset.id, allBut(1));
  expect(codeOf(await conclude())).toBe('PROPOSAL_STALE');
  accepted(await verbs.rebaseProposal(ports, contextOf(), { proposalId }));
  expect(codeOf(await conclude())).toBe('PROPOSAL_NOT_READY');
  await agree();
  expect(accepted(await conclude()).contract?.version).toBe('2.0.0');
});
