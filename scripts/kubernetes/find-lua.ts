// The interpreter that Argo CD runs its health checks by, for the test of ours: from the cache, or
// built from the Go module proxy in some seconds.

import { join } from 'node:path';
import { buildProgram, cacheOf, isProgram } from './build-program.ts';
import type { Search } from './find-binaries.ts';

/** What the go.mod in `lua` pins, and the state of the program around it. */
const version = '1.1.1-1';

export async function findLua({ environment, log }: Search): Promise<string> {
  const program = join(cacheOf(environment), 'lua-health', version, 'lua-health');
  if (await isProgram(program)) return program;
  log('Building the Lua interpreter of Argo CD from the Go module proxy.');
  await buildProgram({ module: 'lua', package: '.', linking: '-s -w' }, program);
  return program;
}
