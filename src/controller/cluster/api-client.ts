// Requests to the API server. They are made here and not by the library, because every one needs a
// deadline, numbers must not be rounded on the way (the library parses with JSON.parse), and a
// connection is kept for the next request.

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
  /** Only name, labels and their like of each object. */
  readonly metadataOnly?: boolean;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /** Rounds the numbers of an answer that nests too deep, rather than throw ApiUnreadable. */
  readonly mayRound?: boolean;
}

type PatchType =
  | 'application/apply-patch+yaml'
  | 'application/merge-patch+json'
  | 'application/json-patch+json';

/** Any answer of the API server, refusals too. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: Json;
  /** What a 429 or a 503 asks for. */
  readonly retryAfterMs: number | null;
}

/** A refusal, without the headers and the raw body, which may hold what no log should. */
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

/** What an operator can do, where the answer itself is no help. */
function adviceOn(what: string, { status, body }: ApiAnswer): string {
  if (status === 401) {
    return '. The token of the API server is expired or revoked. Set a new one.';
  }
  // An object that is not there is told in a Status; a kind that is not there in plain text.
  if (status === 404 && what.includes('/apis/concordat.dev/') && !isJsonObject(body)) {
    return '(no such kind). Install the kinds: crds.enabled of the chart, or `concordat crds | kubectl apply --server-side -f -`.';
  }
  return '';
}

/** An answer that nests too deep to be read without rounding its numbers. */
export class ApiUnreadable extends Error {
  override readonly name = 'ApiUnreadable';
}

/** No answer: no connection, one that was cut, or none within the deadline. */
class ApiUnreachable extends Error {
  override readonly name = 'ApiUnreachable';
}

export interface WatchStream {
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
  /** Without a byte for so long the connection counts as dead. */
  readonly idleMs: number;
}

/** An answer within this time or none: the API server's own limit for a request is 60 s. */
const defaultDeadlineMs = 30_000;
/** etcd takes 1.5 MiB an object; a page holds 500, most of them small. */
const maxAnswerBytes = 512 * 1024 * 1024;
/** Credentials are read again after this long: tokens are rotated in their files. */
const credentialsAgeMs = 10_000;
const metadataType = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1`;
/** A list is asked for by one name, the objects of a watch by the other. */
const metadataTypes = {
  list: metadataType('PartialObjectMetadataList'),
  watch: metadataType('PartialObjectMetadata'),
};
/** A server that says so for longer is in trouble, and whoever asks hears of it. */
const maxTimesToComeAgain = 10;
/** Workers of one process, and some for watches and the lease. */
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

  /** The server, as it is named to people. */
  get server(): string {
    return this.#server.origin;
  }

  /** Every answer is returned, also refusals; throws where there is none, or none to be read. */
  async request(asked: ApiRequest): Promise<ApiAnswer> {
    const { deadlineMs = defaultDeadlineMs } = asked;
    // Its timer is cleared: one that is left to run out makes an error each time, long after.
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

  /** As `request`, for what is expected to work: a refusal is thrown as ApiError. */
  async expect(asked: ApiRequest): Promise<JsonObject> {
    const answer = await this.request(asked);
    if (answer.status >= 200 && answer.status < 300 && isJsonObject(answer.body)) {
      return answer.body;
    }
    throw new ApiError(`${asked.method} ${asked.path}`, answer);
  }

  /** Calls `onLine` for every line until the stream ends, the signal aborts, or it is cut. */
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
        // The stream itself may say that it cannot go on: that is an answer.
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
   * A 429 that says when to come again is no refusal: nothing was done, and the server asks for a
   * moment, as it does while it opens the storage of a kind.
   */
  async #send(asked: ApiRequest, signal: AbortSignal, what: string): Promise<IncomingMessage> {
    for (let times = 0; ; times++) {
      const response = await this.#sendOnce(asked, signal, what);
      const afterMs = response.statusCode === 429 ? retryAfterOf(response) : null;
      if (afterMs === null || times === maxTimesToComeAgain) return response;
      // Read to its end, so that the connection serves the next request.
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

  /** One agent while the certificates stay the same; the library's own where there is a proxy. */
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

/** Why the API server refused, in its own words. */
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
 * Numbers stay as they were written. That takes a call a level, so one object of some thousand
 * levels, which any user can write, is past it: then they are rounded, or it cannot be read.
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

/** What aborted it says more than that it was aborted. */
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
  // Only members that are undefined are left out, so what stays has the type without it.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
