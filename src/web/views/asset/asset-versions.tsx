// A timeline of all versions, newest first, with the changes of each.

import { useState } from 'react';
import type { AuditEvent, Contract } from '../../data/shapes.ts';
import { useAct, useAnswer } from '../../data/use-answer.ts';
import { announce } from '../../parts/announcer.tsx';
import { Badge, ContractBadge, type Tone } from '../../parts/bits.tsx';
import { nameOfActor, textOf } from '../../parts/event-detail.ts';
import { Dialog } from '../../parts/form/form.tsx';
import { Await, Empty, RefusalNote } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link, navigate } from '../../router.tsx';
import { useActsFor } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import type { AssetTabProps } from './asset-tab.ts';

const bumpTones: Readonly<Record<Contract['change_type'], Tone>> = {
  initial: 'plain',
  patch: 'plain',
  minor: 'calm',
  major: 'warn',
};

type Step = { readonly contract: Contract; readonly status: 'deprecated' | 'archived' };

export default function AssetVersions({ asset }: AssetTabProps) {
  const answer = useAnswer('listAssetContracts', {
    params: { asset_id: asset.id },
    query: { page_size: 100 },
  });
  const forces = useAnswer('listEvents', {
    query: {
      ...{ asset_id: asset.id, event_type: 'proposal.force_published' },
      ...{ limit: 100, include_total: false },
    },
  });
  const forced = forces.kind === 'ready' ? forces.body.results : [];
  // What is managed elsewhere is changed there.
  const mayChange = useActsFor()(asset.owner_team_id) && asset.managed_by === null;
  const [step, setStep] = useState<Step | null>(null);
  return (
    <Await answer={answer}>
      {({ results }) =>
        results.length === 0 ? (
          <Empty title={words.versions.none} icon="clock" />
        ) : (
          <>
            <ol className="timeline" reversed>
              {results.map((contract, index) => (
                <VersionRow
                  key={contract.id}
                  contract={contract}
                  before={results[index + 1]}
                  force={forced.find(({ metadata }) => metadata.contract_id === contract.id)}
                  activeVersion={asset.active_contract_version}
                  onStep={mayChange ? setStep : null}
                />
              ))}
            </ol>
            {step !== null && <StepDialog step={step} onClose={() => setStep(null)} />}
          </>
        )
      }
    </Await>
  );
}

function VersionRow({
  contract,
  before,
  force,
  activeVersion,
  onStep,
}: {
  readonly contract: Contract;
  readonly before: Contract | undefined;
  /** By which the version was published without the agreement of its consumers. */
  readonly force: AuditEvent | undefined;
  readonly activeVersion: string | null;
  readonly onStep: ((step: Step) => void) | null;
}) {
  const { asset_id, version, status } = contract;
  return (
    <li className={`timeline-row timeline-${status}`}>
      <div className="timeline-head">
        <Link to={`${paths.asset(asset_id)}?version=${version}`} className="timeline-version">
          {version}
        </Link>
        <ContractBadge state={status} />
        <Badge tone={bumpTones[contract.change_type]}>
          {words.versions.changeTypes[contract.change_type]}
        </Badge>
        <span className="muted" title={words.modes[contract.compatibility_mode]}>
          {words.versions.mode} <code>{contract.compatibility_mode}</code>
        </span>
      </div>
      <p className="muted">
        {force === undefined ? words.versions.published : words.versions.forced}{' '}
        {words.audit.by(nameOfActor(contract.published_by_actor))}
        {' · '}
        <Time at={contract.published_at} />
        {contract.commit !== null && (
          <>
            {' · '}
            <code>{contract.commit}</code>
          </>
        )}
      </p>
      {force !== undefined && (
        <p className="muted">
          <q>{textOf(force.metadata.reason)}</q>
        </p>
      )}
      <div className="timeline-actions no-print">
        {force !== undefined && (
          <Link to={paths.proposal(force.entity_id)}>{words.versions.toProposal}</Link>
        )}
        {before !== undefined && (
          <Link to={paths.compare(asset_id, before.version, version)}>
            {words.versions.compareWith}
          </Link>
        )}
        {activeVersion !== null && activeVersion !== version && (
          <Link to={paths.compare(asset_id, version, activeVersion)}>
            {words.versions.compareFromHere(version)}
          </Link>
        )}
        {onStep !== null && status === 'active' && (
          <button
            type="button"
            className="link-button"
            onClick={() => onStep({ contract, status: 'deprecated' })}
          >
            {words.versions.deprecate}
          </button>
        )}
        {onStep !== null && status === 'deprecated' && (
          <button
            type="button"
            className="link-button"
            onClick={() => onStep({ contract, status: 'archived' })}
          >
            {words.versions.archive}
          </button>
        )}
      </div>
    </li>
  );
}

function StepDialog({ step, onClose }: { readonly step: Step; readonly onClose: () => void }) {
  const act = useAct();
  const { contract, status } = step;
  const isArchive = status === 'archived';
  const confirm = async () => {
    const body = await act.run('updateContract', {
      params: { contract_id: contract.id },
      body: { status },
    });
    if (body === null) return;
    onClose();
    if ('action' in body) {
      announce(words.versions.asked);
      if (body.proposal.id !== null) navigate(paths.proposal(body.proposal.id));
    } else {
      announce(isArchive ? words.versions.archived : words.versions.deprecated);
    }
  };
  return (
    <Dialog
      title={
        isArchive
          ? words.versions.archiveTitle(contract.version)
          : words.versions.deprecateTitle(contract.version)
      }
      confirm={isArchive ? words.versions.archive : words.versions.deprecate}
      isDangerous={isArchive}
      isRunning={act.isRunning}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{isArchive ? words.versions.archiveHint : words.versions.deprecateHint}</p>
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}
