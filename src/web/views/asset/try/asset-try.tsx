// Edits a schema and shows the effect while the user types. Can be published from here.

import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { ContractTerms } from '../../../../core/comparison.ts';
import { isSameJson } from '../../../../core/value/canonical-json.ts';
import { isJsonObject, parseJson } from '../../../../core/value/json.ts';
import type { Answer } from '../../../data/cache.ts';
import type { Contract, Impact } from '../../../data/shapes.ts';
import { termsOf } from '../../../data/terms-of.ts';
import { useAnswer, useSettled } from '../../../data/use-answer.ts';
import { useVerdict, type VerdictState } from '../../../engine/use-verdict.ts';
import { Panel } from '../../../parts/bits.tsx';
import { ChangeList, changeSummary } from '../../../parts/change-list.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Await } from '../../../parts/states.tsx';
import { useActsFor, useIsAdmin } from '../../../session/session-context.tsx';
import { words } from '../../../words.ts';
import type { AssetTabProps } from '../asset-tab.ts';
import { PublishDialog } from './publish-dialog.tsx';
import { Hits } from './try-asked.tsx';
import { isRefusedSchema, type TriedSchema, VerdictPanel, verdictOf } from './try-verdict.tsx';
import { useDraft } from './use-draft.ts';

const newSchema = {
  type: 'object',
  properties: { id: { type: 'integer' } },
  required: ['id'],
};

/** The registry is asked about affected consumers after a pause of this length. */
const pauseMs = 400;

export default function AssetTry({ asset }: AssetTabProps) {
  const answer = useAnswer('listAssetContracts', {
    params: { asset_id: asset.id },
    query: { page_size: 100 },
  });
  return (
    <Await answer={answer}>
      {({ results }) => <TryChange key={asset.id} asset={asset} contracts={results} />}
    </Await>
  );
}

function TryChange({
  asset,
  contracts,
}: AssetTabProps & { readonly contracts: readonly Contract[] }) {
  const base = contracts.find(({ status }) => status === 'active') ?? contracts[0];
  const startText = useMemo(() => JSON.stringify(base?.schema ?? newSchema, null, 2), [base]);
  const { text, mode, kept, setText, setMode, reset } = useDraft(asset.id, base, startText);
  const [isPublishing, setPublishing] = useState(false);
  const typed = useDeferredValue(text);
  const draft = useMemo(() => readDraft(typed), [typed]);
  const old = useMemo(() => (base === undefined ? null : termsOf(base)), [base]);
  const next = useMemo<ContractTerms | null>(() => {
    if (!draft.ok) return null;
    const start = old ?? firstTerms;
    return { ...start, schema: draft.schema, compatibilityMode: mode ?? start.compatibilityMode };
  }, [draft, old, mode]);
  const state = useVerdict(old, next);
  const paused = usePaused(draft);
  const { answer: impact, isSettling } = useSettled(
    useAnswer(
      'assessImpact',
      paused.ok
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
  const isSame =
    base !== undefined && draft.ok && mode === null && isSameJson(draft.schema, base.schema);
  const isOwner = useActsFor()(asset.owner_team_id);
  const isAdmin = useIsAdmin();
  const isManaged = asset.managed_by !== null;
  const hasChange = isOwner && draft.ok && !isSame && !isRefusedSchema(impact);
  // What is managed elsewhere is changed there; an administrator may do it here with a reason.
  const mayPublish = hasChange && (!isManaged || isAdmin);
  return (
    <>
      <div className="try">
        <Panel
          title={words.tryChange.editor}
          aside={
            <span className="panel-aside">
              <button
                type="button"
                className="button button-quiet"
                onClick={() => draft.ok && setText(JSON.stringify(draft.schema, null, 2))}
              >
                {words.tryChange.tidy}
              </button>
              <button type="button" className="button button-quiet" onClick={reset}>
                {words.tryChange.reset}
              </button>
            </span>
          }
        >
          <p className="hint" id="editor-hint">
            {words.tryChange.editorHint}
          </p>
          {/* Above the text, which is longer than the screen. */}
          <div role="status">
            {kept !== null && (
              <p className="note">
                <Icon name="info" />
                <span>{words.tryChange.kept(kept.since, base?.version ?? '')}</span>
              </p>
            )}
            {!draft.ok && (
              <p className="note note-warn">
                <Icon name="alert" />
                <span>{draft.message}</span>
              </p>
            )}
          </div>
          <textarea
            className="editor"
            aria-label={words.tryChange.editor}
            aria-describedby="editor-hint"
            aria-invalid={!draft.ok}
            spellCheck={false}
            autoCapitalize="none"
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Panel>
        <div className="stack">
          <VerdictPanel
            assetId={asset.id}
            state={state}
            draft={draft}
            base={base}
            contracts={contracts}
            impact={impact}
            mode={mode}
            onMode={setMode}
          />
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
              {impact.kind === 'ready' && impact.body.is_breaking
                ? words.tryChange.propose
                : isManaged
                  ? words.tryChange.publishPast
                  : words.tryChange.publish}
            </button>
          )}
        </div>
      </div>
      {draft.ok && <Hits impact={impact} isStale={isSettling || paused !== draft} />}
      <Changes state={state} impact={impact} base={base} />
      {isPublishing && draft.ok && (
        <PublishDialog
          asset={asset}
          schema={draft.schema}
          mode={mode}
          impact={impact.kind === 'ready' ? impact.body : null}
          onClose={() => setPublishing(false)}
          onPublished={reset}
        />
      )}
    </>
  );
}

function Changes({
  state,
  impact,
  base,
}: {
  readonly state: VerdictState;
  readonly impact: Answer<Impact>;
  readonly base: Contract | undefined;
}) {
  // If the page's own engine gave up, the registry's answer is used.
  const fallback = impact.kind === 'ready' ? impact.body.changes : [];
  const changes = state.kind === 'failed' ? fallback : (verdictOf(state)?.changes ?? []);
  if (base === undefined || changes.length === 0 || isRefusedSchema(impact)) return null;
  return (
    <Panel title={words.changes.title} aside={changeSummary(changes)}>
      <ChangeList changes={changes} old={base} />
    </Panel>
  );
}

const firstTerms: ContractTerms = {
  schema: {},
  compatibilityMode: 'backward',
  guarantees: null,
  direction: 'data',
};

function readDraft(text: string): TriedSchema {
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, message: words.tryChange.notJson(parsed.message) };
  if (!isJsonObject(parsed.value)) return { ok: false, message: words.tryChange.notObject };
  return { ok: true, schema: parsed.value };
}

/** The draft at the last pause in typing. */
function usePaused(draft: TriedSchema): TriedSchema {
  const [paused, setPaused] = useState(draft);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(draft), pauseMs);
    return () => clearTimeout(timer);
  }, [draft]);
  return paused;
}
