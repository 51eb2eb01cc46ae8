// How long the thread of a page was at work: that holds on a busy machine, too.

import type { CDPSession } from 'playwright-core';

/** The time that the page's thread was at work, in milliseconds. */
export async function openMeter(devtools: CDPSession): Promise<{ read(): Promise<number> }> {
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  return {
    read: async () => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
    },
  };
}
