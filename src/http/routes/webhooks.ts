// Webhooks and their deliveries.

import { randomBytes } from 'node:crypto';
import { accept } from '../../core/failure.ts';
import { originOf, type Webhook } from '../../core/webhook.ts';
import { deliverySortFields, webhookSortFields } from '../../registry/webhooks/webhooks.ts';
import { representDelivery, representWebhook } from '../../wire/represent/represent-webhook.ts';
import { contextOf, type Handler, listQueryOf, pageOf, preconditionOf, write } from '../handler.ts';
import { notFound } from '../not-found.ts';

/** As it is kept for replays, in plain text: without the path of the URL, which may be a secret. */
function representReplayed(webhook: Webhook) {
  return representWebhook({ ...webhook, url: originOf(webhook.url) });
}

/** The secret is in the first answer only: a replay of the request answers without it. */
export const createWebhook: Handler<'createWebhook'> = async ({ ports, verbs }, call) => {
  const { body } = call;
  const secret = body.secret ?? `whsec_${randomBytes(32).toString('base64url')}`;
  const outcome = await verbs.createWebhook(
    ports,
    contextOf(call, (webhook: Webhook) => ({ status: 201, body: representReplayed(webhook) })),
    { url: body.url, secret, events: body.events, teamIds: body.team_ids },
  );
  if (!outcome.ok) return outcome;
  return accept({ status: 201, body: { ...representWebhook(outcome.value), secret } });
};

export const listWebhooks: Handler<'listWebhooks'> = async ({ ports }, { query }) => {
  const listed = await ports.reads.listWebhooks(listQueryOf(query, webhookSortFields));
  return pageOf(listed, query, representWebhook);
};

export const getWebhook: Handler<'getWebhook'> = async ({ ports }, { params }) => {
  const webhook = await ports.reads.getWebhook(params.webhook_id);
  if (webhook === null) return notFound('WEBHOOK_NOT_FOUND', params.webhook_id);
  return accept({ status: 200, body: representWebhook(webhook) });
};

export const updateWebhook: Handler<'updateWebhook'> = write({
  verb: (verbs) => verbs.updateWebhook,
  command: ({ params, body, ifMatch }) => ({
    webhookId: params.webhook_id,
    url: body.url,
    secret: body.secret,
    events: body.events,
    teamIds: body.team_ids,
    precondition: preconditionOf(ifMatch, representWebhook),
  }),
  reply: (webhook) => ({ status: 200, body: representWebhook(webhook) }),
  replayed: (webhook) => ({ status: 200, body: representReplayed(webhook) }),
});

export const deleteWebhook: Handler<'deleteWebhook'> = write({
  verb: (verbs) => verbs.deleteWebhook,
  command: ({ params, ifMatch }) => ({
    webhookId: params.webhook_id,
    precondition: preconditionOf(ifMatch, representWebhook),
  }),
  reply: () => ({ status: 204, body: undefined }),
});

export const listDeliveries: Handler<'listDeliveries'> = async ({ ports }, { params, query }) => {
  const webhook = await ports.reads.getWebhook(params.webhook_id);
  if (webhook === null) return notFound('WEBHOOK_NOT_FOUND', params.webhook_id);
  const listed = await ports.reads.listDeliveries({
    ...listQueryOf(query, deliverySortFields),
    webhookId: params.webhook_id,
    state: query.state,
    assetId: query.asset_id,
  });
  return pageOf(listed, query, representDelivery);
};

export const getDelivery: Handler<'getDelivery'> = async ({ ports }, { params }) => {
  const delivery = await ports.reads.getDelivery(params.webhook_id, params.delivery_id);
  if (delivery === null) return notFound('DELIVERY_NOT_FOUND', params.delivery_id);
  return accept({ status: 200, body: representDelivery(delivery) });
};

export const replayDelivery: Handler<'replayDelivery'> = write({
  verb: (verbs) => verbs.replayDelivery,
  command: ({ params }) => ({ webhookId: params.webhook_id, deliveryId: params.delivery_id }),
  reply: (delivery) => ({ status: 200, body: representDelivery(delivery) }),
});

export const replayParked: Handler<'replayParked'> = write({
  verb: (verbs) => verbs.replayParked,
  command: ({ params }) => ({ webhookId: params.webhook_id }),
  reply: (webhook) => ({ status: 200, body: representWebhook(webhook) }),
  replayed: (webhook) => ({ status: 200, body: representReplayed(webhook) }),
});
