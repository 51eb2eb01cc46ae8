// A queue with a line for each caller. The callers take turns, however many tasks one of them has.

interface FairQueue<Task> {
  readonly size: () => number;
  readonly sizeOf: (caller: string) => number;
  readonly add: (caller: string, task: Task) => void;
  /** The first task of whose turn it is, among those who may be served now. */
  readonly take: (mayBeServed: (caller: string, next: Task) => boolean) => Task | undefined;
  /** False where the task does not wait here. */
  readonly remove: (caller: string, task: Task) => boolean;
  readonly takeAll: () => readonly Task[];
}

export function openFairQueue<Task>(): FairQueue<Task> {
  /** No line is empty. Whose turn it is comes first; who was served goes to the end. */
  const lines = new Map<string, Task[]>();
  let size = 0;

  return {
    size: () => size,
    sizeOf: (caller) => lines.get(caller)?.length ?? 0,
    add: (caller, task) => {
      const line = lines.get(caller);
      if (line === undefined) lines.set(caller, [task]);
      else line.push(task);
      size++;
    },
    take: (mayBeServed) => {
      for (const [caller, line] of lines) {
        const [next] = line;
        if (next === undefined || !mayBeServed(caller, next)) continue;
        const task = line.shift();
        lines.delete(caller);
        if (line.length > 0) lines.set(caller, line);
        size--;
        return task;
      }
      return undefined;
    },
    remove: (caller, task) => {
      const line = lines.get(caller) ?? [];
      const at = line.indexOf(task);
      if (at < 0) return false;
      line.splice(at, 1);
      if (line.length === 0) lines.delete(caller);
      size--;
      return true;
    },
    takeAll: () => {
      const tasks = [...lines.values()].flat();
      lines.clear();
      size = 0;
      return tasks;
    },
  };
}
