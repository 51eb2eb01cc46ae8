// Time limits for Postgres, which may hang or be behind a network that drops everything.

/** Postgres cancels a statement after 30 s, so after this time no answer will come. */
export const answerPatienceMs = 40_000;

interface Waiting {
  readonly untilMs: number;
  readonly giveUp: () => void;
}

/** One shared timer, because a timer for each would cost more than many a query. */
const waiting = new Set<Waiting>();
const lookEveryMs = 1_000;
let looking: NodeJS.Timeout | null = null;

/**
 * Calls `giveUp` after this time, or up to a second later. Returns a function that cancels the
 * wait.
 */
export function waitAtMost(patienceMs: number, giveUp: () => void): () => void {
  const own: Waiting = { untilMs: performance.now() + patienceMs, giveUp };
  waiting.add(own);
  looking ??= setInterval(giveUpTheLate, lookEveryMs).unref();
  return () => waiting.delete(own);
}

function giveUpTheLate(): void {
  for (const each of waiting) {
    if (performance.now() < each.untilMs) continue;
    waiting.delete(each);
    each.giveUp();
  }
  if (waiting.size > 0 || looking === null) return;
  clearInterval(looking);
  looking = null;
}
