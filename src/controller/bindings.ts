// Binds namespaces to the teams that they act for. Bindings use team ids, so reassigning a slug to
// another team transfers nothing.

import type { TeamId } from '../core/id.ts';
import type { Team } from '../core/team.ts';
import type { NamespaceBindings } from '../registry/sources/fencing.ts';

export interface TeamBindings {
  /**
   * Binds new slugs, unbinds those that the namespace no longer names, and returns the bindings.
   * Without changes, Postgres is not queried.
   */
  readonly settle: (
    namespace: string,
    slugs: readonly string[],
    teams: readonly Team[],
  ) => Promise<ReadonlyMap<string, TeamId>>;
}

export async function openBindings(kept: NamespaceBindings): Promise<TeamBindings> {
  const known = new Map<string, Map<string, TeamId>>();
  const of = (namespace: string) => {
    const bound = known.get(namespace) ?? new Map<string, TeamId>();
    known.set(namespace, bound);
    return bound;
  };
  for (const { namespace, slug, teamId } of await kept.load()) of(namespace).set(slug, teamId);
  return {
    settle: async (namespace, slugs, teams) => {
      const bound = of(namespace);
      const dropped = [...bound.keys()].filter((slug) => !slugs.includes(slug));
      if (dropped.length > 0) await kept.unbind(namespace, dropped);
      for (const slug of dropped) bound.delete(slug);
      for (const { slug, id } of teams) {
        if (!slugs.includes(slug) || bound.has(slug)) continue;
        bound.set(slug, await kept.bind({ namespace, slug, teamId: id }));
      }
      return bound;
    },
  };
}
