// All assets of a team move to another one: each by the decision of a single PATCH, and with its outcome.

import { describe, expect, test } from 'vitest';
import {
  createAsset,
  must,
  mustRefuse,
  openParty,
  openRegistryForFile,
  type Party,
  publishedAsset,
  register,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();
const { admin, consumer, other } = world;

const reason = 'The teams were merged.';

async function reassign(from: Party, body: Record<string, unknown> = {}, headers = {}) {
  const params = { team_id: from.teamId };
  const whole = { owner_team_id: other.teamId, ...body };
  return admin.reassignAssets({ params, body: whole, headers });
}

const ownerOf = async (assetId: string) =>
  must(await admin.getAsset({ params: { asset_id: assetId } }), 200).owner_team_id;

/** A team with an asset that moves, one whose consumer is asked, and one that a source manages. */
async function mixedTeam() {
  const team = await openParty(admin, 'merged');
  const free = await createAsset(team);
  const read = await publishedAsset(team);
  await register(consumer, read.contractId);
  const managed = await createAsset(team);
  await registry.database.query(
    `update asset set managed_source = 'kubernetes', managed_reference = 'orders in a' where id = $1`,
    [managed.id],
  );
  return { team, free: free.id, read: read.assetId, managed: managed.id };
}

describe('The assets of a team', () => {
  test('move at once, are asked about, or are refused, each as by its own PATCH', async () => {
    const { team, free, read, managed } = await mixedTeam();
    const request = { reason, contact: 'Ada' };
    const done = must(await reassign(team, { mode: 'partial', request }), 200);
    expect(done).toMatchObject({ mode: 'partial', succeeded: 2, refused: 1, next_cursor: null });
    const outcomes = new Map(done.results.map((each) => [each.asset?.id, each]));
    expect(outcomes.get(free)).toMatchObject({
      ...{ status: 200, body: { id: free, owner_team_id: other.teamId } },
    });
    expect(outcomes.get(managed)).toMatchObject({
      ...{ status: 409, body: { detail: { code: 'ASSET_MANAGED_ELSEWHERE' } } },
    });
    expect(outcomes.get(read)).toMatchObject({
      ...{ status: 200, body: { action: 'proposal_created', proposal: { status: 'pending' } } },
    });
    expect(await Promise.all([free, managed, read].map(ownerOf))).toEqual([
      other.teamId,
      team.teamId,
      team.teamId,
    ]);
    const query = { asset_id: read, status: 'pending' } as const;
    const [asked] = must(await admin.listProposals({ query }), 200).results;
    expect(asked).toMatchObject({ kind: 'move', total_consumers: 1, request });
    const params = { proposal_id: asked?.id ?? '' };
    must(await consumer.client.acknowledgeProposal({ params, body: {} }), 200);
    must(await team.client.publishProposal({ params }), 200);
    expect(await ownerOf(read)).toBe(other.teamId);
    const override = { mode: 'partial', override: true, reason };
    expect(must(await reassign(team, override), 200)).toMatchObject({ succeeded: 1, refused: 0 });
    expect(await ownerOf(managed)).toBe(other.teamId);
    expect(must(await reassign(team), 200)).toMatchObject({ succeeded: 0, results: [] });
  });

  test('move all or not at all in the mode that a bulk has by itself', async () => {
    const { team, free, read, managed } = await mixedTeam();
    const refused = mustRefuse(await reassign(team), 409, 'ASSET_MANAGED_ELSEWHERE');
    expect(refused.items).toMatchObject([{ status: 409, asset: { id: managed } }]);
    expect(await Promise.all([free, read, managed].map(ownerOf))).toEqual(
      Array(3).fill(team.teamId),
    );
    const proposals = must(await admin.listProposals({ query: { asset_id: read } }), 200).results;
    expect(proposals).toEqual([]);
    const done = must(await reassign(team, { override: true, reason }), 200);
    expect(done).toMatchObject({ mode: 'transaction', succeeded: 3, refused: 0 });
    expect(await Promise.all([free, read, managed].map(ownerOf))).toEqual([
      other.teamId,
      team.teamId,
      other.teamId,
    ]);
  });

  test('are answered as before if the request is repeated, and others are left alone', async () => {
    for (const mode of ['partial', 'transaction']) {
      const { team, managed } = await mixedTeam();
      const headers = { 'Idempotency-Key': `merge-${mode}` };
      const body = { mode, override: true, reason };
      const first = must(await reassign(team, body, headers), 200);
      const late = await createAsset(team);
      expect(must(await reassign(team, body, headers), 200)).toEqual(first);
      expect(await ownerOf(late.id)).toBe(team.teamId);
      expect(await ownerOf(managed)).toBe(other.teamId);
    }
  });

  test('go on where a request ended that was cut off, though fewer are left', async () => {
    const team = await openParty(admin, 'cut off');
    const [one, two] = [await createAsset(team), await createAsset(team)];
    const headers = { 'Idempotency-Key': 'cut-off' };
    const body = { mode: 'partial' };
    must(await reassign(team, body, headers), 200);
    // As if the process had ended between the two: the first is answered, the whole is not.
    await registry.database.query(
      `delete from idempotency
       where key = 'cut-off' and (path like '%/reassign' or path like '%' || $1::text)`,
      [two.id],
    );
    await registry.database.query('update asset set owner_team_id = $2 where id = $1', [
      two.id,
      team.teamId,
    ]);
    const done = must(await reassign(team, body, headers), 200);
    expect(done.results).toMatchObject([{ index: 0, asset: { id: two.id }, status: 200 }]);
    expect(await Promise.all([one.id, two.id].map(ownerOf))).toEqual(Array(2).fill(other.teamId));
  });

  test('are moved a thousand at a time, by their names', async () => {
    const team = await openParty(admin, 'large');
    await registry.database.query(
      `insert into asset (id, fqn, environment, owner_team_id, guarantee_mode, auto_publish, metadata,
         resource_type, tags, search_text, created_at, updated_at)
       select gen_random_uuid(), 'large.t' || lpad(n::text, 4, '0'), 'production', $1, 'notify', false,
         '{}', 'model', '{}', '', now(), now()
       from generate_series(1, 1001) n`,
      [team.teamId],
    );
    const first = must(await reassign(team), 200);
    expect(first).toMatchObject({ succeeded: 1_000, refused: 0 });
    const [begins, ends] = [first.results[0], first.results.at(-1)].map((one) => one?.asset?.fqn);
    expect([begins, ends]).toEqual(['large.t0001', 'large.t1000']);
    const { next_cursor: cursor } = first;
    const second = must(await reassign(team, { cursor }), 200);
    expect(second).toMatchObject({ succeeded: 1, next_cursor: null });
  });

  test('count for the rate limit, and so does a request that finds none', async () => {
    const team = await openParty(admin, 'empty');
    const left = async () => Number((await reassign(team)).headers.get('ratelimit-remaining'));
    // The next minute may begin between two requests, and not twice.
    const remaining = [await left(), await left(), await left()] as const;
    expect(remaining[0] - 1 === remaining[1] || remaining[1] - 1 === remaining[2]).toBe(true);
  });

  test('go to another team that exists, and from one that does', async () => {
    const team = await openParty(admin, 'small');
    await createAsset(team);
    const nobody = '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99';
    const same = await reassign(team, { owner_team_id: team.teamId });
    expect(mustRefuse(same, 400, 'VALIDATION_ERROR').field).toBe('owner_team_id');
    mustRefuse(await reassign(team, { owner_team_id: nobody }), 404, 'TEAM_NOT_FOUND');
    mustRefuse(await reassign({ ...team, teamId: nobody }), 404, 'TEAM_NOT_FOUND');
    const params = { team_id: team.teamId };
    const body = { owner_team_id: other.teamId };
    mustRefuse(await team.client.reassignAssets({ params, body }), 403, 'FORBIDDEN');
  });
});
