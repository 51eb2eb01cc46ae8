// The teams of a namespace, asked once for all its objects: thousands of them have the same.

import type { Team } from '../core/team.ts';
import type { Clock } from './clock.ts';

export interface KnownTeams {
  readonly listTeamsBySlug: (slugs: readonly string[]) => Promise<readonly Team[]>;
  /** A team changed, or may have: who asks from now on is told what is there now. */
  readonly forget: () => void;
}

/** Where a change goes unheard, because the connection that hears is being opened again. */
const believedMs = 1_000;
/** By sets of slugs, of which there are as many as kinds of namespaces. */
const maxKnown = 1_000;

export function openKnownTeams(
  ask: (slugs: readonly string[]) => Promise<readonly Team[]>,
  clock: Pick<Clock, 'monotonicMs'>,
): KnownTeams {
  const known = new Map<
    string,
    { readonly atMs: number; readonly teams: ReturnType<typeof ask> }
  >();
  return {
    listTeamsBySlug: (slugs) => {
      const key = slugs.join('.');
      const before = known.get(key);
      const atMs = clock.monotonicMs();
      if (before !== undefined && atMs - before.atMs < believedMs) return before.teams;
      if (known.size >= maxKnown) known.clear();
      const asked = { atMs, teams: ask(slugs) };
      known.set(key, asked);
      // Report the failure to this caller; the next caller tries again.
      asked.teams.catch(() => {
        if (known.get(key) === asked) known.delete(key);
      });
      return asked.teams;
    },
    forget: () => known.clear(),
  };
}
