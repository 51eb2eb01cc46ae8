// Caches the teams of a namespace, because thousands of its objects ask for the same ones.

import type { Team } from '../core/team.ts';
import type { Clock } from './clock.ts';

export interface KnownTeams {
  readonly listTeamsBySlug: (slugs: readonly string[]) => Promise<readonly Team[]>;
  /** Clears the cache, because a team changed or may have changed. */
  readonly forget: () => void;
}

/**
 * Limits how long an entry is used while changes go unnoticed because the connection that reports
 * them is being reopened.
 */
const believedMs = 1_000;
/** Entries are by set of slugs, of which there are as many as namespaces with different teams. */
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
