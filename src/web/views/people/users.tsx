// The users who sign in: their names, roles and teams.

import { useState } from 'react';
import { roles } from '../../../core/user.ts';
import type { CallTo, User } from '../../data/shapes.ts';
import { useAct, useAnswer, useSettled } from '../../data/use-answer.ts';
import { Badge, PageHead, Panel, TableFrame, useTitle } from '../../parts/bits.tsx';
import { CreateButton } from '../../parts/form/create-button.tsx';
import { Checkbox, SelectField } from '../../parts/form/form.tsx';
import { RowAction } from '../../parts/form/row-action.tsx';
import { SortHead, useOrder } from '../../parts/form/sort-head.tsx';
import { TeamName, TeamSelect } from '../../parts/form/team-select.tsx';
import { useCreating } from '../../parts/form/use-creating.ts';
import { PagedList, usePageNumber } from '../../parts/paged-list.tsx';
import { Empty, RefusalNote } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { refineQuery, usePlace } from '../../router.tsx';
import { useHasDuty } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import '../../style/administration.css';
import { ChangeUser, CreateUser, DeactivateUser, SetPassword } from './user-dialogs.tsx';

const pageSize = 50;
const orders = ['created_at', '-created_at', 'email', '-email', 'name', '-name'] as const;
type Order = (typeof orders)[number];
const usual = '-created_at';

type UserQuestion = { readonly kind: 'change' | 'password' | 'deactivate'; readonly user: User };

export default function Users() {
  useTitle(words.users.title);
  const { query } = usePlace();
  const page = usePageNumber();
  const sort = useOrder(orders, usual);
  const { answer } = useSettled(useAnswer('listUsers', callFor(query, page, sort)));
  const [question, setQuestion] = useState<UserQuestion | null>(null);
  const close = () => setQuestion(null);
  const [isCreating, setCreating] = useCreating();
  const managesPeople = useHasDuty('manage_people');
  return (
    <>
      <PageHead
        title={words.users.title}
        aside={
          managesPeople && (
            <CreateButton label={words.users.create} onClick={() => setCreating(true)} />
          )
        }
      >
        <p className="muted">{words.users.hint}</p>
      </PageHead>
      {managesPeople && <FilterBar query={query} />}
      <Panel className="panel-flush">
        <PagedList
          answer={answer}
          page={page}
          pageSize={pageSize}
          count={words.users.count}
          empty={
            <Empty title={words.users.none} icon="person">
              <p>{words.users.noneHint}</p>
            </Empty>
          }
        >
          {(users) => <UserTable users={users} order={sort} onAsk={setQuestion} />}
        </PagedList>
      </Panel>
      {isCreating && managesPeople && <CreateUser onClose={() => setCreating(false)} />}
      {question?.kind === 'change' && <ChangeUser user={question.user} onClose={close} />}
      {question?.kind === 'password' && <SetPassword user={question.user} onClose={close} />}
      {question?.kind === 'deactivate' && <DeactivateUser user={question.user} onClose={close} />}
    </>
  );
}

function FilterBar({ query }: { readonly query: URLSearchParams }) {
  return (
    <search className="filters">
      <SelectField
        label={words.users.role}
        value={query.get('role') ?? ''}
        onText={(role) => refineQuery({ role, page: '' })}
        options={[
          { value: '', label: words.users.anyRole },
          ...roles.map((value) => ({ value, label: words.session.roles[value] })),
        ]}
      />
      <TeamSelect
        label={words.users.team}
        value={query.get('team') ?? ''}
        onTeam={(team) => refineQuery({ team, page: '' })}
        before={[{ value: '', label: words.users.anyTeam }]}
      />
      <Checkbox
        label={words.users.withDeactivated}
        isChecked={query.get('deactivated') === 'shown'}
        onChange={(next) => refineQuery({ deactivated: next ? 'shown' : '', page: '' })}
      />
    </search>
  );
}

function UserTable({
  users,
  order,
  onAsk,
}: {
  readonly users: readonly User[];
  readonly order: string;
  readonly onAsk: (question: UserQuestion) => void;
}) {
  const act = useAct();
  const bringBack = (user: User) => {
    const call = { params: { user_id: user.id }, body: { deactivated_at: null } };
    void act.run('updateUser', call, words.users.broughtBack);
  };
  return (
    <>
      <RefusalNote refusal={act.refusal} />
      <TableFrame label={words.users.caption}>
        <table className="table table-cards">
          <caption className="hidden">{words.users.caption}</caption>
          <thead>
            <tr>
              <SortHead label={words.users.name} field="name" {...{ order, usual }} />
              <SortHead label={words.users.email} field="email" {...{ order, usual }} />
              <th scope="col">{words.users.role}</th>
              <th scope="col">{words.users.team}</th>
              <th scope="col">{words.users.state}</th>
              <SortHead label={words.users.since} field="created_at" {...{ order, usual }} />
              <th scope="col">{words.users.actions}</th>
            </tr>
          </thead>
          <tbody>
            {users.map((user) => (
              <tr key={user.id}>
                <th scope="row">{user.name}</th>
                <td data-label={words.users.email}>{user.email}</td>
                <td data-label={words.users.role}>
                  {words.session.roles[user.role]}
                  {user.duties.map((duty) => (
                    <span key={duty} className="muted">
                      {` · ${words.duties[duty]}`}
                    </span>
                  ))}
                </td>
                <td data-label={words.users.team}>
                  {user.team_id === null ? (
                    <span className="muted">{words.users.noTeam}</span>
                  ) : (
                    <TeamName id={user.team_id} />
                  )}
                </td>
                <td data-label={words.users.state}>
                  <UserState user={user} />
                </td>
                <td data-label={words.users.since}>
                  <Time at={user.deactivated_at ?? user.created_at} />
                </td>
                <td>
                  <RowActions user={user} onAsk={onAsk} onBringBack={bringBack} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </>
  );
}

function UserState({ user }: { readonly user: User }) {
  return user.deactivated_at === null ? (
    <Badge tone="good">{words.users.states.active}</Badge>
  ) : (
    <Badge tone="plain">{words.users.states.deactivated}</Badge>
  );
}

function RowActions({
  user,
  onAsk,
  onBringBack,
}: {
  readonly user: User;
  readonly onAsk: (question: UserQuestion) => void;
  readonly onBringBack: (user: User) => void;
}) {
  const of = user.name;
  if (user.deactivated_at !== null) {
    return <RowAction label={words.users.bringBack} of={of} onClick={() => onBringBack(user)} />;
  }
  const ask = (kind: 'change' | 'password' | 'deactivate') => () => onAsk({ kind, user });
  return (
    <span className="row-actions">
      <RowAction label={words.users.change} of={of} onClick={ask('change')} />
      <RowAction label={words.users.setPassword} of={of} onClick={ask('password')} />
      <RowAction label={words.users.deactivate} of={of} isDangerous onClick={ask('deactivate')} />
    </span>
  );
}

function callFor(query: URLSearchParams, page: number, sort: Order): CallTo<'listUsers'> {
  const role = roles.find((one) => one === query.get('role'));
  const team = query.get('team');
  return {
    query: {
      page,
      page_size: pageSize,
      sort,
      ...(role !== undefined && { role }),
      ...(team !== null && { team_id: team }),
      ...(query.get('deactivated') === 'shown' && { include_deactivated: true }),
    },
  };
}
