// Imports a file: its kind, its plan, and its result.

import { useEffect, useState } from 'react';
import { takeFile } from '../../imports/handed-file.ts';
import type { ImportKind, OpenedFile } from '../../imports/import.types.ts';
import { type Import, useImport } from '../../imports/use-import.ts';
import { PageHead, Panel, useTitle } from '../../parts/bits.tsx';
import { SelectField } from '../../parts/form/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, RefusalNote } from '../../parts/states.tsx';
import { useTeamChoice, useViewer } from '../../session/session-context.tsx';
import '../../style/import.css';
import { words } from '../../words.ts';
import { DropZone } from './import-drop.tsx';
import {
  type Options,
  optionsFor,
  ReadingFields,
  startOptions,
  WritingFields,
} from './import-options.tsx';
import { ImportRefusal, OutcomePanel } from './import-outcome.tsx';
import { PlanPanel } from './import-plan.tsx';
import { ProgressNote } from './import-progress.tsx';

export default function ImportView() {
  useTitle(words.import.title);
  const flow = useImport();
  const { file, opened } = flow.state;
  const { open } = flow;
  useEffect(() => {
    const handed = takeFile();
    if (handed !== null) open(handed);
  }, [open]);
  const { kind, options, chooseKind, change } = useOptions(flow);
  const isRefused = opened?.problem != null;
  return (
    <>
      <PageHead title={words.import.title}>
        <p className="muted">{words.import.hint}</p>
      </PageHead>
      <div className={file === null ? 'stack' : 'columns columns-wide-left import-columns'}>
        <Panel>
          <DropZone file={file} isBusy={flow.state.step !== null} onFile={flow.open} />
          <FileNote opened={opened} />
        </Panel>
        {file !== null && !isRefused && opened !== null && (
          <OptionsPanel
            opened={opened}
            kind={kind}
            options={options}
            onKind={chooseKind}
            onChange={change}
          />
        )}
        <div className="stack">
          <Work flow={flow} kind={kind} options={options} />
        </div>
      </div>
    </>
  );
}

const kindOptions = (['dbt', 'openapi', 'graphql', 'odcs'] as const).map((value) => ({
  value,
  label: words.import.kinds[value],
}));

/** The detected kind of file, which the user can correct. The plan starts automatically. */
function useOptions(flow: Import) {
  const { teamId } = useTeamChoice();
  const { file, opened } = flow.state;
  const [chosen, setChosen] = useState<{ file: File; kind: ImportKind } | null>(null);
  const [options, setOptions] = useState<Options>(() => startOptions(teamId ?? ''));
  const kind = chosen !== null && chosen.file === file ? chosen.kind : (opened?.kind ?? null);
  const { askPlan, forget } = flow;
  // Only a new file or kind starts the plan, because the user may change several options.
  useEffect(() => {
    if (opened === null || opened.problem !== null || kind === null) return;
    const next = optionsFor(kind);
    setOptions((before) => ({
      ...before,
      reading: next.reading,
      writing: { ...before.writing, publishes: next.publishes },
    }));
    askPlan(kind, next.reading);
  }, [opened, kind, askPlan]);
  const chooseKind = (next: ImportKind) => {
    if (file !== null) setChosen({ file, kind: next });
  };
  const change = (next: Options) => {
    forget(next.reading === options.reading ? 'outcome' : 'plan');
    setOptions(next);
  };
  return { kind, options, chooseKind, change };
}

function FileNote({ opened }: { readonly opened: OpenedFile | null }) {
  if (opened === null) return null;
  const { problem, kind } = opened;
  if (problem !== null) {
    const message =
      problem.kind === 'unreadable'
        ? words.import.faults.unreadable(problem.message)
        : problem.kind === 'not_read'
          ? words.import.faults.not_read(problem.message)
          : words.import.faults[problem.kind];
    return <RefusalNote refusal={{ code: problem.kind, message }} />;
  }
  if (kind !== null) return null;
  return (
    <p className="note note-warn" role="status">
      <Icon name="alert" />
      <span>{words.import.unknownKind}</span>
    </p>
  );
}

function OptionsPanel({
  opened,
  kind,
  options,
  onKind,
  onChange,
}: {
  readonly opened: OpenedFile;
  readonly kind: ImportKind | null;
  readonly options: Options;
  readonly onKind: (kind: ImportKind) => void;
  readonly onChange: (options: Options) => void;
}) {
  return (
    <Panel className="import-settings" title={words.import.options}>
      <div className="stack import-options">
        <SelectField
          label={words.import.kind}
          hint={opened.kind === null ? words.import.kindUnknown : words.import.kindFound}
          value={kind ?? ''}
          onText={(next) => {
            const found = kindOptions.find(({ value }) => value === next);
            if (found !== undefined) onKind(found.value);
          }}
          options={[
            ...(kind === null ? [{ value: '', label: words.import.chooseKind }] : []),
            ...kindOptions,
          ]}
        />
        {kind !== null && (
          <>
            <ReadingFields
              kind={kind}
              reading={options.reading}
              onChange={(reading) => onChange({ ...options, reading })}
            />
            <WritingFields
              kind={kind}
              writing={options.writing}
              onChange={(writing) => onChange({ ...options, writing })}
            />
          </>
        )}
      </div>
    </Panel>
  );
}

/** The running step, then the results, newest last. */
function Work({
  flow,
  kind,
  options,
}: {
  readonly flow: Import;
  readonly kind: ImportKind | null;
  readonly options: Options;
}) {
  const { session } = useViewer();
  const { file, step, progress, plan, outcome, opened } = flow.state;
  const done = outcome?.ok === true && !outcome.value.isRehearsal ? outcome.value : null;
  if (kind === null || opened?.problem != null) {
    return step === null ? null : (
      <ProgressNote file={file} step={step} progress={progress} onCancel={flow.cancel} />
    );
  }
  const ask = (next: 'rehearsing' | 'importing') =>
    flow.askImport(kind, options.reading, options.writing, next);
  return (
    <>
      {plan === null && step === null && opened !== null && (
        <Panel>
          <Empty title={words.import.noPlan} icon="swap">
            <button
              type="button"
              className="button button-main"
              onClick={() => flow.askPlan(kind, options.reading)}
            >
              {words.import.askPlan}
            </button>
          </Empty>
        </Panel>
      )}
      {plan !== null && !plan.ok && (
        <Panel title={words.import.plan}>
          <ImportRefusal refusal={plan.refusal} />
          <div className="import-next">
            <button
              type="button"
              className="button"
              onClick={() => flow.askPlan(kind, options.reading)}
            >
              {words.states.tryAgain}
            </button>
          </div>
        </Panel>
      )}
      {plan?.ok === true && done === null && <PlanPanel plan={plan.value} />}
      {step !== null && (
        <ProgressNote file={file} step={step} progress={progress} onCancel={flow.cancel} />
      )}
      {plan?.ok === true && step === null && done === null && (
        <NextStep
          mayWrite={session.role !== 'viewer'}
          hasOwner={options.writing.ownerTeamId !== ''}
          isRehearsed={outcome?.ok === true}
          onAsk={ask}
        >
          {outcome !== null && !outcome.ok && <ImportRefusal refusal={outcome.refusal} />}
          {outcome?.ok === true && <OutcomePanel outcome={outcome.value} />}
        </NextStep>
      )}
      {done !== null && step === null && <OutcomePanel outcome={done} />}
    </>
  );
}

function NextStep({
  mayWrite,
  hasOwner,
  isRehearsed,
  onAsk,
  children,
}: {
  readonly mayWrite: boolean;
  readonly hasOwner: boolean;
  readonly isRehearsed: boolean;
  readonly onAsk: (step: 'rehearsing' | 'importing') => void;
  readonly children: React.ReactNode;
}) {
  if (!mayWrite) {
    return (
      <p className="note" role="status">
        <Icon name="key" />
        <span>{words.import.mayOnlyLook}</span>
      </p>
    );
  }
  return (
    <>
      {children}
      <div className="import-next">
        {!hasOwner && <p className="hint">{words.import.ownerNeeded}</p>}
        <button
          type="button"
          className={`button ${isRehearsed ? '' : 'button-main'}`}
          disabled={!hasOwner}
          onClick={() => onAsk('rehearsing')}
        >
          {isRehearsed ? words.import.rehearseAgain : words.import.rehearse}
        </button>
        {isRehearsed && (
          <button
            type="button"
            className="button button-main"
            disabled={!hasOwner}
            onClick={() => onAsk('importing')}
          >
            {words.import.run}
          </button>
        )}
      </div>
    </>
  );
}
