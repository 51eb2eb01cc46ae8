// Who gets in with the answer of a provider, and as what, as tables.

import { describe, expect, test } from 'vitest';
import { systemActor } from '../../../src/core/actor.ts';
import { decideAdmission } from '../../../src/core/decide/people/admission.ts';
import type { AdmitUser } from '../../../src/core/decide/people/commands.ts';
import { findPlace, type GroupTable } from '../../../src/core/decide/people/sign-in.ts';
import type { Team } from '../../../src/core/team.ts';
import type { User } from '../../../src/core/user.ts';
import { byOf, now, writtenOf } from './facts.ts';

describe('The place of a person', () => {
  const table: GroupTable = {
    rows: [
      { group: 'admins', team: null, role: 'admin', duties: [] },
      { group: 'shop', team: 'shop', role: 'editor', duties: [] },
      { group: 'billing', team: 'billing', role: 'viewer', duties: [] },
    ],
    defaultRole: null,
  };
  const withoutTeams = { ...table, rows: table.rows.slice(0, 1) };
  const auditors = { group: 'auditors', team: null, role: null, duties: ['read_audit' as const] };
  const withDuty: GroupTable = { ...table, rows: [...table.rows, auditors] };
  const byDefault: GroupTable = { rows: [], defaultRole: 'viewer' };

  test.each<[string, GroupTable, string[], unknown]>([
    ['in no group', table, ['x'], [null, [], true, true]],
    ['in one group', table, ['shop'], ['editor', ['shop'], true, true]],
    ['in two', table, ['billing', 'shop'], ['editor', ['shop', 'billing'], true, true]],
    ['of a role without a team', table, ['admins'], ['admin', [], true, true]],
    ['of a table without teams', withoutTeams, ['admins'], ['admin', [], true, false]],
    ['of no table', byDefault, ['shop'], ['viewer', [], false, false]],
    [
      'in no group, by default',
      { ...table, defaultRole: 'viewer' },
      [],
      ['viewer', [], true, true],
    ],
    ['of a duty alone', withDuty, ['auditors'], ['viewer', [], true, true]],
    ['of a duty and a role', withDuty, ['auditors', 'admins'], ['admin', [], true, true]],
    [
      'of a duty alone, by default',
      { ...withDuty, defaultRole: 'editor' },
      ['auditors'],
      ['editor', [], true, true],
    ],
  ])('%s', (_, from, groups, expected) => {
    const { role, teams, decidesRole, decidesTeam } = findPlace(from, groups);
    expect([role, teams, decidesRole, decidesTeam]).toEqual(expected);
  });
});

const ada: User = {
  ...{ id: 'ada', email: 'ada@example.com', name: 'Ada', teamId: null, role: 'viewer' },
  ...{ duties: [], createdAt: now, updatedAt: now, deactivatedAt: null },
};
const shop: Team = {
  ...{ id: 'shop', name: 'Shop', slug: 'shop', metadata: {}, managedBy: null },
  ...{ createdAt: now, updatedAt: now, deletedAt: null },
};
const identity = { issuer: 'https://login.example.com', subject: '1' };
const nobody = {
  newIdentities: [identity],
  ...{ user: null, namesake: null, namesakeHasIdentity: false },
  ...{ teams: [shop], lockedAssets: [], ownedAssets: [] },
};
const known = { ...nobody, newIdentities: [], user: ada, namesake: ada, namesakeHasIdentity: true };
const gone = { ...ada, deactivatedAt: now };
const command: AdmitUser = {
  provider: 'example',
  claims: {
    identity,
    email: 'ada@example.com',
    isEmailVerified: true,
    name: 'Ada',
    groups: [],
    session: null,
    externalId: null,
  },
  place: {
    ...{ role: 'viewer', decidesRole: true, teams: [], decidesTeam: true, duties: null },
    groups: [],
  },
  linksVerifiedEmail: false,
  provisioning: null,
};
const place = (more: Partial<AdmitUser['place']>) => ({ place: { ...command.place, ...more } });
const claims = (more: Partial<AdmitUser['claims']>) => ({ claims: { ...command.claims, ...more } });
const links = { linksVerifiedEmail: true };

describe('Somebody whom a provider named', () => {
  test.each<[string, Parameters<typeof decideAdmission>[0], Partial<AdmitUser>, string, string]>([
    ['is new', nobody, {}, 'insert_user', 'admitted'],
    ['is new, and in no group', nobody, place({ role: null }), 'nothing', 'no_group'],
    ['has no address', nobody, claims({ email: null }), 'nothing', 'no_email'],
    [
      'has an address that is not verified',
      nobody,
      claims({ isEmailVerified: false }),
      'nothing',
      'email_unverified',
    ],
    [
      'has an address about which the provider says nothing',
      nobody,
      claims({ isEmailVerified: null }),
      'insert_user',
      'admitted',
    ],
    ['is known, and nothing changed', known, {}, 'nothing', 'admitted'],
    [
      'is known, and gets a team',
      known,
      place({ teams: ['later', 'shop'] }),
      'update_user',
      'admitted',
    ],
    [
      'is known, and gets no team that is not there',
      known,
      place({ teams: ['later'] }),
      'nothing',
      'admitted',
    ],
    [
      'is known, and no table says which role',
      known,
      place({ role: 'admin', decidesRole: false }),
      'nothing',
      'admitted',
    ],
    [
      'is known, and has another name',
      known,
      claims({ name: 'Ada L.' }),
      'update_user',
      'admitted',
    ],
    [
      'has an address that is not verified, and is known',
      known,
      claims({ email: 'a@b.c', isEmailVerified: false }),
      'nothing',
      'admitted',
    ],
    [
      'took an address that another user has',
      { ...known, namesake: { ...ada, id: 'eve' } },
      claims({ email: 'eve@example.com' }),
      'nothing',
      'admitted',
    ],
    [
      'is known, and lost the last group',
      { ...known, user: { ...ada, role: 'admin' } },
      place({ role: null }),
      'update_user',
      'no_group',
    ],
    [
      'was deactivated',
      { ...known, user: gone },
      place({ role: 'admin' }),
      'nothing',
      'deactivated',
    ],
    ['has the address of an account', { ...nobody, namesake: ada }, {}, 'nothing', 'email_taken'],
    [
      'has the address of an account, and it may be linked',
      { ...nobody, namesake: ada },
      links,
      'update_user',
      'admitted',
    ],
    [
      'has the address of an account, not verified',
      { ...nobody, namesake: ada },
      { ...links, ...claims({ isEmailVerified: null }) },
      'nothing',
      'email_taken',
    ],
    [
      'has the address of an account of another identity',
      { ...nobody, namesake: ada, namesakeHasIdentity: true },
      links,
      'nothing',
      'email_taken',
    ],
    [
      'has the address of a deactivated account',
      { ...nobody, namesake: gone },
      links,
      'nothing',
      'deactivated',
    ],
    [
      'has the address of an account, and no group',
      { ...nobody, namesake: ada },
      { ...links, ...place({ role: null }) },
      'nothing',
      'no_group',
    ],
  ])('who %s', (_, facts, more, written, answer) => {
    const decided = decideAdmission(facts, { ...command, ...more }, byOf(systemActor));
    expect(writtenOf(decided)).toBe(written);
    if ('startOver' in decided || !decided.ok) throw new Error('It is decided.');
    const answered = decided.value.answer;
    expect(answered.kind === 'refused' ? answered.problem : answered.kind).toBe(answer);
  });
});
