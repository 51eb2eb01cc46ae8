// Caches the server's answers by question. Views subscribe to a question. It is requested once for
// all of them, again when the answer may have changed, and repeatedly while the registry is
// unavailable.

import type { Client, Refusal } from '../../wire/client.ts';
import { firstWords } from '../first-words.ts';
import type { BodyOf, CallTo, RouteName } from './shapes.ts';

export type Answer<T> =
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'ready';
      readonly body: T;
      /** Names this answer in If-Match; null for lists. */
      readonly etag: string | null;
    }
  | { readonly kind: 'refused'; readonly status: number; readonly refusal: Refusal };

/** One answer to several questions: known once all of them are answered, refused if one is. */
export function together<T>(answers: readonly Answer<T>[]): Answer<readonly T[]> {
  const bodies: T[] = [];
  for (const answer of answers) {
    if (answer.kind !== 'ready') return answer;
    bodies.push(answer.body);
  }
  return { kind: 'ready', body: bodies, etag: null };
}

export interface Question<N extends RouteName = RouteName> {
  readonly name: N;
  readonly call: CallTo<N>;
}

export interface Cache {
  readonly client: Client;
  read(key: string): Answer<unknown>;
  watch(key: string, question: Question, tell: () => void): () => void;
  /** Asks before anything on the page does. */
  preload(question: Question): void;
  /**
   * Everything may have changed: visible questions are requested again, the others are dropped. Resolves once
   * the former are answered, or could not be asked.
   */
  refresh(): Promise<void>;
  /** Like `refresh`, for the questions whose answers may have changed. */
  refreshWhere(isConcerned: (question: Question, askedAt: number) => boolean): Promise<void>;
  /** Whether the last request reached the registry, for the banner. */
  isReachable(): boolean;
  noteReach(isReachable: boolean): void;
  watchReach(tell: () => void): () => void;
  /** Calls `tell` when the session has ended, or at once if it has already. */
  onSignedOut(tell: () => void): void;
  stop(): void;
}

interface Entry {
  readonly question: Question;
  readonly watchers: Set<() => void>;
  answer: Answer<unknown>;
  askedAt: number;
  /** The answer is used until then. Questions asked ahead stay fresh for longer: the stream of events drops outdated ones. */
  freshUntil: number;
  failures: number;
  asking: AbortController | null;
  /** Settles when the last request has ended. */
  asked: Promise<void>;
  retry: ReturnType<typeof setTimeout> | undefined;
}

/** A view that comes back within this time shows its previous data without a request. */
const freshForMs = 4_000;
/** How long an unused answer is kept, so that "back" is instant. */
const keptForMs = 5 * 60_000;
const firstRetryMs = 1_000;
const lastRetryMs = 15_000;

const loading: Answer<never> = { kind: 'loading' };

export function keyOf<N extends RouteName>(question: Question<N>): string {
  return `${question.name} ${JSON.stringify(question.call)}`;
}

/**
 * Pairs a route with a call of its own.
 *
 * @example questionOf('getTeam', { params: { team_id } })
 */
export function questionOf<N extends RouteName>(name: N, call: CallTo<N>): Question {
  // The cast is safe: what asks it again reads the name and the call together.
  return { name, call } as unknown as Question;
}

export function createCache(client: Client): Cache {
  const entries = new Map<string, Entry>();
  const reachWatchers = new Set<() => void>();
  let isReachable = true;
  let isStopped = false;
  let isSignedOut = false;
  let tellSignedOut = () => {};

  const setReachable = (next: boolean) => {
    if (isReachable === next) return;
    isReachable = next;
    for (const tell of reachWatchers) tell();
  };

  const settle = (entry: Entry, answer: Answer<unknown>) => {
    entry.answer = answer;
    for (const tell of entry.watchers) tell();
  };

  const retryLater = (entry: Entry) => {
    entry.failures++;
    const waitMs = Math.min(lastRetryMs, firstRetryMs * 2 ** (entry.failures - 1));
    entry.retry = setTimeout(() => {
      if (entry.watchers.size > 0) void ask(entry);
    }, waitMs);
  };

  const ask = (entry: Entry): Promise<void> => {
    entry.asked = askOnce(entry);
    return entry.asked;
  };

  const askOnce = async (entry: Entry): Promise<void> => {
    entry.asking?.abort();
    clearTimeout(entry.retry);
    const asking = new AbortController();
    entry.asking = asking;
    entry.askedAt = Date.now();
    entry.freshUntil = entry.askedAt + freshForMs;
    const result = await send(client, entry.question, asking.signal);
    if (isStopped) return;
    // A later request has taken its place, and its answer is the one to wait for.
    if (asking.signal.aborted) return entry.asking === null ? undefined : entry.asked;
    entry.asking = null;
    if (result.ok) {
      entry.failures = 0;
      setReachable(true);
      settle(entry, { kind: 'ready', body: result.body, etag: result.headers.get('etag') });
      return;
    }
    if (result.status === 401) {
      isSignedOut = true;
      tellSignedOut();
      return;
    }
    if (isOutage(result.status)) {
      setReachable(false);
      retryLater(entry);
      // Keep the data on the page; a banner says that it may be outdated.
      if (entry.answer.kind === 'ready') return;
    } else {
      setReachable(true);
    }
    settle(entry, { kind: 'refused', status: result.status, refusal: result.refusal });
  };

  const refreshWhere: Cache['refreshWhere'] = async (isConcerned) => {
    const asked: Promise<void>[] = [];
    for (const [key, entry] of entries) {
      if (!isConcerned(entry.question, entry.askedAt)) continue;
      if (entry.watchers.size > 0) asked.push(ask(entry));
      else entries.delete(key);
    }
    await Promise.all(asked);
  };

  const forgetOld = () => {
    const before = Date.now() - keptForMs;
    for (const [key, entry] of entries) {
      if (entry.watchers.size === 0 && entry.askedAt < before) entries.delete(key);
    }
  };

  /** The entry of a question, whose answer is fresh or on its way. */
  const entryOf = (key: string, question: Question): Entry => {
    let entry = entries.get(key);
    if (entry === undefined) {
      forgetOld();
      entry = newEntry(question);
      entries.set(key, entry);
    }
    const isFresh = entry.answer.kind === 'ready' && Date.now() < entry.freshUntil;
    if (!isFresh && entry.asking === null) void ask(entry);
    return entry;
  };

  return {
    client,
    read: (key) => entries.get(key)?.answer ?? loading,
    preload: (question) => {
      const entry = entryOf(keyOf(question), question);
      if (entry.watchers.size === 0) entry.freshUntil = Date.now() + keptForMs;
    },
    watch: (key, question, tell) => {
      const found = entryOf(key, question);
      found.freshUntil = Math.min(found.freshUntil, Date.now() + freshForMs);
      found.watchers.add(tell);
      return () => {
        found.watchers.delete(tell);
        if (found.watchers.size > 0 || found.asking === null) return;
        found.asking.abort();
        found.asking = null;
        // What is kept may be outdated.
        found.freshUntil = 0;
        if (found.answer.kind === 'loading') entries.delete(key);
      };
    },
    refresh: () => refreshWhere(() => true),
    refreshWhere,
    noteReach: setReachable,
    isReachable: () => isReachable,
    watchReach: (tell) => {
      reachWatchers.add(tell);
      return () => reachWatchers.delete(tell);
    },
    onSignedOut: (tell) => {
      tellSignedOut = tell;
      if (isSignedOut) tell();
    },
    stop: () => {
      isStopped = true;
      for (const entry of entries.values()) {
        entry.asking?.abort();
        clearTimeout(entry.retry);
      }
      entries.clear();
    },
  };
}

export type Sent<T> =
  | { readonly ok: true; readonly status: number; readonly body: T; readonly headers: Headers }
  | { readonly ok: false; readonly status: number; readonly refusal: Refusal };

/**
 * Makes one call. A network error becomes a refusal like any other, and so does the response of a
 * gateway in front of an unavailable registry.
 */
export async function send<N extends RouteName>(
  client: Client,
  { name, call }: Question<N>,
  signal?: AbortSignal,
): Promise<Sent<BodyOf<N>>> {
  // The cast is safe: `Question<N>` pairs each method with its own call.
  const method = client[name] as unknown as (call: object) => Promise<Sent<BodyOf<N>>>;
  const unreachable = { code: 'UNREACHABLE', message: firstWords.unreachable };
  try {
    const sent = await method({ ...call, ...(signal !== undefined && { signal }) });
    const isGateway = !sent.ok && isOutage(sent.status) && sent.refusal.code === 'NOT_A_REGISTRY';
    return isGateway ? { ...sent, refusal: unreachable } : sent;
  } catch {
    return { ok: false, status: 0, refusal: unreachable };
  }
}

/** Status 0 is a network error; the others come from a gateway or a restarting registry. */
export function isOutage(status: number): boolean {
  return status === 0 || status === 502 || status === 503 || status === 504;
}

function newEntry(question: Question): Entry {
  return {
    question,
    watchers: new Set(),
    answer: loading,
    askedAt: 0,
    freshUntil: 0,
    failures: 0,
    asking: null,
    asked: Promise.resolve(),
    retry: undefined,
  };
}
