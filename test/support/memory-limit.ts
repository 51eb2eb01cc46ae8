// A limit of memory as a container has it: a cgroup, where this machine lets us make one.

import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';

interface MemoryLimit {
  /** For the NODE_OPTIONS of a process: it enters the limit before it does anything else. */
  readonly option: string;
  /** Once no process is in it. */
  readonly remove: () => void;
}

/** Where the controller of memory is, and what its limit is called: cgroups of version 1 and 2. */
const hierarchies = [
  { folder: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { folder: '/sys/fs/cgroup', limit: 'memory.max' },
];

/** Null where nothing may be limited here. */
export function limitMemory(name: string, bytes: number): MemoryLimit | null {
  for (const { folder, limit } of hierarchies) {
    const group = `${folder}/${name}`;
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    // Not of a hierarchy without memory; nor a file that this would make.
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
