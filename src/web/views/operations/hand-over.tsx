// Hands over what a source that is gone managed to another one. Two steps: who takes over what, and
// then what would change.

import { useState } from 'react';
import type { Asset, BodyOf, Source } from '../../data/shapes.ts';
import { useAct } from '../../data/use-answer.ts';
import { announce } from '../../parts/announcer.tsx';
import { Breakable } from '../../parts/bits.tsx';
import { Dialog, Radios, SelectField } from '../../parts/form/form.tsx';
import { ReasonField } from '../../parts/form/reason-field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { useIsAdmin } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

type TakenOver = BodyOf<'takeOverSource'>;
type Scope = 'asset' | 'everything';

interface TakeOverProps {
  /** Absent: everything that the source manages. */
  readonly asset?: Asset;
  readonly source: Source;
  /** The sources that may take over. */
  readonly others: readonly Source[];
  readonly onClose: () => void;
}

/** An administrator may hand over what a source that is gone managed, where another one could have it. */
export function HandOver(props: Omit<TakeOverProps, 'onClose'>) {
  const isAdmin = useIsAdmin();
  const [isAsking, setAsking] = useState(false);
  if (!isAdmin || props.others.length === 0) return null;
  return (
    <>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        {words.source.takeOver.open}
      </button>
      {isAsking && <TakeOverDialog {...props} onClose={() => setAsking(false)} />}
    </>
  );
}

function TakeOverDialog({ asset, source, others, onClose }: TakeOverProps) {
  const act = useAct();
  const [toId, setToId] = useState(others[0]?.id ?? '');
  const [scope, setScope] = useState<Scope>(asset === undefined ? 'everything' : 'asset');
  const [reason, setReason] = useState('');
  const [preview, setPreview] = useState<TakenOver | null>(null);
  const { takeOver } = words.source;
  const isEmpty = preview !== null && preview.assets_total + preview.registrations_total === 0;
  const ask = (dryRun: boolean) =>
    act.run('takeOverSource', {
      params: { source_id: source.id },
      body: {
        to_source_id: toId,
        reason,
        dry_run: dryRun,
        ...(scope === 'asset' && { asset_id: asset?.id }),
      },
    });
  const go = async () => {
    if (preview === null) {
      setPreview(await ask(true));
      return;
    }
    const done = await ask(false);
    if (done === null) return;
    announce(done.has_more ? takeOver.doneInPart : takeOver.done);
    onClose();
  };
  const lastButton = isEmpty ? null : takeOver.confirm;
  return (
    <Dialog
      title={takeOver.title}
      confirm={preview === null ? takeOver.preview : lastButton}
      isDangerous={preview !== null}
      isRunning={act.isRunning}
      onConfirm={go}
      onClose={onClose}
    >
      {preview === null ? (
        <>
          <p>{takeOver.hint}</p>
          <SelectField
            label={takeOver.to}
            hint={takeOver.toHint}
            value={toId}
            onText={setToId}
            options={others.map(({ id, kind, place, identity }) => ({
              value: id,
              label: `${words.source.place[kind]} ${place} (${identity})`,
            }))}
          />
          {asset !== undefined && (
            <Radios
              legend={takeOver.scope}
              name="scope"
              value={scope}
              onChoose={setScope}
              choices={[
                { value: 'asset', label: takeOver.onlyAsset(asset.fqn) },
                { value: 'everything', label: takeOver.everything, hint: source.identity },
              ]}
            />
          )}
          <ReasonField reason={reason} onText={setReason} />
        </>
      ) : (
        <Preview taken={preview} />
      )}
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

/** More lines would push the button off the screen. */
const maxShown = 8;

function Preview({ taken }: { readonly taken: TakenOver }) {
  const { assets, registrations, assets_total, registrations_total, has_more } = taken;
  const { takeOver } = words.source;
  return (
    <>
      <p className="note">
        <Icon name="info" />
        {takeOver.counted(assets_total, registrations_total)}
      </p>
      <Lines
        label={takeOver.assets}
        total={assets_total}
        lines={assets.map(({ fqn, environment, to }) => `${fqn} (${environment}): ${to}`)}
      />
      <Lines
        label={takeOver.registrations}
        total={registrations_total}
        lines={registrations.map(
          ({ fqn, environment, consumer_team_name: team }) => `${team}: ${fqn} (${environment})`,
        )}
      />
      {has_more && <p>{takeOver.more}</p>}
    </>
  );
}

function Lines({
  label,
  total,
  lines,
}: {
  readonly label: string;
  readonly total: number;
  readonly lines: readonly string[];
}) {
  if (total === 0) return null;
  const shown = lines.slice(0, maxShown);
  const rest = total - shown.length;
  return (
    <>
      <h3>{label}</h3>
      <ul aria-label={label}>
        {shown.map((line) => (
          <li key={line}>
            <Breakable text={line} />
          </li>
        ))}
        {rest > 0 && <li>{words.source.takeOver.andMore(rest)}</li>}
      </ul>
    </>
  );
}
