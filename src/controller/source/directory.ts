// A folder of YAML as a source. Nothing is written into it: what came of an object stands in the
// records. The namespace is the first folder below the root.

import { type FSWatcher, watch } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isSameJson } from '../../core/diff/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { Clock } from '../clock.ts';
import type { KindName } from '../crd/kinds.ts';
import { digestOf } from '../effective.ts';
import type { ObjectRecord, ObjectRecords } from './object-records.ts';
import { type Manifest, readManifests } from './read-manifests.ts';
import {
  keyOf,
  type ObjectKey,
  type ObjectNote,
  type Source,
  type SourceListener,
  type SourceObject,
} from './source.ts';
import { stableUuid } from './stable-uuid.ts';

export interface DirectoryOptions {
  readonly root: string;
  readonly identity: string;
  readonly clock: Clock;
  readonly records: ObjectRecords;
  readonly tell?: (object: SourceObject, note: ObjectNote) => void;
}

export interface DirectorySource extends Source {
  /** Reads now, and takes what is there for what is meant: somebody has looked. */
  readonly confirm: () => Promise<void>;
}

/** Unchanged for so long, a folder that somebody is copying into is complete. */
const settleMs = 1_000;
/** Some file systems tell of no changes: they are looked at now and then. */
const lookMs = 10_000;
const maxFiles = 50_000;
/** A fifth of what there was, and at least five: an unmounted volume, not a deletion. */
const suspicious = { share: 0.2, least: 5 };

interface Held {
  readonly object: SourceObject;
  readonly specDigest: string;
}

interface Snapshot {
  readonly objects: ReadonlyMap<
    ObjectKey,
    Omit<Manifest, 'name'> & { name: string; namespace: string; path: string }
  >;
  readonly configMaps: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Files that could not be read whole: what is missing of them is not deleted. */
  readonly brokenPaths: ReadonlyMap<string, string>;
  /** Not one file, of whatever kind. */
  readonly isEmpty: boolean;
}

export function openDirectory(options: DirectoryOptions): DirectorySource {
  const { root, identity, clock, records } = options;
  const held = new Map<ObjectKey, Held>();
  let configMaps: Snapshot['configMaps'] = new Map();
  let suspicion: string | null = null;
  let listener: SourceListener = { onChange: () => {}, onError: () => {} };
  let watcher: FSWatcher | null = null;
  let cancel: (() => void) | null = null;
  let fingerprint = '';
  let reading: Promise<void> = Promise.resolve();
  let isStopped = false;

  /** One reading at a time; a later one begins when the earlier one is over. */
  const readSoon = (isConfirmed: boolean): Promise<void> => {
    reading = reading
      .then(() => read(isConfirmed))
      .catch((error: unknown) => {
        listener.onError(error, `reading ${root}`);
      });
    return reading;
  };

  const schedule = (delayMs: number, look: () => void): void => {
    cancel?.();
    cancel = isStopped ? null : clock.after(delayMs, look);
  };

  const look = async (): Promise<void> => {
    const now = await fingerprintOf(root);
    if (now === fingerprint) {
      schedule(lookMs, () => void look());
      return;
    }
    settle(now);
  };

  /** Reads once two looks, a settling time apart, saw the same. */
  const settle = (seen: string): void => {
    schedule(settleMs, () => {
      void fingerprintOf(root).then(async (now) => {
        if (now !== seen) return settle(now);
        fingerprint = now;
        await readSoon(false);
        schedule(lookMs, () => void look());
      });
    });
  };

  const read = async (isConfirmed: boolean): Promise<void> => {
    const snapshot = await takeSnapshot(root).catch((error: unknown) => {
      suspicion = `SourceSuspicious: ${root} cannot be read (${error instanceof Error ? error.message : error}). Nothing is taken for deleted.`;
      return null;
    });
    if (snapshot === null) return;
    suspicion = isConfirmed ? null : suspicionOf(root, held, snapshot);
    if (suspicion !== null) {
      listener.onError(new Error(suspicion), `reading ${root}`);
      return;
    }
    await apply(snapshot);
  };

  const apply = async (snapshot: Snapshot): Promise<void> => {
    const changed = new Set<ObjectKey>();
    for (const [key, manifest] of snapshot.objects) {
      if (await put(key, manifest)) changed.add(key);
    }
    for (const [key, { object }] of held) {
      if (snapshot.objects.has(key)) continue;
      if (await miss(key, object, snapshot)) changed.add(key);
    }
    for (const key of dependentsOf(held, configMaps, snapshot.configMaps)) changed.add(key);
    configMaps = snapshot.configMaps;
    for (const key of changed) listener.onChange(key, 'changed');
  };

  const put = async (
    key: ObjectKey,
    manifest: Manifest & { readonly namespace: string; readonly path: string },
  ): Promise<boolean> => {
    const { kind, namespace, name, spec, reconcileAt, problem, path } = manifest;
    const before = held.get(key);
    const specDigest = digestOf(spec);
    const isSameSpec = before?.specDigest === specDigest;
    const object: SourceObject = {
      key,
      kind,
      namespace,
      name,
      uid: stableUuid(identity, key),
      generation: before === undefined ? 1 : before.object.generation + (isSameSpec ? 0 : 1),
      resourceVersion: specDigest,
      isDeleting: false,
      isClaimed: before?.object.isClaimed ?? false,
      reconcileAt,
      spec,
      status: before?.object.status ?? null,
      problem,
      revision: null,
      path,
    };
    held.set(key, { object, specDigest });
    const isSame =
      isSameSpec &&
      !before.object.isDeleting &&
      before.object.problem === problem &&
      before.object.reconcileAt === reconcileAt;
    if (!isSame || before.object.path !== path) await save(object);
    return !isSame;
  };

  const miss = async (
    key: ObjectKey,
    object: SourceObject,
    snapshot: Snapshot,
  ): Promise<boolean> => {
    const problem = object.path === null ? undefined : snapshot.brokenPaths.get(object.path);
    if (problem !== undefined) {
      const specDigest = held.get(key)?.specDigest ?? '';
      held.set(key, { object: { ...object, problem }, specDigest });
      return object.problem !== problem;
    }
    if (!object.isClaimed) {
      held.delete(key);
      await records.remove(identity, key);
      return false;
    }
    if (object.isDeleting) return false;
    held.set(key, { object: { ...object, isDeleting: true }, specDigest: '' });
    return true;
  };

  const save = (object: SourceObject): Promise<void> =>
    records.save(identity, {
      key: object.key,
      generation: object.generation,
      specDigest: digestOf(object.spec),
      isClaimed: object.isClaimed,
      status: object.status,
      lastSpec: object.spec,
    });

  /** Changes what is held, unless the object was replaced meanwhile. */
  const update = async (key: ObjectKey, change: Partial<SourceObject>) => {
    const now = held.get(key);
    if (now === undefined) return 'gone' as const;
    const object = { ...now.object, ...change };
    held.set(key, { ...now, object });
    await save(object);
    return 'written' as const;
  };

  return {
    kind: 'directory',
    identity,
    contractSource: 'git',
    get: (key) => held.get(key)?.object ?? null,
    keys: () => held.keys(),
    teamLabelOf: () => null,
    readConfigMap: async (namespace, name) => configMaps.get(`${namespace}/${name}`) ?? null,
    writeStatus: async (object, status) => {
      const now = held.get(object.key)?.object;
      if (now?.status !== undefined && now.status !== null && isSameJson(now.status, status)) {
        return 'unchanged';
      }
      return update(object.key, { status });
    },
    claim: (object) => update(object.key, { isClaimed: true }),
    release: async (object) => {
      const now = held.get(object.key)?.object;
      if (now === undefined) return 'gone';
      // It came back while it was being settled: a new object of the same name.
      if (!now.isDeleting) return update(object.key, { isClaimed: false, status: null });
      held.delete(object.key);
      await records.remove(identity, object.key);
      return 'written';
    },
    tell: async (object, note) => options.tell?.(object, note),
    suspicion: () => suspicion,
    confirm: () => readSoon(true),
    start: async (given) => {
      listener = given;
      for (const record of await records.load(identity)) {
        held.set(record.key, heldOf(record, identity));
      }
      fingerprint = await fingerprintOf(root);
      await readSoon(false);
      watcher = watchTree(root, () => void look());
      schedule(lookMs, () => void look());
    },
    stop: async () => {
      isStopped = true;
      cancel?.();
      watcher?.close();
      await reading;
    },
  };
}

function heldOf(record: ObjectRecord, identity: string): Held {
  const [kind = '', namespace = '', name = ''] = record.key.split('/');
  const object: SourceObject = {
    key: record.key,
    // Keys are made by keyOf, of a kind.
    kind: kind as KindName,
    namespace,
    name,
    uid: stableUuid(identity, record.key),
    generation: record.generation,
    resourceVersion: record.specDigest,
    isDeleting: false,
    isClaimed: record.isClaimed,
    reconcileAt: null,
    spec: record.lastSpec,
    status: record.status,
    problem: null,
    revision: null,
    path: pathOf(record.status),
  };
  return { object, specDigest: record.specDigest };
}

function pathOf(status: JsonObject | null): string | null {
  const source = status?.source ?? null;
  return isJsonObject(source) && typeof source.path === 'string' ? source.path : null;
}

function suspicionOf(
  root: string,
  held: ReadonlyMap<ObjectKey, Held>,
  snapshot: Snapshot,
): string | null {
  const living = [...held.values()].filter(({ object }) => !object.isDeleting);
  if (living.length === 0) return null;
  const why = 'Nothing is taken for deleted until somebody confirms.';
  if (snapshot.isEmpty) {
    return `SourceSuspicious: ${root} is empty, and ${living.length} objects came from it. ${why}`;
  }
  const missing = living.filter(
    ({ object }) =>
      !snapshot.objects.has(object.key) && !snapshot.brokenPaths.has(object.path ?? ''),
  ).length;
  const isTooMany = missing >= suspicious.least && missing > living.length * suspicious.share;
  return isTooMany
    ? `SourceSuspicious: ${missing} of ${living.length} objects are gone from ${root}. ${why}`
    : null;
}

function* dependentsOf(
  held: ReadonlyMap<ObjectKey, Held>,
  before: Snapshot['configMaps'],
  now: Snapshot['configMaps'],
): Iterable<ObjectKey> {
  for (const [key, { object }] of held) {
    const from = object.spec.schemaFrom ?? null;
    const reference = isJsonObject(from) ? (from.configMapKeyRef ?? null) : null;
    if (reference === null || !isJsonObject(reference)) continue;
    const name = `${object.namespace}/${String(reference.name)}`;
    if (!isSameJson(before.get(name), now.get(name))) yield key;
  }
}

async function takeSnapshot(root: string): Promise<Snapshot> {
  const objects = new Map<ObjectKey, Manifest & { namespace: string; path: string }>();
  const configMaps = new Map<string, Readonly<Record<string, string>>>();
  const brokenPaths = new Map<string, string>();
  const files = await listFiles(root);
  for (const path of files) {
    const [namespace = '', ...rest] = path.split('/');
    if (rest.length === 0) continue;
    const file = readManifests(await readFile(join(root, path)), namespace);
    for (const { name, data } of file.configMaps) configMaps.set(`${namespace}/${name}`, data);
    for (const manifest of file.manifests) {
      const key = keyOf(manifest.kind, namespace, manifest.name);
      const first = objects.get(key);
      const problem =
        first === undefined
          ? manifest.problem
          : `It stands in ${first.path} and in ${path}. Remove one of the two.`;
      objects.set(key, { ...(first ?? manifest), namespace, path: first?.path ?? path, problem });
    }
    if (file.problems.length === 0) continue;
    const problem = `${path}: ${file.problems.join('; ')}`;
    brokenPaths.set(path, problem);
    // A file nobody knows an object of still shows somewhere.
    if (file.manifests.length > 0) continue;
    const name = basename(path, extname(path)).toLowerCase();
    const key = keyOf('DataContract', namespace, name);
    if (!objects.has(key)) {
      const nothing = { spec: {}, reconcileAt: null, problem };
      objects.set(key, { kind: 'DataContract', name, namespace, path, ...nothing });
    }
  }
  return { objects, configMaps, brokenPaths, isEmpty: files.length === 0 };
}

const extensions = new Set(['.yaml', '.yml', '.json']);

/** Paths below the root, in one order, with `/` between folders. */
async function listFiles(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [''];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    for (const entry of entries) {
      // `.git`, and `..data` of a mounted ConfigMap, whose files are linked from beside it.
      if (entry.name.startsWith('.')) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(path);
      else if (extensions.has(extname(entry.name))) found.push(path);
    }
    if (found.length > maxFiles) throw new Error(`more than ${maxFiles} files`);
  }
  return found.sort();
}

/** Changes whenever a file is added, removed, or written. */
async function fingerprintOf(root: string): Promise<string> {
  try {
    const files = await listFiles(root);
    const facts = await Promise.all(
      files.map(async (path) => {
        const { size, mtimeMs, ino } = await stat(join(root, path));
        return `${path} ${size} ${mtimeMs} ${ino}`;
      }),
    );
    return facts.join('\n');
  } catch (error) {
    return `unreadable: ${error instanceof Error ? error.message : error}`;
  }
}

function watchTree(root: string, onEvent: () => void): FSWatcher | null {
  try {
    const watcher = watch(root, { recursive: true }, onEvent);
    watcher.on('error', () => {});
    return watcher;
  } catch {
    return null;
  }
}
