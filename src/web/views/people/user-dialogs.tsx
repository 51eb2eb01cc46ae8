// The dialogs for administering a user.

import { useState } from 'react';
import { type Role, roles, type UserDuty, userDuties } from '../../../core/user.ts';
import type { User } from '../../data/shapes.ts';
import { useAct } from '../../data/use-answer.ts';
import { Checkbox, Dialog, SelectField, TextField } from '../../parts/form/form.tsx';
import { TeamSelect } from '../../parts/form/team-select.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { useViewer } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

interface Traits {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly duties: readonly UserDuty[];
  readonly teamId: string;
}

const minPasswordLength = 8;
const maxPasswordLength = 1000;

export function CreateUser({ onClose }: { readonly onClose: () => void }) {
  const act = useAct();
  const [traits, setTraits] = useState<Traits>({
    ...{ email: '', name: '', role: 'viewer', teamId: '', duties: [] },
  });
  const [password, setPassword] = useState('');
  const { email, name, role, teamId, duties } = traits;
  const create = async () => {
    const body = {
      email,
      role,
      ...(name !== '' && { name }),
      ...(teamId !== '' && { team_id: teamId }),
      ...(duties.length > 0 && { duties: [...duties] }),
      ...(password !== '' && { password }),
    };
    const made = await act.run('createUser', { body }, words.users.created(name || email));
    if (made !== null) onClose();
  };
  return (
    <Dialog
      title={words.users.create}
      confirm={words.users.createButton}
      isRunning={act.isRunning}
      onConfirm={create}
      onClose={onClose}
    >
      <TraitFields traits={traits} onTraits={setTraits} />
      <PasswordField
        label={words.users.password}
        hint={words.users.passwordHint}
        value={password}
        onText={setPassword}
      />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

interface UserDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

export function ChangeUser({ user, onClose }: UserDialogProps) {
  const act = useAct();
  const before = {
    email: user.email,
    name: user.name,
    role: user.role,
    duties: user.duties,
    teamId: user.team_id ?? '',
  };
  const [traits, setTraits] = useState<Traits>(before);
  const change = async () => {
    // Sends only changed fields, because the others may have been changed elsewhere meanwhile.
    const body = {
      ...(traits.email !== before.email && { email: traits.email }),
      ...(traits.name !== before.name && { name: traits.name }),
      ...(traits.role !== before.role && { role: traits.role }),
      ...(`${traits.duties}` !== `${before.duties}` && { duties: [...traits.duties] }),
      ...(traits.teamId !== before.teamId && {
        team_id: traits.teamId === '' ? null : traits.teamId,
      }),
    };
    const call = { params: { user_id: user.id }, body };
    const done = await act.run('updateUser', call, words.users.changed);
    if (done !== null) onClose();
  };
  return (
    <Dialog
      title={words.users.changeTitle(user.name)}
      confirm={words.users.changeButton}
      isRunning={act.isRunning}
      onConfirm={change}
      onClose={onClose}
    >
      <TraitFields traits={traits} onTraits={setTraits} />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

export function SetPassword({ user, onClose }: UserDialogProps) {
  const act = useAct();
  const [password, setPassword] = useState('');
  const set = async () => {
    const call = { params: { user_id: user.id }, body: { password } };
    const done = await act.run('updateUser', call, words.users.passwordSet);
    if (done !== null) onClose();
  };
  return (
    <Dialog
      title={words.users.passwordTitle(user.name)}
      confirm={words.users.setPassword}
      isRunning={act.isRunning}
      onConfirm={set}
      onClose={onClose}
    >
      <PasswordField
        label={words.users.newPassword}
        hint={words.users.newPasswordHint}
        isRequired
        value={password}
        onText={setPassword}
      />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

export function DeactivateUser({ user, onClose }: UserDialogProps) {
  const act = useAct();
  const deactivate = async () => {
    const call = { params: { user_id: user.id } };
    const done = await act.run('deactivateUser', call, words.users.deactivated);
    if (done !== null) onClose();
  };
  return (
    <Dialog
      title={words.users.deactivateTitle(user.name)}
      confirm={words.users.deactivate}
      isDangerous
      isRunning={act.isRunning}
      onConfirm={deactivate}
      onClose={onClose}
    >
      <p>{words.users.deactivateHint}</p>
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

function TraitFields({
  traits,
  onTraits,
}: {
  readonly traits: Traits;
  readonly onTraits: (traits: Traits) => void;
}) {
  // Nobody gives more than they have.
  const { role: ownRole, duties: held } = useViewer().session;
  const offered = roles.filter(
    (one) => one !== 'admin' || ownRole === 'admin' || traits.role === one,
  );
  return (
    <>
      <TextField
        label={words.users.email}
        type="email"
        autoComplete="off"
        required
        maxLength={320}
        value={traits.email}
        onText={(email) => onTraits({ ...traits, email })}
      />
      <TextField
        label={words.users.name}
        hint={words.users.nameHint}
        autoComplete="off"
        maxLength={200}
        value={traits.name}
        onText={(name) => onTraits({ ...traits, name })}
      />
      <SelectField
        label={words.users.role}
        hint={words.users.roleHint}
        value={traits.role}
        onText={(next) =>
          onTraits({ ...traits, role: roles.find((one) => one === next) ?? 'viewer' })
        }
        options={offered.map((value) => ({ value, label: words.session.roles[value] }))}
      />
      {traits.role !== 'admin' && (
        <fieldset className="choices">
          <legend>{words.users.duties}</legend>
          {userDuties
            .filter((duty) => held.includes(duty))
            .map((duty) => (
              <Checkbox
                key={duty}
                label={words.duties[duty]}
                isChecked={traits.duties.includes(duty)}
                onChange={(next) => {
                  const held = traits.duties.filter((one) => one !== duty);
                  onTraits({ ...traits, duties: next ? [...held, duty] : held });
                }}
              />
            ))}
        </fieldset>
      )}
      <TeamSelect
        label={words.users.team}
        value={traits.teamId}
        onTeam={(teamId) => onTraits({ ...traits, teamId })}
        before={[{ value: '', label: words.users.noTeam }]}
      />
    </>
  );
}

function PasswordField({
  label,
  hint,
  value,
  onText,
  isRequired = false,
}: {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly isRequired?: boolean;
}) {
  return (
    <TextField
      label={label}
      hint={hint}
      type="password"
      autoComplete="new-password"
      required={isRequired}
      minLength={minPasswordLength}
      maxLength={maxPasswordLength}
      value={value}
      onText={onText}
    />
  );
}
