// Every example of docs/compatibility.md is run.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type {
  Bump,
  CompatibilityMode,
  ContractTerms,
  Direction,
  GuaranteeMode,
  Guarantees,
} from '../../../src/core/comparison.ts';
import { compare } from '../../../src/core/diff/compare.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { told } from './support/terms.ts';

interface Example {
  readonly mode: CompatibilityMode;
  readonly direction?: Direction;
  readonly guarantee_mode?: GuaranteeMode;
  /** For both sides, where only the guarantees differ. */
  readonly schema?: Json;
  readonly old?: Json;
  readonly new?: Json;
  readonly old_guarantees?: Guarantees | null;
  readonly new_guarantees?: Guarantees | null;
  readonly says: readonly string[];
  readonly next: Bump;
}

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/compatibility.md'), 'utf8');
const examples = [...page.matchAll(/```yaml example\n([\s\S]*?)```/g)].map((match) => ({
  line: page.slice(0, match.index).split('\n').length,
  example: parse(match[1] ?? '') as Example,
}));

describe('docs/compatibility.md', () => {
  test('has examples', () => {
    expect(examples.length).toBeGreaterThan(15);
  });

  test.each(examples)('the example at line $line', ({ example }) => {
    const { mode, direction = 'data', guarantee_mode: guaranteeMode } = example;
    const terms = (
      schema: Json | undefined,
      guarantees: Guarantees | null | undefined,
    ): ContractTerms => ({
      schema: schema ?? example.schema ?? true,
      compatibilityMode: mode,
      guarantees: guarantees ?? null,
      direction,
    });
    const comparison = compare(
      terms(example.old, example.old_guarantees),
      terms(example.new, example.new_guarantees),
      guaranteeMode === undefined ? {} : { guaranteeMode },
    );
    expect({ says: told(comparison), next: comparison.bump }).toEqual({
      says: example.says,
      next: example.next,
    });
  });
});
