// Maps changes in the registry to the objects that wait for them, so that a change wakes these
// objects and no others.

import { isJsonObject, type Json } from '../core/value/json.ts';
import type { Priority } from './queue.ts';
import type { ObjectKey, Source, SourceObject } from './source/source.ts';

/** `many` if there were too many events to list. */
export type RegistryChange =
  | { readonly events: readonly RegistryEvent[]; readonly actorId: string }
  | { readonly events: 'many' };

interface RegistryEvent {
  readonly eventType: string;
  readonly entityId: string;
  /** The asset that the event is about; null if there is none. */
  readonly assetId: string | null;
}

interface Interests {
  /**
   * Begins to reconcile an object. Ids that it follows count immediately; earlier ids are dropped
   * when the round ends.
   */
  readonly begin: (object: SourceObject) => Round;
  readonly forget: (key: ObjectKey) => void;
  readonly concernedBy: (change: RegistryChange) => Iterable<readonly [ObjectKey, Priority]>;
}

interface Round {
  /** Wakes the object on every event of this id. */
  readonly follow: (id: string) => void;
  /**
   * Returns whether an awaited event arrived during the round, so that the object must be
   * reconciled again.
   */
  readonly end: () => boolean;
}

export function openInterests(source: Pick<Source, 'get' | 'keys'>): Interests {
  const followed = new Map<ObjectKey, ReadonlySet<string>>();
  const followers = new Map<string, Set<ObjectKey>>();
  /**
   * Objects that wait for something without an id yet, such as a team or a name: the event types
   * that may bring it.
   */
  const waiting = new Map<ObjectKey, RegExp>();
  /** The events since the beginning of each reconcile in progress. */
  const heard = new Set<string[]>();

  const add = (id: string, key: ObjectKey) => {
    const keys = followers.get(id) ?? new Set();
    followers.set(id, keys.add(key));
  };
  const drop = (id: string, key: ObjectKey) => {
    const keys = followers.get(id);
    keys?.delete(key);
    if (keys?.size === 0) followers.delete(id);
  };
  const replace = (key: ObjectKey, ids: ReadonlySet<string>) => {
    for (const id of followed.get(key) ?? []) if (!ids.has(id)) drop(id, key);
    for (const id of ids) add(id, key);
    followed.set(key, ids);
  };

  return {
    begin: ({ key }) => {
      const ids = new Set<string>();
      const since: string[] = [];
      heard.add(since);
      return {
        follow: (id) => {
          ids.add(id);
          // Added at once, so that an event during the reconcile causes another one.
          add(id, key);
        },
        end: () => {
          heard.delete(since);
          const object = source.get(key);
          for (const id of idsOf(object)) ids.add(id);
          replace(key, ids);
          const events = awaitedEvents(object);
          if (events === null) waiting.delete(key);
          else waiting.set(key, events);
          return since.some((eventType) => events?.test(eventType));
        },
      };
    },
    forget: (key) => {
      replace(key, new Set());
      followed.delete(key);
      waiting.delete(key);
    },
    *concernedBy(change) {
      if (change.events === 'many') {
        for (const key of source.keys())
          yield [key, isPending(source.get(key)) ? 'changed' : 'resync'];
        return;
      }
      const { events, actorId } = change;
      for (const since of heard) since.push(...events.map(({ eventType }) => eventType));
      const answered = new Set(events.flatMap((event) => followersOf(event, followers)));
      // An object need not be woken by its own changes.
      for (const key of answered) if (source.get(key)?.uid !== actorId) yield [key, 'answered'];
      // A team that many objects wait for wakes all of them, but it is not an answer to any of
      // them, so they get the lower priority.
      for (const [key, awaited] of waiting) {
        const isAwaited = events.some(({ eventType }) => awaited.test(eventType));
        if (!isAwaited || answered.has(key) || source.get(key)?.uid === actorId) continue;
        yield [key, 'changed'];
      }
    },
  };
}

function followersOf(
  { entityId, assetId }: RegistryEvent,
  followers: ReadonlyMap<string, ReadonlySet<ObjectKey>>,
): readonly ObjectKey[] {
  const ofAsset = assetId === null ? undefined : followers.get(assetId);
  return [...(followers.get(entityId) ?? []), ...(ofAsset ?? [])];
}

const awaitedBy: Readonly<Record<string, RegExp>> = {
  TeamNotResolved: /^team\./,
  TeamNotFound: /^team\./,
  NotPermitted: /^(team|asset)\./,
  SourceNotFound: /^(asset|contract)\./,
  ContractNotFound: /^(asset|contract)\./,
  AssetNotFound: /^(asset|contract)\./,
  InvalidSpec: /^user\./,
};

/** A Team that waits for its assets, services and registrations to go, or for a name or slug. */
const teamAwaits: Readonly<Record<string, RegExp>> = {
  DeletionBlocked: /^(asset|service|registration)\./,
  Conflict: /^team\./,
  ManagedElsewhere: /^team\./,
};

function awaitedEvents(object: SourceObject | null): RegExp | null {
  const ready = conditionsOf(object).find((condition) => condition.type === 'Ready');
  if (typeof ready?.reason !== 'string') return null;
  const ofKind = object?.kind === 'Team' ? teamAwaits[ready.reason] : undefined;
  return ofKind ?? awaitedBy[ready.reason] ?? null;
}

/** The object has asked somebody, whose answer may have been missed. */
function isPending(object: SourceObject | null): boolean {
  const isReconciling = conditionsOf(object).some(({ type }) => type === 'Reconciling');
  return isReconciling || object?.isDeleting === true;
}

function conditionsOf(object: SourceObject | null) {
  const conditions = object?.status?.conditions ?? null;
  return Array.isArray(conditions) ? conditions.filter((one: Json) => isJsonObject(one)) : [];
}

/** The registry ids in an object's status. */
function idsOf(object: SourceObject | null): readonly string[] {
  const { assetId, registrationId, proposalId, proposal, teamId } = object?.status ?? {};
  const ofProposal = proposal !== undefined && isJsonObject(proposal) ? proposal.id : null;
  return [assetId, registrationId, proposalId, ofProposal, teamId].filter(
    (id) => typeof id === 'string',
  );
}
