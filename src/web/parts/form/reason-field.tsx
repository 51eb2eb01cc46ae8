// Why somebody forces, withdraws, or answers for others: held to the rule that the registry has.

import { isReason } from '../../../core/decide/reason.ts';
import { words } from '../../words.ts';
import { AreaField } from './form.tsx';

export function ReasonField({
  label = words.reason.label,
  reason,
  onText,
}: {
  readonly label?: string;
  readonly reason: string;
  readonly onText: (text: string) => void;
}) {
  return (
    <AreaField
      ref={(area) => area?.setCustomValidity(isReason(reason) ? '' : words.reason.needed)}
      label={label}
      hint={words.reason.hint}
      required
      value={reason}
      onText={onText}
    />
  );
}
