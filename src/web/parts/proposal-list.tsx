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
              </td>
              <td data-label={words.proposals.answerBy}>
                <LastDay proposal={proposal} />
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

/** The last day for answers of a proposal that waits for some, marked once it is over. */
function LastDay({ proposal }: { readonly proposal: ProposalListed }) {
  const { answer_by: day } = proposal.request;
  if (day === null) return null;
  const isLate = proposal.status === 'pending' && Date.parse(endOfDay(day)) < Date.now();
  return (
    <>
      <Day at={day} />{' '}
      {isLate && (
        <Badge tone="warn" icon="clock">
          {words.proposals.late}
        </Badge>
      )}
    </>
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

/** A few proposals in a panel: the asset, the state, and the progress. */
export function ProposalLines({ proposals }: { readonly proposals: readonly ProposalListed[] }) {
  return (
    <ul className="lines">
      {proposals.map((proposal) => (
        <li key={proposal.id}>
          <Link to={paths.proposal(proposal.id)} className="line">
            <Fqn fqn={proposal.asset_fqn} />
            <span className="line-more">
              <span>
                {proposal.kind === 'schema'
                  ? words.changes.summary(proposal.breaking_changes_count, 0)
                  : words.proposal.kinds[proposal.kind]}
                {' · '}
                <Time at={proposal.proposed_at} />
              </span>
              <LastDay proposal={proposal} />
              <Progress done={proposal.acknowledgment_count} all={proposal.total_consumers} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
