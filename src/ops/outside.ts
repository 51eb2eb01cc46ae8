// Runs functions in the asynchronous context in which they were wrapped, for example outside a transaction
// that begins later.

import { AsyncLocalStorage } from 'node:async_hooks';

/** Returns the same functions. Each call runs in the asynchronous context of this moment. */
export function keepContext<Functions extends object>(functions: Functions): Functions {
  const outside = AsyncLocalStorage.snapshot();
  return new Proxy(functions, {
    get: (target, name) => {
      const called = target[name as keyof Functions] as (...all: readonly unknown[]) => unknown;
      return (...all: readonly unknown[]) => outside(() => called(...all));
    },
  });
}
