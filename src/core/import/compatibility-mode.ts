// Reads the compatibility mode that a file names, ignoring case.

import type { CompatibilityMode } from '../comparison.ts';
import type { Json } from '../value/json.ts';
import { type ImportProblem, itemProblem } from './candidate.ts';

const modes: readonly CompatibilityMode[] = ['backward', 'forward', 'full', 'none'];

export interface StatedMode {
  readonly compatibilityMode?: CompatibilityMode;
  /** The file names a mode that does not exist, so nothing is published under another one. */
  readonly hasUnknownMode: boolean;
}

/**
 * `item` is the place of all that is not published under an unknown mode.
 *
 * @example readMode('Full', '$.meta', [], '$') // { compatibilityMode: 'full', hasUnknownMode: false }
 */
export function readMode(
  value: Json | undefined,
  place: string,
  problems: ImportProblem[],
  item: string,
): StatedMode {
  if (value === undefined || value === null) return { hasUnknownMode: false };
  const mode = modes.find((known) => known === String(value).trim().toLowerCase());
  if (mode !== undefined) return { compatibilityMode: mode, hasUnknownMode: false };
  const message = `${JSON.stringify(value)} is not a compatibility mode. Use ${modes.join(', ')}. The contract was not changed.`;
  problems.push({ ...itemProblem('UNREADABLE_ITEM', message, place), item: [item] });
  return { hasUnknownMode: true };
}
