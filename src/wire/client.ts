// The typed client of the page and the command line: one method per route, made from the table.

import type { z } from 'zod';
import { parseJson } from '../core/value/json.ts';
import { type Route, scimType } from './route.ts';
import { type ReplyOf, type RouteName, type Routes, routes } from './routes.ts';

const jsonType = 'application/json';

interface ClientOptions {
  /**
   * The address of the registry, such as `https://registry.example.com`. Empty for the page's own
   * origin.
   */
  readonly baseUrl: string;
  readonly key?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof globalThis.fetch;
}

type Sent<R, Part extends string> = R extends { readonly [P in Part]: infer Z extends z.ZodType }
  ? Record<never, never> extends z.input<Z>
    ? { readonly [P in Part]?: z.input<Z> }
    : { readonly [P in Part]: z.input<Z> }
  : unknown;

export type CallOf<R> = Sent<R, 'params'> &
  Sent<R, 'query'> &
  Sent<R, 'body'> & {
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  };

/**
 * An error response: `code` is one of the registry's, or `NOT_A_REGISTRY` for a foreign response.
 */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly [more: string]: unknown;
}

export type ResultOf<R> =
  | (ReplyOf<R> & { readonly ok: true; readonly headers: Headers })
  | {
      readonly ok: false;
      readonly status: number;
      readonly refusal: Refusal;
      readonly headers: Headers;
    };

type Callable<R> =
  Record<never, never> extends CallOf<R>
    ? (call?: CallOf<R>) => Promise<ResultOf<R>>
    : (call: CallOf<R>) => Promise<ResultOf<R>>;

export type Client = { readonly [Name in RouteName]: Callable<Routes[Name]> };

/**
 * A client of one registry. A refusal is a result; only network errors are thrown.
 *
 * @example
 * const client = createClient({ baseUrl: 'http://localhost:8080', key });
 * const result = await client.getAsset({ params: { asset_id } });
 */
export function createClient(options: ClientOptions): Client {
  const methods: Record<string, (call?: LooseCall) => Promise<LooseResult>> = {};
  for (const [name, row] of Object.entries<Route>(routes)) {
    methods[name] = (call = {}) => send(options, row, call);
  }
  // The cast is safe: each method was made from the row of its name, and so was the type.
  return methods as unknown as Client;
}

interface LooseCall {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

type LooseResult =
  | {
      readonly ok: true;
      readonly status: number;
      readonly body: unknown;
      readonly headers: Headers;
    }
  | {
      readonly ok: false;
      readonly status: number;
      readonly refusal: Refusal;
      readonly headers: Headers;
    };

async function send(options: ClientOptions, row: Route, call: LooseCall): Promise<LooseResult> {
  const fetch = options.fetch ?? globalThis.fetch;
  const response = await fetch(options.baseUrl.replace(/\/$/, '') + pathOf(row, call), {
    method: row.method,
    headers: {
      accept: 'application/json',
      ...(options.key !== undefined && { authorization: `Bearer ${options.key}` }),
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
      ...call.headers,
    },
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    ...(call.signal !== undefined && { signal: call.signal }),
  });
  return toResult(row, response, await response.text());
}

/** The path of a route with its parameters filled in, and the query. */
function pathOf(row: Route, call: Pick<LooseCall, 'params' | 'query'>): string {
  const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(call.params?.[name] ?? '')),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) query.append(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

function toResult(row: Route, response: Response, text: string): LooseResult {
  const { status, headers } = response;
  const answer = row.answers[status];
  if (answer !== undefined) {
    if (answer.body === null) return { ok: true, status, body: undefined, headers };
    if (![jsonType, scimType].includes(answer.contentType))
      return { ok: true, status, body: text, headers };
    const parsed = parseJson(text);
    if (parsed.ok) return { ok: true, status, body: parsed.value, headers };
  }
  return { ok: false, status, refusal: toRefusal(status, text), headers };
}

function toRefusal(status: number, text: string): Refusal {
  const parsed = parseJson(text);
  const body = parsed.ok ? parsed.value : null;
  const detail = isRecord(body) ? body.detail : null;
  if (isRecord(detail) && typeof detail.code === 'string' && typeof detail.message === 'string') {
    return { ...detail, code: detail.code, message: detail.message };
  }
  return {
    code: 'NOT_A_REGISTRY',
    message: `The answer (status ${status}) is not one of a registry. Check the address.`,
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
