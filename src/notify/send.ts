// Sends one message to one receiver, in the form that it asked for.

import { shownUrl } from '../core/webhook.ts';
import type { Receiver } from '../registry/webhooks/outbox.ts';
import { slackBody, teamsBody } from './chat.ts';
import type { Mail } from './mail.ts';
import { headersOf, type Outgoing } from './message.ts';
import type { Post } from './post.ts';
import { stopPath } from './stop-link.ts';
import { type InWords, summarize, tellInWords } from './tell-in-words.ts';

type Target = NonNullable<Receiver['target']>;

interface SendDeps {
  readonly post: Post;
  /** Null without a mail server. */
  readonly mail: Mail | null;
  /** The address of the page; null if it is not set. */
  readonly baseUrl: string | null;
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** The answer of the receiver; throws if there was none. `error` is null if it took the message. */
export type Send = (
  receiver: Receiver,
  message: Outgoing,
  signal: AbortSignal,
) => Promise<{ readonly status: number | null; readonly error: string | null }>;

/** The key is there, so the row was changed past the product. */
const undecryptable =
  'The URL and the secret of the webhook cannot be decrypted. Set both again with PATCH.';

export function openSend(deps: SendDeps): Send {
  return async (receiver, message, signal) => {
    const { target, format } = receiver;
    if (target === null) return { status: null, error: undecryptable };
    if (format === 'email') return sendLetter(deps, receiver, target, message, signal);
    const body = bodyFor(deps, receiver, message);
    const sentBy = { userAgent: deps.userAgent, seconds: Math.floor(deps.clock() / 1000) };
    const headers = headersOf(message, target.secret, body, sentBy);
    return judge(await deps.post({ url: target.url, headers, body, signal }));
  };
}

function judge(status: number) {
  if (status >= 200 && status < 300) return { status, error: null };
  const isRedirect = status >= 300 && status < 400;
  const said = `The receiver answered ${status}.`;
  return { status, error: isRedirect ? `${said} Redirects are not followed.` : said };
}

function bodyFor(deps: SendDeps, receiver: Receiver, message: Outgoing): string {
  switch (receiver.format) {
    case 'slack':
      return slackBody(wordsOf(deps, receiver, message));
    case 'teams':
      return teamsBody(wordsOf(deps, receiver, message));
    default:
      return message.json;
  }
}

const noServer = 'This registry has no mail server: an operator sets SMTP_URL.';

async function sendLetter(
  deps: SendDeps,
  receiver: Receiver,
  target: Target,
  message: Outgoing,
  signal: AbortSignal,
) {
  if (deps.mail === null) return { status: null, error: noServer };
  const [event] = message.events;
  const isOfProposal = message.events.length === 1 && event?.entityType === 'proposal';
  const letter = {
    to: shownUrl(target.url),
    id: message.id,
    thread: isOfProposal ? event.entityId : null,
    words: wordsOf(deps, receiver, message),
    links: deps.baseUrl === null ? null : linksOf(deps.baseUrl, receiver, target.secret),
  };
  return deps.mail(letter, signal);
}

function linksOf(baseUrl: string, { webhookId, isOwnChoice }: Receiver, secret: string) {
  const settings = isOwnChoice ? 'notifications' : `webhooks/${webhookId}`;
  return { settings: `${baseUrl}/${settings}`, stop: baseUrl + stopPath(webhookId, secret) };
}

function wordsOf({ baseUrl }: SendDeps, { teamId }: Receiver, { events }: Outgoing): InWords {
  const [first, ...others] = events.map((event) => tellInWords(event, { teamId, baseUrl }));
  if (first !== undefined) return others.length === 0 ? first : summarize([first, ...others]);
  return {
    parts: [],
    title: 'A test message of Concordat',
    lines: ['Breaking changes, answers and deprecations will be told here.'],
    link: baseUrl === null ? null : { label: 'Open Concordat', url: `${baseUrl}/` },
  };
}
