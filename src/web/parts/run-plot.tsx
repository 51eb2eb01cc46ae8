// Quality runs as bars, oldest on the left: the number of guarantees that each run checked, by
// result. Each result has its own pattern and position, and a failed run has a cross, so that
// colour is not needed.

import { useEffect, useRef } from 'react';
import type { QualityRun } from '../data/shapes.ts';
import { words } from '../words.ts';
import { exactTime } from './time.tsx';
import { useMedia } from './windowed.tsx';
import '../style/quality.css';

type CheckState = QualityRun['guarantees'][number]['status'];

/** From the bottom up, so that failures are most visible. */
const checkStates: readonly CheckState[] = ['failed', 'warned', 'skipped', 'passed'];

const height = 190;
const top = 22;
const bottom = 26;
const left = 40;
/** The distance between bars; a few bars are spread over the available width. */
const leastStep = 22;
const mostStep = 40;
const usualWidth = 880;
const stepFor = (count: number) =>
  Math.min(mostStep, Math.max(leastStep, Math.floor(usualWidth / Math.max(1, count))));
const barWidth = 14;
/** A run that checked nothing still has a visible bar. */
const leastBar = 3;
/** The number of bars between two dates below them, so that dates do not overlap. */
const dateEvery = 5;

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

export function RunPlot({ runs }: { readonly runs: readonly QualityRun[] }) {
  const oldestFirst = runs.toReversed();
  const most = Math.max(1, ...runs.map((run) => run.guarantees.length));
  const isNarrow = useMedia('(max-width: 700px)');
  const step = isNarrow ? leastStep : stepFor(runs.length);
  const width = left + Math.max(10, runs.length) * step + 12;
  const scale = (height - top - bottom) / most;
  const frame = useRef<HTMLElement>(null);
  // If not all runs fit, the newest are visible.
  useEffect(() => {
    frame.current?.scrollTo({ left: width });
  }, [width]);
  return (
    <figure className="plot">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={frame} className="plot-frame" aria-label={words.quality.axis} tabIndex={0}>
        <svg width={width} height={height} role="img" aria-label={describe(oldestFirst)}>
          <Patterns />
          <Lines most={most} scale={scale} width={width} />
          {oldestFirst.map((run, index) => (
            <Bar
              key={run.id}
              run={run}
              x={left + index * step}
              scale={scale}
              date={index % dateEvery === 0 ? day.format(new Date(run.occurred_at)) : null}
            />
          ))}
        </svg>
      </section>
      <Legend />
    </figure>
  );
}

function describe(oldestFirst: readonly QualityRun[]): string {
  const failed = oldestFirst.filter(({ status }) => status === 'failed').length;
  const from = exactTime(oldestFirst[0]?.occurred_at ?? '');
  const to = exactTime(oldestFirst.at(-1)?.occurred_at ?? '');
  return words.quality.plot(oldestFirst.length, failed, from, to);
}

function Patterns() {
  return (
    <defs>
      <pattern
        id="plot-failed"
        width="5"
        height="5"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect className="plot-failed-ground" width="5" height="5" />
        <rect className="plot-failed-stripe" width="1.6" height="5" />
      </pattern>
      <pattern id="plot-warned" width="5" height="5" patternUnits="userSpaceOnUse">
        <rect className="plot-warned-ground" width="5" height="5" />
        <circle className="plot-warned-dot" cx="2.5" cy="2.5" r="1.2" />
      </pattern>
    </defs>
  );
}

function Lines({
  most,
  scale,
  width,
}: {
  readonly most: number;
  readonly scale: number;
  readonly width: number;
}) {
  const ticks = [...new Set([0, Math.round(most / 2), most])];
  return (
    <>
      {ticks.map((tick) => {
        const y = height - bottom - tick * scale;
        return (
          <g key={tick} className="plot-line">
            <line x1={left - 6} x2={width} y1={y} y2={y} />
            <text x={left - 10} y={y + 4} textAnchor="end">
              {tick.toLocaleString('en')}
            </text>
          </g>
        );
      })}
    </>
  );
}

function Bar({
  run,
  x,
  scale,
  date,
}: {
  readonly run: QualityRun;
  readonly x: number;
  readonly scale: number;
  readonly date: string | null;
}) {
  const ground = height - bottom;
  const counts = countStates(run);
  let y = ground;
  const parts = checkStates.flatMap((state) => {
    const size = counts[state] * scale;
    y -= size;
    return size === 0 ? [] : [{ state, y, size }];
  });
  const peak = Math.min(y, ground - leastBar);
  const middle = x + barWidth / 2;
  return (
    <g data-run={run.status}>
      <title>{`${exactTime(run.occurred_at)}: ${words.quality.states[run.status]}`}</title>
      {parts.length === 0 && (
        <rect
          className="plot-bar plot-bar-none"
          x={x}
          y={ground - leastBar}
          width={barWidth}
          height={leastBar}
        />
      )}
      {parts.map(({ state, y: at, size }) => (
        <rect
          key={state}
          className={`plot-bar plot-bar-${state}`}
          x={x}
          y={at}
          width={barWidth}
          height={size}
        />
      ))}
      {run.status === 'failed' && (
        <path className="plot-cross" d={`M${middle - 4} ${peak - 13}l8 8m0-8l-8 8`} />
      )}
      {date !== null && (
        <text className="plot-date" x={x} y={height - 8}>
          {date}
        </text>
      )}
    </g>
  );
}

export function countStates(run: QualityRun): Record<CheckState, number> {
  const counts: Record<CheckState, number> = { failed: 0, warned: 0, skipped: 0, passed: 0 };
  for (const { status } of run.guarantees) counts[status]++;
  return counts;
}

function Legend() {
  return (
    <figcaption className="plot-legend">
      <span>{words.quality.axis}</span>
      <ul>
        {checkStates.map((state) => (
          <li key={state}>
            <svg width="14" height="14" aria-hidden>
              <rect className={`plot-bar plot-bar-${state}`} x="1" y="1" width="12" height="12" />
            </svg>
            {words.quality.checks[state]}
          </li>
        ))}
        <li>
          <svg width="14" height="14" aria-hidden>
            <path className="plot-cross" d="M3 3l8 8m0-8l-8 8" />
          </svg>
          {words.quality.failedRun}
        </li>
      </ul>
    </figcaption>
  );
}
