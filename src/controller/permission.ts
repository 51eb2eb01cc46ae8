// Decides which teams an object may act for. With GitOps, objects are applied by a robot with all
// rights, so the namespace decides: the mapping file, or else the namespace's label. Pure.

import { accept, type Outcome, refuse } from '../core/failure.ts';
import type { TeamId } from '../core/id.ts';
import { isSlug, type Team } from '../core/team.ts';

/** Team slugs by namespace; a source of files has only this. */
export type TeamMapping = ReadonlyMap<string, readonly string[]>;

interface NamespaceFacts {
  readonly namespace: string;
  /** The value of the label concordat.dev/team; null if the label is missing. */
  readonly label: string | null;
}

/**
 * The slugs of the teams that a namespace acts for. Values that are not slugs are ignored.
 *
 * @example slugsOfNamespace({ namespace: 'shop', label: 'checkout.billing' }, new Map())
 *   // ['checkout', 'billing']
 */
export function slugsOfNamespace(
  { namespace, label }: NamespaceFacts,
  mapping: TeamMapping,
): readonly string[] {
  const named = mapping.get(namespace) ?? label?.split('.') ?? [];
  return [...new Set(named.filter(isSlug))];
}

interface TeamQuestion {
  readonly namespace: string;
  /** The teams that the namespace acts for. */
  readonly slugs: readonly string[];
  /** The team that the object names; null if it names none. */
  readonly named: string | null;
  /** The existing teams with those slugs. */
  readonly teams: readonly Team[];
  /**
   * The team ids that the namespace was bound to before, by slug, because a slug may be given to
   * another team.
   */
  readonly bound?: ReadonlyMap<string, TeamId>;
}

/**
 * The team that an object acts for: the one that it names, otherwise the only one of its namespace.
 */
export function resolveTeam(question: TeamQuestion): Outcome<Team> {
  const { namespace, slugs, named, teams, bound } = question;
  if (slugs.length === 0) {
    return refuse(
      'OWNER_TEAM_NOT_FOUND',
      `Namespace ${namespace} acts for no team. Set its label concordat.dev/team to the slug of a team, or add it to the mapping file.`,
    );
  }
  if (named === null && slugs.length > 1) {
    return refuse(
      'OWNER_TEAM_NOT_FOUND',
      `Namespace ${namespace} acts for several teams (${slugs.join(', ')}). Name one of them in spec.team.`,
    );
  }
  const slug = named ?? slugs[0] ?? '';
  if (!slugs.includes(slug)) {
    return refuse(
      'FORBIDDEN',
      `Namespace ${namespace} does not act for team ${slug}, only for ${slugs.join(', ')}.`,
    );
  }
  const team = teams.find((candidate) => candidate.slug === slug);
  if (team === undefined) {
    return refuse(
      'TEAM_NOT_FOUND',
      `No team has the slug ${slug}. Create the team, or correct the slug in ${named === null ? `the label concordat.dev/team of namespace ${namespace}, or in the mapping file` : 'spec.team'}.`,
    );
  }
  const boundTo = bound?.get(slug);
  if (boundTo !== undefined && boundTo !== team.id) {
    return refuse(
      'FORBIDDEN',
      `The slug ${slug} now belongs to a different team than when namespace ${namespace} was bound to it. If the namespace may act for that team, take the slug out of its label concordat.dev/team, or out of the mapping file, and put it back.`,
    );
  }
  return accept(team);
}

interface MappingParsed {
  readonly mapping: TeamMapping;
  readonly problems: readonly string[];
}

/**
 * Parses the mapping file: namespace to a slug, or a list of slugs.
 *
 * @example parseTeamMapping({ shop: 'checkout', data: ['billing', 'search'] })
 */
export function parseTeamMapping(content: unknown): MappingParsed {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return { mapping: new Map(), problems: ['must be an object of namespaces'] };
  }
  const problems: string[] = [];
  const mapping = new Map<string, readonly string[]>();
  for (const [namespace, value] of Object.entries(content)) {
    const slugs: unknown[] = Array.isArray(value) ? value : [value];
    const wrong = slugs.filter((slug) => typeof slug !== 'string' || !isSlug(slug));
    if (wrong.length > 0) problems.push(`${namespace}: ${JSON.stringify(wrong[0])} is not a slug`);
    mapping.set(
      namespace,
      slugs.filter((slug): slug is string => typeof slug === 'string' && isSlug(slug)),
    );
  }
  return { mapping, problems };
}
