// A process that takes part in an election and prints its state, one line at a time. While it
// leads, it counts as fast as it can, checking before each step, so that a test sees whether it
// counts after losing leadership.

import { systemClock } from '../../../src/controller/clock.ts';
import { ApiClient } from '../../../src/controller/cluster/api-client.ts';
import { LeaderElection } from '../../../src/controller/cluster/leader-election.ts';
import { configOf } from '../../support/kubernetes/kubernetes.ts';

const [server = '', caFile = '', name = '', identity = '', times = '{}'] = process.argv.slice(2);

const say = (line: string) => process.stdout.write(`${line}\n`);

const election = new LeaderElection({
  client: new ApiClient(configOf({ server, caFile })),
  clock: systemClock,
  namespace: 'default',
  name,
  identity,
  times: JSON.parse(times),
  onError: (error) => say(`error ${error instanceof Error ? error.message : error}`),
  lead: async (signal) => {
    say('leads');
    while (!signal.aborted) {
      await new Promise((resolve) => setImmediate(resolve));
      // Taken before the question: a process may be frozen between the answer and its next line.
      const askedAtMs = Date.now();
      if (election.isLeading()) say(`works ${askedAtMs}`);
    }
    say('ended');
  },
});

election.start();
process.once('SIGTERM', () => {
  void election.stop().then(() => process.exit(0));
});
