// An action on one row of a table, with a visible label and a longer one for screen readers.

import type { ButtonHTMLAttributes } from 'react';

export function RowAction({
  label,
  of,
  isDangerous = false,
  ...rest
}: {
  readonly label: string;
  /** The name of the row's object, because the label is the same in every row. */
  readonly of: string;
  readonly isDangerous?: boolean;
} & Pick<ButtonHTMLAttributes<HTMLButtonElement>, 'onClick' | 'aria-expanded'>) {
  return (
    <button
      type="button"
      className={isDangerous ? 'link-button link-button-bad' : 'link-button'}
      {...rest}
    >
      {label}
      <span className="hidden"> {of}</span>
    </button>
  );
}
