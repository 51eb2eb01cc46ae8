// What a process took of the processor so far, as Linux tells it.

import { readFileSync } from 'node:fs';

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

/** Of itself by user and system, and of its children that ended. Ticks are 10 ms on Linux. */
function timesOf(pid: number): readonly [number, number, number, number] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold spaces: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const micros = (field: number) => Number(fields[field]) * 10_000;
  return [micros(11), micros(12), micros(13), micros(14)];
}
