// Notifications that teams set up themselves: by webhook, in chat and by e-mail. Judged by what a real
// receiver and a real mail server get.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  createAsset,
  issueKey,
  must,
  mustRefuse,
  openParty,
  openWorld,
  orderSchema,
  type Party,
  proposedAsset,
  publishedAsset,
  publishOk,
  register,
  type World,
} from '../support/client/client-world.ts';
import { freePorts } from '../support/free-ports.ts';
import { type Mailbox, openMailbox, openSpeaker } from '../support/mail/mailbox.ts';
import { openReceiver, type Receiver } from './receiver.ts';

const waiting = { timeout: 60_000 };

let baseUrl: string;
let mailbox: Mailbox;
let receiver: Receiver;
let registry: TestRegistry;
let world: World;
beforeAll(async () => {
  mailbox = await openMailbox();
  receiver = await openReceiver();
  const [port] = await freePorts(1);
  baseUrl = `http://localhost:${port}`;
  registry = await openRegistry({
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_RETRY_SECONDS: '1',
    SMTP_URL: mailbox.url,
    SMTP_FROM: 'Contracts <contracts@example.com>',
    SMTP_DOMAINS: 'example.com',
    PORT: String(port),
    BASE_URL: baseUrl,
  });
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await registry.stop();
  await receiver.stop();
  await mailbox.stop();
});

type Body = Parameters<World['admin']['createWebhook']>[0]['body'];

async function tell(party: Party, body: Body) {
  const made = await party.client.createWebhook({ body: { team_id: party.teamId, ...body } });
  return must(made, 201);
}

describe('A team', () => {
  test('sets up its own notifications, sees, changes and deletes them; another team does not', async () => {
    const team = await openParty(world.admin, 'own');
    const { id, secret, ...made } = await tell(team, { url: receiver.url });
    expect(secret).toMatch(/^whsec_/);
    expect(made).toMatchObject({ team_id: team.teamId, team_ids: [team.teamId], format: 'json' });
    const params = { webhook_id: id };
    const { results } = must(await team.client.listWebhooks(), 200);
    expect(results.map((each) => each.id)).toEqual([id]);
    const others = must(await world.other.client.listWebhooks(), 200).results;
    expect(others.map((each) => each.id)).not.toContain(id);
    const ofTeam = { query: { team_id: team.teamId } };
    expect(must(await world.other.client.listWebhooks(ofTeam), 200).results).toEqual([]);
    mustRefuse(await world.other.client.getWebhook({ params }), 403, 'FORBIDDEN');
    const body = { events: ['proposal.created' as const] };
    mustRefuse(await world.other.client.updateWebhook({ params, body }), 403, 'FORBIDDEN');
    expect(must(await team.client.updateWebhook({ params, body }), 200).events).toEqual(
      body.events,
    );
    must(await team.client.deleteWebhook({ params }), 204);
  });

  test('does not see or make what tells of all teams', async () => {
    const { client, teamId } = world.other;
    const { id } = must(await world.admin.createWebhook({ body: { url: receiver.url } }), 201);
    mustRefuse(await client.getWebhook({ params: { webhook_id: id } }), 403, 'FORBIDDEN');
    const ofAll = await client.createWebhook({ body: { url: receiver.url } });
    expect(mustRefuse(ofAll, 403, 'FORBIDDEN').message).toContain('team_id');
    const body = { url: receiver.url, team_id: teamId, team_ids: [world.consumer.teamId] };
    const refused = mustRefuse(await client.createWebhook({ body }), 400, 'VALIDATION_ERROR');
    expect(refused.field).toBe('team_ids');
    const key = await issueKey(world.admin, { all_teams: true, scopes: ['write'] });
    const seen = must(await world.admin.as(key).listWebhooks(), 200).results;
    expect(seen.filter((each) => each.team_id === null)).toEqual([]);
    must(await world.admin.deleteWebhook({ params: { webhook_id: id } }), 204);
  });

  test('is told nothing any more once it is deleted', async () => {
    const team = await openParty(world.admin, 'gone');
    const { id } = await tell(team, { url: 'mailto:gone@example.com' });
    must(await world.admin.deleteTeam({ params: { team_id: team.teamId } }), 204);
    const params = { webhook_id: id };
    mustRefuse(await world.admin.getWebhook({ params }), 404, 'WEBHOOK_NOT_FOUND');
  });
});

test('The deletion of a team takes its locks in the order of those who send', async () => {
  const team = await openParty(world.admin, 'locked');
  const { id } = await tell(team, { url: receiver.url });
  const { assetId } = await publishedAsset(world.producer);
  const sql = new pg.Client(registry.database.url);
  await sql.connect();
  const lane = 'insert into delivery_lane (webhook_id, asset_id) values ($1, $2)';
  await sql.query(lane, [id, assetId]);
  await sql.query('begin');
  await sql.query('select from webhook where id = $1 for key share', [id]);
  const deleted = world.admin.deleteTeam({ params: { team_id: team.teamId } });
  const blocked =
    'select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))';
  await expect.poll(async () => (await sql.query(blocked)).rowCount, waiting).toBe(1);
  // Who sends writes there next: if the deletion held it, both would wait for each other.
  await sql.query('select from delivery_lane where webhook_id = $1 for update nowait', [id]);
  await sql.query('commit');
  await sql.end();
  must(await deleted, 204);
});

describe('By e-mail', () => {
  test('a consumer gets what breaks it first, with its value and a link to answer', async () => {
    const consumer = await openParty(world.admin, 'mailed');
    await tell(consumer, { url: 'mailto:mailed@example.com' });
    const { assetId, fqn, contractId } = await publishedAsset(world.producer);
    const { id } = await register(consumer, contractId);
    must(
      await consumer.client.updateRegistration({
        params: { registration_id: id },
        body: { needs: { fields: ['$.total'] } },
      }),
      200,
    );
    const published = await world.producer.client.publishContract({
      params: { asset_id: assetId },
      body: {
        schema: {
          ...orderSchema,
          properties: { ...orderSchema.properties, total: { type: 'string' } },
        },
        request: {
          reason: 'The total moves to shop.totals.',
          contact: '#shop',
          answer_by: '2099-01-31',
          migration: 'Parse it as a number.',
          migrate_by: '2099-03-31',
        },
      },
    });
    const { proposal } = must(published, 201) as { proposal: { id: string } };
    const own = () => mailbox.received.filter(({ to }) => to.includes('mailed@example.com'));
    await expect.poll(() => own().length, waiting).toBe(1);
    const [letter] = own();
    expect(letter).toMatchObject({
      from: 'contracts@example.com',
      user: 'concordat',
      isSecure: true,
      headers: {
        subject: `A breaking change of ${fqn} needs your answer`,
        from: 'Contracts <contracts@example.com>',
        'auto-submitted': 'auto-generated',
      },
    });
    const lines = letter?.text.split('\n') ?? [];
    expect(lines.slice(0, 6)).toEqual([
      `A breaking change of ${fqn} needs your answer`,
      '',
      'It breaks what you read.',
      'Where: $.total',
      'For example: {"id":0,"total":""}',
      expect.stringContaining('number became string'),
    ]);
    expect(lines).toContain('Why: The total moves to shop.totals.');
    expect(lines).toContain('Whom to ask: #shop');
    expect(lines).toContain('Answer by: 2099-01-31');
    expect(lines).toContain('How to migrate: Parse it as a number.');
    expect(lines).toContain('The old version ends after: 2099-03-31');
    expect(lines).toContain(`See the change and answer: ${baseUrl}/proposals/${proposal.id}`);
    expect(letter?.headers['list-unsubscribe']).toContain(`${baseUrl}/stop-letters/`);
  });

  test('what people wrote makes no header and no line of its own', async () => {
    const consumer = await openParty(world.admin, 'fooled');
    await tell(consumer, { url: 'mailto:fooled@example.com' });
    const { assetId, contractId } = await publishedAsset(world.producer);
    await register(consumer, contractId);
    const reason = 'An innocent reason\r\nBcc: all@example.com\r\n\r\nAnswer by: never';
    const body = { schema: { type: 'object' }, request: { reason } };
    must(await world.producer.client.publishContract({ params: { asset_id: assetId }, body }), 201);
    const own = () => mailbox.received.filter(({ to }) => to.includes('fooled@example.com'));
    await expect.poll(() => own().length, waiting).toBe(1);
    expect(own()[0]?.headers).not.toHaveProperty('bcc');
    expect(
      own()[0]
        ?.text.split('\n')
        .filter((line) => line.startsWith('Answer by')),
    ).toEqual([]);
  });

  test('a letter that the server refuses is sent again, with the same id, and what it said is shown', async () => {
    const team = await openParty(world.admin, 'again');
    const { id } = await tell(team, { url: 'mailto:again@example.com' });
    const { contractId } = await publishedAsset(world.producer);
    await register(team, contractId);
    mailbox.refuse({ code: 450, text: 'come back later' });
    await proposedAsset(world.producer, [team]);
    const delivery = async () => {
      const call = { params: { webhook_id: id } };
      return must(await team.client.listDeliveries(call), 200).results[0];
    };
    await expect.poll(delivery, waiting).toMatchObject({
      last_status: 450,
      last_error: expect.stringContaining('450 come back later'),
    });
    mailbox.refuse(null);
    await expect.poll(delivery, waiting).toMatchObject({ state: 'delivered', last_status: 250 });
    const letters = mailbox.received.filter(({ to }) => to.includes('again@example.com'));
    expect(letters.map(({ headers }) => headers['message-id'])).toEqual([
      `<${(await delivery())?.id}@example.com>`,
    ]);
  });

  test.each([
    ['mailto:', 'url', 'mailto: with one address'],
    ['mailto:a@example.com,b@example.com', 'url', 'mailto: with one address'],
    ['mailto:a@example.com?bcc=b@example.com', 'url', 'mailto: with one address'],
    ['mailto:a@elsewhere.example', 'url', 'SMTP_DOMAINS'],
  ])('%s is refused', async (url, field, said) => {
    const body = { url, team_id: world.other.teamId };
    const refused = await world.other.client.createWebhook({ body });
    const { message, ...rest } = mustRefuse(refused, 400, 'VALIDATION_ERROR');
    expect(rest.field).toBe(field);
    expect(message).toContain(said);
  });

  test.each([
    ['mailto:a@example.com', 'slack'],
    ['https://hooks.example.com/a', 'email'],
  ] as const)('%s is not of the format %s', async (url, format) => {
    const body = { url, format, team_id: world.other.teamId };
    const refused = await world.other.client.createWebhook({ body });
    expect(mustRefuse(refused, 400, 'VALIDATION_ERROR').field).toBe('format');
  });
});

describe('In chat', () => {
  test.each(['slack', 'teams'] as const)(
    '%s gets words, in which names mean nothing',
    async (format) => {
      const consumer = await openParty(world.admin, `<!channel> *${format}*`);
      const own = await openReceiver();
      await tell(consumer, { url: own.url, format });
      const { fqn, proposalId } = await proposedAsset(world.producer, [consumer]);
      const notes = '<https://evil.example|here> & [there](https://evil.example)';
      const owner = await openReceiver();
      await tell(world.producer, { url: owner.url, format, events: ['proposal.acknowledged'] });
      must(
        await consumer.client.acknowledgeProposal({
          params: { proposal_id: proposalId },
          body: { notes },
        }),
        200,
      );
      await expect
        .poll(() => [own, owner].map(({ received }) => received.length), waiting)
        .toEqual([1, 1]);
      // Signs of Markdown are escaped in a card, and in Slack they make no link.
      const [asked = '', told = ''] = [own, owner].map(({ received }) => received[0]?.text);
      expect(asked.replaceAll('\\\\', '')).toContain(
        `A breaking change of ${fqn} needs your answer`,
      );
      expect(asked).toContain(`${baseUrl}/proposals/${proposalId}`);
      expect(told).toContain('agrees to the change');
      expect(told).toContain('They say');
      expect(told).not.toMatch(/(?<!\\)<!channel>|(?<!\\)<https:\/\/evil/);
      if (format === 'teams') expect(told).not.toMatch(/[^\\]\]\(https/);
      expect(JSON.parse(told)).toMatchObject(
        format === 'slack' ? { blocks: [{ type: 'section' }, {}, {}] } : { type: 'message' },
      );
      await own.stop();
      await owner.stop();
    },
  );
});

/** Asks the team about a change that makes all of these properties another type. */
async function askAbout(team: Party, names: readonly string[], request: object) {
  const schemaOf = (type: string) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type }])),
  });
  const { id: assetId } = await createAsset(world.producer);
  const contractId = await publishOk(world.producer.client, assetId, {
    schema: schemaOf('number'),
  });
  const { id } = await register(team, contractId);
  const params = { asset_id: assetId };
  const body = { schema: schemaOf('string'), request: { answer_by: '2099-01-31', ...request } };
  return {
    registrationId: id,
    publish: async () => must(await world.producer.client.publishContract({ params, body }), 201),
  };
}

describe('What people wrote', () => {
  test('however long, hides nothing that a reader has to know, and fits into each message', async () => {
    const team = await openParty(world.admin, 'long');
    const [slack, teams] = [await openReceiver(), await openReceiver()];
    await tell(team, { url: slack.url, format: 'slack' });
    await tell(team, { url: teams.url, format: 'teams' });
    const names = Array.from({ length: 12 }, (_, index) => `${index}${'\\&é'.repeat(160)}`);
    const reason = `${'x'.repeat(498)}${'😀'.repeat(10)}`;
    const asked = await askAbout(team, names, { reason, contact: '&'.repeat(200) });
    await asked.publish();
    await expect
      .poll(() => [slack, teams].map(({ received }) => received.length), waiting)
      .toEqual([1, 1]);
    const [inSlack = '', inTeams = ''] = [slack, teams].map(({ received }) => received[0]?.text);
    const { blocks } = JSON.parse(inSlack) as { blocks: { text: { text: string } }[] };
    for (const block of blocks) expect(block.text.text.length).toBeLessThanOrEqual(3_000);
    expect(inSlack).toContain('Answer by: 2099-01-31');
    expect(inTeams).toContain('Answer by: 2099-01-31');
    // The limits of the two: more is refused, and nobody would hear of it.
    expect(blocks.length).toBeLessThanOrEqual(50);
    expect(Buffer.byteLength(inTeams)).toBeLessThan(28_000);
    for (const text of [inSlack, inTeams]) expect(text).not.toMatch(/\\ud[89a-f]/i);
    await slack.stop();
    await teams.stop();
  });

  test('of many changes names some, and says how many more there are', async () => {
    const team = await openParty(world.admin, 'many');
    await tell(team, { url: 'mailto:many@example.com' });
    const names = Array.from({ length: 60 }, (_, index) => `field_${index}`);
    await (await askAbout(team, names, {})).publish();
    const own = () => mailbox.received.filter(({ to }) => to.includes('many@example.com'));
    await expect.poll(() => own().length, waiting).toBe(1);
    const items = own()[0]
      ?.text.split('\n')
      .filter((line) => line.startsWith('- '));
    expect(items).toHaveLength(11);
    expect(items?.at(-1)).toBe('- and 50 more');
  });

  test('neither turns around what is read nor begins a line, in names of fields neither', async () => {
    const team = await openParty(world.admin, 'turned');
    await tell(team, { url: 'mailto:turned@example.com' });
    const name = 'a\u2028Answer by: never';
    const asked = await askAbout(team, [name], { reason: 'Nothing \u202eyb rewsnA\u2066 urgent' });
    must(
      await team.client.updateRegistration({
        params: { registration_id: asked.registrationId },
        body: { needs: { fields: [`$[${JSON.stringify(name)}]`] } },
      }),
      200,
    );
    await asked.publish();
    const own = () => mailbox.received.filter(({ to }) => to.includes('turned@example.com'));
    await expect.poll(() => own().length, waiting).toBe(1);
    const text = own()[0]?.text ?? '';
    expect(text).toContain('It breaks what you read.');
    expect(text).toContain('Why: Nothing yb rewsnA urgent');
    expect(text.split(/[\n\u2028\u2029]/).filter((line) => line.startsWith('Answer by'))).toEqual([
      'Answer by: 2099-01-31',
    ]);
    expect(text).not.toMatch(/\p{Bidi_Control}|\u2028/u);
  });
});

describe('A test message', () => {
  test('is sent at once, and its answer is shown', async () => {
    const team = await openParty(world.admin, 'tries');
    const own = await openReceiver();
    const { id, secret } = await tell(team, { url: own.url });
    const params = { webhook_id: id };
    const taken = { delivered: true, status: 200, error: null };
    expect(must(await team.client.tryWebhook({ params }), 200)).toEqual(taken);
    expect(own.received.map(({ body }) => body.type)).toEqual(['test']);
    expect(secret).toBeDefined();
    own.behave((response) => response.writeHead(404).end());
    const refused = { delivered: false, status: 404, error: 'The receiver answered 404.' };
    expect(must(await team.client.tryWebhook({ params }), 200)).toEqual(refused);
    await own.stop();
    expect(must(await team.client.tryWebhook({ params }), 200)).toMatchObject({
      delivered: false,
      status: null,
      error: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

test('More than ten tests a minute to one receiver are refused', async () => {
  const team = await openParty(world.admin, 'floods');
  const { id } = await tell(team, { url: 'mailto:flooded@example.com' });
  const params = { webhook_id: id };
  for (let sent = 0; sent < 10; sent++) must(await team.client.tryWebhook({ params }), 200);
  mustRefuse(await team.client.tryWebhook({ params }), 429, 'RATE_LIMITED');
  const letters = mailbox.received.filter(({ to }) => to.includes('flooded@example.com'));
  expect(letters).toHaveLength(10);
});

test('Ten tests a minute reach one receiver, however many teams name it', async () => {
  const urls = ['mailto:Named@example.com', 'mailto:named@EXAMPLE.com'];
  const parties = [await openParty(world.admin, 'one'), await openParty(world.admin, 'two')];
  const made = await Promise.all(
    parties.map(async (party, index) => {
      const { id } = await tell(party, { url: urls[index] ?? '' });
      return () => party.client.tryWebhook({ params: { webhook_id: id } });
    }),
  );
  for (const attempt of made) for (let sent = 0; sent < 5; sent++) must(await attempt(), 200);
  for (const attempt of made) mustRefuse(await attempt(), 429, 'RATE_LIMITED');
});

test('A domain that operators take from SMTP_DOMAINS gets no more letters', async () => {
  const team = await openParty(world.admin, 'left');
  const { id } = await tell(team, { url: 'mailto:left@example.com' });
  const sql = new pg.Client(registry.database.url);
  await sql.connect();
  // As it was set up when the setting was another.
  await sql.query("update webhook set url = 'mailto:left@before.example' where id = $1", [id]);
  await sql.end();
  const tried = must(await team.client.tryWebhook({ params: { webhook_id: id } }), 200);
  expect(tried).toMatchObject({ delivered: false, error: expect.stringContaining('SMTP_DOMAINS') });
  expect(mailbox.received.filter(({ to }) => to.includes('left@before.example'))).toEqual([]);
});

describe('A mail server that', () => {
  const timeout = { WEBHOOK_TIMEOUT_SECONDS: '2', SMTP_FROM: 'contracts@example.com' };
  const cases = {
    'greets with nonsense': ['nonsense\r\n', /greeting|nonsense/i],
    'refuses in odd letters': ['421 so\0busy\r\n', /421 so busy/],
    'says nothing': ['', /did not answer within 2000 ms|Greeting never received/i],
  } as const;
  test.each(Object.entries(cases))('%s is told as that', async (_, [greeting, said]) => {
    const speaker = await openSpeaker(greeting);
    const own = await openRegistry({ ...timeout, SMTP_URL: speaker.url });
    const { consumer } = await openWorld(own.url, own.bootstrapKey);
    const { id } = await tell(consumer, { url: 'mailto:a@example.com' });
    const tried = must(await consumer.client.tryWebhook({ params: { webhook_id: id } }), 200);
    expect(tried).toMatchObject({ delivered: false, error: expect.stringMatching(said) });
    await own.stop();
    await speaker.stop();
  });

  test('has the certificate of another authority, or no TLS, gets no password and no letter', async () => {
    const plain = new URL(mailbox.url);
    plain.searchParams.delete('ca');
    const own = await openRegistry({ ...timeout, SMTP_URL: plain.href });
    const { consumer } = await openWorld(own.url, own.bootstrapKey);
    const { id } = await tell(consumer, { url: 'mailto:nobody@example.com' });
    const tried = must(await consumer.client.tryWebhook({ params: { webhook_id: id } }), 200);
    expect(tried).toMatchObject({ delivered: false, error: expect.stringMatching(/certificate/i) });
    expect(mailbox.received.filter(({ to }) => to.includes('nobody@example.com'))).toEqual([]);
    await own.stop();
  });

  test('wants TLS from the first byte gets the letter', async () => {
    const implicit = await openMailbox({ tls: 'implicit' });
    const own = await openRegistry({ ...timeout, SMTP_URL: implicit.url });
    const { consumer } = await openWorld(own.url, own.bootstrapKey);
    const { id } = await tell(consumer, { url: 'mailto:a@example.com' });
    const tried = must(await consumer.client.tryWebhook({ params: { webhook_id: id } }), 200);
    expect(tried).toEqual({ delivered: true, status: 250, error: null });
    expect(implicit.received[0]?.text).toContain('A test message of Concordat');
    await own.stop();
    await implicit.stop();
  });
});

test('Without a mail server, no address is accepted', async () => {
  const own = await openRegistry();
  const { consumer } = await openWorld(own.url, own.bootstrapKey);
  const body = { url: 'mailto:a@example.com', team_id: consumer.teamId };
  const refused = mustRefuse(
    await consumer.client.createWebhook({ body }),
    400,
    'VALIDATION_ERROR',
  );
  expect(refused.message).toContain('SMTP_URL');
  await own.stop();
});
