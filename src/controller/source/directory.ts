// A folder of YAML files as a source. Nothing is written into it. The first folder below the root
// is the namespace.

import { type FSWatcher, watch } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { TeamMapping } from '../permission.ts';
import { holdFileObjects } from './file-objects.ts';
import type { ObjectRecords } from './object-records.ts';
import { readManifests } from './read-manifests.ts';
import type { ObjectNote, Source, SourceListener, SourceObject } from './source.ts';
import {
  isHidden,
  isManifestFile,
  namespaceOf,
  type ReadFile,
  type Snapshot,
  takeSnapshot,
} from './take-snapshot.ts';

interface DirectoryOptions {
  readonly root: string;
  readonly identity: string;
  readonly clock: Clock;
  readonly records: ObjectRecords;
  readonly mapping: TeamMapping;
  readonly tell?: (object: SourceObject, note: ObjectNote) => void;
}

export interface DirectorySource extends Source {
  /**
   * Reads now, and accepts the current files as intended, because an administrator has confirmed
   * them.
   */
  readonly confirm: () => Promise<void>;
}

/** A folder that somebody is copying into is considered complete when unchanged for this long. */
const settleMs = 1_000;
/** Some file systems report no changes, so the folder is also checked at this interval. */
const lookMs = 10_000;
const maxFiles = 50_000;

export function openDirectory(options: DirectoryOptions): DirectorySource {
  const { root, clock } = options;
  const objects = holdFileObjects({ ...options, kind: 'directory', place: root });
  let listener: SourceListener = { onChange: () => {}, onError: () => {} };
  let watcher: FSWatcher | null = null;
  let cancel: (() => void) | null = null;
  let fingerprint = '';
  let reading: Promise<void> = Promise.resolve();
  let isStopped = false;

  /** Reads one at a time: a later read begins when the earlier one has ended. */
  const readSoon = (confirmation: 'confirmed' | 'unconfirmed'): Promise<void> => {
    reading = reading
      .then(async () => {
        const begunAtMs = clock.monotonicMs();
        const snapshot = await readTree(root).catch((error: unknown) => {
          objects.failToRead(error instanceof Error ? error.message : String(error));
          // A file disappeared between the listing and its reading; the next check reads everything
          // again.
          fingerprint = '';
          return null;
        });
        if (snapshot !== null) await objects.take(snapshot, confirmation, begunAtMs);
      })
      .catch((error: unknown) => listener.onError(error, `reading ${root}`));
    return reading;
  };

  const schedule = (delayMs: number, look: () => void): void => {
    cancel?.();
    cancel = isStopped ? null : clock.after(delayMs, look);
  };

  const lookLater = () => schedule(fingerprint === '' ? settleMs : lookMs, () => void look());

  const look = async (): Promise<void> => {
    const begunAtMs = clock.monotonicMs();
    const now = await fingerprintOf(root);
    if (now === fingerprint) {
      objects.takeSame(begunAtMs);
      lookLater();
      return;
    }
    settle(now);
  };

  /** Reads once two checks, a settling time apart, found the same files. */
  const settle = (seen: string): void => {
    schedule(settleMs, () => {
      void fingerprintOf(root).then(async (now) => {
        if (now !== seen) return settle(now);
        fingerprint = now;
        await readSoon('unconfirmed');
        lookLater();
      });
    });
  };

  return {
    ...objects.source,
    confirm: () => readSoon('confirmed'),
    start: async (given) => {
      listener = given;
      await objects.load(given);
      fingerprint = await fingerprintOf(root);
      await readSoon('unconfirmed');
      watcher = watchTree(root, () => void look());
      lookLater();
    },
    stop: async () => {
      isStopped = true;
      cancel?.();
      watcher?.close();
      await reading;
    },
  };
}

async function readTree(root: string): Promise<Snapshot> {
  const { paths, links } = await listTree(root);
  const files: ReadFile[] = [];
  for (const path of paths) {
    const namespace = namespaceOf(path) ?? '';
    files.push({ path, read: readManifests(await readFile(join(root, path)), namespace) });
  }
  return takeSnapshot(files, links, null);
}

interface Tree {
  /** The files below the root, sorted, with `/` between folders. */
  readonly paths: readonly string[];
  /** Other links: a folder behind one may lead back here. */
  readonly links: readonly string[];
}

async function listTree(root: string): Promise<Tree> {
  const found: string[] = [];
  const links: string[] = [];
  const waiting = [''];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    for (const entry of entries) {
      if (isHidden(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(path);
      else if (isManifestFile(entry.name)) found.push(path);
      else if (entry.isSymbolicLink()) links.push(path);
    }
    if (found.length > maxFiles) throw new Error(`more than ${maxFiles} files`);
  }
  return { paths: found.sort(), links: links.sort() };
}

/** Changes whenever a file is added, removed, or written. */
async function fingerprintOf(root: string): Promise<string> {
  try {
    const { paths, links } = await listTree(root);
    const facts = await Promise.all(
      paths.map(async (path) => {
        const { size, mtimeMs, ino } = await stat(join(root, path));
        return `${path} ${size} ${mtimeMs} ${ino}`;
      }),
    );
    return [...facts, ...links].join('\n');
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
