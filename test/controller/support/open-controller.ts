// A controller over a folder, on a real registry: the parts that src/start assembles, with a
// twentieth of the real settling times.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { stringify } from 'yaml';
import { openBindings } from '../../../src/controller/bindings.ts';
import { type Clock, systemClock } from '../../../src/controller/clock.ts';
import {
  type Controller,
  type ControllerOptions,
  startController,
} from '../../../src/controller/controller.ts';
import type { DataContractStatus } from '../../../src/controller/crd/resources.ts';
import { type DirectorySource, openDirectory } from '../../../src/controller/source/directory.ts';
import type { ObjectNote } from '../../../src/controller/source/source.ts';
import { bootstrapActor } from '../../../src/core/actor.ts';
import type { Outcome } from '../../../src/core/failure.ts';
import type { SourceDescription } from '../../../src/core/source.ts';
import type { Team } from '../../../src/core/team.ts';
import { startComparePool } from '../../../src/engine/compare-pool.ts';
import { newUuid } from '../../../src/ops/uuid.ts';
import type { Context, Ports } from '../../../src/registry/ports.ts';
import type { Fence } from '../../../src/registry/sources/fencing.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import { startListener } from '../../../src/store/postgres/listener.ts';
import { openStore, type Store } from '../../../src/store/store.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { replaceFile } from '../../support/replace-file.ts';
import { computeKstatus } from './kstatus.ts';

/** For two slow cores that are shared with others: only a failure takes so long. */
export const patience = { timeout: 120_000, interval: 10 };

const quickClock: Clock = {
  ...systemClock,
  after: (delayMs, call) => systemClock.after(delayMs / 20, call),
};

export interface TestRegistry {
  readonly database: TestDatabase;
  readonly store: Store;
  readonly ports: Ports;
  readonly listener: ReturnType<typeof startListener>;
  /** The context of an administrator, for the same verbs as the API. */
  readonly admin: Context;
  readonly team: (slug: string) => Promise<Team>;
  readonly stop: () => Promise<void>;
}

export async function openTestRegistry(
  through: (url: string) => Promise<string> = async (url) => url,
  policy: Ports['policy'] = { keyMaxDays: null, fourEyes: false },
  copy?: string,
): Promise<TestRegistry> {
  const database = await openDatabase(copy);
  const url = await through(database.url);
  const store = await openStore({ url, rowChecks: 'every' });
  const listener = startListener(url);
  const engine = startComparePool({ workers: 1, stepBudget: 1_000_000 });
  const ports: Ports = {
    ...store,
    policy,
    engine,
    reportError: (error) => {
      throw error;
    },
  };
  const admin: Context = {
    actor: bootstrapActor,
    requestId: null,
    now: () => new Date().toISOString(),
    newId: newUuid,
  };
  await vi.waitFor(() => expect(listener.isListening()).toBe(true), patience);
  return {
    database,
    store,
    ports,
    listener,
    admin,
    team: async (slug) => accepted(await verbs.createTeam(ports, admin, { name: slug, slug })),
    stop: async () => {
      await listener.stop();
      await engine.stop();
      await store.stop();
      await database.drop();
    },
  };
}

/** The ports of a controller that leads for this source from now on. */
export async function leadSource(
  registry: TestRegistry,
  source: SourceDescription,
  hears: () => boolean = () => true,
): Promise<
  { readonly fence: Fence } & Pick<
    ControllerOptions,
    'ports' | 'verbs' | 'bindings' | 'allowForce' | 'now' | 'newId' | 'onRegistryChange'
  >
> {
  const { fences } = registry.store;
  const fence = await fences.take(source, 'test');
  return {
    fence,
    ports: fences.guard(registry.ports, fence),
    verbs,
    bindings: await openBindings(fences.bindings(fence)),
    allowForce: false,
    now: registry.admin.now,
    newId: newUuid,
    onRegistryChange: (hear) =>
      registry.listener.onHeard((heard) => {
        if (hears()) hear(heard);
      }),
  };
}

export function accepted<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
  return outcome.value;
}

export interface TestController {
  readonly source: DirectorySource;
  readonly root: string;
  readonly notes: { readonly name: string; readonly note: ObjectNote }[];
  readonly errors: string[];
  /** Writes a DataContract with exactly this spec. */
  readonly put: (path: string, spec: object, more?: object, others?: object) => Promise<void>;
  /** Replaces a file at once, as tools do. */
  readonly write: (path: string, text: string | Uint8Array) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
  /** Waits until the object has this reason. */
  readonly until: (name: string, reason: string, message?: RegExp) => Promise<DataContractStatus>;
  readonly untilGone: (name: string) => Promise<void>;
  /** Stops, and starts again with the records. */
  readonly restart: (whileStopped?: () => Promise<void>) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const namespace = 'shop';

export async function openTestController(
  registry: TestRegistry,
  mapping: Readonly<Record<string, readonly string[]>>,
  more: Partial<ControllerOptions> = {},
): Promise<TestController> {
  const root = await mkdtemp(join(tmpdir(), 'concordat-folder-'));
  const identity = `folder-${root.slice(-6)}`;
  const notes: TestController['notes'] = [];
  const errors: string[] = [];
  let source: DirectorySource;
  let controller: Controller;
  let hears = true;
  const start = async () => {
    const teams = new Map(Object.entries(mapping));
    const description = { identity, kind: 'directory', place: root } as const;
    const { fence, ...led } = await leadSource(registry, description, () => hears);
    source = openDirectory({
      root,
      identity,
      clock: quickClock,
      records: registry.store.sourceObjects(fence),
      mapping: teams,
      tell: (object, note) => notes.push({ name: object.name, note }),
    });
    controller = await startController({
      ...led,
      source,
      mapping: teams,
      clock: quickClock,
      isLeading: () => true,
      onError: (error, during) => {
        errors.push(`${during}: ${error instanceof Error ? error.message : error}`);
      },
      ...more,
    });
  };
  // A folder without any file would be suspicious.
  await replaceFile(join(root, namespace, 'kustomization.yaml'), 'kind: Kustomization\n');
  await start();
  /** Finds a DataContract of the namespace by its name, or any object by its key. */
  const statusOf = (name: string) => {
    const key = name.includes('/') ? name : `DataContract/${namespace}/${name}`;
    const object = source.get(key);
    const status = (object?.status ?? {}) as DataContractStatus;
    const conditions = new Map(status.conditions?.map((one) => [one.type, one]));
    const ready = conditions.get('Suspended') ?? conditions.get('Ready');
    return { object, status, ready };
  };
  return {
    get source() {
      return source;
    },
    root,
    notes,
    errors,
    put: (path, spec, more = {}, others = {}) => {
      const name = path.replace(/^.*\//, '').replace(/\.yaml$/, '');
      const metadata = { name, ...more };
      const kind = 'DataContract';
      const manifest = { apiVersion: 'concordat.dev/v1', kind, metadata, spec, ...others };
      return replaceFile(join(root, path), stringify(manifest));
    },
    write: (path, text) => replaceFile(join(root, path), text),
    remove: (path) => rm(join(root, path), { recursive: true }),
    until: async (name, reason, message = /./) => {
      await vi.waitFor(() => {
        const { object, ready, status } = statusOf(name);
        expect(status.observedGeneration).toBe(object?.generation);
        expect([ready?.reason, ready?.message]).toEqual([reason, expect.stringMatching(message)]);
      }, patience);
      const { object, status } = statusOf(name);
      const { generation = 0 } = object ?? {};
      // In every state, tools must not consider the object ready too early.
      const isReady = status.conditions?.[0]?.status === 'True';
      const made = computeKstatus({
        metadata: { generation },
        status: { ...status } as Parameters<typeof computeKstatus>[0]['status'] & object,
      });
      expect(made === 'Current').toBe(isReady);
      return status;
    },
    untilGone: (name) => vi.waitFor(() => expect(statusOf(name).object).toBeNull(), patience),
    restart: async (whileStopped) => {
      hears = false;
      await controller.stop();
      await whileStopped?.();
      hears = true;
      await start();
    },
    stop: async () => {
      hears = false;
      await controller.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
