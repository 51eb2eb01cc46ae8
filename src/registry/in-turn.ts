// Runs tasks of the same key one after the other within this process. This only saves work:
// correctness comes from the database's lock, which also holds across processes. Without the queue,
// 32 simultaneous publishes of one asset would make 528 comparisons, each losing to whichever
// commits first.

export type InTurn = <T>(
  key: string,
  /**
   * The argument says whether the task had to wait; facts that were read before may then be
   * outdated.
   */
  run: (turn: { readonly hasWaited: boolean }) => Promise<T>,
) => Promise<T>;

export function takeTurns(): InTurn {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, run) => {
    const before = tails.get(key);
    const hasWaited = before !== undefined;
    const turn = (before ?? Promise.resolve()).then(() => run({ hasWaited }));
    const tail = turn.catch(() => {});
    tails.set(key, tail);
    try {
      return await turn;
    } finally {
      if (tails.get(key) === tail) tails.delete(key);
    }
  };
}
