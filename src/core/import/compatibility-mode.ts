// The compatibility mode that a file names, in any case of its letters.

import type { CompatibilityMode } from '../diff/diff.types.ts';
import type { Json } from '../json.ts';
import { type ImportProblem, itemProblem } from './candidate.ts';

const modes: readonly CompatibilityMode[] = ['backward', 'forward', 'full', 'none'];

/** @example readMode('Full') // 'full' */
export function readMode(value: Json): CompatibilityMode | undefined {
  return modes.find((mode) => mode === String(value).trim().toLowerCase());
}

/** Under another mode than the one that is meant nothing is published. */
export function unknownMode(value: Json, place: string): ImportProblem {
  const message = `${JSON.stringify(value)} is no compatibility mode: say ${modes.join(', ')}. Its contract stays as it is.`;
  return itemProblem('UNREADABLE_ITEM', message, place);
}
