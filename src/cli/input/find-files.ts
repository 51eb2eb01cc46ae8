// Finds the files that a command names: files, folders, or `-` for standard input.

import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { mustBeInside, readStandardInput, readTextFile, unreadable } from './read-text.ts';
import type { SourceFile } from './subject.ts';

interface FoundFiles {
  readonly files: readonly SourceFile[];
  /** Reads a file of the current folder, otherwise of the root of its repository. */
  readonly readBeside: (name: string) => Promise<SourceFile | null>;
}

export async function findFiles(
  inputs: readonly string[],
  stdin: AsyncIterable<Uint8Array | string>,
): Promise<FoundFiles> {
  const files: SourceFile[] = [];
  for (const input of inputs) {
    if (input === '-') {
      files.push(namedFile('standard input', await readStandardInput(stdin)));
      continue;
    }
    const found = await stat(input).catch(() => null);
    if (found?.isDirectory() === true) {
      const { folderTree } = await import('./tree.ts');
      const inside = await folderTree(input).readFiles([input]);
      if (inside.length === 0) {
        const message = 'this folder contains no readable file.';
        throw unreadable({ path: input }, '$', message);
      }
      files.push(...inside);
    } else {
      files.push(namedFile(input, await readTextFile(input)));
    }
  }
  return { files, readBeside: readHere };
}

export function namedFile(path: string, text: string): SourceFile {
  const folder = dirname(path);
  const readBeside = async (beside: string): Promise<SourceFile | null> => {
    const found = join(folder, beside);
    if (!(await isFile(found))) return null;
    await mustBeInside(found, folder);
    return namedFile(found, await readTextFile(found));
  };
  return { path, name: path, isNamed: true, text, readBeside };
}

/** Does not run git, which takes longer to start than everything else. */
export async function readHere(name: string): Promise<SourceFile | null> {
  if (await isFile(name)) return namedFile(name, await readTextFile(name));
  const root = findRepository(resolve('.'));
  const path = root === null ? null : relative('.', join(root, name));
  if (path === null || !(await isFile(path))) return null;
  return namedFile(path, await readTextFile(path));
}

function findRepository(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? null : findRepository(parent);
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
