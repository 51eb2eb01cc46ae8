// Keeps the page up to date: each event causes requests only for the questions that it concerns.

import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import type { Visit } from '../session/visit.ts';
import type { Cache } from './cache.ts';
import { isConcerned, type LiveEvent, restsMs } from './concerns.ts';
import { followEvents } from './follow-events.ts';
import type { RouteName } from './shapes.ts';

/**
 * Combines requests for events that arrive together; with constant events, one refresh a second.
 */
const gatherMs = 60;
const restMs = 1_000;

const LiveContext = createContext<boolean | null>(null);

/** Whether the page currently receives events; null until that is known. */
export function useIsLive(): boolean | null {
  return useContext(LiveContext);
}

export function LiveProvider({
  visit,
  onSignedOut,
  children,
}: {
  readonly visit: Visit;
  readonly onSignedOut: () => void;
  readonly children: ReactNode;
}) {
  const [isLive, setLive] = useState<boolean | null>(null);
  useEffect(() => {
    const { session, cache, stream } = visit;
    const inbox = openInbox(cache);
    const stop = followEvents(session.headers, stream, {
      onOpen: (hasMissedNothing, openedAt) => {
        setLive(true);
        cache.noteReach(true);
        if (!hasMissedNothing) cache.refreshWhere((_, askedAt) => askedAt < openedAt);
      },
      onEvent: (text) => {
        const event = parseEvent(text);
        if (event !== null) inbox.put(event);
      },
      onReset: cache.refresh,
      onLost: (why) => {
        setLive(false);
        if (why === 'away') cache.noteReach(false);
        // Without a stream, polling is all that is left.
        if (why === 'refused') cache.refresh();
      },
      onSignedOut,
    });
    return () => {
      stop();
      inbox.close();
    };
  }, [visit, onSignedOut]);
  return <LiveContext value={isLive}>{children}</LiveContext>;
}

interface Inbox {
  readonly put: (event: LiveEvent) => void;
  readonly close: () => void;
}

function openInbox(cache: Cache): Inbox {
  let events: LiveEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let emptiedAt = 0;
  const resting = new Map<RouteName, ReturnType<typeof setTimeout>>();
  /** Requests that wait are sent when their pause ends. */
  const isDue = (name: RouteName, askedAt: number): boolean => {
    const leftMs = askedAt + (restsMs[name] ?? 0) - Date.now();
    if (leftMs <= 0) return true;
    const ask = () => {
      resting.delete(name);
      cache.refreshWhere((question) => question.name === name);
    };
    if (!resting.has(name)) resting.set(name, setTimeout(ask, leftMs));
    return false;
  };
  const empty = () => {
    timer = undefined;
    emptiedAt = performance.now();
    const told = events;
    events = [];
    cache.refreshWhere(
      (question, askedAt) =>
        told.some((event) => isConcerned(question, event)) && isDue(question.name, askedAt),
    );
  };
  return {
    put: (event) => {
      events.push(event);
      const restedMs = performance.now() - emptiedAt;
      timer ??= setTimeout(empty, Math.max(gatherMs, restMs - restedMs));
    },
    close: () => {
      clearTimeout(timer);
      for (const rest of resting.values()) clearTimeout(rest);
    },
  };
}

function parseEvent(text: string): LiveEvent | null {
  try {
    // Stream events have the same form as those of the audit routes.
    return JSON.parse(text) as LiveEvent;
  } catch {
    return null;
  }
}
