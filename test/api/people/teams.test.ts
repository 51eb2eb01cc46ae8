// Teams and keys: each promise of sections 1 and 4 of the specification.

import { describe, expect, test } from 'vitest';
import { checkedFetch } from '../../support/client/client.ts';
import { openRegistry } from '../../support/client/client-registry.ts';
import {
  createAsset,
  createUser,
  issueKey,
  must,
  mustRefuse,
  openParty,
  openRegistryForFile,
  proposedAsset,
  publishedAsset,
  register,
  uniqueName,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

const nobody = '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99';
const anId = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('A team', () => {
  test('is created by the bootstrap key with 201', async () => {
    const team = must(await world.admin.createTeam({ body: { name: 'Orders & Billing' } }), 201);
    expect(team).toEqual({
      id: anId,
      name: 'Orders & Billing',
      slug: 'orders-billing',
      metadata: {},
      managed_by: null,
      created_at: aTime,
      updated_at: aTime,
    });
    expect(must(await world.admin.getTeam({ params: { team_id: team.id } }), 200)).toEqual(team);
  });

  test('keeps the given slug and metadata', async () => {
    const body = { name: uniqueName('Slugged'), slug: 'my-slug', metadata: { a: [1, null] } };
    const team = must(await world.admin.createTeam({ body }), 201);
    expect(team).toMatchObject(body);
  });

  test('that an object manages is changed here only by an override with a reason, and is handed over here', async () => {
    const { id } = must(await world.admin.createTeam({ body: { name: uniqueName('Held') } }), 201);
    const params = { team_id: id };
    const object = { source: 'kubernetes', reference: 'held in 5f2c' };
    const given = must(await world.admin.updateTeam({ params, body: { managed_by: object } }), 200);
    expect(given.managed_by).toEqual(object);
    const code = 'TEAM_MANAGED_ELSEWHERE';
    const body = { metadata: { a: 1 } };
    mustRefuse(await world.admin.updateTeam({ params, body }), 409, code);
    mustRefuse(await world.admin.updateTeam({ params, body: { managed_by: null } }), 409, code);
    mustRefuse(await world.admin.deleteTeam({ params }), 409, code);
    const unsaid = { ...body, override: true };
    mustRefuse(await world.admin.updateTeam({ params, body: unsaid }), 400, 'VALIDATION_ERROR');
    const override = { override: true, reason: 'The cluster is gone.' };
    must(await world.admin.updateTeam({ params, body: { ...body, ...override } }), 200);
    const { results } = must(
      await world.admin.listEvents({ query: { entity_id: id, event_type: 'team.updated' } }),
      200,
    );
    expect(results[0]?.metadata).toMatchObject({ reason: 'The cluster is gone.' });
    must(await world.admin.deleteTeam({ params, query: override }), 204);
  });

  test.each(['Capital', '-a', 'a-', 'a_b', 'a'.repeat(64), ''])(
    'with the slug "%s" is 400',
    async (slug) => {
      const made = await world.admin.createTeam({ body: { name: uniqueName('Wrong'), slug } });
      mustRefuse(made, 400, 'VALIDATION_ERROR');
    },
  );

  test.each(['', '   ', 'a'.repeat(201)])('with the name "%s" is 400', async (name) => {
    mustRefuse(await world.admin.createTeam({ body: { name } }), 400, 'VALIDATION_ERROR');
  });

  test('with the name of another one, ignoring case, is 409 TEAM_EXISTS', async () => {
    const name = uniqueName('Twin');
    must(await world.admin.createTeam({ body: { name } }), 201);
    const second = await world.admin.createTeam({ body: { name: name.toUpperCase() } });
    mustRefuse(second, 409, 'TEAM_EXISTS');
  });

  test('with the name of another one, in another Unicode form, is 409 TEAM_EXISTS', async () => {
    const name = uniqueName('\u00dcber');
    must(await world.admin.createTeam({ body: { name } }), 201);
    const second = await world.admin.createTeam({ body: { name: name.normalize('NFD') } });
    mustRefuse(second, 409, 'TEAM_EXISTS');
  });

  test.each(['\u202e', '\n', '\u200b'])(
    'with the invisible character %j is 400',
    async (unseen) => {
      const body = { name: `${uniqueName('Un')}${unseen}seen` };
      const problem = mustRefuse(await world.admin.createTeam({ body }), 400, 'VALIDATION_ERROR');
      expect(problem.field).toBe('name');
    },
  );

  test('keeps metadata up to its limit, which patches cannot exceed', async () => {
    const metadata = { note: 'n'.repeat(60_000) };
    const body = { name: uniqueName('Full'), metadata };
    const team = must(await world.admin.createTeam({ body }), 201);
    const params = { team_id: team.id };
    const more = { metadata: { more: 'm'.repeat(6_000) } };
    const refused = await world.admin.updateTeam({ params, body: more });
    expect(mustRefuse(refused, 400, 'VALIDATION_ERROR').field).toBe('metadata');
    expect(must(await world.admin.getTeam({ params }), 200).metadata).toEqual(metadata);
  });

  test('with the slug of another one is 409 TEAM_EXISTS', async () => {
    must(await world.admin.createTeam({ body: { name: uniqueName('S'), slug: 'taken' } }), 201);
    const body = { name: uniqueName('S'), slug: 'taken' };
    mustRefuse(await world.admin.createTeam({ body }), 409, 'TEAM_EXISTS');
  });

  test('that does not exist is 404', async () => {
    const params = { team_id: nobody };
    mustRefuse(await world.admin.getTeam({ params }), 404, 'TEAM_NOT_FOUND');
    mustRefuse(await world.admin.updateTeam({ params, body: {} }), 404, 'TEAM_NOT_FOUND');
    mustRefuse(await world.admin.deleteTeam({ params }), 404, 'TEAM_NOT_FOUND');
  });

  test('is renamed, keeps its slug, and its metadata is merged', async () => {
    const team = must(
      await world.admin.createTeam({
        body: { name: uniqueName('Before'), metadata: { keep: 1, drop: 2 } },
      }),
      201,
    );
    const name = uniqueName('After');
    const updated = must(
      await world.admin.updateTeam({
        params: { team_id: team.id },
        body: { name, metadata: { drop: null, add: 3 } },
      }),
      200,
    );
    expect(updated).toEqual({
      ...team,
      name,
      metadata: { keep: 1, add: 3 },
      updated_at: aTime,
    });
  });

  test('cannot be renamed to the name of another one', async () => {
    const params = { team_id: world.other.teamId };
    const body = { name: world.producer.name };
    mustRefuse(await world.admin.updateTeam({ params, body }), 409, 'TEAM_EXISTS');
  });

  test('that owns assets is deleted only with reassign_to', async () => {
    const leaving = await openParty(world.admin, 'leaving');
    const asset = await createAsset(leaving);
    const params = { team_id: leaving.teamId };
    const refused = mustRefuse(await world.admin.deleteTeam({ params }), 409, 'TEAM_HAS_ASSETS');
    expect(refused.message).toMatch(/ owns 1 asset\. Choose a new owner/);
    const toNobody = await world.admin.deleteTeam({ params, query: { reassign_to: nobody } });
    mustRefuse(toNobody, 404, 'TEAM_NOT_FOUND');
    const query = { reassign_to: world.other.teamId };
    must(await world.admin.deleteTeam({ params, query }), 204);
    mustRefuse(await world.admin.getTeam({ params }), 404, 'TEAM_NOT_FOUND');
    const moved = must(await world.admin.getAsset({ params: { asset_id: asset.id } }), 200);
    expect(moved.owner_team_id).toBe(world.other.teamId);
  });

  test('that is deleted frees its name, and its keys stop working', async () => {
    const leaving = await openParty(world.admin, 'gone');
    must(await leaving.client.listTeams(), 200);
    must(await world.admin.deleteTeam({ params: { team_id: leaving.teamId } }), 204);
    await expect
      .poll(async () => (await leaving.client.listTeams()).status, { timeout: 1_000, interval: 20 })
      .toBe(401);
    must(await world.admin.createTeam({ body: { name: leaving.name } }), 201);
  });

  test('that is deleted is no longer a consumer', async () => {
    const leaving = await openParty(world.admin, 'consumer that goes');
    const { assetId, proposalId } = await proposedAsset(world.producer, [leaving]);
    const params = { team_id: leaving.teamId };
    const refused = mustRefuse(await world.admin.deleteTeam({ params }), 400, 'VALIDATION_ERROR');
    expect(refused.field).toBe('reason');
    const reason = 'Its people are gone.';
    must(await world.admin.deleteTeam({ params, query: { reason } }), 204);
    const told = must(await world.admin.listEvents({ query: { asset_id: assetId } }), 200);
    expect(told.results.find((each) => each.event_type === 'registration.deleted')).toMatchObject({
      metadata: { reason: `the consumer team was deleted: ${reason}` },
    });
    const status = await world.admin.getProposalStatus({ params: { proposal_id: proposalId } });
    expect(must(status, 200)).toMatchObject({ total_consumers: 0, can_publish: true });
    const query = { asset_id: assetId, status: 'active' } as const;
    expect(must(await world.admin.listRegistrations({ query }), 200).results).toEqual([]);
  });

  test('that is restored is as it was, but for its keys and its assets', async () => {
    const { admin, other } = world;
    const leaving = await openParty(admin, 'restored');
    const params = { team_id: leaving.teamId };
    const before = must(await admin.getTeam({ params }), 200);
    const asset = await createAsset(leaving);
    const key = await issueKey(admin, {
      team_ids: [leaving.teamId, other.teamId],
      scopes: ['write'],
    });
    const user = await createUser(admin, { team_id: leaving.teamId, role: 'editor' });
    must(await admin.deleteTeam({ params, query: { reassign_to: other.teamId } }), 204);
    const of = { name: before.name, include_deleted: true };
    mustRefuse(await other.client.listTeams({ query: of }), 403, 'FORBIDDEN');
    expect(must(await admin.listTeams({ query: of }), 200).results).toEqual([
      { ...before, updated_at: aTime, deleted_at: aTime },
    ]);
    mustRefuse(await other.client.restoreTeam({ params }), 403, 'FORBIDDEN');
    const restored = must(await admin.restoreTeam({ params }), 200);
    expect(restored).toEqual({ ...before, updated_at: aTime });
    expect(must(await admin.getTeam({ params }), 200)).toEqual(restored);
    mustRefuse(await leaving.client.listTeams(), 401, 'UNAUTHENTICATED');
    const still = must(await admin.getAsset({ params: { asset_id: asset.id } }), 200);
    expect(still.owner_team_id).toBe(other.teamId);
    const again = must(await admin.getUser({ params: { user_id: user.id } }), 200);
    expect(again.team_id).toBe(leaving.teamId);
    const body = { fqn: 'restored.orders', owner_team_id: leaving.teamId };
    must(await admin.as(key).createAsset({ body }), 201);
    const history = await admin.listEntityHistory({
      params: { entity_type: 'team', entity_id: leaving.teamId },
    });
    expect(must(history, 200).results[0]).toMatchObject({
      event_type: 'team.restored',
      metadata: { name: before.name, deleted_at: aTime },
    });
    mustRefuse(await admin.restoreTeam({ params }), 409, 'TEAM_EXISTS');
  });

  test('that is restored does not take back whom an administrator took out of it meanwhile', async () => {
    const { admin } = world;
    const team = await openParty(admin, 'left');
    const params = { team_id: team.teamId };
    const user = await createUser(admin, { team_id: team.teamId, role: 'editor' });
    const of = { params: { user_id: user.id } };
    must(await admin.deleteTeam({ params }), 204);
    const left = must(await admin.updateUser({ ...of, body: { team_id: null } }), 200);
    must(await admin.updateUser({ ...of, body: { team_id: null } }), 200);
    must(await admin.restoreTeam({ params }), 200);
    expect(must(await admin.getUser(of), 200)).toEqual({ ...left, team_id: null });
    const history = await admin.listEntityHistory({
      params: { entity_type: 'user', entity_id: user.id },
    });
    const changes = must(history, 200).results.filter(
      ({ event_type }) => event_type === 'user.updated',
    );
    expect(changes).toMatchObject([
      { metadata: { from: { team_id: team.teamId }, to: { team_id: null } } },
    ]);
  });

  test('is not restored while another one has its name or its slug', async () => {
    const { admin } = world;
    for (const field of ['name', 'slug'] as const) {
      const name = uniqueName('Taken');
      const team = must(await admin.createTeam({ body: { name } }), 201);
      const params = { team_id: team.id };
      must(await admin.deleteTeam({ params }), 204);
      const body = field === 'name' ? { name, slug: 'other' } : { name: 'Other', slug: team.slug };
      const taker = must(await admin.createTeam({ body }), 201);
      const refused = mustRefuse(await admin.restoreTeam({ params }), 409, 'TEAM_EXISTS');
      expect(refused).toMatchObject({ field, team_id: taker.id });
      mustRefuse(await admin.getTeam({ params }), 404, 'TEAM_NOT_FOUND');
      must(await admin.deleteTeam({ params: { team_id: taker.id } }), 204);
      must(await admin.restoreTeam({ params }), 200);
    }
    mustRefuse(await admin.restoreTeam({ params: { team_id: nobody } }), 404, 'TEAM_NOT_FOUND');
  });

  test('has its events: created, updated, deleted', async () => {
    const team = must(await world.admin.createTeam({ body: { name: uniqueName('Told') } }), 201);
    const params = { team_id: team.id };
    must(await world.admin.updateTeam({ params, body: { name: uniqueName('Told') } }), 200);
    must(await world.admin.deleteTeam({ params }), 204);
    const history = await world.admin.listEntityHistory({
      params: { entity_type: 'team', entity_id: team.id },
    });
    const types = must(history, 200).results.map((event) => [event.event_type, event.actor_type]);
    expect(types).toEqual([
      ['team.deleted', 'bootstrap'],
      ['team.updated', 'bootstrap'],
      ['team.created', 'bootstrap'],
    ]);
  });

  test('is found by name, slug and part of the name', async () => {
    const name = uniqueName('Findable Zebra');
    const { id, slug } = must(await world.admin.createTeam({ body: { name } }), 201);
    for (const query of [{ name: name.toLowerCase() }, { slug }, { q: 'zEbRa' }]) {
      const found = must(await world.admin.listTeams({ query }), 200);
      expect(found.results.map((team) => team.id)).toEqual([id]);
    }
  });
});

describe('A key', () => {
  test('is issued with 201, and its secret is shown only once', async () => {
    const issued = must(
      await world.admin.issueApiKey({
        body: { name: 'CI', team_id: world.producer.teamId, scopes: ['write'] },
      }),
      201,
    );
    const { key, ...shown } = issued;
    expect(key).toMatch(/^cdt_live_[0-9A-Za-z]{43}$/);
    expect(shown).toEqual({
      id: anId,
      name: 'CI',
      team_id: world.producer.teamId,
      team_ids: [world.producer.teamId],
      all_teams: false,
      user_id: null,
      trust_id: null,
      scopes: ['write'],
      prefix: key?.slice(0, 12),
      created_at: aTime,
      expires_at: aTime,
      last_used_at: null,
      revoked_at: null,
    });
    const got = must(await world.admin.getApiKey({ params: { api_key_id: issued.id } }), 200);
    expect(got).toEqual(shown);
    const listed = await world.admin.listApiKeys({ query: { team_id: world.producer.teamId } });
    expect(must(listed, 200).results).toContainEqual(shown);
  });

  test('is listed with every team that it acts for', async () => {
    const [one, other] = [
      await openParty(world.admin, 'one'),
      await openParty(world.admin, 'other'),
    ];
    const issue = async (name: string, teams: { team_ids?: string[]; all_teams?: true }) =>
      must(
        await world.admin.issueApiKey({ body: { name, scopes: ['read' as const], ...teams } }),
        201,
      ).id;
    const both = await issue('both', { team_ids: [one.teamId, other.teamId] });
    const all = await issue('all', { all_teams: true });
    const admin = must(
      await world.admin.issueApiKey({ body: { name: 'admin', scopes: ['admin'] } }),
      201,
    ).id;
    const idsOf = async (team_id: string) => {
      const listed = must(
        await world.admin.listApiKeys({ query: { team_id, page_size: 100 } }),
        200,
      );
      expect(listed.total).toBe(listed.results.length);
      return listed.results.map(({ id }) => id);
    };
    const ids = await idsOf(other.teamId);
    expect(ids).toEqual(expect.arrayContaining([both, all]));
    expect(ids).not.toContain(admin);
    expect(await idsOf(one.teamId)).toEqual(expect.arrayContaining([both, all]));
    expect(await idsOf(world.producer.teamId)).not.toContain(both);
  });

  test('is stored only as a digest', async () => {
    const key = await issueKey(world.admin, { team_id: world.other.teamId, scopes: ['read'] });
    const rows = await registry.database.query('select to_jsonb(k) as row from api_key k');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(key);
  });

  test('works at once, and no longer once it is revoked', async () => {
    const body = { name: 'short', team_id: world.other.teamId, scopes: ['read' as const] };
    const { id, key } = must(await world.admin.issueApiKey({ body }), 201);
    const client = world.admin.as(key);
    must(await client.listTeams(), 200);
    must(await world.admin.revokeApiKey({ params: { api_key_id: id } }), 204);
    await expect
      .poll(async () => (await client.listTeams()).status, { timeout: 1_000, interval: 20 })
      .toBe(401);
    const shown = must(await world.admin.getApiKey({ params: { api_key_id: id } }), 200);
    expect(shown.revoked_at).toEqual(aTime);
  });

  test('that is expired, revoked, malformed or unknown gets the same 401', async () => {
    const expired = await issueKey(world.admin, {
      team_id: world.other.teamId,
      scopes: ['read'],
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    // As if the hour had passed; a shorter time might end before the key is issued.
    await registry.database.query(`update api_key set expires_at = now() - interval '1 second'
      where id = (select id from api_key order by created_at desc limit 1)`);
    const answers = new Set<string>();
    for (const key of [
      expired,
      'cdt_live_short',
      `cdt_live_${'0'.repeat(43)}`,
      'x',
      `${registry.bootstrapKey}x`,
      undefined,
    ]) {
      const result = await world.admin.as(key).listTeams();
      expect(result.headers.get('www-authenticate')).toBe('Bearer');
      answers.add(JSON.stringify([result.status, result.ok ? null : result.refusal]));
    }
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toContain('UNAUTHENTICATED');
  });

  test.each(['Basic abc', 'Bearer', 'Bearer a b', 'bootstrap-key-of-the-tests', ''])(
    'sent as "Authorization: %s" is 401',
    async (authorization) => {
      const response = await checkedFetch(`${registry.url}/api/v1/teams`, {
        headers: { authorization },
      });
      expect(response.status).toBe(401);
    },
  );

  test('names one team, several, or all; only an admin key may have none', async () => {
    const scopes = ['write' as const];
    const forNobody = await world.admin.issueApiKey({ body: { name: 'k', scopes } });
    expect(mustRefuse(forNobody, 400, 'VALIDATION_ERROR').field).toBe('team_id');
    const admin = { name: 'k', scopes: ['admin' as const] };
    expect(must(await world.admin.issueApiKey({ body: admin }), 201).team_id).toBeNull();
    const unknown = { name: 'k', scopes, team_id: nobody };
    mustRefuse(await world.admin.issueApiKey({ body: unknown }), 404, 'TEAM_NOT_FOUND');
  });

  test('that does not exist is 404', async () => {
    const params = { api_key_id: nobody };
    mustRefuse(await world.admin.getApiKey({ params }), 404, 'API_KEY_NOT_FOUND');
    mustRefuse(await world.admin.revokeApiKey({ params }), 404, 'API_KEY_NOT_FOUND');
  });

  test('for several teams must name the team that it acknowledges for', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    for (const party of [world.consumer, world.other]) await register(party, contractId);
    const proposed = await world.producer.client.publishContract({
      params: { asset_id: assetId },
      body: { schema: { type: 'string' } },
    });
    const proposal = must(proposed, 201);
    if (proposal.action !== 'proposal_created') throw new Error('It should have been proposed.');
    const key = await issueKey(world.admin, {
      team_ids: [world.consumer.teamId, world.other.teamId],
      scopes: ['acknowledge'],
    });
    const params = { proposal_id: proposal.proposal.id ?? '' };
    const client = world.admin.as(key);
    mustRefuse(await client.acknowledgeProposal({ params, body: {} }), 400, 'VALIDATION_ERROR');
    const body = { team_id: world.other.teamId };
    const answer = must(await client.acknowledgeProposal({ params, body }), 200);
    expect(answer.remaining_consumers).toBe(1);
  });

  test('has its events, which never contain the secret', async () => {
    const body = { name: 'told', team_id: world.other.teamId, scopes: ['read' as const] };
    const { id, key } = must(await world.admin.issueApiKey({ body }), 201);
    must(await world.admin.revokeApiKey({ params: { api_key_id: id } }), 204);
    const history = await world.admin.listEntityHistory({
      params: { entity_type: 'api_key', entity_id: id },
    });
    const events = must(history, 200).results;
    expect(events.map((event) => event.event_type)).toEqual(['api_key.revoked', 'api_key.created']);
    expect(JSON.stringify(events)).not.toContain(key);
  });
});

describe('The rate limit of a key', () => {
  test('is in every response, and above it requests are 429 with Retry-After', async () => {
    const limited = await openRegistry({ RATE_LIMIT_READ: '3', RATE_LIMIT_WRITE: '2' });
    try {
      const ask = () =>
        checkedFetch(`${limited.url}/api/v1/teams`, {
          headers: { authorization: `Bearer ${limited.bootstrapKey}` },
        });
      const seen: [number, string | null][] = [];
      for (let i = 0; i < 4; i++) {
        const response = await ask();
        seen.push([response.status, response.headers.get('ratelimit-remaining')]);
      }
      expect(seen).toEqual([
        [200, '2'],
        [200, '1'],
        [200, '0'],
        [429, '0'],
      ]);
      const refused = await ask();
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.headers.get('ratelimit-limit')).toBe('3');
      expect(await refused.json()).toMatchObject({ detail: { code: 'RATE_LIMITED' } });
    } finally {
      await limited.stop();
    }
  });
});
