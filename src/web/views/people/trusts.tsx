// Trusts: whose tokens are exchanged for keys.

import { Fragment, useState } from 'react';
import { basePath } from '../../base-path.ts';
import type { Trust } from '../../data/shapes.ts';
import { useAct, useAnswer, useSettled } from '../../data/use-answer.ts';
import { PageHead, Panel, TableFrame, useTitle } from '../../parts/bits.tsx';
import { CreateButton } from '../../parts/form/create-button.tsx';
import { AreaField, Checkbox, Dialog, SelectField, TextField } from '../../parts/form/form.tsx';
import { RowAction } from '../../parts/form/row-action.tsx';
import { SortHead, useOrder } from '../../parts/form/sort-head.tsx';
import { onlyOf, TeamName, TeamSelect } from '../../parts/form/team-select.tsx';
import { useCreating } from '../../parts/form/use-creating.ts';
import { PagedList, usePageNumber } from '../../parts/paged-list.tsx';
import { Empty, RefusalNote } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useTeamChoice } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

const pageSize = 50;
const orders = ['created_at', '-created_at'] as const;
const usual = '-created_at';

export default function Trusts() {
  useTitle(words.trusts.title);
  const page = usePageNumber();
  const sort = useOrder(orders, usual);
  const { answer } = useSettled(
    useAnswer('listTrusts', { query: { page, page_size: pageSize, sort } }),
  );
  const [isCreating, setCreating] = useCreating();
  const [deleting, setDeleting] = useState<Trust | null>(null);
  return (
    <>
      <PageHead
        title={words.trusts.title}
        aside={
          answer.kind === 'ready' && (
            <CreateButton label={words.trusts.create} onClick={() => setCreating(true)} />
          )
        }
      >
        <p className="muted">{words.trusts.hint}</p>
      </PageHead>
      <Panel className="panel-flush">
        <PagedList
          answer={answer}
          page={page}
          pageSize={pageSize}
          count={words.trusts.count}
          empty={<Empty title={words.trusts.none} icon="key" />}
        >
          {(trusts) => <TrustTable trusts={trusts} order={sort} onDelete={setDeleting} />}
        </PagedList>
      </Panel>
      {isCreating && answer.kind === 'ready' && <CreateDialog onClose={() => setCreating(false)} />}
      {deleting !== null && <DeleteDialog trust={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

function TrustTable({
  trusts,
  order,
  onDelete,
}: {
  readonly trusts: readonly Trust[];
  readonly order: string;
  readonly onDelete: (trust: Trust) => void;
}) {
  return (
    <TableFrame label={words.trusts.title}>
      <table className="table table-cards">
        <caption className="hidden">{words.trusts.title}</caption>
        <thead>
          <tr>
            <th scope="col">{words.trusts.name}</th>
            <th scope="col">{words.trusts.issuer}</th>
            <th scope="col">{words.trusts.claims}</th>
            <th scope="col">{words.trusts.team}</th>
            <th scope="col">{words.trusts.scope}</th>
            <SortHead label={words.trusts.since} field="created_at" {...{ order, usual }} />
            <th scope="col">{words.trusts.actions}</th>
          </tr>
        </thead>
        <tbody>
          {trusts.map((trust) => (
            <tr key={trust.id}>
              <th scope="row">{trust.name}</th>
              <td className="cell-text" data-label={words.trusts.issuer}>
                <span className="url">{trust.issuer}</span>
                <br />
                <span className="muted">{words.trusts.forAudience(trust.audience)}</span>
              </td>
              <td className="cell-text" data-label={words.trusts.claims}>
                {Object.entries(trust.claims).map(([name, pattern]) => (
                  <Fragment key={name}>
                    <code>{`${name}=${pattern}`}</code>{' '}
                  </Fragment>
                ))}
              </td>
              <td data-label={words.trusts.team}>
                <TeamName id={trust.team_id} />
              </td>
              <td data-label={words.trusts.scope}>
                {trust.scopes.map((scope) => words.keys.scopes[scope]).join(', ')}
              </td>
              <td data-label={words.trusts.since}>
                <Time at={trust.created_at} />
              </td>
              <td>
                <RowAction
                  label={words.trusts.delete}
                  of={trust.name}
                  isDangerous
                  onClick={() => onDelete(trust)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

const issuers = [
  {
    value: 'https://token.actions.githubusercontent.com',
    label: 'GitHub Actions',
    claims: 'repository=acme/shop\nref=refs/heads/main',
    isReusable: false,
  },
  {
    value: 'https://gitlab.com',
    label: 'gitlab.com',
    claims: 'project_path=acme/shop\nref_protected=true',
    isReusable: true,
  },
  {
    value: '',
    label: words.trusts.otherIssuer,
    claims: 'sub=system:serviceaccount:shop:publisher',
    isReusable: true,
  },
] as const;

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const act = useAct();
  const teams = useAnswer('listTeams', { query: { page_size: 2 } });
  const { teamId } = useTeamChoice();
  const [name, setName] = useState('');
  const [issuer, setIssuer] = useState<(typeof issuers)[number]>(issuers[0]);
  const [address, setAddress] = useState('');
  const [audience, setAudience] = useState(`${location.origin}${basePath}`);
  const [claims, setClaims] = useState('');
  const [team, setTeam] = useState(teamId ?? '');
  const [scope, setScope] = useState<'read' | 'write'>('write');
  const [answers, setAnswers] = useState(false);
  const [isReusable, setReusable] = useState<boolean>(issuer.isReusable);
  const chosen = team === '' && teams.kind === 'ready' ? onlyOf(teams.body.results) : team;
  const create = async () => {
    const made = await act.run(
      'createTrust',
      {
        body: {
          ...{ name, audience, claims: claimsOf(claims), team_id: chosen, reusable: isReusable },
          issuer: issuer.value === '' ? address.trim() : issuer.value,
          scopes: answers ? [scope, 'acknowledge'] : [scope],
        },
      },
      words.trusts.created,
    );
    if (made !== null) onClose();
  };
  return (
    <Dialog
      title={words.trusts.create}
      confirm={words.trusts.createButton}
      isRunning={act.isRunning}
      onConfirm={create}
      onClose={onClose}
    >
      <TextField
        label={words.trusts.name}
        hint={words.keys.nameHint}
        required
        maxLength={200}
        value={name}
        onText={setName}
      />
      <SelectField
        label={words.trusts.issuer}
        value={issuer.value}
        onText={(next) => {
          const found = issuers.find(({ value }) => value === next) ?? issuers[0];
          setIssuer(found);
          setReusable(found.isReusable);
        }}
        options={issuers}
      />
      {issuer.value === '' && (
        <TextField
          label={words.trusts.address}
          hint={words.trusts.addressHint}
          type="url"
          required
          maxLength={500}
          value={address}
          onText={setAddress}
        />
      )}
      <AreaField
        label={words.trusts.claims}
        hint={words.trusts.claimsHint}
        required
        spellCheck={false}
        placeholder={issuer.claims}
        value={claims}
        onText={setClaims}
      />
      <TextField
        label={words.trusts.audience}
        hint={words.trusts.audienceHint}
        required
        maxLength={500}
        value={audience}
        onText={setAudience}
      />
      <TeamSelect
        label={words.trusts.team}
        value={chosen}
        onTeam={setTeam}
        required
        before={[{ value: '', label: words.teams.choose }]}
      />
      <SelectField
        label={words.trusts.scope}
        value={scope}
        onText={(next) => setScope(next === 'read' ? 'read' : 'write')}
        options={(['write', 'read'] as const).map((value) => ({
          value,
          label: words.keys.scopes[value],
        }))}
      />
      <Checkbox label={words.trusts.answers} isChecked={answers} onChange={setAnswers} />
      <Checkbox label={words.trusts.reusable} isChecked={isReusable} onChange={setReusable} />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

/** One claim on each line: its name, `=`, and its text. */
function claimsOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line.split('=');
      return [name.trim(), rest.join('=').trim()];
    }),
  );
}

function DeleteDialog({ trust, onClose }: { readonly trust: Trust; readonly onClose: () => void }) {
  const act = useAct();
  const remove = async () => {
    const call = { params: { trust_id: trust.id } };
    const done = await act.run('deleteTrust', call, words.trusts.deleted);
    if (done !== null) onClose();
  };
  return (
    <Dialog
      title={words.trusts.deleteTitle(trust.name)}
      confirm={words.trusts.delete}
      isDangerous
      isRunning={act.isRunning}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{words.trusts.deleteHint}</p>
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}
