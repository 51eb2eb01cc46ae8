// Which objects wait for what in the registry, so that a change there wakes those it is about and
// no others.

import { isJsonObject, type Json } from '../core/value/json.ts';
import type { Priority } from './queue.ts';
import type { ObjectKey, Source, SourceObject } from './source/source.ts';

/** `many` where there was too much to say. */
export type RegistryChange =
  | { readonly events: readonly RegistryEvent[]; readonly actorId: string }
  | { readonly events: 'many' };

interface RegistryEvent {
  readonly eventType: string;
  readonly entityId: string;
  /** The asset that it is about; null where it is about none. */
  readonly assetId: string | null;
}

interface Interests {
  /** An object is looked at: what it follows from now on is told at once, the rest ends with it. */
  readonly begin: (object: SourceObject) => Round;
  readonly forget: (key: ObjectKey) => void;
  readonly concernedBy: (change: RegistryChange) => Iterable<readonly [ObjectKey, Priority]>;
}

interface Round {
  /** Wakes the object whenever something happens to what has this id. */
  readonly follow: (id: string) => void;
  /** Whether what it waits for came while it was looked at: then it is looked at again. */
  readonly end: () => boolean;
}

export function openInterests(source: Pick<Source, 'get' | 'keys'>): Interests {
  const followed = new Map<ObjectKey, ReadonlySet<string>>();
  const followers = new Map<string, Set<ObjectKey>>();
  /** What they wait for has no id yet: a team, a name. By the events that may bring it. */
  const waiting = new Map<ObjectKey, RegExp>();
  /** By each look under way: what has happened since it began. */
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
          // At once: what happens while the object is looked at makes it be looked at again.
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
      // What an object did itself it has seen.
      for (const key of answered) if (source.get(key)?.uid !== actorId) yield [key, 'answered'];
      // A team that everybody waits for wakes everybody: that is no answer to one of them.
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
  NotPermitted: /^(team|asset)\./,
  SourceNotFound: /^(asset|contract)\./,
  ContractNotFound: /^(asset|contract)\./,
  AssetNotFound: /^(asset|contract)\./,
  InvalidSpec: /^user\./,
};

function awaitedEvents(object: SourceObject | null): RegExp | null {
  const ready = conditionsOf(object).find((condition) => condition.type === 'Ready');
  return (typeof ready?.reason === 'string' ? awaitedBy[ready.reason] : undefined) ?? null;
}

/** Somebody was asked, and may have answered while nobody heard. */
function isPending(object: SourceObject | null): boolean {
  const isReconciling = conditionsOf(object).some(({ type }) => type === 'Reconciling');
  return isReconciling || object?.isDeleting === true;
}

function conditionsOf(object: SourceObject | null) {
  const conditions = object?.status?.conditions ?? null;
  return Array.isArray(conditions) ? conditions.filter((one: Json) => isJsonObject(one)) : [];
}

/** The ids in the registry that an object's status tells of. */
function idsOf(object: SourceObject | null): readonly string[] {
  const { assetId, registrationId, proposalId, proposal } = object?.status ?? {};
  const ofProposal = proposal !== undefined && isJsonObject(proposal) ? proposal.id : null;
  return [assetId, registrationId, proposalId, ofProposal].filter((id) => typeof id === 'string');
}
