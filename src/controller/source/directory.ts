// A folder of YAML files as a source. Nothing is written into it. The first folder below the root
// is the namespace.

import { constants, type FSWatcher, watch } from 'node:fs';
import { open, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { maxDocumentBytes } from '../../core/import/pick/document-path.ts';
import type { Clock } from '../clock.ts';
import type { TeamMapping } from '../permission.ts';
import {
  type DocumentRead,
  missingDocument,
  readDocument,
  tooLargeDocument,
  unreadableDocument,
  unsettledDocument,
} from './document.ts';
import { holdFileObjects } from './file-objects.ts';
import type { ObjectRecords } from './object-records.ts';
import { readManifests } from './read-manifests.ts';
import type { ObjectNote, Source, SourceListener, SourceObject } from './source.ts';
import {
  documentPathsIn,
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
  /** The files that manifests take their schemas from, as the last reading found them. */
  let documents: readonly string[] = [];
  let reading: Promise<void> = Promise.resolve();
  let isStopped = false;
  /** Whether the files are compared again in a moment. */
  let isSettling = false;

  /**
   * Reads one at a time: a later read begins when the earlier one has ended. A manifest and the document that it names
   * belong together, so they are taken once both have settled and nothing changed while they were read; only at the start,
   * and if they are confirmed, they are taken at once.
   */
  const readSoon = (
    confirmation: 'confirmed' | 'unconfirmed',
    isTakenAtOnce: boolean,
  ): Promise<void> => {
    reading = reading
      .then(async () => {
        const begunAtMs = clock.monotonicMs();
        const read = await readTree(root).catch((error: unknown) => {
          objects.failToRead(error instanceof Error ? error.message : String(error));
          // A file disappeared between the listing and its reading; the next check reads everything
          // again.
          fingerprint = '';
          return null;
        });
        if (read === null) return;
        documents = read.documents;
        const isSettled =
          documents.length === 0 || (await fingerprintOf(root, documents)) === fingerprint;
        if (!isSettled) fingerprint = '';
        if (!isSettled && !isTakenAtOnce) return;
        await objects.take(read.snapshot, confirmation, begunAtMs);
      })
      .catch((error: unknown) => listener.onError(error, `reading ${root}`));
    return reading;
  };

  const schedule = (delayMs: number, look: () => void): void => {
    isSettling = false;
    cancel?.();
    cancel = isStopped ? null : clock.after(delayMs, look);
  };

  const lookLater = () => schedule(fingerprint === '' ? settleMs : lookMs, () => void look());

  const look = async (): Promise<void> => {
    const begunAtMs = clock.monotonicMs();
    const now = await fingerprintOf(root, documents);
    if (now === fingerprint) {
      objects.takeSame(begunAtMs);
      lookLater();
      return;
    }
    settle(now);
  };

  let isLooking = false;
  let isHeard = false;
  /** A change of many files is told by more events than there are files, and each look sees all of them. */
  const hear = async (): Promise<void> => {
    isHeard = true;
    if (isLooking) return;
    isLooking = true;
    while (isHeard && !isSettling && !isStopped) {
      isHeard = false;
      await look();
    }
    isLooking = false;
  };

  /** Reads once two checks, a settling time apart, found the same files. */
  const settle = (seen: string): void => {
    schedule(settleMs, () => {
      isSettling = false;
      void fingerprintOf(root, documents).then(async (now) => {
        if (now !== seen) return settle(now);
        fingerprint = now;
        await readSoon('unconfirmed', false);
        if (!isSettling) lookLater();
      });
    });
    isSettling = true;
  };

  return {
    ...objects.source,
    confirm: () => readSoon('confirmed', true),
    start: async (given) => {
      listener = given;
      await objects.load(given);
      fingerprint = await fingerprintOf(root, documents);
      await readSoon('unconfirmed', true);
      watcher = watchTree(root, () => void hear());
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

interface TreeRead {
  readonly snapshot: Snapshot;
  readonly documents: readonly string[];
}

async function readTree(root: string): Promise<TreeRead> {
  const { paths, links } = await listTree(root);
  const files: ReadFile[] = [];
  for (const path of paths) {
    const namespace = namespaceOf(path) ?? '';
    files.push({ path, read: readManifests(await readFile(join(root, path)), namespace) });
  }
  const named = documentPathsIn(files);
  const documents = new Map<string, DocumentRead>();
  for (const path of named) documents.set(path, await readDocumentBelow(root, path));
  return {
    snapshot: takeSnapshot({ files, links, documents, revision: null }),
    documents: named,
  };
}

/**
 * A link may lead elsewhere in the folder of the namespace, as in a mounted ConfigMap, and not out of it: its owners
 * say what is in there.
 */
async function readDocumentBelow(root: string, path: string): Promise<DocumentRead> {
  const place = join(root, path);
  try {
    const home = await realpath(join(root, namespaceOf(path) ?? ''));
    const target = await realpath(place);
    if (!target.startsWith(`${home}${sep}`)) {
      return unreadableDocument(path, 'it is a link out of its folder. Put the file itself there');
    }
    // What waits for a writer would hold up everything else.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    await using file = await open(target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    // A folder on the way there may have become a link meanwhile. Only Linux tells what was opened.
    const opened = await readlink(`/proc/self/fd/${file.fd}`).catch(() => target);
    if (opened !== target) return unsettledDocument(path);
    const before = await file.stat();
    if (!before.isFile()) return unreadableDocument(path, 'it is no file. Name a file');
    if (before.size > maxDocumentBytes) return tooLargeDocument(path);
    const bytes = await file.readFile();
    const after = await file.stat();
    const isSame =
      after.size === before.size &&
      after.mtimeMs === before.mtimeMs &&
      (await realpath(place)) === target;
    return isSame ? readDocument(bytes, path) : unsettledDocument(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? missingDocument(path)
      : unreadableDocument(path, `${code}. Make it readable`);
  }
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
async function fingerprintOf(root: string, documents: readonly string[]): Promise<string> {
  try {
    const { paths, links } = await listTree(root);
    const factOf = async (path: string) => {
      const { size, mtimeMs, ino } = await stat(join(root, path));
      return `${path} ${size} ${mtimeMs} ${ino}`;
    };
    const facts = await Promise.all([
      ...paths.map(factOf),
      ...documents.map((path) => factOf(path).catch((error) => `${path} ${error}`)),
    ]);
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
