// A disk of its own, small, that a test may fill.

import { spawnSync } from 'node:child_process';
import { open } from 'node:fs/promises';

/** Returns why there is none; only root may mount one. */
export function mountSmallDisk(at: string): string | null {
  if (process.getuid?.() !== 0) return 'only root can mount a small disk';
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', at]);
  return status === 0 ? null : `no small disk can be mounted here: ${stderr}`;
}

/** Appends until there is no space. */
export async function fillDisk(file: string): Promise<void> {
  const handle = await open(file, 'a');
  try {
    for (const size of [1024 * 1024, 4096]) {
      const block = Buffer.alloc(size);
      for (;;) {
        const { bytesWritten } = await handle.write(block);
        if (bytesWritten < size) break;
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await handle.close();
  }
}
