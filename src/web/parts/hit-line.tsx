// What a change does to one consumer, by what it has said that it reads.

import { valueText } from '../../core/diff/change-text.ts';
import type { Json } from '../../core/value/json.ts';
import type { Impact } from '../data/shapes.ts';
import { words } from '../words.ts';

type Hit = Pick<Impact['consumers'][number], 'verdict' | 'path' | 'witness' | 'reason'>;

export function HitLine({ hit }: { readonly hit: Hit }) {
  const { verdict, path, witness, reason } = hit;
  const shown = path ?? (witness === undefined ? undefined : valueText(witness as Json, []));
  return (
    <p className="muted">
      {words.needs.verdicts[verdict]}
      {shown !== undefined && (
        <>
          {path === undefined ? words.needs.value : words.needs.field} <code>{shown}</code>
        </>
      )}
      {shown === undefined && reason !== undefined && ` ${reason}`}
    </p>
  );
}
