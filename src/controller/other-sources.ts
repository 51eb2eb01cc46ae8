// When the last object of a registration is deleted, the registration may have moved to another source.
// So it ends only after all other sources have been read again.

import type { Clock } from './clock.ts';
import type { ObjectKey } from './source/source.ts';

/** The places of the other sources that were not read within this time, or may still ask for the asset. */
export type ListUnread = (asset: string, withinMs: number) => Promise<readonly string[]>;

interface OtherSources {
  /** The places that may ask for what this object asked for, as far as was read since the first call. */
  readonly unreadSince: (key: ObjectKey, asset: string) => Promise<readonly string[]>;
  readonly forget: (key: ObjectKey) => void;
}

export type UnreadSince = OtherSources['unreadSince'];

export function openOtherSources(
  clock: Pick<Clock, 'monotonicMs'>,
  listUnread: ListUnread,
): OtherSources {
  const asked = new Map<ObjectKey, number>();
  return {
    unreadSince: async (key, asset) => {
      const nowMs = clock.monotonicMs();
      const sinceMs = asked.get(key) ?? nowMs;
      asked.set(key, sinceMs);
      return listUnread(asset, nowMs - sinceMs);
    },
    forget: (key) => void asked.delete(key),
  };
}
