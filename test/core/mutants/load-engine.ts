// The engine, bundled into one module with a change to its text.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Contains } from '../laws/laws.ts';
import type { Mutant } from './mutants.ts';

const core = fileURLToPath(new URL('../../../src/core/', import.meta.url));

export async function loadEngine(mutant: Pick<Mutant, 'file' | 'from' | 'to'>): Promise<Contains> {
  const path = core + mutant.file;
  const text = readFileSync(path, 'utf8');
  if (text.split(mutant.from).length !== 2) {
    throw new Error(`${mutant.file} does not hold this text once: ${mutant.from}`);
  }
  const result = await build({
    entryPoints: [`${core}containment/contains.ts`],
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
  const loaded: { contains: Contains } = await import(`data:text/javascript;base64,${source}`);
  return loaded.contains;
}
