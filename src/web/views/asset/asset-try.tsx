// Edits a schema and shows the effect while the user types. Can be published from here.

import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { ContractTerms } from '../../../core/comparison.ts';
import {
  compareVersions,
  nextVersion,
  parseVersion,
} from '../../../core/decide/publishing/version.ts';
import { isSameJson } from '../../../core/value/canonical-json.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../core/value/json.ts';
import type { Answer } from '../../data/cache.ts';
import type { Contract, Impact, Mode } from '../../data/shapes.ts';
import { useAnswer, useSettled } from '../../data/use-answer.ts';
import { useVerdict, type VerdictState } from '../../engine/use-verdict.ts';
import { modes, type Verdict } from '../../engine/verdict.ts';
import { Badge, Panel } from '../../parts/bits.tsx';
import { ChangeList, changeSummary } from '../../parts/change-list.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Await } from '../../parts/states.tsx';
import { useActsFor, useIsAdmin } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import type { AssetTabProps } from './asset-tab.ts';
import { PublishDialog } from './publish-dialog.tsx';
import { Asked } from './try-asked.tsx';
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

type Draft =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly message: string };

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
  const impact = useSettled(
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
  ).answer;
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

interface VerdictProps {
  readonly assetId: string;
  readonly state: VerdictState;
  readonly draft: Draft;
  readonly base: Contract | undefined;
  readonly contracts: readonly Contract[];
  readonly impact: Answer<Impact>;
  readonly mode: Mode | null;
  readonly onMode: (mode: Mode | null) => void;
}

function VerdictPanel(props: VerdictProps) {
  const { assetId, state, draft, base, contracts, impact, mode, onMode } = props;
  const isInvalid = draft.ok && isRefusedSchema(impact);
  const verdict = isInvalid || !draft.ok ? null : verdictOf(state);
  const isSame =
    base !== undefined && draft.ok && mode === null && isSameJson(draft.schema, base.schema);
  return (
    <Panel title={words.tryChange.verdict} className={verdictClass(verdict)}>
      <div aria-live="polite" aria-busy={state.kind === 'comparing'}>
        {isInvalid ? (
          <p className="verdict">{words.tryChange.invalid}</p>
        ) : (
          <VerdictLine
            verdict={verdict}
            state={state}
            base={base}
            isSame={isSame}
            isReadable={draft.ok}
          />
        )}
        {verdict !== null && base !== undefined && !isSame && verdict.bump !== 'none' && (
          <p className="next-version">
            <span className="muted">{words.tryChange.next}</span>{' '}
            <strong>{followingVersion(contracts, verdict)}</strong>
            <span className="hint">{capitalised(verdict.bumpReason)}</span>
          </p>
        )}
        {verdict !== null && verdict.undecidedCount > 0 && (
          <p className="hint">{words.tryChange.undecided(verdict.undecidedCount)}</p>
        )}
      </div>
      <ModeTable
        verdict={verdict}
        inForce={base?.compatibility_mode ?? 'backward'}
        chosen={mode}
        onMode={onMode}
      />
      <Asked impact={impact} assetId={assetId} />
    </Panel>
  );
}

function VerdictLine({
  verdict,
  state,
  base,
  isSame,
  isReadable,
}: {
  readonly verdict: Verdict | null;
  readonly state: VerdictState;
  readonly base: Contract | undefined;
  readonly isSame: boolean;
  readonly isReadable: boolean;
}) {
  if (!isReadable) return <p className="verdict">{words.tryChange.notReadable}</p>;
  if (base === undefined) return <p className="verdict">{words.tryChange.first}</p>;
  if (state.kind === 'failed') return <p className="verdict">{words.tryChange.failed}</p>;
  if (verdict === null) return <p className="verdict muted">{words.tryChange.comparing}</p>;
  if (isSame || verdict.changes.length === 0) {
    return (
      <p className="verdict">
        <Icon name="check" />
        {words.tryChange.unchanged}
      </p>
    );
  }
  return (
    <p className={`verdict ${verdict.isBreaking ? 'verdict-bad' : 'verdict-good'}`}>
      <Icon name={verdict.isBreaking ? 'cross' : 'check'} />
      {verdict.isBreaking ? words.tryChange.breaks : words.tryChange.fits}
    </p>
  );
}

function ModeTable({
  verdict,
  inForce,
  chosen,
  onMode,
}: {
  readonly verdict: Verdict | null;
  readonly inForce: Mode;
  readonly chosen: Mode | null;
  readonly onMode: (mode: Mode | null) => void;
}) {
  return (
    <fieldset className="modes">
      <legend>{words.tryChange.modes}</legend>
      {modes.map((mode) => (
        <label key={mode} className="mode" title={words.modes[mode]}>
          <input
            type="radio"
            name="mode"
            checked={(chosen ?? inForce) === mode}
            onChange={() => onMode(mode === inForce ? null : mode)}
          />
          <code>{mode}</code>
          {mode === inForce && <span className="muted">{words.tryChange.inForce}</span>}
          {verdict !== null && (
            <Badge
              tone={verdict.breaksUnder[mode] ? 'bad' : mode === 'none' ? 'plain' : 'good'}
              icon={verdict.breaksUnder[mode] ? 'cross' : 'check'}
            >
              {verdict.breaksUnder[mode]
                ? words.tryChange.modeBreaks
                : mode === 'none'
                  ? words.tryChange.modeUnchecked
                  : words.tryChange.modeFits}
            </Badge>
          )}
        </label>
      ))}
    </fieldset>
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

/** Text that is not a valid schema cannot be compared, so it does not count as a break. */
function isRefusedSchema(impact: Answer<Impact>): boolean {
  return impact.kind === 'refused' && impact.refusal.code === 'INVALID_SCHEMA';
}

const firstTerms: ContractTerms = {
  schema: {},
  compatibilityMode: 'backward',
  guarantees: null,
  direction: 'data',
};

function termsOf(contract: Contract): ContractTerms {
  return {
    schema: contract.schema,
    compatibilityMode: contract.compatibility_mode,
    guarantees: contract.guarantees,
    direction: contract.direction,
    ...(contract.dialect !== null && { dialect: contract.dialect }),
  };
}

function readDraft(text: string): Draft {
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, message: words.tryChange.notJson(parsed.message) };
  if (!isJsonObject(parsed.value)) return { ok: false, message: words.tryChange.notObject };
  return { ok: true, schema: parsed.value };
}

function verdictOf(state: VerdictState): Verdict | null {
  if (state.kind === 'ready') return state.verdict;
  return state.kind === 'comparing' ? state.last : null;
}

function verdictClass(verdict: Verdict | null): string {
  if (verdict === null || verdict.changes.length === 0) return '';
  return verdict.isBreaking ? 'panel-bad' : 'panel-good';
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function followingVersion(contracts: readonly Contract[], { bump }: Verdict): string {
  const highest = contracts
    .map(({ version }) => parseVersion(version))
    .filter((version) => version !== null)
    .sort((a, b) => compareVersions(b, a))[0];
  const highestEver =
    highest === undefined ? null : `${highest.major}.${highest.minor}.${highest.patch}`;
  const next = nextVersion({ highestEver, bump });
  return next.ok ? next.value.version : next.failure.message;
}

/** The draft at the last pause in typing. */
function usePaused(draft: Draft): Draft {
  const [paused, setPaused] = useState(draft);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(draft), pauseMs);
    return () => clearTimeout(timer);
  }, [draft]);
  return paused;
}
