// A repository as a source: a bare and shallow clone, fetched at an interval and read by commit.
// There is no work tree, so partly written files are never read.

import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { isAlive } from '../../ops/data-folder.ts';
import type { Clock } from '../clock.ts';
import type { TeamMapping } from '../permission.ts';
import { holdFileObjects } from './file-objects.ts';
import type { GitAddress } from './git-address.ts';
import { type GitAccess, GitError, openGitProgram } from './git-program.ts';
import { type DocumentCache, type FileCache, type GitAsk, readCommit } from './git-tree.ts';
import type { ObjectRecords } from './object-records.ts';
import type { ObjectNote, Source, SourceListener, SourceObject } from './source.ts';
import type { Snapshot } from './take-snapshot.ts';

export interface GitSourceOptions {
  readonly address: GitAddress;
  /** A branch, a tag, a full name, a commit, or HEAD. */
  readonly ref: string;
  /** The folder inside the repository that contains the namespaces; '' is the whole repository. */
  readonly path: string;
  /** The folder for this process's clones. */
  readonly folder: string;
  readonly intervalMs: number;
  /** The time limit for one fetch. */
  readonly timeoutMs: number;
  /** Called before every fetch, so that rotated credentials are read again. */
  readonly access: () => Promise<GitAccess>;
  /** Only the variables that git needs reach it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly identity: string;
  readonly clock: Clock;
  readonly records: ObjectRecords;
  readonly mapping: TeamMapping;
  /** Called after each successful fetch. */
  readonly onFetched?: () => void;
  readonly tell?: (object: SourceObject, note: ObjectNote) => void;
}

export interface GitSource extends Source {
  /**
   * Fetches now, and accepts the current state as intended, because an administrator has confirmed
   * it.
   */
  readonly confirm: () => Promise<void>;
  /** Fetches now. */
  readonly fetchNow: () => Promise<void>;
  /** The last commit that was applied; null before the first. */
  readonly commit: () => string | null;
}

/** The same repository, ref and path are the same source, wherever they are read from. */
export function identityOfGit(address: GitAddress, ref: string, path: string): string {
  const url = address.url.replace(/\/+$/, '').replace(/\.git$/, '');
  const digest = createHash('sha256').update([url, ref, path].join('\n')).digest('hex');
  return `git-${digest.slice(0, 32)}`;
}

/** Refers to the fetched commit, which protects it from garbage collection. */
const readRef = 'refs/concordat/read';
/** Old commits are collected after this many fetches with new ones. */
const fetchesBetweenCollections = 100;

export function openGit(options: GitSourceOptions): GitSource {
  const { address, ref, path, clock, timeoutMs } = options;
  const place = `${address.url} (${ref}${path === '' ? '' : `, ${path}`})`;
  const objects = holdFileObjects({ ...options, kind: 'git', place });
  const git = openGitProgram(options);
  const stopping = new AbortController();
  const cache: FileCache = new Map();
  const documents: DocumentCache = new Map();
  let listener: SourceListener = { onChange: () => {}, onError: () => {} };
  let clone: string | null = null;
  let taken: string | null = null;
  let fetched = 0;
  let cancel: () => void = () => {};
  let reading: Promise<void> = Promise.resolve();

  const askIn =
    (folder: string): GitAsk =>
    (args, input = '') =>
      git({ folder, args, timeoutMs, signal: stopping.signal, input });

  /** Fetches one at a time: a later fetch begins when the earlier one has ended. */
  const fetchSoon = (confirmation: 'confirmed' | 'unconfirmed'): Promise<void> => {
    reading = reading
      .then(async () => {
        const begunAtMs = clock.monotonicMs();
        const snapshot = await read().catch((error: unknown) => {
          if (!(error instanceof GitError)) throw error;
          if (!stopping.signal.aborted) objects.failToRead(error.message);
          return null;
        });
        if (snapshot === null) return;
        await objects.take(snapshot, confirmation, begunAtMs);
        if (objects.source.suspicion() === null) taken = snapshot.revision;
      })
      .catch((error: unknown) => listener.onError(error, `reading ${place}`));
    return reading;
  };

  const read = async (): Promise<Snapshot> => {
    clone ??= await makeClone(options.folder, askIn, trustedCertificates());
    const ask = askIn(clone);
    const commit = await fetchCommit(ask, address, ref);
    options.onFetched?.();
    if (commit !== taken && ++fetched % fetchesBetweenCollections === 0) {
      await ask(['gc', '--prune=now', '--quiet']);
    }
    return readCommit(ask, { commit, path, cache, documents });
  };

  const again = (): void => {
    if (stopping.signal.aborted) return;
    cancel = clock.after(options.intervalMs, () => void fetchSoon('unconfirmed').then(again));
  };

  return {
    ...objects.source,
    confirm: () => fetchSoon('confirmed'),
    fetchNow: () => fetchSoon('unconfirmed'),
    commit: () => taken,
    start: async (given) => {
      listener = given;
      await objects.load(given);
      await fetchSoon('unconfirmed');
      again();
    },
    stop: async () => {
      stopping.abort();
      cancel();
      await reading;
      if (clone !== null) await rm(clone, { recursive: true, force: true });
    },
  };
}

/**
 * The trusted certificates in PEM, including those from NODE_EXTRA_CA_CERTS, which git does not
 * know. Null without such certificates: git reads those of the machine by itself.
 */
function trustedCertificates(): string | null {
  if (getCACertificates('extra').length === 0) return null;
  const all = new Set([...getCACertificates('default'), ...getCACertificates('system')]);
  return [...all].join('\n');
}

/**
 * Creates a clone for this process alone: two processes in one clone would encounter each other's
 * locks.
 */
async function makeClone(
  folder: string,
  askIn: (clone: string) => GitAsk,
  trusted: string | null,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await removeLeftovers(folder);
  const clone = await mkdtemp(join(folder, `clone-${process.pid}-`));
  await askIn(clone)(['init', '--quiet', '--bare', '--template=', clone]);
  if (trusted !== null) {
    const file = join(clone, 'trusted.pem');
    await writeFile(file, trusted);
    await askIn(clone)(['config', 'http.sslCAInfo', file]);
  }
  return clone;
}

/** Removes clones of processes that ended without removing them. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(/^clone-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || (pid !== process.pid && isAlive(pid))) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function fetchCommit(ask: GitAsk, address: GitAddress, ref: string): Promise<string> {
  await ask([
    ...['fetch', '--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head', '--no-auto-gc'],
    // The plus also accepts a branch that was rewritten.
    ...['--', address.url, `+${ref}:${readRef}`],
  ]);
  const commit = await ask(['rev-parse', '--verify', '--quiet', `${readRef}^{commit}`]);
  return commit.toString('ascii').trim();
}

interface GitAccessSettings {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly passwordFile?: string | undefined;
  readonly sshKeyFile?: string | undefined;
  readonly sshKnownHostsFile?: string | undefined;
}

/** Reads the password file each time, because its mount may rotate it. */
export function openGitAccess(settings: GitAccessSettings): () => Promise<GitAccess> {
  const { passwordFile, ...access } = settings;
  if (passwordFile === undefined) return async () => access;
  return async () => {
    try {
      return { ...access, password: (await readFile(passwordFile, 'utf8')).trim() };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new GitError(`the password's file ${passwordFile} cannot be read: ${code}`);
    }
  };
}
