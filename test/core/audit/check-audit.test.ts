// What is done to a sealed trail is found and named, wherever it is done.

import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AuditCheckOptions,
  type AuditItem,
  type AuditReport,
  startAuditCheck,
} from '../../../src/core/audit/check-audit.ts';
import {
  type AuditHead,
  formatHead,
  genesisHash,
  parseHead,
  sealHash,
  textOfEvent,
  textOfHead,
} from '../../../src/core/audit/seal.ts';
import type { AuditEvent } from '../../../src/core/event.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const authenticator = {
  mac: (text: string) => createHmac('sha256', 'key').update(text).digest('hex'),
  keyId: 'k1',
};

const startMs = Date.parse('2026-01-01T00:00:00.000Z');

/** Strings of their own: a test that compares must not share them by chance. */
function eventAt(n: number, more: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    eventType: 'asset.updated',
    entityType: 'asset',
    entityId: `00000000-0000-7000-8000-${String(n % 100).padStart(12, '1')}`,
    actorId: '00000000-0000-7000-8000-00000000000a',
    actorType: 'user',
    timestamp: new Date(startMs + n * 10).toISOString(),
    metadata: { fqn: `shop.orders_${n % 100}`, number: n },
    requestId: `request-${n}`,
    ...more,
  };
}

type Sealed = Extract<AuditItem, { kind: 'sealed' }>;

interface Trail {
  readonly sealed: readonly Sealed[];
  readonly heads: readonly AuditHead[];
}

const batch = 500;

function sealTrail(events: readonly AuditEvent[], signs = true): Trail {
  let hash = genesisHash;
  const sealed = events.map((event, index): Sealed => {
    hash = sealHash(hash, event, sha256);
    return { kind: 'sealed', event, seal: { sequence: index + 1, eventId: event.id, hash } };
  });
  const heads: AuditHead[] = [];
  for (let end = batch; end < sealed.length + batch; end += batch) {
    const last = sealed[Math.min(end, sealed.length) - 1];
    if (last?.event == null) continue;
    const { sequence } = last.seal;
    const sealedAt = last.event.timestamp;
    const unsigned = { sequence, hash: last.seal.hash, sealedAt, completeAt: sealedAt };
    const mac = signs ? authenticator.mac(textOfHead(unsigned)) : null;
    heads.push({ ...unsigned, mac, keyId: signs ? authenticator.keyId : null });
  }
  return { sealed, heads };
}

function check(
  { sealed, heads }: Trail,
  more: Partial<AuditCheckOptions> = {},
  unsealed: readonly AuditItem[] = [],
): AuditReport {
  const walk = startAuditCheck({ sha256, authenticator, ...more });
  let next = 0;
  for (const head of heads) {
    for (; next < sealed.length; next++) {
      const item = sealed[next];
      if (item === undefined || item.seal.sequence > head.sequence) break;
      walk.take(item);
    }
    walk.take({ kind: 'head', head });
  }
  for (const item of sealed.slice(next)) walk.take(item);
  for (const item of unsealed) walk.take(item);
  return walk.finish();
}

const size = 20_000;
const events = Array.from({ length: size }, (_, index) => eventAt(index + 1));
const whole = sealTrail(events);

function itemAt(trail: Trail, sequence: number): Sealed {
  const item = trail.sealed[sequence - 1];
  if (item === undefined) throw new Error(`There is no seal ${sequence}.`);
  return item;
}

function eventOf(trail: Trail, sequence: number): AuditEvent {
  const { event } = itemAt(trail, sequence);
  if (event === null) throw new Error(`There is no event at ${sequence}.`);
  return event;
}

function withItems(trail: Trail, changes: ReadonlyMap<number, Sealed | null>): Trail {
  return {
    ...trail,
    sealed: trail.sealed.flatMap((item) => {
      const change = changes.get(item.seal.sequence);
      if (change === undefined) return [item];
      return change === null ? [] : [change];
    }),
  };
}

function withEvent(trail: Trail, sequence: number, event: AuditEvent | null): Trail {
  return withItems(trail, new Map([[sequence, { ...itemAt(trail, sequence), event }]]));
}

function told({ findings }: AuditReport) {
  return findings.map(({ kind, sequence, eventId }) => [kind, sequence, eventId]);
}

/** The ends, the borders of a batch, and one in between; all at once, since a walk is long. */
const places = [1, batch, batch + 2, 8_237, size - 2, size];

test('A trail of 20,000 that nobody touched is intact', () => {
  expect(check(whole)).toEqual({
    isIntact: true,
    sealed: {
      firstSequence: 1,
      lastSequence: size,
      lastHash: itemAt(whole, size).seal.hash,
      sealedAt: eventOf(whole, size).timestamp,
    },
    unsealed: { count: 0, oldest: null },
    heads: { count: size / batch, authenticated: size / batch },
    findings: [],
    findingCount: 0,
  });
});

function idAt(n: number): string {
  return itemAt(whole, n).seal.eventId;
}

function changedAt(change: (item: Sealed) => Sealed | null): Trail {
  return withItems(whole, new Map(places.map((n) => [n, change(itemAt(whole, n))])));
}

describe('Anywhere in 20,000', () => {
  test.each<[string, Partial<AuditEvent>]>([
    ['type', { eventType: 'asset.deleted' }],
    ['entity', { entityId: '00000000-0000-7000-8000-00000000000b' }],
    ['kind of entity', { entityType: 'team' }],
    ['actor', { actorId: '00000000-0000-7000-8000-00000000000b' }],
    ['kind of actor', { actorType: 'system' }],
    ['time', { timestamp: '2026-01-01T00:00:00.001Z' }],
    ['request', { requestId: null }],
    ['metadata', { metadata: { fqn: 'shop.orders', number: 1 } }],
  ])('an event whose %s was altered is named', (_what, change) => {
    const altered = changedAt((item) => ({
      ...item,
      event: item.event === null ? null : { ...item.event, ...change },
    }));
    expect(told(check(altered))).toEqual(places.map((n) => ['altered', n, idAt(n)]));
  });

  test('an event that was removed is named', () => {
    const removed = changedAt((item) => ({ ...item, event: null }));
    expect(told(check(removed))).toEqual(places.map((n) => ['removed', n, idAt(n)]));
  });

  test('an event that was removed with its seal is found', () => {
    const removed = changedAt(() => null);
    expect(told(check(removed))).toEqual(places.map((n) => ['removed', n, null]));
  });

  test('a seal that was altered is named, and not the one behind it', () => {
    const altered = changedAt((item) => ({
      ...item,
      seal: { ...item.seal, hash: sha256('another') },
    }));
    const named = told(check(altered)).filter(([kind]) => kind === 'altered');
    expect(named).toEqual(places.map((n) => ['altered', n, idAt(n)]));
  });

  test('an event that was added without a seal is named', () => {
    const added = places.map((n): AuditItem => {
      const id = `00000000-0000-7000-8000-${String(n).padStart(12, 'f')}`;
      return { kind: 'unsealed', event: eventAt(n, { id }), isPassed: true };
    });
    const ids = added.map((item) => (item.kind === 'unsealed' ? item.event.id : ''));
    expect(told(check(whole, {}, added))).toEqual(ids.map((id) => ['added', null, id]));
  });

  test.each([1, 8_237, size])('a chain written anew from %i on is found by its heads', (n) => {
    const forged = sealTrail(
      events.map((event, index) => (index + 1 < n ? event : { ...event, requestId: 'forged' })),
      false,
    );
    // Who has no key can only keep the old authentication.
    const heads = forged.heads.map((head, index) => ({
      ...head,
      mac: whole.heads[index]?.mac ?? null,
      keyId: 'k1',
    }));
    const first = Math.ceil(n / batch) * batch;
    expect(told(check({ ...forged, heads }))[0]).toEqual(['head', first, null]);
    // Without any, the chain alone says nothing; a head that was kept elsewhere does.
    const { sequence, hash } = itemAt(whole, size).seal;
    expect(told(check(forged, { expected: [{ sequence, hash }] }))).toEqual([['head', size, null]]);
  });

  test.each([1, batch + 1, 8_237, size])('a tail cut before %i is found by a head', (n) => {
    const cut: Trail = {
      sealed: whole.sealed.slice(0, n - 1),
      heads: whole.heads.filter((head) => head.sequence < n),
    };
    const { sequence, hash } = itemAt(whole, size).seal;
    const report = check(cut, { expected: [{ sequence, hash }] });
    expect(told(report)).toContainEqual(['cut', n, null]);
    expect(told(report)).toHaveLength((n - 1) % batch === 0 ? 1 : 2);
  });
});

describe('Swapped', () => {
  const pairs = [
    [1, 2],
    [batch, batch + 1],
    [77, 19_123],
    [size - 1, size],
  ] as const;

  test.each(pairs)('are two events that stand in each other’s place: %i and %i', (a, b) => {
    const [first, second] = [itemAt(whole, a), itemAt(whole, b)];
    const report = check(
      withItems(
        whole,
        new Map([
          [
            a,
            {
              ...first,
              event: second.event,
              seal: { ...first.seal, eventId: second.seal.eventId },
            },
          ],
          [
            b,
            {
              ...second,
              event: first.event,
              seal: { ...second.seal, eventId: first.seal.eventId },
            },
          ],
        ]),
      ),
    );
    expect(told(report)).toEqual([
      ['swapped', a, second.seal.eventId],
      ['swapped', b, first.seal.eventId],
    ]);
  });

  test.each(pairs)('are two events that say what the other said: %i and %i', (a, b) => {
    const [first, second] = [eventOf(whole, a), eventOf(whole, b)];
    const report = check(
      withEvent(withEvent(whole, a, { ...second, id: first.id }), b, { ...first, id: second.id }),
    );
    expect(told(report)).toEqual([
      ['swapped', a, first.id],
      ['swapped', b, second.id],
    ]);
  });
});

describe('An event that was added with everybody looking', () => {
  test('is told by its time: everything of then was sealed before', () => {
    const behind = eventAt(size + 1, { timestamp: '2026-01-01T00:00:00.500Z' });
    const others = Array.from({ length: 4_000 }, (_, i) => eventAt(size + 100 * (i + 2)));
    const report = check(sealTrail([...events, ...others, behind]));
    const sequence = size + others.length + 1;
    expect(told(report)).toEqual([['added', sequence, behind.id]]);
  });

  test('is not what committed late within the hour', () => {
    const late = eventAt(size + 1, { timestamp: '2026-01-01T00:16:00.000Z' });
    expect(check(sealTrail([...events, late])).isIntact).toBe(true);
  });
});

describe('Heads', () => {
  test('that lost their authentication are found, once one has it', () => {
    const [first, second, ...rest] = whole.heads;
    if (first === undefined || second === undefined) throw new Error('There are no heads.');
    const stripped = { ...second, mac: null, keyId: null };
    const report = check({ ...whole, heads: [first, stripped, ...rest] });
    expect(told(report)).toEqual([['head', second.sequence, null]]);
  });

  test('of a time without a key are no finding', () => {
    const few = sealTrail(events.slice(0, 3 * batch), false);
    expect(check(few)).toMatchObject({ isIntact: true, heads: { count: 3, authenticated: 0 } });
  });

  test('of another key are counted, and not confirmed', () => {
    const report = check(whole, { authenticator: { ...authenticator, keyId: 'k2' } });
    expect(report).toMatchObject({
      isIntact: true,
      heads: { count: size / batch, authenticated: 0 },
    });
  });

  test('that say another time are not the ones that were made', () => {
    const heads = whole.heads.map((head, index) =>
      index === 7 ? { ...head, completeAt: '2020-01-01T00:00:00.000Z' } : head,
    );
    expect(told(check({ ...whole, heads }))).toEqual([['head', 8 * batch, null]]);
  });

  test('that are gone leave seals that nobody vouches for', () => {
    const report = check({ ...whole, heads: whole.heads.slice(0, -1) });
    expect(told(report)).toEqual([['head', size - batch + 1, null]]);
  });

  test('are read as they are printed', () => {
    const head = { sequence: 4711, hash: sha256('head') };
    expect(parseHead(formatHead(head))).toEqual(head);
    for (const text of ['', '4711', `x:${head.hash}`, `01:${head.hash}`, `1:${head.hash}0`]) {
      expect(parseHead(text), text).toBe(null);
    }
  });
});

test('A walk may start behind a seal that is known to be right', () => {
  const from = itemAt(whole, 12_000).seal;
  const rest: Trail = {
    sealed: whole.sealed.slice(12_000),
    heads: whole.heads.filter((head) => head.sequence > 12_000),
  };
  expect(check(rest, { from })).toMatchObject({
    isIntact: true,
    sealed: { firstSequence: 12_001, lastSequence: size },
  });
  const wrong = { sequence: 12_000, hash: sha256('wrong') };
  expect(told(check(rest, { from, expected: [wrong] }))).toEqual([['head', 12_000, null]]);
  expect(told(check(rest, { from, expected: [from] }))).toEqual([]);
  expect(told(check(rest, { from: wrong }))).toEqual([
    ['altered', 12_001, itemAt(whole, 12_001).seal.eventId],
  ]);
});

test('However much is wrong, a hundred findings are told and all are counted', () => {
  const altered = whole.sealed.map((item) =>
    item.event === null ? item : { ...item, event: { ...item.event, requestId: 'other' } },
  );
  const report = check({ ...whole, sealed: altered });
  expect(report.findingCount).toBe(size);
  expect(told(report).map(([, sequence]) => sequence)).toEqual(
    Array.from({ length: 100 }, (_, i) => i + 1),
  );
});

test('Every change of any member of an event changes the text that is sealed', () => {
  const text = fc.string();
  const event = fc.record({
    id: text,
    eventType: fc.constantFrom('asset.created' as const, 'asset.updated' as const),
    entityType: fc.constantFrom('asset' as const, 'team' as const),
    entityId: text,
    actorId: text,
    actorType: fc.constantFrom('user' as const, 'system' as const),
    timestamp: text,
    metadata: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))),
    requestId: fc.option(text),
  });
  fc.assert(
    fc.property(event, event, (a, b) => {
      const sameText = textOfEvent(a) === textOfEvent(b);
      const sorted = (e: AuditEvent) =>
        JSON.stringify({ ...e, metadata: Object.entries(e.metadata).sort() });
      expect(sameText).toBe(sorted(a) === sorted(b));
      expect(textOfEvent({ ...a })).toBe(textOfEvent(a));
    }),
  );
});
