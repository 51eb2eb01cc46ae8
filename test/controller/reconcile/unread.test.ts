// Which ContractRegistrations a change of their asset waits for, and which Teams they wait for.

import { expect, test } from 'vitest';
import { RegistrationClaims } from '../../../src/controller/reconcile/registrations/registration-claims.ts';
import { keyOf, type SourceObject } from '../../../src/controller/source/source.ts';

const asset = { fqn: 'shop.orders', environment: 'production' };
const contract = keyOf('DataContract', 'shop', 'orders');
const [first = '', second = '', other = ''] = ['a', 'b', 'other'].map((name) =>
  keyOf('ContractRegistration', 'billing', name),
);

function openClaims() {
  const objects = new Map<string, object>([
    [first, { fqn: 'shop.orders' }],
    [second, { fqn: 'shop.orders', environment: 'production' }],
    [other, { fqn: 'shop.other' }],
  ]);
  const claims = new RegistrationClaims({
    get: (key) =>
      // The claims read nothing else of an object.
      objects.has(key)
        ? ({ key, spec: objects.get(key), isDeleting: false } as unknown as SourceObject)
        : null,
  });
  for (const key of objects.keys()) claims.note(key);
  const unread = () => claims.unreadOf(asset, contract).map(({ key, state }) => [key, state]);
  return { claims, objects, unread };
}

test('a contract waits for the registrations of its asset that were not read, and says which failed', () => {
  const { claims, unread } = openClaims();
  expect(unread()).toEqual([
    [first, 'waits'],
    [second, 'waits'],
  ]);
  claims.noteRead(first, 'handled');
  claims.noteRead(second, 'failed');
  expect(unread()).toEqual([[second, 'failed']]);
  claims.noteRead(second, 'handled');
  expect(unread()).toEqual([]);
  claims.note(second);
  expect(unread()).toEqual([[second, 'waits']]);
});

test('a contract waits for nothing that changes again while it waits, and for nothing that is gone', () => {
  const { claims, objects, unread } = openClaims();
  expect(unread()).toHaveLength(2);
  for (const key of [first, second]) {
    claims.noteRead(key, 'handled');
    claims.note(key);
  }
  expect(unread()).toEqual([]);
  expect(unread()).toHaveLength(2);
  objects.delete(first);
  claims.note(first);
  expect(unread()).toEqual([[second, 'waits']]);
});

test.each(['absent', 'unsettled'] as const)(
  'a contract waits for the registrations that were read %s, once, and for those that fail later',
  (outcome) => {
    const { claims, unread } = openClaims();
    claims.noteRead(first, outcome);
    claims.noteRead(second, 'handled');
    expect(unread()).toEqual([[first, 'waits']]);
    claims.noteRead(first, outcome);
    expect(unread()).toEqual([]);
    expect(unread()).toEqual([]);
    claims.note(contract);
    expect(unread()).toEqual([[first, 'waits']]);
    claims.noteRead(first, 'failed');
    expect(unread()).toEqual([[first, 'failed']]);
    claims.noteRead(first, 'handled');
    expect(unread()).toEqual([]);
    claims.noteRead(second, 'failed');
    expect(unread()).toEqual([[second, 'failed']]);
  },
);

test('a contract that waits and changes meanwhile waits for what came until then', () => {
  const { claims, objects, unread } = openClaims();
  claims.noteRead(first, 'failed');
  expect(unread()).toHaveLength(2);
  const late = keyOf('ContractRegistration', 'billing', 'late');
  objects.set(late, { fqn: 'shop.orders' });
  claims.note(late);
  expect(unread()).toHaveLength(2);
  claims.note(contract);
  expect(unread()).toHaveLength(3);
});

test('a registration waits for the Teams that its namespace acts for, also for one that came after it was read', () => {
  const { claims, objects } = openClaims();
  const [old, late, foreign] = ['old', 'late', 'foreign'].map((name) => keyOf('Team', '', name));
  const unread = () => claims.unreadTeams(['old', 'late'], first).map(({ key }) => key);
  const add = (key = '') => {
    objects.set(key, {});
    claims.note(key);
  };
  for (const key of [foreign, old]) add(key);
  expect(unread()).toEqual([old]);
  claims.noteRead(first, 'handled');
  claims.noteRead(old ?? '', 'handled');
  for (const key of [late, first]) add(key);
  expect(unread()).toEqual([late]);
});
