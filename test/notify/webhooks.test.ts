// Webhooks as administrators create, view and change them.

import { expect, test } from 'vitest';
import { must, mustRefuse, openRegistryForFile } from '../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

const url = 'https://hooks.example.com/services/T0/secret-path';

async function eventsOf(webhookId: string) {
  const params = { entity_type: 'webhook', entity_id: webhookId } as const;
  const { results } = must(await world.admin.listEntityHistory({ params }), 200);
  return results.toReversed();
}

test('A webhook shows its secret once, and its event hides the path of the URL', async () => {
  const body = { url, events: ['proposal.created' as const], team_ids: [world.consumer.teamId] };
  const { secret, ...made } = must(await world.admin.createWebhook({ body }), 201);
  expect(secret).toMatch(/^whsec_[\w-]{43}$/);
  expect(made).toEqual({
    id: made.id,
    ...body,
    format: 'json',
    team_id: null,
    user_id: null,
    daily_at: null,
    stopped_at: null,
    created_at: made.created_at,
    updated_at: made.created_at,
  });
  const params = { webhook_id: made.id };
  expect(must(await world.admin.getWebhook({ params }), 200)).toEqual(made);
  const { results } = must(await world.admin.listWebhooks(), 200);
  const health = { pending: 0, parked: 0, failing_since: null, last_error: null };
  expect(results.filter(({ id }) => id === made.id)).toEqual([{ ...made, health }]);
  const events = await eventsOf(made.id);
  expect(events.map(({ event_type }) => event_type)).toEqual(['webhook.created']);
  expect(events[0]?.metadata).toMatchObject({
    origin: 'https://hooks.example.com',
    events: body.events,
    team_ids: body.team_ids,
    daily_at: null,
  });
  const trail = JSON.stringify(must(await world.admin.listEvents(), 200));
  expect(trail).not.toContain('secret-path');
  expect(trail).not.toContain(secret);
});

test.each([
  'https:\\\\hooks.example.com\\secret-way',
  'https://hooks.example.com\\secret-way',
  'https://hooks.example.com:443\\secret-way/more',
])('The event of %s hides its path, too', async (odd) => {
  const { id } = must(await world.admin.createWebhook({ body: { url: odd } }), 201);
  expect(JSON.stringify(await eventsOf(id))).not.toContain('secret-way');
});

test('The same request under one Idempotency-Key makes one webhook, the second time without what is secret of it', async () => {
  const headers = { 'idempotency-key': 'one-webhook' };
  const call = { body: { url, secret: 'a-secret-that-both-know' }, headers };
  const { secret, ...first } = must(await world.admin.createWebhook(call), 201);
  expect(secret).toBe('a-secret-that-both-know');
  const again = { ...first, url: 'https://hooks.example.com' };
  expect(must(await world.admin.createWebhook(call), 201)).toEqual(again);
  const kept = await registry.database.query('select body, body_digest from idempotency');
  expect(JSON.stringify(kept)).not.toMatch(/a-secret-that-both-know|secret-path/);
});

test('A change records what changed, never the secret, and nothing if nothing changed', async () => {
  const made = must(await world.admin.createWebhook({ body: { url } }), 201);
  const params = { webhook_id: made.id };
  const same = must(await world.admin.updateWebhook({ params, body: { url } }), 200);
  expect(same.updated_at).toBe(made.updated_at);
  const body = { secret: 'another-secret-of-both', events: ['contract.deprecated' as const] };
  const changed = must(await world.admin.updateWebhook({ params, body }), 200);
  expect(changed).toMatchObject({ url, events: ['contract.deprecated'], team_ids: [] });
  const [, event, ...none] = await eventsOf(made.id);
  expect(none).toEqual([]);
  expect(event).toMatchObject({
    event_type: 'webhook.updated',
    metadata: { url_changed: false, secret_changed: true, from: { events: [] } },
  });
  const [row] = await registry.database.query('select secret from webhook where id = $1', [
    made.id,
  ]);
  expect(row).toEqual({ secret: 'another-secret-of-both' });
});

test('The second of two editors is refused, because the webhook has changed', async () => {
  const made = must(await world.admin.createWebhook({ body: { url } }), 201);
  const params = { webhook_id: made.id };
  const { headers } = await world.admin.getWebhook({ params });
  const call = { params, headers: { 'if-match': headers.get('etag') ?? '' } };
  must(await world.admin.updateWebhook({ ...call, body: { url: `${url}/1` } }), 200);
  const second = await world.admin.updateWebhook({ ...call, body: { url: `${url}/2` } });
  mustRefuse(second, 412, 'PRECONDITION_FAILED');
  mustRefuse(await world.admin.deleteWebhook(call), 412, 'PRECONDITION_FAILED');
});

test('A deleted webhook is gone, with its deliveries', async () => {
  const made = must(await world.admin.createWebhook({ body: { url } }), 201);
  const params = { webhook_id: made.id };
  must(await world.admin.deleteWebhook({ params }), 204);
  mustRefuse(await world.admin.getWebhook({ params }), 404, 'WEBHOOK_NOT_FOUND');
  mustRefuse(await world.admin.deleteWebhook({ params }), 404, 'WEBHOOK_NOT_FOUND');
  mustRefuse(await world.admin.listDeliveries({ params }), 404, 'WEBHOOK_NOT_FOUND');
  mustRefuse(await world.admin.replayParked({ params }), 404, 'WEBHOOK_NOT_FOUND');
  const types = (await eventsOf(made.id)).map(({ event_type }) => event_type);
  expect(types).toEqual(['webhook.created', 'webhook.deleted']);
});

test.each([
  ['another scheme', { url: 'ftp://example.com/' }, 'url'],
  ['a user in it', { url: 'https://user:word@example.com/' }, 'url'],
  ['no host', { url: 'https://' }, 'url'],
  ['no URL', { url: 'hooks.example.com' }, 'url'],
  ['a short secret', { url, secret: 'short' }, 'secret'],
  ['an unknown event', { url, events: ['asset.created'] }, 'events.0'],
] as const)('A webhook with %s is refused', async (_, body, field) => {
  const refusal = mustRefuse(
    await world.admin.createWebhook({ body: body as never }),
    400,
    'VALIDATION_ERROR',
  );
  expect(refusal.field).toBe(field);
});

test('A filter names only existing teams', async () => {
  const team_ids = [world.consumer.teamId, '00000000-0000-7000-8000-00000000abcd'];
  const refusal = mustRefuse(
    await world.admin.createWebhook({ body: { url, team_ids } }),
    404,
    'TEAM_NOT_FOUND',
  );
  expect(refusal.field).toBe('team_ids');
});

test('A webhook to an address that is never called is refused at once', async () => {
  for (const [refused, address] of [
    ['http://127.0.0.1:9/hook', '127.0.0.1'],
    ['https://10.1.2.3/hook', '10.1.2.3'],
    ['http://localhost/hook', '127.0.0.1'],
    ['http://[::1]:8080/hook', '::1'],
    // The spelling of an address makes no difference.
    ['http://2130706433/hook', '127.0.0.1'],
  ] as const) {
    const made = await world.admin.createWebhook({ body: { url: refused } });
    const refusal = mustRefuse(made, 400, 'VALIDATION_ERROR');
    expect([refusal.field, String(refusal.message).split(' ')[0]]).toEqual(['url', address]);
  }
  const { id } = must(await world.admin.createWebhook({ body: { url } }), 201);
  const params = { webhook_id: id };
  const body = { url: 'http://169.254.169.254/latest' };
  expect(
    mustRefuse(await world.admin.updateWebhook({ params, body }), 400, 'VALIDATION_ERROR').field,
  ).toBe('url');
  expect(must(await world.admin.getWebhook({ params }), 200).url).toBe(url);
});
