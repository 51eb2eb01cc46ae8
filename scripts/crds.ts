// The files that are made from the kinds: crds/*.yaml, the client types and docs/crds.md.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldTables } from '../src/controller/crd/field-table.ts';
import { kinds, toDefinitionYaml } from '../src/controller/crd/kinds.ts';
import { resourceTypesSource } from '../src/controller/crd/type-source.ts';

const root = join(import.meta.dirname, '..');

/** The path in the repository, and the function that makes the text. */
export const crdFiles: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(
    kinds.map((kind) => [`crds/${kind.plural}.yaml`, () => toDefinitionYaml(kind)]),
  ),
  'src/controller/crd/resources.ts': () =>
    formatted('src/controller/crd/resources.ts', resourceTypesSource()),
  'docs/crds.md': fieldTables,
};

/** The files that differ from the code. */
export function staleCrdFiles(): string[] {
  return Object.entries(crdFiles).flatMap(([path, make]) =>
    textOf(path) === make() ? [] : [path],
  );
}

function textOf(path: string): string | null {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return null;
  }
}

function formatted(path: string, source: string): string {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${path}`], {
    input: source,
    encoding: 'utf8',
    cwd: root,
  });
}
