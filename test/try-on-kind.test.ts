// `make kind` where no engine runs, and what it tells to try. A cluster by kind needs a container engine: `make e2e`.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Folder, makeFolder, run } from './cli/support.ts';

const root = join(import.meta.dirname, '..');
const script = 'scripts/kubernetes/try-on-kind.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

/** Runs the script with these programs as the only ones. */
async function tryWith(programs: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(programs)) {
    chmodSync(await folder.file(`bin/${name}`, `#!/bin/sh\n${text}\n`), 0o755);
  }
  return spawnSync(process.execPath, [script], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: join(folder.path, 'bin') },
  });
}

test('make kind says of each engine why it does not run a node, and how to make an image of one', async () => {
  const { status, stderr } = await tryWith({
    docker: 'echo "Cannot connect to the Docker daemon." >&2; exit 1',
    podman: 'test "$1" = info || { echo "No registry is reached." >&2; exit 125; }',
  });
  expect(status).toBe(1);
  expect(stderr).toContain('docker: Cannot connect to the Docker daemon.');
  expect(stderr).toContain('podman: there is no image of a node: No registry is reached.');
  expect(stderr).toContain('nerdctl: it is not installed');
  expect(stderr).toContain('scripts/kubernetes/kind/node-image.sh makes one');
});

test('the change that make kind tells to try breaks a sample contract', async () => {
  const [, edit = '', sample = ''] =
    /(sed '[^']+') \$\{samples\}\/(\S+)/.exec(readFileSync(join(root, script), 'utf8')) ?? [];
  const before = join(root, 'examples/contracts', sample);
  const after = execFileSync('sh', ['-c', `${edit} "$0"`, before], { encoding: 'utf8' });
  const changed = await folder.file('after.yaml', after);
  expect(dirname(sample)).toBe('orders');
  expect((await run(['diff', before, changed])).code).toBe(1);
  expect((await run(['diff', before, before])).code).toBe(0);
});
