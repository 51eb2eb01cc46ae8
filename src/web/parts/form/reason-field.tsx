// The reason for forcing, withdrawing, or answering for others, checked by the registry's own rule.

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
