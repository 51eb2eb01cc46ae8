// Parses Prometheus' text format as this product writes it, strictly, so that a line that scrapers
// refuse fails.

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Name and labels as written. */
  readonly text: string;
}

interface ReadMetrics {
  readonly text: string;
  readonly series: readonly Series[];
  readonly described: ReadonlyMap<string, { readonly type: string; readonly help: string }>;
  /** NaN if there is no such series. */
  readonly value: (series: string) => number;
}

const seriesLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const labelPart = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/gy;

export async function readMetrics(url: string): Promise<ReadMetrics> {
  const response = await fetch(`${url}/metrics`);
  return parseMetrics(await response.text());
}

function parseMetrics(text: string): ReadMetrics {
  const helps = new Map<string, string>();
  const described = new Map<string, { type: string; help: string }>();
  const series: Series[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const comment = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (comment !== null) {
      const [, what, name = '', rest = ''] = comment;
      if (what === 'HELP') helps.set(name, rest);
      else if (described.has(name)) throw new Error(`${name} is described twice`);
      else described.set(name, { type: rest, help: helps.get(name) ?? '' });
      continue;
    }
    series.push(parseSeries(line));
  }
  const values = new Map(series.map(({ text: written, value }) => [written, value]));
  if (values.size !== series.length) throw new Error('a series is there twice');
  return { text, series, described, value: (written) => values.get(written) ?? Number.NaN };
}

function parseSeries(line: string): Series {
  const found = seriesLine.exec(line);
  if (found === null) throw new Error(`This is no line of metrics: ${line}`);
  const [, name = '', labelText, valueText = ''] = found;
  const labels: Record<string, string> = {};
  let end = 0;
  for (const match of (labelText ?? '').matchAll(labelPart)) {
    labels[match[1] ?? ''] = match[2] ?? '';
    end = match.index + match[0].length;
  }
  if (end !== (labelText ?? '').length) throw new Error(`These are no labels: ${line}`);
  const value = valueText === 'Nan' ? Number.NaN : Number(valueText.replace('+Inf', 'Infinity'));
  const text = labelText === undefined ? name : `${name}{${labelText}}`;
  return { name, labels, value, text };
}
