// One proposal: its changes and why they break, the answers, and the possible actions.

import { useState } from 'react';
import { nextVersion } from '../../../core/decide/publishing/version.ts';
import type { Contract, Proposal, ProposalConsumer } from '../../data/shapes.ts';
import { useAnswer, useIsAnswered } from '../../data/use-answer.ts';
import { Badge, Fqn, PageHead, Panel, ProposalBadge, useTitle } from '../../parts/bits.tsx';
import { ChangeList, changeSummary } from '../../parts/change-list.tsx';
import { actorOf } from '../../parts/event-detail.ts';
import { EventList } from '../../parts/event-line.tsx';
import { HitLine } from '../../parts/hit-line.tsx';
import { Icon } from '../../parts/icon.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Progress } from '../../parts/proposal-list.tsx';
import { SideBySide } from '../../parts/side-by-side.tsx';
import { Await, Loading } from '../../parts/states.tsx';
import { Day, Time } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link, type ViewProps, withQuery } from '../../router.tsx';
import { useActsFor, useIsForOther, useTeamChoice } from '../../session/session-context.tsx';
import { capitalised, words } from '../../words.ts';
import { AnswerPanel } from './proposal-answer.tsx';
import { DecidePanel } from './proposal-decide.tsx';
import { ForYouPanel, usesOf } from './proposal-for-you.tsx';
import { ObjectionsPanel } from './proposal-objections.tsx';
import { RequestPanel } from './proposal-request.tsx';
import { Replaced, revisionsOf, SincePanel } from './proposal-since.tsx';
import { TalkPanel } from './proposal-talk.tsx';

export default function ProposalView({ params }: ViewProps) {
  const answer = useAnswer('getProposal', {
    params: { proposal_id: params.id ?? '' },
    // The page shows alike changes together, with one example.
    query: { examples: 'first' },
  });
  return (
    <Await answer={answer} isWholePage>
      {(proposal) => <ProposalPage proposal={proposal} />}
    </Await>
  );
}

function ProposalPage({ proposal }: { readonly proposal: Proposal }) {
  useTitle(`${words.proposal.kinds[proposal.kind]} · ${proposal.asset_fqn}`);
  const base = useAnswer('getContract', baseOf(proposal));
  const isWhole = useIsWhole(proposal);
  if (!isWhole) return <Loading />;
  return (
    <>
      <ProposalHead proposal={proposal} />
      <div className="columns columns-wide-left">
        <div className="stack">
          <ForYouPanel proposal={proposal} />
          <SincePanel proposal={proposal} />
          <WhatItDoes proposal={proposal} />
          <Panel title={words.changes.title} aside={changeSummary(proposal.changes)}>
            <ChangeList
              changes={proposal.changes}
              old={base.kind === 'ready' ? base.body : undefined}
            />
          </Panel>
          <TalkPanel key={`talk ${proposal.id}`} proposal={proposal} />
          <ProposedSchema proposal={proposal} />
          <History proposal={proposal} />
        </div>
        <div className="stack stack-first">
          <RequestPanel key={`request ${proposal.id}`} proposal={proposal} />
          <AnswerPanel key={`answer ${proposal.id}`} proposal={proposal} />
          <Consumers proposal={proposal} />
          <ObjectionsPanel key={`objections ${proposal.id}`} proposal={proposal} />
          <DecidePanel key={`decide ${proposal.id}`} proposal={proposal} />
        </div>
      </div>
    </>
  );
}

/**
 * Whether everything that stands above a button is known: what came later would move the button under
 * the pointer. Once shown, the page stays visible, so that no draft is lost.
 */
function useIsWhole(proposal: Proposal): boolean {
  const { asset_id, proposed_by, published_contract_id: published } = proposal;
  const { teamId } = useTeamChoice();
  const [isShown, setShown] = useState(false);
  const me = proposal.consumers.find(({ team_id }) => team_id === teamId);
  const parts = [
    useIsAnswered('getAsset', { params: { asset_id } }),
    useIsAnswered('getTeam', { params: { team_id: proposed_by } }),
    useIsAnswered('getContract', baseOf(proposal)),
    useIsAnswered(
      'getContract',
      published === null ? null : { params: { contract_id: published } },
    ),
    useIsAnswered('listRevisions', revisionsOf(proposal)),
    useIsAnswered('listEntityHistory', historyOf(proposal)),
    useIsAnswered('listRegistrations', me === undefined ? null : usesOf(proposal, me.team_id)),
  ];
  const isWhole = isShown || parts.every((isAnswered) => isAnswered);
  if (isWhole && !isShown) setShown(true);
  return isWhole;
}

function ProposalHead({ proposal }: { readonly proposal: Proposal }) {
  const team = useAnswer('getTeam', { params: { team_id: proposal.proposed_by } });
  const teamName = team.kind === 'ready' ? team.body.name : proposal.proposed_by_actor.name;
  return (
    <PageHead
      title={
        <>
          <span className="over-title">{words.proposal.kinds[proposal.kind]}</span>
          <Link to={paths.asset(proposal.asset_id)}>
            <Fqn fqn={proposal.asset_fqn} />
          </Link>
        </>
      }
      aside={<ProposalBadge state={proposal.status} />}
      notes={
        <>
          <Decided proposal={proposal} />
          {proposal.status === 'rejected' && <BlockedNote proposal={proposal} />}
        </>
      }
    >
      <p className="muted">
        {words.proposal.by(teamName)}
        {' · '}
        <Time at={proposal.proposed_at} />
        <NextVersion proposal={proposal} />
        {proposal.round > 1 && ` · ${words.proposal.round(proposal.round)}`}
        {proposal.resolved_at !== null && (
          <>
            {' · '}
            {words.proposal.resolved} <Time at={proposal.resolved_at} />
          </>
        )}
      </p>
      <Replaced proposal={proposal} />
      {proposal.superseded_by !== null && (
        <Link to={paths.proposal(proposal.superseded_by)}>{words.proposal.superseded}</Link>
      )}
      {proposal.published_contract_id !== null && (
        <Published proposal={proposal} contractId={proposal.published_contract_id} />
      )}
    </PageHead>
  );
}

const bumps = ['patch', 'minor', 'major'] as const;

const decisions = {
  published: 'proposal.published',
  force_published: 'proposal.force_published',
  withdrawn: 'proposal.withdrawn',
} as const;

/** Who decided about the proposal, when and why. What consumers agreed to needs no words. */
function Decided({ proposal }: { readonly proposal: Proposal }) {
  const { status, reason } = proposal;
  const events = useAnswer('listEntityHistory', historyOf(proposal));
  const type = Object.entries(decisions).find(([one]) => one === status)?.[1];
  const decision =
    events.kind === 'ready'
      ? events.body.results.find(({ event_type }) => event_type === type)
      : undefined;
  if (reason === null && status !== 'force_published') return null;
  return (
    <p className={status === 'force_published' ? 'note note-bad' : 'note'}>
      <Icon name={status === 'force_published' ? 'alert' : 'info'} />
      <span>
        {decision === undefined ? (
          words.proposal.reasonGiven
        ) : (
          <>
            <strong>
              {capitalised(words.proposalStates[status])} {words.audit.by(actorOf(decision))}
            </strong>
            {' · '}
            <Time at={decision.timestamp} />
          </>
        )}
        {reason !== null && (
          <>
            {': '}
            <q>{reason}</q>
          </>
        )}
      </span>
    </p>
  );
}

/** The version that the proposal became. */
function Published({
  proposal,
  contractId,
}: {
  readonly proposal: Proposal;
  readonly contractId: string;
}) {
  const answer = useAnswer('getContract', { params: { contract_id: contractId } });
  if (answer.kind !== 'ready') return null;
  const { version } = answer.body;
  return (
    <p>
      <strong>{words.proposal.becameVersion(version)}</strong>{' '}
      <Link to={withQuery(paths.asset(proposal.asset_id), new URLSearchParams({ version }))}>
        {words.proposal.becameContract}
      </Link>
    </p>
  );
}

/** Who blocked the proposal, when and why, and what each side can do now. */
function BlockedNote({ proposal }: { readonly proposal: Proposal }) {
  const events = useAnswer('listEntityHistory', historyOf(proposal));
  const block =
    events.kind === 'ready'
      ? events.body.results.find(({ event_type }) => event_type === 'proposal.rejected')
      : undefined;
  const isForOther = useIsForOther();
  const actsFor = useActsFor();
  const isMine = proposal.consumers.some(
    ({ response, team_id }) => response === 'blocked' && actsFor(team_id) && !isForOther(team_id),
  );
  return (
    <div className="note note-bad" role="note">
      <Icon name="cross" />
      <div>
        {proposal.consumers
          .filter(({ response }) => response === 'blocked')
          .map(({ team_id, team_name, notes }) => (
            <p key={team_id}>
              <strong>{words.proposal.blockedBy(team_name)}</strong>
              {block !== undefined && (
                <>
                  {' · '}
                  <Time at={block.timestamp} />
                </>
              )}
              {notes !== undefined && (
                <>
                  {': '}
                  <q>{notes}</q>
                </>
              )}
            </p>
          ))}
        {block !== undefined && <p>{words.proposal.answeredBy(actorOf(block))}</p>}
        {proposal.superseded_by === null && (
          <p>{words.proposal.next[isMine ? 'blockedByYou' : 'blocked']}</p>
        )}
      </div>
    </div>
  );
}

function historyOf({ id }: Proposal) {
  return { params: { entity_type: 'proposal', entity_id: id }, query: { limit: 100 } } as const;
}

/** The version that would be published, while the proposal is open. */
function NextVersion({ proposal }: { readonly proposal: Proposal }) {
  const base = useAnswer('getContract', baseOf(proposal));
  const isOpen = proposal.kind === 'schema' && proposal.resolved_at === null;
  if (!isOpen || base.kind !== 'ready') return null;
  const { version, status } = base.body;
  const bump = bumps.find((one) => one === proposal.change_type) ?? 'major';
  const next = nextVersion({ highestEver: version, bump });
  // If another version was published meanwhile, the number is known once the proposal is compared again.
  const known = status === 'active' && next.ok ? next.value.version : null;
  const asked = proposal.proposed.version ?? known;
  return ` · ${asked === null ? words.proposal.after(version) : words.proposal.as(asked, version)}`;
}

function baseOf({ base_contract_id: id }: Proposal) {
  return id === null ? null : { params: { contract_id: id } };
}

/** The proposed values of a proposal that is not about a schema. */
function WhatItDoes({ proposal }: { readonly proposal: Proposal }) {
  const text = describeProposed(proposal);
  return text === null ? null : (
    <Panel title={words.proposal.whatItDoes}>
      <p>{text}</p>
    </Panel>
  );
}

function describeProposed({ kind, proposed }: Proposal): string | null {
  const { what } = words.proposal;
  const { guaranteeMode, guaranteeModes, needsMode, needsModes } = words.asset.edit;
  switch (kind) {
    case 'schema':
      return null;
    case 'deprecation':
      return what.deprecation(proposed.contract_version ?? '');
    case 'move':
      return what.move(proposed.environment ?? '');
    case 'guarantee_mode':
      return what.mode(guaranteeMode, guaranteeModes[proposed.guarantee_mode ?? 'ignore']);
    case 'needs_mode':
      return what.mode(needsMode, needsModes[proposed.needs_mode ?? 'ignore']);
    default:
      return kind satisfies never;
  }
}

function Consumers({ proposal }: { readonly proposal: Proposal }) {
  const { excused_consumers: excused = [] } = proposal;
  const actsFor = useActsFor();
  const { teamId } = useTeamChoice();
  const mine = excused.find(({ team_id }) => team_id === teamId && actsFor(team_id));
  return (
    <Panel
      title={
        proposal.resolved_at === null ? words.proposal.consumers : words.proposal.consumersThen
      }
      aside={<Progress done={proposal.acknowledgment_count} all={proposal.total_consumers} />}
    >
      {proposal.consumers.length === 0 && excused.length === 0 && (
        <p className="quiet">
          <Icon name="people" />
          {proposal.resolved_at === null ? words.proposal.nobody : words.proposal.nobodyThen}
        </p>
      )}
      {proposal.consumers.length > 0 && (
        <ul className="answers">
          {proposal.consumers.map((consumer) => (
            <ConsumerAnswer
              key={consumer.team_id}
              consumer={consumer}
              isDecided={proposal.resolved_at !== null}
            />
          ))}
        </ul>
      )}
      {excused.length > 0 && (
        <p className="hint">
          {words.needs.excused(excused.map(({ team_name }) => team_name))}
          {mine !== undefined && (
            <>
              {' '}
              <Link to={paths.asset(proposal.asset_id, 'readers')}>
                {words.readers.edit(mine.team_name)}
              </Link>
            </>
          )}
        </p>
      )}
    </Panel>
  );
}

const answerLooks = {
  approved: ['good', 'check'],
  migrating: ['calm', 'clock'],
  blocked: ['bad', 'cross'],
} as const;

function ConsumerAnswer({
  consumer,
  isDecided,
}: {
  readonly consumer: ProposalConsumer;
  /** No answer comes any more. */
  readonly isDecided: boolean;
}) {
  const { response, until, notes, acknowledged_at: at } = consumer;
  return (
    <li className="answer">
      <div className="answer-head">
        <strong>{consumer.team_name}</strong>
        {response === undefined ? (
          <Badge tone="plain" icon="clock">
            {consumer.no_answer === true || isDecided
              ? words.proposal.request.noAnswer
              : words.proposal.notAnswered}
          </Badge>
        ) : (
          <Badge tone={answerLooks[response][0]} icon={answerLooks[response][1]}>
            {words.proposal.responses[response]}
          </Badge>
        )}
      </div>
      {consumer.verdict !== undefined && (
        <HitLine hit={{ ...consumer, verdict: consumer.verdict }} />
      )}
      {(at !== undefined || until !== undefined) && (
        <p className="muted">
          {at !== undefined && <Time at={at} />}
          {until !== undefined && (
            <>
              {at !== undefined && ' · '}
              {words.proposal.until} <Day at={until} />
            </>
          )}
        </p>
      )}
      {notes !== undefined && notes !== '' && <p className="answer-note">{notes}</p>}
    </li>
  );
}

function ProposedSchema({ proposal }: { readonly proposal: Proposal }) {
  const base = useAnswer('getContract', baseOf(proposal));
  // The text of a wide schema is most of the page, and few read it.
  const [isOpen, setOpen] = useState(false);
  if (proposal.proposed_schema === undefined) return null;
  const isPublished = proposal.published_contract_id !== null;
  const schemaName = words.proposal[isPublished ? 'publishedSchema' : 'proposedSchema'];
  const next = {
    schema: proposal.proposed_schema,
    dialect: base.kind === 'ready' ? base.body.dialect : null,
    guarantees: proposal.proposed.guarantees ?? null,
  } satisfies Pick<Contract, 'schema' | 'dialect' | 'guarantees'>;
  return (
    <>
      {base.kind === 'ready' && (
        <Panel className="panel-flush" title={words.compare.sideBySide}>
          <SideBySide
            old={base.body}
            next={next}
            oldName={base.body.version}
            nextName={schemaName}
            isChangedOnly
          />
        </Panel>
      )}
      <details
        className="panel panel-flush"
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary>{schemaName}</summary>
        {isOpen && <JsonView value={proposal.proposed_schema} label={schemaName} />}
      </details>
    </>
  );
}

function History({ proposal }: { readonly proposal: Proposal }) {
  const answer = useAnswer('listEntityHistory', historyOf(proposal));
  return (
    <Panel title={words.proposal.history}>
      <Await answer={answer}>{({ results }) => <EventList events={results} />}</Await>
    </Panel>
  );
}
