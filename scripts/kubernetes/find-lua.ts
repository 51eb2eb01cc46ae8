// The interpreter that Argo CD runs its health checks by, for the test of ours.

import { findProgram, type ProgramSearch } from './build-program.ts';

export function findLua(search: ProgramSearch): Promise<string> {
  return findProgram(search, {
    name: 'lua-health',
    // Of the interpreter, and the state of the program around it.
    version: '1.1.1-1',
    module: 'lua',
    package: '.',
    linking: '-s -w',
  });
}
