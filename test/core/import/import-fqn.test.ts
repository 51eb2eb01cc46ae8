import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settleNames, toFqn } from '../../../src/core/import/import-fqn.ts';

const legal = /^[A-Za-z0-9_{}-]{1,128}(?:\.[A-Za-z0-9_{}-]{1,128})+$/;

test('law: two or more names, whatever they are, make an FQN that the registry takes', () => {
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 300, unit: 'binary' }),
    fc.nat(400).map((length) => 'x'.repeat(length + 1)),
  );
  const law = fc.property(fc.array(name, { minLength: 2, maxLength: 300 }), (segments) => {
    const fqn = toFqn(segments);
    return legal.test(fqn) && fqn.length <= 1_000;
  });
  fc.assert(law, { numRuns: 100 });
});

test('long names that begin alike stay apart', () => {
  const [a, b] = ['a', 'b'].map((end) => toFqn(['db', `${'x'.repeat(200)}${end}`]));
  expect(a).not.toBe(b);
});

test.each([
  [['raw db', 'public', 'order$'], 'raw_db.public.order_'],
  [['', 'public', 'orders'], 'public.orders'],
  [['a.b', '{id}-x'], 'a_b.{id}-x'],
  [['é', 'ü'], '_._'],
])('%j is called %s', (segments, fqn) => {
  expect(toFqn(segments)).toBe(fqn);
});

test('a number that settles a clash is not one that another name has', () => {
  const items = [
    { item: 1, fqn: 'a.b', key: 'x' },
    { item: 2, fqn: 'a.b', key: 'y' },
    { item: 3, fqn: 'a.b_2', key: 'z' },
  ];
  expect([...settleNames(items).names.entries()].sort()).toEqual([
    [1, 'a.b'],
    [2, 'a.b_3'],
    [3, 'a.b_2'],
  ]);
});
