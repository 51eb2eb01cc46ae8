// The start page: what waits for the user's team, and recent changes.

import { type Answer, together } from '../data/cache.ts';
import {
  blockedQuery,
  consumedCount,
  counted,
  dueProposals,
  inboxOf,
  ownBlocked,
  ownCount,
  ownFailing,
  ownProposals,
  pendingCount,
  recentEvents,
} from '../data/first-questions.ts';
import { useIsLive } from '../data/live.tsx';
import type { AuditEvent, ProposalListed } from '../data/shapes.ts';
import { useAnswer } from '../data/use-answer.ts';
import { Badge, Fqn, PageHead, Panel, useTitle } from '../parts/bits.tsx';
import { EventList } from '../parts/event-line.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { HowToPropose, isLate, ProposalLines } from '../parts/proposal-list.tsx';
import { Await, Empty } from '../parts/states.tsx';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { useIsAdmin, useMyTeam, useTeamChoice } from '../session/session-context.tsx';
import { words } from '../words.ts';
import { FirstSteps } from './first-steps.tsx';

const shownEvents = 10;
const shownProposals = 5;

const blockedList = `${paths.proposals}?show=all&status=rejected&superseded=false`;

export default function Home() {
  useTitle(words.home.title);
  const { teamId } = useTeamChoice();
  const team = useMyTeam();
  const isAdmin = useIsAdmin();
  return (
    <>
      <PageHead title={words.home.title}>
        {team !== null && (
          <p className="muted">
            {words.home.waitingHint(team.name)} <HowToPropose teamId={teamId} />
          </p>
        )}
      </PageHead>
      <FirstSteps />
      <Counts teamId={teamId} />
      <div className="columns">
        <div className="stack">
          {isAdmin && <HeldUp />}
          {teamId === null ? <NoTeam /> : <Waiting teamId={teamId} />}
        </div>
        <Recent />
      </div>
    </>
  );
}

function NoTeam() {
  return (
    <Panel>
      <Empty title={words.team.choose} icon="people">
        <p>{words.team.chooseHint}</p>
      </Empty>
    </Panel>
  );
}

/** What only an administrator can carry past its consumers: blocked, or due and not answered. */
function HeldUp() {
  const blocked = useAnswer('listProposals', { query: blockedQuery });
  const due = useAnswer('listProposals', dueProposals);
  const late =
    due.kind === 'ready'
      ? due.body.results.filter((proposal) => isLate(proposal) && !proposal.can_publish)
      : [];
  return (
    <>
      <ProposalPanel
        title={words.home.blocked}
        none={words.home.nothingBlocked}
        icon="check"
        answer={blocked}
        to={blockedList}
      />
      {late.length > 0 && (
        <Panel title={words.home.late}>
          <Proposals
            proposals={late}
            none=""
            icon="clock"
            to={`${paths.proposals}?show=all&status=pending&sort=answer_by`}
          />
        </Panel>
      )}
    </>
  );
}

function Waiting({ teamId }: { readonly teamId: string }) {
  const toAnswer = useAnswer('listProposals', inboxOf(teamId));
  const pending = useAnswer('listProposals', ownProposals(teamId, 'pending'));
  const approved = useAnswer('listProposals', ownProposals(teamId, 'approved'));
  const rejected = useAnswer('listProposals', ownBlocked(teamId));
  // "None" in one panel beside panels that are not known yet reads as if it were about all.
  return (
    <Await answer={together([toAnswer, approved, rejected, pending])}>
      {([asked, ...own]) => {
        const proposals = own.flatMap(({ results }) => results);
        const isReady = ({ status, can_publish: can }: ProposalListed) =>
          status === 'approved' || can;
        const open = proposals.filter((proposal) => !isReady(proposal));
        return (
          <>
            <Panel title={words.home.toAnswer}>
              <Proposals
                proposals={asked?.results ?? []}
                total={asked?.total}
                none={words.home.nothingToAnswer}
                icon="inbox"
              />
            </Panel>
            <Panel title={words.home.toPublish}>
              <Proposals
                proposals={proposals.filter(isReady)}
                none={words.home.nothingToPublish}
                icon="check"
              />
            </Panel>
            {open.length > 0 && (
              <Panel title={words.home.openMine}>
                <Proposals proposals={open} none="" icon="clock" />
              </Panel>
            )}
            <Failing teamId={teamId} />
          </>
        );
      }}
    </Await>
  );
}

/** Assets of the team whose last quality run failed. An asset drops out after a successful run. */
function Failing({ teamId }: { readonly teamId: string }) {
  const answer = useAnswer('listAssets', ownFailing(teamId));
  return (
    <Panel title={words.home.failing}>
      <Await answer={answer}>
        {({ results, total = results.length }) =>
          results.length === 0 ? (
            <p className="quiet">
              <Icon name="check" />
              {words.home.nothingFailing}
            </p>
          ) : (
            <>
              <ul className="lines">
                {results.map((asset) => (
                  <li key={asset.id}>
                    <Link to={paths.asset(asset.id, 'quality')} className="line">
                      <Fqn fqn={asset.fqn} />
                      <span className="line-more">
                        <Badge tone="bad" icon="cross">
                          {words.quality.states.failed}
                        </Badge>
                      </span>
                    </Link>
                  </li>
                ))}
              </ul>
              {total > results.length && (
                <Link to={`${paths.assets}?owner=${teamId}&quality=failed`} className="panel-more">
                  {words.changes.more(total - results.length)}
                </Link>
              )}
            </>
          )
        }
      </Await>
    </Panel>
  );
}

function ProposalPanel({
  title,
  none,
  icon,
  answer,
  to,
}: {
  readonly title: string;
  readonly none: string;
  readonly icon: IconName;
  readonly answer: Answer<{ results: readonly ProposalListed[]; total?: number | undefined }>;
  readonly to?: string;
}) {
  return (
    <Panel title={title}>
      <Await answer={answer}>
        {({ results, total }) => (
          <Proposals proposals={results} total={total} none={none} icon={icon} to={to} />
        )}
      </Await>
    </Panel>
  );
}

function Proposals({
  proposals,
  total = proposals.length,
  none,
  icon,
  to = paths.proposals,
}: {
  readonly proposals: readonly ProposalListed[];
  readonly total?: number | undefined;
  readonly none: string;
  readonly icon: IconName;
  /** Leads to the whole list. */
  readonly to?: string | undefined;
}) {
  if (proposals.length === 0) {
    return (
      <p className="quiet">
        <Icon name={icon} />
        {none}
      </p>
    );
  }
  return (
    <>
      <ProposalLines proposals={proposals.slice(0, shownProposals)} />
      {total > shownProposals && (
        <Link to={to} className="panel-more">
          {words.changes.more(total - shownProposals)}
        </Link>
      )}
    </>
  );
}

function Recent() {
  const events = useAnswer('listEvents', recentEvents);
  return (
    <Panel
      title={words.home.recent}
      aside={
        <span className="panel-aside">
          <LiveMark />
          <Link to={paths.audit} className="panel-link">
            {words.home.allEvents}
          </Link>
        </span>
      }
    >
      <Await answer={events}>
        {({ results }) =>
          !results.some(isChange) ? (
            <Empty title={words.home.nothingRecent} icon="clock" />
          ) : (
            <EventList events={results.filter(isChange)} limit={shownEvents} />
          )
        }
      </Await>
    </Panel>
  );
}

/** Leaves out who is told of what. */
function isChange({ event_type: type }: AuditEvent): boolean {
  return !type.startsWith('webhook.');
}

/** Shows whether the list is updated live, once that is known. */
function LiveMark() {
  const isLive = useIsLive();
  if (isLive === null) return null;
  return isLive ? (
    <Badge tone="good" icon="check">
      {words.home.live}
    </Badge>
  ) : (
    <Badge tone="plain" icon="clock">
      {words.home.notLive}
    </Badge>
  );
}

function Counts({ teamId }: { readonly teamId: string | null }) {
  const assets = useAnswer('listAssets', counted);
  const pending = useAnswer('listProposals', pendingCount);
  const blocked = useAnswer('listProposals', { query: blockedQuery });
  const mine = useAnswer('listAssets', teamId === null ? null : ownCount(teamId));
  const consuming = useAnswer('listAssets', teamId === null ? null : consumedCount(teamId));
  const { counts } = words.home;
  return (
    <ul className="counts">
      <Count label={counts.assets} answer={assets} to={paths.assets} />
      <Count
        label={counts.pending}
        answer={pending}
        to={`${paths.proposals}?show=all&status=pending`}
      />
      <Count label={counts.blocked} answer={blocked} to={blockedList} />
      {teamId !== null && (
        <>
          <Count label={counts.mine} answer={mine} to={`${paths.assets}?owner=${teamId}`} />
          <Count
            label={counts.consuming}
            answer={consuming}
            to={`${paths.assets}?consumer=${teamId}`}
          />
        </>
      )}
    </ul>
  );
}

function Count({
  label,
  answer,
  to,
}: {
  readonly label: string;
  readonly answer: Answer<{ total?: number | undefined }>;
  readonly to?: string;
}) {
  const total = answer.kind === 'ready' ? answer.body.total : undefined;
  const unknown = answer.kind === 'loading' ? '\u00a0' : '–';
  const content = (
    <>
      {/* A space keeps the height while the number is not known. */}
      <span className="count-number">{total?.toLocaleString('en') ?? unknown}</span>
      <span className="count-label">{label}</span>
    </>
  );
  return (
    <li className="count">
      {to === undefined ? <div>{content}</div> : <Link to={to}>{content}</Link>}
    </li>
  );
}
