// Makes the npm package `@concordat/client`: the typed client in one file, and its types.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import packageFile from '../../package.json' with { type: 'json' };
import { runOk } from '../run-command.ts';
import { pack, root } from './pack.ts';

const parts = join(import.meta.dirname, 'client');

/** Makes the archive in a folder. */
export function makeClient(into: string): Promise<void> {
  const files = ['client/node.js', 'client/README.md', 'command/older-node.js'];
  const paths = files.map((name) => join(import.meta.dirname, name));
  return pack(into, { manifest: manifest(), files: paths, fill });
}

async function fill(folder: string) {
  const { metafile } = await build({
    entryPoints: [join(parts, 'main.ts')],
    outfile: join(folder, 'main.js'),
    absWorkingDir: root,
    bundle: true,
    minify: true,
    metafile: true,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  });
  await makeTypes(folder);
  return metafile;
}

/** The types are those of the sources, file by file; of what is bundled they name zod alone. */
async function makeTypes(folder: string): Promise<void> {
  const config = join(folder, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rewriteRelativeImportExtensions: true,
    rootDir: root,
    outDir: join(folder, 'types'),
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const files = [join(parts, 'main.ts')];
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files };
  await writeFile(config, JSON.stringify(settings));
  await runOk('npx', ['--no-install', 'tsc', '-p', config]);
}

function manifest() {
  const { version, license, dependencies } = packageFile;
  const types = './types/scripts/release/client/main.d.ts';
  return {
    name: '@concordat/client',
    version,
    description: 'The typed client of a Concordat registry.',
    license,
    type: 'module',
    engines: { node: '>=20' },
    sideEffects: ['./node.js', './older-node.js'],
    exports: { '.': { types, node: './node.js', default: './main.js' } },
    files: ['main.js', 'node.js', 'older-node.js', 'types', 'THIRD-PARTY-LICENSES'],
    // For the types alone.
    dependencies: { zod: dependencies.zod },
  };
}
