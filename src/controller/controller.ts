// The controller of one source. Reconciles objects when they change in the source or in the
// registry, and resyncs all of them periodically.

import type { Ports } from '../registry/ports.ts';
import { Fenced, type SourceReading, unknownAsset } from '../registry/sources/fencing.ts';
import type { Clock } from './clock.ts';
import type { KindName } from './crd/kinds.ts';
import { openDepartures, startFindingDepartures } from './departures.ts';
import type { RegistryChange } from './interests.ts';
import { openInterests } from './interests.ts';
import { openKnownTeams } from './known-teams.ts';
import { type ListUnread, openOtherSources } from './other-sources.ts';
import { done, type Priority, type QueueEvent, WorkQueue, type WorkResult } from './queue.ts';
import { reconcileCheck } from './reconcile/check/contract-check.ts';
import { reconcileProposal } from './reconcile/contract-proposal.ts';
import { reconcileContract } from './reconcile/data-contract.ts';
import { reconcileRegistration } from './reconcile/registrations/contract-registration.ts';
import { RegistrationClaims } from './reconcile/registrations/registration-claims.ts';
import { releaseDeparted } from './reconcile/release-departed.ts';
import { reconcileTeam } from './reconcile/teams/team.ts';
import type { World } from './reconcile/world.ts';
import { startResync } from './resync.ts';
import type { ObjectKey, Source, SourceObject } from './source/source.ts';

export interface ControllerOptions
  extends Omit<World, 'source' | 'follow' | 'wake' | 'claims' | 'unreadSince' | 'forgetTeams'> {
  readonly source: Source;
  readonly clock: Clock;
  /** Subscribes to commits in the registry, by anyone; returns a function that unsubscribes. */
  readonly onRegistryChange: (hear: (change: RegistryChange) => void) => () => void;
  /** Called before every write: only the leader may write. */
  readonly isLeading: () => boolean;
  readonly onError: (error: unknown, during: string) => void;
  /** Absent if this is the only source. */
  readonly listUnread?: ListUnread;
  /** Called when another process has become the leader, or when Postgres was restarted or restored. */
  readonly onFenced?: (error: Fenced) => void;
  /** Aborts the start, for a source that cannot be reached. */
  readonly signal?: AbortSignal;
  readonly observe?: (event: QueueEvent) => void;
  /** Runs a reconcile within a trace. */
  readonly trace?: TraceReconcile | undefined;
  readonly concurrency?: number;
  readonly resyncMs?: number;
}

export type TraceReconcile = (
  object: SourceObject,
  reconcile: () => Promise<WorkResult>,
) => Promise<WorkResult>;

export interface Controller {
  /** Null until the source was read as a whole, and each registration in it was handled. */
  readonly reading: () => SourceReading | null;
  readonly stop: () => Promise<void>;
}

/** Limited by the spare connections of the registry's pool. */
const defaultConcurrency = 4;
/** Only a safety net: changes arrive as notifications. */
const defaultResyncMs = 60 * 60_000;

type Reconciler = (world: World, object: SourceObject) => Promise<WorkResult>;

const reconcilers: Readonly<Record<KindName, Reconciler>> = {
  DataContract: reconcileContract,
  ContractProposal: reconcileProposal,
  ContractRegistration: reconcileRegistration,
  ContractCheck: reconcileCheck,
  Team: reconcileTeam,
};

class NotLeading extends Error {
  override readonly name = 'NotLeading';
}

export async function startController(options: ControllerOptions): Promise<Controller> {
  const { source, clock, onError, isLeading } = options;
  const { reads } = options.ports;
  const teams = openKnownTeams((slugs) => reads.listTeamsBySlug(slugs), clock);
  const { listTeamsBySlug } = teams;
  const asked = { ...options.ports, reads: { ...reads, listTeamsBySlug } };
  const ports = whileLeading(asked, isLeading);
  const interests = openInterests(source);
  const claims = new RegistrationClaims(source);
  const otherSources = openOtherSources(clock, options.listUnread ?? (async () => []));
  const wake = (key: ObjectKey, priority: Priority = 'changed') => queue.add(key, priority);
  const { unreadSince } = otherSources;
  const common = { ...options, ports, claims, unreadSince, wake, forgetTeams: teams.forget };
  const departures = openDepartures((place, now) =>
    releaseDeparted({ ...common, follow: () => {} }, place, now),
  );
  const work = async (key: ObjectKey): Promise<WorkResult> => {
    if (!isLeading()) throw new NotLeading('another process leads');
    // A failed release must not delay the object that has the name now.
    const settled = await departures.settle(key, source.get(key));
    const object = source.get(key);
    if (object === null) {
      if (settled.kind === 'failed') return settled;
      queue.forget(key);
      interests.forget(key);
      otherSources.forget(key);
      for (const waiting of claims.takeWaiting(key)) wake(waiting);
      return done;
    }
    if (!object.isDeleting) otherSources.forget(key);
    const round = interests.begin(object);
    const world: World = { ...common, follow: round.follow };
    try {
      const reconcile = () => reconcilers[object.kind](world, object);
      const result = await (options.trace?.(object, reconcile) ?? reconcile());
      return settled.kind === 'failed' ? settled : result;
    } finally {
      if (round.end()) queue.add(key, 'changed');
    }
  };
  const queue = new WorkQueue({
    clock,
    concurrency: options.concurrency ?? defaultConcurrency,
    observe: (event) => {
      options.observe?.(event);
      if (event.kind !== 'retrying') return;
      if (event.error instanceof Fenced) options.onFenced?.(event.error);
      onError(event.error, `reconciling ${event.key}`);
    },
    work,
  });
  let isFilled = false;
  // At startup every object is reported as new; they are queued together once all have been read.
  const onChange = (key: ObjectKey, priority: Priority) => {
    if (!isFilled) return;
    claims.note(key);
    queue.add(key, priority);
  };
  const onDeparture = (key: ObjectKey) => {
    departures.note(key);
    onChange(key, 'changed');
  };
  let finding: ReturnType<typeof startFindingDepartures> | null = null;
  const onScopeGained = () => finding?.findNow();
  const listener = { onChange, onDeparture, onScopeGained, onError };
  const isStarted = await startSource(source, listener, options.signal);
  if (!isStarted) return { reading: () => null, stop: async () => {} };
  isFilled = true;
  const deaf = options.onRegistryChange((change) => {
    if (isAboutTeams(change)) teams.forget();
    for (const [key, priority] of interests.concernedBy(change)) queue.add(key, priority);
  });
  for (const key of source.keys()) {
    claims.note(key);
    queue.add(key, isSettled(source.get(key)) ? 'resync' : 'changed');
  }
  queue.start();
  const { resyncMs: everyMs = defaultResyncMs } = options;
  const { listManaged } = reads;
  const comparing = { source, clock, listManaged, everyMs, onDeparture, onError };
  finding = startFindingDepartures(comparing);
  const endResync = startResync({
    clock,
    everyMs,
    keys: () => source.keys(),
    look: (key) => queue.add(key, 'resync'),
  });
  return {
    reading: () => {
      const readAtMs = claims.hasUnread() ? null : source.readAtMs();
      if (readAtMs === null) return null;
      const unsettled = [...claims.unsettled(), ...(source.hidesObjects() ? [unknownAsset] : [])];
      return { msAgo: clock.monotonicMs() - readAtMs, unsettled };
    },
    stop: async () => {
      deaf();
      endResync();
      await finding?.stop();
      await queue.stop();
      await source.stop();
    },
  };
}

/** The status has this generation, and no later change is known. */
function isSettled(object: SourceObject | null): boolean {
  return object?.status?.observedGeneration === object?.generation && object?.isDeleting !== true;
}

function isAboutTeams({ events }: RegistryChange): boolean {
  return events === 'many' || events.some(({ eventType }) => eventType.startsWith('team.'));
}

/**
 * Returns false if the signal aborts first; a source that cannot be reached would otherwise block
 * forever.
 */
async function startSource(
  source: Source,
  listener: Parameters<Source['start']>[0],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const abort = () => resolve();
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  await Promise.race([source.start(listener), aborted]);
  signal?.removeEventListener('abort', abort);
  if (signal?.aborted !== true) return true;
  await source.stop();
  return false;
}

/** Keeps a leader that was suspended past its lease from writing. */
function whileLeading(ports: Ports, isLeading: () => boolean): Ports {
  const check = () => {
    if (!isLeading()) throw new NotLeading('another process leads');
  };
  return {
    ...ports,
    transact: async (context, body) => {
      check();
      return ports.transact(context, body);
    },
    attempt: async (context, body) => {
      check();
      return ports.attempt(context, body);
    },
  };
}
