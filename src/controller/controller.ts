// The controller of one source: what changes there, or in the registry, is reconciled; everything
// is looked at again now and then.

import { isJsonObject, type Json } from '../core/json.ts';
import type { Ports } from '../registry/ports.ts';
import type { Clock } from './clock.ts';
import type { KindName } from './crd/kinds.ts';
import { done, type QueueEvent, WorkQueue, type WorkResult } from './queue.ts';
import { reconcileRegistration } from './reconcile/contract-registration.ts';
import { reconcileContract } from './reconcile/data-contract.ts';
import type { World } from './reconcile/world.ts';
import type { ObjectKey, Source, SourceObject } from './source/source.ts';

export interface ControllerOptions extends Omit<World, 'source'> {
  readonly source: Source;
  readonly clock: Clock;
  /** Calls for what was committed in the registry, by whomever. */
  readonly onRegistryChange: (hear: (change: RegistryChange) => void) => void;
  /** Asked before every write: whoever does not lead changes nothing. */
  readonly isLeading: () => boolean;
  readonly onError: (error: unknown, during: string) => void;
  readonly observe?: (event: QueueEvent) => void;
  readonly concurrency?: number;
  readonly resyncMs?: number;
}

/** `many` where there was too much to say. */
export type RegistryChange =
  | { readonly events: readonly { readonly eventType: string; readonly entityId: string }[] }
  | { readonly events: 'many' };

export interface Controller {
  readonly stop: () => Promise<void>;
}

/** As many as the registry's pool has connections to spare. */
const defaultConcurrency = 4;
/** A safety net: what changes is told. */
const defaultResyncMs = 10 * 60_000;

type Reconciler = (world: World, object: SourceObject) => Promise<WorkResult>;

const reconcilers: Readonly<Partial<Record<KindName, Reconciler>>> = {
  DataContract: reconcileContract,
  ContractRegistration: reconcileRegistration,
};

export class NotLeading extends Error {
  override readonly name = 'NotLeading';
}

export async function startController(options: ControllerOptions): Promise<Controller> {
  const { source, clock, onError, isLeading } = options;
  const world: World = { ...options, ports: whileLeading(options.ports, isLeading) };
  const index = new Map<string, Set<ObjectKey>>();
  const waiting = new Set<ObjectKey>();
  const learn = (key: ObjectKey) => {
    const object = source.get(key);
    for (const id of idsOf(object)) index.set(id, (index.get(id) ?? new Set()).add(key));
    if (waitsForOthers(object)) waiting.add(key);
    else waiting.delete(key);
  };
  const queue = new WorkQueue({
    clock,
    concurrency: options.concurrency ?? defaultConcurrency,
    observe: (event) => {
      options.observe?.(event);
      if (event.kind === 'retrying') onError(event.error, `reconciling ${event.key}`);
    },
    work: async (key) => {
      if (!isLeading()) throw new NotLeading('another process leads');
      const object = source.get(key);
      if (object === null) {
        queue.forget(key);
        waiting.delete(key);
        return done;
      }
      const result = await (reconcilers[object.kind]?.(world, object) ?? done);
      learn(key);
      return result;
    },
  });
  await source.start({ onChange: (key, priority) => queue.add(key, priority), onError });
  for (const key of source.keys()) {
    learn(key);
    queue.add(key, 'resync');
  }
  options.onRegistryChange((change) => {
    for (const key of concerned(change, index, source)) queue.add(key, 'changed');
    for (const key of waiting) queue.add(key, 'resync');
  });
  queue.start();
  let cancel = () => {};
  const resync = () => {
    for (const key of source.keys()) queue.add(key, 'resync');
    cancel = clock.after(options.resyncMs ?? defaultResyncMs, resync);
  };
  cancel = clock.after(options.resyncMs ?? defaultResyncMs, resync);
  return {
    stop: async () => {
      cancel();
      await queue.stop();
      await source.stop();
    },
  };
}

/** A leader that was paused past its lease and wakes up changes nothing. */
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

const othersReasons = new Set<Json | undefined>([
  'ProposalConflict',
  'SourceNotFound',
  'DeletionBlocked',
  'TeamNotResolved',
  'FqnConflict',
  'ManagedElsewhere',
]);

/** What it waits for is nothing that it has an id of: any change in the registry may be it. */
function waitsForOthers(object: SourceObject | null): boolean {
  const conditions = object?.status?.conditions ?? null;
  if (!Array.isArray(conditions)) return false;
  return conditions.some(
    (condition: Json) =>
      isJsonObject(condition) && condition.type === 'Ready' && othersReasons.has(condition.reason),
  );
}

/** The ids in the registry that an object is told of. */
function idsOf(object: SourceObject | null): readonly string[] {
  const status = object?.status ?? {};
  const proposal = status.proposal ?? null;
  const pending = status.pendingProposals ?? null;
  const proposals = [proposal, ...(Array.isArray(pending) ? pending : [])];
  const proposalIds = proposals.map((one: Json) => (isJsonObject(one) ? one.id : null));
  const { assetId, contractId, registrationId } = status;
  return [assetId, contractId, registrationId, ...proposalIds].filter(
    (id) => typeof id === 'string',
  );
}

const newsForConsumers = new Set(['proposal.created', 'contract.published']);

function* concerned(
  change: RegistryChange,
  index: ReadonlyMap<string, ReadonlySet<ObjectKey>>,
  source: Source,
): Iterable<ObjectKey> {
  if (change.events === 'many') {
    // Those that wait for people; what was said to them may have been missed.
    for (const key of source.keys()) {
      const object = source.get(key);
      if (object?.status?.proposal !== undefined || object?.isDeleting) yield key;
    }
    return;
  }
  const keys = new Set(change.events.flatMap(({ entityId }) => [...(index.get(entityId) ?? [])]));
  // What is said of a new proposal or version names neither asset nor consumers.
  if (change.events.some(({ eventType }) => newsForConsumers.has(eventType))) {
    for (const key of source.keys()) if (key.startsWith('ContractRegistration/')) keys.add(key);
  }
  yield* keys;
}
