// Services, with their owners and how many assets belong to each.

import type { ServiceListed } from '../../data/shapes.ts';
import { useAnswer, useSettled } from '../../data/use-answer.ts';
import { Breakable, PageHead, Panel, TableFrame, useTitle } from '../../parts/bits.tsx';
import { CreateButton } from '../../parts/form/create-button.tsx';
import { TextField } from '../../parts/form/form.tsx';
import { SortHead, useOrder } from '../../parts/form/sort-head.tsx';
import { TeamSelect } from '../../parts/form/team-select.tsx';
import { useCreating } from '../../parts/form/use-creating.ts';
import { PagedList, usePageNumber } from '../../parts/paged-list.tsx';
import { Empty } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link, refineQuery, usePlace } from '../../router.tsx';
import { useActsFor, useIsAdmin, useTeamChoice } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import { Repository } from './repository.tsx';
import { CreateService } from './service-dialogs.tsx';

const pageSize = 100;
const orders = ['name', '-name', 'created_at', '-created_at'] as const;
const usual = 'name';

export default function Services() {
  useTitle(words.services.title);
  const page = usePageNumber();
  const { query } = usePlace();
  const q = (query.get('q') ?? '').trim();
  const owner = query.get('owner') ?? '';
  const sort = useOrder(orders, usual);
  const { answer } = useSettled(
    useAnswer('listServices', {
      query: {
        ...{ page, page_size: pageSize, sort },
        ...(q !== '' && { q }),
        ...(owner !== '' && { owner_team_id: owner }),
      },
    }),
  );
  const isAdmin = useIsAdmin();
  const { teamId } = useTeamChoice();
  const actsFor = useActsFor();
  const mayCreate = isAdmin || (teamId !== null && actsFor(teamId));
  const [isCreating, setCreating] = useCreating();
  const isNarrowed = q !== '' || owner !== '';
  return (
    <>
      <PageHead
        title={words.services.title}
        aside={
          mayCreate && (
            <CreateButton label={words.services.create} onClick={() => setCreating(true)} />
          )
        }
      >
        <p className="muted">{words.services.hint}</p>
      </PageHead>
      <search className="filters">
        <TextField
          label={words.services.find}
          type="search"
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          placeholder={words.teams.findHint}
          value={query.get('q') ?? ''}
          onText={(next) => refineQuery({ q: next, page: '' })}
        />
        <TeamSelect
          label={words.services.owner}
          value={owner}
          onTeam={(next) => refineQuery({ owner: next, page: '' })}
          before={[{ value: '', label: words.assets.anyTeam }]}
        />
      </search>
      <Panel className="panel-flush">
        <PagedList
          answer={answer}
          page={page}
          pageSize={pageSize}
          count={words.services.count}
          empty={
            <Empty
              title={isNarrowed ? words.services.noMatch : words.services.none}
              icon="layers"
            />
          }
        >
          {(services) => <ServiceTable services={services} order={sort} />}
        </PagedList>
      </Panel>
      {isCreating && mayCreate && <CreateService onClose={() => setCreating(false)} />}
    </>
  );
}

function ServiceTable({
  services,
  order,
}: {
  readonly services: readonly ServiceListed[];
  readonly order: string;
}) {
  const { columns } = words.services;
  return (
    <TableFrame label={words.services.title}>
      <table className="table table-cards">
        <caption className="hidden">{words.services.title}</caption>
        <thead>
          <tr>
            <SortHead label={words.services.name} field="name" {...{ order, usual }} />
            <th scope="col">{words.services.owner}</th>
            <th scope="col">{columns.assets}</th>
            <th scope="col">{words.services.repository}</th>
            <SortHead label={words.teams.since} field="created_at" {...{ order, usual }} />
          </tr>
        </thead>
        <tbody>
          {services.map((service) => (
            <tr key={service.id}>
              <th scope="row">
                <Link to={paths.service(service.id)}>
                  <Breakable text={service.name} />
                </Link>
              </th>
              <td data-label={words.services.owner}>{service.owner_team_name}</td>
              <td data-label={columns.assets}>{service.assets.toLocaleString('en')}</td>
              <td className="cell-text" data-label={words.services.repository}>
                <Repository address={service.repository} />
              </td>
              <td data-label={words.teams.since}>
                <Time at={service.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}
