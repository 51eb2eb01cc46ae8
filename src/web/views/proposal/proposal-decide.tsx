// The actions of the producer, and of an administrator in its place. core's table lists the actions
// of each state; the registry checks who may use them.

import { useState } from 'react';
import { groupAlike } from '../../../core/diff/alike-changes.ts';
import { placeText } from '../../../core/diff/change-text.ts';
import { type ProposalAct, proposalTable } from '../../../core/proposal-machine.ts';
import type { Proposal } from '../../data/shapes.ts';
import { type Act, useAct, useAnswer } from '../../data/use-answer.ts';
import { announce } from '../../parts/announcer.tsx';
import { Panel } from '../../parts/bits.tsx';
import { Dialog, TextField } from '../../parts/form/form.tsx';
import { ReasonField } from '../../parts/form/reason-field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { useActsFor, useHasDuty, useViewer } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

type Question = 'publish' | 'withdraw' | 'expire' | 'force';

export function DecidePanel({ proposal }: { readonly proposal: Proposal }) {
  const asset = useAnswer('getAsset', { params: { asset_id: proposal.asset_id } });
  const actsFor = useActsFor();
  const mayForce = useHasDuty('force');
  const isOwnRequest = useIsOwnRequest();
  const act = useAct();
  const [question, setQuestion] = useState<Question | null>(null);
  const owner = asset.kind === 'ready' ? asset.body.owner_team_id : proposal.proposed_by;
  const isOwner = actsFor(owner);
  const may = (one: ProposalAct) => isActFrom(proposal, one);
  // Others may decide meanwhile; the dialog and the last refusal stay visible.
  const isAsking = question !== null || act.refusal !== null;
  const mayDecide = (isOwner || mayForce) && (may('withdraw') || may('publish'));
  if (!mayDecide && !isAsking) return null;
  const step = nextStep(proposal);
  const call = { params: { proposal_id: proposal.id }, body: {} };
  const close = () => {
    setQuestion(null);
    act.forget();
  };
  return (
    <Panel
      title={words.proposal.decide}
      // What is left of a blocked proposal is to decide.
      className={proposal.status === 'rejected' ? 'panel-first' : ''}
    >
      {step !== null && <p className="muted">{words.proposal.next[step]}</p>}
      <ForceRequested request={proposal.force_requested} />
      <div className="decide">
        {isOwner && may('publish') && (
          <button
            type="button"
            className="button button-main"
            onClick={() => setQuestion('publish')}
          >
            {words.proposal.publish}
          </button>
        )}
        {isOwner && may('approve') && (
          <button
            type="button"
            className="button"
            onClick={() => act.run('approveProposal', call, words.proposal.parked)}
          >
            {words.proposal.park}
          </button>
        )}
        {isOwner && isRevisable(proposal) && may('withdraw') && (
          <Link className="button" to={paths.revise(proposal.asset_id, proposal.id)}>
            {words.proposal.revise}
          </Link>
        )}
        {isOwner && may('rebase') && (
          <button
            type="button"
            className="button"
            onClick={() => act.run('rebaseProposal', call, words.proposal.rebased)}
          >
            {words.proposal.rebase}
          </button>
        )}
        {isOwner && may('withdraw') && (
          <button type="button" className="button" onClick={() => setQuestion('withdraw')}>
            {words.proposal.withdraw}
          </button>
        )}
        {isOwner && may('expire') && (
          <button type="button" className="button" onClick={() => setQuestion('expire')}>
            {words.proposal.expire}
          </button>
        )}
        {mayForce && may('force') && !proposal.can_publish && !isOwnRequest(proposal) && (
          <button
            type="button"
            className="button button-danger-quiet"
            onClick={() => setQuestion('force')}
          >
            {words.proposal.force}
          </button>
        )}
      </div>
      {question === null && <RefusalNote refusal={act.refusal} />}
      {question === 'publish' && <PublishDialog proposal={proposal} act={act} onClose={close} />}
      {question === 'withdraw' && <WithdrawDialog proposal={proposal} act={act} onClose={close} />}
      {question === 'expire' && <ExpireDialog proposal={proposal} act={act} onClose={close} />}
      {question === 'force' && <ForceDialog proposal={proposal} act={act} onClose={close} />}
    </Panel>
  );
}

/** Another change can take its place until a newer proposal has. */
function isRevisable({ kind, superseded_by }: Proposal): boolean {
  return kind === 'schema' && superseded_by === null;
}

/** Null if the head of the page says it. */
function nextStep(proposal: Proposal): keyof typeof words.proposal.next | null {
  if (proposal.status === 'rejected') return proposal.superseded_by === null ? null : 'replaced';
  if (!proposal.can_publish) return 'notReady';
  return proposal.total_consumers === 0 ? 'nobodyAsked' : 'ready';
}

/** Offers only actions that this state allows. The registry checks who may act. */
function isActFrom(proposal: Proposal, act: ProposalAct): boolean {
  return proposalTable.some(
    (row) =>
      row.from === proposal.status &&
      row.act === act &&
      row.event !== null &&
      (row.when !== 'can_publish' || proposal.can_publish) &&
      (row.when !== 'overdue' || Date.parse(proposal.may_expire_at) <= Date.now()) &&
      (row.when !== 'not_superseded' || proposal.superseded_by === null),
  );
}

interface DialogProps {
  readonly proposal: Proposal;
  readonly act: Act;
  readonly onClose: () => void;
}

function PublishDialog({ proposal, act, onClose }: DialogProps) {
  const publish = async () => {
    const call = { params: { proposal_id: proposal.id }, body: {} };
    const done = await act.run('publishProposal', call, words.proposal.published);
    if (done !== null) onClose();
  };
  return (
    <Dialog
      title={words.proposal.publishTitle}
      confirm={words.proposal.publish}
      isRunning={act.isRunning}
      onConfirm={publish}
      onClose={onClose}
    >
      <p>{words.proposal.publishHints[proposal.kind]}</p>
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

function WithdrawDialog({ proposal, act, onClose }: DialogProps) {
  const [reason, setReason] = useState('');
  const withdraw = async () => {
    const call = { params: { proposal_id: proposal.id }, body: { reason } };
    const done = await act.run('withdrawProposal', call, words.proposal.withdrawn);
    if (done !== null) onClose();
  };
  return (
    <Dialog
      title={words.proposal.withdrawTitle}
      confirm={words.proposal.withdraw}
      isDangerous
      isRunning={act.isRunning}
      onConfirm={withdraw}
      onClose={onClose}
    >
      <ReasonField reason={reason} onText={setReason} />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

function ExpireDialog({ proposal, act, onClose }: DialogProps) {
  const expire = async () => {
    const call = { params: { proposal_id: proposal.id }, body: {} };
    const done = await act.run('expireProposal', call, words.proposal.expired);
    if (done !== null) onClose();
  };
  return (
    <Dialog
      title={words.proposal.expireTitle}
      confirm={words.proposal.expire}
      isDangerous
      isRunning={act.isRunning}
      onConfirm={expire}
      onClose={onClose}
    >
      <p>{words.proposal.expireHint}</p>
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

/** True if this user requested the force, so a second administrator has to confirm it. */
function useIsOwnRequest(): (proposal: Proposal) => boolean {
  const { userId } = useViewer().session;
  return ({ force_requested: request }) => request !== null && request.user_id === userId;
}

function ForceRequested({ request }: { readonly request: Proposal['force_requested'] }) {
  if (request === null) return null;
  return (
    <p className="note">
      <Icon name="alert" />
      <span>
        {words.proposal.forceRequestedBy(request.by.name)} <Time at={request.requested_at} />
        {': '}
        <q>{request.reason}</q> {words.proposal.forceWaits}
      </span>
    </p>
  );
}

/**
 * Two steps: first the reason, then the affected consumers, with the asset's name typed to confirm.
 */
function ForceDialog({ proposal, act, onClose }: DialogProps) {
  const [reason, setReason] = useState('');
  const [isSecondLook, setSecondLook] = useState(false);
  const [typed, setTyped] = useState('');
  // What was read before the dialog stood in front of it.
  const [round] = useState(proposal.round);
  const isOutdated = round !== proposal.round;
  const { fourEyes } = useViewer().session;
  const requested = proposal.force_requested;
  const isRequest = fourEyes && requested === null;
  const unheard = proposal.consumers.filter((consumer) => !consumer.acknowledged);
  const go = async () => {
    if (!isSecondLook) {
      setSecondLook(true);
      return;
    }
    const call = { params: { proposal_id: proposal.id }, body: { reason, round } };
    const done = await act.run('forceProposal', call);
    if (done === null) return;
    const { forced, forceRequested } = words.proposal;
    announce(done.status === 'force_published' ? forced : forceRequested);
    onClose();
    window.scrollTo({ top: 0 });
  };
  const lastButton = isRequest ? words.proposal.forceRequest : words.proposal.forceButton;
  return (
    <Dialog
      title={
        isSecondLook
          ? isRequest
            ? lastButton
            : words.proposal.forceLast
          : words.proposal.forceTitle
      }
      confirm={isOutdated ? null : isSecondLook ? lastButton : words.proposal.forceNext}
      isDangerous={isSecondLook}
      isRunning={act.isRunning}
      onConfirm={go}
      onClose={onClose}
    >
      {isOutdated ? (
        <p className="note note-warn" role="status">
          <Icon name="alert" />
          <span>{words.proposal.changed}</span>
        </p>
      ) : isSecondLook ? (
        <>
          <p className="note note-bad">
            <Icon name="alert" />
            <span>
              {unheard.length === 0 ? words.proposal.forceSecondNone : words.proposal.forceSecond}
            </span>
          </p>
          <Unheard consumers={unheard} />
          <p>{words.proposal.forceTold}</p>
          <p>
            {words.proposal.forceWhat}: <Breaks changes={proposal.changes} />
          </p>
          <p>
            {words.proposal.reasonGiven}: <q>{reason}</q>
          </p>
          <TextField
            autoFocus
            label={words.proposal.forceConfirm}
            hint={proposal.asset_fqn}
            autoComplete="off"
            spellCheck={false}
            required
            pattern={proposal.asset_fqn.replace(/[.{}]/g, '\\$&')}
            title={proposal.asset_fqn}
            value={typed}
            onText={setTyped}
          />
        </>
      ) : (
        <>
          <p>{forceHint(isRequest, requested)}</p>
          <Unheard consumers={unheard} />
          <ReasonField reason={reason} onText={setReason} />
        </>
      )}
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

/** More of them are counted. */
const namedBreaks = 3;

function Breaks({ changes }: Pick<Proposal, 'changes'>) {
  const breaks = groupAlike(changes.filter(({ breaking }) => breaking)).map(([change]) => change);
  const named = breaks.slice(0, namedBreaks);
  return (
    <>
      {named.map((change, index) => (
        <span key={`${change.type} ${change.path}`}>
          {index > 0 && ', '}
          <code>{placeText(change.path)}</code> ({words.changes.kind(change.type)})
        </span>
      ))}
      {breaks.length > named.length && ` ${words.proposal.forceMore(breaks.length - named.length)}`}
    </>
  );
}

/** The teams that have not agreed, with what they have said. */
function Unheard({ consumers }: Pick<Proposal, 'consumers'>) {
  if (consumers.length === 0) return null;
  return (
    <ul className="pills" aria-label={words.proposal.forceUnheard}>
      {consumers.map(({ team_id, team_name, response }) => (
        <li key={team_id}>
          {team_name} ·{' '}
          {response === undefined ? words.proposal.notAnswered : words.proposal.responses[response]}
        </li>
      ))}
    </ul>
  );
}

function forceHint(isRequest: boolean, requested: Proposal['force_requested']): string {
  if (isRequest) return words.proposal.forceTwo;
  return requested === null
    ? words.proposal.forceHint
    : words.proposal.forceConfirms(requested.by.name);
}
