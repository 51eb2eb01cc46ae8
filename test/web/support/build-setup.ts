// Builds the page before its tests, like `npm run build:web`, so that tests use the delivered
// files.

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

export default async function setup(): Promise<void> {
  const root = resolve(import.meta.dirname, '../../..');
  // The test runner's NODE_ENV would give a development build of twice the size.
  await promisify(execFile)(process.execPath, ['node_modules/vite/bin/vite.js', 'build'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production' },
  });
}
