// The engine, bundled into one module with a change to its text.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Compare } from '../diff/support/known-edits.ts';
import type { Contains } from '../laws/laws.ts';
import type { Mutant } from './mutants.ts';

const core = fileURLToPath(new URL('../../../src/core/', import.meta.url));

type Changed = Pick<Mutant, 'file' | 'from' | 'to'>;

export async function loadEngine(mutant: Changed): Promise<Contains> {
  const loaded = (await load(mutant, 'containment/contains.ts')) as { contains: Contains };
  return loaded.contains;
}

/** The diff, with the engine that it asks. */
export async function loadDiff(mutant: Changed): Promise<Compare> {
  const loaded = (await load(mutant, 'diff/compare.ts')) as { compare: Compare };
  return loaded.compare;
}

async function load(mutant: Changed, entry: string): Promise<unknown> {
  const path = core + mutant.file;
  const text = readFileSync(path, 'utf8');
  if (text.split(mutant.from).length !== 2) {
    throw new Error(`${mutant.file} does not hold this text once: ${mutant.from}`);
  }
  const result = await build({
    entryPoints: [core + entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    plugins: [
      {
        name: 'mutant',
        setup: ({ onLoad }) => {
          onLoad({ filter: /\.ts$/ }, ({ path: file }) =>
            file === path
              ? { contents: text.replace(mutant.from, () => mutant.to), loader: 'ts' }
              : undefined,
          );
        },
      },
    ],
  });
  const [file] = result.outputFiles;
  const source = Buffer.from(file?.contents ?? []).toString('base64');
  return import(`data:text/javascript;base64,${source}`);
}
