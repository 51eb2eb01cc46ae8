// What a reader waits for: from the start of the server to the first own contract, and each page of
// the guide, its commands and its reading, beside the minutes that its first lines promise.

import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptOf } from '../test/docs/blocks.ts';
import { startNewcomer } from '../test/docs/newcomer.ts';
import type { Benchmark, Figure } from './support/figure.ts';
import { startBenchDatabase } from './support/processes.ts';

const pages = [
  'README.md',
  ...[
    ...['rest', 'ci', 'operate', 'how-to-consume', 'how-to-change', 'how-to-import'],
    ...['how-to-check', 'how-to-say-what-you-read', 'how-to-ask-with-agents'],
  ].map((page) => `docs/guide/${page}.md`),
];

/** Their commands, if any, need a cluster, containers, or the programs of Postgres. Here they are read. */
const onlyRead = ['README', 'gitops', 'docker', 'how-to-back-up', 'comparison'].map(
  (page) => `docs/guide/${page}.md`,
);

/** Somebody who reads instructions carefully. */
const wordsPerMinute = 180;

export const benchmark: Benchmark = {
  name: 'The first hour',
  run: async () => {
    const database = await startBenchDatabase();
    try {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'concordat-journeys-'));
      // The page about checks has a table in the embedded Postgres; another one migrates a Postgres.
      const newcomer = await startNewcomer(folder.path, {}, database.url);
      const figures: Figure[] = [await firstContract()];
      for (const page of pages) figures.push(await pageFigure(page, newcomer.run));
      figures.push(...onlyRead.map(readingFigure));
      await newcomer.stop();
      return figures;
    } finally {
      await database.stop();
    }
  },
};

/** On an empty folder, with the Postgres that comes with it, as `make run` starts. */
async function firstContract(): Promise<Figure> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'concordat-journeys-'));
  const begin = performance.now();
  const newcomer = await startNewcomer(folder.path, {});
  // The key, the demo, and the block that publishes.
  const script = scriptOf('README.md', 'run').split('\necho "---"\n').slice(0, 3).join('\n');
  const output = (await newcomer.run(script)).join('\n');
  const value = (performance.now() - begin) / 1000;
  await newcomer.stop();
  if (!output.includes('1.0.0 is active')) throw new Error(`No contract was published:\n${output}`);
  return {
    name: 'from the start of the server, on an empty folder, to the first own contract',
    unit: 's',
    value,
    targetValue: 120,
  };
}

async function pageFigure(
  page: string,
  run: (script: string) => Promise<unknown>,
): Promise<Figure> {
  const begin = performance.now();
  await run(scriptOf(page, 'run'));
  const commandSeconds = (performance.now() - begin) / 1000;
  const reading = readingFigure(page);
  return {
    ...reading,
    name: `${page}: its commands, and reading it`,
    value: commandSeconds + reading.value,
    note: `commands ${commandSeconds.toFixed(1)} s, ${reading.note}`,
  };
}

function readingFigure(page: string): Figure {
  const text = readFileSync(join(import.meta.dirname, '..', page), 'utf8');
  const words = text.replaceAll(/```[\s\S]*?```/g, '').match(/[A-Za-z]{2,}/g)?.length ?? 0;
  return {
    name: `${page}: reading it`,
    unit: 's',
    value: (words / wordsPerMinute) * 60,
    targetValue: promisedMinutes(text) * 60,
    note: `${words} words at ${wordsPerMinute} a minute`,
  };
}

const numbers: Readonly<Record<string, number>> = { three: 3, five: 5, ten: 10, fifteen: 15 };

function promisedMinutes(text: string): number {
  const [, said = ''] = /\bIn (\w+) minutes\b/.exec(text) ?? [];
  const minutes = numbers[said];
  if (minutes === undefined) throw new Error(`"${said}" is not a number of minutes.`);
  return minutes;
}
