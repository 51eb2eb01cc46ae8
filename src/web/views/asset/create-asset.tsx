// Creates an asset: its name, its owner, its environment.

import { useState } from 'react';
import { useAct, useAnswer } from '../../data/use-answer.ts';
import { Dialog, TextField } from '../../parts/form/form.tsx';
import { onlyOf, TeamSelect } from '../../parts/form/team-select.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { navigate } from '../../router.tsx';
import { useActsFor, useTeamChoice } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

export function CreateAsset({ onClose }: { readonly onClose: () => void }) {
  const act = useAct();
  const actsFor = useActsFor();
  const { teamId } = useTeamChoice();
  const teams = useAnswer('listTeams', { query: { page_size: 100, sort: 'name' } });
  const mine = teams.kind === 'ready' ? teams.body.results.filter(({ id }) => actsFor(id)) : [];
  const [fqn, setFqn] = useState('');
  const [owner, setOwner] = useState(teamId ?? '');
  const [environment, setEnvironment] = useState('production');
  const [description, setDescription] = useState('');
  const chosen = owner === '' ? onlyOf(mine) : owner;
  const create = async () => {
    const body = {
      fqn: fqn.trim(),
      owner_team_id: chosen,
      environment,
      ...(description !== '' && { metadata: { description } }),
    };
    const created = await act.run('createAsset', { body }, words.assets.created(body.fqn));
    if (created !== null) navigate(paths.asset(created.id));
  };
  return (
    <Dialog
      title={words.assets.create}
      confirm={words.assets.createButton}
      isRunning={act.isRunning}
      onConfirm={create}
      onClose={onClose}
    >
      <TextField
        label={words.assets.fqn}
        hint={words.assets.fqnHint}
        required
        maxLength={1000}
        spellCheck={false}
        autoCapitalize="none"
        value={fqn}
        onText={setFqn}
      />
      <TeamSelect
        label={words.assets.owner}
        value={chosen}
        required
        onTeam={setOwner}
        before={chosen === '' ? [{ value: '', label: words.teams.choose }] : []}
        isOffered={({ id }) => actsFor(id)}
      />
      <TextField
        label={words.assets.environment}
        required
        maxLength={100}
        value={environment}
        onText={setEnvironment}
      />
      <TextField label={words.assets.description} value={description} onText={setDescription} />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}
