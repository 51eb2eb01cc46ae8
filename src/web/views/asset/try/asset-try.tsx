// Edits a schema and shows the effect while the user types. Can be published from here.

import { useEffect, useMemo, useRef, useState } from 'react';
import type { ContractTerms } from '../../../../core/comparison.ts';
import { placeText } from '../../../../core/diff/change-text.ts';
import { isSameJson } from '../../../../core/value/canonical-json.ts';
import type { JsonObject } from '../../../../core/value/json.ts';
import type { Answer } from '../../../data/cache.ts';
import type { Asset, Change, Contract, Impact, Proposal } from '../../../data/shapes.ts';
import { termsOf } from '../../../data/terms-of.ts';
import { useAnswer, useSettled } from '../../../data/use-answer.ts';
import { isYamlText } from '../../../editor/read-text.ts';
import { withoutField } from '../../../editor/remove-field.ts';
import {
  type EditorHandle,
  type EditorNote,
  SchemaEditor,
} from '../../../editor/schema-editor.tsx';
import {
  printAsYaml,
  type Reading,
  useReading,
  useVerdict,
  type VerdictState,
} from '../../../engine/use-verdict.ts';
import type { Verdict } from '../../../engine/verdict.ts';
import { announce } from '../../../parts/announcer.tsx';
import { Panel } from '../../../parts/bits.tsx';
import { ChangeList, changeSummary } from '../../../parts/change-list.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Await } from '../../../parts/states.tsx';
import { paths } from '../../../paths.ts';
import { Link, refineQuery, usePlace } from '../../../router.tsx';
import { useActsFor, useIsAdmin, useOnlyReadsFor } from '../../../session/session-context.tsx';
import { words } from '../../../words.ts';
import { type AssetTabProps, currentOf } from '../asset-tab.ts';
import { PublishDialog } from './publish-dialog.tsx';
import { Hits } from './try-asked.tsx';
import { TryTools } from './try-tools.tsx';
import {
  isRefusedSchema,
  ModePanel,
  type TriedSchema,
  VerdictPanel,
  verdictOf,
} from './try-verdict.tsx';
import { useDraft } from './use-draft.ts';

const newSchema = {
  type: 'object',
  properties: { id: { type: 'integer' } },
  required: ['id'],
};

/** The registry is asked about affected consumers after a pause of this length. */
const pauseMs = 400;

export default function AssetTry({ asset }: AssetTabProps) {
  const active = useAnswer('listAssetContracts', currentOf(asset.id, 'active'));
  const isNoneActive = active.kind === 'ready' && active.body.results.length === 0;
  const newest = useAnswer('listAssetContracts', isNoneActive ? currentOf(asset.id) : null);
  const answer = isNoneActive ? newest : active;
  const revises = usePlace().query.get('revises');
  const revised = useAnswer(
    'getProposal',
    revises === null ? null : { params: { proposal_id: revises }, query: { examples: 'first' } },
  );
  return (
    <Await answer={answer}>
      {({ results }) =>
        revises === null ? (
          <TryChange key={asset.id} asset={asset} base={results[0]} revised={null} />
        ) : (
          <Await answer={revised}>
            {(proposal) => (
              <TryChange
                key={proposal.id}
                asset={asset}
                base={results[0]}
                revised={isRevisable(proposal, asset) ? proposal : null}
              />
            )}
          </Await>
        )
      }
    </Await>
  );
}

function TryChange({
  asset,
  base,
  revised,
}: AssetTabProps & {
  readonly base: Contract | undefined;
  /** The proposal that the change replaces. */
  readonly revised: Proposal | null;
}) {
  const start = useMemo(() => startOf(base, revised), [base, revised]);
  const { text, mode, since, origin, setText, setMode, reset } = useDraft({
    id: revised === null ? asset.id : `${asset.id}.${revised.id}`,
    base,
    start,
  });
  const [isPublishing, setPublishing] = useState(false);
  const editor = useRef<EditorHandle>(null);
  const reading = useReading(text, base?.dialect ?? null);
  const draft = useMemo(() => (reading === null ? null : draftOf(reading.read)), [reading]);
  // What was read of an earlier text is shown, but never published.
  const isFresh = reading?.of === text;
  useRemoval(text, isFresh ? draft : null, setText);
  const old = useMemo(() => (base === undefined ? null : termsOf(base)), [base]);
  const next = useMemo<ContractTerms | null>(() => {
    if (draft?.ok !== true) return null;
    const start = old ?? firstTerms;
    return { ...start, schema: draft.schema, compatibilityMode: mode ?? start.compatibilityMode };
  }, [draft, old, mode]);
  const state = useVerdict(old, next);
  const paused = usePaused(draft);
  const { answer: impact, isSettling } = useSettled(
    useAnswer(
      'assessImpact',
      paused?.ok === true
        ? {
            params: { asset_id: asset.id },
            body: {
              proposed_schema: paused.schema,
              ...(mode !== null && { compatibility_mode: mode }),
            },
          }
        : null,
    ),
  );
  const isStale = isSettling || paused !== draft;
  const isSame =
    base !== undefined &&
    draft?.ok === true &&
    mode === null &&
    isSameJson(draft.schema, base.schema);
  const isProposed =
    draft?.ok === true &&
    mode === start.mode &&
    isSameJson(draft.schema, revised?.proposed_schema ?? null);
  const isOwner = useActsFor()(asset.owner_team_id);
  const onlyReads = useOnlyReadsFor()(asset.owner_team_id);
  const isAdmin = useIsAdmin();
  const isManaged = asset.managed_by !== null;
  const isChanged =
    isFresh && draft?.ok === true && !isSame && !isProposed && !isRefusedSchema(impact);
  const hasChange = isOwner && isChanged;
  // What is managed elsewhere is changed there; an administrator may do it here with a reason.
  const mayPublish = hasChange && (!isManaged || isAdmin);
  // A verdict about an earlier text has no places in this one.
  const isAboutThis = state.kind === 'ready' && 'next' in state.asked && state.asked.next === next;
  const verdict = isAboutThis ? state.verdict : null;
  // Until the registry has answered, the page's own verdict says it.
  const isBreaking =
    impact.kind === 'ready' && !isStale ? impact.body.is_breaking : verdict?.isBreaking === true;
  const notes = useMemo(() => notesOf(reading, verdict), [reading, verdict]);
  const good = useRef<JsonObject>(base?.schema ?? newSchema);
  if (draft?.ok === true) good.current = draft.schema;
  return (
    <>
      <div className="try">
        <Panel
          title={words.tryChange.editor}
          aside={
            <TryTools
              fqn={asset.fqn}
              draft={{ text, mode, since }}
              schema={isFresh && draft?.ok === true ? draft.schema : null}
              isShared={origin?.kind === 'shared'}
              onText={setText}
              onReset={reset}
            />
          }
        >
          <p className="hint">{words.tryChange.editorHint}</p>
          {revised !== null && <RevisedNote proposal={revised} />}
          <SchemaEditor
            ref={editor}
            label={words.tryChange.editor}
            hint={words.tryChange.editorKeys}
            text={text}
            onText={setText}
            notes={isFresh ? notes : noNotes}
            isInvalid={draft?.ok === false}
            schema={good.current}
            dialect={base?.dialect ?? undefined}
          />
        </Panel>
        {/* Beside the text, which must not move while it is typed. */}
        <div role="status" className="try-said">
          {origin !== null && (
            <p className="note">
              <Icon name="info" />
              <span>{words.tryChange.origin(origin, base?.version ?? '')}</span>
            </p>
          )}
          {draft?.ok === false && (
            <p className="note note-warn">
              <Icon name="alert" />
              <span>{draft.message}</span>
            </p>
          )}
        </div>
        <div className="stack">
          <VerdictPanel
            assetId={asset.id}
            state={state}
            draft={draft}
            base={base}
            impact={impact}
            isStale={isStale}
            mode={mode}
          />
          {isChanged && !isOwner && (
            <p className="note">
              <Icon name="info" />
              <span>
                {onlyReads
                  ? words.viewer.propose(asset.owner_team_name)
                  : words.tryChange.notYours(asset.owner_team_name)}
              </span>
            </p>
          )}
          {hasChange && isManaged && (
            <p className="note">
              <Icon name="info" />
              <span>{isAdmin ? words.tryChange.pastSource : words.tryChange.inSource}</span>
            </p>
          )}
          {mayPublish && (
            <button
              type="button"
              className="button button-main button-wide"
              onClick={() => setPublishing(true)}
            >
              {isBreaking
                ? words.tryChange.propose
                : isManaged
                  ? words.tryChange.publishPast
                  : words.tryChange.publish}
            </button>
          )}
          <div role="status" className="stack">
            <Remarks
              reading={isFresh ? reading : null}
              onJump={(at) => editor.current?.jumpTo(at)}
            />
          </div>
          <ModePanel {...{ draft, state, impact, base, mode }} onMode={setMode} />
          <Changes
            state={state}
            impact={impact}
            base={base}
            onJump={({ path, definition }) => editor.current?.jumpTo(definition ?? path)}
          />
        </div>
      </div>
      {draft?.ok === true && <Hits impact={impact} isStale={isStale} />}
      {isPublishing && draft?.ok === true && (
        <PublishDialog
          asset={asset}
          schema={draft.schema}
          mode={mode}
          impact={impact.kind === 'ready' ? impact.body : null}
          revised={revised}
          onClose={() => setPublishing(false)}
          onPublished={reset}
        />
      )}
    </>
  );
}

/** Takes the field out of the draft that somebody chose to remove in the table of fields. */
function useRemoval(
  text: string,
  draft: TriedSchema | null,
  setText: (text: string) => void,
): void {
  const place = usePlace().query.get('remove');
  useEffect(() => {
    if (place === null || draft === null) return;
    const left = draft.ok ? withoutField(draft.schema, place) : null;
    refineQuery({ remove: '' });
    if (left === null) return;
    announce(words.tryChange.removed(placeText(place)));
    if (!isYamlText(text)) return setText(JSON.stringify(left, null, 2));
    void printAsYaml(left).then((printed) => printed !== null && setText(printed));
  }, [place, text, draft, setText]);
}

/** Until then, a newer proposal replaces it. */
function isRevisable({ asset_id, kind, resolved_at, superseded_by }: Proposal, { id }: Asset) {
  return asset_id === id && kind === 'schema' && resolved_at === null && superseded_by === null;
}

function startOf(base: Contract | undefined, revised: Proposal | null) {
  const schema = revised?.proposed_schema ?? base?.schema ?? newSchema;
  const mode = revised?.proposed.compatibility_mode ?? null;
  const isKept = mode === (base?.compatibility_mode ?? firstTerms.compatibilityMode);
  return { text: JSON.stringify(schema, null, 2), mode: isKept ? null : mode };
}

/** More than these are only marked beside their lines. */
const shownRemarks = 3;

/** What the schema says to nobody, such as a bound that was left when a type was changed. */
function Remarks({
  reading,
  onJump,
}: {
  readonly reading: Reading | null;
  readonly onJump: (path: string) => void;
}) {
  if (reading === null || reading.read === 'failed' || !reading.read.ok) return null;
  return reading.read.remarks.slice(0, shownRemarks).map(({ path, message }) => (
    <p key={path} className="note">
      <Icon name="info" />
      <span>
        <code>{placeText(path)}</code>: {message}
      </span>
      <button
        type="button"
        className="button button-quiet"
        aria-label={words.changes.jumpTo(placeText(path))}
        onClick={() => onJump(path)}
      >
        {words.changes.jump}
      </button>
    </p>
  ));
}

function RevisedNote({ proposal }: { readonly proposal: Proposal }) {
  return (
    <p className="note">
      <Icon name="info" />
      <span>
        {words.tryChange.revises}{' '}
        <Link to={paths.proposal(proposal.id)}>{words.tryChange.seeRevised}</Link>
      </span>
    </p>
  );
}

function Changes({
  state,
  impact,
  base,
  onJump,
}: {
  readonly state: VerdictState;
  readonly impact: Answer<Impact>;
  readonly base: Contract | undefined;
  readonly onJump: (change: Change) => void;
}) {
  // If the page's own engine gave up, the registry's answer is used.
  const fallback = impact.kind === 'ready' ? impact.body.changes : [];
  const changes = state.kind === 'failed' ? fallback : (verdictOf(state)?.changes ?? []);
  if (base === undefined || changes.length === 0 || isRefusedSchema(impact)) return null;
  return (
    <Panel title={words.changes.title} aside={changeSummary(changes)}>
      <ChangeList changes={changes} old={base} onJump={onJump} />
    </Panel>
  );
}

const firstTerms: ContractTerms = {
  schema: {},
  compatibilityMode: 'backward',
  guarantees: null,
  direction: 'data',
};

const noNotes: readonly EditorNote[] = [];

/** More marks than these are not drawn. */
const mostNotes = 2_000;

function notesOf(reading: Reading | null, verdict: Verdict | null): readonly EditorNote[] {
  if (reading === null || reading.read === 'failed') return noNotes;
  const { read } = reading;
  if (!read.ok) {
    return [{ at: read.at, tone: 'error', text: read.message }];
  }
  const noteOf =
    (tone: EditorNote['tone']) =>
    ({ path, message }: { readonly path: string; readonly message: string }): EditorNote => ({
      ...{ at: path, tone, text: message },
    });
  const faults = read.faults.map(noteOf('error'));
  const remarks = read.remarks.map(noteOf('warning'));
  const changes = (verdict?.changes ?? []).slice(0, mostNotes).map(
    (change): EditorNote => ({
      at: change.definition ?? change.path,
      tone: change.breaking ? 'breaking' : 'compatible',
      text: change.description,
    }),
  );
  return [...faults, ...remarks, ...changes];
}

function draftOf(read: Reading['read']): TriedSchema {
  if (read === 'failed') return { ok: false, message: words.tryChange.notRead };
  if (read.ok) return read;
  const { tryChange } = words;
  switch (read.reason) {
    case 'no_object':
      return { ok: false, message: tryChange.notObject };
    case 'json':
      return { ok: false, message: tryChange.notJson(read.message) };
    case 'yaml':
      return { ok: false, message: tryChange.notYaml(read.message, read.at?.line ?? null) };
    default:
      return read.reason satisfies never;
  }
}

/** The draft at the last pause in typing. */
function usePaused(draft: TriedSchema | null): TriedSchema | null {
  const [paused, setPaused] = useState(draft);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(draft), pauseMs);
    return () => clearTimeout(timer);
  }, [draft]);
  return paused;
}
