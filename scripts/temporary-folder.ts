// Chooses the folder in which tests keep databases, repositories and files for a while, for the
// process that imports this and for all that it starts.
//
// It is in memory, where there is plenty: a copy of a database costs a disk's file system up to
// twenty times the processor time. Programs must be allowed to run there.

import { readFileSync, statfsSync } from 'node:fs';

const memory = '/dev/shm';
/** All that the tests keep at once, several times over. */
const leastFreeBytes = 6 * 1024 ** 3;

if (process.env.TMPDIR === undefined && isRoomy()) process.env.TMPDIR = memory;

function isRoomy(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === memory);
    const [, , kind, options = ''] = mount?.split(' ') ?? [];
    const { bavail, bsize } = statfsSync(memory);
    const isUsable = kind === 'tmpfs' && !options.split(',').includes('noexec');
    return isUsable && bavail * bsize >= leastFreeBytes;
  } catch {
    return false;
  }
}
