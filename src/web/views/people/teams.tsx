// Teams as owners and consumers. Administrators create, rename and delete them.

import { useState } from 'react';
import type { BodyOf, Refusal, Team } from '../../data/shapes.ts';
import { useAct, useAnswer, useSettled } from '../../data/use-answer.ts';
import { announce } from '../../parts/announcer.tsx';
import { Fqn, PageHead, Panel, TableFrame, useTitle } from '../../parts/bits.tsx';
import { CreateButton } from '../../parts/form/create-button.tsx';
import { Dialog, SelectField, TextField } from '../../parts/form/form.tsx';
import { ReasonField } from '../../parts/form/reason-field.tsx';
import { RowAction } from '../../parts/form/row-action.tsx';
import { SortHead, useOrder } from '../../parts/form/sort-head.tsx';
import { TeamSelect } from '../../parts/form/team-select.tsx';
import { useCreating } from '../../parts/form/use-creating.ts';
import { PagedList, usePageNumber } from '../../parts/paged-list.tsx';
import { Empty, messageOf, RefusalNote } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link, refineQuery, usePlace } from '../../router.tsx';
import { useHasDuty, useIsAdmin, useIsForOther } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

interface Question {
  readonly kind: 'rename' | 'reassign' | 'delete' | 'restore';
  readonly team: Team;
}

const pageSize = 100;
const orders = ['name', '-name', 'created_at', '-created_at'] as const;
const usual = 'name';

export default function Teams() {
  useTitle(words.teams.title);
  const isAdmin = useIsAdmin();
  const managesPeople = useHasDuty('manage_people');
  const page = usePageNumber();
  const { query } = usePlace();
  const q = (query.get('q') ?? '').trim();
  const isWithDeleted = isAdmin && query.get('deleted') === 'true';
  const sort = useOrder(orders, usual);
  const { answer } = useSettled(
    useAnswer('listTeams', {
      query: {
        page,
        page_size: pageSize,
        sort,
        ...(q !== '' && { q }),
        ...(isWithDeleted && { include_deleted: true }),
      },
    }),
  );
  const [question, setQuestion] = useState<Question | null>(null);
  const close = () => setQuestion(null);
  const [isCreating, setCreating] = useCreating();
  return (
    <>
      <PageHead
        title={words.teams.title}
        aside={
          managesPeople && (
            <CreateButton label={words.teams.create} onClick={() => setCreating(true)} />
          )
        }
      />
      <TeamSearch isAdmin={isAdmin} />
      <Panel className="panel-flush">
        <PagedList
          answer={answer}
          page={page}
          pageSize={pageSize}
          count={words.teams.count}
          empty={<Empty title={q === '' ? words.teams.none : words.teams.noMatch} icon="people" />}
        >
          {(teams) => (
            <TeamTable teams={teams} order={sort} onAsk={managesPeople ? setQuestion : null} />
          )}
        </PagedList>
      </Panel>
      {isCreating && managesPeople && <CreateDialog onClose={() => setCreating(false)} />}
      {question?.kind === 'rename' && <RenameDialog team={question.team} onClose={close} />}
      {question?.kind === 'reassign' && <ReassignDialog team={question.team} onClose={close} />}
      {question?.kind === 'restore' && <RestoreDialog team={question.team} onClose={close} />}
      {question?.kind === 'delete' && <DeleteDialog team={question.team} onClose={close} />}
    </>
  );
}

function TeamSearch({ isAdmin }: { readonly isAdmin: boolean }) {
  const { query } = usePlace();
  return (
    <div className="filters">
      <TextField
        label={words.teams.find}
        type="search"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        placeholder={words.teams.findHint}
        value={query.get('q') ?? ''}
        onText={(next) => refineQuery({ q: next, page: '' })}
      />
      {isAdmin && (
        <SelectField
          label={words.teams.which}
          value={query.get('deleted') ?? ''}
          onText={(next) => refineQuery({ deleted: next, page: '' })}
          options={[
            { value: '', label: words.teams.living },
            { value: 'true', label: words.teams.withDeleted },
          ]}
        />
      )}
    </div>
  );
}

function TeamTable({
  teams,
  order,
  onAsk,
}: {
  readonly teams: readonly Team[];
  readonly order: string;
  readonly onAsk: ((question: Question) => void) | null;
}) {
  const isAdmin = useIsAdmin();
  return (
    <TableFrame label={words.teams.caption}>
      <table className="table table-cards">
        <caption className="hidden">{words.teams.caption}</caption>
        <thead>
          <tr>
            <SortHead label={words.teams.name} field="name" {...{ order, usual }} />
            <th scope="col">{words.teams.slug}</th>
            {onAsk !== null && <th scope="col">{words.teams.members}</th>}
            <SortHead label={words.teams.since} field="created_at" {...{ order, usual }} />
            {onAsk !== null && <th scope="col">{words.teams.actions}</th>}
          </tr>
        </thead>
        <tbody>
          {teams.map((team) => (
            <tr key={team.id}>
              <th scope="row">
                {team.deleted_at === undefined ? (
                  <Link to={`${paths.assets}?owner=${team.id}`}>{team.name}</Link>
                ) : (
                  <>
                    {team.name}
                    <span className="muted">
                      {' · '}
                      {words.teams.deletedAt} <Time at={team.deleted_at} />
                    </span>
                  </>
                )}
              </th>
              <td data-label={words.teams.slug}>
                <code>{team.slug}</code>
              </td>
              {onAsk !== null && (
                <td data-label={words.teams.members}>
                  <Link to={`${paths.users}?team=${team.id}`}>
                    {words.teams.seeMembers(team.name)}
                  </Link>
                </td>
              )}
              <td data-label={words.teams.since}>
                <Time at={team.created_at} />
              </td>
              {onAsk !== null && (
                <td>
                  <span className="row-actions">
                    {actsOn(team, isAdmin).map((kind) => (
                      <RowAction
                        key={kind}
                        label={words.teams[kind]}
                        of={team.name}
                        isDangerous={kind === 'delete'}
                        onClick={() => onAsk({ kind, team })}
                      />
                    ))}
                  </span>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function actsOn({ deleted_at }: Team, isAdmin: boolean): readonly Question['kind'][] {
  if (!isAdmin) return deleted_at === undefined ? ['rename'] : [];
  return deleted_at === undefined ? ['rename', 'reassign', 'delete'] : ['restore'];
}

/** Moves what can be moved, and shows what became of the rest. */
function ReassignDialog({ team, onClose }: TeamDialogProps) {
  const act = useAct();
  const [heir, setHeir] = useState('');
  const [outcomes, setOutcomes] = useState<readonly Outcome[] | null>(null);
  const { moving: text } = words.teams;
  const move = async () => {
    const all: Outcome[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const body = { owner_team_id: heir, mode: 'partial' as const, ...(cursor && { cursor }) };
      const done = await act.run('reassignAssets', { params: { team_id: team.id }, body });
      if (done === null) break;
      all.push(...done.results);
      cursor = done.next_cursor;
    }
    if (all.length > 0) setOutcomes(all);
    else if (cursor === null) announce(text.nothing);
  };
  const isLeft = ({ status, body }: Outcome) => status >= 400 || isAsked(body);
  const left = (outcomes ?? []).filter(isLeft);
  const moved = (outcomes ?? []).filter((each) => !isLeft(each));
  const services = moved.filter(({ service }) => service !== undefined);
  return (
    <Dialog
      title={text.title(team.name)}
      confirm={outcomes === null ? text.confirm : null}
      isRunning={act.isRunning}
      onConfirm={move}
      onClose={onClose}
    >
      {outcomes === null ? (
        <>
          <p>{text.hint}</p>
          <TeamSelect
            label={text.to}
            value={heir}
            required
            onTeam={setHeir}
            before={[{ value: '', label: words.teams.choose }]}
            isOffered={({ id }) => id !== team.id}
          />
        </>
      ) : (
        <div role="status">
          <p>{text.moved(moved.length - services.length, services.length)}</p>
          {left.length > 0 && (
            <ul>
              {left.map(({ index, asset, service, body }) => (
                <li key={asset?.id ?? service?.id ?? index}>
                  <Fqn fqn={asset?.fqn ?? service?.name ?? ''} />
                  {': '}
                  {isAsked(body) ? text.asked : whyRefused(body)}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

type Outcome = BodyOf<'reassignAssets'>['results'][number];

function isAsked({ action }: Outcome['body']): boolean {
  return action === 'proposal_created';
}

function whyRefused({ detail }: Outcome['body']): string {
  return messageOf(detail as Refusal);
}

function RestoreDialog({ team, onClose }: TeamDialogProps) {
  const act = useAct();
  const restore = async () => {
    const call = { params: { team_id: team.id }, body: {} };
    if ((await act.run('restoreTeam', call, words.teams.restored)) !== null) onClose();
  };
  return (
    <Dialog
      title={words.teams.restoreTitle(team.name)}
      confirm={words.teams.restore}
      isRunning={act.isRunning}
      onConfirm={restore}
      onClose={onClose}
    >
      <p>{words.teams.restoreHint}</p>
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const act = useAct();
  const [name, setName] = useState('');
  const [slug, setSlug] = useState('');
  const create = async () => {
    const body = { name, ...(slug !== '' && { slug }) };
    const made = await act.run('createTeam', { body }, words.teams.created(name));
    if (made !== null) onClose();
  };
  return (
    <Dialog
      title={words.teams.create}
      confirm={words.teams.createButton}
      isRunning={act.isRunning}
      onConfirm={create}
      onClose={onClose}
    >
      <TextField label={words.teams.name} required maxLength={200} value={name} onText={setName} />
      <TextField
        label={words.teams.slug}
        hint={words.teams.slugHint}
        maxLength={63}
        value={slug}
        onText={setSlug}
      />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

interface TeamDialogProps {
  readonly team: Team;
  readonly onClose: () => void;
}

function RenameDialog({ team, onClose }: TeamDialogProps) {
  const act = useAct();
  const [name, setName] = useState(team.name);
  const rename = async () => {
    const call = { params: { team_id: team.id }, body: { name } };
    const done = await act.run('updateTeam', call, words.teams.renamed);
    if (done !== null) onClose();
  };
  return (
    <Dialog
      title={words.teams.renameTitle(team.name)}
      confirm={words.teams.rename}
      isRunning={act.isRunning}
      onConfirm={rename}
      onClose={onClose}
    >
      <TextField label={words.teams.name} required maxLength={200} value={name} onText={setName} />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

function DeleteDialog({ team, onClose }: TeamDialogProps) {
  const act = useAct();
  const [heir, setHeir] = useState('');
  const owned = useAnswer('listAssets', { query: { owner_team_id: team.id, page_size: 1 } });
  const consumed = useAnswer('listRegistrations', {
    query: { consumer_team_id: team.id, status: 'active', page_size: 1 },
  });
  const isForOther = useIsForOther()(team.id);
  const needsReason = isForOther && consumed.kind === 'ready' && consumed.body.results.length > 0;
  const [reason, setReason] = useState('');
  const services = useAnswer('listServices', { query: { owner_team_id: team.id, page_size: 1 } });
  const count = owned.kind === 'ready' ? (owned.body.total ?? 0) : null;
  const serviceCount = services.kind === 'ready' ? (services.body.total ?? 0) : 0;
  const remove = async () => {
    const call = {
      params: { team_id: team.id },
      query: { ...(heir !== '' && { reassign_to: heir }), ...(needsReason && { reason }) },
    };
    const done = await act.run('deleteTeam', call, words.teams.deleted);
    if (done !== null) onClose();
  };
  return (
    <Dialog
      title={words.teams.deleteTitle(team.name)}
      confirm={words.teams.delete}
      isDangerous
      isRunning={act.isRunning}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{words.teams.deleteHint}</p>
      {count !== null && <p>{words.teams.owns(count)}</p>}
      {serviceCount > 0 && <p>{words.teams.ownsServices(serviceCount)}</p>}
      {count !== null && count + serviceCount > 0 && (
        <TeamSelect
          label={words.teams.heir}
          value={heir}
          required
          onTeam={setHeir}
          before={[{ value: '', label: words.teams.choose }]}
          isOffered={({ id }) => id !== team.id}
        />
      )}
      {needsReason && (
        <>
          <p>{words.teams.consumes}</p>
          <ReasonField reason={reason} onText={setReason} />
        </>
      )}
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}
