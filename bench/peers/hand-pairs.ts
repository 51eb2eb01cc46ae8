// Hand-made pairs with known answers: the tables of the engine's own tests, read as data.

import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Dialect } from '../../src/core/schema/dialects.ts';
import type { Json } from '../../src/core/value/json.ts';
import type { CollectedTable } from './collected-pairs.ts';

export interface HandPair {
  readonly a: Json;
  readonly b: Json;
  readonly dialect: Dialect;
  readonly formats: boolean;
  /** Null if the answer is unknown: the engine may only answer "undecided". */
  readonly expected: 'yes' | 'no' | null;
}

/**
 * Arrays and objects are structural; the others are hard: applicators, patterns, bounds, dialects.
 */
const tables = {
  structural: ['structures'],
  hard: ['applicators', 'scalars', 'dialects'],
} as const;

const folder = join(import.meta.dirname, '../../test/core/containment');

export async function handPairs(kind: keyof typeof tables): Promise<readonly HandPair[]> {
  const stand = pathToFileURL(join(import.meta.dirname, 'collected-pairs.ts')).href;
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'vitest' || specifier === './check-pairs.ts'
        ? { url: stand, shortCircuit: true }
        : next(specifier, context),
  });
  const { collected } = await import('./collected-pairs.ts');
  const before = collected.length;
  for (const name of tables[kind]) await import(join(folder, `${name}.test.ts`));
  hooks.deregister();
  return collected.slice(before).filter(isOpen).flatMap(pairsOf);
}

/** Peers do not distinguish producers. */
function isOpen({ reading }: CollectedTable): boolean {
  return reading.closed !== true;
}

function pairsOf({ rows, reading }: CollectedTable): readonly HandPair[] {
  const { dialect = '2020-12', formats = true } = reading;
  return rows.flatMap(([a, b, forth, back]) => [
    { a, b, dialect, formats, expected: forth === 'undecided' ? null : forth },
    { a: b, b: a, dialect, formats, expected: back === 'undecided' ? null : back },
  ]);
}
