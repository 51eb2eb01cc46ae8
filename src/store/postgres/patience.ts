// Time limits for Postgres, which may hang or be behind a network that drops everything.

/**
 * A statement that is at work is ended by Postgres after 30 s: its answer is there by then, or
 * nobody is.
 */
export const answerPatienceMs = 40_000;

interface Waiting {
  readonly untilMs: number;
  readonly giveUp: () => void;
}

/** One timer looks after all of them: setting one for each costs more than many an answer does. */
const waiting = new Set<Waiting>();
const lookEveryMs = 1_000;
let looking: NodeJS.Timeout | null = null;

/** Gives up once the time is over, or a second later; answers how to stop waiting. */
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
