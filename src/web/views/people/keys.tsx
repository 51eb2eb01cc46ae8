// API keys: issuing, showing once, copying, revoking.

import { useState } from 'react';
import { duties, type KeyScope, keyScopes } from '../../../core/actor.ts';
import type { ApiKey } from '../../data/shapes.ts';
import { useAct, useAnswer, useSettled } from '../../data/use-answer.ts';
import { PageHead, Panel, TableFrame, useTitle } from '../../parts/bits.tsx';
import { CreateButton } from '../../parts/form/create-button.tsx';
import { Checkbox, Dialog, SelectField, TextField } from '../../parts/form/form.tsx';
import { RowAction } from '../../parts/form/row-action.tsx';
import { SecretDialog } from '../../parts/form/secret-dialog.tsx';
import { SortHead, useOrder } from '../../parts/form/sort-head.tsx';
import { onlyOf, TeamName, TeamSelect } from '../../parts/form/team-select.tsx';
import { useCreating } from '../../parts/form/use-creating.ts';
import { PagedList, usePageNumber } from '../../parts/paged-list.tsx';
import { Empty, RefusalNote } from '../../parts/states.tsx';
import { Day, endOfDay, Time } from '../../parts/time.tsx';
import { useTeamChoice, useViewer } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import { KeyEnd } from './key-end.tsx';

const pageSize = 50;
const orders = [
  ...(['created_at', '-created_at', 'name', '-name', 'expires_at', '-expires_at'] as const),
  ...(['last_used_at', '-last_used_at'] as const),
] as const;
const usual = '-created_at';

export default function Keys() {
  useTitle(words.keys.title);
  const page = usePageNumber();
  const sort = useOrder(orders, usual);
  const { answer } = useSettled(
    useAnswer('listApiKeys', { query: { page, page_size: pageSize, sort } }),
  );
  const [isIssuing, setIssuing] = useCreating();
  const [secret, setSecret] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  return (
    <>
      <PageHead
        title={words.keys.title}
        aside={
          answer.kind === 'ready' && (
            <CreateButton label={words.keys.create} onClick={() => setIssuing(true)} />
          )
        }
      >
        <p className="muted">{words.keys.hint}</p>
      </PageHead>
      <Panel className="panel-flush">
        <PagedList
          answer={answer}
          page={page}
          pageSize={pageSize}
          count={words.keys.count}
          empty={<Empty title={words.keys.none} icon="key" />}
        >
          {(keys) => <KeyTable keys={keys} order={sort} onRevoke={setRevoking} />}
        </PagedList>
      </Panel>
      {isIssuing && answer.kind === 'ready' && (
        <IssueDialog
          onClose={() => setIssuing(false)}
          onIssued={(key) => {
            setIssuing(false);
            setSecret(key);
          }}
        />
      )}
      {secret !== null && (
        <SecretDialog
          title={words.keys.secretTitle}
          hint={words.keys.secretHint}
          label={words.keys.secret}
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
      {revoking !== null && <RevokeDialog apiKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

function KeyTable({
  keys,
  order,
  onRevoke,
}: {
  readonly keys: readonly ApiKey[];
  readonly order: string;
  readonly onRevoke: (key: ApiKey) => void;
}) {
  return (
    <TableFrame label={words.keys.caption}>
      <table className="table table-cards table-tight">
        <caption className="hidden">{words.keys.caption}</caption>
        <thead>
          <tr>
            <SortHead label={words.keys.column} field="name" {...{ order, usual }} />
            <th scope="col">{words.keys.prefix}</th>
            <th scope="col">{words.keys.actsFor}</th>
            <th scope="col">{words.keys.scope}</th>
            <SortHead label={words.keys.issued} field="created_at" {...{ order, usual }} />
            <SortHead label={words.keys.lastUsed} field="last_used_at" {...{ order, usual }} />
            <SortHead label={words.keys.expires} field="expires_at" {...{ order, usual }} />
            <th scope="col">{words.keys.state}</th>
            <th scope="col">{words.keys.actions}</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">{key.name}</th>
              <td data-label={words.keys.prefix}>
                <code className="whole">{key.prefix}…</code>
              </td>
              <td data-label={words.keys.actsFor}>
                <ActsFor apiKey={key} />
              </td>
              <td data-label={words.keys.scope}>{scopesInWords(key)}</td>
              <td data-label={words.keys.issued}>
                <Time at={key.created_at} />
              </td>
              <td data-label={words.keys.lastUsed}>
                {key.last_used_at === null ? words.keys.neverUsed : <Time at={key.last_used_at} />}
              </td>
              <td data-label={words.keys.expires}>
                {key.expires_at === null ? words.keys.never : <Day at={key.expires_at} />}
              </td>
              <td data-label={words.keys.state}>
                <KeyEnd apiKey={key} />
              </td>
              <td>
                {key.revoked_at === null && (
                  <RowAction
                    label={words.keys.revoke}
                    of={key.name}
                    isDangerous
                    onClick={() => onRevoke(key)}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

const everyTeam = '*';

function IssueDialog({
  onClose,
  onIssued,
}: {
  readonly onClose: () => void;
  readonly onIssued: (key: string) => void;
}) {
  const act = useAct();
  const teams = useAnswer('listTeams', { query: { page_size: 100, sort: 'name' } });
  const [name, setName] = useState('');
  const { teamId } = useTeamChoice();
  const [team, setTeam] = useState(teamId ?? '');
  const [scope, setScope] = useState<KeyScope>('write');
  const [answers, setAnswers] = useState(false);
  const [expires, setExpires] = useState('');
  const chosen = team === '' && teams.kind === 'ready' ? onlyOf(teams.body.results) : team;
  // A key of one team may always answer; a key of several teams needs the scope.
  // Nobody gives more than they have.
  const { role, duties: held } = useViewer().session;
  const offered = keyScopes.filter(
    (one) => !isRight(one) || role === 'admin' || held.some((duty) => duty === one),
  );
  const mayName = chosen === everyTeam && scope === 'write';
  const issue = async () => {
    const made = await act.run('issueApiKey', {
      body: {
        name,
        scopes: mayName && answers ? [scope, 'acknowledge'] : [scope],
        ...(chosen === everyTeam ? { all_teams: true } : { team_id: chosen }),
        ...(expires !== '' && { expires_at: endOfDay(expires) }),
      },
    });
    // The secret is missing only in a repeated response to one Idempotency-Key.
    if (made?.key !== undefined) onIssued(made.key);
  };
  return (
    <Dialog
      title={words.keys.create}
      confirm={words.keys.createButton}
      isRunning={act.isRunning}
      onConfirm={issue}
      onClose={onClose}
    >
      <TextField
        label={words.keys.name}
        hint={words.keys.nameHint}
        required
        maxLength={200}
        value={name}
        onText={setName}
      />
      <TeamSelect
        label={words.keys.actsFor}
        value={chosen}
        onTeam={setTeam}
        required
        before={[
          { value: '', label: words.teams.choose },
          { value: everyTeam, label: words.keys.allTeams },
        ]}
      />
      <SelectField
        label={words.keys.scope}
        value={scope}
        onText={(next) => setScope(keyScopes.find((one) => one === next) ?? 'read')}
        options={offered.map((value) => ({ value, label: words.keys.scopes[value] }))}
      />
      {mayName && <Checkbox label={words.keys.answers} isChecked={answers} onChange={setAnswers} />}
      <TextField
        label={words.keys.expires}
        hint={words.keys.expiresHint}
        type="date"
        value={expires}
        onText={setExpires}
      />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

function RevokeDialog({
  apiKey,
  onClose,
}: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}) {
  const act = useAct();
  const revoke = async () => {
    const call = { params: { api_key_id: apiKey.id } };
    const done = await act.run('revokeApiKey', call, words.keys.revoked);
    if (done !== null) onClose();
  };
  return (
    <Dialog
      title={words.keys.revokeTitle(apiKey.name)}
      confirm={words.keys.revoke}
      isDangerous
      isRunning={act.isRunning}
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>{words.keys.revokeHint}</p>
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

function isRight(scope: KeyScope): boolean {
  return scope === 'admin' || duties.some((duty) => duty === scope);
}

/** All but what the others imply. */
function scopesInWords({ scopes }: ApiKey): string {
  const told = scopes.includes('admin')
    ? ['admin' as const]
    : keyScopes.filter((scope) => scope !== 'read' && scopes.includes(scope));
  return (told.length === 0 ? ['read' as const] : told)
    .map((scope) => words.keys.scopes[scope])
    .join(', ');
}

function ActsFor({ apiKey }: { readonly apiKey: ApiKey }) {
  if (apiKey.all_teams) return words.keys.allTeams;
  const ids = apiKey.team_ids.length > 0 ? apiKey.team_ids : [apiKey.team_id ?? ''];
  const first = ids[0];
  if (ids.length === 1 && first !== undefined) return <TeamName id={first} />;
  return words.keys.severalTeams(ids.length);
}
