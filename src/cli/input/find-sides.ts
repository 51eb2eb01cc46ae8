// Determines the files of the two sides from the arguments.

import { stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type CommandFailure, wrongUsage } from '../exit-code.ts';
import { namedFile, readHere } from './find-files.ts';
import type { ChangedSubmodule } from './git.ts';
import { readStandardInput, readTextFile, unreadable } from './read-text.ts';
import type { SourceFile } from './subject.ts';
import type { Tree } from './tree.ts';

export interface SidesAsked {
  readonly inputs: readonly string[];
  readonly against?: string;
  readonly head?: string;
  readonly staged?: boolean;
  /** A folder with the manifest that dbt made for another target, such as production. */
  readonly state?: string;
}

export interface Sides {
  readonly old: Side;
  readonly next: Side;
  /** Two single files, which are compared with each other whatever their names. */
  readonly arePaired: boolean;
  /** Changed submodules, whose files are on neither side. */
  readonly submodules?: readonly ChangedSubmodule[];
}

interface Side {
  /** A name for people: `main`, `orders-v1.json`. */
  readonly label: string;
  readonly files: readonly SourceFile[];
  /** Reads a file at the root of this side, such as `.concordat-ignore`. */
  readonly readBeside: (name: string) => Promise<SourceFile | null>;
}

type Stdin = AsyncIterable<Uint8Array | string>;

/** @example await findSides({ inputs: ['contracts'], against: 'main' }, stdin) */
export async function findSides(asked: SidesAsked, stdin: Stdin): Promise<Sides> {
  if (asked.state !== undefined) return twoTargets(asked, asked.state);
  if (asked.against !== undefined) return againstRef(asked, asked.against);
  if (asked.head !== undefined)
    throw wrongUsage('--head needs --against, the branch to compare with.');
  if (asked.staged === true) return againstRef(asked, 'HEAD');
  const range = await rangeOf(asked.inputs);
  if (range !== null) return range;
  const [old, next, ...others] = asked.inputs;
  if (old === undefined || next === undefined) throw tooFew(asked.inputs);
  if (others.length > 0) {
    throw wrongUsage(
      `Expected two inputs, got ${asked.inputs.length}. To compare files with a branch: concordat diff --against main ${asked.inputs.join(' ')}.`,
    );
  }
  return twoThings(old, next, stdin);
}

function tooFew(inputs: readonly string[]): CommandFailure {
  const example = inputs[0] ?? 'contracts/';
  return wrongUsage(
    `error: give two inputs to compare: two files (old.json new.json), a branch (--against main ${example}), or a registry (--registry URL ${example}).`,
  );
}

async function againstRef(asked: SidesAsked, against: string): Promise<Sides> {
  const { commitTree, stagedTree, workTree } = await import('./tree.ts');
  const { findCommit, findMergeBase, isUnborn, listChangedSubmodules } = await import('./git.ts');
  if (asked.head !== undefined && asked.staged === true) {
    throw wrongUsage('Use either --head or --staged, not both.');
  }
  const paths = asked.inputs.length === 0 ? ['.'] : asked.inputs;
  if (asked.staged === true && asked.against === undefined && (await isUnborn())) {
    // Compared with nothing, the first commit breaks nothing.
    const nothing: Side = { label: 'nothing', files: [], readBeside: async () => null };
    return { old: nothing, next: await sideOf(stagedTree(), paths, true), arePaired: false };
  }
  const commit = await mustFind(against);
  const head = asked.head === undefined ? await findCommit('HEAD') : await mustFind(asked.head);
  const base = head === null || asked.staged === true ? commit : await findMergeBase(commit, head);
  const [next, end] =
    asked.head !== undefined && head !== null
      ? [commitTree(head, asked.head), { commit: head }]
      : asked.staged === true
        ? [stagedTree(), 'staged' as const]
        : [workTree(), 'work tree' as const];
  const old = commitTree(base, against);
  const oldSide = await sideOf(old, paths, false);
  const nextSide = await sideOf(next, paths, true);
  const isThere = oldSide.files.length + nextSide.files.length > 0;
  if (!isThere && asked.inputs.length > 0) {
    throw unreadable(
      { path: paths.join(', ') },
      '$',
      `neither ${old.label} nor ${next.label} has it.`,
    );
  }
  const submodules = await listChangedSubmodules(base, end, paths);
  return { old: oldSide, next: nextSide, arePaired: false, submodules };
}

/**
 * Parses `main..topic`, `main...topic` or two revisions, followed by paths. Null if it is no range.
 */
async function rangeOf(inputs: readonly string[]): Promise<Sides | null> {
  const [first = '', second = ''] = inputs;
  if (await exists(first)) return null;
  const match = /^(.+?)(\.{2,3})(.+)$/.exec(first);
  const { findCommit, findMergeBase, listChangedSubmodules } = await import('./git.ts');
  const [from, to, paths] =
    match === null
      ? [first, second, inputs.slice(2)]
      : [match[1] ?? '', match[3] ?? '', inputs.slice(1)];
  if (from === '' || to === '' || from === '-' || (match === null && (await exists(second)))) {
    return null;
  }
  const [old, next] = [await findCommit(from), await findCommit(to)];
  if (old === null || next === null) {
    if (match !== null || inputs.length > 2) await mustBeRepository(inputs.slice(0, 2).join(' '));
    return null;
  }
  const { commitTree } = await import('./tree.ts');
  const base = match?.[2] === '...' ? await findMergeBase(old, next) : old;
  const where = paths.length === 0 ? ['.'] : paths;
  return {
    old: await sideOf(commitTree(base, from), where, false),
    next: await sideOf(commitTree(next, to), where, true),
    arePaired: false,
    submodules: await listChangedSubmodules(base, { commit: next }, where),
  };
}

async function twoTargets(asked: SidesAsked, state: string): Promise<Sides> {
  if (asked.against !== undefined || asked.head !== undefined || asked.staged === true) {
    throw wrongUsage(
      '--state names what to compare with, so leave out --against, --head and --staged.',
    );
  }
  const { ownManifest, readState } = await import('./dbt-state.ts');
  const [path = ownManifest, ...others] = asked.inputs;
  if (others.length > 0) throw wrongUsage('With --state, give one manifest: the new one.');
  const { file, standIn } = await readState(state);
  const next = one(path, await readTextFile(path)).side;
  return {
    old: one(file.path, file.text).side,
    next: { ...next, files: next.files.map(standIn) },
    arePaired: true,
  };
}

async function twoThings(old: string, next: string, stdin: Stdin): Promise<Sides> {
  if (old === '-' && next === '-')
    throw wrongUsage('Only one input can be standard input. Give a file for the other.');
  const sides = [await thingAt(old, stdin), await thingAt(next, stdin)] as const;
  const [isFolderOld, isFolderNext] = sides.map(({ isFolder }) => isFolder);
  if (isFolderOld !== isFolderNext) {
    throw wrongUsage(
      `Cannot compare a file with a folder: ${old}, ${next}. Give two files or two folders.`,
    );
  }
  return { old: sides[0].side, next: sides[1].side, arePaired: isFolderOld === false };
}

/** A file, a folder, `REF:path`, or `-` for standard input. */
async function thingAt(
  input: string,
  stdin: Stdin,
): Promise<{ readonly side: Side; readonly isFolder: boolean }> {
  if (input === '-') return one('standard input', await readStandardInput(stdin));
  const found = await stat(input).catch(() => null);
  if (found?.isDirectory() === true) {
    const { folderTree } = await import('./tree.ts');
    const tree = folderTree(input);
    return { side: await sideOf(tree, [input], true), isFolder: true };
  }
  const named = /^([^:]+):(.+)$/.exec(input);
  if (found !== null || named === null) return one(input, await readTextFile(input));
  const [, ref = '', path = ''] = named;
  const { findCommit } = await import('./git.ts');
  const commit = await findCommit(ref);
  if (commit === null) {
    await mustBeRepository(input);
    throw unreadable({ path: input }, '$', `there is no such file, and ${await unknownRef(ref)}`);
  }
  const { commitTree } = await import('./tree.ts');
  const tree = commitTree(commit, ref);
  for (const spelt of await spellingsOf(path)) {
    const side = await sideOf(tree, [spelt], true);
    const [only] = side.files;
    if (only === undefined) continue;
    const isFolder = side.files.length > 1 || only.path !== spelt;
    // Names are relative to the folder, so that it can be compared with a folder on disk.
    const files = isFolder
      ? side.files.map((file) => ({ ...file, name: relative(spelt, file.path) }))
      : [{ ...only, path: input, readBeside: besideIn(tree, only.name) }];
    return { side: { ...side, label: input, files }, isFolder };
  }
  throw unreadable({ path: input }, '$', `${ref} has no such file.`);
}

function besideIn(tree: Tree, name: string) {
  return (path: string) => tree.readBeside(join(dirname(name), path));
}

/**
 * Relative to the current folder, like other paths; otherwise to the root, as git reads REF:path.
 */
async function spellingsOf(path: string): Promise<ReadonlySet<string>> {
  const { findPrefix } = await import('./git.ts');
  const here = relative('.', path) || '.';
  const fromRoot = /^\.{1,2}(\/|$)/.test(path) ? [] : [relative(await findPrefix(), path)];
  return new Set([here, ...fromRoot]);
}

function one(path: string, text: string) {
  const side: Side = { label: path, files: [namedFile(path, text)], readBeside: readHere };
  return { side, isFolder: false };
}

async function sideOf(tree: Tree, paths: readonly string[], isNext: boolean): Promise<Side> {
  const files = await tree.readFiles(paths);
  const readBeside = isNext ? tree.readBeside : async () => null;
  return { label: tree.label, files, readBeside };
}

async function mustFind(ref: string): Promise<string> {
  const { findCommit } = await import('./git.ts');
  const commit = await findCommit(ref);
  if (commit !== null) return commit;
  await mustBeRepository(ref);
  throw unreadable({ path: ref }, '$', await unknownRef(ref));
}

async function unknownRef(ref: string): Promise<string> {
  const { isShallow } = await import('./git.ts');
  const remedy = (await isShallow())
    ? 'This is a shallow clone. Fetch the full history (git fetch --unshallow; in CI fetch-depth: 0, GIT_DEPTH: 0).'
    : 'In CI, run git fetch origin first.';
  return `git has no commit, branch or tag ${ref}. ${remedy}`;
}

/** Ends the command with git's message if git cannot work here. */
async function mustBeRepository(path: string): Promise<void> {
  const { explainRefusal } = await import('./git.ts');
  const why = await explainRefusal();
  if (why !== null) throw unreadable({ path }, '$', `git failed: ${why}`);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
