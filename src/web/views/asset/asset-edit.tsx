// Changes an asset, and deletes it. What its consumers have to agree to becomes a proposal.

import { useState } from 'react';
import type { Asset } from '../../data/shapes.ts';
import { useAct } from '../../data/use-answer.ts';
import { Checkbox, Dialog, SelectField, TextField } from '../../parts/form/form.tsx';
import { ReasonField } from '../../parts/form/reason-field.tsx';
import { ServiceSelect } from '../../parts/form/service-select.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { navigate } from '../../router.tsx';
import { useActsFor, useHasDuty } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import type { AssetTabProps } from './asset-tab.ts';
import { stringsOf } from './metadata.ts';

/** For those who may; what a source manages is changed there, except for the service. */
export function AssetActions({ asset }: AssetTabProps) {
  const [open, setOpen] = useState<'edit' | 'service' | 'delete' | null>(null);
  const actsFor = useActsFor();
  if (!actsFor(asset.owner_team_id)) return null;
  const { edit } = words.asset;
  const close = () => setOpen(null);
  if (asset.managed_by !== null) {
    return (
      <span className="row-actions no-print">
        <button type="button" className="button button-quiet" onClick={() => setOpen('service')}>
          {edit.service}
        </button>
        {open === 'service' && <ServiceDialog asset={asset} onClose={close} />}
      </span>
    );
  }
  return (
    <span className="row-actions no-print">
      <button type="button" className="button button-quiet" onClick={() => setOpen('edit')}>
        {edit.edit}
      </button>
      <button type="button" className="button button-quiet" onClick={() => setOpen('delete')}>
        {edit.remove}
      </button>
      {open === 'edit' && <EditDialog asset={asset} onClose={close} />}
      {open === 'delete' && <DeleteDialog asset={asset} onClose={close} />}
    </span>
  );
}

interface DialogProps {
  readonly asset: Asset;
  readonly onClose: () => void;
}

function EditDialog({ asset: now, onClose }: DialogProps) {
  const act = useAct();
  // Only what was changed here is sent: the rest may have been changed elsewhere meanwhile.
  const [asset] = useState(now);
  const { description, tags } = asset.metadata;
  const before = typeof description === 'string' ? description : '';
  const tagsBefore = stringsOf(tags).join(', ');
  const [text, setText] = useState(before);
  const [tagged, setTagged] = useState(tagsBefore);
  const [guaranteeMode, setGuaranteeMode] = useState(asset.guarantee_mode);
  const [needsMode, setNeedsMode] = useState(asset.needs_mode);
  const [isAuto, setAuto] = useState(asset.auto_publish);
  const [service, setService] = useState(asset.service_id ?? '');
  const { edit } = words.asset;
  const save = async () => {
    const metadata = {
      ...(text !== before && { description: text === '' ? null : text }),
      ...(tagged !== tagsBefore && { tags: tagsIn(tagged) }),
    };
    const body = {
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...(guaranteeMode !== asset.guarantee_mode && { guarantee_mode: guaranteeMode }),
      ...(needsMode !== asset.needs_mode && { needs_mode: needsMode }),
      ...(isAuto !== asset.auto_publish && { auto_publish: isAuto }),
      ...serviceIn(service, asset),
    };
    if (Object.keys(body).length === 0) return onClose();
    const params = { asset_id: asset.id };
    const saved = await act.run('updateAsset', { params, body }, edit.saved);
    if (saved === null) return;
    if ('proposal' in saved && saved.proposal.id !== null) {
      navigate(paths.proposal(saved.proposal.id));
    }
    onClose();
  };
  return (
    <Dialog
      title={edit.title(asset.fqn)}
      confirm={edit.save}
      isRunning={act.isRunning}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <TextField label={words.assets.description} value={text} onText={setText} />
      <TextField label={edit.tags} hint={edit.tagsHint} value={tagged} onText={setTagged} />
      <ServiceField asset={asset} value={service} onService={setService} />
      <SelectField
        label={edit.guaranteeMode}
        value={guaranteeMode}
        onText={(next) => setGuaranteeMode(next as Asset['guarantee_mode'])}
        options={optionsOf(edit.guaranteeModes)}
      />
      <SelectField
        label={edit.needsMode}
        hint={edit.askedFirst}
        value={needsMode}
        onText={(next) => setNeedsMode(next as Asset['needs_mode'])}
        options={optionsOf(edit.needsModes)}
      />
      <Checkbox label={edit.autoPublish} isChecked={isAuto} onChange={setAuto} />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

/** Absent if it stays as it is. */
function serviceIn(chosen: string, { service_id = '' }: Asset) {
  return chosen === service_id ? {} : { service_id: chosen === '' ? null : chosen };
}

function ServiceField({
  asset,
  value,
  onService,
}: {
  readonly asset: Asset;
  readonly value: string;
  readonly onService: (serviceId: string) => void;
}) {
  return (
    <ServiceSelect
      label={words.services.one}
      value={value}
      chosenName={value === asset.service_id ? asset.service_name : undefined}
      onService={onService}
      before={{ value: '', label: words.services.noService }}
    />
  );
}

function ServiceDialog({ asset: now, onClose }: DialogProps) {
  const act = useAct();
  const [asset] = useState(now);
  const [service, setService] = useState(asset.service_id ?? '');
  const { edit } = words.asset;
  const save = async () => {
    const body = serviceIn(service, asset);
    const call = { params: { asset_id: asset.id }, body };
    const isSame = Object.keys(body).length === 0;
    if (isSame || (await act.run('updateAsset', call, edit.serviceSaved)) !== null) onClose();
  };
  return (
    <Dialog
      title={edit.title(asset.fqn)}
      confirm={edit.save}
      isRunning={act.isRunning}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <ServiceField asset={asset} value={service} onService={setService} />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

function optionsOf(labels: Readonly<Record<string, string>>) {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}

/** @example tagsIn(' finance,, daily ') // ['finance', 'daily'] */
function tagsIn(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

function DeleteDialog({ asset, onClose }: DialogProps) {
  const act = useAct();
  const mayForce = useHasDuty('force');
  const [reason, setReason] = useState('');
  const { edit } = words.asset;
  const isForced = mayForce && act.refusal?.code === 'ASSET_HAS_CONSUMERS';
  const [wasForced, setForced] = useState(false);
  const remove = async () => {
    const isForce = isForced || wasForced;
    setForced(isForce);
    const call = {
      params: { asset_id: asset.id },
      query: isForce ? { force: true, reason } : {},
    };
    const done = await act.run('deleteAsset', call, edit.removed(asset.fqn));
    if (done !== null) navigate(paths.assets);
  };
  return (
    <Dialog
      title={edit.removeTitle(asset.fqn)}
      confirm={isForced || wasForced ? edit.force : edit.remove}
      isDangerous
      isRunning={act.isRunning}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{edit.removeHint}</p>
      {(isForced || wasForced) && <ReasonField reason={reason} onText={setReason} />}
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

/** An administrator may follow a link to an asset that was deleted. */
export function RestoreAsset({ assetId }: { readonly assetId: string }) {
  const act = useAct();
  const { edit } = words.asset;
  const restore = () =>
    act.run('restoreAsset', { params: { asset_id: assetId }, body: {} }, edit.restored);
  return (
    <>
      <p>{edit.restoreHint}</p>
      <button
        type="button"
        className="button"
        aria-disabled={act.isRunning}
        onClick={() => void restore()}
      >
        {edit.restore}
      </button>
      <RefusalNote refusal={act.refusal} />
    </>
  );
}
