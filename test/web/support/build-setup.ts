// Builds the page before its tests: what is tested is what is served.

import { resolve } from 'node:path';
import { build } from 'vite';

export default async function setup(): Promise<void> {
  const configFile = resolve(import.meta.dirname, '../../../vite.config.ts');
  await build({ configFile, logLevel: 'error' });
}
