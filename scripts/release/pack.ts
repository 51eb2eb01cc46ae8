// What every npm package of a release has: the licences, a manifest, and its archive.

import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { type About, type Installed, toBillOfMaterials } from '../image/sbom.ts';
import { runOk } from '../run-command.ts';

export const root = join(import.meta.dirname, '../..');

interface Package {
  readonly manifest: About;
  /** Files that are taken as they are. */
  readonly files: readonly string[];
  /** Puts everything else into the folder of the package, and says what was bundled. */
  readonly fill: (folder: string) => Promise<Metafile>;
}

/** Makes the archive of a package in a folder. */
export async function pack(into: string, { manifest, files, fill }: Package): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-package-'));
  try {
    const metafile = await fill(folder);
    for (const file of [...files, join(root, 'LICENSE')]) {
      await copyFile(file, join(folder, basename(file)));
    }
    const bundled = bundledIn(metafile);
    await writeFile(join(folder, 'THIRD-PARTY-LICENSES'), await licencesOf(bundled));
    await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    const printed = await runOk('npm', ['pack', folder, '--silent', '--pack-destination', into]);
    const bill = toBillOfMaterials(manifest, { packages: await lockedAs(bundled) }, null);
    const file = printed.trim().replace(/\.tgz$/, '.cdx.json');
    await writeFile(join(into, file), `${JSON.stringify(bill, null, 2)}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The folders of what others wrote, in the bundle. */
function bundledIn({ inputs }: Metafile): readonly string[] {
  const folders = new Set<string>();
  for (const path of Object.keys(inputs)) {
    const [folder] = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
    if (folder !== undefined) folders.add(folder);
  }
  return [...folders].sort();
}

/** What package-lock.json says of them: where the bill of materials has their digests from. */
async function lockedAs(folders: readonly string[]): Promise<Readonly<Record<string, Installed>>> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Installed>>;
  };
  return Object.fromEntries(folders.map((folder) => [folder, packages[folder] ?? {}]));
}

async function licencesOf(folders: readonly string[]): Promise<string> {
  const texts = folders.map(async (folder) => {
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
