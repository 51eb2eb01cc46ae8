// A queue with a separate line for each caller. Callers take turns, however many tasks one of them
// has.

interface FairQueue<Task> {
  readonly size: () => number;
  readonly sizeOf: (caller: string) => number;
  readonly add: (caller: string, task: Task) => void;
  /** Takes the first task of the next caller in turn, among those that may be served now. */
  readonly take: (mayBeServed: (caller: string, next: Task) => boolean) => Task | undefined;
  /** False if the task is not in the queue. */
  readonly remove: (caller: string, task: Task) => boolean;
  readonly takeAll: () => readonly Task[];
}

export function openFairQueue<Task>(): FairQueue<Task> {
  /**
   * No line is empty. The caller whose turn it is comes first; after being served it moves to the
   * end.
   */
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
