/** Subscribes to commits, in this process or another. */
interface News {
  readonly onHeard: (hear: () => void) => () => void;
  /** False if a message could have been missed. */
  readonly isListening: () => boolean;
}

interface AfterNewsOptions {
  readonly news: News;
  readonly work: () => Promise<void>;
  /** The interval without notifications: another process may have died before it did its part. */
  readonly anywayMs: number;
  readonly clock: () => number;
}

/** Repeats the work, but only if something was or may have been committed since it last began. */
export function afterNews({ news, work, anywayMs, clock }: AfterNewsOptions): () => Promise<void> {
  let hasNews = true;
  let doneAt = Number.NEGATIVE_INFINITY;
  news.onHeard(() => {
    hasNews = true;
  });
  return async () => {
    if (!hasNews && news.isListening() && clock() - doneAt < anywayMs) return;
    hasNews = false;
    try {
      await work();
      doneAt = clock();
    } catch (error) {
      hasNews = true;
      throw error;
    }
  };
}
