// For whom this process is working at the moment: said once where a request is let in, and asked
// where callers share something, so that no way between them can forget to pass it on.

import { AsyncLocalStorage } from 'node:async_hooks';

const callers = new AsyncLocalStorage<string>();

/** Work without a caller: the controller and timers. */
const registryItself = 'the registry';

export function workFor<T>(caller: string, work: () => T): T {
  return callers.run(caller, work);
}

export function currentCaller(): string {
  return callers.getStore() ?? registryItself;
}
