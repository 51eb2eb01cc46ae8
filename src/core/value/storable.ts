// Texts that JSON can write, and many programs cannot read or store: NUL, and half of a surrogate pair.

import type { Json } from './json.ts';

/** In the text of a JSON; also finds a backslash before such a word. */
export const unstorableText = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * A value that nobody can send or store shows nothing, and Postgres refuses what it is a part of.
 *
 * @example withStorableWitness({ verdict: 'breaks', witness: '\ud83d' }) // { verdict: 'breaks' }
 */
export function withStorableWitness<Told extends { readonly witness?: Json }>(told: Told): Told {
  if (told.witness === undefined || !unstorableText.test(JSON.stringify(told.witness))) return told;
  const { witness: _, ...rest } = told;
  return rest as Told;
}
