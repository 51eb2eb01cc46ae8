// The files that a finder reads: those that are named, and those in folders.

import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { wrongUsage } from '../exit-code.ts';
import { readTextFile } from '../input/read-text.ts';

interface InputFile {
  /** Relative to the current folder where it is below it, so that it is the same on each machine. */
  readonly place: string;
  readonly text: string;
}

const foreignFolders = /(^|[\\/])(node_modules|\.[^\\/]+)([\\/]|$)/;

export async function readInputs(
  inputs: readonly string[],
  extensions: readonly string[],
  isLeftOut: (path: string) => boolean = () => false,
): Promise<readonly InputFile[]> {
  if (inputs.length === 0) throw wrongUsage('Name the files or folders to read.');
  const paths = new Set<string>();
  for (const input of inputs) {
    const found = await stat(input).catch(() => null);
    if (found?.isDirectory() !== true) paths.add(input);
    else {
      const listed = await listFolder(input, extensions);
      for (const path of listed) if (!isLeftOut(path)) paths.add(path);
    }
  }
  const files: InputFile[] = [];
  for (const path of paths) files.push({ place: placeOf(path), text: await readTextFile(path) });
  return files;
}

async function listFolder(
  folder: string,
  extensions: readonly string[],
): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  const found = names
    .filter((name) => !foreignFolders.test(name))
    .filter((name) => extensions.some((extension) => name.toLowerCase().endsWith(extension)));
  if (found.length === 0) {
    throw wrongUsage(`${folder} has no file that ends in ${extensions.join(' or ')}.`);
  }
  return found.sort().map((name) => join(folder, name));
}

function placeOf(path: string): string {
  const from = relative('.', path);
  const isBelow = !from.startsWith('..') && !isAbsolute(from);
  return (isBelow ? from : path).split(sep).join('/');
}
