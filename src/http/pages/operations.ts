// Routes about the process: health, readiness, metrics and openapi.json.

import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { type Metrics, metricsContentTypes } from '../../ops/observe/metrics.ts';
import { buildOpenApi } from '../../wire/openapi.ts';
import { statusOf } from '../errors.ts';
import { sendJson } from '../request/answer.ts';
import { exchangeOf } from '../request/exchange.ts';
import { type PackedFile, packFile, sendPacked } from './packed-file.ts';

const pack = promisify(gzip);
/** As Prometheus asks for it. */
const openMetrics = 'application/openmetrics-text; version=1.0.0';

const readinessPatienceMs = 1_000;

interface OperationsDeps {
  readonly metrics: Metrics;
  /** Whether each dependency is ready for requests, by name. Never throws. */
  readonly readiness: () => Promise<Readonly<Record<string, boolean>>>;
  readonly version: string;
  readonly basePath: string;
}

export function createOperations(deps: OperationsDeps) {
  const startedAt = Date.now();
  const getHealth = answering(() => {
    const uptime_seconds = (Date.now() - startedAt) / 1000;
    return { body: { status: 'ok', version: deps.version, uptime_seconds } };
  });
  // Needs no key, so simultaneous probes share one query to the database.
  let looking: ReturnType<typeof deps.readiness> | null = null;
  let known: Awaited<ReturnType<typeof deps.readiness>> = { database: false };
  const getReadiness = answering(async () => {
    looking ??= deps
      .readiness()
      .then((found) => {
        known = found;
        return found;
      })
      .finally(() => {
        looking = null;
      });
    // Probes time out after a second or two. If the check takes longer, the previous result is
    // returned.
    const found = await Promise.race([
      looking,
      delay(readinessPatienceMs, null, { ref: false }).then(() => known),
    ]);
    const isReady = Object.values(found).every(Boolean);
    const checks = Object.fromEntries(
      Object.entries(found).map(([name, isWell]) => [name, isWell ? 'ok' : 'failing']),
    );
    const body = { status: isReady ? 'ready' : 'not_ready', checks };
    return { status: isReady ? 200 : 503, body };
  });
  const getMetrics: RequestHandler = async (request, response) => {
    const asked =
      request.accepts(['text/plain', openMetrics]) === openMetrics ? 'openmetrics' : 'prometheus';
    const text = await deps.metrics.text(asked);
    const headers = {
      ...exchangeOf(response).headers,
      ...{
        'Cache-Control': 'no-store',
        'Content-Type': metricsContentTypes[asked],
        Vary: 'Accept-Encoding',
      },
    };
    if (request.acceptsEncodings('gzip') !== 'gzip') return sendJson(response, 200, text, headers);
    const packed = await pack(text);
    response.writeHead(200, {
      ...headers,
      'Content-Encoding': 'gzip',
      'Content-Length': packed.byteLength,
    });
    response.end(packed);
  };
  let document: Promise<PackedFile> | null = null;
  const getOpenApi: RequestHandler = async (request, response) => {
    document ??= packFile(
      'application/json; charset=utf-8',
      Buffer.from(JSON.stringify(buildOpenApi(statusOf, deps.version, deps.basePath))),
    );
    const own = exchangeOf(response).headers;
    sendPacked(request, response, await document, { ...own, 'Cache-Control': 'no-cache' });
  };
  return { getHealth, getLiveness: getHealth, getReadiness, getMetrics, getOpenApi };
}

interface Answer {
  readonly status?: number;
  /** Text as it is sent, or a value that becomes JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function answering(answer: () => Answer | Promise<Answer>): RequestHandler {
  return async (_request, response) => {
    const { status = 200, body, headers } = await answer();
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const own = exchangeOf(response).headers;
    sendJson(response, status, text, { ...own, 'Cache-Control': 'no-store', ...headers });
  };
}
