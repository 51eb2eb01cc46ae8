// A bell that producers of work ring and consumers wait for. A ring before the wait counts, too.

interface Bell {
  readonly ring: () => void;
  /** Waits until it rings, or until the limit. */
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
