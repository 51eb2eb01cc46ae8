import { describe, expect, test } from 'vitest';
import { reportOf } from '../../../scripts/rules-page.ts';
import { changeRules } from '../../../src/core/diff/change-rules.ts';

/** Those that one schema beside another cannot show. */
const withoutExample =
  /^(compatibility_|contract_|asset_|guarantee_mode|needs_mode|removed$|(freshness|volume|nullability|accepted_values|custom)_)/;

describe('The rule of', () => {
  test.each([...changeRules])('%s has an example that is reported as this type', (type, rule) => {
    if (withoutExample.test(type)) return expect(rule.example).toBeUndefined();
    const { example } = rule;
    if (example === undefined) throw new Error(`${type} has no example.`);
    expect(reportOf(example).map((change) => change.type)).toContain(type);
  });

  test.each([...changeRules])('%s says what to do if it can break', (_, { breaks, instead }) => {
    const isHarmless = /^(Never|Only under full)/.test(breaks);
    expect(instead === undefined).toBe(isHarmless && instead === undefined);
    if (!isHarmless) expect(instead).toMatch(/\.$/);
  });
});
