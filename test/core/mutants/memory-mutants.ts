// Engines that forget one of their limits in memory. Each answers as before, until a pattern of a few
// characters takes all the memory that there is: the question that finds it stands beside it.

import { patterns } from '../containment/support/hostile-patterns.ts';
import type { Mutant } from './mutants.ts';

interface MemoryMutant extends Mutant {
  /** One of the worst patterns, of texts and of keys. */
  readonly pattern: string;
}

export const memoryMutants: readonly MemoryMutant[] = [
  {
    family: 'memory: the graph of an expression is as large as it is written',
    file: 'schema/patterns/nfa.ts',
    from: "if (build.nodes.length >= maxNfaNodes) build.failure ??= 'too_large';",
    to: "if (build.nodes.length < 0) build.failure ??= 'too_large';",
    pattern: patternLike('{1,50}){1,50}'),
  },
  {
    family: 'memory: the moves of a state cost nothing',
    file: 'schema/patterns/next-states.ts',
    from: 'steps.left -= stepsOfNumbers(out.length) + (classes.count >> 3);',
    to: '',
    pattern: patternLike('{1,60000}'),
  },
];

function patternLike(part: string): string {
  const found = patterns.find((pattern) => pattern.includes(part));
  if (found === undefined) throw new Error(`No hostile pattern holds ${part}`);
  return found;
}
