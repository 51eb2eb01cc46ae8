// The page's only event stream. It is open while the page is visible, resumes after interruptions,
// and reports the end of the session. A hidden page closes it, because a browser allows six
// connections per host, and a registry limits the streams of each key.

import { routes } from '../../wire/routes.ts';
import { basePath } from '../base-path.ts';
import { openReader, type ServerSentReader } from './server-sent.ts';

interface StreamListener {
  /** The stream is open since then. If it could not resume, earlier answers may be outdated. */
  readonly onOpen: (hasMissedNothing: boolean, openedAt: number) => void;
  readonly onEvent: (data: string) => void;
  /** Events are missing, so everything on the page may be outdated. */
  readonly onReset: () => void;
  /** The stream is closed for now. */
  readonly onLost: (why: 'broken' | 'away' | 'refused') => void;
  readonly onSignedOut: () => void;
}

const firstRetryMs = 500;
const lastRetryMs = 20_000;
/**
 * The server sends a sign of life every 15 seconds, which detects a connection that died silently.
 */
const silenceLimitMs = 50_000;
/** A stream that ended sooner counts as failed: the wait before the next attempt grows. */
const goodForMs = 5_000;

export interface AskedStream {
  readonly connection: AbortController;
  readonly answer: Promise<{ readonly response: Response; readonly at: number }>;
}

/** Asks for the stream from a place, or from now on. */
export function askStream(
  headers: Readonly<Record<string, string>>,
  place: string | null = null,
): AskedStream {
  const connection = new AbortController();
  const asked = fetch(basePath + routes.streamEvents.path, {
    headers: {
      ...headers,
      accept: 'text/event-stream',
      ...(place !== null && { 'last-event-id': place }),
    },
    signal: connection.signal,
  });
  const answer = asked.then((response) => ({ response, at: Date.now() }));
  // Who follows it is told of a failure; nobody has to.
  answer.catch(() => {});
  return { connection, answer };
}

/** Follows the stream, which may have been asked for, until the returned function is called. */
export function followEvents(
  headers: Readonly<Record<string, string>>,
  asked: AskedStream | null,
  listener: StreamListener,
): () => void {
  let first = asked;
  let place: string | null = null;
  let failures = 0;
  let connection: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  const hangUp = () => {
    clearTimeout(timer);
    connection?.abort();
    connection = null;
  };
  const retryLater = () => {
    clearTimeout(timer);
    const waitMs = Math.min(lastRetryMs, firstRetryMs * 2 ** failures);
    failures++;
    // A random delay, so that pages which lost the same server do not all reconnect at once.
    timer = setTimeout(connect, waitMs * (0.5 + Math.random()));
  };
  const connect = () => {
    hangUp();
    const early = first;
    first = null;
    if (isStopped || document.visibilityState === 'hidden') {
      early?.connection.abort();
      return;
    }
    const mine = early ?? askStream(headers, place);
    connection = mine.connection;
    void run(mine).then((outcome) => {
      if (mine.connection !== connection) return;
      connection = null;
      if (outcome === 'signed_out') {
        listener.onSignedOut();
        return;
      }
      listener.onLost(outcome);
      retryLater();
    });
  };
  /** One connection, from its request to its end. */
  const run = async ({ connection: mine, answer }: AskedStream): Promise<Ended> => {
    const guard = guardSilence(mine);
    let openedAt: number | null = null;
    try {
      const { response, at } = await answer;
      const refused = endOf(response);
      if (refused !== null) {
        // The registry does not accept this position: start again, from now.
        if (response.status === 400 || response.status === 422) place = null;
        return refused;
      }
      openedAt = performance.now();
      listener.onOpen(place !== null, at);
      await readAll(response, openReader(place), guard.heard);
      return 'broken';
    } catch {
      return openedAt === null ? 'away' : 'broken';
    } finally {
      guard.stop();
      if (openedAt !== null && performance.now() - openedAt > goodForMs) failures = 0;
    }
  };
  const readAll = async (response: Response, reader: ServerSentReader, heard: () => void) => {
    const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let next = await pieces?.read(); next?.value !== undefined; next = await pieces?.read()) {
      if (isStopped) return;
      heard();
      for (const sent of reader.read(next.value)) {
        if (sent.type === 'reset') listener.onReset();
        else if (sent.type === 'message') listener.onEvent(sent.data);
      }
      place = reader.place();
    }
  };
  const onVisibility = () => {
    if (document.visibilityState === 'hidden') hangUp();
    else if (connection === null) connect();
  };

  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('online', connect);
  connect();
  return () => {
    isStopped = true;
    hangUp();
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('online', connect);
  };
}

type Ended = 'broken' | 'away' | 'refused' | 'signed_out';

/** Null if the stream was accepted. */
function endOf({ status, ok }: Response): Ended | null {
  if (ok) return null;
  if (status === 401) return 'signed_out';
  return status === 502 || status === 503 || status === 504 ? 'away' : 'refused';
}

function guardSilence(connection: AbortController) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => connection.abort(), silenceLimitMs);
  };
  heard();
  return { heard, stop: () => clearTimeout(timer) };
}
