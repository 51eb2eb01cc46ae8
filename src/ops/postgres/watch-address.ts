// Watches the file of DATABASE_URL_FILE, so that open connections move to a changed address before
// the role or the password of the old one ends.

import { startRepeating } from '../repeat.ts';
import { connect, readDatabaseUrl } from './connect.ts';

/** The kubelet updates mounted Secrets about once a minute. */
const lookEveryMs = 2_000;

/**
 * Calls `onChange` once Postgres accepts a changed address: until then, open connections are the
 * only ones that work. Returns a function that ends the watch.
 */
export function watchAddress(url: string, onChange: () => void): () => void {
  if (!url.startsWith('file:')) return () => {};
  let used: string | null = null;
  const look = async () => {
    const address = await readDatabaseUrl(url);
    used ??= address;
    if (address === used) return;
    await (await connect(address)).end();
    used = address;
    onChange();
  };
  // The next look tries again, and new connections report the problem.
  const watching = startRepeating(look, lookEveryMs, () => {});
  return () => void watching.stop();
}
