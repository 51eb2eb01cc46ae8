// What a proposal does to the reader's team, before everything else that it changes.

import { placeText, valueText } from '../../../core/diff/change-text.ts';
import type { Json } from '../../../core/value/json.ts';
import type { Change, Proposal, ProposalConsumer } from '../../data/shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { Panel } from '../../parts/bits.tsx';
import { markOf } from '../../parts/change-list.tsx';
import { HitReason, markOfField } from '../../parts/hit-line.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { useActsFor, useTeamChoice } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

export function ForYouPanel({ proposal }: { readonly proposal: Proposal }) {
  const actsFor = useActsFor();
  const { teamId } = useTeamChoice();
  const me = proposal.consumers.find(({ team_id }) => team_id === teamId);
  const isOpen = proposal.resolved_at === null && proposal.kind === 'schema';
  if (!isOpen || me === undefined || !actsFor(me.team_id)) return null;
  return (
    <Panel title={words.proposal.forYou.title(me.team_name)} className="panel-asked panel-for-you">
      {me.verdict === undefined ? (
        <Unsaid proposal={proposal} consumer={me} />
      ) : (
        <Said consumer={me} />
      )}
    </Panel>
  );
}

function Said({ consumer }: { readonly consumer: ProposalConsumer }) {
  const { verdict = 'may_break', witness, path, reason } = consumer;
  const { forYou } = words.proposal;
  return (
    <>
      <p>
        {words.needs.verdicts[verdict]}
        <HitReason hit={{ path, reason }} />
      </p>
      {witness !== undefined && (
        <JsonView value={witness as Json} label={forYou.example} mark={markOfField(path)} isSmall />
      )}
    </>
  );
}

/** The team reads everything, so the shortest example stands for all breaks. */
function Unsaid({
  proposal,
  consumer,
}: {
  readonly proposal: Proposal;
  readonly consumer: ProposalConsumer;
}) {
  const { forYou } = words.proposal;
  const registered = useAnswer('listRegistrations', usesOf(proposal, consumer.team_id));
  const [registration] = registered.kind === 'ready' ? registered.body.results : [];
  const breaks = proposal.changes.filter(({ breaking }) => breaking);
  // A single one stands below with its example.
  const shown = breaks.length > 1 ? shortestOf(breaks) : undefined;
  return (
    <>
      <p>
        {registration?.notes != null && (
          <>
            {forYou.usedFor} <q>{registration.notes.replace(/\.$/, '')}</q>.{' '}
          </>
        )}
        {forYou.unsaid(breaks.length)}
      </p>
      {shown?.witness !== undefined && (
        <>
          <p>
            {forYou.shortest} <code>{placeText(shown.path)}</code>:
          </p>
          <JsonView
            value={shown.witness}
            label={forYou.example}
            mark={markOf(shown.path)}
            isSmall
          />
        </>
      )}
      {consumer.response === undefined && (
        <p className="hint">
          {forYou.sayLater} <Link to={paths.asset(proposal.asset_id, 'readers')}>{forYou.say}</Link>
        </p>
      )}
    </>
  );
}

/** What a team said it uses the asset for. */
export function usesOf({ asset_id }: Proposal, teamId: string) {
  return { query: { asset_id, consumer_team_id: teamId, page_size: 1 } } as const;
}

function shortestOf(breaks: readonly Change[]): Change | undefined {
  const sizeOf = ({ witness }: Change) =>
    witness === undefined ? Number.MAX_SAFE_INTEGER : valueText(witness as Json, []).length;
  return breaks.toSorted((one, other) => sizeOf(one) - sizeOf(other))[0];
}
