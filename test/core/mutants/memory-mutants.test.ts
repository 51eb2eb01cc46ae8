import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { questionsOf } from '../containment/support/hostile-patterns.ts';
import { bundleOf } from './load-engine.ts';
import { memoryMutants } from './memory-mutants.ts';

/** Twice what the engine needs for any of the patterns. */
const maxOldGenerationSizeMb = 600;

const asking = `
import { parentPort, workerData } from 'node:worker_threads';
for (const question of workerData) contains(question);
parentPort.postMessage('answered');
`;

/** 'answered', or why the thread died before. */
async function outcomeOf(engine: string, pattern: string): Promise<string> {
  const source = Buffer.from(engine + asking).toString('base64');
  const worker = new Worker(new URL(`data:text/javascript;base64,${source}`), {
    workerData: questionsOf(pattern),
    resourceLimits: { maxOldGenerationSizeMb },
  });
  try {
    const [message]: string[] = await once(worker, 'message');
    return message ?? '';
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  } finally {
    await worker.terminate();
  }
}

const rows = memoryMutants.map((mutant) => [mutant.family, mutant] as const);

const isAsked = process.env.LARGE_TESTS === 'true';

test.runIf(isAsked).each(rows)(
  'a thread that asks of the worst pattern dies by the mutant %s, and by nothing else',
  async (_family, mutant) => {
    const entry = 'containment/contains.ts';
    const sound = await bundleOf(entry, { ...mutant, to: mutant.from });
    expect(await outcomeOf(sound, mutant.pattern)).toBe('answered');
    const broken = await bundleOf(entry, mutant);
    expect(await outcomeOf(broken, mutant.pattern)).toBe('ERR_WORKER_OUT_OF_MEMORY');
  },
  120_000,
);
