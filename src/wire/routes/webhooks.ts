// Webhooks and their deliveries.

import { z } from 'zod';
import { answer, apiPrefix, noContent, route } from '../route.ts';
import { exampleId, flag, id, NoBody, pageQuery } from '../shapes/shape.ts';
import {
  Delivery,
  DeliveryList,
  deliveryState,
  Webhook,
  WebhookCreate,
  WebhookCreated,
  WebhookList,
  WebhookTried,
  WebhookUpdate,
} from '../shapes/webhook.ts';

const webhookParams = z.strictObject({ webhook_id: id('The webhook.', exampleId.webhook) });
const deliveryParams = webhookParams.extend({
  delivery_id: id('The delivery.', exampleId.delivery),
});

export const webhookRoutes = {
  createWebhook: route({
    method: 'POST',
    path: `${apiPrefix}/webhooks`,
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description:
      'Events from now on are sent by POST as JSON, at least once, and in order for each asset. ' +
      '`Concordat-Signature: t=<seconds>,v1=<hex>` is the HMAC-SHA256 of `<seconds>.<body>` ' +
      'with the secret as key. `Concordat-Delivery` is the same for every attempt. A status of ' +
      '200 to 299 confirms the delivery. Redirects are not followed. With another format than ' +
      '`json`, messages are words for people. With `daily_at`, the JSON is of `type: summary` ' +
      'and has the events in `messages`; the same messages have the same `Concordat-Delivery`.',
    scope: 'write',
    who: 'webhook_team',
    body: WebhookCreate,
    secrets: ['secret'],
    answers: { 201: answer('The new webhook, with its secret.', WebhookCreated) },
    errors: ['TEAM_NOT_FOUND'],
  }),
  listWebhooks: route({
    method: 'GET',
    path: `${apiPrefix}/webhooks`,
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: 'Those of the teams that the caller acts for; for administrators, all.',
    scope: 'write',
    who: 'scope',
    query: z.strictObject({
      team_id: id('Only those that this team set up.', exampleId.team).optional(),
      failing: flag(
        'Only those with a message that is tried again or parked (`true`), or without one (`false`).',
      ).optional(),
      ...pageQuery(['created_at', '-created_at']),
    }),
    answers: { 200: answer('A page of webhooks, without their secrets.', WebhookList) },
    errors: [],
  }),
  getWebhook: route({
    method: 'GET',
    path: `${apiPrefix}/webhooks/{webhook_id}`,
    tag: 'Webhooks',
    summary: 'Get a webhook',
    scope: 'write',
    who: 'webhook_team',
    params: webhookParams,
    answers: { 200: answer('The webhook.', Webhook) },
    errors: ['WEBHOOK_NOT_FOUND'],
    tagged: true,
  }),
  updateWebhook: route({
    method: 'PATCH',
    path: `${apiPrefix}/webhooks/{webhook_id}`,
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description: 'Pending deliveries go to the new URL, signed with the new secret.',
    scope: 'write',
    who: 'webhook_team',
    params: webhookParams,
    body: WebhookUpdate,
    secrets: ['secret'],
    answers: { 200: answer('The changed webhook.', Webhook) },
    errors: ['WEBHOOK_NOT_FOUND', 'TEAM_NOT_FOUND'],
    tagged: true,
  }),
  deleteWebhook: route({
    method: 'DELETE',
    path: `${apiPrefix}/webhooks/{webhook_id}`,
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: 'Also deletes its deliveries. Pending ones are not sent.',
    scope: 'write',
    who: 'webhook_team',
    params: webhookParams,
    answers: { 204: noContent('The webhook is deleted.') },
    errors: ['WEBHOOK_NOT_FOUND'],
    tagged: true,
  }),
  tryWebhook: route({
    method: 'POST',
    path: `${apiPrefix}/webhooks/{webhook_id}/test`,
    tag: 'Webhooks',
    summary: 'Send a test message',
    description: 'Sends it at once, and answers with what the receiver said.',
    scope: 'write',
    who: 'webhook_team',
    params: webhookParams,
    body: NoBody,
    answers: { 200: answer('What became of it.', WebhookTried) },
    errors: ['WEBHOOK_NOT_FOUND'],
  }),
  listDeliveries: route({
    method: 'GET',
    path: `${apiPrefix}/webhooks/{webhook_id}/deliveries`,
    tag: 'Webhooks',
    summary: 'List the deliveries of a webhook',
    description: 'Delivered ones are kept for a week, parked ones for a month.',
    scope: 'write',
    who: 'webhook_team',
    params: webhookParams,
    query: z.strictObject({
      state: deliveryState.optional(),
      asset_id: id('Only deliveries about this asset.', exampleId.asset).optional(),
      ...pageQuery(['created_at', '-created_at']),
    }),
    answers: { 200: answer('A page of deliveries, newest first.', DeliveryList) },
    errors: ['WEBHOOK_NOT_FOUND'],
    fromReplica: true,
  }),
  getDelivery: route({
    method: 'GET',
    path: `${apiPrefix}/webhooks/{webhook_id}/deliveries/{delivery_id}`,
    tag: 'Webhooks',
    summary: 'Get a delivery',
    scope: 'write',
    who: 'webhook_team',
    params: deliveryParams,
    answers: { 200: answer('The delivery.', Delivery) },
    errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND'],
    tagged: true,
  }),
  replayDelivery: route({
    method: 'POST',
    path: `${apiPrefix}/webhooks/{webhook_id}/deliveries/{delivery_id}/replay`,
    tag: 'Webhooks',
    summary: 'Replay a delivery',
    description:
      'Sends a parked or delivered one again, with `replay: true`, after the pending deliveries of its asset. ' +
      'A pending one stays as it is.',
    scope: 'write',
    who: 'webhook_team',
    params: deliveryParams,
    body: NoBody,
    answers: { 200: answer('The delivery.', Delivery) },
    errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND'],
  }),
  replayParked: route({
    method: 'POST',
    path: `${apiPrefix}/webhooks/{webhook_id}/replay`,
    tag: 'Webhooks',
    summary: 'Replay all parked deliveries',
    scope: 'write',
    who: 'webhook_team',
    params: webhookParams,
    body: NoBody,
    answers: { 200: answer('The webhook.', Webhook) },
    errors: ['WEBHOOK_NOT_FOUND'],
  }),
};
