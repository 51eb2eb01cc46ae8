// Selects a service. With more than a hundred, typing part of a name finds the matching ones.

import { useState } from 'react';
import { allServices, listedTeams } from '../../data/first-questions.ts';
import { useAnswer, useSettled } from '../../data/use-answer.ts';
import { words } from '../../words.ts';
import type { Option } from './form.tsx';
import { FoundSelect } from './found-select.tsx';

export function ServiceSelect({
  label,
  value,
  chosenName,
  onService,
  before,
}: {
  readonly label: string;
  readonly value: string;
  /** The name of the chosen service, which may not be among the first ones. */
  readonly chosenName?: string | undefined;
  readonly onService: (serviceId: string) => void;
  /** The choice of no service. */
  readonly before: Option;
}) {
  const [text, setText] = useState('');
  const first = useAnswer('listServices', allServices);
  const isSearching = text.trim() !== '';
  const { answer } = useSettled(
    useAnswer('listServices', {
      query: { ...allServices.query, ...(isSearching && { q: text.trim() }) },
    }),
  );
  const found = answer.kind === 'ready' ? answer.body.results : [];
  const isElsewhere = value !== '' && !found.some(({ id }) => id === value);
  return (
    <FoundSelect
      label={label}
      value={value}
      onValue={onService}
      options={[
        before,
        ...(isElsewhere ? [{ value, label: chosenName ?? value }] : []),
        ...found.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      {...(isSearching && found.length === 0 && { hint: words.services.noMatch })}
      search={
        first.kind === 'ready' && (first.body.total ?? 0) > listedTeams
          ? { label: words.services.find, text, onText: setText }
          : null
      }
    />
  );
}
