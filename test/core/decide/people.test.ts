// What is decided about teams, keys, people, webhooks, dependencies and quality runs, as tables.

import { describe, expect, test } from 'vitest';
import { decideDependency } from '../../../src/core/decide/lineage/dependency.ts';
import { decideQualityRun } from '../../../src/core/decide/lineage/quality-run.ts';
import { decideApiKey } from '../../../src/core/decide/people/api-key.ts';
import { decideTeamDeletion } from '../../../src/core/decide/people/delete-team.ts';
import { decideTeam, decideTeamUpdate, readTeam } from '../../../src/core/decide/people/team.ts';
import {
  decideSession,
  decideUser,
  decideUserUpdate,
} from '../../../src/core/decide/people/user.ts';
import { decideWebhookUpdate } from '../../../src/core/decide/webhooks/webhook.ts';
import type { Dependency } from '../../../src/core/dependency.ts';
import type { Registration } from '../../../src/core/registration.ts';
import type { Team } from '../../../src/core/team.ts';
import type { User } from '../../../src/core/user.ts';
import type { Webhook } from '../../../src/core/webhook.ts';
import { actorOf, admin, asset, byOf, contract, factsOf, now, writtenOf } from './facts.ts';

const root = byOf(admin);

const teamOf = (id: string, slug = id): Team => ({
  id,
  name: id,
  slug,
  metadata: {},
  managedBy: null,
  createdAt: now,
  updatedAt: now,
  deletedAt: null,
});
const shop = teamOf('shop');
const ada: User = {
  id: 'ada',
  email: 'ada@example.com',
  name: 'Ada',
  teamId: 'shop',
  role: 'editor',
  duties: [],
  createdAt: now,
  updatedAt: now,
  deactivatedAt: null,
};

describe('A team', () => {
  const nobody = { namesake: null, slugHolders: [] };
  const taken = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      teamOf(`team-${index}`, index === 0 ? 'shop' : `shop-${index + 1}`),
    );

  test.each([
    ['gets the slug of its name', nobody, { name: 'Shop' }, 'shop'],
    [
      'gets a number where that is taken',
      { ...nobody, slugHolders: taken(2) },
      { name: 'Shop' },
      'shop-3',
    ],
    ['gets the slug that was asked for', nobody, { name: 'Shop', slug: 'store' }, 'store'],
    ['is not made twice', { ...nobody, namesake: shop }, { name: 'Shop' }, 'TEAM_EXISTS'],
    [
      'does not get a slug that another has',
      { ...nobody, slugHolders: [shop] },
      { name: 'Shop 2', slug: 'shop' },
      'TEAM_EXISTS',
    ],
    [
      'has to choose where a hundred slugs are taken',
      { ...nobody, slugHolders: taken(100) },
      { name: 'Shop' },
      'TEAM_EXISTS',
    ],
    ['has a name', nobody, { name: '  ' }, 'VALIDATION_ERROR'],
    ['has a name that can be seen', nobody, { name: 'Shop\u202E' }, 'VALIDATION_ERROR'],
    ['has a slug that is a DNS label', nobody, { name: 'Shop', slug: 'Shop!' }, 'VALIDATION_ERROR'],
  ])('%s', (_, facts, command, expected) => {
    const wanted = readTeam(command);
    const decided = wanted.ok ? decideTeam(facts, wanted.value, root) : wanted;
    expect(decided.ok ? decided.value.answer.slug : decided.failure.code).toBe(expected);
  });

  test.each([
    ['is renamed', null, 'Store', {}, 'update_team'],
    ['stays as it is', shop, 'shop', {}, 'nothing'],
    ['does not take the name of another', teamOf('other'), 'other', {}, 'TEAM_EXISTS'],
    [
      'was read before it changed',
      null,
      'Store',
      { precondition: () => false },
      'PRECONDITION_FAILED',
    ],
  ])('that %s', (_, namesake, name, command, expected) => {
    const decided = decideTeamUpdate(
      { team: shop, namesake },
      name,
      { teamId: shop.id, ...command },
      root,
    );
    expect(writtenOf(decided)).toBe(expected);
  });

  const facts = {
    team: shop,
    lockedAssets: [],
    ownedAssets: [],
    ownedServices: [],
    registrations: [],
    apiKeys: [],
    trusts: [],
    webhooks: [],
    heir: null,
  };
  const leaving = {
    id: 'registration of shop',
    assetId: asset.id,
    assetFqn: asset.fqn,
    environment: asset.environment,
    ownerTeamId: 'other',
    assetDeletedAt: null as string | null,
    contractId: contract.id,
    contractVersion: contract.version,
    registeredVersion: contract.version,
    consumerTeamId: shop.id,
    consumerTeamName: shop.name,
    notes: null,
    status: 'active' as Registration['status'],
    migratesAt: null,
    endsAt: null,
    need: null,
    found: null,
    source: 'api' as const,
    claims: [],
    createdAt: now,
    updatedAt: now,
  };
  const consuming = { ...facts, lockedAssets: [asset.id], registrations: [leaving] };
  const owning = { ...facts, lockedAssets: [asset.id], ownedAssets: [asset] };

  test.each([
    ['that owns nothing', facts, {}, 'update_team'],
    ['that owns assets, without an heir', owning, {}, 'TEAM_HAS_ASSETS'],
    ['that inherits from itself', owning, { reassignTo: shop.id }, 'TEAM_HAS_ASSETS'],
    ['whose heir is not there', owning, { reassignTo: 'gone' }, 'TEAM_NOT_FOUND'],
    [
      'with an heir',
      { ...owning, heir: teamOf('billing') },
      { reassignTo: 'billing' },
      'update_asset, update_team',
    ],
    ['that is asked, by an administrator', consuming, {}, 'VALIDATION_ERROR'],
    [
      'that is asked, with a reason',
      consuming,
      { reason: 'Its people are gone.' },
      'delete_registration, update_team',
    ],
    [
      'that consumed what was deleted',
      { ...consuming, registrations: [{ ...leaving, assetDeletedAt: now }] },
      {},
      'delete_registration, update_team',
    ],
    [
      'whose registration is inactive',
      { ...consuming, registrations: [{ ...leaving, status: 'inactive' as const }] },
      {},
      'delete_registration, update_team',
    ],
    ['that was given an asset meanwhile', { ...owning, lockedAssets: [] }, {}, 'starts over'],
  ])('is deleted: one %s', (_, known, command, expected) => {
    const decided = decideTeamDeletion(known, { teamId: shop.id, ...command }, root);
    expect(writtenOf(decided)).toBe(expected);
  });
});

describe('A user', () => {
  const command = {
    email: ada.email,
    name: ' Ada ',
    teamId: 'shop',
    role: ada.role,
    duties: [],
    passwordHash: null,
  };

  test.each([
    ['is made', { namesake: null, team: shop }, 'insert_user'],
    ['has an address of their own', { namesake: ada, team: shop }, 'USER_EXISTS'],
    ['is in a team that is there', { namesake: null, team: null }, 'TEAM_NOT_FOUND'],
  ])('%s', (_, facts, expected) => {
    expect(writtenOf(decideUser(facts, command, root))).toBe(expected);
  });

  const known = { user: ada, namesake: null, team: null, lockedAssets: [], ownedAssets: [] };
  const owner = { ...known, ownedAssets: [asset] };

  test.each([
    ['stays as they are', known, { name: 'Ada' }, 'nothing'],
    ['has another password', known, { passwordHash: 'other' }, 'update_user'],
    ['leaves the team', known, { teamId: null }, 'update_user'],
    ['goes to a team that is not there', known, { teamId: 'gone' }, 'TEAM_NOT_FOUND'],
    [
      'leaves what they own to the team',
      { ...owner, lockedAssets: [asset.id] },
      { teamId: null },
      'update_asset, update_user',
    ],
    ['was given an asset meanwhile', owner, { teamId: null }, 'starts over'],
    [
      'stays in the team, and keeps what they own',
      owner,
      { teamId: 'shop', name: 'A' },
      'update_user',
    ],
    [
      'takes the address of another',
      { ...known, namesake: { ...ada, id: 'eve' } },
      { email: 'e@x.y' },
      'USER_EXISTS',
    ],
  ])('who %s', (_, facts, change, expected) => {
    const decided = decideUserUpdate(facts, { userId: ada.id, ...change }, root);
    expect(writtenOf(decided)).toBe(expected);
  });

  test.each([
    ['whose password was checked', ada, 'hash', 'insert_session'],
    ['who got another password meanwhile', ada, 'other', 'UNAUTHENTICATED'],
    ['who was deactivated meanwhile', { ...ada, deactivatedAt: now }, 'hash', 'UNAUTHENTICATED'],
  ])('signs in: one %s', (_, user, passwordHash, expected) => {
    const login = {
      userId: ada.id,
      proof: { kind: 'password' as const, passwordHash: 'hash' },
      digest: new Uint8Array(),
      csrfToken: 'token',
      replaces: null,
    };
    expect(writtenOf(decideSession({ user, passwordHash }, login, root))).toBe(expected);
  });
});

describe('A key', () => {
  const facts = { heldTeams: ['shop'], user: null, maxDays: 365 };
  const command = {
    name: 'ci',
    teamId: 'shop',
    scopes: ['write' as const],
    secret: { digest: new Uint8Array(), prefix: 'cdt_live_a' },
  };

  test.each([
    ['is made', {}, 'insert_api_key'],
    ['may do something', { scopes: [] }, 'VALIDATION_ERROR'],
    ['is of a team that is there', { teamId: 'gone' }, 'TEAM_NOT_FOUND'],
    ['acts for teams that are there', { teamIds: ['gone'] }, 'TEAM_NOT_FOUND'],
    ['is of a user who is there', { userId: 'gone' }, 'USER_NOT_FOUND'],
    ['ends in time', { expiresAt: '2099-01-01T00:00:00.000Z' }, 'VALIDATION_ERROR'],
  ])('%s', (_, change, expected) => {
    expect(writtenOf(decideApiKey(facts, { ...command, ...change }, root))).toBe(expected);
  });
});

describe('A webhook', () => {
  const webhook: Webhook = {
    id: 'hook',
    url: 'https://example.com/hook',
    format: 'json',
    teamId: null,
    events: [],
    teamIds: [],
    userId: null,
    dailyAt: null,
    stoppedAt: null,
    createdAt: now,
    updatedAt: now,
  };

  test.each([
    ['stays as it is', { url: webhook.url }, 'nothing'],
    ['gets another secret', { secret: 'other' }, 'update_webhook'],
    ['hears of a team that is there', { teamIds: ['shop'] }, 'update_webhook'],
    ['hears of a team that is not there', { teamIds: ['gone'] }, 'TEAM_NOT_FOUND'],
  ])('that %s', (_, change, expected) => {
    const facts = { webhook, heldTeams: ['shop'], refusedUrl: null };
    const decided = decideWebhookUpdate(facts, { webhookId: webhook.id, ...change }, root);
    expect(writtenOf(decided)).toBe(expected);
  });
});

describe('What depends on an asset', () => {
  const upstream = { ...asset, id: 'payments', fqn: 'bank.payments', ownerTeamId: 'bank' };
  const command = { assetId: asset.id, dependsOnAssetId: upstream.id, type: 'consumes' as const };
  const existing: Dependency = {
    id: 'dependency',
    assetId: asset.id,
    assetFqn: asset.fqn,
    dependsOnAssetId: upstream.id,
    dependsOnFqn: upstream.fqn,
    type: 'consumes',
    source: 'manual',
    createdAt: now,
  };
  const ours = actorOf('shop');

  test.each([
    ['is told by its team', [asset, upstream], null, ours, 'insert_dependency'],
    ['is not told by the other team', [asset, upstream], null, actorOf('bank'), 'FORBIDDEN'],
    ['is told once', [asset, upstream], existing, ours, 'DEPENDENCY_EXISTS'],
    ['depends on what is there', [asset], null, ours, 'ASSET_NOT_FOUND'],
    ['is there', [{ ...asset, deletedAt: now }, upstream], null, ours, 'ASSET_NOT_FOUND'],
  ])('%s', (_, assets, known, actor, expected) => {
    const decided = decideDependency({ assets, existing: known }, command, byOf(actor));
    expect(writtenOf(decided)).toBe(expected);
  });
});

test.each([
  ['of its team', {}, 'shop', 'insert_quality_run'],
  ['of another team', {}, 'bank', 'FORBIDDEN'],
  ['of a version of another asset', { contractId: 'other' }, 'shop', 'CONTRACT_NOT_FOUND'],
])('A quality run %s', (_, change, team, expected) => {
  const command = {
    assetId: asset.id,
    status: 'passed' as const,
    triggeredBy: 'ci',
    guarantees: [],
    ...change,
  };
  const facts = { ...factsOf(['billing']), contract: null, before: null, answers: [] };
  expect(writtenOf(decideQualityRun(facts, command, byOf(actorOf(team))))).toBe(expected);
});
