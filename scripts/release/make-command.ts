// Makes the npm package `concordat`: the command line in one bundle, split so that a command loads what
// it needs, with nothing to install beside it.

import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import packageFile from '../../package.json' with { type: 'json' };
import { runOk } from '../run-command.ts';
import { licencesOf } from './licences.ts';

const root = join(import.meta.dirname, '../..');
const parts = join(import.meta.dirname, 'command');

/** What only some commands need: too large to install for all, or made for one kind of machine. */
const onDemand = ['@duckdb/node-api', '@platformatic/kafka', '@polyglot-sql/sdk', 'pg'] as const;

/** Makes the archive in a folder. */
export async function makeCommand(into: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-command-'));
  try {
    await fill(folder);
    await runOk('npm', ['pack', folder, '--silent', '--pack-destination', into]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(folder: string): Promise<void> {
  const { metafile } = await build({
    entryPoints: [join(parts, 'main.ts')],
    outdir: join(folder, 'lib'),
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: [...onDemand],
    // What is bundled as CommonJS asks for `require`.
    banner: {
      js: "import{createRequire as $makeRequire}from'node:module';const require=$makeRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  for (const name of ['concordat.js', 'older-node.js', 'README.md']) {
    await copyFile(join(parts, name), join(folder, name));
  }
  await chmod(join(folder, 'concordat.js'), 0o755);
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES'), await licencesOf(root, metafile));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function manifest() {
  const { name, version, description, license, dependencies } = packageFile;
  return {
    ...{ name, version, description, license },
    type: 'module',
    engines: { node: '>=20' },
    bin: { concordat: 'concordat.js' },
    files: ['concordat.js', 'older-node.js', 'lib', 'THIRD-PARTY-LICENSES'],
    peerDependencies: Object.fromEntries(onDemand.map((each) => [each, dependencies[each]])),
    peerDependenciesMeta: Object.fromEntries(onDemand.map((each) => [each, { optional: true }])),
  };
}
