// `make verify`: what takes long to build or to run, step by step. The first failure ends it.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, '..');

// One row a step; minutes are those of two cores.
const steps: readonly Step[] = [
  {
    name: 'the laws of the engine on 100,000 pairs (5 minutes)',
    command: ['npx', '--no-install', 'vitest', 'run', '--project', 'core', 'test/core/laws'],
    environment: { LAW_PAIRS: '100000' },
  },
];

for (const { name, command, environment } of steps) {
  process.stdout.write(`\n== ${name}\n`);
  const [program, ...rest] = command;
  const startedAt = Date.now();
  const { status } = spawnSync(program, rest, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  process.stdout.write(
    `== ${status === 0 ? 'fine' : `failed with code ${status}`}, ${seconds} s\n`,
  );
  if (status !== 0) process.exit(1);
}
