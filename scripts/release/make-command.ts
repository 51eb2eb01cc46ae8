// Makes the npm package `concordat`: the command line in one bundle, split so that a command loads what
// it needs, with nothing to install beside it.

import { join } from 'node:path';
import { build } from 'esbuild';
import packageFile from '../../package.json' with { type: 'json' };
import { pack, root } from './pack.ts';

const parts = join(import.meta.dirname, 'command');

/** What only some commands need: too large to install for all, or made for one kind of machine. */
const onDemand = ['@duckdb/node-api', '@platformatic/kafka', '@polyglot-sql/sdk', 'pg'] as const;

/** Makes the archive in a folder. */
export function makeCommand(into: string): Promise<void> {
  const files = ['concordat.js', 'older-node.js', 'README.md'].map((name) => join(parts, name));
  return pack(into, { manifest: manifest(), files, fill });
}

async function fill(folder: string) {
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
    // Its file for Node is CommonJS, whose names an `import()` of the bundle does not have.
    alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
    // What is bundled as CommonJS asks for `require`.
    banner: {
      js: "import{createRequire as $makeRequire}from'node:module';const require=$makeRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return metafile;
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
