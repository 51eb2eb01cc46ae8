// A set of files to compare: a folder, the work tree, the index, or a commit.

import { lstat, readdir, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import {
  findPrefix,
  findRoot,
  type GitFile,
  listCommitFiles,
  listStagedFiles,
  listWorkFiles,
  readBlobs,
} from './git.ts';
import { decodeText, mustBeInside, readTextFile } from './read-text.ts';
import type { SourceFile } from './subject.ts';

export interface Tree {
  readonly label: string;
  /** Reads files that may be inputs, below paths that are relative to the current folder. */
  readonly readFiles: (paths: readonly string[]) => Promise<readonly SourceFile[]>;
  /** Reads a file of the current folder, otherwise of the root. */
  readonly readBeside: (name: string) => Promise<SourceFile | null>;
}

const inputExtension = /\.(json|ya?ml|graphqls?|gql|sdl)$/i;
/** Files that tools generate from what people wrote, which are never inputs. */
const foreignNames = /(^|\/)(node_modules|package(-lock)?\.json|tsconfig[^/]*\.json|\.[^/]+)(\/|$)/;

/** A folder on disk. Names are relative to it, so that two folders can be compared. */
export function folderTree(folder: string): Tree {
  return {
    label: folder,
    readFiles: async () => {
      const paths = await listFolder(folder);
      return readPaths(paths, (path) => ({ name: relative(folder, path), isNamed: false }));
    },
    readBeside: (name) => readFirst(['.', folder].map((base) => join(base, name))),
  };
}

/** The files on disk now. */
export function workTree(): Tree {
  return {
    label: 'the work tree',
    readFiles: async (paths) => {
      const found = new Map<string, boolean>();
      const folders: string[] = [];
      for (const path of paths) {
        const at = await stat(path).catch(() => null);
        if (at?.isFile() === true) found.set(relative('.', path), true);
        else if (at?.isDirectory() === true) folders.push(path);
      }
      for (const path of folders.length === 0 ? [] : await listWorkFiles(folders)) {
        if (mayBeInput(path) && !found.has(path)) found.set(path, false);
      }
      return readPaths([...found.keys()], (path) => ({
        name: path,
        isNamed: found.get(path) === true,
      }));
    },
    readBeside: async (name) => readFirst([name, join((await findRoot()) ?? '.', name)]),
  };
}

/** The files of the next commit. */
export function stagedTree(): Tree {
  return {
    label: 'the staged files',
    readFiles: async (paths) => readGitFiles(listStagedFiles, paths),
    readBeside: (name) => readBesideIn(listStagedFiles, name),
  };
}

export function commitTree(commit: string, label: string): Tree {
  const list = (paths: readonly string[]) => listCommitFiles(commit, paths);
  return {
    label,
    readFiles: async (paths) => readGitFiles(list, paths),
    readBeside: (name) => readBesideIn(list, name),
  };
}

type ListFiles = (paths: readonly string[]) => Promise<readonly GitFile[]>;

async function readGitFiles(
  list: ListFiles,
  paths: readonly string[],
): Promise<readonly SourceFile[]> {
  const files = await list(paths);
  const prefix = await findPrefix();
  const asked = new Set(paths.map((path) => relative('.', path)));
  const taken = files.flatMap((file) => {
    const path = relative(prefix, file.path);
    const isNamed = asked.has(path);
    return isNamed || mayBeInput(path) ? [{ ...file, path, isNamed }] : [];
  });
  const contents = await readBlobs(taken.map(({ blob }) => blob));
  return taken.map(({ path, isNamed }, index) => ({
    path,
    name: path,
    isNamed,
    text: decodeText(contents[index] ?? new Uint8Array(), path),
    readDocument: (beside) => readExactly(list, join(dirname(path), beside)),
  }));
}

/** Links and the files of submodules are not listed. */
async function readExactly(list: ListFiles, path: string): Promise<SourceFile | null> {
  const prefix = await findPrefix();
  const file = (await list([path])).find((each) => relative(prefix, each.path) === path);
  if (file === undefined) return null;
  const [bytes] = await readBlobs([file.blob]);
  return { path, name: path, isNamed: true, text: decodeText(bytes ?? new Uint8Array(), path) };
}

async function readBesideIn(list: ListFiles, name: string): Promise<SourceFile | null> {
  const prefix = await findPrefix();
  const atRoot = relative(prefix, name);
  for (const path of new Set([name, atRoot === '' ? name : atRoot])) {
    const [file] = await list([path]);
    if (file === undefined) continue;
    const [bytes] = await readBlobs([file.blob]);
    return { path, name, isNamed: true, text: decodeText(bytes ?? new Uint8Array(), path) };
  }
  return null;
}

function mayBeInput(path: string): boolean {
  return inputExtension.test(path) && !foreignNames.test(path);
}

async function listFolder(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (!mayBeInput(relative(folder, path))) continue;
    // A link within the folder is another name of a file that is read anyway.
    if (entry.isSymbolicLink()) await mustBeInside(path, folder);
    else if (entry.isFile()) paths.push(path);
  }
  return paths.sort();
}

async function readPaths(
  paths: readonly string[],
  describe: (path: string) => Pick<SourceFile, 'name' | 'isNamed'>,
): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = [];
  for (const path of paths) {
    // Git also lists files that were just deleted, and links, whose content it does not hold.
    const found = await lstat(path).catch(() => null);
    if (found?.isSymbolicLink() === true) await mustBeInside(path, '.');
    if (found?.isFile() !== true) continue;
    const file = { path, ...describe(path), text: await readTextFile(path) };
    files.push({ ...file, readDocument: (beside) => readBelow(file, beside) });
  }
  return files;
}

async function readBelow(
  { path, name }: Pick<SourceFile, 'path' | 'name'>,
  beside: string,
): Promise<SourceFile | null> {
  const folder = dirname(path);
  const found = join(folder, beside);
  if ((await stat(found).catch(() => null))?.isFile() !== true) return null;
  await mustBeInside(found, folder);
  const text = await readTextFile(found);
  return { path: found, name: join(dirname(name), beside), isNamed: true, text };
}

async function readFirst(paths: readonly string[]): Promise<SourceFile | null> {
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (found?.isFile() === true) {
      return {
        path: relative('.', path),
        name: path,
        isNamed: true,
        text: await readTextFile(path),
      };
    }
  }
  return null;
}
