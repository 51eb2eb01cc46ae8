// Broken rules of whom a change asks: each excuses a consumer that must be asked, or asks too many.

import type { Mutant } from './mutants.ts';

const file = 'decide/asking.ts';

export const askingMutants: readonly Mutant[] = [
  {
    family: 'asking: a need without a verdict is excused',
    file,
    from: "some((digest) => verdicts[digest]?.verdict !== 'unaffected')",
    to: "some((digest) => (verdicts[digest]?.verdict ?? 'unaffected') !== 'unaffected')",
  },
  {
    family: 'asking: what is undecided is excused',
    file,
    from: "some((digest) => verdicts[digest]?.verdict !== 'unaffected')",
    to: "some((digest) => verdicts[digest]?.verdict === 'breaks')",
  },
  {
    family: 'asking: what was found asks nobody',
    file,
    from: '[needDigest, foundDigest].filter((each) => each !== null)',
    to: '[needDigest]',
  },
  {
    family: 'asking: what was found excuses a consumer without a need',
    file,
    from: "if (asks === 'affected' && consumer.needDigest === null) return true;",
    to: "if (asks === 'affected' && digestsOf(consumer).length === 0) return true;",
  },
  {
    family: 'asking: what was found has no verdict yet, and the need excuses',
    file,
    from: 'digestsOf(consumer).some(',
    to: 'digestsOf(consumer).slice(0, 1).some(',
  },
  {
    family: 'asking: what was found asks about a compatible change only beside a need',
    file,
    from: '[needDigest, foundDigest].filter((each) => each !== null)',
    to: '[needDigest, needDigest && foundDigest].filter((each) => each !== null)',
  },
  {
    family: 'asking: what was found says that a consumer without a need is unaffected',
    file,
    from: 'const isUnknown = consumer.needDigest === null || ',
    to: 'const isUnknown = ',
  },
  {
    family: 'asking: a consumer without a need is excused',
    file,
    from: "if (asks === 'affected' && consumer.needDigest === null) return true;",
    to: '',
  },
  {
    family: 'asking: a consumer without a need is asked about a compatible change',
    file,
    from: "if (asks === 'affected' && consumer.needDigest === null) return true;",
    to: 'if (consumer.needDigest === null) return true;',
  },
  {
    family: 'asking: needs count in a question for all',
    file,
    from: "if (asks === 'all') return true;",
    to: '',
  },
  {
    family: 'asking: mode full goes by needs',
    file,
    from: "base?.compatibilityMode === 'full' ||",
    to: '',
  },
  {
    family: 'asking: a relaxed mode goes by needs',
    file,
    from: "comparison.changes.some(({ type }) => type === 'compatibility_mode_relaxed');",
    to: 'false;',
  },
  {
    family: 'asking: another direction goes by needs',
    file,
    from: 'base?.direction !== terms?.direction ||',
    to: '',
  },
  {
    family: 'asking: ignore goes by needs',
    file,
    from: 'breaking: { narrow: affected, protect: affected, ignore: all },',
    to: 'breaking: { narrow: affected, protect: affected, ignore: affected },',
  },
  {
    family: 'asking: protect does not wait',
    file,
    from: "protect: { asks: 'stated', waits: true },",
    to: "protect: { asks: 'stated', waits: false },",
  },
  {
    family: 'asking: nobody is asked where there are no consumers',
    file,
    from: 'isProposed: waits && (asked.length > 0 || hasNoConsumers),',
    to: 'isProposed: waits && asked.length > 0,',
  },
  {
    family: 'asking: a need that was stated meanwhile is not looked at',
    file,
    from: '.every((digest) => Object.hasOwn(verdicts, digest))',
    to: '.every(() => true)',
  },
];
