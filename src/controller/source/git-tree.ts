// Reads the manifests of one commit from git's storage.

import { GitError } from './git-program.ts';
import { type FileRead, maxFileBytes, readManifests, tooLargeFile } from './read-manifests.ts';
import {
  isHidden,
  isManifestFile,
  namespaceOf,
  type ReadFile,
  type Snapshot,
  takeSnapshot,
} from './take-snapshot.ts';

/** Parsed files by namespace and blob id; a commit changes few of them. */
export type FileCache = Map<string, FileRead>;

/** Runs git in the clone and returns its output. */
export type GitAsk = (args: readonly string[], input?: string) => Promise<Buffer>;

interface CommitToRead {
  readonly commit: string;
  readonly path: string;
  readonly cache: FileCache;
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
  { commit, path, cache }: CommitToRead,
): Promise<Snapshot> {
  const listed = await ask(['ls-tree', '-r', '-z', '-l', `${commit}:${path}`]).catch((error) => {
    const isAbsent = error instanceof GitError && /not a (valid|tree) object/i.test(error.message);
    throw isAbsent ? new GitError(`commit ${commit} has no folder ${path}`) : error;
  });
  const { entries, links } = parseListing(listed);
  if (entries.length > maxFiles) throw new GitError(`more than ${maxFiles} files`);
  const known = new Set(entries.map(keyOf));
  for (const key of cache.keys()) if (!known.has(key)) cache.delete(key);
  const fresh = entries.filter((entry) => !cache.has(keyOf(entry)));
  for (const batch of inBatches(fresh)) {
    const asked = batch.filter(({ bytes }) => bytes <= maxFileBytes);
    const input = asked.map(({ blob }) => `${blob}\n`).join('');
    const contents = parseBatch(asked.length === 0 ? Buffer.alloc(0) : await ask(catFile, input));
    for (const entry of batch) {
      const content = contents.get(entry.blob);
      const namespace = namespaceOf(entry.path) ?? '';
      cache.set(
        keyOf(entry),
        content === undefined ? tooLargeFile : readManifests(content, namespace),
      );
    }
  }
  const files = entries.flatMap((entry): ReadFile[] => {
    const read = cache.get(keyOf(entry));
    return read === undefined ? [] : [{ path: entry.path, read }];
  });
  return takeSnapshot(files, links, commit);
}

const catFile = ['cat-file', '--batch'];

function keyOf({ path, blob }: Entry): string {
  return `${namespaceOf(path)} ${blob}`;
}

/** Regular files. Others are links, which may lead out of the repository, and submodules, which do. */
const ordinaryModes = new Set(['100644', '100755']);

/** Parses `100644 blob <name>    <bytes>\t<path>`, each terminated by a NUL. */
function parseListing(listed: Buffer): {
  readonly entries: readonly Entry[];
  readonly links: readonly string[];
} {
  const entries: Entry[] = [];
  const links: string[] = [];
  for (const line of listed.toString('utf8').split('\0')) {
    const cut = line.indexOf('\t');
    const [mode = '', , blob = '', bytes = ''] = line.slice(0, cut).split(/ +/);
    const path = line.slice(cut + 1);
    if (path === '' || path.split('/').some(isHidden)) continue;
    if (!ordinaryModes.has(mode)) links.push(path);
    else if (isManifestFile(path)) entries.push({ path, blob, bytes: Number(bytes) });
  }
  return { entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)), links };
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
