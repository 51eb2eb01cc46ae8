// auto_publish after a crash between the last answer and the publish.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSweep } from '../../src/registry/sweep.ts';
import { someId } from '../support/postgres/audit-events.ts';
import {
  accepted,
  codeOf,
  consume,
  contextOf,
  historyOf,
  makeAsset,
  makeTeam,
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

/** No answer is missing, but nothing has happened yet. */
async function makeOverdue() {
  const { ports, database } = world;
  const asset = await makeAsset(ports, await makeTeam(ports));
  const first = await published(ports, asset.id, schemaOf('a', 'b'));
  const registration = await consume(ports, first.id, await makeTeam(ports));
  const proposal = await proposed(ports, asset.id, schemaOf('a'));
  await verbs.deleteRegistration(ports, contextOf(), {
    registrationId: registration.id,
    reason: 'They asked us to.',
  });
  await database.query('update asset set auto_publish = true where id = $1', [asset.id]);
  return { asset, proposal };
}

/** Also overdue, and older: each was made for a version that has a successor. */
async function makeStale(count: number, like: { readonly assetId: string; readonly id: string }) {
  const { database } = world;
  await database.query(
    `insert into asset (id, fqn, environment, owner_team_id, guarantee_mode, auto_publish, metadata,
       tags, search_text, created_at, updated_at)
     select ${someId(`'stale asset' || i`)}, 'shop.stale_' || i, environment, owner_team_id,
       guarantee_mode, true, metadata, tags, '', created_at, updated_at
     from asset, generate_series(1, ${count}) i where id = $1`,
    [like.assetId],
  );
  await database.query(
    `insert into contract (id, asset_id, ordinal, version, status, schema, schema_digest,
       compatibility_mode, format, direction, change_type, published_at, published_by, actor_type,
       actor_id, actor_name, source)
     select ${someId(`'stale contract' || i`)}, ${someId(`'stale asset' || i`)}, 1, '1.0.0',
       'active', '{"type": "object", "properties": {"c": {"type": "string"}}}', schema_digest,
       compatibility_mode, format, direction, change_type, published_at, published_by, actor_type,
       actor_id, actor_name, source
     from contract, generate_series(1, ${count}) i where asset_id = $1`,
    [like.assetId],
  );
  await database.query(
    `insert into proposal (id, asset_id, kind, status, proposed, proposed_digest, changes,
       breaking_changes, breaking_changes_count, base_contract_id, round, proposed_at, proposed_by,
       actor_type, actor_id, actor_name)
     select overlay(${someId(`'stale proposal' || i`)}::text placing '00000000' from 1)::uuid,
       ${someId(`'stale asset' || i`)}, kind, status, proposed, proposed_digest, changes,
       breaking_changes, breaking_changes_count, base_contract_id, round, proposed_at, proposed_by,
       actor_type, actor_id, actor_name
     from proposal, generate_series(1, ${count}) i where id = $1`,
    [like.id],
  );
}

/** As a replica of an earlier version leaves it, which reopens nothing. */
async function makeUnasked() {
  const { ports, database } = world;
  const asset = await makeAsset(ports, await makeTeam(ports));
  const first = await published(ports, asset.id, schemaOf('a', 'b'));
  const registration = await consume(ports, first.id, await makeTeam(ports));
  const statusIs = (status: string) =>
    database.query('update registration set status = $1 where id = $2', [status, registration.id]);
  await statusIs('inactive');
  const proposal = await proposed(ports, asset.id, schemaOf('a'));
  accepted(await verbs.approveProposal(ports, contextOf(), { proposalId: proposal.id }));
  await database.query(
    `update proposal set decided_consumers = '[]', decided_total = 0, decided_acknowledged = 0
     where id = $1`,
    [proposal.id],
  );
  await statusIs('active');
  return proposal;
}

async function statusOf(proposalId: string) {
  return (await world.ports.reads.getProposal(proposalId))?.status;
}

describe('auto_publish', () => {
  test('is repeated by the sweep if a crash came between the last answer and the publish', async () => {
    const { ports } = world;
    const { asset, proposal } = await makeOverdue();
    const overdue = { id: proposal.id, assetId: asset.id };
    expect(await ports.reads.listOverdueProposals(null, 1_000)).toEqual([overdue]);
    expect(await ports.reads.listOverdueProposals(proposal.id, 1_000)).toEqual([]);
    await openSweep(ports, contextOf())();
    expect(await statusOf(proposal.id)).toBe('published');
    expect(await ports.reads.listOverdueProposals(null, 1_000)).toEqual([]);
  });

  test('is repeated by the sweep after any number of stale proposals, which are checked again later', async () => {
    const { ports } = world;
    const { asset, proposal } = await makeOverdue();
    await makeStale(100, { assetId: asset.id, id: proposal.id });
    const sweep = openSweep(ports, contextOf());
    await sweep();
    expect(await statusOf(proposal.id)).toBe('pending');
    await sweep();
    expect(await statusOf(proposal.id)).toBe('published');
    const stale = await ports.reads.listOverdueProposals(null, 1_000);
    expect(stale).toHaveLength(100);
    // Makes one of them current again, with the asset's contract as its base, so it can be
    // published.
    const [first] = stale;
    await world.database.query(
      `update proposal set base_contract_id = (
         select id from contract where asset_id = proposal.asset_id) where id = $1`,
      [first?.id ?? ''],
    );
    await sweep();
    expect(await statusOf(first?.id ?? '')).toBe('published');
  });
});

describe("A proposal that was approved without a consumer's answer", () => {
  test('is not published, and the sweep sets it back to pending', async () => {
    const { ports } = world;
    const { id: proposalId } = await makeUnasked();
    expect(codeOf(await verbs.publishProposal(ports, contextOf(), { proposalId }))).toBe(
      'PROPOSAL_NOT_READY',
    );
    await openSweep(ports, contextOf())();
    expect(await ports.reads.getProposal(proposalId)).toMatchObject({
      status: 'pending',
      progress: { totalConsumers: 1, remaining: 1 },
    });
    expect((await historyOf(ports, proposalId)).at(-1)).toMatchObject({
      eventType: 'proposal.reopened',
      actorType: 'system',
    });
  });
});
