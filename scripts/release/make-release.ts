// `make release`: everything that others install, in dist/release, with its checksums. Nothing is
// published.

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findHelm } from '../kubernetes/find-helm.ts';
import { runOk } from '../run-command.ts';
import { makeClient } from './make-client.ts';
import { makeCommand } from './make-command.ts';
import { makePythonClient } from './make-python-client.ts';

const folder = join(import.meta.dirname, '../../dist/release');
// The package and the chart have the same name.
const kinds = ['npm', 'python', 'chart'] as const;
const [npm, python, chart] = kinds.map((kind) => join(folder, kind)) as [string, string, string];

await rm(folder, { recursive: true, force: true });
for (const each of [npm, python, chart]) await mkdir(each, { recursive: true });
await makeCommand(npm);
await makeClient(npm);
await makePythonClient(python);
const helm = await findHelm({ environment: process.env, beforeFetch: console.warn });
await runOk(helm, ['package', 'charts/concordat', '--destination', chart]);
const made = await Promise.all(
  kinds.map(async (kind) => (await readdir(join(folder, kind))).map((name) => `${kind}/${name}`)),
);
const sums = await Promise.all(made.flat().map(sumOf));
await writeFile(join(folder, 'SHA256SUMS'), sums.join(''));
process.stdout.write(`dist/release:\n${sums.join('')}`);

async function sumOf(name: string): Promise<string> {
  const digest = createHash('sha256').update(await readFile(join(folder, name)));
  return `${digest.digest('hex')}  ${name}\n`;
}
