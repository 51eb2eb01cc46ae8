// The consumers of an asset: since when, on which version, and why.

import { useState } from 'react';
import type { Registration } from '../../data/shapes.ts';
import { useAct, useAnswer, useSettled } from '../../data/use-answer.ts';
import { Badge, Panel, TableFrame } from '../../parts/bits.tsx';
import { AreaField, Dialog } from '../../parts/form/form.tsx';
import { ReasonField } from '../../parts/form/reason-field.tsx';
import { RowAction } from '../../parts/form/row-action.tsx';
import { SortHead, useOrder } from '../../parts/form/sort-head.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PagedList, usePageNumber } from '../../parts/paged-list.tsx';
import { Empty, RefusalNote } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useActsFor, useIsForOther, useMyTeam } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import type { AssetTabProps } from './asset-tab.ts';

const pageSize = 50;
const orders = ['created_at', '-created_at'] as const;
const usual = '-created_at';

export default function AssetConsumers({ asset }: AssetTabProps) {
  const page = usePageNumber();
  const sort = useOrder(orders, usual);
  const { answer } = useSettled(
    useAnswer('listRegistrations', {
      query: { asset_id: asset.id, page, page_size: pageSize, sort },
    }),
  );
  const team = useMyTeam();
  const mine = useAnswer(
    'listRegistrations',
    team === null
      ? null
      : { query: { asset_id: asset.id, consumer_team_id: team.id, page_size: 1 } },
  );
  const actsFor = useActsFor();
  const [isRegistering, setRegistering] = useState(false);
  const [leaving, setLeaving] = useState<Registration | null>(null);
  const [edited, setEdited] = useState<Registration | null>(null);
  const contractId = asset.active_contract_id;
  const mayRegister =
    team !== null &&
    contractId !== null &&
    team.id !== asset.owner_team_id &&
    mine.kind === 'ready' &&
    mine.body.results.length === 0 &&
    actsFor(team.id);
  return (
    <Panel
      className="panel-flush"
      title={words.consumers.title}
      aside={
        mayRegister && (
          <button type="button" className="button" onClick={() => setRegistering(true)}>
            <Icon name="plus" />
            {words.consumers.register(team.name)}
          </button>
        )
      }
    >
      <PagedList
        answer={answer}
        page={page}
        pageSize={pageSize}
        count={words.consumers.count}
        empty={
          <Empty title={words.consumers.none} icon="people">
            <p>{words.consumers.noneHint}</p>
          </Empty>
        }
      >
        {(registrations) => (
          <ConsumerTable
            registrations={registrations}
            order={sort}
            onEdit={setEdited}
            onLeave={setLeaving}
          />
        )}
      </PagedList>
      {isRegistering && team !== null && contractId !== null && (
        <RegisterDialog
          teamId={team.id}
          teamName={team.name}
          contractId={contractId}
          onClose={() => setRegistering(false)}
        />
      )}
      {edited !== null && <EditDialog registration={edited} onClose={() => setEdited(null)} />}
      {leaving !== null && <LeaveDialog registration={leaving} onClose={() => setLeaving(null)} />}
    </Panel>
  );
}

function ConsumerTable({
  registrations,
  order,
  onEdit,
  onLeave,
}: {
  readonly registrations: readonly Registration[];
  readonly order: string;
  readonly onEdit: (registration: Registration) => void;
  readonly onLeave: (registration: Registration) => void;
}) {
  const actsFor = useActsFor();
  const mayAny = registrations.some((one) => actsFor(one.consumer_team_id));
  return (
    <TableFrame label={words.consumers.caption}>
      <table className="table table-cards">
        <caption className="hidden">{words.consumers.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.consumers.team}</th>
            <th scope="col">{words.consumers.version}</th>
            <th scope="col">{words.consumers.status}</th>
            <th scope="col">{words.consumers.notes}</th>
            <SortHead label={words.consumers.since} field="created_at" {...{ order, usual }} />
            {mayAny && <th scope="col">{words.consumers.actions}</th>}
          </tr>
        </thead>
        <tbody>
          {registrations.map((one) => (
            <tr key={one.id}>
              <th scope="row">{one.consumer_team_name}</th>
              <td data-label={words.consumers.version}>
                <code>{one.contract_version}</code>
              </td>
              <td data-label={words.consumers.status}>
                <Badge tone={one.status === 'active' ? 'good' : 'plain'}>
                  {words.consumers.states[one.status]}
                </Badge>
              </td>
              <td className="cell-text" data-label={words.consumers.notes}>
                {one.notes}
              </td>
              <td data-label={words.consumers.since}>
                <Time at={one.created_at} />
              </td>
              {mayAny && (
                <td>
                  {actsFor(one.consumer_team_id) && (
                    <span className="row-actions">
                      <RowAction
                        label={words.consumers.edit}
                        of={one.consumer_team_name}
                        onClick={() => onEdit(one)}
                      />
                      <RowAction
                        label={words.consumers.remove}
                        of={one.consumer_team_name}
                        isDangerous
                        onClick={() => onLeave(one)}
                      />
                    </span>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function RegisterDialog({
  teamId,
  teamName,
  contractId,
  onClose,
}: {
  readonly teamId: string;
  readonly teamName: string;
  readonly contractId: string;
  readonly onClose: () => void;
}) {
  const act = useAct();
  const [notes, setNotes] = useState('');
  const register = async () => {
    const body = {
      contract_id: contractId,
      consumer_team_id: teamId,
      ...(notes !== '' && { notes }),
    };
    const made = await act.run('registerConsumer', { body }, words.consumers.registered);
    if (made !== null) onClose();
  };
  return (
    <Dialog
      title={words.consumers.registerTitle(teamName)}
      confirm={words.consumers.registerButton}
      isRunning={act.isRunning}
      onConfirm={register}
      onClose={onClose}
    >
      <p>{words.consumers.registerHint}</p>
      <AreaField label={words.consumers.notesLabel} value={notes} onText={setNotes} />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

function EditDialog({
  registration,
  onClose,
}: {
  readonly registration: Registration;
  readonly onClose: () => void;
}) {
  const act = useAct();
  const { consumer_team_id: teamId, consumer_team_name: teamName } = registration;
  const isForOther = useIsForOther()(teamId);
  const [notes, setNotes] = useState(registration.notes ?? '');
  const [reason, setReason] = useState('');
  const save = async () => {
    const body = { notes: notes.trim() === '' ? null : notes, ...(isForOther && { reason }) };
    const call = { params: { registration_id: registration.id }, body };
    const saved = await act.run('updateRegistration', call, words.consumers.saved);
    if (saved !== null) onClose();
  };
  return (
    <Dialog
      title={words.consumers.editTitle(teamName)}
      confirm={words.consumers.save}
      isRunning={act.isRunning}
      onConfirm={save}
      onClose={onClose}
    >
      <AreaField label={words.consumers.notesLabel} value={notes} onText={setNotes} />
      {isForOther && (
        <ReasonField
          label={words.consumers.reasonForOther(teamName)}
          reason={reason}
          onText={setReason}
        />
      )}
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

function LeaveDialog({
  registration,
  onClose,
}: {
  readonly registration: Registration;
  readonly onClose: () => void;
}) {
  const act = useAct();
  const isForOther = useIsForOther()(registration.consumer_team_id);
  const [reason, setReason] = useState('');
  const leave = async () => {
    const query = isForOther ? { reason } : {};
    const call = { params: { registration_id: registration.id }, query };
    const result = await act.run('deleteRegistration', call, words.consumers.removed);
    if (result !== null) onClose();
  };
  return (
    <Dialog
      title={words.consumers.removeTitle(registration.consumer_team_name)}
      confirm={words.consumers.remove}
      isDangerous
      isRunning={act.isRunning}
      onConfirm={leave}
      onClose={onClose}
    >
      <p>{words.consumers.removeHint}</p>
      {isForOther && <ReasonField reason={reason} onText={setReason} />}
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}
