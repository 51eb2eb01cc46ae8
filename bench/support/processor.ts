// What a process took of the processor so far, as Linux tells it.

import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** User and system time of a process, its threads included. */
export function processCpuMicros(pid: number): number {
  const [user, system] = timesOf(pid);
  return user + system;
}

/** The same with the processes that it started: those that are there, and those that ended. */
export function familyCpuMicros(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const own = timesOf(pid).reduce((sum, micros) => sum + micros, 0);
  return children.reduce((sum, child) => sum + processCpuMicros(Number(child)), own);
}

/** The high-water mark of what was resident: threads included. */
export function peakMemoryBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Until it takes less than a twentieth of a processor. */
export async function untilIdle(pid: number): Promise<void> {
  for (let before = processCpuMicros(pid), isIdle = false; !isIdle; ) {
    await setTimeout(500);
    const now = processCpuMicros(pid);
    isIdle = now - before < 25_000;
    before = now;
  }
}

/** Of itself by user and system, and of its children that ended. Ticks are 10 ms on Linux. */
function timesOf(pid: number): readonly [number, number, number, number] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold spaces: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const micros = (field: number) => Number(fields[field]) * 10_000;
  return [micros(11), micros(12), micros(13), micros(14)];
}
