// Shows the progress of long work, only on a terminal and only after a while.

import type { OutputStream } from './output.ts';

export interface Progress {
  /** Cheap enough to call for every step, because the text is made only when it is shown. */
  readonly tell: (text: () => string) => Promise<void>;
  /** Removes the progress line. */
  readonly end: () => void;
}

const quietMs = 700;
const everyMs = 100;
const eraseLine = '\r\u001b[K';

export function startProgress(stream: OutputStream): Progress {
  if (stream.isTTY !== true) return { tell: async () => {}, end: () => {} };
  let next = performance.now() + quietMs;
  let isShown = false;
  return {
    tell: async (text) => {
      const now = performance.now();
      if (now < next) return;
      next = now + everyMs;
      isShown = true;
      stream.write(`${eraseLine}${text()} ...`);
      // Gives the stream and signals a turn between two steps.
      await new Promise((done) => setImmediate(done));
    },
    end: () => {
      if (isShown) stream.write(eraseLine);
      isShown = false;
    },
  };
}
