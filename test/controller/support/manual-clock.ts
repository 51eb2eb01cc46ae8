// A clock that stands still until a test moves it.

import type { Clock } from '../../../src/controller/clock.ts';

interface Due {
  readonly atMs: number;
  readonly call: () => void;
}

export class ManualClock implements Clock {
  #nowMs = 0;
  #due: Due[] = [];

  readonly monotonicMs = (): number => this.#nowMs;
  readonly wallTime = (): Date => new Date(this.#nowMs);

  readonly after = (delayMs: number, call: () => void): (() => void) => {
    const entry = { atMs: this.#nowMs + delayMs, call };
    this.#due.push(entry);
    return () => {
      this.#due = this.#due.filter((other) => other !== entry);
    };
  };

  /** The number of pending calls. */
  get waiting(): number {
    return this.#due.length;
  }

  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (;;) {
      const next = this.#earliest();
      if (next === undefined || next.atMs > untilMs) break;
      this.#run(next);
    }
    this.#nowMs = untilMs;
  }

  /** Moves to the next due call, and makes it. */
  advanceToNext(): void {
    const next = this.#earliest();
    if (next !== undefined) this.#run(next);
  }

  #earliest(): Due | undefined {
    return this.#due.toSorted((a, b) => a.atMs - b.atMs)[0];
  }

  #run(entry: Due): void {
    this.#due = this.#due.filter((other) => other !== entry);
    this.#nowMs = Math.max(this.#nowMs, entry.atMs);
    entry.call();
  }
}
