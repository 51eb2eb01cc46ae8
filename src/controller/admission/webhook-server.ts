// The admission webhook's server: HTTPS, with a certificate that can be replaced while serving. It
// never blocks a request: whatever it cannot review in time is allowed with a warning, because the
// reconciler checks everything again.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { RegistryUnavailable } from '../../core/unavailable.ts';
import { parseJson } from '../../core/value/json.ts';
import type { Clock } from '../clock.ts';
import {
  type AdmissionRequest,
  type AdmissionVerdict,
  allowed,
  answerReview,
  readReview,
  warned,
} from './review.ts';

export interface ServingCertificate {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
}

export interface WebhookOptions {
  readonly port: number;
  readonly host: string;
  readonly clock: Clock;
  /**
   * Returns the certificate to serve, or null if there is none yet. Called every second until the
   * first certificate, then every ten seconds.
   */
  readonly readCertificate: () => Promise<ServingCertificate | null>;
  readonly review: (request: AdmissionRequest) => Promise<AdmissionVerdict>;
  readonly onError: (error: unknown, during: string) => void;
  readonly observe?: (answered: AnsweredReview) => void;
  /** Less than the configuration's timeoutSeconds, after which the API server gives up. */
  readonly answerWithinMs?: number;
}

export interface AnsweredReview {
  /** The status code of the HTTP response. */
  readonly code: number;
  /** `unchecked` means allowed with a warning. Null if the request was not a review. */
  readonly result: 'allowed' | 'warned' | 'refused' | 'unchecked' | null;
  readonly tookMs: number;
}

export interface Webhook {
  readonly port: number;
  /** Loads a certificate that has just been written. */
  readonly refresh: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export const webhookPath = '/validate';
/** The chart's timeoutSeconds is 5. */
const defaultAnswerWithinMs = 4_000;
const refreshMs = 10_000;
/**
 * Without a certificate the webhook is unreachable and nobody is warned, so objects applied right
 * after an install depend on this delay.
 */
const firstRefreshMs = 1_000;
/** An object of 1.5 MiB, twice, and as JSON in JSON. */
const maxBodyBytes = 16 * 1024 * 1024;
/** The limit of the API server's own parser. */
const maxBodyDepth = 10_000;
/**
 * The maximum number of concurrent reviews. Further ones are allowed unchecked, because the engine
 * would only queue them.
 */
const maxReviews = 64;

export async function startWebhook(options: WebhookOptions): Promise<Webhook> {
  const { clock, onError } = options;
  let served = '';
  let cancel = () => {};
  let isStopped = false;
  let underWay = 0;

  const server = createServer({ minVersion: 'TLSv1.2' }, (request, response) => {
    underWay += 1;
    const startedAtMs = clock.monotonicMs();
    void answer(request, response, options, () => underWay > maxReviews)
      .catch((error: unknown) => {
        onError(error, 'answering an admission review');
        if (!response.headersSent) response.writeHead(500);
        response.end();
        return null;
      })
      .then((result) => {
        underWay -= 1;
        const tookMs = clock.monotonicMs() - startedAtMs;
        options.observe?.({ code: response.statusCode, result, tookMs });
      });
  });
  server.requestTimeout = 10_000;
  // The API server reuses its connections; an idle one costs little.
  server.keepAliveTimeout = 120_000;

  const refresh = async (): Promise<void> => {
    const found = await options.readCertificate();
    if (found === null) return;
    const text = found.certificate + found.key;
    if (text === served) return;
    server.setSecureContext({ cert: found.certificate, key: found.key, minVersion: 'TLSv1.2' });
    served = text;
  };

  const refreshOrTell = (): Promise<void> =>
    refresh().catch((error: unknown) => onError(error, 'reading the certificate of the webhook'));

  const again = (): void => {
    if (isStopped) return;
    const delayMs = served === '' ? firstRefreshMs : refreshMs;
    cancel = clock.after(delayMs, () => void refreshOrTell().then(again));
  };

  await refreshOrTell();
  // A failed handshake, including one without a certificate, must not end the process.
  server.on('tlsClientError', () => {});
  server.listen(options.port, options.host);
  await once(server, 'listening');
  again();
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : options.port,
    refresh,
    stop: async () => {
      isStopped = true;
      cancel();
      server.close();
      server.closeIdleConnections();
      const closed = once(server, 'close');
      const force = setTimeout(() => server.closeAllConnections(), defaultAnswerWithinMs);
      await closed;
      clearTimeout(force);
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: WebhookOptions,
  isBusy: () => boolean,
): Promise<AnsweredReview['result']> {
  if (request.method !== 'POST' || request.url?.split('?')[0] !== webhookPath) {
    response.writeHead(404).end();
    return null;
  }
  const text = await readText(request);
  if (text === null) {
    response.writeHead(413, { connection: 'close' }).end();
    return null;
  }
  const parsed = parseJson(text, maxBodyDepth);
  const review = parsed.ok ? readReview(parsed.value) : null;
  if (review === null) {
    response.writeHead(400).end();
    return null;
  }
  const verdict =
    review.request === null
      ? allowed
      : isBusy()
        ? unchecked('too many objects are being checked')
        : await reviewInTime(review.request, options);
  const body = JSON.stringify(answerReview(review.uid, verdict));
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  return resultOf(verdict);
}

function resultOf(verdict: AdmissionVerdict): NonNullable<AnsweredReview['result']> {
  if (!verdict.allowed) return 'refused';
  if (verdict.isUnchecked === true) return 'unchecked';
  return verdict.warnings.length > 0 ? 'warned' : 'allowed';
}

async function reviewInTime(
  request: AdmissionRequest,
  { review, onError, clock, answerWithinMs = defaultAnswerWithinMs }: WebhookOptions,
): Promise<AdmissionVerdict> {
  let cancel = () => {};
  const during = `reviewing ${request.kind} ${request.namespace}/${request.name}`;
  const late = new Promise<AdmissionVerdict>((resolve) => {
    cancel = clock.after(answerWithinMs, () => {
      const cause = new Error(`It was not checked within ${answerWithinMs} ms.`);
      onError(new RegistryUnavailable(cause, 'Checking an object takes too long.'), during);
      resolve(unchecked('checking it takes too long'));
    });
  });
  const verdict = review(request).catch((error: unknown) => {
    onError(error, during);
    return unchecked('the registry is unreachable');
  });
  try {
    return await Promise.race([verdict, late]);
  } finally {
    cancel();
  }
}

function unchecked(why: string): AdmissionVerdict {
  const verdict = warned(`not checked by Concordat yet, because ${why}: see its status later`);
  return { ...verdict, isUnchecked: true };
}

async function readText(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
