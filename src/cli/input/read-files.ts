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
  const library = await openLibrary(files, options);
  for (const file of files) {
    const found = await readSourceFile(file, options, library);
    if (found !== null) read.push(found);
  }
  const [first] = files;
  if (read.length === 0 && first !== undefined) {
    throw unreadable({ path: first.path }, '$', noContract);
  }
  return read;
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
