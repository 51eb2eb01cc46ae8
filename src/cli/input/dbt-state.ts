// `--state`: a dbt manifest of another target to compare with, as dbt's own option names it.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inSchemasOf } from '../../core/import/dbt/dbt-target.ts';
import { isJsonObject, type Json } from '../../core/value/json.ts';
import { namedFile } from './find-files.ts';
import { readTextFile, unreadable } from './read-text.ts';
import type { SourceFile } from './subject.ts';

/** Where dbt writes the manifest. */
export const ownManifest = 'target/manifest.json';

interface State {
  readonly file: SourceFile;
  /** A manifest, with the databases and schemas of the state. */
  readonly standIn: (file: SourceFile) => SourceFile;
}

export async function readState(folder: string): Promise<State> {
  const isFolder = (await stat(folder).catch(() => null))?.isDirectory() === true;
  const path = isFolder ? join(folder, 'manifest.json') : folder;
  const file = namedFile(path, await readTextFile(path));
  const production = manifestIn(file);
  return {
    file,
    standIn: (next) => ({
      ...next,
      text: JSON.stringify(inSchemasOf(production, manifestIn(next))),
    }),
  };
}

function manifestIn(file: SourceFile): Json {
  const notManifest = () =>
    unreadable(file, '$', 'this is not a dbt manifest, and --state compares only these.');
  let read: Json;
  try {
    read = JSON.parse(file.text);
  } catch {
    throw notManifest();
  }
  if (!isJsonObject(read) || !isJsonObject(read.nodes ?? null)) throw notManifest();
  return read;
}
