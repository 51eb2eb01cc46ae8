import { expect, test } from 'vitest';
import { openInterests } from '../../../src/controller/interests.ts';
import type { Source, SourceObject } from '../../../src/controller/source/source.ts';

const key = 'DataContract/shop/orders';

function objectThat(status: SourceObject['status']): SourceObject {
  return {
    key,
    kind: 'DataContract',
    namespace: 'shop',
    name: 'orders',
    uid: 'uid-of-orders',
    generation: 1,
    resourceVersion: '1',
    isDeleting: false,
    isClaimed: false,
    reconcileAt: null,
    spec: {},
    status,
    problem: null,
    revision: null,
    path: null,
  };
}

const ready = (reason: string) => ({ conditions: [{ type: 'Ready', status: 'False', reason }] });

function interestsOf(object: SourceObject) {
  const source: Pick<Source, 'get' | 'keys'> = {
    get: (asked) => (asked === key ? object : null),
    keys: () => [key],
  };
  return openInterests(source);
}

const change = (eventType: string, assetId: string | null = null, actorId = 'somebody') => ({
  events: [{ eventType, entityId: 'e', assetId }],
  actorId,
});

test('an object that waits for a team wakes by one that was made while it was looked at', () => {
  const object = objectThat(ready('TeamNotResolved'));
  const interests = interestsOf(object);
  const round = interests.begin(object);
  expect([...interests.concernedBy(change('team.created'))]).toEqual([]);
  expect(round.end()).toBe(true);
  const next = interests.begin(object);
  [...interests.concernedBy(change('asset.created'))];
  expect(next.end()).toBe(false);
  expect([...interests.concernedBy(change('team.created'))]).toEqual([[key, 'changed']]);
  expect([...interests.concernedBy(change('asset.created'))]).toEqual([]);
});

test('an object wakes by what happens to the assets it follows, unless it did that itself', () => {
  const object = objectThat(ready('Published'));
  const interests = interestsOf(object);
  const round = interests.begin(object);
  round.follow('asset-1');
  // Counts already during the reconcile.
  expect([...interests.concernedBy(change('proposal.created', 'asset-1'))]).toHaveLength(1);
  expect(round.end()).toBe(false);
  expect([...interests.concernedBy(change('proposal.acknowledged', 'asset-1'))]).toEqual([
    [key, 'answered'],
  ]);
  expect([...interests.concernedBy(change('proposal.created', 'asset-2'))]).toEqual([]);
  const own = change('contract.published', 'asset-1', object.uid);
  expect([...interests.concernedBy(own)]).toEqual([]);
  interests.begin(object).end();
  expect([...interests.concernedBy(change('proposal.created', 'asset-1'))]).toEqual([]);
});

test('where too much was said, those who wait for people go first', () => {
  const pending = { conditions: [{ type: 'Reconciling', status: 'True', reason: 'x' }] };
  for (const [status, priority] of [
    [pending, 'changed'],
    [ready('Published'), 'resync'],
  ] as const) {
    expect([...interestsOf(objectThat(status)).concernedBy({ events: 'many' })]).toEqual([
      [key, priority],
    ]);
  }
});
