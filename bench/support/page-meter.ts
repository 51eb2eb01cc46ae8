// Measures how long the thread of a page works, which is meaningful even on a busy machine.

import type { CDPSession } from 'playwright-core';

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
