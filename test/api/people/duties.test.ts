// Rights of an administrator that keys and people have one by one. Which route needs which is in
// access.test.ts.

import { describe, expect, test } from 'vitest';
import { type Duty, duties } from '../../../src/core/actor.ts';
import { openClient, type TestClient } from '../../support/client/client.ts';
import {
  createUser,
  issueKey,
  must,
  mustRefuse,
  openRegistryForFile,
  orderSchema,
  password,
  proposedAsset,
  publishedAsset,
  register,
  signIn,
  uniqueName,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();
const { admin, producer, consumer, other } = world;

const managing = admin.as(await issueKey(admin, { scopes: ['manage_people'] }));

async function openUser(more: Parameters<typeof createUser>[1]) {
  const user = await createUser(admin, more);
  const session = await signIn(openClient(registry.url), user.email);
  return { user, params: { user_id: user.id }, client: admin.signedIn(session) };
}

/** The replica hears of it from Postgres. */
async function takeDuties(params: { readonly user_id: string }, client: TestClient) {
  must(await admin.updateUser({ params, body: { duties: [] } }), 200);
  const scopes = async () => must(await client.getIdentity(), 200).scopes;
  await expect.poll(scopes).toEqual(['read']);
}

async function openKey(scopes: readonly ('read' | 'write' | 'admin' | Duty)[], user_id?: string) {
  const body = { name: uniqueName('key'), all_teams: true, scopes: [...scopes] };
  const more = user_id === undefined ? {} : { user_id };
  return must(await admin.issueApiKey({ body: { ...body, ...more } }), 201);
}

async function eventCount(): Promise<number> {
  const [row] = await registry.database.query(
    "select count(*)::int as count from audit_event where event_type <> 'auth.denied'",
  );
  return Number(row?.count);
}

describe('Whoever manages people', () => {
  test('makes teams, users and keys, and hands this right on', async () => {
    const team = must(await managing.createTeam({ body: { name: uniqueName('team') } }), 201);
    const { user, params, client } = await openUser({ role: 'viewer' });
    const body = { role: 'editor', team_id: team.id, duties: ['manage_people'] } as const;
    const changed = must(
      await managing.updateUser({ params, body: { ...body, duties: [...body.duties] } }),
      200,
    );
    expect(changed).toMatchObject(body);
    const scopes = ['read', 'acknowledge', 'write', 'manage_people'];
    const identity = async () => must(await client.getIdentity(), 200);
    await expect.poll(identity).toMatchObject({ scopes, user: { duties: ['manage_people'] } });
    must(await client.deactivateUser({ params: { user_id: (await createUser(admin)).id } }), 204);
    const key = { name: 'k', team_id: team.id, scopes: ['write' as const], user_id: user.id };
    const issued = must(await client.issueApiKey({ body: key }), 201);
    must(await client.revokeApiKey({ params: { api_key_id: issued.id } }), 204);
  });

  type Attempt = readonly [string, (client: TestClient) => Promise<unknown>];

  const body = () => ({ email: `${uniqueName('u').replace(' ', '')}@example.com`, password });
  const attempts: readonly Attempt[] = [
    ['make an administrator', (c) => c.createUser({ body: { ...body(), role: 'admin' } })],
    ['give what they lack', (c) => c.createUser({ body: { ...body(), duties: ['read_audit'] } })],
    [
      'promote somebody',
      async (c) => c.updateUser({ params: await anybody(), body: { role: 'admin' } }),
    ],
    [
      'add a right that they lack',
      async (c) => c.updateUser({ params: await anybody(), body: { duties: ['force'] } }),
    ],
    [
      'take a right that they lack',
      async (c) => c.updateUser({ params: await anybody(['force']), body: { duties: [] } }),
    ],
    [
      'set the password of an administrator',
      async (c) => c.updateUser({ params: await anAdmin(), body: { password } }),
    ],
    [
      'set the password of somebody with another right',
      async (c) => c.updateUser({ params: await anybody(['read_audit']), body: { password } }),
    ],
    ['deactivate an administrator', async (c) => c.deactivateUser({ params: await anAdmin() })],
    ...(['admin', 'force', 'read_audit', 'scim'] as const).map(
      (scope): Attempt => [
        `issue a key with the scope ${scope}`,
        (c) => c.issueApiKey({ body: { name: 'k', all_teams: true, scopes: [scope] } }),
      ],
    ),
    [
      'issue a key of an administrator',
      async (c) => {
        const { user_id } = await anAdmin();
        return c.issueApiKey({ body: { name: 'k', all_teams: true, scopes: ['read'], user_id } });
      },
    ],
    [
      'revoke the key of an administrator',
      async (c) => c.revokeApiKey({ params: { api_key_id: (await openKey(['admin'])).id } }),
    ],
  ];

  test.each(attempts)('may not %s', async (_, attempt) => {
    let before = 0;
    // What the attempt needs is made by the administrator, and counted before.
    const counting = new Proxy(managing, {
      get: (target, name) => {
        const call = Reflect.get(target, name);
        return async (...given: unknown[]) => {
          before = await eventCount();
          return call(...given);
        };
      },
    });
    const refused = mustRefuse((await attempt(counting)) as never, 403, 'FORBIDDEN');
    expect(JSON.stringify(refused)).toMatch(/does not have the right/);
    expect(await eventCount()).toBe(before);
  });

  test('ends no team, because its consumers would not be asked any more, and hands none over', async () => {
    const params = { team_id: consumer.teamId };
    mustRefuse(await managing.deleteTeam({ params }), 403, 'FORBIDDEN');
    const body = { managed_by: { source: 'kubernetes', reference: 'consumer in 5f2c' } };
    mustRefuse(await managing.updateTeam({ params, body }), 403, 'FORBIDDEN');
  });

  async function anybody(held: readonly ('force' | 'read_audit')[] = []) {
    return { user_id: (await createUser(admin, { duties: [...held] })).id };
  }

  async function anAdmin() {
    return { user_id: (await createUser(admin, { role: 'admin' })).id };
  }
});

describe('The right to force', () => {
  test('of a person publishes what any team proposed, with a reason, and nothing else', async () => {
    const { user, params, client } = await openUser({ role: 'viewer', duties: ['force'] });
    const { assetId, proposalId } = await proposedAsset(producer, [consumer]);
    const call = { params: { proposal_id: proposalId }, body: { reason: 'Legal wants it gone.' } };
    mustRefuse(await client.withdrawProposal(call), 403, 'FORBIDDEN');
    const draft = { params: { asset_id: assetId }, body: { schema: orderSchema } };
    mustRefuse(await client.publishContract(draft), 403, 'FORBIDDEN');
    expect(must(await client.forceProposal(call), 200).status).toBe('force_published');
    // Without it, the next force is refused in the same session.
    await takeDuties(params, client);
    const next = await proposedAsset(producer, [consumer]);
    const again = { ...call, params: { proposal_id: next.proposalId } };
    mustRefuse(await client.forceProposal(again), 403, 'FORBIDDEN');
    const events = must(
      await admin.listEntityHistory({ params: { entity_type: 'user', entity_id: user.id } }),
      200,
    ).results;
    expect(events.find(({ event_type }) => event_type === 'user.updated')?.metadata).toMatchObject({
      from: { duties: ['force'] },
      to: { duties: [] },
    });
  });

  test('of a key is that of its teams', async () => {
    const body = { reason: 'Legal wants it gone.' };
    const { proposalId } = await proposedAsset(producer, [consumer]);
    const call = { params: { proposal_id: proposalId }, body };
    const strange = await issueKey(admin, { team_id: other.teamId, scopes: ['write', 'force'] });
    const own = await issueKey(admin, { team_id: producer.teamId, scopes: ['force'] });
    mustRefuse(await admin.as(strange).forceProposal(call), 403, 'FORBIDDEN');
    must(await admin.as(own).forceProposal(call), 200);
  });

  test('archives and deletes what consumers use', async () => {
    const { assetId, contractId } = await publishedAsset(producer);
    await register(consumer, contractId);
    const key = await issueKey(admin, { team_id: producer.teamId, scopes: ['write', 'force'] });
    const params = { asset_id: assetId };
    const query = { force: true, reason: 'Nobody needs it.' };
    const plain = { team_id: producer.teamId, scopes: ['write' as const] };
    const refused = await admin.as(await issueKey(admin, plain)).deleteAsset({ params, query });
    mustRefuse(refused, 403, 'FORBIDDEN');
    must(await admin.as(key).deleteAsset({ params, query }), 204);
  });
});

describe('The right to read the audit trail', () => {
  test('shows all events, exports them, and ends with it', async () => {
    const { user, params, client } = await openUser({ role: 'viewer', duties: ['read_audit'] });
    const somebody = await createUser(admin);
    const history = { params: { entity_type: 'user', entity_id: somebody.id } } as const;
    expect(must(await client.listEntityHistory(history), 200).total).toBe(1);
    must(await client.exportEvents(), 200);
    mustRefuse(await client.listUsers(), 403, 'FORBIDDEN');
    await takeDuties(params, client);
    expect(must(await client.listEntityHistory(history), 200).total).toBe(0);
    mustRefuse(await client.exportEvents(), 403, 'FORBIDDEN');
    expect(must(await client.getIdentity(), 200).user?.id).toBe(user.id);
  });
});

describe('A key of a person', () => {
  test.each(duties)('has the right %s only as long as the person has it', async (duty) => {
    const { user, params } = await openUser({ role: 'viewer' });
    const { key } = await openKey([duty], user.id);
    const everything = await openKey(['admin'], user.id);
    const scopesOf = async (of: string | undefined) =>
      must(await admin.as(of).getIdentity(), 200).scopes;
    await expect.poll(() => scopesOf(key)).toEqual(['read']);
    await expect.poll(() => scopesOf(everything.key)).toEqual(['read']);
    // A right to SCIM is for machines, and a person has none.
    if (duty === 'scim') return;
    must(await admin.updateUser({ params, body: { duties: [duty] } }), 200);
    await expect.poll(() => scopesOf(key)).toEqual(['read', duty]);
    await expect.poll(() => scopesOf(everything.key)).toEqual(['read', duty]);
    must(await admin.updateUser({ params, body: { duties: [] } }), 200);
    await expect.poll(() => scopesOf(key)).toEqual(['read']);
  });
});
