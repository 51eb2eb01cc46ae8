// docs/rules.md: the rules of reports, each with an example and what is reported of it.

import type { Change } from '../src/core/comparison.ts';
import { type ChangeRule, changeRules, type RuleExample } from '../src/core/diff/change-rules.ts';
import { compare } from '../src/core/diff/compare.ts';
import type { Json } from '../src/core/value/json.ts';

export function ruleLines(): readonly string[] {
  return [...changeRules].flatMap(([type, rule]) => [`## ${type}`, '', ...oneRule(type, rule)]);
}

function oneRule(type: string, { means, breaks, instead, example }: ChangeRule): readonly string[] {
  return [
    means,
    '',
    `**Breaks:** ${breaks}`,
    '',
    ...(instead === undefined ? [] : [`**Instead:** ${instead}`, '']),
    ...(example === undefined ? [] : exampleLines(type, example)),
  ];
}

function exampleLines(type: string, example: RuleExample): readonly string[] {
  const { mode = 'backward', direction = 'data' } = example;
  const of = direction === 'data' ? '' : `, of a ${direction}`;
  const told = reportOf(example).find((change) => change.type === type);
  return [
    `Under ${mode}${of}:`,
    '',
    '```text',
    `old: ${JSON.stringify(example.old)}`,
    `new: ${JSON.stringify(example.new)}`,
    `${told?.breaking ? 'breaks' : 'compatible'}: ${told?.description}`,
    '```',
    '',
  ];
}

/** What is reported of the example of a rule. */
export function reportOf({ old, new: next, mode, direction }: RuleExample): readonly Change[] {
  const terms = (schema: Json) =>
    ({
      ...{ schema, compatibilityMode: mode ?? 'backward', guarantees: null },
      direction: direction ?? 'data',
    }) as const;
  return compare(terms(old), terms(next)).changes;
}
