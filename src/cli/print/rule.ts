// A rule as people read it on a terminal.

import type { ChangeRule } from '../../core/diff/change-rules.ts';

export function ruleText(type: string, { means, breaks, instead, example }: ChangeRule): string {
  return [
    type,
    '',
    means,
    `Breaks: ${breaks}`,
    ...(instead === undefined ? [] : [`Instead: ${instead}`]),
    ...(example === undefined
      ? []
      : [
          '',
          'Example',
          `  old: ${JSON.stringify(example.old)}`,
          `  new: ${JSON.stringify(example.new)}`,
        ]),
    '',
  ].join('\n');
}
