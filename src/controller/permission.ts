// Who may act for whom. With GitOps whoever applied is a robot that may do everything, so what
// counts is the namespace: its label, or the mapping file, which wins. Pure.

import { accept, type Outcome, refuse } from '../core/failure.ts';
import type { TeamId } from '../core/id.ts';
import { isSlug, type Team } from '../core/team.ts';

/** Namespace to the slugs of its teams; a source of files has only this. */
export type TeamMapping = ReadonlyMap<string, readonly string[]>;

interface NamespaceFacts {
  readonly namespace: string;
  /** The value of the label concordat.dev/team; null where there is none. */
  readonly label: string | null;
}

/**
 * The slugs of the teams that a namespace acts for. What is no slug is nobody's.
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
  /** What the namespace acts for. */
  readonly slugs: readonly string[];
  /** What the object names; null where it names none. */
  readonly named: string | null;
  /** The living teams of those slugs. */
  readonly teams: readonly Team[];
  /** The ids that the namespace was bound to before, by slug: a slug may be given to another. */
  readonly bound?: ReadonlyMap<string, TeamId>;
}

/** The team that an object acts for: the one it names, else the only one of its namespace. */
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
      `Namespace ${namespace} acts for several teams (${slugs.join(', ')}). Choose one in spec.team.`,
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
      'OWNER_TEAM_NOT_FOUND',
      `No team has the slug ${slug}. Create the team, or correct the slug.`,
    );
  }
  const boundTo = bound?.get(slug);
  if (boundTo !== undefined && boundTo !== team.id) {
    return refuse(
      'FORBIDDEN',
      `The slug ${slug} now belongs to a different team than when namespace ${namespace} was bound to it. Ask an administrator to bind the namespace again.`,
    );
  }
  return accept(team);
}

interface MappingParsed {
  readonly mapping: TeamMapping;
  readonly problems: readonly string[];
}

/**
 * Reads the mapping file: namespace to a slug, or a list of slugs.
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
