// The search over the fields of an asset, with what it found and what can be done beside it.

import type { ReactNode } from 'react';
import { TextField } from '../../parts/form/form.tsx';
import { words } from '../../words.ts';

export function FieldSearch({
  search,
  onSearch,
  found,
  children,
}: {
  readonly search: string;
  readonly onSearch: (text: string) => void;
  /** How many there are; null if no field matches. */
  readonly found: string | null;
  readonly children: ReactNode;
}) {
  return (
    <div className="matrix-tools">
      <TextField
        label={words.readers.search}
        type="search"
        value={search}
        onText={onSearch}
        spellCheck={false}
      />
      <p className="muted" role="status">
        {found ?? words.readers.noMatch}
      </p>
      {children}
    </div>
  );
}
