// Requests to the API server. The library's client is not used, because every request needs a
// deadline, numbers must not be rounded (the library parses with JSON.parse), and connections
// should be reused.

import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions, request as requestHttps } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  maxJsonDepth,
  parseJson,
} from '../../core/value/json.ts';
import type { ClusterAccess } from './cluster-access.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From the root: `/apis/concordat.dev/v1/datacontracts`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly contentType?: PatchType | 'application/json';
  /** Requests only the metadata of each object: name, labels and the like. */
  readonly metadataOnly?: boolean;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /** If the response nests too deep, rounds its numbers instead of throwing ApiUnreadable. */
  readonly mayRound?: boolean;
}

type PatchType =
  | 'application/apply-patch+yaml'
  | 'application/merge-patch+json'
  | 'application/json-patch+json';

/** Any response of the API server, including refusals. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: Json;
  /** The Retry-After header of a 429 or a 503. */
  readonly retryAfterMs: number | null;
}

/**
 * A refusal, without the headers and the raw body, which may contain secrets that must not be
 * logged.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly reason: string;
  readonly retryAfterMs: number | null;

  constructor(what: string, answer: ApiAnswer) {
    super(`${what}: ${answer.status} ${messageOf(answer.body)}${adviceOn(what, answer)}`);
    this.status = answer.status;
    this.reason = reasonOf(answer.body);
    this.retryAfterMs = answer.retryAfterMs;
  }
}

/** Advice for the operator, if the response itself has none. */
function adviceOn(what: string, { status, body }: ApiAnswer): string {
  if (status === 401) {
    return '. The token of the API server is expired or revoked. Set a new one.';
  }
  // A missing object is reported as a Status; a missing kind as plain text.
  if (status === 404 && what.includes('/apis/concordat.dev/') && !isJsonObject(body)) {
    return '(no such kind). Install the kinds: crds.enabled of the chart, or `concordat crds | kubectl apply --server-side -f -`.';
  }
  return '';
}

/** The response nests too deep to be read without rounding its numbers. */
export class ApiUnreadable extends Error {
  override readonly name = 'ApiUnreadable';
}

/**
 * There was no response: no connection, a connection that was cut, or no response before the
 * deadline.
 */
class ApiUnreachable extends Error {
  override readonly name = 'ApiUnreachable';
}

export interface WatchStream {
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
  /** Without a byte for this long, the connection counts as dead. */
  readonly idleMs: number;
}

/** The API server's own limit for a request is 60 s. */
const defaultDeadlineMs = 30_000;
/** etcd takes 1.5 MiB per object; a page holds 500, most of them small. */
const maxAnswerBytes = 512 * 1024 * 1024;
/** Credentials are read again after this long, because tokens are rotated in their files. */
const credentialsAgeMs = 10_000;
const metadataType = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1`;
/** Lists and watches use different type names. */
const metadataTypes = {
  list: metadataType('PartialObjectMetadataList'),
  watch: metadataType('PartialObjectMetadata'),
};
/** A server that returns 429 more often is in trouble, so the caller gets the response. */
const maxTimesToComeAgain = 10;
/** The workers of one process, and some for watches and the lease. */
const maxSockets = 64;

export class ApiClient {
  readonly #access: ClusterAccess;
  readonly #server: URL;
  #credentials: { readonly options: RequestOptions; readonly readAtMs: number } | null = null;
  #agent: HttpAgent | HttpsAgent | null = null;
  #agentKey = '';

  constructor(access: ClusterAccess) {
    const cluster = access.getCurrentCluster();
    if (cluster === null) throw new Error('The kubeconfig has no current cluster.');
    this.#access = access;
    this.#server = new URL(cluster.server);
  }

  /** The server's address, for messages. */
  get server(): string {
    return this.#server.origin;
  }

  /**
   * Returns every response, including refusals; throws if there is none, or if it cannot be read.
   */
  async request(asked: ApiRequest): Promise<ApiAnswer> {
    const { deadlineMs = defaultDeadlineMs } = asked;
    // AbortSignal.timeout would keep its timer and create an error long after the request; this
    // timer is cleared.
    const deadline = new AbortController();
    const timer = setTimeout(() => {
      deadline.abort(new Error(`no answer within ${deadlineMs} ms`));
    }, deadlineMs);
    const signal =
      asked.signal === undefined
        ? deadline.signal
        : AbortSignal.any([deadline.signal, asked.signal]);
    try {
      const what = `${asked.method} ${asked.path}`;
      const response = await this.#send(asked, signal, what);
      const text = await readText(response, what);
      if (response.statusCode === 401) this.#credentials = null;
      return {
        status: response.statusCode ?? 0,
        body: isJson(response) ? parseAnswer(text, asked.mayRound ?? false) : text,
        retryAfterMs: retryAfterOf(response),
      };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Like `request`, but throws a refusal as ApiError. */
  async expect(asked: ApiRequest): Promise<JsonObject> {
    const answer = await this.request(asked);
    if (answer.status >= 200 && answer.status < 300 && isJsonObject(answer.body)) {
      return answer.body;
    }
    throw new ApiError(`${asked.method} ${asked.path}`, answer);
  }

  /**
   * Calls `onLine` for every line until the stream ends, the signal aborts, or the connection is
   * cut.
   */
  async watch(asked: ApiRequest, stream: WatchStream): Promise<void> {
    const what = `WATCH ${asked.path}`;
    const idle = new AbortController();
    const signal = AbortSignal.any([stream.signal, idle.signal]);
    const arm = () =>
      setTimeout(() => idle.abort(new Error(`no data within ${stream.idleMs} ms`)), stream.idleMs);
    let timer = arm();
    try {
      const response = await this.#send(asked, signal, what);
      if (response.statusCode !== 200) {
        if (response.statusCode === 401) this.#credentials = null;
        const text = await readText(response, what);
        const body = isJson(response) ? parseAnswer(text, true) : text;
        const retryAfterMs = retryAfterOf(response);
        throw new ApiError(what, { status: response.statusCode ?? 0, body, retryAfterMs });
      }
      response.setEncoding('utf8');
      const lines = new LineSplitter(stream.onLine);
      try {
        for await (const chunk of response) {
          clearTimeout(timer);
          timer = arm();
          lines.push(String(chunk));
        }
      } catch (error) {
        // An error event in the stream is a response of the server, not a lost connection.
        throw error instanceof ApiError ? error : unreachable(what, reasonOfEnd(signal, error));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#agent?.destroy();
  }

  /**
   * A 429 with Retry-After is retried: nothing was done, and the server only asks for a delay, as
   * it does while it opens the storage of a kind.
   */
  async #send(asked: ApiRequest, signal: AbortSignal, what: string): Promise<IncomingMessage> {
    for (let times = 0; ; times++) {
      const response = await this.#sendOnce(asked, signal, what);
      const afterMs = response.statusCode === 429 ? retryAfterOf(response) : null;
      if (afterMs === null || times === maxTimesToComeAgain) return response;
      // Consumes the body, so that the connection can be reused.
      response.resume();
      await delay(afterMs, undefined, { signal }).catch(() => {
        throw new ApiUnreachable(`${what}: 429, and no time is left to retry`);
      });
    }
  }

  async #sendOnce(asked: ApiRequest, signal: AbortSignal, what: string): Promise<IncomingMessage> {
    const options = await this.#options();
    const body = asked.body === undefined ? null : JSON.stringify(asked.body);
    const url = new URL(this.#server);
    url.pathname = url.pathname.replace(/\/$/, '') + asked.path;
    for (const [name, value] of Object.entries(asked.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers = {
      ...options.headers,
      accept: acceptOf(asked),
      'user-agent': 'concordat-controller',
      ...(body === null
        ? {}
        : {
            'content-type': asked.contentType ?? 'application/json',
            'content-length': String(Buffer.byteLength(body)),
          }),
    };
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const sent = request(url, { ...options, method: asked.method, headers, signal }, resolve);
      sent.once('error', (error) => reject(unreachable(what, reasonOfEnd(signal, error))));
      sent.end(body ?? undefined);
    });
  }

  async #options(): Promise<RequestOptions> {
    const nowMs = performance.now();
    if (this.#credentials !== null && nowMs - this.#credentials.readAtMs < credentialsAgeMs) {
      return this.#credentials.options;
    }
    const found: RequestOptions = {};
    await this.#access.applyToHTTPSOptions(found);
    const options = { ...found, agent: this.#agentFor(found) };
    this.#credentials = { options, readAtMs: nowMs };
    return options;
  }

  /**
   * Keeps one agent while the certificates stay the same; uses the library's if there is a proxy.
   */
  #agentFor(found: RequestOptions): HttpAgent | HttpsAgent {
    if (this.#access.getCurrentCluster()?.proxyUrl && found.agent instanceof HttpAgent) {
      return found.agent;
    }
    const { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized } = found;
    const agentKey = [ca, cert, key, pfx, passphrase, servername, rejectUnauthorized]
      .map(String)
      .join('|');
    if (this.#agent !== null && agentKey === this.#agentKey) return this.#agent;
    const pool = { keepAlive: true, keepAliveMsecs: 30_000, maxSockets };
    this.#agent =
      this.#server.protocol === 'https:'
        ? new HttpsAgent({
            ...pool,
            ...withoutUndefined({ ca, cert, key, pfx, passphrase, servername, rejectUnauthorized }),
          })
        : new HttpAgent(pool);
    this.#agentKey = agentKey;
    return this.#agent;
  }
}

/** The API server's own message. */
export function messageOf(body: Json): string {
  if (!isJsonObject(body)) return '';
  return typeof body.message === 'string' ? body.message : '';
}

function acceptOf({ metadataOnly, query }: ApiRequest): string {
  if (!metadataOnly) return 'application/json';
  return query?.watch === true ? metadataTypes.watch : metadataTypes.list;
}

function reasonOf(body: Json): string {
  return isJsonObject(body) && typeof body.reason === 'string' ? body.reason : '';
}

class LineSplitter {
  readonly #onLine: (line: string) => void;
  #pieces: string[] = [];

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: string): void {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      this.#pieces.push(chunk.slice(start, end));
      const line = this.#pieces.join('');
      this.#pieces = [];
      start = end + 1;
      if (line !== '') this.#onLine(line);
    }
    if (start < chunk.length) this.#pieces.push(chunk.slice(start));
  }
}

async function readText(response: IncomingMessage, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes)
        throw new Error(`the answer is larger than ${maxAnswerBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw unreachable(what, error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Deeper than any object: the API server's own parser stops at 10,000 levels. */
const maxObjectDepth = 10_000 + maxJsonDepth;

/**
 * Keeps numbers as they were written. This recurses once per level, so an object with some thousand
 * levels, which any user can write, exceeds the stack: its numbers are then rounded, or it cannot
 * be read.
 */
export function parseAnswer(text: string, mayRound: boolean): Json {
  if (text === '') return null;
  const parsed = parseJson(text, maxObjectDepth);
  if (parsed.ok) return parsed.value;
  if (mayRound) return JSON.parse(text);
  throw new ApiUnreadable(`The answer of the API server cannot be read: ${parsed.message}`);
}

function isJson(response: IncomingMessage): boolean {
  return response.headers['content-type']?.includes('json') ?? false;
}

function retryAfterOf(response: IncomingMessage): number | null {
  const seconds = Number(response.headers['retry-after']);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}

/** The reason of the abort says more than the abort itself. */
function reasonOfEnd(signal: AbortSignal, error: unknown): unknown {
  return signal.aborted ? signal.reason : error;
}

function unreachable(what: string, cause: unknown): ApiUnreachable {
  const said = cause instanceof Error ? cause.message || cause.name : String(cause);
  return new ApiUnreachable(`${what}: no answer: ${said}`, { cause });
}

function withoutUndefined<T extends object>(
  value: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  // Only undefined members are left out, so the others have the type without it.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
