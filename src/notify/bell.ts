// Rung by whoever has news; whoever waits is woken, and what rang before it waited counts too.

interface Bell {
  readonly ring: () => void;
  /** Until it rings, or the time is over. */
  readonly wait: (limitMs: number) => Promise<void>;
}

export function openBell(): Bell {
  let isRung = false;
  let wake: (() => void) | null = null;
  return {
    ring: () => {
      isRung = true;
      wake?.();
    },
    wait: async (limitMs) => {
      if (!isRung) {
        await new Promise<void>((done) => {
          const timer = setTimeout(done, limitMs);
          wake = () => {
            clearTimeout(timer);
            done();
          };
        });
      }
      wake = null;
      isRung = false;
    },
  };
}
