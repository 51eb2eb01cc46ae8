// The page behind the link in a letter that ends the letters, for readers who cannot sign in. Programs
// that check mail open links, so opening it changes nothing: a button posts, as mail programs do (RFC 8058).

import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { letterActor } from '../../core/actor.ts';
import { isId, type WebhookId } from '../../core/id.ts';
import { shownUrl, type Webhook } from '../../core/webhook.ts';
import type { Verbs } from '../../registry/commands.ts';
import type { Context, Ports } from '../../registry/ports.ts';
import type { AddressOf } from '../request/caller/address.ts';
import type { RateLimit } from '../request/caller/rate-limit.ts';
import { exchangeOf } from '../request/exchange.ts';
import { servePage } from '../routers.ts';
import { escapeHtml } from './guide/render-markdown.ts';
import { pageHeaders } from './page-headers.ts';

interface StopLettersDeps {
  readonly ports: Ports;
  readonly verbs: Pick<Verbs, 'updateWebhook'>;
  /** Whether the token is the one of the webhook's letters. */
  readonly isStopToken: (webhookId: WebhookId, token: string) => Promise<boolean>;
  readonly addressOf: AddressOf;
  readonly rates: RateLimit<'stranger'>;
  readonly now: Context['now'];
  readonly newId: Context['newId'];
  readonly basePath: string;
}

const headers = {
  ...pageHeaders(["default-src 'none'", "form-action 'self'", "style-src 'self'", 'img-src data:']),
  'Cache-Control': 'no-store',
  // The address is a right.
  'Referrer-Policy': 'no-referrer',
};

export function createStopLetters(deps: StopLettersDeps): Router {
  const router = express.Router();
  const answering =
    (answer: (webhook: Webhook, response: Response) => Promise<Said>): RequestHandler =>
    async (request, response) => {
      const found = await find(deps, request);
      const { status = 200, ...said } = isSaid(found) ? found : await answer(found, response);
      response.status(status).set(headers).type('html').send(toHtml(deps.basePath, said));
    };
  servePage(router, '/stop-letters/:id/:token', {
    GET: answering(async (webhook) => (webhook.stoppedAt === null ? question(webhook) : stopped)),
    POST: answering(async ({ id }, response) => {
      const { requestId } = exchangeOf(response);
      const context = { actor: letterActor, requestId, now: deps.now, newId: deps.newId };
      const done = await deps.verbs.updateWebhook(deps.ports, context, {
        webhookId: id,
        stopped: true,
      });
      return done.ok ? stopped : unknown;
    }),
  });
  return router;
}

interface Said {
  readonly status?: number;
  readonly title: string;
  readonly text: string;
  readonly button?: string;
}

function isSaid(found: Webhook | Said): found is Said {
  return 'title' in found;
}

async function find(deps: StopLettersDeps, request: Request): Promise<Webhook | Said> {
  const rate = deps.rates.count(deps.addressOf(request), 'stranger');
  if (rate.isExceeded) return { ...busy, text: `Try again in ${rate.resetSeconds} seconds.` };
  const [id, token] = [String(request.params.id), String(request.params.token)];
  if (!isId(id) || !(await deps.isStopToken(id, token))) return unknown;
  return (await deps.ports.reads.getWebhook(id)) ?? unknown;
}

const busy = { status: 429, title: 'Too many requests' };

const unknown: Said = {
  status: 404,
  title: 'This link is not valid any more',
  text: 'The letters that it belongs to were ended or set up anew. A newer letter has a newer link.',
};

const stopped: Said = {
  title: 'The letters are stopped',
  text: 'Nothing more is sent. Who set them up can start them again in Concordat.',
};

function question({ url, userId }: Webhook): Said {
  const whose =
    userId === null
      ? ' This is for everybody who reads this address. The team that set them up can start them again.'
      : '';
  return {
    title: 'Stop these letters?',
    text: `Concordat sends nothing more to ${shownUrl(url)}.${whose}`,
    button: 'Stop these letters',
  };
}

function toHtml(basePath: string, { title, text, button }: Said): string {
  const form =
    button === undefined ? '' : `<form method="post"><button>${escapeHtml(button)}</button></form>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · Concordat</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${basePath}/docs/guide/style.css">
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
${form}
</main>
</body>
</html>
`;
}
