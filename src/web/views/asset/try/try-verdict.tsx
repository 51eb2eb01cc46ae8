// The verdict on a schema while it is edited: whether it breaks, in each mode, and what follows.

import { useState } from 'react';
import { isSameJson } from '../../../../core/value/canonical-json.ts';
import type { JsonObject } from '../../../../core/value/json.ts';
import type { Answer } from '../../../data/cache.ts';
import type { Contract, Impact, Mode } from '../../../data/shapes.ts';
import type { VerdictState } from '../../../engine/use-verdict.ts';
import { modes, type Verdict } from '../../../engine/verdict.ts';
import { Badge, Panel } from '../../../parts/bits.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { capitalised, words } from '../../../words.ts';
import { Asked } from './try-asked.tsx';

/** What is typed, read as a schema. */
export type TriedSchema =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly message: string };

interface VerdictProps {
  readonly assetId: string;
  readonly state: VerdictState;
  /** Null until it has been read. */
  readonly draft: TriedSchema | null;
  readonly base: Contract | undefined;
  readonly impact: Answer<Impact>;
  /** The registry has not answered yet what is typed now. */
  readonly isStale: boolean;
  readonly mode: Mode | null;
}

export function VerdictPanel(props: VerdictProps) {
  const { assetId, state, draft, base, impact, isStale, mode } = props;
  const isInvalid = draft?.ok === true && isRefusedSchema(impact);
  const verdict = verdictAbout(draft, state, impact);
  const isSame =
    base !== undefined &&
    draft?.ok === true &&
    mode === null &&
    isSameJson(draft.schema, base.schema);
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
            isReadable={draft?.ok !== false}
          />
        )}
        {verdict !== null && base !== undefined && !isSame && verdict.bump !== 'none' && (
          <p className="next-version">
            <span className="muted">{words.tryChange.next}</span>{' '}
            {impact.kind === 'ready' && !isStale ? (
              <strong>{impact.body.proposed_version}</strong>
            ) : (
              <span className="muted">{words.tryChange.comparing}</span>
            )}
            <span className="hint">{capitalised(verdict.bumpReason)}</span>
          </p>
        )}
        {verdict !== null && verdict.undecidedCount > 0 && (
          <p className="hint">{words.tryChange.undecided(verdict.undecidedCount)}</p>
        )}
      </div>
      {draft?.ok !== false && <Asked impact={impact} assetId={assetId} />}
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

/** Says what the mode does, and has the others, with the verdict in each. Few choose another one. */
export function ModePanel({
  draft,
  state,
  impact,
  base,
  mode: chosen,
  onMode,
}: Pick<VerdictProps, 'draft' | 'state' | 'impact' | 'base' | 'mode'> & {
  readonly onMode: (mode: Mode | null) => void;
}) {
  const verdict = verdictAbout(draft, state, impact);
  const inForce = base?.compatibility_mode ?? 'backward';
  const [isOpenAtFirst] = useState(chosen !== null);
  return (
    <details className="panel panel-flush" open={isOpenAtFirst}>
      <summary>
        {words.tryChange.mode(chosen ?? inForce)}
        <span className="hint">{words.modes[chosen ?? inForce]}</span>
      </summary>
      <fieldset className="modes" aria-label={words.tryChange.modes}>
        {modes.map((mode) => (
          <label key={mode} className="mode">
            <input
              type="radio"
              name="mode"
              checked={(chosen ?? inForce) === mode}
              onChange={() => onMode(mode === inForce ? null : mode)}
            />
            <span>
              <code>{mode}</code>{' '}
              {mode === inForce && <span className="muted">{words.tryChange.inForce}</span>}
              <span className="hint">{words.modes[mode]}</span>
            </span>
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
    </details>
  );
}

/** Text that is not a valid schema cannot be compared, so it does not count as a break. */
export function isRefusedSchema(impact: Answer<Impact>): boolean {
  return impact.kind === 'refused' && impact.refusal.code === 'INVALID_SCHEMA';
}

function verdictAbout(
  draft: TriedSchema | null,
  state: VerdictState,
  impact: Answer<Impact>,
): Verdict | null {
  return draft?.ok !== true || isRefusedSchema(impact) ? null : verdictOf(state);
}

export function verdictOf(state: VerdictState): Verdict | null {
  if (state.kind === 'ready') return state.verdict;
  return state.kind === 'comparing' ? state.last : null;
}

function verdictClass(verdict: Verdict | null): string {
  if (verdict === null || verdict.changes.length === 0) return '';
  return verdict.isBreaking ? 'panel-bad' : 'panel-good';
}
