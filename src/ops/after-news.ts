/** Subscribes to commits, in this process or another. */
interface News {
  readonly onHeard: (hear: () => void) => () => void;
  /** False where something could have been missed. */
  readonly isListening: () => boolean;
}

interface AfterNewsOptions {
  readonly news: News;
  readonly work: () => Promise<void>;
  /** Where nothing is heard: another process may have died before it did its part. */
  readonly anywayMs: number;
  readonly clock: () => number;
}

/** The work, done only where something was committed since it began last, or may have been. */
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
