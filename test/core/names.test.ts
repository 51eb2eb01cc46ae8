import { describe, expect, test } from 'vitest';
import { isLowered } from '../../src/core/asset.ts';
import { problemOfEnvironment, problemOfFqn } from '../../src/core/decide/fqn.ts';
import { mergePatch } from '../../src/core/decide/metadata.ts';
import { isSlug, slugOf } from '../../src/core/team.ts';

describe('a fully qualified name', () => {
  test.each([
    'a.b',
    'warehouse.shop.orders',
    'api.users.{id}.get',
    'A-1._x',
    `${'a'.repeat(128)}.b`,
  ])('may be %s', (fqn) => {
    expect(problemOfFqn(fqn)).toBeNull();
  });

  test.each([
    '',
    'orders',
    '.a',
    'a.',
    'a..b',
    'a.b c',
    'a.b/c',
    'ä.b',
    'a.b\n',
    `${'a'.repeat(129)}.b`,
    Array(502).fill('a').join('.'),
  ])('may not be %j', (fqn) => {
    expect(problemOfFqn(fqn)).not.toBeNull();
  });

  test('holds a thousand characters in all', () => {
    const segments = Array(8).fill('a'.repeat(124)).join('.');
    expect(segments).toHaveLength(999);
    expect(problemOfFqn(segments)).toBeNull();
    expect(problemOfFqn(`${segments}.b`)).toContain('1000');
  });
});

test('an environment is one word', () => {
  expect(problemOfEnvironment('eu-west.staging')).toBeNull();
  expect(problemOfEnvironment('')).not.toBeNull();
  expect(problemOfEnvironment('a b')).not.toBeNull();
});

describe('a slug', () => {
  test.each([
    ['Orders & Billing', 'orders-billing'],
    ['  Zürich Süd ', 'zurich-sud'],
    ['データ', ''],
    ['--a--', 'a'],
    ['x'.repeat(80), 'x'.repeat(63)],
    [`${'x'.repeat(62)} y`, 'x'.repeat(62)],
  ])('of %j is %j', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
    expect(slug === '' || isSlug(slug)).toBe(true);
  });

  test('is a DNS label', () => {
    expect(['a', 'a-b', '0'].every(isSlug)).toBe(true);
    expect(['', 'A', '-a', 'a-', 'a_b', 'a'.repeat(64), 'a\n'].some(isSlug)).toBe(false);
  });
});

describe('a merge patch', () => {
  test('sets, removes and merges, as RFC 7396 says', () => {
    const target = { a: 1, b: { c: 2, d: 3 }, e: [1, 2] };
    const patch = { a: null, b: { c: null, x: { y: null, z: 1 } }, e: [3] };
    expect(mergePatch(target, patch)).toEqual({ b: { d: 3, x: { z: 1 } }, e: [3] });
    expect(target).toEqual({ a: 1, b: { c: 2, d: 3 }, e: [1, 2] });
  });

  test('holds no trap in a name', () => {
    const patch = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');
    const merged = mergePatch({}, patch);
    expect(Object.keys(merged)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

test('guarantee modes are lowered from strict over notify to ignore', () => {
  const modes = ['ignore', 'notify', 'strict'] as const;
  const lowered = modes.flatMap((from) => modes.map((to) => [from, to, isLowered(from, to)]));
  expect(lowered.filter(([, , is]) => is).map(([from, to]) => `${from} to ${to}`)).toEqual([
    'notify to ignore',
    'strict to ignore',
    'strict to notify',
  ]);
});
