// Signing in with a provider: what the provider said about a person, what its groups mean here, and
// the reasons why nobody gets in.

import type { Role, UserDuty, UserIdentity } from '../../user.ts';

/** What a provider said about the person who signed in. */
export interface ProviderClaims {
  readonly identity: UserIdentity;
  /** Null if the provider named none. */
  readonly email: string | null;
  /** Null if the provider says nothing about it. */
  readonly isEmailVerified: boolean | null;
  readonly name: string | null;
  readonly groups: readonly string[];
  /** What the provider calls its session; null if it does not say. */
  readonly session: string | null;
  /** What the provider calls the person by SCIM; null if it does not say. */
  readonly externalId: string | null;
}

/** What a member of a group is here. */
interface GroupRow {
  readonly group: string;
  /** The slug of a team. */
  readonly team: string | null;
  /** Null leaves the role to other rows and to the default. */
  readonly role: Role | null;
  readonly duties: readonly UserDuty[];
}

export interface GroupTable {
  readonly rows: readonly GroupRow[];
  /** The role of people in none of the groups; null refuses them. */
  readonly defaultRole: Role | null;
}

/** The provider that keeps people by SCIM. */
export interface Provisioning {
  readonly provider: string;
  /** What its external ids are kept under, beside the subjects of its tokens. */
  readonly issuer: string;
  /** What the groups of SCIM give: without rows, nothing. */
  readonly table: GroupTable;
}

/** The place of a person by the groups of the provider. */
export interface Place {
  /** Null if the groups give no right to sign in. */
  readonly role: Role | null;
  /** Whether the table decides about roles, so that it also replaces one that was set here. */
  readonly decidesRole: boolean;
  /** The slugs of the teams to choose from, the preferred one first. */
  readonly teams: readonly string[];
  /** Whether the table decides about teams. */
  readonly decidesTeam: boolean;
  /** Null if the table says nothing of duties. */
  readonly duties: readonly UserDuty[] | null;
  /** The groups of the table that the person is in. */
  readonly groups: readonly string[];
}

/**
 * The first row that names a team decides the team, the highest role counts, and all duties do.
 *
 * @example findPlace(table, ['checkout']) // { role: 'editor', teams: ['checkout'], ... }
 */
export function findPlace({ rows, defaultRole }: GroupTable, groups: readonly string[]): Place {
  const held = new Set(groups);
  const matching = rows.filter((row) => held.has(row.group));
  const given = matching.map((row) => row.role);
  const least = matching.length > 0 ? 'viewer' : null;
  const role = descending.find((one) => given.includes(one)) ?? defaultRole ?? least;
  return {
    role,
    decidesRole: rows.length > 0,
    teams: matching.flatMap(({ team }) => (team === null ? [] : [team])),
    decidesTeam: rows.some(({ team }) => team !== null),
    duties: rows.some((row) => row.duties.length > 0)
      ? matching.flatMap((row) => row.duties)
      : null,
    groups: [...new Set(matching.map((row) => row.group))],
  };
}

const descending: readonly Role[] = ['admin', 'editor', 'viewer'];

/** Why a sign-in with a provider ended without a session. The page has a sentence for each. */
export const signInProblems = [
  'expired',
  'provider_unavailable',
  'provider_refused',
  'answer_invalid',
  'no_group',
  'no_email',
  'email_unverified',
  'email_taken',
  'deactivated',
  'too_many_failures',
] as const;

export type SignInProblem = (typeof signInProblems)[number];
