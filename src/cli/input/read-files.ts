import { readSourceFile } from './read-file.ts';
import { unreadable } from './read-text.ts';
import type { ReadFile, ReadOptions, SourceFile } from './subject.ts';

/** Reads every file that is an input, and reports if there is none. */
export async function readFiles(
  files: readonly SourceFile[],
  options: ReadOptions,
): Promise<readonly ReadFile[]> {
  const read: ReadFile[] = [];
  for (const file of files) {
    const found = await readSourceFile(file, options);
    if (found !== null) read.push(found);
  }
  const [first] = files;
  if (read.length === 0 && first !== undefined) {
    const message =
      'no contract was found. Give a DataContract, a JSON Schema, a dbt manifest, or an OpenAPI, GraphQL or ODCS document.';
    throw unreadable({ path: first.path }, '$', message);
  }
  return read;
}
