// Calls functions as if it were now: outside of what begins later, such as a transaction.

import { AsyncLocalStorage } from 'node:async_hooks';

/** The same functions; each call has the asynchronous context of this moment. */
export function keepContext<Functions extends object>(functions: Functions): Functions {
  const outside = AsyncLocalStorage.snapshot();
  return new Proxy(functions, {
    get: (target, name) => {
      const called = target[name as keyof Functions] as (...all: readonly unknown[]) => unknown;
      return (...all: readonly unknown[]) => outside(() => called(...all));
    },
  });
}
