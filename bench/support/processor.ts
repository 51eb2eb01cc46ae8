// The processor time of a process so far, from Linux.

import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** User and system time of a process, including its threads. */
export function processCpuMicros(pid: number): number {
  const [user, system] = timesOf(pid);
  return user + system;
}

/** The same, including its child processes, both running and ended. */
export function familyCpuMicros(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const own = timesOf(pid).reduce((sum, micros) => sum + micros, 0);
  return children.reduce((sum, child) => sum + processCpuMicros(Number(child)), own);
}

/** The peak of resident memory. */
export function peakMemoryBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Waits until it uses less than a twentieth of a processor. */
export async function untilIdle(pid: number): Promise<void> {
  for (let before = processCpuMicros(pid), isIdle = false; !isIdle; ) {
    await setTimeout(500);
    const now = processCpuMicros(pid);
    isIdle = now - before < 25_000;
    before = now;
  }
}

/**
 * User and system time of the process, and of its children that ended. A tick is 10 ms on Linux.
 */
function timesOf(pid: number): readonly [number, number, number, number] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain spaces, so fields are counted from the end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const micros = (field: number) => Number(fields[field]) * 10_000;
  return [micros(11), micros(12), micros(13), micros(14)];
}
