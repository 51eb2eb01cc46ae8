// Responses that continue as events happen. They are limited in number and in unread data, and end
// when the key or session that opened them does.

import type { ServerResponse } from 'node:http';
import { accept, type Outcome, refuse } from '../core/failure.ts';
import type {
  EventFeed,
  Follower,
  Following,
  StreamedEvent,
} from '../registry/audit/event-feed.ts';
import { representEventListed } from '../wire/represent/represent.ts';
import { keyEvents } from './request/caller/auth.ts';
import type { KeyChanges } from './request/caller/lookup.ts';
import { sessionEvents } from './request/caller/session.ts';

export interface StreamLimits {
  readonly streams: number;
  /** The limit for one key or user. */
  readonly streamsOfOne: number;
  readonly heartbeatMs: number;
}

interface StreamAsk {
  readonly actorId: string;
  /** The position to resume from; null starts now. */
  readonly from: string | null;
  /** False ends the stream once it has sent everything up to now. */
  readonly follows: boolean;
  readonly wants: (streamed: StreamedEvent) => boolean;
  /** Whether the key or session that opened the stream is still valid. */
  readonly isStillAdmitted: () => Promise<boolean>;
}

/** A streaming response; the caller writes its status and headers. */
export interface LiveAnswer {
  readonly start: (response: ServerResponse) => void;
  /** The client has disconnected. */
  readonly cancel: () => void;
}

export interface EventStreams {
  /** The number of open streams. */
  readonly count: () => number;
  readonly open: (ask: StreamAsk) => Promise<Outcome<LiveAnswer>>;
}

interface EventStreamDeps {
  readonly feed: EventFeed;
  readonly changes: KeyChanges;
  readonly limits: StreamLimits;
}

/** The unread data that a slow reader may have: some thousand events. Beyond it, sending pauses. */
const bufferLimitBytes = 1024 * 1024;
/**
 * A reader that has not read its data for this many heartbeats is disconnected, and may reconnect.
 */
const stalledHeartbeats = 2;

export function createEventStreams({ feed, changes, limits }: EventStreamDeps): EventStreams {
  const open = new Map<Stream, string>();
  changes.onChange(({ events }) => {
    const mayEnd =
      events === 'many' ||
      events.some(({ eventType }) => keyEvents.has(eventType) || sessionEvents.has(eventType));
    if (mayEnd) for (const stream of open.keys()) stream.recheck();
  });
  const admit = (actorId: string): Outcome<true> => {
    const own = [...open.values()].filter((id) => id === actorId).length;
    if (own < limits.streamsOfOne && open.size < limits.streams) return accept(true);
    const [whose, count] =
      own < limits.streamsOfOne ? ['This server', open.size] : ['This key or user', own];
    return refuse(
      'RATE_LIMITED',
      `${whose} has ${count} open streams, which is the limit. Close one first.`,
    );
  };
  return {
    count: () => open.size,
    open: async (ask) => {
      const admitted = admit(ask.actorId);
      if (!admitted.ok) return admitted;
      const stream = openStream(ask, limits.heartbeatMs, () => open.delete(stream));
      open.set(stream, ask.actorId);
      try {
        const following = await feed.follow(ask.from, stream.follower);
        if (!following.ok) stream.cancel();
        return following.ok ? accept(stream.answerBy(following.value)) : following;
      } catch (error) {
        stream.cancel();
        throw error;
      }
    },
  };
}

interface Stream {
  readonly follower: Follower;
  readonly answerBy: (following: Following) => LiveAnswer;
  readonly recheck: () => void;
  readonly cancel: () => void;
}

function openStream(ask: StreamAsk, heartbeatMs: number, closed: () => void): Stream {
  let response: ServerResponse | null = null;
  let following: Following | null = null;
  let heartbeat: NodeJS.Timeout | undefined;
  const close = () => {
    clearInterval(heartbeat);
    following?.stop();
    closed();
  };
  const end = () => void response?.end();
  const write = (text: string): boolean => {
    if (response === null || response.writableEnded || response.destroyed) return true;
    response.write(text);
    return response.writableLength <= bufferLimitBytes;
  };
  const recheck = () => {
    // An unavailable database says nothing about a key, so the next heartbeat checks again.
    ask.isStillAdmitted().then(
      (isAdmitted) => {
        if (!isAdmitted) end();
      },
      () => {},
    );
  };
  const beat = () => {
    write(positionText(following));
    recheck();
  };

  const follower: Follower = {
    tell: (streamed, place) => !ask.wants(streamed) || write(eventText(streamed, place)),
    drained: async () => {
      if (response !== null) await drained(response, heartbeatMs * stalledHeartbeats);
    },
    reset: () => void write('event: reset\ndata: {}\n\n'),
    caughtUp: () => {
      write(positionText(following));
      if (!ask.follows) end();
    },
    end,
  };
  return {
    follower,
    recheck,
    cancel: close,
    answerBy: (found) => {
      following = found;
      return {
        cancel: close,
        start: (opened) => {
          response = opened;
          opened.on('close', close);
          opened.on('error', () => {});
          if (opened.destroyed) return close();
          // Shows proxies and browsers at once that the stream is open.
          opened.flushHeaders();
          heartbeat = setInterval(beat, heartbeatMs);
          found.start();
        },
      };
    },
  };
}

/** Waits until the response can be written to again, or is closed. */
function drained(response: ServerResponse, limitMs: number): Promise<void> {
  if (response.destroyed || !response.writableNeedDrain) return Promise.resolve();
  return new Promise((done) => {
    const finish = () => {
      clearTimeout(timer);
      response.off('drain', finish).off('close', finish);
      done();
    };
    const timer = setTimeout(() => response.destroy(), limitMs);
    response.on('drain', finish).on('close', finish);
  });
}

function eventText({ event, assetId }: StreamedEvent, place: string): string {
  const data = { ...representEventListed(event), asset_id: assetId };
  return `id: ${place}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * Moves the reader's position forward when no event is sent: browsers ignore an event without data.
 */
function positionText(following: Following | null): string {
  return following === null ? ': \n\n' : `: \nid: ${following.place()}\n\n`;
}
