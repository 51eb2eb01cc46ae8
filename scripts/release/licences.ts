// The licences of what a bundle contains of others.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** The licences of everything in the bundle that others wrote. */
export async function licencesOf(root: string, { inputs }: Metafile): Promise<string> {
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
