// What a change does to one consumer, by what it has said that it reads.

import { valueText } from '../../core/diff/change-text.ts';
import { parseField } from '../../core/needs/field-path.ts';
import type { ValuePlaceStep } from '../../core/schema/value-place.ts';
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

/** What breaks, with a value that shows it, or why nothing is proven. */
export function HitReason({ hit }: { readonly hit: Omit<Hit, 'verdict'> }) {
  const { path, witness, reason } = hit;
  if (path === undefined && witness === undefined)
    return reason === undefined ? null : ` ${reason}`;
  return (
    <>
      {path !== undefined && (
        <>
          {words.needs.field} <code>{path}</code>
        </>
      )}
      {witness !== undefined && (
        <>
          {words.needs.value} <code>{valueText(witness as Json, markOfField(path))}</code>
        </>
      )}
    </>
  );
}

/** Where a field is in a value, to highlight it there. */
export function markOfField(path: string | undefined): readonly ValuePlaceStep[] {
  const steps = path === undefined ? null : parseField(path);
  return (steps ?? []).map((step) => (typeof step === 'string' ? null : step.key));
}
