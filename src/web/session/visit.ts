// A visit of somebody who is signed in: the session, what was asked in it, and its stream of events.
// The first one begins before the script that draws the page is there.

import { type Cache, createCache } from '../data/cache.ts';
import { firstQuestions } from '../data/first-questions.ts';
import { type AskedStream, askStream } from '../data/follow-events.ts';
import { headersOfKey, resumeSession, type Session } from './auth.ts';
import { chosenTeam } from './team-choice.ts';

export interface Visit {
  readonly session: Session;
  readonly cache: Cache;
  /** Asked for before anything else; null if nobody has. */
  readonly stream: AskedStream | null;
}

export function visitOf(session: Session, stream: AskedStream | null = null): Visit {
  return { session, cache: createCache(session.client), stream };
}

export type Begun = Visit | 'away' | null;

/**
 * Resumes the session, and asks what the view at this path asks first; `hasAsked` resolves when it has.
 * The visit is `null` if the user must sign in.
 */
export function beginVisit(path: string): {
  readonly visit: Promise<Begun>;
  readonly hasAsked: Promise<void>;
} {
  const visit = resumeVisit();
  return { visit, hasAsked: visit.then((begun) => askFirst(begun, path)) };
}

async function resumeVisit(): Promise<Begun> {
  // A hidden page has no stream.
  const ask = document.visibilityState === 'visible' ? askStream : () => null;
  const key = headersOfKey();
  const early = key === null ? null : ask(key);
  const session = await resumeSession();
  if (session !== null && session !== 'away') {
    return visitOf(session, early ?? ask(session.headers));
  }
  early?.connection.abort();
  return session;
}

/** Asks once the stream is open: an earlier answer might be outdated without an event. */
async function askFirst(begun: Begun, path: string): Promise<void> {
  if (begun === null || begun === 'away') return;
  const { session, cache, stream } = begun;
  const isOpen = await stream?.answer.then(
    ({ response }) => response.ok,
    () => false,
  );
  if (isOpen !== true) return;
  for (const question of firstQuestions(session, chosenTeam(session), path)) {
    cache.preload(question);
  }
}
