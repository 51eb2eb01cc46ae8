// A choice among many things by name: a list, with a search above it if not all of them are listed.

import { words } from '../../words.ts';
import { type Option, SelectField, TextField } from './form.tsx';

export function FoundSelect({
  label,
  hint,
  value,
  onValue,
  options,
  required = false,
  search,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly options: readonly Option[];
  readonly required?: boolean;
  /** Null if everything is listed. */
  readonly search: {
    readonly label: string;
    readonly text: string;
    readonly onText: (text: string) => void;
  } | null;
}) {
  const select = (
    <SelectField
      // The search above it shows the name that both have.
      label={search === null ? label : <span className="hidden">{label}</span>}
      value={value}
      onText={onValue}
      options={options}
      required={required}
      {...(hint !== undefined && { hint })}
    />
  );
  if (search === null) return select;
  return (
    <div className="team-select">
      <TextField
        label={
          <>
            <span className="hidden">{search.label}:</span> {label}
          </>
        }
        type="search"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        placeholder={words.teams.findHint}
        value={search.text}
        onText={search.onText}
      />
      {select}
    </div>
  );
}
