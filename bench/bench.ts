// `make bench`: every figure next to its floor or its peer from the same run. Writes the table to
// bench/RESULTS.md and bench/results.json, and points out every ratio that is worse than the
// committed one by more than the tolerance.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Benchmark, type Figure, isMet, ratioOf } from './support/figure.ts';

/** Shared machines are noisy: smaller differences mean nothing. */
const worseTolerance = 1.15;

const resultsFile = join(import.meta.dirname, 'results.json');
const tableFile = join(import.meta.dirname, 'RESULTS.md');

// Stops its processes even when it is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const { values } = parseArgs({ options: { filter: { type: 'string', default: '' } } });
const before = readResults();
const after = new Map(before);

for (const file of readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.bench.ts'))
  .sort()) {
  if (!file.includes(values.filter)) continue;
  const { benchmark } = (await import(`./${file}`)) as { benchmark: Benchmark };
  process.stderr.write(`${benchmark.name} ...\n`);
  const figures = await benchmark.run();
  after.set(benchmark.name, figures);
  for (const figure of figures) {
    process.stdout.write(`  ${lineOf(figure)}\n`);
    const worse = worseThan(figure, before.get(benchmark.name));
    if (worse !== null) process.stdout.write(`    WORSE: ${worse}\n`);
  }
}

writeFileSync(resultsFile, `${JSON.stringify(Object.fromEntries(after), null, 2)}\n`);
writeFileSync(tableFile, table());

type Results = ReadonlyMap<string, readonly Figure[]>;

function readResults(): Results {
  if (!existsSync(resultsFile)) return new Map();
  return new Map(Object.entries(JSON.parse(readFileSync(resultsFile, 'utf8')))) as Results;
}

function worseThan(figure: Figure, earlier: readonly Figure[] | undefined): string | null {
  const old = earlier?.find(({ name }) => name === figure.name);
  const [then, now] = [old && ratioOf(old), ratioOf(figure)];
  if (then === undefined || then === null || now === null) return null;
  const factor = figure.higherIsBetter === true ? then / now : now / then;
  return factor > worseTolerance ? `${number(then)} before, ${number(now)} now` : null;
}

function lineOf(figure: Figure): string {
  const against = figure.against;
  const beside =
    against === undefined
      ? ''
      : ` (${number(ratioOf(figure) ?? 0)} x ${against.name}, ${number(against.value)})`;
  return `${figure.name}: ${number(figure.value)} ${figure.unit}${beside} ${verdict(figure)}`.trimEnd();
}

function verdict(figure: Figure): string {
  const met = isMet(figure);
  if (met === null) return '';
  return met ? 'met' : 'MISSED';
}

function table(): string {
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const lines = [
    '# Results',
    '',
    `Made by \`make bench\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${machine}.`,
    'Machines are shared and noisy: read the ratios.',
    '',
    '| figure | value | beside | ratio | promised | |',
    '|---|---|---|---|---|---|',
  ];
  for (const [name, figures] of [...after].sort()) {
    lines.push(`| **${name}** | | | | | |`);
    for (const figure of figures) lines.push(rowOf(figure));
  }
  return `${lines.join('\n')}\n`;
}

function rowOf(figure: Figure): string {
  const ratio = ratioOf(figure);
  const sign = figure.higherIsBetter === true ? '>=' : '<=';
  const promised =
    figure.targetRatio !== undefined
      ? `${sign} ${figure.targetRatio} x`
      : figure.targetValue !== undefined
        ? `${sign} ${figure.targetValue} ${figure.unit}`
        : '';
  const cells = [
    figure.name + (figure.note === undefined ? '' : ` (${figure.note})`),
    `${number(figure.value)} ${figure.unit}`,
    figure.against === undefined ? '' : `${figure.against.name}: ${number(figure.against.value)}`,
    ratio === null ? '' : number(ratio),
    promised,
    verdict(figure),
  ];
  return `| ${cells.join(' | ')} |`;
}

function number(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
