import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { searchByBacktracking } from '../../../src/core/schema/patterns/backtrack.ts';
import { uniteCases } from '../../../src/core/schema/patterns/case-folding.ts';
import { rangesOf } from '../../../src/core/schema/patterns/char-set.ts';
import { parseExpression } from '../../../src/core/schema/patterns/expression.ts';
import type { Language } from '../../../src/core/schema/patterns/language.ts';
import {
  accepts,
  areDisjoint,
  complement,
  everyText,
  intersect,
  isEmpty,
  isSubset,
  noText,
  subtract,
  textsOf,
  textsOfLength,
  unite,
} from '../../../src/core/schema/patterns/language.ts';
import {
  countMembers,
  findMember,
  lengthsOf,
  listMembers,
} from '../../../src/core/schema/patterns/members.ts';
import {
  compilePattern,
  matchPattern,
  patternProblem,
} from '../../../src/core/schema/patterns/pattern.ts';
import { samplesOfPattern } from '../../../src/core/schema/patterns/sample-pattern.ts';

const plenty = () => ({ left: 10_000_000 });

function languageOf(source: string): Language {
  const pattern = compilePattern(source, plenty());
  if (pattern.kind !== 'language') throw new Error(`${source} is ${pattern.kind}`);
  return pattern.language;
}

function known<T>(value: T | 'too_large'): T {
  if (value === 'too_large') throw new Error('too large');
  return value;
}

describe('a pattern means the texts a native search finds it in', () => {
  const sources = [
    'a',
    '^a',
    'a$',
    '^a$',
    '^$',
    '',
    '^',
    '$',
    'a|b',
    '^a|b$',
    '^(a|b)$',
    '(^a|b)c',
    'a(b|c$)',
    '^[a-c]+$',
    '^[^a-c]+$',
    '^a{2}$',
    '^a{2,}$',
    '^a{1,3}$',
    '^(ab){2}$',
    'a?',
    '^a?b*$',
    '^.$',
    '^..$',
    '\\d',
    '^\\d+$',
    '\\D',
    '\\w',
    '^\\W$',
    '\\s',
    '^\\S+$',
    '\\bab\\b',
    '\\Ba',
    'a\\B',
    '\\b',
    '^\\B',
    'a\\b',
    '^(?=a)',
    '^(?!a)',
    '(?=ab)a',
    '^(?=.*\\d)(?=.*a).{2,3}$',
    '(?<=a)b',
    '(?<!a)b',
    '(?<=^a)b',
    '(?<=\\d{2})a',
    '^(?!.*bb).*$',
    '(?!a)',
    'a(?!b)',
    'a(?=b|$)',
    '(?<!^)a',
    '^(?:a(?=b)b?)+$',
    '^((a|b)(?!a))*$',
    '(a+)+$',
    '^(a*)*b$',
    '(a|aa)+$',
    '^\\u0061$',
    '^\\x61$',
    '\\.',
    '^[.]$',
    '[\\w-]',
    '[\\b]',
    '^[\\d\\s]$',
    '^\\p{L}$',
    '^\\P{L}+$',
    '\\cA',
    '^[^]$',
    '[]',
    '^\\u{1F600}$',
    '^😀$',
    '^[😀-😂]$',
    '\\ud83d',
    '^.{2}$',
    'a.c',
    '^(?:)$',
    '(?:a|)b',
    'x*',
    '^[\\s\\S]*$',
    '(?<n>a)b',
    '^(a(b)?)+$',
    'a{0}',
    '^a{0}$',
    '^(?=\\b)a',
    '(?=a\\b)',
    '(?!\\b)a',
    '^[a-z]+(?:-[a-z]+)*$',
    '(?=$)',
    '(?=^)a',
    'b(?=^)a',
    '(?=(?!b)a)',
    '(?<=(?<=a)b)a',
    '(?!(?=a))',
    '^(?i:a)b$',
    '^(?i:[^a])$',
    '^(?i:\\p{Lu}+)$',
    '^(?i:\\P{Lu})$',
    '^(?i:a(?-i:b)|[c-x]+)$',
    '^(?i:k)$',
    '^(?i:[^k])$',
    '^(?s:.)$',
    '^(?s:.)(?-s:.)?$',
    '(?m:^a$)',
    '(?m:b$)',
    '(?m:^)b',
    '^(?ims:A.*B$)',
  ];
  const texts = [
    '',
    'a',
    'b',
    'c',
    'ab',
    'ba',
    'aa',
    'bb',
    'aaa',
    'aab',
    'abc',
    'abab',
    'cab',
    'a b',
    ' ',
    'a1',
    '1',
    '12',
    '12a',
    '1a2',
    '😀',
    '😁a',
    'a😀',
    '\ud83d',
    '\ude00',
    '\n',
    'a\n',
    '\u2028',
    'é',
    'éa',
    'a-b',
    '-',
    '.',
    '_',
    'a_b',
    '\b',
    '\u0001',
    'aaaaaaaa',
    'b ab a',
    'a.c',
    'abca',
    'bab',
    'x',
    'A',
    'AB',
    'aB',
    'k',
    'K',
    '\u212a',
    'a\nb',
    'b\na',
    '\n\n',
  ];
  test.each(sources)('%j', (source) => {
    const native = new RegExp(source, 'u');
    const language = languageOf(source);
    const expression = parseExpression(source);
    for (const text of texts) {
      // A text of Latin-1 is matched in another way by V8, which forgets some cases of letters there.
      const expected = native.test(`\u3042${text}`.slice(1));
      expect([text, accepts(language, text)]).toEqual([text, expected]);
      expect([text, accepts(known(complement(language, plenty())), text)]).toEqual([
        text,
        !expected,
      ]);
      expect([text, matchPattern(source, text, plenty())]).toEqual([text, expected]);
      if (expression.kind !== 'expression') throw new Error('not parsed');
      const tried = searchByBacktracking(expression.expression, text, plenty());
      expect([text, tried]).toEqual([text, expected]);
    }
  });

  test.each([
    ['unicode', 'giu', 0x1ffff],
    ['older', 'gi', 0xffff],
  ] as const)(
    'where case does not count, a letter is what V8 takes it for: %s',
    (folding, flags, last) => {
      const codes = Array.from({ length: last + 1 }, (_, code) => code);
      const letters = codes
        .map((code) => String.fromCodePoint(code))
        .filter((char) => /\p{Cased}|\p{CWCM}|\p{CWCF}/u.test(char));
      const all = letters.join('');
      for (const letter of letters) {
        const code = letter.codePointAt(0) ?? 0;
        const found = Array.from(all.matchAll(new RegExp(letter, flags)), ([other]) => other);
        const own = rangesOf(uniteCases([code, code], folding)).flatMap(([low, high]) =>
          Array.from({ length: high - low + 1 }, (_, at) => String.fromCodePoint(low + at)),
        );
        expect(own).toEqual(found);
      }
    },
  );

  test('what matchers disagree on where case does not count is not decided', () => {
    for (const source of ['(?i:a)\\w', '(?i:a)\\b', '\\W(?i:a)', '(?i:\\u{212a})', '^(?i:ſ)']) {
      expect([source, compilePattern(source, plenty()).kind]).toEqual([source, 'opaque']);
    }
    expect(compilePattern('(?i:a)\\d', plenty()).kind).toBe('language');
  });

  test('a pattern that only the older grammar takes is read by code points all the same', () => {
    expect(accepts(languageOf('^[\\w-.]+\\-$'), 'a.b-')).toBe(true);
    expect(accepts(languageOf('^\\_😀$'), '_😀')).toBe(true);
    expect(accepts(languageOf('^\\_.$'), '_😀')).toBe(true);
    expect(accepts(languageOf('a{,3}'), 'aa')).toBe(false);
  });

  test('what is no regular expression is invalid, and says why', () => {
    expect(compilePattern('(', plenty())).toMatchObject({ kind: 'invalid' });
    expect(patternProblem('[z-a]')).toContain('out of order');
    expect(patternProblem('(?i)a')).not.toBeNull();
    expect(patternProblem('^a')).toBeNull();
  });
});

describe('patterns that no automaton knows', () => {
  const rows: [string, string, boolean][] = [
    ['^(a+)b\\1$', 'aabaa', true],
    ['^(a+)b\\1$', 'aabaaa', false],
    ['^(?<q>["\']).*\\k<q>$', '"x"', true],
    ['^(?<q>["\']).*\\k<q>$', '"x\'', false],
    ['^(?:(a)|b)*\\1$', 'ab', true],
    ['^(a)?\\1b$', 'b', true],
    ['(?<=(\\d)\\1)x', '1x', true],
    ['(?<=\\1(\\d))x', '22x', true],
    ['^(?=(?<=^)a)a', 'a', true],
    ['(?<=a(?=b))b', 'ab', true],
    ['(?<=a$)', 'a', true],
    ['(?<=a\\b)', 'ab', false],
    ['^(?!(a).*\\1)', 'aba', false],
    ['^(a\\1)$', 'a', true],
    ['^(?:a(?=(b))\\1)+$', 'abab', true],
    ['^(\\w)(\\w)\\2\\1$', 'abba', true],
    ['^(?:(?<n>a)|(?<n>b))b\\1$', 'aba', true],
    ['(a)(?!.*\\1)b', 'ab', true],
    ['^(?:(\\ba)\\1|x)$', 'aa', true],
    ['^(a|b)(?:-\\1)+$', 'a-a-a', true],
    ['^(a|b)(?:-\\1)+$', 'a-', false],
    ['^(a|b)\\1*$', 'aaa', true],
    ['^(a|b)(?:-\\1){2}$', 'b-b-b', true],
    ['^(?:(a|b)(?:-\\1){2};)+$', 'b-b-b;a-a-a;', true],
    ['(?<=^(?:\\1-){2}(a|b))$', 'a-a-a', true],
  ];
  test.each(rows)('%j in %j is %j, as natively', (source, text, expected) => {
    expect(new RegExp(source, 'u').test(text)).toBe(expected);
    const pattern = compilePattern(source, plenty());
    if (pattern.kind !== 'opaque') throw new Error(`${source} is ${pattern.kind}`);
    if (expected) expect(accepts(pattern.over, text)).toBe(true);
    expect(matchPattern(source, text, plenty())).toBe(expected);
  });

  test('a backreference that explodes is given up, not waited for', () => {
    expect(matchPattern('^(a*)*(a*)*\\1\\2b$', 'a'.repeat(40), { left: 100_000 })).toBe('gave_up');
  });
});

describe('no pattern hangs', () => {
  const hostile: [string, string, boolean | 'gave_up'][] = [
    ['(a+)+$', `${'a'.repeat(5000)}b`, false],
    ['^(a|aa)+$', `${'a'.repeat(5000)}b`, false],
    ['(.*a){25}', 'a'.repeat(30), true],
    ['^(.*a){25}$', 'b'.repeat(30), false],
    ['(a|b)*a(a|b){40}$', `b${'a'.repeat(41)}`, true],
    ['a{1,100000}', 'a', true],
    ['^(){1000000000}$', '', true],
    ['^a{1000000000}$', 'a', 'gave_up'],
    ['^((a{100}){100}){100}$', 'a', 'gave_up'],
    [`^(${Array.from({ length: 5000 }, (_, i) => `id-${i}`).join('|')})$`, 'id-4999', true],
    ['('.repeat(5000) + ')'.repeat(5000), 'a', 'gave_up'],
    ['a'.repeat(100_001), 'a', 'gave_up'],
    [`^${'(?=.*a)'.repeat(40)}`, 'ba', true],
    [`${'(?<=a.{3})|'.repeat(20)}b`, 'b', true],
    ['(?=a{50}b)(?=(a|b)*a(a|b){30}$)a', 'a', 'gave_up'],
  ];
  test.each(hostile.map(([source, text, found]) => [source.slice(0, 30), source, text, found]))(
    '%s',
    (_name, source, text, found) => {
      expect(matchPattern(String(source), String(text), plenty())).toBe(found);
      compilePattern(String(source), plenty());
    },
  );

  const letters = (count: number, spell: (code: string, index: number) => string) =>
    Array.from({ length: count }, (_, i) => spell(`\\u{${(0x20000 + 2 * i).toString(16)}}`, i));

  test.each([
    ['loops of lookaheads', `^(?:${letters(60, (code) => `(?=.*${code})`).join('|')})*$`],
    ['classes of many ranges', letters(5_000, (code) => `[\\p{L}${code}]`).join('')],
    [
      'classes in each other',
      letters(4_000, (code, i) => `[\\u{${(0x2000 + i).toString(16)}}-${code}]`).join('|'),
    ],
    ['a class of many ranges, many times', '^\\p{L}{1,60000}$'],
    ['lookbehinds', `^(?:${letters(100, (code) => `(?<!${code}.{9})`).join('')}a)*$`],
  ])('%s run out of steps, not of memory', (_name, source) => {
    const before = process.memoryUsage().heapUsed;
    const pattern = compilePattern(source, plenty());
    expect(['too_large', 'opaque']).toContain(pattern.kind);
    const found = matchPattern(source, 'ab', plenty());
    expect(['gave_up', new RegExp(source, 'u').test('ab')]).toContain(found);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(400 * 2 ** 20);
  });

  test('lists and complements end with their steps', () => {
    const few = { left: 20_000 };
    expect(listMembers(languageOf('^(?:a{1000})*$'), 200, few).length).toBeLessThan(30);
    expect(few.left).toBeLessThan(0);
    expect(complement(languageOf('^\\p{L}{1,99}$'), { left: 1_000 })).toBe('too_large');
    expect(textsOf(['a'.repeat(1_000)], { left: 1_000 })).toBe('too_large');
    expect(countMembers(languageOf('^a{1,999}$'), 9, { left: 100 })).toBe('too_large');
  });

  test('exponential automata are too large, not late', () => {
    expect(compilePattern('(a|b)*a(a|b){30}$', plenty())).toEqual({ kind: 'too_large' });
  });

  test('compiling costs the same whether it is remembered or not', () => {
    const first = { left: 100_000 };
    compilePattern('^cost[0-9]{1,9}$', first);
    const second = { left: 100_000 };
    compilePattern('^cost[0-9]{1,9}$', second);
    expect(second.left).toBe(first.left);
    expect(first.left).toBeLessThan(100_000);
  });
});

describe('samples of a pattern', () => {
  const rows: [string, string[]][] = [
    ['^(a+)b\\1$', ['aba']],
    ['(a|b)*a(a|b){20}$', [`a${'a'.repeat(20)}`, `a${'b'.repeat(20)}`]],
    ['^(?<q>["\'])x\\k<q>$', ['"x"']],
    ['^(?!a)[a-c]$', ['b']],
    ['^(cat|dog|emu)$', ['cat', 'dog', 'emu']],
    ['[]', []],
    ['(', []],
    ['^a{100000}$', []],
  ];
  test.each(rows)('of %j', (source, expected) => {
    const found = samplesOfPattern(source, plenty());
    for (const text of found) expect(new RegExp(source, 'u').test(text)).toBe(true);
    expect(found.toSorted()).toEqual(expected.toSorted());
  });
});

describe('languages', () => {
  test('compare by their members, not by their text', () => {
    const rows: [string, string, boolean][] = [
      ['^a$', '^[ab]$', true],
      ['^[ab]$', '^a$', false],
      ['^(a|b)*$', '^[ab]*$', true],
      ['^[ab]*$', '^(a|b)*$', true],
      ['^a+$', 'a', true],
      ['^x-', 'x', true],
      ['^\\d{3}$', '^[0-9]{2,4}$', true],
      ['^\\d{2,4}$', '^\\d{3}$', false],
      ['^(?=.*\\d).*$', '\\d', true],
      ['^(?=.*\\d)', '^[^\\n\\r\\u2028\\u2029]*\\d', true],
      ['a', '', true],
      ['', '.*', true],
      ['', '.+', false],
      ['^\\p{Lu}$', '^\\p{L}$', true],
    ];
    for (const [a, b, expected] of rows) {
      expect([a, b, isSubset(languageOf(a), languageOf(b), plenty())]).toEqual([a, b, expected]);
    }
  });

  test('disjoint, empty, everything', () => {
    expect(areDisjoint(languageOf('^a'), languageOf('^b'), plenty())).toBe(true);
    expect(areDisjoint(languageOf('^a'), languageOf('b$'), plenty())).toBe(false);
    expect(isEmpty(languageOf('[]'))).toBe(true);
    expect(isEmpty(languageOf('a^'))).toBe(true);
    const others = (source: string) => known(complement(languageOf(source), plenty()));
    expect(isEmpty(others('^[\\s\\S]*$'))).toBe(true);
    expect(isEmpty(others('^.*$'))).toBe(false);
    expect(isEmpty(others('a|^[^a]*$'))).toBe(true);
    // No state is left that nothing leads to: the one text without a character has an end.
    expect(lengthsOf(others('[\\s\\S]'))).toEqual({ min: 0, max: 0 });
    expect(complement(everyText, plenty())).toEqual(noText);
    expect(complement(noText, plenty())).toEqual(everyText);
  });

  test('a member is the shortest there is, and readable', () => {
    const member = (source: string, min = 0, max = Number.POSITIVE_INFINITY) =>
      findMember(languageOf(source), plenty(), { min, max });
    expect(member('^[^0-9]+$')).toBe('a');
    expect(member('^[\\s\\S]$')).toBe('a');
    expect(member('^[A-Z0-9_]{3}$')).toBe('000');
    expect(member('^(abc|de)$')).toBe('de');
    expect(member('^(abc|de)$', 3)).toBe('abc');
    expect(member('^(abc|de)$', 4)).toBeNull();
    expect(member('^(abc)*$', 4, 5)).toBeNull();
    expect(member('^(abc)*$', 4, 6)).toBe('abcabc');
    expect(member('^(abc)*$', 7)).toBe('abcabcabc');
    expect(member('^(..)*$', 999, 999)).toBeNull();
    expect(member('[]')).toBeNull();
    expect(member('^a{1,3}$', 1e15)).toBeNull();
    expect(member('', 1e15)).toBe('too_large');
    expect(member('^😀$', 1, 1)).toBe('😀');
  });

  test('lengths, counts and lists', () => {
    expect(lengthsOf(languageOf('^a{2,5}$'))).toEqual({ min: 2, max: 5 });
    expect(lengthsOf(languageOf('a'))).toEqual({ min: 1, max: Number.POSITIVE_INFINITY });
    expect(lengthsOf(noText)).toBeNull();
    expect(countMembers(languageOf('^[ab]{0,3}$'), 100, plenty())).toBe(15);
    expect(countMembers(languageOf('^[ab]{0,3}$'), 10, plenty())).toBe(11);
    expect(countMembers(languageOf('^a*$'), 10, plenty())).toBe(11);
    expect(countMembers(noText, 10, plenty())).toBe(0);
    expect(listMembers(languageOf('^(b|ab?)$'), 10, plenty()).toSorted()).toEqual(['a', 'ab', 'b']);
    expect(listMembers(languageOf('^[ab]*$'), 4, plenty())).toEqual(['', 'a', 'b', 'aa']);
    expect(listMembers(noText, 4, plenty())).toEqual([]);
    expect(
      listMembers(known(textsOf(['', 'x', 'xyz', '😀'], plenty())), 9, plenty()).toSorted(),
    ).toEqual(['', 'x', 'xyz', '😀']);
  });

  test('texts of a length, and thousands of texts', () => {
    const length = known(textsOfLength(2, 3, plenty()));
    expect(['a', 'ab', '😀b😀', 'abcd'].map((text) => accepts(length, text))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    const endless = known(textsOfLength(1, Number.POSITIVE_INFINITY, plenty()));
    expect(isSubset(endless, languageOf('^[\\s\\S]+$'), plenty())).toBe(true);
    expect(isSubset(languageOf('^[\\s\\S]+$'), endless, plenty())).toBe(true);
    expect(textsOfLength(0, 1e15, plenty())).toBe('too_large');
    expect(textsOfLength(3, 2, plenty())).toEqual(noText);
    const many = known(
      textsOf(
        Array.from({ length: 10_000 }, (_, i) => `value-${i}`),
        plenty(),
      ),
    );
    expect(isSubset(many, languageOf('^value-\\d{1,4}$'), plenty())).toBe(true);
    expect(isSubset(many, languageOf('^value-\\d{1,3}$'), plenty())).toBe(false);
  });
});

describe('laws', () => {
  const atom = fc.constantFrom(
    'a',
    'b',
    '.',
    '[ab]',
    '[^a]',
    '\\w',
    '\\d',
    '\\b',
    '\\B',
    '^',
    '$',
    '\\s',
    '1',
    ' ',
    'é',
  );
  const source: fc.Arbitrary<string> = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      atom,
      fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
      fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '*?'))
        .map(([a, times]) => `(?:${a})${times}`),
      fc
        .tuple(fc.constantFrom('?=', '?!', '?<=', '?<!'), tie('pattern'))
        .map(([look, a]) => `(${look}${a})`),
    ),
  })).pattern;
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', 'é', '\n'), maxLength: 6 });

  test('an automaton accepts what a native search finds, and so does the backtracker', () => {
    fc.assert(
      fc.property(source, fc.array(text, { maxLength: 8 }), (pattern, texts) => {
        const native = new RegExp(pattern, 'u');
        const compiled = compilePattern(pattern, plenty());
        const parsed = parseExpression(pattern);
        for (const one of texts) {
          const expected = native.test(one);
          const found = matchPattern(pattern, one, { left: 10_000 });
          if (found !== 'gave_up') expect(found).toBe(expected);
          if (compiled.kind === 'language') expect(accepts(compiled.language, one)).toBe(expected);
          if (parsed.kind !== 'expression') throw new Error('not parsed');
          const tried = searchByBacktracking(parsed.expression, one, { left: 100_000 });
          if (tried !== 'gave_up') expect(tried).toBe(expected);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('set operations are those of sets, and members are members', () => {
    fc.assert(
      fc.property(source, source, fc.array(text, { maxLength: 8 }), (first, second, texts) => {
        const [a, b] = [compilePattern(first, plenty()), compilePattern(second, plenty())];
        if (a.kind !== 'language' || b.kind !== 'language') return;
        const both = known(intersect(a.language, b.language, plenty()));
        const either = known(unite(a.language, b.language, plenty()));
        const rest = known(subtract(a.language, b.language, plenty()));
        for (const one of texts) {
          const [inA, inB] = [accepts(a.language, one), accepts(b.language, one)];
          expect(accepts(both, one)).toBe(inA && inB);
          expect(accepts(either, one)).toBe(inA || inB);
          expect(accepts(rest, one)).toBe(inA && !inB);
        }
        expect(isSubset(a.language, b.language, plenty())).toBe(isEmpty(rest));
        expect(areDisjoint(a.language, b.language, plenty())).toBe(isEmpty(both));
        const member = findMember(rest, plenty());
        if (member === null) expect(isEmpty(rest)).toBe(true);
        else if (member !== 'too_large' && member.isWellFormed()) {
          expect(new RegExp(first, 'u').test(member)).toBe(true);
          expect(new RegExp(second, 'u').test(member)).toBe(false);
        }
        for (const one of listMembers(rest, 5, plenty())) expect(accepts(rest, one)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
