// Proposals as a table.

import type { ProposalListed } from '../data/shapes.ts';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { words } from '../words.ts';
import { Badge, Fqn, ProposalBadge, TableFrame } from './bits.tsx';
import { Day, endOfDay, Time } from './time.tsx';

export function ProposalTable({ proposals }: { readonly proposals: readonly ProposalListed[] }) {
  return (
    <TableFrame label={words.proposals.caption}>
      <table className="table table-cards">
        <caption className="hidden">{words.proposals.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.proposals.asset}</th>
            <th scope="col">{words.proposals.status}</th>
            <th scope="col" className="number">
              {words.proposals.changes}
            </th>
            <th scope="col">{words.proposals.answered}</th>
            <th scope="col">{words.proposals.answerBy}</th>
            <th scope="col">{words.proposals.proposed}</th>
          </tr>
        </thead>
        <tbody>
          {proposals.map((proposal) => (
            <tr key={proposal.id}>
              <th scope="row">
                <Link to={paths.proposal(proposal.id)}>
                  <Fqn fqn={proposal.asset_fqn} />
                </Link>
                {proposal.kind !== 'schema' && (
                  <span className="muted"> · {words.proposal.kinds[proposal.kind]}</span>
                )}
              </th>
              <td data-label={words.proposals.status}>
                <ProposalBadge state={proposal.status} />{' '}
                {proposal.status === 'pending' && proposal.can_publish && (
                  <Badge tone="good" icon="check">
                    {words.proposals.ready}
                  </Badge>
                )}
              </td>
              <td className="number" data-label={words.proposals.changes}>
                {proposal.breaking_changes_count}
              </td>
              <td data-label={words.proposals.answered}>
                <Progress done={proposal.acknowledgment_count} all={proposal.total_consumers} />
                {proposal.objection_count > 0 && <span className="muted"> · </span>}
                <Objections proposal={proposal} />
              </td>
              <td data-label={words.proposals.answerBy}>
                {proposal.request.answer_by === null ? (
                  <span className="muted">{words.proposals.noDay}</span>
                ) : (
                  <LastDay proposal={proposal} />
                )}
              </td>
              <td data-label={words.proposals.proposed}>
                <Time at={proposal.proposed_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

/** Whether the last day for answers of a proposal that waits for some is over. */
export function isLate({ status, request: { answer_by: day } }: ProposalListed): boolean {
  return status === 'pending' && day !== null && Date.parse(endOfDay(day)) < Date.now();
}

/** The last day for answers of a proposal that waits for some, marked once it is over. */
function LastDay({
  proposal,
  label = '',
}: {
  readonly proposal: ProposalListed;
  readonly label?: string;
}) {
  const { answer_by: day } = proposal.request;
  if (day === null) return null;
  return (
    <span>
      {label}
      <Day at={day} />{' '}
      {isLate(proposal) && (
        <Badge tone="warn" icon="clock">
          {words.proposals.late}
        </Badge>
      )}
    </span>
  );
}

export function Progress({ done, all }: { readonly done: number; readonly all: number }) {
  return (
    <span className="progress">
      {all > 0 && <progress value={done} max={all} aria-label={words.proposals.answered} />}
      {words.proposals.answeredOf(done, all)}
    </span>
  );
}

function Objections({
  proposal: { objection_count: count },
}: {
  readonly proposal: ProposalListed;
}) {
  return count === 0 ? null : <span className="muted">{words.proposals.objections(count)}</span>;
}

/** Names the teams that have not agreed. */
function HeldUpBy({ proposal }: { readonly proposal: ProposalListed }) {
  const { not_agreed: named = [], total_consumers: all, acknowledgment_count: agreed } = proposal;
  if (named.length === 0) return null;
  const namesOf = (isBlocked: boolean) =>
    named
      .filter(({ response }) => (response === 'blocked') === isBlocked)
      .map(({ team_name: name }) => name);
  const more = all - agreed - named.length;
  return <span>{words.proposals.heldUp(namesOf(true), namesOf(false), more)}</span>;
}

/** A few proposals in a panel: the asset, the state, the progress, and who has not agreed. */
export function ProposalLines({ proposals }: { readonly proposals: readonly ProposalListed[] }) {
  return (
    <ul className="lines">
      {proposals.map((proposal) => (
        <li key={proposal.id}>
          <Link to={paths.proposal(proposal.id)} className="line">
            <Fqn fqn={proposal.asset_fqn} />
            <span className="line-more">
              {proposal.status !== 'pending' && <ProposalBadge state={proposal.status} />}
              <span>
                {proposal.kind === 'schema'
                  ? words.changes.summary(proposal.breaking_changes_count, 0)
                  : words.proposal.kinds[proposal.kind]}
                {' · '}
                <Time at={proposal.proposed_at} />
              </span>
              <LastDay proposal={proposal} label={`${words.proposals.answerByDay} `} />
              <Progress done={proposal.acknowledgment_count} all={proposal.total_consumers} />
              <HeldUpBy proposal={proposal} />
              <Objections proposal={proposal} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** A proposal is made where the schema is. */
export function HowToPropose({ teamId }: { readonly teamId: string | null }) {
  const [before, link, after] = words.proposals.howToPropose;
  return (
    <>
      {before}
      <Link to={teamId === null ? paths.assets : `${paths.assets}?owner=${teamId}`}>{link}</Link>
      {after}
    </>
  );
}
