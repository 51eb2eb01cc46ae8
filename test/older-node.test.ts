import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../scripts/run-command.ts';

const root = join(import.meta.dirname, '..');

test('The program uses nothing of a newer JavaScript but what the package brings', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'older-node-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const config = join(folder, 'tsconfig.json');
  const compilerOptions = {
    lib: ['es2023', 'es2024.string'],
    typeRoots: [join(root, 'node_modules/@types')],
  };
  await writeFile(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions,
      include: [],
      files: [join(root, 'src/cli/commands.ts')],
    }),
  );
  const { stdout } = await run('npx', ['--no-install', 'tsc', '-p', config]);
  const used = [...stdout.matchAll(/Property '(\w+)' does not exist|Cannot find name '(\w+)'/g)];
  const brought = await readFile(join(root, 'scripts/release/command/older-node.js'), 'utf8');
  const names = new Set(used.map(([, property, name]) => property ?? name ?? ''));
  expect([...names].filter((name) => !brought.includes(name))).toEqual([]);
  expect(names).toContain('groupBy');
});
