// What the answer of a provider means for a user: who it is, and which team and role the user has
// from now on. An administrator who deactivated a user keeps the last word.

import type { Asset } from '../../asset.ts';
import { accept, type Outcome } from '../../failure.ts';
import type { AssetId } from '../../id.ts';
import type { Team } from '../../team.ts';
import type { LockedUser, Role, User, UserIdentity } from '../../user.ts';
import type { By, Decided, StartOver } from '../decided.ts';
import { userEvent } from '../events.ts';
import type { AdmittedUser, AdmitUser, UpdateUser } from './commands.ts';
import type { Place, SignInProblem } from './sign-in.ts';
import { decideUser, decideUserUpdate } from './user.ts';

interface AdmissionFacts {
  /** The user with one of the identities. */
  readonly user: LockedUser | null;
  /** The identities of the answer that nobody has. */
  readonly newIdentities: readonly UserIdentity[];
  /** The user with this address, deactivated or not. */
  readonly namesake: User | null;
  readonly namesakeHasIdentity: boolean;
  /** The teams that the place names, those that exist. */
  readonly teams: readonly Team[];
  /** Of the user, or of the namesake if there is no user. */
  readonly lockedAssets: readonly AssetId[];
  readonly ownedAssets: readonly Asset[];
}

type Admission = Outcome<Decided<AdmittedUser>> | StartOver;

export function decideAdmission(facts: AdmissionFacts, command: AdmitUser, by: By): Admission {
  const { user, namesake } = facts;
  const { role } = command.place;
  if (user !== null) {
    if (user.deactivatedAt !== null) return refused('deactivated', user);
    return role === null ? expel(user, facts, command, by) : update(user, facts, command, role, by);
  }
  // Somebody without a group learns nothing about the accounts here.
  if (role === null) return refused('no_group', null);
  const problem = findProblem(facts, command);
  if (problem !== null) return refused(problem, null);
  return namesake === null
    ? create(facts, command, role, by)
    : update(namesake, facts, command, role, by);
}

function findProblem(
  { namesake, namesakeHasIdentity }: AdmissionFacts,
  { claims, linksVerifiedEmail }: AdmitUser,
): SignInProblem | null {
  if (claims.email === null) return 'no_email';
  if (claims.isEmailVerified === false) return 'email_unverified';
  if (namesake === null) return null;
  const isProven = linksVerifiedEmail && claims.isEmailVerified === true && !namesakeHasIdentity;
  if (!isProven) return 'email_taken';
  return namesake.deactivatedAt === null ? null : 'deactivated';
}

function refused(problem: SignInProblem, user: User | null): Outcome<Decided<AdmittedUser>> {
  return accept({ writes: [], answer: { kind: 'refused', problem, user } });
}

function create(facts: AdmissionFacts, command: AdmitUser, role: Role, by: By): Admission {
  const { claims, provider, place } = command;
  const email = claims.email ?? '';
  const team = findTeam(facts, place);
  const name = claims.name ?? email.slice(0, email.indexOf('@'));
  const duties = place.duties ?? [];
  const asked = { email, name, teamId: team?.id ?? null, role, duties, passwordHash: null };
  const made = decideUser({ namesake: null, team }, asked, by);
  if (!made.ok) return made;
  const user = made.value.answer;
  const told = { has_password: false, provider, ...claims.identity };
  const events = [userEvent('user.created', user, told)] as const;
  return accept({
    writes: [
      { kind: 'insert_user', user, passwordHash: null, identities: facts.newIdentities, events },
    ],
    answer: { kind: 'admitted', user, groups: place.groups },
  });
}

/** The name and the address follow the provider, unless another user has the address. */
function update(
  user: LockedUser,
  facts: AdmissionFacts,
  { claims, place, provider }: AdmitUser,
  role: Role,
  by: By,
): Admission {
  const isAddressFree = facts.namesake === null || facts.namesake.id === user.id;
  const isTold = claims.email !== null && claims.isEmailVerified !== false;
  const team = findTeam(facts, place);
  const changed = decideUserUpdate(
    { ...facts, user, namesake: null, team },
    {
      userId: user.id,
      email: isTold && isAddressFree ? (claims.email ?? undefined) : undefined,
      name: claims.name ?? undefined,
      ...changeOf({ ...place, role }, team),
    },
    by,
    { provider, identities: facts.newIdentities, endsSessions: false },
  );
  const { groups } = place;
  return answerWith(changed, (changedUser) => ({ kind: 'admitted', user: changedUser, groups }));
}

/**
 * A user who is in no group any more loses the team, the role and all sessions. The user's keys can
 * do only what the user may do.
 */
function expel(
  user: LockedUser,
  facts: AdmissionFacts,
  { provider, place }: AdmitUser,
  by: By,
): Admission {
  const changed = decideUserUpdate(
    { ...facts, user, namesake: null, team: null },
    { userId: user.id, ...changeOf({ ...place, role: null }, null) },
    by,
    { provider, endsSessions: true },
  );
  return answerWith(changed, (left) => ({ kind: 'refused', problem: 'no_group', user: left }));
}

function answerWith(
  changed: Outcome<Decided<User>> | StartOver,
  answerOf: (user: User) => AdmittedUser,
): Admission {
  if ('startOver' in changed || !changed.ok) return changed;
  const { writes, answer } = changed.value;
  return accept({ writes, answer: answerOf(answer) });
}

/** What a place changes: somebody without one is a viewer without a team. */
export function changeOf(
  { role, decidesRole, decidesTeam, duties }: Place,
  team: Team | null,
): Pick<UpdateUser, 'teamId' | 'role' | 'duties'> {
  if (role === null) return { teamId: null, role: 'viewer', duties: [] };
  return {
    teamId: decidesTeam ? (team?.id ?? null) : undefined,
    role: decidesRole ? role : undefined,
    duties: duties ?? undefined,
  };
}

/** A team that does not exist is passed over, so a table may name teams that come later. */
export function findTeam(
  { teams }: { readonly teams: readonly Team[] },
  place: Pick<Place, 'teams'>,
): Team | null {
  const bySlug = new Map(teams.map((team) => [team.slug, team]));
  return place.teams.map((slug) => bySlug.get(slug)).find((team) => team !== undefined) ?? null;
}
