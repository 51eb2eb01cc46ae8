// Measures how long a page, its server and its database work, which is meaningful even on a busy machine.

import type { CDPSession } from 'playwright-core';
import type { Figure } from './figure.ts';
import type { BenchDatabase, ServerProcess } from './processes.ts';
import { processCpuMicros } from './processor.ts';

/** Returns the working time of the page's thread, in milliseconds. */
export async function openMeter(devtools: CDPSession): Promise<{ read(): Promise<number> }> {
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  return {
    read: async () => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
    },
  };
}

export interface Behind {
  readonly product: ServerProcess;
  readonly database: BenchDatabase;
}

/** Counts from now on; what it returns gives the figures for each of so many turns. */
export function watchBehind({ product, database }: Behind): (turns: number) => readonly Figure[] {
  const read = () => [processCpuMicros(product.pid), database.processorMicros()] as const;
  const before = read();
  return (turns) => {
    const [server, postgres] = read();
    const perTurn = (micros: number) => micros / 1000 / turns;
    return [
      {
        ...{ name: 'the same: the server, all threads', unit: 'ms' },
        value: perTurn(server - before[0]),
      },
      { name: 'the same: Postgres', unit: 'ms', value: perTurn(postgres - before[1]) },
    ];
  };
}
