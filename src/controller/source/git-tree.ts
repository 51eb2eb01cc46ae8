// Reads the manifests of one commit from git's storage.

import {
  type DocumentRead,
  linkedDocument,
  missingDocument,
  readDocument,
  tooLargeDocument,
} from './document.ts';
import { GitError } from './git-program.ts';
import { type FileRead, maxFileBytes, readManifests, tooLargeFile } from './read-manifests.ts';
import {
  documentPathsIn,
  isHidden,
  isManifestFile,
  namespaceOf,
  type ReadFile,
  type Snapshot,
  takeSnapshot,
} from './take-snapshot.ts';

/** Parsed files by namespace and blob id; a commit changes few of them. */
export type FileCache = Map<string, FileRead>;

/** Files that schemas come from, by path and blob id. */
export type DocumentCache = Map<string, DocumentRead>;

/** Runs git in the clone and returns its output. */
export type GitAsk = (args: readonly string[], input?: string) => Promise<Buffer>;

interface CommitToRead {
  readonly commit: string;
  readonly path: string;
  readonly cache: FileCache;
  readonly documents: DocumentCache;
}

const maxFiles = 50_000;
/** The size of files requested together; their contents are in memory until they are parsed. */
const batchBytes = 64 * 1024 * 1024;

interface Entry {
  readonly path: string;
  readonly blob: string;
  readonly bytes: number;
}

export async function readCommit(
  ask: GitAsk,
  { commit, path, cache, documents }: CommitToRead,
): Promise<Snapshot> {
  const listed = await ask(['ls-tree', '-r', '-z', '-l', `${commit}:${path}`]).catch((error) => {
    const isAbsent = error instanceof GitError && /not a (valid|tree) object/i.test(error.message);
    throw isAbsent ? new GitError(`commit ${commit} has no folder ${path}`) : error;
  });
  const listing = parseListing(listed);
  const { entries, links } = listing;
  if (entries.length > maxFiles) throw new GitError(`more than ${maxFiles} files`);
  await readEntries(ask, entries, cache, {
    keyOf,
    read: (content, entry) => readManifests(content, namespaceOf(entry.path) ?? ''),
    tooLarge: () => tooLargeFile,
  });
  const files = entries.flatMap((entry): ReadFile[] => {
    const read = cache.get(keyOf(entry));
    return read === undefined ? [] : [{ path: entry.path, read }];
  });
  return takeSnapshot({
    ...{ files, links, revision: commit },
    documents: await readDocuments(ask, documentPathsIn(files), listing, documents),
  });
}

/** The documents of a commit are those of the same commit as the manifests that name them. */
async function readDocuments(
  ask: GitAsk,
  paths: readonly string[],
  { entries, others, links }: Listing,
  cache: DocumentCache,
): Promise<ReadonlyMap<string, DocumentRead>> {
  const asked = new Set(paths);
  const found = new Map(
    [...entries, ...others].flatMap((entry) =>
      asked.has(entry.path) ? [[entry.path, entry] as const] : [],
    ),
  );
  const keyOfDocument = ({ path, blob }: Entry) => `${path} ${blob}`;
  await readEntries(ask, [...found.values()], cache, {
    keyOf: keyOfDocument,
    read: (content, { path }) => readDocument(content, path),
    tooLarge: ({ path }) => tooLargeDocument(path),
  });
  const isLinked = (path: string) =>
    links.some((link) => path === link || path.startsWith(`${link}/`));
  return new Map(
    paths.map((path) => {
      const entry = found.get(path);
      const read = entry === undefined ? undefined : cache.get(keyOfDocument(entry));
      return [path, read ?? (isLinked(path) ? linkedDocument(path) : missingDocument(path))];
    }),
  );
}

interface EntryReader<T> {
  readonly keyOf: (entry: Entry) => string;
  readonly read: (content: Buffer, entry: Entry) => T;
  readonly tooLarge: (entry: Entry) => T;
}

/** Keeps these entries in the cache, and no others. */
async function readEntries<T>(
  ask: GitAsk,
  entries: readonly Entry[],
  cache: Map<string, T>,
  reader: EntryReader<T>,
): Promise<void> {
  const known = new Set(entries.map(reader.keyOf));
  for (const key of cache.keys()) if (!known.has(key)) cache.delete(key);
  const fresh = entries.filter((entry) => !cache.has(reader.keyOf(entry)));
  for (const batch of inBatches(fresh)) {
    const asked = batch.filter(({ bytes }) => bytes <= maxFileBytes);
    const input = asked.map(({ blob }) => `${blob}\n`).join('');
    const contents = parseBatch(asked.length === 0 ? Buffer.alloc(0) : await ask(catFile, input));
    for (const entry of batch) {
      const content = contents.get(entry.blob);
      const read = content === undefined ? reader.tooLarge(entry) : reader.read(content, entry);
      cache.set(reader.keyOf(entry), read);
    }
  }
}

const catFile = ['cat-file', '--batch'];

function keyOf({ path, blob }: Entry): string {
  return `${namespaceOf(path)} ${blob}`;
}

/** Regular files. Others are links, which may lead out of the repository, and submodules, which do. */
const ordinaryModes = new Set(['100644', '100755']);

interface Listing {
  /** The files that may hold manifests. */
  readonly entries: readonly Entry[];
  readonly others: readonly Entry[];
  readonly links: readonly string[];
}

/** Parses `100644 blob <name>    <bytes>\t<path>`, each terminated by a NUL. */
function parseListing(listed: Buffer): Listing {
  const entries: Entry[] = [];
  const others: Entry[] = [];
  const links: string[] = [];
  for (const line of listed.toString('utf8').split('\0')) {
    const cut = line.indexOf('\t');
    const [mode = '', , blob = '', bytes = ''] = line.slice(0, cut).split(/ +/);
    const path = line.slice(cut + 1);
    if (path === '' || path.split('/').some(isHidden)) continue;
    const entry = { path, blob, bytes: Number(bytes) };
    if (!ordinaryModes.has(mode)) links.push(path);
    else if (isManifestFile(path)) entries.push(entry);
    else others.push(entry);
  }
  return { entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)), others, links };
}

function* inBatches(entries: readonly Entry[]): Iterable<readonly Entry[]> {
  let batch: Entry[] = [];
  let sum = 0;
  for (const entry of entries) {
    if (sum + entry.bytes > batchBytes && batch.length > 0) {
      yield batch;
      batch = [];
      sum = 0;
    }
    batch.push(entry);
    sum += Math.min(entry.bytes, maxFileBytes);
  }
  if (batch.length > 0) yield batch;
}

/** Parses a sequence of `<name> blob <bytes>\n<content>\n`. */
function parseBatch(output: Buffer): ReadonlyMap<string, Buffer> {
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0x0a, at);
    const [blob = '', type, bytes] = output.toString('ascii', at, end).split(' ');
    if (type !== 'blob') throw new GitError(`${blob} is missing from the clone`);
    const start = end + 1;
    contents.set(blob, output.subarray(start, start + Number(bytes)));
    at = start + Number(bytes) + 1;
  }
  return contents;
}
