import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Bump } from '../../src/core/comparison.ts';
import {
  bumpBetween,
  compareVersions,
  formatVersion,
  nextVersion,
  parseVersion,
} from '../../src/core/decide/publishing/version.ts';

describe('a version is three numbers', () => {
  test.each(['0.0.0', '1.0.0', '1.20.300', '999999999.0.1'])('%s is one', (text) => {
    const version = parseVersion(text);
    expect(version === null ? null : formatVersion(version)).toBe(text);
  });

  test.each([
    '',
    '1',
    '1.0',
    '1.0.0.0',
    'v1.0.0',
    '01.0.0',
    '1.0.0-rc.1',
    '1.0.0+5',
    ' 1.0.0',
    '1.0.0\n',
    '1.-1.0',
    '1000000000.0.0',
    '١.0.0',
  ])('"%s" is none', (text) => {
    expect(parseVersion(text)).toBeNull();
  });
});

describe('the next version', () => {
  const rows: readonly (readonly [string | null, Bump, string, string])[] = [
    [null, 'none', '1.0.0', 'initial'],
    [null, 'major', '1.0.0', 'initial'],
    ['1.0.0', 'major', '2.0.0', 'major'],
    ['1.4.2', 'major', '2.0.0', 'major'],
    ['1.4.2', 'minor', '1.5.0', 'minor'],
    ['1.4.2', 'patch', '1.4.3', 'patch'],
    ['1.4.2', 'none', '1.4.3', 'patch'],
    ['0.3.9', 'minor', '0.4.0', 'minor'],
    ['0.3.9', 'major', '1.0.0', 'major'],
  ];
  test.each(rows)('after %s with a %s change is %s', (highestEver, bump, version, changeType) => {
    expect(nextVersion({ highestEver, bump })).toEqual({
      ok: true,
      value: { version, changeType },
    });
  });

  it('a first publish may name any version', () => {
    expect(nextVersion({ highestEver: null, bump: 'none', requested: '0.7.3' })).toEqual({
      ok: true,
      value: { version: '0.7.3', changeType: 'initial' },
    });
  });

  test.each([
    ['1.4.2', 'patch', '1.4.3', 'patch'],
    ['1.4.2', 'patch', '1.4.9', 'patch'],
    ['1.4.2', 'patch', '1.9.0', 'minor'],
    ['1.4.2', 'minor', '3.1.4', 'major'],
    ['1.4.2', 'major', '2.0.0', 'major'],
    ['1.4.2', 'none', '1.4.3', 'patch'],
  ] as const)(
    'after %s with a %s change an explicit %s is honoured',
    (highestEver, bump, requested, changeType) => {
      expect(nextVersion({ highestEver, bump, requested })).toEqual({
        ok: true,
        value: { version: requested, changeType },
      });
    },
  );

  test.each([
    ['1.4.2', '1.4.2'],
    ['1.4.2', '1.4.1'],
    ['1.4.2', '0.9.9'],
    ['10.0.0', '9.9.9'],
  ])(
    'after %s an explicit %s is a conflict: it must be higher than any the asset ever had',
    (highestEver, requested) => {
      expect(nextVersion({ highestEver, bump: 'patch', requested })).toEqual({
        ok: false,
        failure: {
          code: 'VERSION_CONFLICT',
          message: `Version ${requested} is not higher than ${highestEver}, the highest version that this asset has had. Choose a higher version, or omit it.`,
          field: 'version',
        },
      });
    },
  );

  test.each([
    ['minor', '1.4.3', 'patch', '1.5.0'],
    ['major', '1.4.3', 'patch', '2.0.0'],
    ['major', '1.5.0', 'minor', '2.0.0'],
  ] as const)(
    'a %s change cannot be published as %s: its bump is smaller than the change needs',
    (bump, requested, is, needed) => {
      expect(nextVersion({ highestEver: '1.4.2', bump, requested })).toEqual({
        ok: false,
        failure: {
          code: 'VERSION_TOO_SMALL',
          message: `Version ${requested} is a ${is} version after 1.4.2, but this change needs a ${bump} one: ${needed} or higher.`,
          field: 'version',
        },
      });
    },
  );

  test.each(['1.5', '1.5.0-rc.1', 'latest', ''])('"%s" is refused as a version', (requested) => {
    const outcome = nextVersion({ highestEver: '1.4.2', bump: 'patch', requested });
    expect(outcome).toMatchObject({
      ok: false,
      failure: { code: 'VALIDATION_ERROR', field: 'version' },
    });
  });

  it('a version line that is used up says so', () => {
    expect(nextVersion({ highestEver: '1.0.999999999', bump: 'patch' })).toMatchObject({
      ok: false,
      failure: { code: 'VERSION_CONFLICT' },
    });
  });

  it('is always higher than the highest, and its bump is the one needed', () => {
    const part = fc.nat(1_000_000);
    const version = fc.record({ major: part, minor: part, patch: part });
    const bump = fc.constantFrom('patch' as const, 'minor' as const, 'major' as const);
    fc.assert(
      fc.property(version, bump, (highest, needed) => {
        const outcome = nextVersion({ highestEver: formatVersion(highest), bump: needed });
        const next = outcome.ok ? parseVersion(outcome.value.version) : null;
        if (next === null) return false;
        return compareVersions(next, highest) > 0 && bumpBetween(highest, next) === needed;
      }),
    );
  });
});
