import type {
  Comparison,
  CompatibilityMode,
  ContractTerms,
  Direction,
} from '../../../../src/core/comparison.ts';
import { compare } from '../../../../src/core/diff/compare.ts';
import type { Json } from '../../../../src/core/value/json.ts';

export interface Setting {
  readonly mode?: CompatibilityMode;
  readonly direction?: Direction;
  readonly dialect?: ContractTerms['dialect'];
}

/** Terms that differ in nothing but their schema. */
export function termsOf(schema: Json, setting: Setting = {}): ContractTerms {
  const { mode = 'backward', direction = 'data', dialect } = setting;
  const terms = { schema, compatibilityMode: mode, guarantees: null, direction };
  return dialect === undefined ? terms : { ...terms, dialect };
}

export function between(old: Json, next: Json, setting: Setting = {}): Comparison {
  return compare(termsOf(old, setting), termsOf(next, setting));
}

/** `! type path` for what breaks, `  type path` for the rest. */
export function told(comparison: Comparison): readonly string[] {
  return comparison.changes.map(
    ({ breaking, type, path }) => `${breaking ? '! ' : ''}${type} ${path}`,
  );
}

export function object(
  properties: { readonly [key: string]: Json },
  required: readonly string[] = [],
  more: { readonly [key: string]: Json } = {},
): Json {
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...more,
  };
}

export const modes: readonly CompatibilityMode[] = ['backward', 'forward', 'full', 'none'];
export const directions: readonly Exclude<Direction, 'operation'>[] = [
  'data',
  'request',
  'response',
];
