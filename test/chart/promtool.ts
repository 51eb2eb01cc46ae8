// Runs promtool on rendered files of the chart.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { findPromtool } from '../../scripts/kubernetes/find-promtool.ts';
import { metricTable, processMetrics } from '../../src/ops/observe/metric-table.ts';
import { builtProgram } from '../support/tools.ts';
import type { Ran } from './render.ts';

/** Runs promtool in a folder with these files, by name. */
export async function promtool(
  args: readonly string[],
  files: Readonly<Record<string, object>>,
): Promise<Ran> {
  const program = await findPromtool(builtProgram);
  const folder = await mkdtemp(join(tmpdir(), 'concordat-promtool-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(folder, name), stringify(content, { lineWidth: 0 }));
    }
    return await new Promise((resolve) => {
      execFile(program, args, { cwd: folder }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, stderr });
      });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The API server's own, about the webhook; test/controller/admission asks a real one for the first. */
export const metricsOfOthers = [
  'apiserver_admission_webhook_fail_open_count',
  'apiserver_admission_webhook_rejection_count',
];

/** All series of a registry and of the API server, and Prometheus' own series about a target. */
const known: ReadonlySet<string> = new Set([
  'up',
  ...metricsOfOthers,
  ...processMetrics,
  ...Object.entries(metricTable).flatMap(([name, { type }]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
]);

/** The series in an expression; each is written with its selector. */
function seriesOf(expression: string): readonly string[] {
  return [...expression.matchAll(/([a-zA-Z_:][\w:]*)\s*\{/g)].map((match) => match[1] ?? '');
}

export function unknownSeries(expression: string): readonly string[] {
  const asked = seriesOf(expression);
  return asked.length === 0 ? ['none at all'] : asked.filter((name) => !known.has(name));
}
