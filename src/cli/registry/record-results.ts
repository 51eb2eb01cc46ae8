// Sends the results of a dbt run, if `concordat import` finds them among its files.

import { isRunResults } from '../../core/import/document-kinds.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../core/value/json.ts';
import type { SourceFile } from '../input/subject.ts';
import { counted } from '../output.ts';
import { mustAnswer, type Registry } from './connection/connect.ts';

/** The parsed document if the file contains run results; null for any other file. */
export function readRunResults(file: SourceFile): JsonObject | null {
  if (!file.text.includes('/run-results/')) return null;
  const parsed = parseJson(file.text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  return isRunResults(parsed.value) ? parsed.value : null;
}

export async function recordResults(
  { client }: Registry,
  run_results: JsonObject,
  environment: string | undefined,
) {
  const where = environment === undefined ? {} : { environment };
  return mustAnswer(await client.recordBuildtoolResults({ body: { run_results, ...where } }));
}

export function resultsText(
  path: string,
  recorded: Awaited<ReturnType<typeof recordResults>>,
): readonly string[] {
  const { runs, results, errors } = recorded;
  return [
    `= ${path}: ${counted(runs.recorded, 'quality run')} recorded, ${runs.unchanged} unchanged; ${runs.failed} failed.`,
    ...results
      .filter(({ status }) => status === 'failed')
      .map(
        ({ fqn, guarantees, failed_guarantees: failed }) =>
          `  ✗ ${fqn}: ${failed} of ${counted(guarantees, 'guarantee')} failed`,
      ),
    ...errors.map(({ message, place }) => `  ! ${place}: ${message}`),
  ];
}
