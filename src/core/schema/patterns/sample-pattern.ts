// Makes texts that match a pattern directly from its expression. This is cheap, even if the
// automaton would be too large or does not exist.

import type { Expression } from './expression.ts';
import { parseExpression } from './expression.ts';
import { readableChar } from './members.ts';
import { matchPattern } from './pattern.ts';
import type { Steps } from './steps.ts';

/** A longer text would help nobody. */
const maxSampleLength = 2_000;
/** The number of alternatives that are tried. */
const maxWays = 4;

/**
 * A few matching texts, each verified; empty if none is found easily.
 *
 * @example samplesOfPattern('^(a+)b\\1$', { left: 1000 }) // ['aba']
 */
export function samplesOfPattern(source: string, steps: Steps): readonly string[] {
  steps.left -= source.length;
  const parsed = parseExpression(source);
  if (steps.left < 0 || parsed.kind !== 'expression') return [];
  const texts = new Set<string>();
  for (let way = 0; way < maxWays; way++) {
    const text = spell({ way, captures: new Map() }, parsed.expression);
    if (text === null || texts.has(text)) continue;
    steps.left -= text.length + 1;
    if (matchPattern(source, text, steps) === true) texts.add(text);
  }
  return [...texts];
}

interface Spelling {
  /** Selects the branch of each choice, and the end of each set. */
  readonly way: number;
  readonly captures: Map<number, string>;
}

function spell(spelling: Spelling, expression: Expression): string | null {
  switch (expression.kind) {
    case 'set':
      return spellChar(spelling, expression.set);
    case 'sequence':
      return spellAll(spelling, expression.items);
    case 'choice': {
      const branch = expression.items[spelling.way % expression.items.length];
      return branch === undefined ? null : spell(spelling, branch);
    }
    case 'repeat': {
      const text = expression.min === 0 ? '' : spell(spelling, expression.item);
      if (text === null || text.length * expression.min > maxSampleLength) return null;
      return text.repeat(expression.min);
    }
    case 'capture': {
      const text = spell(spelling, expression.item);
      if (text !== null) spelling.captures.set(expression.index, text);
      return text;
    }
    case 'backreference':
      return spelling.captures.get(expression.index) ?? '';
    case 'start':
    case 'end':
    case 'boundary':
    case 'look':
      return '';
    default:
      return expression satisfies never;
  }
}

function spellAll(spelling: Spelling, items: readonly Expression[]): string | null {
  const parts: string[] = [];
  for (const item of items) {
    const part = spell(spelling, item);
    if (part === null) return null;
    parts.push(part);
  }
  const text = parts.join('');
  return text.length > maxSampleLength ? null : text;
}

function spellChar({ way }: Spelling, set: readonly number[]): string | null {
  let best = { code: -1, rank: Number.POSITIVE_INFINITY };
  for (let i = 0; i + 1 < set.length; i += 2) {
    const [low = 0, high = 0] = [set[i], set[i + 1]];
    const char = readableChar(low, high);
    // Every second variant takes another character of the same kind, if there is one.
    const code = way % 2 === 1 && char.code < high ? char.code + 1 : char.code;
    if (char.rank < best.rank) best = { code, rank: char.rank };
  }
  return best.code < 0 ? null : String.fromCodePoint(best.code);
}
