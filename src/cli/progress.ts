// How far long work is, on a terminal only, and only once it has taken a while.

import type { OutputStream } from './output.ts';

export interface Progress {
  /** Cheap enough for every step: the text is made only when it is shown. */
  readonly tell: (text: () => string) => Promise<void>;
  /** Takes the line away. */
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
      // Lets the stream write, and a signal be heard, between two steps.
      await new Promise((done) => setImmediate(done));
    },
    end: () => {
      if (isShown) stream.write(eraseLine);
      isShown = false;
    },
  };
}
