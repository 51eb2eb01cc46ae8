// The package `@concordat/client`: the typed client of the page and the command line, with retries, keys
// of idempotency, and lists without pages.

import { type CallOf, type Client, createClient, type ResultOf } from '../../../src/wire/client.ts';
import { type Route, takesIdempotencyKey } from '../../../src/wire/route.ts';
import { type RouteName, type Routes, routes } from '../../../src/wire/routes.ts';

export type { CallOf, Client, Refusal, ResultOf } from '../../../src/wire/client.ts';
export type { RouteName, Routes } from '../../../src/wire/routes.ts';

export interface ConnectOptions {
  /** The address of the registry, such as `https://registry.example.com`. */
  readonly baseUrl: string;
  readonly key?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How often a request is tried again while the registry is away or busy. Default 4. */
  readonly retries?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * A client of one registry. A refusal is a result; only a registry that cannot be reached is thrown.
 * What creates something carries a key of idempotency, so that it happens once however often it is
 * sent. Other writes are tried again only if the registry said that it did not look at them.
 *
 * @example
 * const registry = connect({ baseUrl: 'https://registry.example.com', key });
 * const found = await registry.getAsset({ params: { asset_id } });
 */
export function connect({ retries = 4, ...options }: ConnectOptions): Client {
  const client = createClient(options) as unknown as LooseClient;
  const methods = Object.entries<Route>(routes).map(([name, row]) => {
    const send: Send = (call = {}) => repeat(row, call, (sent) => client[name]?.(sent), retries);
    return [name, send] as const;
  });
  // The cast is safe: each method has the type of the one that it calls.
  return Object.fromEntries(methods) as unknown as Client;
}

type ListName = {
  [Name in RouteName]: ResultOf<Routes[Name]> extends infer Result
    ? Extract<Result, { readonly ok: true }> extends { readonly body: Page<unknown> }
      ? Name
      : never
    : never;
}[RouteName];

interface Page<Item> {
  readonly results: readonly Item[];
  readonly next_cursor: string | null;
}

type ItemOf<Name extends ListName> =
  Extract<ResultOf<Routes[Name]>, { readonly ok: true }> extends {
    readonly body: Page<infer Item>;
  }
    ? Item
    : never;

/**
 * Everything in a list, page after page. Throws `Refused` where the registry refuses a page.
 *
 * @example for await (const asset of each(registry, 'listAssets', { query: { q: 'orders' } })) ...
 */
export async function* each<Name extends ListName>(
  client: Client,
  name: Name,
  call?: CallOf<Routes[Name]>,
): AsyncGenerator<ItemOf<Name>, void, undefined> {
  const list = (client as unknown as LooseClient)[name];
  let cursor: string | null = null;
  do {
    const from: Readonly<Record<string, string>> = cursor === null ? {} : { cursor };
    const given = (call ?? {}) as LooseCall;
    const result = await list?.({
      ...given,
      query: { page_size: 100, include_total: false, ...given.query, ...from },
    });
    if (result === undefined || !result.ok) throw new Refused(result);
    const page = result.body as Page<ItemOf<Name>>;
    yield* page.results;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/** A page of a list was refused. */
export class Refused extends Error {
  readonly code: string;
  readonly status: number;

  constructor(result: LooseResult | undefined) {
    super(result?.refusal?.message ?? 'The registry has no such list.');
    this.name = 'Refused';
    this.code = result?.refusal?.code ?? 'NOT_FOUND';
    this.status = result?.status ?? 404;
  }
}

type Send = (call?: LooseCall) => Promise<LooseResult>;
type LooseClient = Readonly<Record<string, Send | undefined>>;

interface LooseCall {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface LooseResult {
  readonly ok: boolean;
  readonly status: number;
  readonly body?: unknown;
  readonly refusal?: { readonly code: string; readonly message: string };
  readonly headers: Headers;
}

const firstWaitMs = 200;
const longestWaitMs = 30_000;

async function repeat(
  row: Route,
  call: LooseCall,
  send: (call: LooseCall) => Promise<LooseResult> | undefined,
  retries: number,
): Promise<LooseResult> {
  const hasKey = takesIdempotencyKey(row);
  const isSafe = hasKey || row.method === 'GET';
  const key = hasKey ? { 'Idempotency-Key': crypto.randomUUID() } : {};
  const sent = { ...call, headers: { ...key, ...call.headers } };
  for (let tried = 0; ; tried++) {
    const isLast = tried >= retries;
    const result = await send(sent)?.catch((error: unknown) => {
      if (isLast || !isSafe || call.signal?.aborted === true) throw error;
      return undefined;
    });
    if (result !== undefined && (isLast || !isWorthRetrying(result, isSafe))) return result;
    await pause(waitOf(result, tried), call.signal);
  }
}

function isWorthRetrying({ ok, status, refusal }: LooseResult, isSafe: boolean): boolean {
  if (ok) return false;
  // The request was not looked at.
  if (status === 429) return true;
  // An earlier try of the same request is still running.
  if (refusal?.code === 'IDEMPOTENCY_CONFLICT') return true;
  return isSafe && [502, 503, 504].includes(status);
}

/** What the registry asks for, or twice as long each time; and not all callers at once. */
function waitOf(result: LooseResult | undefined, tried: number): number {
  const asked = result?.headers.get('Retry-After') ?? '';
  const wait = /^\d+$/.test(asked) ? Number(asked) * 1_000 : firstWaitMs * 2 ** tried;
  return Math.min(longestWaitMs, wait) * (1 + Math.random() / 4);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, fail) => {
    const abort = (): void => {
      clearTimeout(timer);
      fail(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      done();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
  });
}
