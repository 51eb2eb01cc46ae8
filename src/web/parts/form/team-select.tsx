// Selects a team. Up to a hundred are listed; with more, typing part of a name finds the matching
// ones.

import { useState } from 'react';
import { allTeams, listedTeams } from '../../data/first-questions.ts';
import type { Team } from '../../data/shapes.ts';
import { useAnswer, useSettled } from '../../data/use-answer.ts';
import { words } from '../../words.ts';
import type { Option } from './form.tsx';
import { FoundSelect } from './found-select.tsx';

export function TeamSelect({
  label,
  hint,
  value,
  onTeam,
  before = [],
  isOffered = () => true,
  required = false,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onTeam: (teamId: string) => void;
  /** Choices that are not teams. */
  readonly before?: readonly Option[];
  readonly isOffered?: (team: Team) => boolean;
  /** Whether the form needs a choice that is not empty. */
  readonly required?: boolean;
}) {
  const [text, setText] = useState('');
  const first = useAnswer('listTeams', allTeams);
  const isSearching = text.trim() !== '';
  const { answer } = useSettled(
    useAnswer('listTeams', {
      query: { ...allTeams.query, ...(isSearching && { q: text.trim() }) },
    }),
  );
  const isMany = first.kind === 'ready' && (first.body.total ?? 0) > listedTeams;
  const found = answer.kind === 'ready' ? answer.body.results.filter(isOffered) : [];
  const isElsewhere =
    value !== '' &&
    answer.kind === 'ready' &&
    ![...before.map((option) => option.value), ...found.map(({ id }) => id)].includes(value);
  const chosen = useTeam(isElsewhere ? value : null);
  const options = [
    ...before,
    ...(chosen === null ? [] : [chosen]),
    ...found.map(({ id, name }) => ({ value: id, label: name })),
  ];
  const said = isSearching && found.length === 0 ? words.teams.noMatch : hint;
  return (
    <FoundSelect
      label={label}
      value={value}
      onValue={onTeam}
      options={options}
      required={required}
      {...(said !== undefined && { hint: said })}
      search={isMany ? { label: words.teams.find, text, onText: setText } : null}
    />
  );
}

/** The id of the only team; with several, somebody has to choose one. */
export function onlyOf(teams: readonly Team[]): string {
  return teams.length === 1 ? (teams[0]?.id ?? '') : '';
}

/** The name of a team, also if it is not among the listed ones. */
export function TeamName({ id }: { readonly id: string }) {
  const first = useAnswer('listTeams', allTeams);
  const listed =
    first.kind === 'ready' ? first.body.results.find((team) => team.id === id) : undefined;
  const asked = useTeam(first.kind === 'ready' && listed === undefined ? id : null);
  return listed?.name ?? asked?.label ?? id;
}

function useTeam(id: string | null): Option | null {
  const answer = useAnswer('getTeam', id === null ? null : { params: { team_id: id } });
  if (id === null) return null;
  return { value: id, label: answer.kind === 'ready' ? answer.body.name : id };
}
