// The server's start command in the image, so that the results of a benchmark or soak also hold for
// the image.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const dockerfile = readFileSync(join(import.meta.dirname, '../../Dockerfile'), 'utf8');

export function flagsOfImage(): readonly string[] {
  const entry = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1];
  if (entry === undefined)
    throw new Error('The Dockerfile has no ENTRYPOINT in the form of a list.');
  const command: readonly string[] = JSON.parse(entry);
  return command.filter((word) => word.startsWith('--'));
}

export function environmentOfImage(): Readonly<Record<string, string>> {
  const lines = dockerfile.matchAll(/^ENV (.*)$/gm);
  const pairs = [...lines].flatMap(([, line = '']) => line.split(' '));
  return Object.fromEntries(pairs.map((pair) => pair.split('=', 2)));
}
