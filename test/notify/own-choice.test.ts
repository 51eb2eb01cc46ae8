// What users choose to be told in person, and the link in a letter that ends the letters. Judged by what a
// real mail server gets.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { letterActor } from '../../src/core/actor.ts';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  createUser,
  must,
  mustRefuse,
  openParty,
  openWorld,
  type Party,
  proposedAsset,
  signIn,
  uniqueName,
  type World,
} from '../support/client/client-world.ts';
import { freePorts } from '../support/free-ports.ts';
import { type Mailbox, openMailbox } from '../support/mail/mailbox.ts';

const waiting = { timeout: 60_000 };

let baseUrl: string;
let mailbox: Mailbox;
let registry: TestRegistry;
let world: World;
beforeAll(async () => {
  mailbox = await openMailbox();
  const [port] = await freePorts(1);
  baseUrl = `http://localhost:${port}/contracts`;
  registry = await openRegistry({
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    SMTP_URL: mailbox.url,
    SMTP_FROM: 'contracts@example.com',
    SMTP_DOMAINS: 'example.com',
    PORT: String(port),
    BASE_URL: baseUrl,
    BASE_PATH: '/contracts',
  });
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await registry.stop();
  await mailbox.stop();
});

async function openMember({ teamId }: Pick<Party, 'teamId'>) {
  const name = uniqueName('member');
  const user = await createUser(world.admin, { role: 'viewer', name, team_id: teamId });
  const session = await signIn(world.admin.as(undefined), user.email);
  return { user, client: world.admin.signedIn(session) };
}

function lettersTo(address: string) {
  return mailbox.received.filter(({ to }) => to.includes(address));
}

function titlesTo(address: string): readonly (string | undefined)[] {
  return lettersTo(address).map(({ headers }) => headers.subject);
}

const asked = (fqn: string) => `A breaking change of ${fqn} needs your answer`;

/** A change that the last consumer hears of: whoever else is told of it was told before. */
async function propose(...consumers: readonly Party[]) {
  const { fqn } = await proposedAsset(world.producer, [...consumers, world.other]);
  await expect.poll(() => titlesTo('last@example.com'), waiting).toContain(asked(fqn));
  return fqn;
}

beforeAll(async () => {
  const { client, teamId } = world.other;
  const body = { url: 'mailto:last@example.com', team_id: teamId };
  must(await client.createWebhook({ body }), 201);
});

async function stopLinkOf(address: string): Promise<string> {
  await expect.poll(() => lettersTo(address).length, waiting).toBeGreaterThan(0);
  const letter = lettersTo(address).at(-1);
  const link = letter?.headers['list-unsubscribe']?.replace(/^<|>$/g, '') ?? '';
  expect(letter?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
  expect(letter?.text.replaceAll('=\r\n', '')).toContain(`Stop these letters: ${link}`);
  return link;
}

async function choiceOf(userId: string) {
  const { results } = must(await world.admin.listWebhooks({ query: { page_size: 100 } }), 200);
  return results.find((each) => each.user_id === userId);
}

describe('A user', () => {
  test('is told by e-mail what is for their team, once they choose so', async () => {
    const team = await openParty(world.admin, 'chosen');
    const { user, client } = await openMember(team);
    const before = must(await client.getOwnNotifications(), 200);
    expect(before).toEqual({
      ...{ sent: false, events: [], daily_at: null, stopped_at: null },
      ...{ team_id: team.teamId, email: user.email, problem: null },
    });
    await propose(team);
    const chosen = must(await client.chooseNotifications({ body: { sent: true } }), 200);
    expect(chosen).toEqual({ ...before, sent: true });
    await propose();
    const fqn = await propose(team);
    await expect.poll(() => titlesTo(user.email), waiting).toEqual([asked(fqn)]);
    expect(lettersTo(user.email)[0]?.text).toContain(`What is sent here: ${baseUrl}/notifications`);
    must(await client.chooseNotifications({ body: { sent: false } }), 200);
    await propose(team);
    expect(titlesTo(user.email)).toEqual([asked(fqn)]);
    expect(await choiceOf(user.id)).toBeUndefined();
  });

  test('chooses events and an hour, and what they had chosen is kept', async () => {
    const team = await openParty(world.admin, 'hourly');
    const { user, client } = await openMember(team);
    const daily_at = (new Date().getUTCHours() + 23) % 24;
    const body = { sent: true, daily_at, events: ['proposal.created' as const] };
    must(await client.chooseNotifications({ body }), 200);
    expect(must(await client.getOwnNotifications(), 200)).toMatchObject(body);
    const names = [await propose(team), await propose(team)];
    expect(titlesTo(user.email)).toEqual([]);
    await registry.database.query(
      `update webhook set summary_due_at = now() where user_id = '${user.id}'`,
    );
    const title = 'Summary of Concordat: 2 messages';
    await expect.poll(() => titlesTo(user.email), waiting).toEqual([title]);
    for (const fqn of names) expect(lettersTo(user.email)[0]?.text).toContain(asked(fqn));
    expect(lettersTo(user.email)[0]?.text).not.toContain('acknowledged');
  });

  test('two browsers of whom choose at once has one choice', async () => {
    const { user, client } = await openMember(world.consumer);
    const body = { sent: true };
    const all = await Promise.all([1, 2, 3].map(() => client.chooseNotifications({ body })));
    for (const each of all) must(each, 200);
    const rows = await registry.database.query(
      `select id from webhook where user_id = '${user.id}'`,
    );
    expect(rows).toHaveLength(1);
  });

  test('is told at their present address and of their present team, and nothing without an account', async () => {
    const [left, joined] = [
      await openParty(world.admin, 'left'),
      await openParty(world.admin, 'joined'),
    ];
    const { user, client } = await openMember(left);
    must(await client.chooseNotifications({ body: { sent: true } }), 200);
    const params = { user_id: user.id };
    const email = `moved-${user.email}`;
    const body = { team_id: joined.teamId, email };
    must(await world.admin.updateUser({ params, body }), 200);
    await propose(left);
    const fqn = await propose(joined);
    await expect.poll(() => titlesTo(email), waiting).toEqual([asked(fqn)]);
    must(await world.admin.deactivateUser({ params }), 204);
    await propose(joined);
    must(await world.admin.updateUser({ params, body: { deactivated_at: null } }), 200);
    const later = await propose(joined);
    await expect.poll(() => titlesTo(email), waiting).toEqual([asked(fqn), asked(later)]);
    must(await world.admin.updateUser({ params, body: { team_id: null } }), 200);
    await propose(joined);
    expect(titlesTo(email)).toHaveLength(2);
    expect(titlesTo(user.email)).toEqual([]);
  });

  test('who left gets nothing of what waited for the hour', async () => {
    const team = await openParty(world.admin, 'waits');
    const { user, client } = await openMember(team);
    const daily_at = (new Date().getUTCHours() + 23) % 24;
    must(await client.chooseNotifications({ body: { sent: true, daily_at } }), 200);
    await propose(team);
    must(await world.admin.deactivateUser({ params: { user_id: user.id } }), 204);
    const due = async () =>
      (
        await registry.database.query(
          `select summary_due_at > now() as later from webhook where user_id = '${user.id}'`,
        )
      )[0]?.later;
    await registry.database.query(
      `update webhook set summary_due_at = now() where user_id = '${user.id}'`,
    );
    await expect.poll(due, waiting).toBe(true);
    await propose(team);
    expect(titlesTo(user.email)).toEqual([]);
  });

  test('alone changes their choice; administrators see, stop and delete it', async () => {
    const { user, client } = await openMember(world.consumer);
    must(await client.chooseNotifications({ body: { sent: true } }), 200);
    const made = await choiceOf(user.id);
    const params = { webhook_id: made?.id ?? '' };
    expect(made).toMatchObject({
      ...{ url: `mailto:${user.email}`, format: 'email', team_id: null, team_ids: [] },
    });
    mustRefuse(await world.consumer.client.getWebhook({ params }), 403, 'FORBIDDEN');
    for (const body of [
      { url: 'mailto:other@example.com' },
      { daily_at: 3 },
      { events: [] },
      { team_ids: [world.other.teamId] },
      { secret: 'a-secret-of-somebody' },
      { stopped: false },
    ]) {
      const refused = await world.admin.updateWebhook({ params, body });
      expect(mustRefuse(refused, 400, 'VALIDATION_ERROR').message).toContain('only that user');
    }
    const stopped = must(await world.admin.updateWebhook({ params, body: { stopped: true } }), 200);
    expect(stopped.stopped_at).toEqual(expect.any(String));
    expect(must(await client.getOwnNotifications(), 200)).toMatchObject({
      ...{ sent: true, stopped_at: stopped.stopped_at },
    });
    const again = must(await client.chooseNotifications({ body: { sent: true } }), 200);
    expect(again.stopped_at).toBeNull();
    must(await world.admin.deleteWebhook({ params }), 204);
    expect(must(await client.getOwnNotifications(), 200).sent).toBe(false);
  });

  test('whose address gets no letters is told why, and so is a key', async () => {
    const user = await createUser(world.admin, { email: 'far@elsewhere.example' });
    const client = world.admin.signedIn(await signIn(world.admin.as(undefined), user.email));
    const { problem } = must(await client.getOwnNotifications(), 200);
    expect(problem).toContain('E-mail goes only to addresses at example.com');
    const refused = await client.chooseNotifications({ body: { sent: true } });
    expect(mustRefuse(refused, 400, 'VALIDATION_ERROR')).toMatchObject({ message: problem });
    const key = world.consumer.client;
    mustRefuse(await key.getOwnNotifications(), 403, 'FORBIDDEN');
    mustRefuse(await key.chooseNotifications({ body: { sent: true } }), 403, 'FORBIDDEN');
  });
});

describe('The link in a letter', () => {
  test('asks first, and ends the letters when its button is pressed, without signing in', async () => {
    const team = await openParty(world.admin, 'stops');
    const { user, client } = await openMember(team);
    must(await client.chooseNotifications({ body: { sent: true } }), 200);
    await propose(team);
    const link = await stopLinkOf(user.email);
    expect(link.startsWith(`${baseUrl}/stop-letters/`)).toBe(true);
    const page = await fetch(link);
    expect(page.status).toBe(200);
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    expect(html).toContain(`nothing more to ${user.email}.`);
    expect(html).toContain('<form method="post"><button>Stop these letters</button></form>');
    expect(must(await client.getOwnNotifications(), 200).stopped_at).toBeNull();
    const press = () =>
      fetch(link, { method: 'POST', body: new URLSearchParams('List-Unsubscribe=One-Click') });
    const pressed = await press();
    expect([pressed.status, await pressed.text()]).toEqual([
      200,
      expect.stringContaining('The letters are stopped'),
    ]);
    const { stopped_at } = must(await client.getOwnNotifications(), 200);
    expect(stopped_at).toEqual(expect.any(String));
    expect((await press()).status).toBe(200);
    expect(must(await client.getOwnNotifications(), 200).stopped_at).toBe(stopped_at);
    expect(await (await fetch(link)).text()).not.toContain('<button>');
    await propose(team);
    must(await client.chooseNotifications({ body: { sent: true } }), 200);
    const fqn = await propose(team);
    await expect.poll(() => titlesTo(user.email).at(-1), waiting).toBe(asked(fqn));
    expect(titlesTo(user.email)).toHaveLength(2);
    const { id } = (await choiceOf(user.id)) ?? {};
    const trail = must(await world.admin.listEvents({ query: { entity_id: id ?? '' } }), 200);
    const stops = trail.results.filter(({ actor_id }) => actor_id === letterActor.id);
    expect(stops).toMatchObject([{ event_type: 'webhook.updated', metadata: { stopped_at } }]);
  });

  test('stops what a team set up, for everybody, until the team starts it again', async () => {
    const team = await openParty(world.admin, 'team');
    const body = { url: 'mailto:list@example.com', team_id: team.teamId };
    const { id } = must(await team.client.createWebhook({ body }), 201);
    const params = { webhook_id: id };
    await propose(team);
    const link = await stopLinkOf('list@example.com');
    expect(await (await fetch(link)).text()).toContain('everybody who reads this address');
    expect((await fetch(link, { method: 'POST' })).status).toBe(200);
    const now = must(await team.client.getWebhook({ params }), 200);
    expect(now.stopped_at).toEqual(expect.any(String));
    const replay = await team.client.replayParked({ params, body: {} });
    expect(mustRefuse(replay, 400, 'VALIDATION_ERROR').message).toContain('Start it first');
    await propose(team);
    must(await team.client.updateWebhook({ params, body: { stopped: false } }), 200);
    const fqn = await propose(team);
    await expect.poll(() => titlesTo('list@example.com').at(-1), waiting).toBe(asked(fqn));
    expect(titlesTo('list@example.com')).toHaveLength(2);
  });

  test('of another webhook, with another token, or after a new secret opens nothing', async () => {
    const team = await openParty(world.admin, 'guess');
    const webhookOf = async (url: string) =>
      must(await team.client.createWebhook({ body: { url, team_id: team.teamId } }), 201).id;
    const [one, other] = [
      await webhookOf('mailto:one@example.com'),
      await webhookOf('mailto:two@example.com'),
    ];
    await propose(team);
    const link = await stopLinkOf('one@example.com');
    for (const wrong of [
      link.replace(one, other),
      link.replace(one, one.slice(0, -1)),
      link.slice(0, -1),
      `${link}A`,
      link.replace(/[^/]+$/, '%00'),
    ]) {
      for (const method of ['GET', 'POST']) {
        const answered = await fetch(wrong, { method });
        expect([wrong, answered.status]).toEqual([wrong, 404]);
        expect(await answered.text()).toContain('not valid any more');
      }
    }
    expect((await fetch(link, { method: 'DELETE' })).status).toBe(405);
    const body = { secret: 'another-secret-of-it' };
    must(await team.client.updateWebhook({ params: { webhook_id: one }, body }), 200);
    expect((await fetch(link, { method: 'POST' })).status).toBe(404);
    for (const id of [one, other]) {
      const { stopped_at } = must(
        await team.client.getWebhook({ params: { webhook_id: id } }),
        200,
      );
      expect(stopped_at).toBeNull();
    }
  });
});

test('What waits when a webhook is stopped is not sent, and nothing is told of it meanwhile', async () => {
  const team = await openParty(world.admin, 'waited');
  const daily_at = (new Date().getUTCHours() + 23) % 24;
  const url = 'mailto:waited@example.com';
  const made = await team.client.createWebhook({ body: { url, daily_at, team_id: team.teamId } });
  const params = { webhook_id: must(made, 201).id };
  await propose(team);
  const pending = async () =>
    must(await team.client.listDeliveries({ params }), 200).results.length;
  await expect.poll(pending, waiting).toBe(1);
  must(await team.client.updateWebhook({ params, body: { stopped: true } }), 200);
  expect(await pending()).toBe(0);
  await propose(team);
  expect(await pending()).toBe(0);
  must(await team.client.updateWebhook({ params, body: { stopped: false } }), 200);
  await propose(team);
  await expect.poll(pending, waiting).toBe(1);
});
