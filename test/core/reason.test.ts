import { describe, expect, test } from 'vitest';
import { checkReason, isReason } from '../../src/core/decide/reason.ts';

describe('a reason', () => {
  test.each([
    'Legal wants it gone today.',
    'Abgekündigt',
    '法務部が今日中に削除するよう求めた',
    '12345678',
    '!!!!!!!!',
  ])('is %s', (text) => {
    expect(isReason(text)).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['too short', 'because'],
    ['blanks', ' '.repeat(20)],
    ['a letter among blanks', `${' '.repeat(20)}x${'\t'.repeat(20)}`],
    ['zero-width spaces', '\u200b'.repeat(20)],
    ['word joiners', '\u2060'.repeat(20)],
    ['Hangul fillers, which are letters', '\u3164'.repeat(20)],
    ['half-width Hangul fillers', '\uffa0'.repeat(20)],
    ['empty Braille patterns', '\u2800'.repeat(20)],
    ['soft hyphens', '\u00ad'.repeat(20)],
    ['combining marks', '\u0301'.repeat(20)],
    ['tags', '\u{e0041}'.repeat(20)],
    ['control characters', '\u0007'.repeat(20)],
  ])('is not %s', (_name, text) => {
    expect(isReason(text)).toBe(false);
    expect(checkReason(text)).toMatchObject({
      failure: { code: 'VALIDATION_ERROR', field: 'reason' },
    });
  });

  test('is kept without the blanks around it', () => {
    expect(checkReason('  It has to be.\n')).toEqual({ ok: true, value: 'It has to be.' });
    expect(checkReason(undefined)).toMatchObject({ failure: { field: 'reason' } });
  });
});
