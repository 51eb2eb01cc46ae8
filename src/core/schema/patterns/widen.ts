// Widens a pattern that no automaton can represent until one can: every text that the pattern
// matches also matches the wider one, which may match others.

import { everyChar } from './char-set.ts';
import type { Expression } from './expression.ts';

/** Which lookarounds stay: those without a backreference may, if automata support them. */
type KeptLooks = 'plain_looks' | 'no_looks';

/** @example widen(expressionOf('^(a|b)\\1$'), 'no_looks') // as of ^(a|b)(?:|a|b)$ */
export function widen(expression: Expression, kept: KeptLooks): Expression {
  const captures = new Map<number, Expression>();
  collectCaptures(expression, captures);
  const change = (one: Expression): Expression => {
    switch (one.kind) {
      case 'sequence':
      case 'choice':
        return { ...one, items: one.items.map(change) };
      case 'repeat':
        return { ...one, item: change(one.item) };
      case 'capture':
        return change(one.item);
      case 'backreference': {
        // A group that did not participate is the empty text.
        const captured = captures.get(one.index);
        return choiceOf([nothing, captured === undefined ? anything : textsIn(captured)]);
      }
      case 'look':
        return kept === 'no_looks' || hasBackreference(one.item) ? nothing : one;
      default:
        return one;
    }
  };
  return change(expression);
}

const nothing: Expression = { kind: 'sequence', items: [] };
const anything: Expression = {
  kind: 'repeat',
  item: { kind: 'set', set: everyChar },
  min: 0,
  max: Number.POSITIVE_INFINITY,
  isGreedy: true,
};

function choiceOf(items: readonly Expression[]): Expression {
  return { kind: 'choice', items };
}

function collectCaptures(expression: Expression, captures: Map<number, Expression>): void {
  switch (expression.kind) {
    case 'sequence':
    case 'choice':
      for (const item of expression.items) collectCaptures(item, captures);
      return;
    case 'capture': {
      // Groups with one name share an index, and either may be meant.
      const other = captures.get(expression.index);
      const { item } = expression;
      captures.set(expression.index, other === undefined ? item : choiceOf([other, item]));
      collectCaptures(item, captures);
      return;
    }
    case 'repeat':
    case 'look':
      collectCaptures(expression.item, captures);
      return;
    default:
      return;
  }
}

/**
 * Every text that a group may have captured, without its context, which may be different at the
 * reference.
 */
function textsIn(expression: Expression): Expression {
  switch (expression.kind) {
    case 'set':
      return expression;
    case 'sequence':
    case 'choice':
      return { ...expression, items: expression.items.map(textsIn) };
    case 'repeat':
      return { ...expression, item: textsIn(expression.item) };
    case 'capture':
      return textsIn(expression.item);
    case 'backreference':
      return anything;
    case 'start':
    case 'end':
    case 'boundary':
    case 'look':
      return nothing;
    default:
      return expression satisfies never;
  }
}

function hasBackreference(expression: Expression): boolean {
  switch (expression.kind) {
    case 'sequence':
    case 'choice':
      return expression.items.some(hasBackreference);
    case 'repeat':
    case 'capture':
    case 'look':
      return hasBackreference(expression.item);
    default:
      return expression.kind === 'backreference';
  }
}
