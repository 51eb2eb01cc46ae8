// A peer in its own process: a question per line in, an answer per line out, one at a time. If it
// takes too long, it is killed and restarted for the next question.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

interface PeerCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Answers that take longer count as undecided. */
  readonly timeoutMs: number;
}

interface PeerAnswer {
  readonly verdict: 'yes' | 'no' | 'undecided';
  /** From parsed JSON to the verdict, measured by the peer. */
  readonly micros: number;
  readonly reason?: string;
}

export interface Peer {
  readonly name: string;
  ask(question: object): Promise<PeerAnswer>;
  stop(): void;
}

const running = new Set<ChildProcess>();

// A failed benchmark leaves no processes behind.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function openPeer(name: string, { file, args, timeoutMs }: PeerCommand): Peer {
  let line: Line | null = null;
  const end = () => {
    line?.child.kill('SIGKILL');
    line = null;
  };
  return {
    name,
    stop: end,
    async ask(question) {
      line ??= startLine(file, args);
      const answer = await line.ask(`${JSON.stringify(question)}\n`, timeoutMs);
      if (answer !== null) return JSON.parse(answer) as PeerAnswer;
      end();
      const reason = `no answer within ${timeoutMs} ms`;
      return { verdict: 'undecided', micros: timeoutMs * 1000, reason };
    },
  };
}

interface Line {
  readonly child: ChildProcess;
  /** Null if it did not answer in time, or ended. */
  ask(text: string, timeoutMs: number): Promise<string | null>;
}

function startLine(file: string, args: readonly string[]): Line {
  const child = spawn(file, [...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  running.add(child);
  let waiting: ((answer: string | null) => void) | null = null;
  const settle = (answer: string | null) => {
    const done = waiting;
    waiting = null;
    done?.(answer);
  };
  child.once('exit', () => {
    running.delete(child);
    settle(null);
  });
  // A process that ended refuses data that is still being written to it.
  child.stdin?.on('error', () => {});
  if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', settle);
  return {
    child,
    ask: (text, timeoutMs) =>
      new Promise((done) => {
        const timer = setTimeout(() => settle(null), timeoutMs);
        waiting = (answer) => {
          clearTimeout(timer);
          done(answer);
        };
        child.stdin?.write(text);
      }),
  };
}
