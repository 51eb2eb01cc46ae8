// What a change does to one consumer, by what it has said that it reads.

import { valueText } from '../../core/diff/change-text.ts';
import type { Json } from '../../core/value/json.ts';
import type { Impact } from '../data/shapes.ts';
import { words } from '../words.ts';

type Hit = Pick<Impact['consumers'][number], 'verdict' | 'path' | 'witness' | 'reason'>;

export function HitLine({ hit }: { readonly hit: Hit }) {
  return (
    <p className="muted">
      {words.needs.verdicts[hit.verdict]}
      <HitReason hit={hit} />
    </p>
  );
}

/** What breaks, or why nothing is proven. */
export function HitReason({ hit }: { readonly hit: Hit }) {
  const { path, witness, reason } = hit;
  const shown = path ?? (witness === undefined ? undefined : valueText(witness as Json, []));
  if (shown === undefined) return reason === undefined ? null : ` ${reason}`;
  return (
    <>
      {path === undefined ? words.needs.value : words.needs.field} <code>{shown}</code>
    </>
  );
}
