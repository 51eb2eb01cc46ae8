// Events about people, keys and sign-ins are visible to administrators and to the person concerned,
// in every form of output.

import { describe, expect, test } from 'vitest';
import { openClient, type TestClient } from '../support/client/client.ts';
import {
  createUser,
  issueKey,
  must,
  mustRefuse,
  openRegistryForFile,
  signIn,
  uniqueName,
} from '../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

const personal = /^(?:user|api_key|auth|trust)\./;

/** The people and keys in the events that a reader gets from the whole trail. */
async function readBy(client: TestClient) {
  const ids = new Set<string>();
  let cursor: string | undefined;
  let count = 0;
  let total: number | undefined;
  do {
    const query = { limit: 100, ...(cursor !== undefined && { cursor }) };
    const page = must(await client.listEvents({ query }), 200);
    total ??= page.total;
    count += page.results.length;
    for (const { event_type, entity_id } of page.results) {
      if (personal.test(event_type)) ids.add(entity_id);
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(total).toBe(count);
  return ids;
}

async function openPeople() {
  const user = await createUser(world.admin, { role: 'viewer' });
  const other = await createUser(world.admin, { role: 'viewer' });
  await openClient(registry.url).logIn({ body: { email: other.email, password: 'a guess' } });
  const body = { name: uniqueName('of a user'), user_id: user.id, all_teams: true };
  const key = must(await world.admin.issueApiKey({ body: { ...body, scopes: ['read'] } }), 201);
  const session = await signIn(openClient(registry.url), user.email);
  return { user, other, key, byCookie: world.admin.signedIn(session) };
}

describe('A reader who is not an administrator', () => {
  test('sees only their own events about people and keys, and all other events', async () => {
    const { user, other, key, byCookie } = await openPeople();
    const byKey = world.admin.as(key.key);
    const own = new Set([user.id, key.id]);
    expect(await readBy(byCookie)).toEqual(own);
    expect(await readBy(byKey)).toEqual(own);
    expect([...(await readBy(world.admin))]).toEqual(expect.arrayContaining([...own, other.id]));
  });

  test.each(['user', 'api_key', 'trust'] as const)(
    'finds nothing about another %s with any filter',
    async (kind) => {
      const { other, byCookie } = await openPeople();
      const body = { name: uniqueName('another'), all_teams: true, scopes: ['read' as const] };
      const issued = must(await world.admin.issueApiKey({ body }), 201);
      const trust = must(await world.admin.createTrust({ body: trusted() }), 201);
      const entity_id = { user: other.id, api_key: issued.id, trust: trust.id }[kind];
      const params = { entity_type: kind, entity_id };
      const [event] = must(await world.admin.listEntityHistory({ params }), 200).results;
      const empty = { results: [], total: 0, next_cursor: null };
      expect(must(await byCookie.listEntityHistory({ params }), 200)).toEqual(empty);
      expect(must(await byCookie.listEvents({ query: { entity_id } }), 200)).toEqual(empty);
      const query = { entity_type: kind, entity_id };
      expect(must(await byCookie.listEvents({ query }), 200)).toEqual(empty);
      const ofType = { event_type: `${kind}.created`, limit: 100 } as const;
      const shown = must(await byCookie.listEvents({ query: ofType }), 200);
      expect(shown.results.map((each) => each.entity_id)).not.toContain(entity_id);
      expect(shown.total).toBe(shown.results.length);
      const one = { params: { event_id: event?.id ?? '' } };
      must(await world.admin.getEvent(one), 200);
      mustRefuse(await byCookie.getEvent(one), 404, 'EVENT_NOT_FOUND');
    },
  );

  test('gets no such events of others in the stream', async () => {
    const key = await issueKey(world.admin, { all_teams: true, scopes: ['read'] });
    const stream = await openStream({ authorization: `Bearer ${key}` });
    const user = await createUser(world.admin);
    await issueKey(world.admin, { all_teams: true, scopes: ['read'] });
    const team = must(await world.admin.createTeam({ body: { name: uniqueName('seen') } }), 201);
    const text = await stream.until(team.id);
    expect(text).toContain('team.created');
    expect(text).not.toMatch(/"event_type":"(?:user|api_key|auth)\./);
    expect(text).not.toContain(user.email);
    await stream.close();
  });

  test.each([
    { when: 'demoted from administrator', held: { role: 'admin' }, body: { role: 'viewer' } },
    {
      when: 'the right to read them is taken',
      held: { duties: ['read_audit'] },
      body: { duties: [] },
    },
  ] satisfies {
    when: string;
    held: Parameters<typeof createUser>[1];
    body: Parameters<TestClient['updateUser']>[0]['body'];
  }[])('stops receiving them in the stream when $when', async ({ held, body }) => {
    const user = await createUser(world.admin, held);
    const { cookie } = await signIn(openClient(registry.url), user.email);
    const stream = await openStream({ cookie });
    const other = await createUser(world.admin);
    expect(await stream.until(other.id)).toContain(other.email);
    must(await world.admin.updateUser({ params: { user_id: user.id }, body: body }), 200);
    await stream.ended();
  });
});

function trusted() {
  const issuer = 'https://token.example.com';
  const claims = { repository: uniqueName('shop/repository') };
  const scopes = ['write' as const];
  return {
    name: uniqueName('ci'),
    issuer,
    audience: 'concordat',
    claims,
    scopes,
    team_id: world.producer.teamId,
  };
}

async function openStream(headers: Record<string, string>) {
  const answer = await fetch(`${registry.url}/api/v1/events/stream`, { headers });
  expect(answer.status).toBe(200);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error('The stream has no body.');
  let text = '';
  const more = async () => {
    const { done, value } = await reader.read();
    text += value ?? '';
    return !done;
  };
  return {
    until: async (part: string) => {
      while (!text.includes(part)) if (!(await more())) throw new Error(`It ended: ${text}`);
      return text;
    },
    ended: async () => {
      while (await more());
    },
    close: () => reader.cancel(),
  };
}
