// The quality runs of an asset: recent figures, then each run as a bar and as a row.

import { rowName } from '../../../core/checks/row-name.ts';
import type { QualityRun, QualityTrend } from '../../data/shapes.ts';
import { useAnswer, useSettled } from '../../data/use-answer.ts';
import { Badge, Panel, TableFrame } from '../../parts/bits.tsx';
import { SelectField } from '../../parts/form/form.tsx';
import { countStates, RunPlot } from '../../parts/run-plot.tsx';
import { Await, Empty } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link, refineQuery, usePlace } from '../../router.tsx';
import { words } from '../../words.ts';
import type { AssetTabProps } from './asset-tab.ts';

/** The number of bars that fit next to each other and can still be distinguished. */
const pageSize = 50;
const shownFailures = 4;
const shownSamples = 3;

export default function AssetQuality({ asset }: AssetTabProps) {
  const { query } = usePlace();
  const status = statusOf(query.get('status'));
  const cursor = query.get('cursor') ?? '';
  const params = { asset_id: asset.id };
  const trends = useAnswer('getQualityTrends', { params });
  const { answer, isSettling } = useSettled(
    useAnswer('listQualityRuns', {
      params,
      query: {
        limit: pageSize,
        ...(status !== '' && { status }),
        ...(cursor !== '' && { cursor }),
      },
    }),
  );
  return (
    <>
      <Panel title={words.quality.lately}>
        <Await answer={trends}>
          {({ windows, incidents }) => (
            <>
              {incidents.map((incident) => (
                <p key={incident.triggered_by} className="incident">
                  <Badge tone="bad" icon="cross">
                    {words.quality.incident}
                  </Badge>{' '}
                  {words.quality.failing(incident.triggered_by, incident.runs)}{' '}
                  <Time at={incident.since} isExact />
                </p>
              ))}
              <Trends windows={windows} />
            </>
          )}
        </Await>
      </Panel>
      <Panel
        className="panel-flush"
        title={words.quality.title}
        aside={
          <div className="quality-filter">
            <SelectField
              label={words.quality.status}
              value={status}
              onText={(next) => refineQuery({ status: next, cursor: '' })}
              options={[
                { value: '', label: words.quality.any },
                { value: 'failed', label: words.quality.states.failed },
                { value: 'passed', label: words.quality.states.passed },
              ]}
            />
          </div>
        }
      >
        <Await answer={answer}>
          {({ results, total = results.length, next_cursor: next }) =>
            results.length === 0 ? (
              <NoRuns isFiltered={status !== ''} />
            ) : (
              <div className={isSettling ? 'settling' : undefined} aria-busy={isSettling}>
                <RunPlot runs={results} />
                <RunTable runs={results} assetId={asset.id} />
                <Steps shown={results.length} total={total} cursor={cursor} next={next ?? ''} />
              </div>
            )
          }
        </Await>
      </Panel>
    </>
  );
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title={words.quality.noneSuch} icon="search" />;
  return (
    <Empty title={words.quality.none} icon="pulse">
      <p>{words.quality.noneHint}</p>
    </Empty>
  );
}

function Trends({ windows }: { readonly windows: readonly QualityTrend[] }) {
  return (
    <ul className="trends">
      {windows.map((trend) => (
        <li key={trend.window}>
          <h3>{words.quality.windows[trend.window]}</h3>
          {trend.failure_rate === null ? (
            <p className="muted">{words.quality.noRuns}</p>
          ) : (
            <>
              <p className="trend-rate">
                {words.quality.kept(percent.format(1 - trend.failure_rate))}
              </p>
              <p className="muted">{words.quality.failedOf(trend.failed_runs, trend.runs)}</p>
            </>
          )}
          {trend.worst_guarantees.length > 0 && <Worst trend={trend} />}
        </li>
      ))}
    </ul>
  );
}

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

function Worst({ trend }: { readonly trend: QualityTrend }) {
  return (
    <>
      <h4>{words.quality.worst}</h4>
      <ul className="trend-worst">
        {trend.worst_guarantees.map(({ name, failed_runs, runs }) => (
          <li key={name}>
            <code>{name}</code> {words.quality.worstOf(failed_runs, runs)}
          </li>
        ))}
      </ul>
    </>
  );
}

function RunTable({
  runs,
  assetId,
}: {
  readonly runs: readonly QualityRun[];
  readonly assetId: string;
}) {
  const hasVersions = runs.some((run) => run.contract_version !== null);
  return (
    <TableFrame label={words.quality.caption}>
      <table className="table table-cards">
        <caption className="hidden">{words.quality.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.quality.when}</th>
            <th scope="col">{words.quality.status}</th>
            <th scope="col">{words.quality.guarantees}</th>
            <th scope="col">{words.quality.trigger}</th>
            {hasVersions && <th scope="col">{words.quality.version}</th>}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <th scope="row">
                <Time at={run.occurred_at} isExact />
              </th>
              <td data-label={words.quality.status}>
                <Badge
                  tone={run.status === 'passed' ? 'good' : 'bad'}
                  icon={run.status === 'passed' ? 'check' : 'cross'}
                >
                  {words.quality.states[run.status]}
                </Badge>
              </td>
              <td className="cell-text" data-label={words.quality.guarantees}>
                <Guarantees run={run} />
              </td>
              <td className="cell-text" data-label={words.quality.trigger}>
                {run.triggered_by}
                {run.run_id !== null && <span className="muted"> {run.run_id}</span>}
              </td>
              {hasVersions && (
                <td data-label={words.quality.version}>
                  {run.contract_version !== null && (
                    <Link to={`${paths.asset(assetId)}?version=${run.contract_version}`}>
                      {run.contract_version}
                    </Link>
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

function Guarantees({ run }: { readonly run: QualityRun }) {
  const { passed, failed } = countStates(run);
  const faults = run.guarantees.filter(({ status }) => status === 'failed' || status === 'warned');
  return (
    <>
      {words.quality.summary(passed, failed, run.guarantees.length)}
      {typeof run.metadata.rows === 'number' &&
        ` · ${words.quality.rowsChecked(run.metadata.rows)}`}
      {faults.length > 0 && (
        <ul className="faults">
          {faults.slice(0, shownFailures).map(({ name, status, rows, message }) => (
            <li key={name}>
              <code>{name}</code> {words.quality.checks[status]}
              {rows !== undefined && ` · ${words.quality.rows(rows)}`}
              {message !== undefined && ` · ${message}`}
              <Samples values={samplesOf(run, name)} />
            </li>
          ))}
          {faults.length > shownFailures && (
            <li className="muted">{words.quality.more(faults.length - shownFailures)}</li>
          )}
        </ul>
      )}
    </>
  );
}

/** What a check found, such as `concordat check` records it. */
function samplesOf({ metadata }: QualityRun, name: string): readonly unknown[] {
  const { samples } = metadata;
  const ofRule =
    typeof samples === 'object' && samples !== null
      ? Object.entries(samples).find(([rule]) => rule === name)?.[1]
      : undefined;
  return Array.isArray(ofRule) ? ofRule : [];
}

/** A value, and what names its row; runs of other programs have values alone. */
function sampleText(sample: unknown): string {
  if (typeof sample !== 'object' || sample === null || !('row' in sample)) {
    return JSON.stringify(sample);
  }
  const value = 'value' in sample ? [JSON.stringify(sample.value)] : [];
  const names = rowName(Object(sample.row));
  return [...value, ...(names === '' ? [] : [words.quality.inRow(names)])].join(' ');
}

function Samples({ values }: { readonly values: readonly unknown[] }) {
  if (values.length === 0) return null;
  const shown = values.slice(0, shownSamples).map(sampleText);
  return (
    <>
      {' '}
      · {words.quality.example} <code>{shown.join(', ')}</code>
    </>
  );
}

function Steps({
  shown,
  total,
  cursor,
  next,
}: {
  readonly shown: number;
  readonly total: number;
  readonly cursor: string;
  readonly next: string;
}) {
  return (
    <div className="pager">
      <span role="status">{words.quality.shown(shown, total)}</span>
      {(cursor !== '' || next !== '') && (
        <nav aria-label={words.quality.pages}>
          <button
            type="button"
            className="button"
            disabled={cursor === ''}
            onClick={() => refineQuery({ cursor: '' })}
          >
            {words.quality.newest}
          </button>
          <button
            type="button"
            className="button"
            disabled={next === ''}
            onClick={() => refineQuery({ cursor: next })}
          >
            {words.quality.older}
          </button>
        </nav>
      )}
    </div>
  );
}

function statusOf(text: string | null): QualityRun['status'] | '' {
  return text === 'failed' || text === 'passed' ? text : '';
}
