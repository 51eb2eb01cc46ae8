// `make verify`: what takes long to build or to run, step by step. The first failure ends it.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, '..');

// One row a step.
const steps: readonly Step[] = [
  {
    name: 'the page builds as it is served',
    command: ['npx', '--no-install', 'vite', 'build', '--logLevel', 'warn'],
    environment: { NODE_ENV: 'production' },
  },
  {
    name: 'the command line answers a question from a pipe',
    command: [
      'sh',
      '-c',
      'echo \'{"id":1,"a":{"type":"integer"},"b":{"type":"number"}}\' | ' +
        'node src/main.ts contains --ndjson | grep -q \'"verdict":"yes"\'',
    ],
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
