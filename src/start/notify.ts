// Notifications: webhooks and the event stream. Part of the
// composition root.

import { readFileSync } from 'node:fs';
import packageFile from '../../package.json' with { type: 'json' };
import type { WebhookId } from '../core/id.ts';
import { RegistryUnavailable } from '../core/unavailable.ts';
import { formatOf } from '../core/webhook.ts';
import type { TryWebhook } from '../http/handler.ts';
import { openAddressGuard, refusedAddressOf } from '../notify/address-guard.ts';
import { type Delivering, startDelivering, trySending } from '../notify/deliver.ts';
import { openEventFeed } from '../notify/event-feed.ts';
import type { Resolve } from '../notify/guarded-lookup.ts';
import { type Mail, type MailServer, openMail } from '../notify/mail.ts';
import { testBodyOf } from '../notify/message.ts';
import { openPost } from '../notify/post.ts';
import { openSend, type Send } from '../notify/send.ts';
import { isStopToken } from '../notify/stop-link.ts';
import { addressOf, type Config } from '../ops/config/config.ts';
import { authorityOf } from '../ops/config/mail-settings.ts';
import type { Log } from '../ops/observe/log.ts';
import type { Metrics } from '../ops/observe/metrics.ts';
import type { OutageLog } from '../ops/observe/outage-log.ts';
import { newUuid } from '../ops/uuid.ts';
import type { EventFeed } from '../registry/audit/event-feed.ts';
import type { Outbox } from '../registry/webhooks/outbox.ts';
import type { Listener } from '../store/postgres/listener.ts';
import type { Store } from '../store/store.ts';
import { observeOutbox, observeSend } from './observe-work.ts';

/** Why nothing would be sent to the URL of a webhook, to refuse it at once. */
export function refuseUrls(config: Config): (url: string) => string | null {
  const guard = openAddressGuard(config.WEBHOOK_ALLOWED_NETWORKS);
  return (url) => {
    if (formatOf(url) === 'email') return refuseAddress(config, url);
    const address = refusedAddressOf(guard, url);
    if (address === null) return null;
    return `${address} is a private or special address, which webhooks do not call. Use a public address, or ask an operator to add its network to WEBHOOK_ALLOWED_NETWORKS.`;
  };
}

function refuseAddress({ SMTP_URL, SMTP_DOMAINS }: Config, url: string): string | null {
  if (SMTP_URL === undefined) {
    return 'This registry sends no e-mail. Use a webhook, or ask an operator to set SMTP_URL.';
  }
  const domain = url.slice(url.lastIndexOf('@') + 1).toLowerCase();
  if (SMTP_DOMAINS.length === 0 || SMTP_DOMAINS.includes(domain)) return null;
  return `E-mail goes only to addresses at ${SMTP_DOMAINS.join(', ')}, and not to ${domain}. Use one of these, or ask an operator to add the domain to SMTP_DOMAINS.`;
}

interface NotifyDeps {
  readonly store: Store;
  readonly listener: Listener;
  readonly log: Log;
  readonly outages: OutageLog;
  /** Where names of receivers are looked up; absent: by the system. */
  readonly resolve?: Resolve;
}

/** Sends to webhooks, chats and mailboxes. */
export function openSender(
  config: Config,
  { metrics, resolve }: Pick<NotifyDeps, 'resolve'> & { readonly metrics: Metrics },
): Send {
  const timeoutMs = config.WEBHOOK_TIMEOUT_SECONDS * 1000;
  const guard = openAddressGuard(config.WEBHOOK_ALLOWED_NETWORKS);
  const server = mailServerOf(config);
  const send = openSend({
    post: openPost({ guard, timeoutMs, resolve }),
    mail: server === null ? null : limitDomains(config, openMail(server, timeoutMs)),
    baseUrl: config.BASE_URL === undefined ? null : addressOf(config, config.PORT),
    userAgent: `Concordat/${packageFile.version}`,
    clock: Date.now,
  });
  return observeSend(send, metrics);
}

/** An address may be older than the setting. */
function limitDomains(config: Config, mail: Mail): Mail {
  return async (letter, signal) => {
    const error = refuseAddress(config, letter.to);
    return error === null ? mail(letter, signal) : { status: null, error };
  };
}

function mailServerOf({ SMTP_URL, SMTP_FROM }: Config): MailServer | null {
  if (SMTP_URL === undefined || SMTP_FROM === undefined) return null;
  const url = new URL(SMTP_URL);
  const isImplicit = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  const authority = authorityOf(SMTP_URL);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isImplicit ? 465 : 587) : Number(url.port),
    login: user === '' ? null : { user, pass: decodeURIComponent(url.password) },
    tls: isImplicit ? 'implicit' : url.searchParams.get('tls') === 'none' ? 'none' : 'starttls',
    certificates: authority === null ? null : readFileSync(authority, 'utf8'),
    from: SMTP_FROM,
  };
}

/** Sends a test message, for who sets a webhook up. */
export function openTrial(send: Send, outbox: Outbox): TryWebhook {
  return async (webhookId) => {
    const receiver = await outbox.findReceiver(webhookId);
    if (receiver === null) return { status: null, error: 'The webhook was deleted meanwhile.' };
    const id = newUuid();
    const json = testBodyOf({ id, webhookId, createdAt: new Date().toISOString() });
    const message = { id, type: 'test', events: [], json };
    const answered = await trySending(send, receiver, message, new AbortController().signal);
    return answered === 'called off' ? { status: null, error: answered } : answered;
  };
}

/** Whether the token is the one of the letters of a webhook. */
export async function isTokenOf(
  outbox: Outbox,
  webhookId: WebhookId,
  token: string,
): Promise<boolean> {
  const receiver = await outbox.findReceiver(webhookId);
  if (receiver?.format !== 'email' || receiver.target === null) return false;
  return isStopToken(token, webhookId, receiver.target.secret);
}

export function startDeliveries(
  config: Config,
  deps: NotifyDeps & { readonly metrics: Metrics; readonly send: Send },
): Delivering {
  const { store, listener, log, outages, metrics } = deps;
  return startDelivering({
    outbox: observeOutbox(store.outbox, metrics),
    send: deps.send,
    onNews: (hear) => listener.onHeard(hear),
    retry: {
      firstMs: config.WEBHOOK_RETRY_SECONDS * 1000,
      forMs: config.WEBHOOK_RETRY_FOR_SECONDS * 1000,
    },
    timeoutMs: config.WEBHOOK_TIMEOUT_SECONDS * 1000,
    reportError: reporter(log, outages),
  });
}

export function openFeed({ store, listener, log, outages }: NotifyDeps): EventFeed {
  return openEventFeed({
    listStreamed: store.reads.listStreamed,
    onNews: (hear) => listener.onHeard(hear),
    reportError: reporter(log, outages),
  });
}

function reporter(log: Log, outages: OutageLog): (error: unknown, during: string) => void {
  return (error, during) => {
    if (error instanceof RegistryUnavailable) outages.report(error, { during });
    else log.error({ err: error, during }, 'notifications failed');
  };
}
