import { createLibrary, type Library } from './library.ts';
import { readSourceFile } from './read-file.ts';
import { unreadable } from './read-text.ts';
import type { ReadFile, ReadOptions, SourceFile } from './subject.ts';

export const noContract =
  'no contract was found. Give a DataContract, a JSON Schema, a dbt manifest, a CustomResourceDefinition, or an OpenAPI, AsyncAPI, GraphQL or ODCS document.';

/** Reads every file that is an input, and reports if there is none. */
export async function readFiles(
  files: readonly SourceFile[],
  options: ReadOptions,
): Promise<readonly ReadFile[]> {
  const read: ReadFile[] = [];
  const found = new Set<string>();
  const library = await openLibrary(files, options);
  for (const file of files) {
    const one = await readSourceFile(file, options, library);
    if (one !== null) read.push(one);
    if (!file.isNamed) found.add(file.name);
  }
  const [first] = files;
  if (read.length === 0 && first !== undefined) {
    throw unreadable({ path: first.path }, '$', noContract);
  }
  const taken = read.flatMap(({ subjects }) => subjects.map(({ takes }) => takes?.file.name));
  // What was found beside the contract that takes its schema from it is no input of its own.
  return read.filter(({ name }) => !found.has(name) || !taken.includes(name));
}

/** What the schemas of these files may refer to. */
export async function openLibrary(
  files: readonly SourceFile[],
  { base }: ReadOptions,
): Promise<Library> {
  if (base === undefined) return createLibrary(files);
  const { folderTree } = await import('./tree.ts');
  return createLibrary([...files, ...(await folderTree(base).readFiles([base]))]);
}
