// Counts and measures, by the names of the table. Writers look a cell up once and keep it, so
// adding to it is one addition; a library would hash its labels each time.

import { collectDefaultMetrics, type Gauge as LibraryGauge, Registry } from 'prom-client';
import { type MetricRow, metricTable } from './metric-table.ts';

type MetricName = keyof typeof metricTable;
type Table = typeof metricTable;
type NameOf<Type extends MetricRow['type']> = {
  [Name in MetricName]: Table[Name]['type'] extends Type ? Name : never;
}[MetricName];
type LabelsOf<Name extends MetricName> = Table[Name] extends { readonly labels: infer Labels }
  ? [labels: { readonly [Label in keyof Labels]: string }]
  : [];

export interface Counter {
  readonly add: (by?: number) => void;
}

interface Gauge {
  readonly set: (value: number) => void;
  readonly add: (by: number) => void;
  /** Hides the value until it is set again. */
  readonly unset: () => void;
}

interface Histogram {
  /** The trace, where there is one, becomes the exemplar of its bucket. */
  readonly observe: (value: number, traceId?: string) => void;
}

type MetricsFormat = 'prometheus' | 'openmetrics';

export interface Metrics {
  readonly counter: <Name extends NameOf<'counter'>>(
    name: Name,
    ...labels: LabelsOf<Name>
  ) => Counter;
  readonly gauge: <Name extends NameOf<'gauge'>>(name: Name, ...labels: LabelsOf<Name>) => Gauge;
  readonly histogram: <Name extends NameOf<'histogram'>>(
    name: Name,
    ...labels: LabelsOf<Name>
  ) => Histogram;
  /** Runs before the metrics are written. Returns a function that ends this. */
  readonly onRead: (read: () => void | Promise<void>) => () => void;
  /** OpenMetrics has exemplars, and names counters without `_total` in their descriptions. */
  readonly text: (format?: MetricsFormat) => Promise<string>;
}

export const metricsContentTypes: Readonly<Record<MetricsFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/**
 * A hundred routes with five statuses are 500 series; more for one metric would be a bug in its
 * labels.
 */
const seriesLimit = 2_000;

export function openMetrics(): Metrics {
  const families = new Map<MetricName, Map<string, Cell>>();
  for (const name of Object.keys(metricTable)) families.set(name as MetricName, new Map());
  const readers = new Set<() => void | Promise<void>>();
  const find = (name: MetricName, labels: Readonly<Record<string, string>> = {}): Cell => {
    const family = families.get(name);
    const key = Object.values(labels).join('\n');
    const known = family?.get(key);
    if (known !== undefined) return known;
    const made = newCell(metricTable[name], labelText(labels));
    // Beyond the limit the cell is not registered, so its values are dropped.
    if (family !== undefined && family.size < seriesLimit) family.set(key, made);
    return made;
  };
  return {
    counter: (name, ...[labels]) => find(name, labels),
    gauge: (name, ...[labels]) => find(name, labels),
    histogram: (name, ...[labels]) => find(name, labels),
    onRead: (read) => {
      readers.add(read);
      return () => readers.delete(read);
    },
    text: async (format = 'prometheus') => {
      await Promise.all([...readers].map((read) => read()));
      const lines: string[] = [];
      for (const [name, family] of families) writeFamily(lines, name, family, format);
      const text = `${lines.join('\n')}\n${await processRegistry().metrics()}`;
      return format === 'prometheus' ? text : toOpenMetrics(text);
    },
  };
}

/** Implements all three types; the table decides which one a name is used as. */
interface Cell extends Gauge, Histogram {
  readonly add: (by?: number) => void;
  readonly write: (lines: string[], name: string, format: MetricsFormat) => void;
}

function newCell(row: MetricRow, labels: string): Cell {
  return row.buckets === undefined ? newValue(row, labels) : newHistogram(row.buckets, labels);
}

function newValue(row: MetricRow, labels: string): Cell {
  // A counter starts at zero; a gauge has no value until it is set.
  let value: number | null = row.type === 'counter' ? 0 : null;
  const suffix = labels === '' ? '' : `{${labels}}`;
  return {
    add: (by = 1) => {
      value = (value ?? 0) + by;
    },
    set: (to) => {
      value = to;
    },
    unset: () => {
      value = null;
    },
    observe: () => {},
    write: (lines, name) => {
      if (value !== null) lines.push(`${name}${suffix} ${rounded(value)}`);
    },
  };
}

function newHistogram(buckets: readonly number[], labels: string): Cell {
  const counts = new Array<number>(buckets.length + 1).fill(0);
  const exemplars: (string | undefined)[] = [];
  let sum = 0;
  const before = labels === '' ? '' : `${labels},`;
  const suffix = labels === '' ? '' : `{${labels}}`;
  return {
    add: () => {},
    set: () => {},
    unset: () => {},
    observe: (value, traceId) => {
      let at = 0;
      while (at < buckets.length && value > (buckets[at] ?? 0)) at++;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += value;
      if (traceId !== undefined) {
        exemplars[at] = ` # {trace_id="${traceId}"} ${value} ${Date.now() / 1000}`;
      }
    },
    write: (lines, name, format) => {
      // An empty histogram is sixteen series that say nothing.
      if (counts.every((count) => count === 0)) return;
      let upTo = 0;
      for (const [at, bound] of [...buckets, '+Inf'].entries()) {
        upTo += counts[at] ?? 0;
        const exemplar = format === 'openmetrics' ? (exemplars[at] ?? '') : '';
        lines.push(`${name}_bucket{${before}le="${bound}"} ${upTo}${exemplar}`);
      }
      lines.push(`${name}_sum${suffix} ${rounded(sum)}`, `${name}_count${suffix} ${upTo}`);
    },
  };
}

/** A millionth is exact enough: the digits of sums of floats were a tenth of the text. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** prom-client writes the format of Prometheus; only the descriptions and the end differ. */
function toOpenMetrics(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  return `${lines.map((line) => line.replace(/^(# (?:HELP|TYPE) \S+)_total /, '$1 ')).join('\n')}\n# EOF\n`;
}

function writeFamily(
  lines: string[],
  name: MetricName,
  family: ReadonlyMap<string, Cell>,
  format: MetricsFormat,
): void {
  const { help, type } = metricTable[name];
  const written: string[] = [];
  for (const cell of family.values()) cell.write(written, name, format);
  // A metric without values gets no description: most registries do not use the parts that half of them measure.
  if (written.length === 0) return;
  lines.push(`# HELP ${name} ${firstSentenceOf(help)}`, `# TYPE ${name} ${type}`, ...written);
}

/** docs/metrics.md has the others. @example firstSentenceOf('Open streams. One a tab.') // 'Open streams.' */
export function firstSentenceOf(text: string): string {
  return text.replace(/(?<=\.) [A-Z].*/, '');
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, escapeCharacter)}"`)
    .join(',');
}

function escapeCharacter(character: string): string {
  return character === '\n' ? '\\n' : `\\${character}`;
}

/** Each sample wakes the process: fifty per second took half a percent of a core when idle. */
const lagPrecisionMs = 100;
let ofProcess: Registry | null = null;

/**
 * One per process, however many servers it has, because it observes garbage collection and the
 * event loop.
 */
function processRegistry(): Registry {
  if (ofProcess === null) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: lagPrecisionMs });
    // 39 series; the heap as a whole is measured, too.
    for (const name of ['total', 'used', 'available']) {
      ofProcess.removeSingleMetric(`nodejs_heap_space_size_${name}_bytes`);
    }
    for (const name of ['min', 'max', 'mean', 'p50', 'p90', 'p99']) {
      const lag = ofProcess.getSingleMetric(`nodejs_eventloop_lag_${name}_seconds`);
      if (lag !== undefined) reportOnlyLag(lag as LibraryGauge);
    }
  }
  return ofProcess;
}

/**
 * The library measures from one sample to the next, including the pause in between, so an idle
 * process would seem to lag by a tenth of a second. Before the first sample the lag is zero.
 */
function reportOnlyLag(lag: LibraryGauge): void {
  const set = lag.set.bind(lag) as (labels: object, value: number) => void;
  const longest = 86_400;
  lag.set = ((labels: object, seconds: number) => {
    const late = Math.max(0, seconds - lagPrecisionMs / 1000);
    set(labels, late < longest ? late : 0);
  }) as LibraryGauge['set'];
}
