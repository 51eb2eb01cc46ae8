import { describe, expect, test } from 'vitest';
import {
  decideTakeOver,
  type TakeOverFacts,
  type TakeOverSource,
} from '../../../src/core/decide/sources/take-over.ts';
import type { Registration } from '../../../src/core/registration.ts';
import { actorOf, admin, asset, byOf, now } from './facts.ts';

const old = { id: 'old', identity: 'eu-1', kind: 'cluster', place: 'https://old' } as const;
const fresh = { id: 'new', identity: 'eu-2', kind: 'cluster', place: 'https://new' } as const;
const held = (reference: string, source = 'kubernetes') => ({
  ...asset,
  managedBy: { source, reference },
});
const orders = held('shop/orders in eu-1');
const registration: Registration = {
  id: 'registration',
  assetId: orders.id,
  assetFqn: orders.fqn,
  contractId: 'contract',
  contractVersion: '1.0.0',
  registeredVersion: '1.0.0',
  consumerTeamId: 'billing',
  consumerTeamName: 'billing',
  notes: null,
  status: 'active',
  migratesAt: null,
  endsAt: null,
  need: null,
  found: null,
  source: 'kubernetes',
  claims: ['eu-1', 'eu-2', 'git-x'],
  createdAt: now,
  updatedAt: now,
};
const facts: TakeOverFacts = {
  from: { ...old, isAlive: false },
  to: { ...fresh, isAlive: true },
  // Under the locks it may be managed by somebody else by now.
  assets: [orders, held('shop/other in eu-3'), held('shop/file in eu-1', 'directory'), asset],
  registrations: [{ ...registration, asset: orders }],
  hasMore: false,
};
const command: TakeOverSource = {
  sourceId: 'old',
  toSourceId: 'new',
  reason: 'The cluster was rebuilt.',
  dryRun: false,
};
const root = byOf(admin);

describe('A take-over', () => {
  test('hands over what the source has, under the same names, with the reason', () => {
    const decided = decideTakeOver(facts, command, root);
    if (!decided.ok) throw new Error(decided.failure.message);
    const [source, moved, claimed, ...rest] = decided.value.writes;
    expect(rest).toEqual([]);
    expect(source).toMatchObject({
      kind: 'take_over_source',
      id: 'old',
      events: [{ metadata: { assets: 1, registrations: 1, reason: command.reason } }],
    });
    const managedBy = { source: 'kubernetes', reference: 'shop/orders in eu-2' };
    expect(moved).toMatchObject({ kind: 'update_asset', asset: { managedBy } });
    const claims = ['eu-2', 'git-x'];
    expect(claimed).toMatchObject({ kind: 'update_registration', registration: { claims } });
  });

  test('that is only tried writes nothing, and answers the same', () => {
    const tried = decideTakeOver(facts, { ...command, dryRun: true }, root);
    const done = decideTakeOver(facts, command, root);
    if (!tried.ok || !done.ok) throw new Error('refused');
    expect(tried.value).toEqual({ writes: [], answer: { ...done.value.answer, dryRun: true } });
  });

  test.each([
    ['a source that lives', { ...facts, from: { ...old, isAlive: true } }, {}, 'SOURCE_ALIVE'],
    ['itself', { ...facts, to: { ...old, isAlive: false } }, {}, 'VALIDATION_ERROR'],
    ['nobody', { ...facts, from: null }, {}, 'SOURCE_NOT_FOUND'],
    ['for nobody', { ...facts, to: null }, {}, 'SOURCE_NOT_FOUND'],
    ['without a word', facts, { reason: 'x' }, 'VALIDATION_ERROR'],
  ])('is not made from %s', (_, known, more, code) => {
    expect(decideTakeOver(known, { ...command, ...more }, root)).toMatchObject({
      ok: false,
      failure: { code },
    });
  });

  test('is made by an administrator', () => {
    expect(decideTakeOver(facts, command, byOf(actorOf('shop')))).toMatchObject({
      failure: { code: 'FORBIDDEN' },
    });
  });
});
