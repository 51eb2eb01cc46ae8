// The caller that the process is currently working for. It is set where a request is admitted and
// read where callers share resources, so the code in between does not have to pass it on.

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
