// One reader of committed events for all followers in this process: it reads on notification, and
// at an interval. A follower that reconnects first gets the events that it missed, then joins the
// others.

import { accept, type Outcome, refuse } from '../core/failure.ts';
import type { EventFeed, Follower, StreamedEvent } from '../registry/audit/event-feed.ts';
import type { Reads } from '../registry/ports.ts';
import { formatPlace, parsePlace, type StreamPlace } from './stream-place.ts';

interface EventFeedDeps {
  readonly listStreamed: Reads['listStreamed'];
  /** Subscribes to commits. Returns a function that unsubscribes. */
  readonly onNews: (hear: () => void) => () => void;
  readonly reportError: (error: unknown, during: string) => void;
}

/** Finds events without a notification within this time. */
const pollMs = 1_000;
const pageSize = 500;
/**
 * About a kilobyte each. A follower that missed more reads everything again, which costs less than
 * sending the events.
 */
const missedLimit = 10_000;
/** The number of followers that catch up at once; each holds its missed events in memory. */
const catchUpLimit = 4;

interface Member {
  readonly follower: Follower;
  /** A slow follower gets no events until it has drained; it then catches up from its position. */
  state: 'catching_up' | 'live' | 'slow';
  /** The events that happened while it caught up. */
  queue: [StreamedEvent, string][];
  place: string;
}

/**
 * The position of this process: all transactions that `before` sees, and those of `through` up to
 * the event `after`.
 */
interface Progress {
  before: string;
  through: string | null;
  after: number;
}

export function openEventFeed(deps: EventFeedDeps): EventFeed {
  const members = new Set<Member>();
  let isStopped = false;
  let read: Progress = { before: '', through: null, after: 0 };
  const catchUps = openGate(catchUpLimit);

  const leave = (member: Member) => members.delete(member);
  const give = (member: Member, streamed: StreamedEvent, place: string) => {
    if (member.state === 'live') {
      member.place = place;
      if (!member.follower.tell(streamed, place)) slowDown(member);
    } else if (member.state === 'catching_up') {
      member.queue.push([streamed, place]);
      // A reader that takes this long will never catch up. It may reconnect.
      if (member.queue.length > missedLimit) slowDown(member);
    }
  };
  const slowDown = (member: Member) => {
    member.queue = [];
    if (member.state === 'catching_up') {
      leave(member);
      member.follower.end();
      return;
    }
    member.state = 'slow';
    supervise(member, rejoin(member));
  };
  const rejoin = async (member: Member) => {
    await member.follower.drained();
    await look();
    if (!members.has(member)) return;
    const from = parsePlace(member.place);
    if (from === 'malformed')
      throw new Error(`${member.place} is not a valid place in the stream.`);
    member.state = 'catching_up';
    await start(member, from, read.before);
  };
  const supervise = (member: Member, work: Promise<void>) => {
    work.catch((error: unknown) => {
      deps.reportError(error, 'catching a reader up with the events');
      if (leave(member)) member.follower.end();
    });
  };

  /**
   * Delivers everything since the last snapshot page by page. After a failure it continues where it
   * stopped.
   */
  const tellNext = async () => {
    for (let goesOn = true; goesOn; ) {
      const page = await deps.listStreamed({ ...read, limit: pageSize });
      if (page.isElsewhere) {
        read = { before: page.through, through: null, after: 0 };
        for (const { follower } of members) follower.reset();
        return;
      }
      const { before } = read;
      const { through } = page;
      for (const streamed of page.events) {
        const place = formatPlace({ before, through, after: streamed.position });
        for (const member of members) give(member, streamed, place);
      }
      goesOn = page.events.length === pageSize;
      read = { before, through, after: page.events.at(-1)?.position ?? 0 };
    }
    read = { before: read.through ?? read.before, through: null, after: 0 };
    const place = formatPlace(startingAt(read.before));
    for (const member of members) if (member.state === 'live') member.place = place;
  };
  const look = inTurn(async () => {
    if (members.size === 0) {
      const { through } = await deps.listStreamed({
        before: null,
        through: null,
        after: 0,
        limit: 0,
      });
      read = { before: through, through: null, after: 0 };
      return;
    }
    if (read.through !== null) await tellNext();
    await tellNext();
  });

  const lookForMembers = () => {
    if (members.size === 0 || isStopped) return;
    look().catch((error: unknown) => deps.reportError(error, 'reading the stream of events'));
  };
  const deaf = deps.onNews(lookForMembers);
  const timer = setInterval(lookForMembers, pollMs);
  timer.unref();

  const catchUp = async (member: Member, from: StreamPlace, until: string) => {
    const missed = await catchUps(() => listMissed(deps.listStreamed, from, until));
    if (missed === null) member.follower.reset();
    for (const [streamed, place] of missed ?? []) {
      if (!members.has(member)) return;
      member.place = place;
      if (!member.follower.tell(streamed, place)) await member.follower.drained();
    }
  };
  const start = async (member: Member, from: StreamPlace | null, until: string) => {
    if (from !== null) await catchUp(member, from, until);
    if (!members.has(member)) return;
    const { queue } = member;
    member.queue = [];
    member.state = 'live';
    member.place = formatPlace(startingAt(until));
    for (const [streamed, place] of queue) give(member, streamed, place);
    member.follower.caughtUp();
  };

  return {
    follow: async (from, follower) => {
      const place = from === null ? null : parsePlace(from);
      if (place === 'malformed') return refusePlace();
      // The follower's snapshot is older than now, so a read that begins now sees at least as much.
      await look();
      if (isStopped) return refuse('REGISTRY_UNAVAILABLE', 'This process is stopping. Try again.');
      const until = read.before;
      const member: Member = {
        follower,
        state: 'catching_up',
        queue: [],
        place: formatPlace(startingAt(until)),
      };
      members.add(member);
      return accept({
        place: () => member.place,
        start: () => {
          supervise(member, start(member, place, until));
        },
        stop: () => void leave(member),
      });
    },
    stop: async () => {
      isStopped = true;
      deaf();
      clearInterval(timer);
      for (const { follower } of members) follower.end();
      members.clear();
    },
  };
}

function startingAt(before: string): StreamPlace {
  return { before, through: null, after: 0 };
}

/** Null if there are too many, or if the database cannot tell. */
async function listMissed(
  listStreamed: Reads['listStreamed'],
  from: StreamPlace,
  until: string,
): Promise<readonly (readonly [StreamedEvent, string])[] | null> {
  const missed: (readonly [StreamedEvent, string])[] = [];
  const { before, through, after } = from;
  const spans = [
    ...(through === null ? [] : [{ before, through, after }]),
    { before: through ?? before, through: until, after: 0 },
  ];
  for (const span of spans) {
    const page = await listStreamed({ ...span, limit: missedLimit + 1, inAnyOrder: true });
    if (page.isElsewhere) return null;
    for (const streamed of page.events) {
      missed.push([streamed, formatPlace({ ...span, after: streamed.position })]);
    }
    if (missed.length > missedLimit) return null;
  }
  return missed;
}

function refusePlace(): Outcome<never> {
  return refuse(
    'VALIDATION_ERROR',
    'Last-Event-ID is not valid for this stream. Start again without it.',
    { field: 'last_event_id' },
  );
}

/** Runs one at a time; calls during a run share the next one, which begins after they arrived. */
function inTurn(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    const running = run().finally(() => {
      current = null;
    });
    current = running;
    return running;
  };
  return () => {
    if (current === null) return begin();
    next ??= current
      .catch(() => {})
      .then(() => {
        next = null;
        return begin();
      });
    return next;
  };
}

/** Lets this many run at once; the others wait. */
function openGate(limit: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return async (run) => {
    if (inside >= limit) await new Promise<void>((enter) => waiting.push(enter));
    inside++;
    try {
      return await run();
    } finally {
      inside--;
      waiting.shift()?.();
    }
  };
}
