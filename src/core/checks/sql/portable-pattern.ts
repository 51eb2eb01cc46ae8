// A pattern as the regular expressions of a source write it.

import type { CharSet } from '../../schema/patterns/char-set.ts';
import { rangesOf } from '../../schema/patterns/char-set.ts';
import { type Expression, parseExpression } from '../../schema/patterns/expression.ts';
import type { SqlDialect } from './dialect.ts';

type Words = Pick<SqlDialect, 'character' | 'maxRepeats' | 'holdsNul'>;

/**
 * Null for what the source's engine cannot say, or might say differently: what looks around or
 * back, and long repetitions.
 *
 * @example portablePattern('^a+$', dialect) // '^(?:[a])+$'
 */
export function portablePattern(source: string, dialect: Words): string | null {
  const parsed = parseExpression(source);
  if (parsed.kind !== 'expression' || isTooLarge(parsed.expression)) return null;
  return textOf(parsed.expression, dialect);
}

/** Engines refuse patterns whose repetitions multiply to more, or that have more ranges once repeated. */
const maxRepeated = 1_000;
const maxSize = 200_000;

function isTooLarge(expression: Expression): boolean {
  const { repeated, size } = extentOf(expression);
  return repeated > maxRepeated || size > maxSize;
}

interface Extent {
  /** How often the innermost item may be repeated by counts. */
  readonly repeated: number;
  readonly size: number;
}

function extentOf(expression: Expression): Extent {
  switch (expression.kind) {
    case 'set':
      return { repeated: 1, size: rangesOf(expression.set).length };
    case 'capture':
      return extentOf(expression.item);
    case 'sequence':
    case 'choice': {
      const extents = expression.items.map(extentOf);
      return {
        repeated: Math.max(1, ...extents.map(({ repeated }) => repeated)),
        size: extents.reduce((sum, { size }) => sum + size, 0),
      };
    }
    case 'repeat': {
      const { min, max } = expression;
      const { repeated, size } = extentOf(expression.item);
      const times = Math.max(max === Number.POSITIVE_INFINITY ? min : max, 1);
      return { repeated: repeated * times, size: size * times };
    }
    default:
      return { repeated: 1, size: 1 };
  }
}

/** Longer ones take the engines of sources much time to compile. */
const maxRanges = 1_000;

function textOf(expression: Expression, words: Words): string | null {
  switch (expression.kind) {
    case 'set':
      return classOf(expression.set, words);
    case 'start':
      return '^';
    case 'end':
      return '$';
    case 'capture':
      return textOf(expression.item, words);
    case 'sequence':
      return joined(expression.items, words, '');
    case 'choice':
      return grouped(joined(expression.items, words, '|'));
    case 'repeat': {
      const { item, min, max } = expression;
      if (isEmptyAnywhere(item)) return null;
      if (min > words.maxRepeats || (max !== Number.POSITIVE_INFINITY && max > words.maxRepeats))
        return null;
      const times = max === Number.POSITIVE_INFINITY ? `{${min},}` : `{${min},${max}}`;
      const inner = grouped(textOf(item, words));
      return inner === null ? null : `${inner}${times}`;
    }
    default:
      return null;
  }
}

function joined(items: readonly Expression[], words: Words, between: string): string | null {
  const texts = items.map((item) => textOf(item, words));
  // An empty text, or an empty alternative, is written differently in each engine.
  if (between !== '' && texts.includes('')) return null;
  return texts.includes(null) ? null : texts.join(between);
}

function grouped(text: string | null): string | null {
  return text === null || text === '' ? null : `(?:${text})`;
}

/** An assertion cannot be repeated in every engine. */
function isEmptyAnywhere(item: Expression): boolean {
  switch (item.kind) {
    case 'set':
      return false;
    case 'capture':
      return isEmptyAnywhere(item.item);
    case 'sequence':
    case 'choice':
      return item.items.length === 0 || item.items.some((each) => isEmptyAnywhere(each));
    case 'repeat':
      return isEmptyAnywhere(item.item);
    default:
      return true;
  }
}

const surrogates = [0xd800, 0xdfff] as const;

/** Leaves out half surrogate pairs, because no text of a source contains one. */
function classOf(set: CharSet, words: Words): string | null {
  const ranges = rangesOf(set).flatMap(([low, high]) => [
    [Math.max(low, words.holdsNul ? 0 : 1), Math.min(high, surrogates[0] - 1)] as const,
    [Math.max(low, surrogates[1] + 1), high] as const,
  ]);
  const real = ranges.filter(([low, high]) => low <= high);
  if (real.length === 0 || real.length > maxRanges) return null;
  const parts = real.map(([low, high]) =>
    low === high ? words.character(low) : `${words.character(low)}-${words.character(high)}`,
  );
  return `[${parts.join('')}]`;
}
