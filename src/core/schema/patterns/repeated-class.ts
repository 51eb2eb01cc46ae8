// Patterns that repeat one class of characters from end to end, as ^.{1,255}$ and ^(?!\s).{1,255}$ do.
// They say which characters a text has, and how many, and an automaton that counts is many times as
// large.

import { parseExpression } from './expression.ts';

interface RepeatedClass {
  /** The pattern with `*` in place of the bounds: `^.*$` for `^.{1,255}$`. */
  readonly source: string;
  /** The least and the most code points. */
  readonly min: number;
  readonly max: number;
}

/** Automata that count no further than this cost less than a second question. */
const cheapCount = 40;

/**
 * The two demands of such a pattern, if it counts far; undefined for any other pattern.
 *
 * @example findRepeatedClass('^[a-z]{1,255}$') // { source: '^[a-z]*$', min: 1, max: 255 }
 */
export function findRepeatedClass(source: string): RepeatedClass | undefined {
  const bounds = /\{\d{2,}(?:,\d*)?\}\??\$$|\{\d+,\d{2,}\}\??\$$/.exec(source);
  if (bounds === null) return undefined;
  const parsed = parseExpression(source);
  if (parsed.kind !== 'expression' || parsed.expression.kind !== 'sequence') return undefined;
  const [start, ...others] = parsed.expression.items;
  const [repeat, end] = others.slice(-2);
  if (start?.kind !== 'start' || end?.kind !== 'end') return undefined;
  // What is looked at before the first character is the same for any number of them.
  if (!others.slice(0, -2).every(({ kind }) => kind === 'look')) return undefined;
  if (repeat?.kind !== 'repeat' || repeat.item.kind !== 'set') return undefined;
  const { min, max } = repeat;
  if (Math.max(min, Number.isFinite(max) ? max : 0) <= cheapCount) return undefined;
  return { source: `${source.slice(0, bounds.index)}*$`, min, max };
}
