// For commands that change a database which they do not serve.

import type { Config } from '../ops/config/config.ts';
import { createLog } from '../ops/observe/log.ts';
import { openStore, type Store } from '../store/store.ts';
import { openDatabase } from './open-database.ts';

/** Opens the store for the time of this work, with one connection. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const opened: (() => Promise<void>)[] = [];
  try {
    const log = createLog(config.LOG_LEVEL, 'pretty');
    const { url, isPooled, cipher } = await openDatabase(config, log, (close) =>
      opened.push(close),
    );
    const store = await openStore({ url, isPooled, cipher, maxConnections: 1 });
    opened.push(store.stop);
    return await work(store);
  } finally {
    for (const close of opened.reverse()) await close();
  }
}
