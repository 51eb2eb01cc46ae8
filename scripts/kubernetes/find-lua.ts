// Finds the interpreter that Argo CD uses for health checks, to test ours.

import { findProgram, type ProgramSearch } from './build-program.ts';

export function findLua(search: ProgramSearch): Promise<string> {
  return findProgram(search, {
    name: 'lua-health',
    // The versions of the interpreter and of the program around it.
    version: '1.1.1-1',
    module: 'lua',
    package: '.',
    linking: '-s -w',
  });
}
