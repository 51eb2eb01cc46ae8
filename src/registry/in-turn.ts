// One after the other in this process, by key. It saves work, nothing more: the database's lock is
// what keeps the promise, across processes too. Without it, 32 publishes of one asset at once would
// compare 528 times, each losing to whoever commits first.

export type InTurn = <T>(
  key: string,
  /** Its argument says whether it had to wait; facts that were read before may then be outdated. */
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
