// The git commands that the command line needs: resolving a commit, and listing and reading the
// files of a commit, the index or the work tree. Never checks out or changes a file.

import { spawn } from 'node:child_process';
import { CommandFailure, exitCode } from '../exit-code.ts';
import { maxFileBytes } from './read-text.ts';

/** The full id of a commit; null if the name is unknown. */
export async function findCommit(name: string): Promise<string | null> {
  const ran = await runGit([
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${name}^{commit}`,
  ]);
  return ran.code === 0 ? ran.stdout.toString().trim() : null;
}

/**
 * The commit at which two branches diverged, so that only one branch's own changes are compared.
 */
export async function findMergeBase(one: string, other: string): Promise<string> {
  const ran = await runGit(['merge-base', one, other]);
  if (ran.code === 0) return ran.stdout.toString().trim();
  throw failure(
    'Git found no common ancestor of the two sides. In CI, fetch the full history first (fetch-depth: 0, GIT_DEPTH: 0).',
  );
}

/**
 * Why git does not work here at all: there is no repository, or it belongs to another user, as in
 * CI containers. Null if git works.
 */
export async function explainRefusal(): Promise<string | null> {
  const ran = await runGit(['rev-parse', '--git-dir']);
  if (ran.code === 0) return null;
  const lines = ran.stderr.trim().split('\n');
  // For a repository of another user, git's message names the command that allows reading it.
  const remedy = lines.find((line) => line.includes('safe.directory'))?.trim();
  const said = (lines[0] ?? '').replace(/^fatal: /, '');
  return remedy === undefined ? `${said}.` : `${said}. To let git read it: ${remedy}`;
}

/** Whether the branch has no commits yet. */
export async function isUnborn(): Promise<boolean> {
  const [branch, commit] = [
    await runGit(['symbolic-ref', '--quiet', 'HEAD']),
    await findCommit('HEAD'),
  ];
  return branch.code === 0 && commit === null;
}

/** Whether the clone is shallow, which is the default in CI. */
export async function isShallow(): Promise<boolean> {
  const ran = await runGit(['rev-parse', '--is-shallow-repository']);
  return ran.stdout.toString().trim() === 'true';
}

export interface GitFile {
  /** The path from the root of the repository. */
  readonly path: string;
  readonly blob: string;
}

/** The files of a commit below these paths, which are relative to the current folder. */
export async function listCommitFiles(
  commit: string,
  paths: readonly string[],
): Promise<readonly GitFile[]> {
  const listed = await mustRun(['ls-tree', '-r', '-z', '--full-name', commit, '--', ...paths]);
  return entriesOf(listed).flatMap((entry) => {
    const match = /^100\d{3} blob ([0-9a-f]+)\t([\s\S]+)$/.exec(entry);
    return match === null ? [] : [{ blob: match[1] ?? '', path: match[2] ?? '' }];
  });
}

/** The staged files: the content of a commit made now. */
export async function listStagedFiles(paths: readonly string[]): Promise<readonly GitFile[]> {
  const listed = await mustRun(['ls-files', '--stage', '-z', '--full-name', '--', ...paths]);
  return entriesOf(listed).flatMap((entry) => {
    const match = /^100\d{3} ([0-9a-f]+) 0\t([\s\S]+)$/.exec(entry);
    return match === null ? [] : [{ blob: match[1] ?? '', path: match[2] ?? '' }];
  });
}

/** Tracked files, and new ones that are not ignored. Paths are relative to the current folder. */
export async function listWorkFiles(paths: readonly string[]): Promise<readonly string[]> {
  const listed = await mustRun([
    ...['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths],
  ]);
  return [...new Set(entriesOf(listed))];
}

/** A submodule at another commit than before. This repository does not contain its files. */
export interface ChangedSubmodule {
  /** Relative to the current folder. */
  readonly path: string;
  /** Null if the submodule is new or was removed. */
  readonly before: string | null;
  readonly after: string | 'work tree' | null;
}

/**
 * Submodules below these paths that differ between a commit and another one, the index or the work
 * tree.
 */
export async function listChangedSubmodules(
  commit: string,
  next: { readonly commit: string } | 'staged' | 'work tree',
  paths: readonly string[],
): Promise<readonly ChangedSubmodule[]> {
  const ends = next === 'staged' ? ['--cached', commit] : [commit];
  if (typeof next === 'object') ends.push(next.commit);
  const told = await mustRun([
    ...['diff', '--raw', '-z', '--no-abbrev', '--no-renames', '--relative'],
    ...['--ignore-submodules=untracked', ...ends, '--', ...paths],
  ]);
  const entries = entriesOf(told);
  const commitOf = (mode: string, id: string, unnamed: 'work tree' | null) =>
    mode !== submoduleMode ? null : /^0+$/.test(id) ? unnamed : id;
  return entries.flatMap((entry, index) => {
    const match = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) [A-Z]$/.exec(entry);
    const [, from = '', to = '', old = '', now = ''] = match ?? [];
    if (from !== submoduleMode && to !== submoduleMode) return [];
    const [before, after] = [commitOf(from, old, null), commitOf(to, now, 'work tree')];
    return [{ path: entries[index + 1] ?? '', before, after }];
  });
}

const submoduleMode = '160000';

/** Null outside of a repository. */
export async function findRoot(): Promise<string | null> {
  const ran = await runGit(['rev-parse', '--show-toplevel']);
  return ran.code === 0 ? ran.stdout.toString().replace(/\n$/, '') : null;
}

/** The current folder, relative to the root: empty, or with a slash at the end. */
export async function findPrefix(): Promise<string> {
  return (await mustRun(['rev-parse', '--show-prefix'])).toString().replace(/\n$/, '');
}

/** The contents of these blobs, in order, by one process. */
export async function readBlobs(blobs: readonly string[]): Promise<readonly Uint8Array[]> {
  if (blobs.length === 0) return [];
  const output = await mustRun(['cat-file', '--batch'], `${blobs.join('\n')}\n`);
  const contents: Uint8Array[] = [];
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf(0x0a, at);
    const header = output.subarray(at, end).toString();
    const size = Number(/ blob (\d+)$/.exec(header)?.[1] ?? Number.NaN);
    if (!Number.isSafeInteger(size)) throw failure(`Git cannot read an object: ${header}.`);
    contents.push(output.subarray(end + 1, end + 1 + size));
    at = end + 1 + size + 1;
  }
  return contents;
}

/** The limit for all files of one side together. */
const maxOutputBytes = 4 * maxFileBytes;

interface Ran {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

async function mustRun(args: readonly string[], input = ''): Promise<Buffer> {
  const ran = await runGit(args, input);
  if (ran.code === 0) return ran.stdout;
  const [said = ''] = ran.stderr.trim().split('\n');
  throw failure(`git ${args[0]} failed: ${said.replace(/^fatal: /, '')}`);
}

function runGit(args: readonly string[], input = ''): Promise<Ran> {
  return new Promise((done, fail) => {
    // Disables the pager and prompts, and takes paths literally instead of as patterns.
    const child = spawn('git', ['--no-pager', '--literal-pathspecs', ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutputBytes) child.kill();
      else out.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.on('error', () =>
      fail(failure('git could not be started. Install it, or give two files.')),
    );
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('close', (code) => {
      const stderr = Buffer.concat(errors).toString();
      if (size > maxOutputBytes)
        fail(failure(`The files are larger than ${maxOutputBytes} bytes.`));
      else done({ code, stdout: Buffer.concat(out), stderr });
    });
  });
}

function entriesOf(listed: Buffer): readonly string[] {
  return listed
    .toString()
    .split('\0')
    .filter((entry) => entry !== '');
}

function failure(message: string): CommandFailure {
  return new CommandFailure(exitCode.unreadableInput, message);
}
