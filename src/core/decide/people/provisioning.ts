// What an identity provider says by SCIM about people and groups. The rules about users are those of
// user.ts, and those about groups the ones of signing in.

import type { Asset } from '../../asset.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { AssetId, UserId } from '../../id.ts';
import type { Team } from '../../team.ts';
import type {
  LockedUser,
  ProvisionedGroup,
  ProvisionedUser,
  ScimAccount,
  ScimGroup,
  User,
  UserIdentity,
} from '../../user.ts';
import type { JsonObject } from '../../value/json.ts';
import { type By, type Decided, type StartOver, startOver } from '../decided.ts';
import { groupEvent, userEvent } from '../events.ts';
import type { Write, WriteOf } from '../write.ts';
import { changeOf, findTeam } from './admission.ts';
import type { WantedAccount, WantedGroup } from './commands.ts';
import { findPlace, type GroupTable, type Provisioning } from './sign-in.ts';
import { decideUser, decideUserUpdate } from './user.ts';

interface AccountFacts {
  /** The user that is changed, that has the external id, or null. */
  readonly user: LockedUser | null;
  /** What SCIM keeps of that user. */
  readonly account: ScimAccount | null;
  readonly groups: readonly string[];
  /** The user with the address. */
  readonly namesake: User | null;
  /** The user that SCIM shows under this name. */
  readonly nameHolder: UserId | null;
  readonly identityHolder: UserId | null;
  /** The external ids that the user signs in with already. */
  readonly ownExternalIds: readonly string[];
  /** The teams that the table names for these groups, those that exist. */
  readonly teams: readonly Team[];
  readonly lockedAssets: readonly AssetId[];
  readonly ownedAssets: readonly Asset[];
}

type Provisioned = Outcome<Decided<ProvisionedUser>>;

/** @example identityOf(provisioning, '00u1') // { issuer: 'https://login.example.com', subject: '00u1' } */
export function identityOf({ issuer }: Provisioning, externalId: string): UserIdentity {
  return { issuer, subject: externalId };
}

export function decideAccount(
  facts: AccountFacts,
  wanted: WantedAccount,
  provisioning: Provisioning,
  by: By,
): Provisioned | StartOver {
  const { user } = facts;
  const problem = findConflict(facts, wanted);
  if (problem !== null) return problem;
  return user === null
    ? create(wanted, provisioning, by)
    : change({ ...facts, user }, wanted, provisioning, by);
}

function findConflict(facts: AccountFacts, wanted: WantedAccount): Outcome<never> | null {
  const { user, namesake, nameHolder, identityHolder, ownExternalIds } = facts;
  const { userName, externalId, email } = wanted;
  const isOther = (id: UserId | null | undefined) => id != null && id !== user?.id;
  const isKept =
    externalId === null ? facts.account?.externalId == null : ownExternalIds.includes(externalId);
  if (ownExternalIds.length > 0 && !isKept) {
    return refuse(
      'VALIDATION_ERROR',
      `The externalId of ${userName} is ${ownExternalIds[0]} and does not change: it says who signs in as this user. Delete this user and create another one.`,
      { details: { scim_type: 'mutability' } },
    );
  }
  if (isOther(nameHolder)) {
    return refuse('USER_EXISTS', `The user ${nameHolder} already has the userName ${userName}.`);
  }
  if (isOther(identityHolder)) {
    return refuse(
      'USER_EXISTS',
      `The user ${identityHolder} already has the externalId ${externalId}.`,
    );
  }
  if (isOther(namesake?.id)) {
    return refuse(
      'USER_EXISTS',
      `Another account has the address ${email}. It is not one of this provider, and an address is no proof. An administrator can change the address of that account, or let the person sign in with link_verified_email.`,
    );
  }
  return null;
}

function create(wanted: WantedAccount, provisioning: Provisioning, by: By): Provisioned {
  const { email, name, externalId, isActive } = wanted;
  const { provider, table } = provisioning;
  const role = findPlace(table, []).role ?? 'viewer';
  const asked = { email, name, teamId: null, role, duties: [], passwordHash: null };
  const made = decideUser({ namesake: null, team: null }, asked, by);
  if (!made.ok) return made;
  const user = made.value.answer;
  const account = accountOf(wanted, { deactivatedAt: isActive ? null : by.at });
  const identity = externalId === null ? null : identityOf(provisioning, externalId);
  const told = { has_password: false, provider, ...identity };
  const insert: WriteOf<'insert_user'> = {
    ...{ kind: 'insert_user', user, passwordHash: null, account },
    ...(identity !== null && { identities: [identity] }),
    events: [userEvent('user.created', user, told)],
  };
  if (isActive) return accept({ writes: [insert], answer: { user, account } });
  const end = endOf(user, { provider }, by);
  return accept({ writes: [insert, end], answer: { user: end.user, account } });
}

/** What SCIM keeps from now on. */
function accountOf(
  { userName, externalId, names }: WantedAccount,
  { deactivatedAt }: Pick<ScimAccount, 'deactivatedAt'>,
): ScimAccount {
  return { userName, externalId, names, deactivatedAt, deletedAt: null };
}

/** As the API deactivates a user: sessions and keys end. */
function endOf(user: User, told: JsonObject, { at }: By): WriteOf<'update_user'> {
  const ended = { ...user, deactivatedAt: at, updatedAt: at };
  return {
    ...{ kind: 'update_user', user: ended, passwordHash: undefined, endsSessions: true },
    events: [userEvent('user.deactivated', ended, told)],
  };
}

function change(
  facts: AccountFacts & { readonly user: LockedUser },
  wanted: WantedAccount,
  provisioning: Provisioning,
  by: By,
): Provisioned | StartOver {
  const { user, account: before, identityHolder } = facts;
  const { externalId, isActive } = wanted;
  const isOwnEnd = user.deactivatedAt !== null && user.deactivatedAt === before?.deactivatedAt;
  const reactivate = isActive && isOwnEnd;
  const ends = !isActive && user.deactivatedAt === null;
  const deactivatedAt = ends ? by.at : reactivate ? null : (before?.deactivatedAt ?? null);
  const account = accountOf(wanted, { deactivatedAt });
  // An end alone is told by the event of the end.
  const compared = ends
    ? accountOf(wanted, { deactivatedAt: before?.deactivatedAt ?? null })
    : account;
  const isSame = JSON.stringify(compared) === JSON.stringify(before);
  const isNew = externalId !== null && identityHolder === null;
  // Whoever was deleted has left all groups, and comes back with the place of that.
  const returns = before !== null && before.deletedAt !== null;
  const place = findPlace(provisioning.table, facts.groups);
  const team = findTeam(facts, place);
  const given = returns && hasRows(provisioning.table) ? changeOf(place, team) : {};
  const changed = decideUserUpdate(
    { ...facts, namesake: null, team },
    { userId: user.id, email: wanted.email, name: wanted.name, ...given, reactivate },
    by,
    {
      ...{ provider: provisioning.provider, endsSessions: false },
      ...(isNew && { identities: [identityOf(provisioning, externalId)] }),
      ...(!isSame && { account }),
    },
  );
  if ('startOver' in changed || !changed.ok) return changed;
  const { writes, answer } = changed.value;
  if (!ends) return accept({ writes, answer: { user: answer, account } });
  const end = endOf(answer, { provider: provisioning.provider }, by);
  const events = [...writes.filter(isUpdate).flatMap((write) => write.events), ...end.events];
  // One write: two of the same user would become one statement.
  const merged: Write = {
    ...writes.find(isUpdate),
    ...end,
    account,
    events: [events[0] ?? end.events[0], ...events.slice(1)],
  };
  return accept({
    writes: [...writes.filter((write) => !isUpdate(write)), merged],
    answer: { user: end.user, account },
  });
}

function isUpdate(write: Write): write is WriteOf<'update_user'> {
  return write.kind === 'update_user';
}

/** Whether the groups of SCIM give anything. */
function hasRows({ rows }: GroupTable): boolean {
  return rows.length > 0;
}

/** The user stays, deactivated, and leaves all groups. SCIM does not show it any more. */
export function decideAccountEnd(
  user: LockedUser,
  account: ScimAccount,
  { provider }: Provisioning,
  by: By,
): Outcome<Decided<ProvisionedUser>> {
  const told = { provider, deleted_by_provider: true };
  const isActive = user.deactivatedAt === null;
  const deactivatedAt = isActive ? by.at : account.deactivatedAt;
  const left = { ...account, deactivatedAt, deletedAt: by.at };
  const write: WriteOf<'update_user'> = isActive
    ? { ...endOf(user, told, by), account: left }
    : {
        ...{ kind: 'update_user', user, passwordHash: undefined, endsSessions: false },
        ...{ account: left, events: [userEvent('user.updated', user, told)] },
      };
  return accept({ writes: [write], answer: { user: write.user, account: left } });
}

/** A member whose place may change. */
export interface Member {
  readonly user: LockedUser;
  /** The groups that the member is in now. */
  readonly groups: readonly Pick<ScimGroup, 'id' | 'displayName'>[];
}

interface GroupFacts {
  readonly current: ProvisionedGroup | null;
  /** The group with the wanted name. */
  readonly namesake: ScimGroup['id'] | null;
  /** All who come, and all who go or stay if the group gives something. */
  readonly members: readonly Member[];
  /** All teams of the table, those that exist. */
  readonly teams: readonly Team[];
  readonly lockedAssets: readonly AssetId[];
  readonly ownedAssets: readonly Asset[];
}

/** The members who come and go with a change. */
export function compareMembers(current: ProvisionedGroup | null, wanted: WantedGroup | null) {
  const before = new Set(current?.members ?? []);
  const after = wanted?.members ?? new Set<UserId>();
  return {
    added: [...after].filter((id) => !before.has(id)),
    removed: [...before].filter((id) => !after.has(id)),
    stayed: [...after].filter((id) => before.has(id)),
  };
}

/** A group that no row of the table names gives nothing, under its old name or its new one. */
export function givesPlaces(
  { rows }: GroupTable,
  current: ProvisionedGroup | null,
  wanted: WantedGroup | null,
): boolean {
  return rows.some(
    ({ group }) => group === current?.group.displayName || group === wanted?.displayName,
  );
}

export function decideGroup(
  facts: GroupFacts,
  wanted: WantedGroup | null,
  provisioning: Provisioning,
  by: By,
): Outcome<Decided<ProvisionedGroup>> | StartOver {
  const { current, namesake, members } = facts;
  if (wanted !== null && namesake !== null && namesake !== current?.group.id) {
    const message = `The group ${namesake} already has the displayName ${wanted.displayName}.`;
    return refuse('GROUP_EXISTS', message);
  }
  const { added, removed } = compareMembers(current, wanted);
  const known = new Set(members.map(({ user }) => user.id));
  const stranger = added.find((id) => !known.has(id));
  if (stranger !== undefined) return unknownMember(stranger);
  const group: ScimGroup = {
    id: current?.group.id ?? by.newId(),
    displayName: wanted?.displayName ?? current?.group.displayName ?? '',
    externalId: wanted === null ? (current?.group.externalId ?? null) : wanted.externalId,
    createdAt: current?.group.createdAt ?? by.at,
    updatedAt: by.at,
  };
  const answer = { group, members: [...(wanted?.members ?? [])].sort() };
  const isSame =
    added.length + removed.length === 0 &&
    group.displayName === current?.group.displayName &&
    group.externalId === current.group.externalId;
  if (isSame && wanted !== null && current !== null) return accept({ writes: [], answer: current });
  const placed = placeMembers(facts, group, wanted, provisioning, by);
  if ('startOver' in placed || !placed.ok) return placed;
  const write: Write = {
    kind: current === null ? 'insert_group' : wanted === null ? 'delete_group' : 'update_group',
    ...{ group, added, removed },
    events: eventsOf(current, wanted, { group, added, removed, provider: provisioning.provider }),
  };
  return accept({ writes: [...placed.value, write], answer });
}

/** For an id that is none as well. */
export function unknownMember(id: string): Outcome<never> {
  return refuse(
    'VALIDATION_ERROR',
    `There is no user ${id}, so it cannot be a member. Create the user first; a group cannot be a member.`,
    { details: { scim_type: 'invalidValue' } },
  );
}

/** Only who has another place after the change is changed. */
function placeMembers(
  { members, teams, lockedAssets, ownedAssets }: GroupFacts,
  group: ScimGroup,
  wanted: WantedGroup | null,
  { table, provider }: Provisioning,
  by: By,
): Outcome<readonly Write[]> | StartOver {
  const assetWrites: Write[] = [];
  const userWrites: Write[] = [];
  const assetsOf = Map.groupBy(ownedAssets, ({ ownerUserId }) => ownerUserId);
  for (const { user, groups } of members) {
    const others = groups.filter(({ id }) => id !== group.id).map((one) => one.displayName);
    const stays = wanted?.members.has(user.id) === true;
    const before = findPlace(
      table,
      groups.map((one) => one.displayName),
    );
    const place = findPlace(table, stays ? [...others, group.displayName] : others);
    const isSame =
      before.role === place.role &&
      `${before.teams}` === `${place.teams}` &&
      `${before.duties}` === `${place.duties}`;
    if (isSame) continue;
    const team = findTeam({ teams }, place);
    const changed = decideUserUpdate(
      { user, namesake: null, team, lockedAssets, ownedAssets: assetsOf.get(user.id) ?? [] },
      { userId: user.id, ...changeOf(place, team) },
      by,
      { provider, endsSessions: place.role === null },
    );
    if ('startOver' in changed) return startOver;
    if (!changed.ok) return changed;
    for (const write of changed.value.writes) {
      (write.kind === 'update_user' ? userWrites : assetWrites).push(write);
    }
  }
  return accept([...assetWrites, ...userWrites]);
}

/** An event names so many members; more are told in further events. */
const membersOfEvent = 500;

function eventsOf(
  current: ProvisionedGroup | null,
  wanted: WantedGroup | null,
  {
    group,
    added,
    removed,
    provider,
  }: Pick<WriteOf<'update_group'>, 'group' | 'added' | 'removed'> & { readonly provider: string },
): Write['events'] {
  const type =
    current === null ? 'group.created' : wanted === null ? 'group.deleted' : 'group.updated';
  const oldName = current?.group.displayName;
  const told: JsonObject = {
    provider,
    ...(oldName !== undefined && oldName !== group.displayName && { previous_name: oldName }),
  };
  const part = (from: number) => ({
    ...told,
    ...{ added: added.slice(from, from + membersOfEvent) },
    ...{ removed: removed.slice(from, from + membersOfEvent) },
  });
  const more = [];
  for (let from = membersOfEvent; from < Math.max(added.length, removed.length); ) {
    more.push(groupEvent(type, group, part(from)));
    from += membersOfEvent;
  }
  return [groupEvent(type, group, part(0)), ...more];
}
