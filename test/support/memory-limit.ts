// Limits memory like a container, with a cgroup, if this machine allows it.

import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';

interface MemoryLimit {
  /** For a process's NODE_OPTIONS: it enters the cgroup before anything else. */
  readonly option: string;
  /** Call when no process is left in it. */
  readonly remove: () => void;
}

/** The memory controller's path and the name of its limit, in cgroups versions 1 and 2. */
const hierarchies = [
  { folder: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { folder: '/sys/fs/cgroup', limit: 'memory.max' },
];

/** Null if this machine allows no limit. */
export function limitMemory(name: string, bytes: number): MemoryLimit | null {
  for (const { folder, limit } of hierarchies) {
    const group = `${folder}/${name}`;
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    // Skips hierarchies without memory, where this would create a plain file.
    if (existsSync(`${group}/${limit}`)) {
      writeFileSync(`${group}/${limit}`, String(bytes));
      return { option: entering(group), remove: () => rmdirSync(group) };
    }
    rmdirSync(group);
  }
  return null;
}

function entering(group: string): string {
  const code = `import { writeFileSync } from 'node:fs';
    writeFileSync('${group}/cgroup.procs', String(process.pid));`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}
