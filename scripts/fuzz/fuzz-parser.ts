// Fuzzes one parser for a while. A parser that takes too long, or too much memory, is ended with
// its thread, and its current input is the finding.

import { Worker } from 'node:worker_threads';
import { mutate, openChance } from './mutate.ts';
import type { Finding, FuzzTask } from './parser-worker.ts';
import { type ParserName, parsers } from './parsers.ts';

interface Fuzzed {
  readonly findings: readonly Finding[];
  readonly tried: number;
}

/** Inputs have at most 200 kB; an import thread has some 4 GB for 128 MB. */
const heapMb = 384;
/** For one input of at most 200 kB, on a busy machine. */
const budgetCpuMs = 5_000;
const hangMs = 60_000;

export async function fuzzParser(
  parser: ParserName,
  { seed, inputs, cpuMs }: Pick<FuzzTask, 'seed' | 'inputs' | 'cpuMs'>,
): Promise<Fuzzed> {
  const progress = new SharedArrayBuffer(4);
  const at = new Int32Array(progress);
  const task: FuzzTask = { parser, seed, inputs, cpuMs, budgetCpuMs, progress };
  const worker = new Worker(new URL('./parser-worker.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  const ended = (problem: string): Fuzzed => {
    const number = Atomics.load(at, 0);
    const input = mutate(parsers[parser].samples, openChance(seed * 1_000_003 + number));
    return { findings: [{ parser, number, problem, input }], tried: number };
  };
  let last = -1;
  let hangs: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Fuzzed>((done) => {
      worker.once('message', done);
      worker.once('error', (error) => done(ended(`ended its thread: ${error}`)));
      worker.once('exit', () => done(ended('ended its thread')));
      hangs = setInterval(() => {
        const now = Atomics.load(at, 0);
        if (now === last) done(ended(`did not end within ${hangMs} ms`));
        last = now;
      }, hangMs);
    });
  } finally {
    clearInterval(hangs);
    await worker.terminate();
  }
}
