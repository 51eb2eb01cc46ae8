// Webhooks and their deliveries.

import { randomBytes } from 'node:crypto';
import type { Actor } from '../../core/actor.ts';
import { decideWebhookAccess } from '../../core/decide/webhooks/webhook.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { formatOf, mailTo, originOf, type Webhook } from '../../core/webhook.ts';
import { deliverySortFields, webhookSortFields } from '../../registry/webhooks/webhooks.ts';
import {
  representChoice,
  representDelivery,
  representListedWebhook,
  representWebhook,
} from '../../wire/represent/represent-webhook.ts';
import {
  type Api,
  contextOf,
  type Handler,
  listQueryOf,
  pageOf,
  preconditionOf,
  write,
} from '../handler.ts';
import { notFound } from '../not-found.ts';

/** As it is kept for replays, in plain text: without the path of the URL, which may be a secret. */
function representReplayed(webhook: Webhook) {
  return representWebhook({ ...webhook, url: originOf(webhook.url) });
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`;
}

/** The secret is in the first answer only: a replay of the request answers without it. */
export const createWebhook: Handler<'createWebhook'> = async ({ ports, verbs }, call) => {
  const { body } = call;
  const secret = body.secret ?? newSecret();
  const outcome = await verbs.createWebhook(
    ports,
    contextOf(call, (webhook: Webhook) => ({ status: 201, body: representReplayed(webhook) })),
    {
      url: body.url,
      format: body.format ?? formatOf(body.url),
      teamId: body.team_id ?? null,
      secret,
      events: body.events,
      teamIds: body.team_ids,
      dailyAt: body.daily_at,
    },
  );
  if (!outcome.ok) return outcome;
  return accept({ status: 201, body: { ...representWebhook(outcome.value), secret } });
};

export const listWebhooks: Handler<'listWebhooks'> = async ({ ports }, { actor, query }) => {
  const ofTeams = actor.teams === 'all' ? 'any_team' : actor.teams;
  const listed = await ports.reads.listWebhooks({
    ...listQueryOf(query, webhookSortFields),
    ofTeams: actor.scope === 'admin' ? 'all' : ofTeams,
    teamId: query.team_id,
    isFailing: query.failing,
  });
  return pageOf(listed, query, representListedWebhook);
};

export const getWebhook: Handler<'getWebhook'> = async (api, call) => {
  const found = await findOwn(api, call);
  return found.ok ? accept({ status: 200, body: representWebhook(found.value) }) : found;
};

/** The webhook, if the caller may administer it. */
async function findOwn(
  { ports }: Pick<Api, 'ports'>,
  { actor, params }: { readonly actor: Actor; readonly params: { readonly webhook_id: string } },
): Promise<Outcome<Webhook>> {
  const webhook = await ports.reads.getWebhook(params.webhook_id);
  if (webhook === null) return notFound('WEBHOOK_NOT_FOUND', params.webhook_id);
  const access = decideWebhookAccess(actor, webhook);
  return access.ok ? accept(webhook) : access;
}

export const tryWebhook: Handler<'tryWebhook'> = async (api, call) => {
  const found = await findOwn(api, call);
  if (!found.ok) return found;
  const rate = api.trials.count(receiverOf(found.value.url), 'trial');
  if (rate.isExceeded) {
    return refuse(
      'RATE_LIMITED',
      `${rate.limit} tests a minute are sent to one receiver. Try again in ${rate.resetSeconds} seconds.`,
    );
  }
  const { status, error } = await api.tryWebhook(found.value.id);
  return accept({ status: 200, body: { delivered: error === null, status, error } });
};

/** Who gets it, however the address is written. */
function receiverOf(url: string): string {
  return formatOf(url) === 'email' ? url.toLowerCase() : (URL.parse(url)?.href ?? url);
}

export const updateWebhook: Handler<'updateWebhook'> = write({
  verb: (verbs) => verbs.updateWebhook,
  command: ({ params, body, ifMatch }) => ({
    webhookId: params.webhook_id,
    url: body.url,
    format: body.format,
    secret: body.secret,
    events: body.events,
    teamIds: body.team_ids,
    dailyAt: body.daily_at,
    stopped: body.stopped,
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

export const getOwnNotifications: Handler<'getOwnNotifications'> = async ({ ports }, { visit }) => {
  if (visit.session === null) return ofNobody;
  const { user } = visit.session;
  const webhook = await ports.reads.findChoice(user.id);
  const problem = ports.refuseUrl?.(mailTo(user)) ?? null;
  return accept({ status: 200, body: representChoice(user, webhook, problem) });
};

export const chooseNotifications: Handler<'chooseNotifications'> = async (api, call) => {
  const { session } = call.visit;
  if (session === null) return ofNobody;
  const choose: Handler<'chooseNotifications'> = write({
    verb: (verbs) => verbs.chooseNotifications,
    command: ({ body }) => ({
      ...{ userId: session.user.id, sent: body.sent, events: body.events },
      ...{ dailyAt: body.daily_at, secret: newSecret() },
    }),
    reply: ({ user, webhook }) => {
      const problem = api.ports.refuseUrl?.(mailTo(user)) ?? null;
      return { status: 200, body: representChoice(user, webhook, problem) };
    },
  });
  return choose(api, call);
};

const ofNobody = refuse(
  'FORBIDDEN',
  'Letters go to a user. A key gets none: sign in with your account, or set up a webhook.',
);

export const listDeliveries: Handler<'listDeliveries'> = async (api, call) => {
  const found = await findOwn(api, call);
  if (!found.ok) return found;
  const { params, query } = call;
  const listed = await api.ports.reads.listDeliveries({
    ...listQueryOf(query, deliverySortFields),
    webhookId: params.webhook_id,
    state: query.state,
    assetId: query.asset_id,
  });
  return pageOf(listed, query, representDelivery);
};

export const getDelivery: Handler<'getDelivery'> = async (api, call) => {
  const found = await findOwn(api, call);
  if (!found.ok) return found;
  const { params } = call;
  const delivery = await api.ports.reads.getDelivery(params.webhook_id, params.delivery_id);
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
