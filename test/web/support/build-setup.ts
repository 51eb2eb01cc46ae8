// Builds the page before its tests, as `npm run build:web` does: what is tested is what is served.

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

export default async function setup(): Promise<void> {
  const root = resolve(import.meta.dirname, '../../..');
  // The test runner's own NODE_ENV would make it a page for developers, twice the size.
  await promisify(execFile)(process.execPath, ['node_modules/vite/bin/vite.js', 'build'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production' },
  });
}
