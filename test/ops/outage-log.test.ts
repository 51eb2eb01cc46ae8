// What the log says of a database that fails for more than one reason.

import { expect, test } from 'vitest';
import { RegistryRefused, RegistryUnavailable } from '../../src/core/unavailable.ts';
import type { Log } from '../../src/ops/observe/log.ts';
import { openOutageLog } from '../../src/ops/observe/outage-log.ts';

test('An outage that becomes another one is told by its new reason, once', async () => {
  const said: string[] = [];
  const say = (_: unknown, text: string) => said.push(text);
  const log = { warn: say, info: say, debug: () => {} } as unknown as Log;
  const outages = openOutageLog({
    log,
    ping: () => Promise.resolve(),
    clock: () => performance.now(),
    count: () => {},
  });
  const refused = () => new RegistryRefused(new Error('no'), 'read_only', 'It is read-only.');
  outages.report(new RegistryUnavailable(new Error('cut')));
  outages.report(refused());
  outages.report(refused());
  await expect.poll(() => said).toContain('the database answers again');
  await outages.stop();
  expect(said.toSorted()).toEqual([
    'the database answers again',
    'the database is busy',
    'the database is read-only',
  ]);
});
