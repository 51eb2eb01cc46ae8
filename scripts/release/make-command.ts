// Makes the npm package `concordat`: the command line in one bundle, split so that a command loads what
// it needs, with nothing to install beside it.

import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import packageFile from '../../package.json' with { type: 'json' };
import { runOk } from '../run-command.ts';

const root = join(import.meta.dirname, '../..');
const parts = join(import.meta.dirname, 'command');

/** What only some commands need: too large to install for all, or made for one kind of machine. */
const onDemand = ['@duckdb/node-api', '@platformatic/kafka', '@polyglot-sql/sdk', 'pg'] as const;

/** Makes the archive in a folder. */
export async function makeCommand(into: string): Promise<void> {
  const folder = join(root, 'dist/command');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
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
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES'), await licencesOf(metafile));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  await runOk('npm', ['pack', folder, '--silent', '--pack-destination', into]);
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

/** The licences of everything in the bundle that others wrote. */
async function licencesOf({ inputs }: Metafile): Promise<string> {
  const folders = new Set<string>();
  for (const path of Object.keys(inputs)) {
    const [folder] = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
    if (folder !== undefined) folders.add(folder);
  }
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(
      await readFile(join(root, folder, 'package.json'), 'utf8'),
    ) as Readonly<Record<'name' | 'version' | 'license', string>>;
    const file = (await readdir(join(root, folder))).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined) throw new Error(`${name} is bundled and has no file of its licence.`);
    const text = await readFile(join(root, folder, file), 'utf8');
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
