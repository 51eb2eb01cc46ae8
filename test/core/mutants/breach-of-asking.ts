// Whom a change asks, asked of consumers with every answer. The expected rule is written out here a
// second time, case by case.

import type { askingOf, coversNeeds, verdictOn } from '../../../src/core/decide/asking.ts';
import type { Consumer } from '../../../src/core/registration.ts';

export interface AskingRule {
  readonly askingOf: typeof askingOf;
  readonly coversNeeds: typeof coversNeeds;
  readonly verdictOn: typeof verdictOn;
}

function consumer(needDigest: string | null, foundDigest: string | null = null): Consumer {
  const found = foundDigest === null ? '' : ` and ${foundDigest} was found`;
  const name = `${needDigest ?? 'reads everything'}${found}`;
  return {
    ...{ teamId: name, teamName: name, registrationId: name },
    ...{
      contractId: 'contract',
      contractVersion: '1.0.0',
      needDigest,
      foundDigest,
      isLeaving: false,
    },
  };
}

const everybody = [
  ...[null, 'safe', 'broken', 'unsure', 'unknown'].map((each) => consumer(each)),
  ...[consumer('safe', 'safe'), consumer('safe', 'broken'), consumer('safe', 'unknown')],
  ...[consumer('broken', 'safe'), consumer(null, 'safe')],
  ...[consumer(null, 'broken'), consumer(null, 'unknown')],
];
const verdicts = {
  safe: { verdict: 'unaffected' as const },
  broken: { verdict: 'breaks' as const, path: '$.total' },
  unsure: { verdict: 'may_break' as const },
};

const terms = { compatibilityMode: 'backward' as const, direction: 'data' as const };
const breaking = { changes: [], isBreaking: true };
const relaxed = {
  ...breaking,
  changes: [{ type: 'compatibility_mode_relaxed', path: '$', description: '', breaking: true }],
} as const;

const withNeeds = [
  ...['broken', 'unsure', 'unknown', 'safe and broken was found'],
  ...['safe and unknown was found', 'broken and safe was found'],
];
const onlyFound = ['broken', 'unknown'].map((each) => `reads everything and ${each} was found`);
const stated = [...withNeeds, ...onlyFound];
const affected = [
  ...['reads everything', ...withNeeds],
  ...['reads everything and safe was found', ...onlyFound],
];
const all = everybody.map(({ teamId }) => teamId);

const modes = ['narrow', 'protect', 'ignore'] as const;
type Mode = (typeof modes)[number];
type Change = Parameters<typeof askingOf>[2];

const cases: readonly (readonly [Change, Readonly<Record<Mode, readonly string[] | null>>])[] = [
  // Null: it does not wait for anybody.
  [
    { base: terms, terms, comparison: { changes: [], isBreaking: false }, verdicts },
    { narrow: null, protect: stated, ignore: null },
  ],
  [
    { base: terms, terms, comparison: breaking, verdicts },
    { narrow: affected, protect: affected, ignore: all },
  ],
  [
    {
      ...{ terms, comparison: breaking, verdicts },
      base: { ...terms, compatibilityMode: 'full' },
    },
    { narrow: all, protect: all, ignore: all },
  ],
  [
    { base: terms, terms, comparison: relaxed, verdicts },
    { narrow: all, protect: all, ignore: all },
  ],
  [
    {
      ...{ base: terms, comparison: breaking, verdicts },
      terms: { ...terms, direction: 'request' },
    },
    { narrow: all, protect: all, ignore: all },
  ],
];

/** What is wrong with a rule; null if nothing is. */
export function breachOfAsking(rule: AskingRule): string | null {
  const { askingOf: ask, coversNeeds: covers, verdictOn: verdict } = rule;
  for (const [index, [change, expected]] of cases.entries()) {
    for (const mode of modes) {
      const asking = ask(everybody, mode, change);
      const names = asking.asked.map(({ teamId }) => teamId);
      const wanted = expected[mode];
      const place = `case ${index}, ${mode}`;
      if (asking.isProposed !== (wanted !== null)) return `${place}: it waits, or does not`;
      if (String(names) !== String(wanted ?? stated)) return `${place}: ${names}`;
      if (names.length + asking.excused.length !== everybody.length) return `${place}: lost one`;
    }
  }
  const [change] = cases[1] ?? [];
  if (change === undefined) return 'no case';
  if (!ask([], 'narrow', change).isProposed) return 'a break without consumers is no proposal';
  if (ask([consumer('safe')], 'narrow', change).isProposed) return 'all are excused, and it waits';
  if (covers([consumer('safe', 'unknown')], verdicts)) return 'what was found is not asked about';
  if (covers([consumer('unknown')], verdicts)) return 'a need without a verdict is covered';
  if (!covers([consumer('safe'), consumer(null)], verdicts)) return 'a verdict is not seen';
  if (covers([consumer(null, 'unknown')], verdicts)) return 'only found, and not asked about';
  if (verdict(consumer(null, 'safe'), verdicts) !== null) return 'found, and shown unaffected';
  if (verdict(consumer(null, 'broken'), verdicts) === null) return 'found, and not shown';
  return null;
}
