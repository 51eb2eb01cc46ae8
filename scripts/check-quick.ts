// `npm run check:quick`: types, style, the structure of the code, what runs on an older Node, the tables
// of decisions, and the tests that changed or belong to changed parts of core.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const types = ['tsc', '--noEmit', '--incremental'];

const steps = [
  [...types, '--tsBuildInfoFile', 'node_modules/.cache/types-server'],
  [...types, '--tsBuildInfoFile', 'node_modules/.cache/types-web', '-p', 'src/web'],
  ['biome', 'check', '.'],
  [
    'vitest',
    'run',
    '--project',
    'core',
    'test/architecture.test.ts',
    'test/older-node.test.ts',
    'test/core/decide',
    ...near(),
  ],
];

for (const [program = '', ...args] of steps) {
  const command = ['--no-install', program, ...args];
  if (spawnSync('npx', command, { cwd: root, stdio: 'inherit' }).status !== 0) process.exit(1);
}

/** Tests that changed since the main branch, and the test folders of changed rooms of core. */
function near(): readonly string[] {
  const changed = [
    ...git('diff', '--name-only', 'origin/main...'),
    ...git('diff', '--name-only', 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
  const tests = changed.flatMap((file) => {
    if (file.endsWith('.test.ts')) return existsSync(join(root, file)) ? [file] : [];
    return folderOfTests(dirname(file)) ?? [];
  });
  return [...new Set(tests)];
}

/** The nearest test folder: `test/core/containment` for `src/core/containment/terms`. */
function folderOfTests(folder: string): string | null {
  if (!folder.startsWith('src/core/')) return null;
  const tests = folder.replace('src/', 'test/');
  return existsSync(join(root, tests)) ? tests : folderOfTests(dirname(folder));
}

/** Empty if there is no such branch. */
function git(...words: string[]): readonly string[] {
  const { stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean);
}
