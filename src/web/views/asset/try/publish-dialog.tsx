// Publishes a tried change, or proposes it to the consumers.

import { useState } from 'react';
import type { JsonObject } from '../../../../core/value/json.ts';
import type { Asset, Impact, Mode, Proposal } from '../../../data/shapes.ts';
import { useAct } from '../../../data/use-answer.ts';
import { announce } from '../../../parts/announcer.tsx';
import { Checkbox, Dialog, TextField } from '../../../parts/form/form.tsx';
import { ReasonField } from '../../../parts/form/reason-field.tsx';
import { RefusalNote } from '../../../parts/states.tsx';
import { paths } from '../../../paths.ts';
import { navigate } from '../../../router.tsx';
import { useViewer } from '../../../session/session-context.tsx';
import { words } from '../../../words.ts';
import {
  draftOf,
  emptyRequestDraft,
  LaterFields,
  type RequestDraft,
  RequestFields,
} from '../../proposal/request-fields.tsx';

export function PublishDialog({
  asset,
  schema,
  mode,
  impact,
  revised,
  onClose,
  onPublished,
}: {
  readonly asset: Asset;
  readonly schema: JsonObject;
  readonly mode: Mode | null;
  readonly impact: Impact | null;
  /** The proposal that this one replaces. */
  readonly revised: Proposal | null;
  readonly onClose: () => void;
  readonly onPublished: () => void;
}) {
  const act = useAct();
  const [version, setVersion] = useState('');
  const [isSuperseding, setSuperseding] = useState(revised !== null);
  const [isMoreSaid] = useState(
    revised !== null && (revised.request.migration ?? revised.request.migrate_by) !== null,
  );
  const [reason, setReason] = useState('');
  const { email, name } = useViewer().session;
  const [request, setRequest] = useState(
    revised === null
      ? { ...emptyRequestDraft, contact: email === null ? '' : `${name}, ${email}` }
      : againDraftOf(revised.request),
  );
  const isManaged = asset.managed_by !== null;
  // A break that is proven to affect no consumer is published at once.
  const asked = impact?.affected_consumers.length ?? 0;
  const isExcused = impact?.is_breaking === true && asked === 0 && impact.consumers.length > 0;
  const isBreaking = asked > 0 || (impact?.is_breaking === true && !isExcused);
  const { tryChange } = words;
  const publish = async () => {
    const result = await act.run('publishContract', {
      params: { asset_id: asset.id },
      body: {
        schema,
        ...(mode !== null && { compatibility_mode: mode }),
        ...(version !== '' && { version }),
        ...(isSuperseding && { supersede: true }),
        ...(isBreaking && saidOf(request)),
        ...(isManaged && { override: true, reason }),
      },
    });
    if (result === null) return;
    onPublished();
    onClose();
    switch (result.action) {
      case 'published':
        announce(tryChange.published(result.contract.version));
        // A change that asks nobody replaces no proposal: it waits to be withdrawn.
        navigate(revised === null ? paths.asset(asset.id) : paths.proposal(revised.id));
        return;
      case 'proposal_created':
        announce(tryChange.proposed);
        if (result.proposal.id !== null) navigate(paths.proposal(result.proposal.id));
        return;
      case 'unchanged':
        announce(tryChange.alreadyThere);
        return;
      default:
        result satisfies never;
    }
  };
  const versionField = (
    <TextField
      label={tryChange.version}
      hint={tryChange.versionHint}
      value={version}
      placeholder={impact?.proposed_version ?? ''}
      maxLength={32}
      onText={setVersion}
    />
  );
  return (
    <Dialog
      title={(isBreaking ? tryChange.proposeTitle : tryChange.publishTitle)(asset.fqn)}
      confirm={
        isBreaking ? tryChange.propose : isManaged ? tryChange.publishPast : tryChange.publish
      }
      isRunning={act.isRunning}
      onConfirm={publish}
      onClose={onClose}
    >
      {isExcused && <p>{words.needs.nobodyAsked}</p>}
      {isBreaking && <p>{`${tryChange.proposeHint(asked)} ${tryChange.requestHint}`}</p>}
      {!isBreaking && impact?.proposed_version != null && (
        <p>{tryChange.publishHint(impact.proposed_version)}</p>
      )}
      {isBreaking && (
        <>
          <RequestFields draft={request} onChange={setRequest} />
          <details open={isMoreSaid || act.refusal !== null}>
            <summary>{tryChange.more}</summary>
            <LaterFields draft={request} onChange={setRequest} />
            {versionField}
          </details>
        </>
      )}
      {!isBreaking && versionField}
      {isManaged && (
        <>
          <p>{tryChange.overwritten}</p>
          <ReasonField reason={reason} onText={setReason} />
        </>
      )}
      {revised !== null && !isBreaking && <p>{tryChange.stillOpen}</p>}
      {act.refusal?.code === 'PROPOSAL_PENDING' && (
        <Checkbox label={tryChange.supersede} isChecked={isSuperseding} onChange={setSuperseding} />
      )}
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

/** What was said before, without days that are over, which would be refused. */
function againDraftOf(request: Proposal['request']): RequestDraft {
  const draft = draftOf(request);
  const today = new Date().toISOString().slice(0, '2026-01-31'.length);
  const ahead = (day: string) => (day < today ? '' : day);
  return { ...draft, answer_by: ahead(draft.answer_by), migrate_by: ahead(draft.migrate_by) };
}

/** Absent if the producer says nothing. */
function saidOf(draft: RequestDraft): { readonly request?: Partial<RequestDraft> } {
  const said = Object.entries(draft).filter(([, text]) => text.trim() !== '');
  return said.length === 0 ? {} : { request: Object.fromEntries(said) };
}
