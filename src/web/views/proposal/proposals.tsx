// The inbox, the team's own proposals, and all proposals.

import type { CallTo, ProposalState } from '../../data/shapes.ts';
import { useAnswer, useSettled } from '../../data/use-answer.ts';
import { PageHead, Panel, useTitle } from '../../parts/bits.tsx';
import { SelectField } from '../../parts/form/form.tsx';
import { SavedViews } from '../../parts/form/saved-views.tsx';
import { PagedList, usePageNumber } from '../../parts/paged-list.tsx';
import { HowToPropose, ProposalTable } from '../../parts/proposal-list.tsx';
import { Empty } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link, refineQuery, usePlace, withQuery } from '../../router.tsx';
import { useTeamChoice } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

const shows = ['inbox', 'mine', 'all'] as const;
type Show = (typeof shows)[number];

const sorts = ['-proposed_at', 'proposed_at', 'answer_by'] as const;
type Sort = (typeof sorts)[number];

const pageSize = 50;

export default function Proposals() {
  useTitle(words.proposals.title);
  const { query } = usePlace();
  const { teamId } = useTeamChoice();
  const show =
    shows.find((one) => one === query.get('show')) ?? (teamId === null ? 'all' : 'inbox');
  return (
    <>
      <PageHead title={words.proposals.title}>
        <p className="muted">
          <HowToPropose teamId={teamId} />
        </p>
      </PageHead>
      <nav className="tabs" aria-label={words.proposals.show}>
        {shows.map((one) => (
          <Link
            key={one}
            to={withQuery(paths.proposals, new URLSearchParams({ show: one }))}
            aria-current={show === one ? 'page' : undefined}
          >
            {words.proposals[one]}
          </Link>
        ))}
      </nav>
      {show !== 'all' && teamId === null ? (
        <Empty title={words.team.choose} icon="people">
          <p>{words.proposals.needsTeam}</p>
        </Empty>
      ) : (
        <Found show={show} teamId={teamId ?? ''} />
      )}
    </>
  );
}

function Found({ show, teamId }: { readonly show: Show; readonly teamId: string }) {
  const { query } = usePlace();
  const page = usePageNumber();
  const status = query.get('status') ?? '';
  const isEscalated = query.get('escalated') === 'true';
  const isStanding = query.get('superseded') === 'false';
  // What waits for an answer is read by what is due first.
  const usual: Sort = show === 'inbox' ? 'answer_by' : '-proposed_at';
  const sort = sorts.find((one) => one === query.get('sort')) ?? usual;
  const call = callFor({ show, teamId, status, page, isEscalated, isStanding, sort });
  const { answer } = useSettled(useAnswer('listProposals', call));
  return (
    <>
      <SavedViews isNarrowed={status !== '' || isEscalated || isStanding} />
      <div className="filters">
        {show !== 'inbox' && (
          <>
            <SelectField
              label={words.proposals.status}
              value={status}
              onText={(next) => refineQuery({ status: next, page: '' })}
              options={[
                { value: '', label: words.proposals.anyStatus },
                ...Object.entries(words.proposalStates).map(([value, label]) => ({ value, label })),
              ]}
            />
            <SelectField
              label={words.proposals.escalated}
              value={isEscalated ? 'true' : ''}
              onText={(next) => refineQuery({ escalated: next, page: '' })}
              options={[
                { value: '', label: words.proposals.anyDay },
                { value: 'true', label: words.proposals.isEscalated },
              ]}
            />
            <SelectField
              label={words.proposals.superseded}
              value={isStanding ? 'false' : ''}
              onText={(next) => refineQuery({ superseded: next, page: '' })}
              options={[
                { value: '', label: words.proposals.anySuperseded },
                { value: 'false', label: words.proposals.notSuperseded },
              ]}
            />
          </>
        )}
        <SelectField
          label={words.proposals.sort}
          value={sort}
          onText={(next) =>
            refineQuery({
              sort: next === usual ? '' : next,
              page: '',
              // Nothing is due of what is decided.
              ...(next === 'answer_by' &&
                show !== 'inbox' &&
                status === '' && { status: 'pending' }),
            })
          }
          options={sorts.map((value) => ({ value, label: words.proposals.sorts[value] }))}
        />
      </div>
      <Panel className="panel-flush">
        <PagedList
          answer={answer}
          page={page}
          pageSize={pageSize}
          count={words.proposals.count}
          empty={
            <Empty
              title={show === 'inbox' ? words.proposals.noneInbox : words.proposals.none}
              icon="inbox"
            />
          }
        >
          {(proposals) => <ProposalTable proposals={proposals} />}
        </PagedList>
      </Panel>
    </>
  );
}

function callFor({
  show,
  teamId,
  status,
  page,
  isEscalated,
  isStanding,
  sort,
}: {
  readonly show: Show;
  readonly teamId: string;
  readonly status: string;
  readonly page: number;
  readonly isEscalated: boolean;
  readonly isStanding: boolean;
  readonly sort: Sort;
}): CallTo<'listProposals'> {
  const window = { page, page_size: pageSize, sort };
  const state = {
    ...(status in words.proposalStates && { status: status as ProposalState }),
    ...(isEscalated && { escalated: true }),
    ...(isStanding && { superseded: false }),
  };
  switch (show) {
    case 'inbox':
      return { query: { consumer_team_id: teamId, awaiting: true, status: 'pending', ...window } };
    case 'mine':
      return { query: { team_id: teamId, ...state, ...window } };
    case 'all':
      return { query: { ...state, ...window } };
    default:
      return show satisfies never;
  }
}
