// Broken compilers of checks: each counts rows that are right, or passes rows that are wrong.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source code.

import type { Mutant } from './mutants.ts';

const column = 'checks/sql/compile-column.ts';
const condition = 'checks/sql/condition.ts';
const dialect = 'checks/sql/dialect.ts';
const pattern = 'checks/sql/portable-pattern.ts';
const plan = 'checks/sql/plan-check.ts';

export const checkMutants: readonly Mutant[] = [
  {
    family: 'checks: null is always accepted',
    file: column,
    from: "acceptsNull: ofNull === 'accepted',",
    to: 'acceptsNull: true,',
  },
  {
    family: 'checks: a rule fails for null',
    file: plan,
    from: 'return condition === false ? isStated : `${isStated} AND ${textOf(not(condition))}`;',
    to: 'return condition === false ? `TRUE` : `NOT coalesce(${textOf(condition)}, FALSE)`;',
  },
  {
    family: 'checks: an exclusive bound is inclusive',
    file: column,
    from: "'>': () => addRationals(lastMultipleUpTo(number, step), step),",
    to: "'>': () => firstMultipleFrom(number, step),",
  },
  {
    family: 'checks: a bound is rounded up',
    file: column,
    from: "'<=': () => lastMultipleUpTo(number, step),",
    to: "'<=': () => firstMultipleFrom(number, step),",
  },
  {
    family: 'checks: NaN passes as a number',
    file: column,
    from: ": [{ rule: 'type', message, condition: sql(finite) }, ...guarded];",
    to: ': guarded;',
  },
  {
    family: 'checks: a number that no double is written as equals the nearest one',
    file: column,
    from: "areEqualRationals(shortest, number) ? cast(text, sqlType) : 'never';",
    to: 'cast(text, sqlType);',
  },
  {
    family: 'checks: oneOf is anyOf',
    file: column,
    from: "['oneOf', oneOf],",
    to: "['oneOf', anyOf],",
  },
  {
    family: 'checks: not is lost',
    file: condition,
    from: "return typeof condition === 'boolean' ? !condition : sql(`NOT ${textOf(condition)}`);",
    to: "return typeof condition === 'boolean' ? !condition : condition;",
  },
  {
    family: 'checks: lengths are counted in bytes',
    file: dialect,
    from: 'length: (text) => `length(${text})`,',
    to: 'length: (text) => `strlen(${text})`,',
  },
  {
    family: 'checks: every remainder is exact',
    file: column,
    from: 'if (areEqualRationals(both, type.step)) return true;',
    to: 'return true;',
  },
  {
    family: 'checks: a number of a type without fractions is whole',
    file: column,
    from: 'return sql(`${x} = floor(${x})`);',
    to: 'return true;',
  },
  {
    family: 'checks: a pattern must match the whole text',
    file: dialect,
    from: 'matches: (text, pattern) => `regexp_matches(${text}, ${quoteText(pattern)})`,',
    to: 'matches: (text, pattern) => `regexp_full_match(${text}, ${quoteText(pattern)})`,',
  },
  {
    family: 'checks: the end of a pattern is not kept',
    file: pattern,
    from: "return '$';",
    to: "return '';",
  },
];
