// Dark or light: matches the system, unless the user chooses.

import { useState } from 'react';
import { words } from '../../words.ts';
import { SelectField } from './form.tsx';

const store = 'concordat.theme';

export function applyTheme(): void {
  const theme = localStorage.getItem(store);
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

export function ThemeField() {
  const [theme, setTheme] = useState(() => localStorage.getItem(store) ?? '');
  const choose = (next: string) => {
    if (next === '') localStorage.removeItem(store);
    else localStorage.setItem(store, next);
    setTheme(next);
    applyTheme();
  };
  return (
    <SelectField
      label={words.theme.label}
      value={theme}
      onText={choose}
      options={[
        { value: '', label: words.theme.system },
        { value: 'light', label: words.theme.light },
        { value: 'dark', label: words.theme.dark },
      ]}
    />
  );
}
