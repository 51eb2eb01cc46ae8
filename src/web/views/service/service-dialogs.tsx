// Creates, changes and deletes services.

import { useState } from 'react';
import type { Service } from '../../data/shapes.ts';
import { useAct, useAnswer } from '../../data/use-answer.ts';
import { AreaField, Dialog, TextField } from '../../parts/form/form.tsx';
import { TeamSelect } from '../../parts/form/team-select.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { navigate } from '../../router.tsx';
import { useActsFor, useTeamChoice } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

interface Draft {
  readonly name: string;
  readonly owner: string;
  readonly repository: string;
  readonly description: string;
}

function ServiceFields({
  draft,
  onDraft,
  isOffered,
}: {
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  readonly isOffered: (team: { readonly id: string }) => boolean;
}) {
  const { services: text } = words;
  return (
    <>
      <TextField
        label={text.name}
        hint={text.nameHint}
        required
        maxLength={100}
        spellCheck={false}
        autoCapitalize="none"
        value={draft.name}
        onText={(name) => onDraft({ ...draft, name })}
      />
      <TeamSelect
        label={text.owner}
        value={draft.owner}
        required
        onTeam={(owner) => onDraft({ ...draft, owner })}
        before={draft.owner === '' ? [{ value: '', label: words.teams.choose }] : []}
        isOffered={isOffered}
      />
      <TextField
        label={text.repository}
        hint={text.repositoryHint}
        maxLength={500}
        spellCheck={false}
        autoCapitalize="none"
        value={draft.repository}
        onText={(repository) => onDraft({ ...draft, repository })}
      />
      <AreaField
        label={text.description}
        maxLength={2000}
        rows={3}
        value={draft.description}
        onText={(description) => onDraft({ ...draft, description })}
      />
    </>
  );
}

export function CreateService({ onClose }: { readonly onClose: () => void }) {
  const act = useAct();
  const actsFor = useActsFor();
  const { teamId } = useTeamChoice();
  const [draft, setDraft] = useState<Draft>({
    ...{ name: '', repository: '', description: '' },
    owner: teamId !== null && actsFor(teamId) ? teamId : '',
  });
  const create = async () => {
    const [repository, description] = [draft.repository.trim(), draft.description.trim()];
    const body = {
      name: draft.name.trim(),
      owner_team_id: draft.owner,
      ...(repository !== '' && { repository }),
      ...(description !== '' && { description }),
    };
    const made = await act.run('createService', { body }, words.services.created(body.name));
    if (made !== null) navigate(paths.service(made.id));
  };
  return (
    <Dialog
      title={words.services.create}
      confirm={words.services.createButton}
      isRunning={act.isRunning}
      onConfirm={create}
      onClose={onClose}
    >
      <ServiceFields draft={draft} onDraft={setDraft} isOffered={({ id }) => actsFor(id)} />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

interface DialogProps {
  readonly service: Service;
  readonly onClose: () => void;
}

export function ChangeService({ service: now, onClose }: DialogProps) {
  const act = useAct();
  // Only what was changed here is sent: the rest may have been changed elsewhere meanwhile.
  const [service] = useState(now);
  const [draft, setDraft] = useState<Draft>({
    name: service.name,
    owner: service.owner_team_id,
    repository: service.repository ?? '',
    description: service.description ?? '',
  });
  const save = async () => {
    const [name, repository] = [draft.name.trim(), draft.repository.trim()];
    const description = draft.description.trim();
    const body = {
      ...(name !== service.name && { name }),
      ...(draft.owner !== service.owner_team_id && { owner_team_id: draft.owner }),
      ...(repository !== (service.repository ?? '') && { repository: repository || null }),
      ...(description !== (service.description ?? '') && { description: description || null }),
    };
    if (Object.keys(body).length === 0) return onClose();
    const call = { params: { service_id: service.id }, body };
    const done = await act.run('updateService', call, words.services.changed);
    if (done !== null) onClose();
  };
  return (
    <Dialog
      title={words.services.changeTitle(service.name)}
      confirm={words.services.save}
      isRunning={act.isRunning}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <ServiceFields draft={draft} onDraft={setDraft} isOffered={() => true} />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

export function DeleteService({ service, onClose }: DialogProps) {
  const act = useAct();
  const owned = useAnswer('listAssets', { query: { service_id: service.id, page_size: 1 } });
  const remove = async () => {
    const call = { params: { service_id: service.id } };
    const done = await act.run('deleteService', call, words.services.deleted(service.name));
    if (done !== null) navigate(paths.services);
  };
  return (
    <Dialog
      title={words.services.deleteTitle(service.name)}
      confirm={words.services.delete}
      isDangerous
      isRunning={act.isRunning}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{words.services.deleteHint}</p>
      {owned.kind === 'ready' && <p>{words.services.loses(owned.body.total ?? 0)}</p>}
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}
