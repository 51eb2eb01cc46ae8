// Converts dbt's run_results.json to quality runs: one per asset, with its tests.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { fatal, type ImportProblem, itemProblem } from '../candidate.ts';
import { arrayAt, kindOf, memberOf, objectAt, placeOf, textAt } from '../read-json.ts';
import type { NodeIndex } from './run-results-index.ts';

interface ParsedRunResults {
  readonly runs: readonly ParsedRun[];
  readonly problems: readonly ImportProblem[];
}

export interface ParsedRun {
  readonly fqn: string;
  readonly status: 'passed' | 'failed';
  readonly triggeredBy: 'build_test';
  readonly runId: string | null;
  readonly guarantees: readonly GuaranteeResult[];
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly metadata: JsonObject;
}

/** A warning passes, because the project allows it. */
type GuaranteeStatus = 'passed' | 'failed' | 'warned';

interface GuaranteeResult {
  readonly name: string;
  readonly status: GuaranteeStatus;
  readonly rows?: number;
  readonly message?: string;
}

/**
 * Skipped tests are no results.
 *
 * @example parseRunResults(results, indexManifest(manifest)).runs[0].status // 'failed'
 */
export function parseRunResults(results: Json, index: NodeIndex): ParsedRunResults {
  const refusal = findRefusal(results);
  if (refusal !== null) return { runs: [], problems: [refusal] };
  const entries = arrayAt(results, 'results') ?? [];
  const problems: ImportProblem[] = [];
  const byAsset = new Map<string, Outcome[]>();
  entries.forEach((entry, at) => {
    const outcome = readOutcome(entry);
    if (outcome === 'not a result') return;
    const place = placeOf('$.results', at);
    if (outcome === null) {
      const message = 'A result needs a unique_id and a dbt status. It was skipped.';
      problems.push(itemProblem('UNREADABLE_ITEM', message, place));
      return;
    }
    const fqns = assetsOf(outcome.nodeId, index);
    if (fqns.length === 0 && outcome.nodeId.startsWith('test.')) {
      const message = `No asset was found for ${outcome.nodeId}, so its result was skipped.`;
      problems.push(itemProblem('BROKEN_REFERENCE', message, place));
    }
    for (const fqn of fqns) {
      const list = byAsset.get(fqn);
      if (list === undefined) byAsset.set(fqn, [outcome]);
      else list.push(outcome);
    }
  });
  const metadata = objectAt(results, 'metadata') ?? {};
  const runs = [...byAsset].map(([fqn, outcomes]) => toRun(fqn, outcomes, metadata));
  return { runs: runs.sort((a, b) => (a.fqn < b.fqn ? -1 : 1)), problems };
}

function findRefusal(results: Json): ImportProblem | null {
  if (!isJsonObject(results)) {
    const message = `run_results.json must be an object, not ${kindOf(results)}.`;
    return fatal('INVALID_MANIFEST', message, '$.results');
  }
  const url = textAt(objectAt(results, 'metadata'), 'dbt_schema_version');
  if (url !== undefined && /\/dbt\/(?!run-results\/)[a-z-]+\/v\d+/.test(url)) {
    const message = `This is a different dbt file (${url}). Send target/run_results.json.`;
    return fatal('INVALID_MANIFEST', message, '$.metadata.dbt_schema_version');
  }
  if (arrayAt(results, 'results') !== undefined) return null;
  const message = `"results" must be a list, not ${kindOf(memberOf(results, 'results'))}. Send target/run_results.json.`;
  return fatal('INVALID_MANIFEST', message, '$.results');
}

interface Outcome {
  readonly nodeId: string;
  readonly status: GuaranteeStatus;
  readonly rows: number | null;
  readonly message: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

const statuses: ReadonlyMap<string, GuaranteeStatus | 'not a result'> = new Map([
  ['pass', 'passed'],
  ['success', 'passed'],
  ['warn', 'warned'],
  ['fail', 'failed'],
  ['error', 'failed'],
  ['runtime error', 'failed'],
  ['partial success', 'failed'],
  ['skipped', 'not a result'],
  ['no-op', 'not a result'],
  ['reused', 'not a result'],
]);

function readOutcome(entry: Json): Outcome | 'not a result' | null {
  const nodeId = textAt(entry, 'unique_id');
  const status = statuses.get(textAt(entry, 'status')?.toLowerCase() ?? '');
  if (nodeId === undefined || status === undefined) return null;
  if (status === 'not a result') return status;
  const failures = memberOf(entry, 'failures');
  const timing = arrayAt(entry, 'timing') ?? [];
  const times = (key: string) => timing.flatMap((step) => timeAt(step, key) ?? []).sort();
  return {
    nodeId,
    status,
    rows: typeof failures === 'number' && Number.isSafeInteger(failures) ? failures : null,
    message: textAt(entry, 'message') ?? null,
    startedAt: times('started_at')[0] ?? null,
    finishedAt: times('completed_at').at(-1) ?? null,
  };
}

const timePattern = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:?\d\d)?$/;

/** In UTC, like every time in the registry. Times that dbt wrote without a zone are in UTC. */
function timeAt(value: Json | undefined, key: string): string | undefined {
  const [, moment, zone] = timePattern.exec(textAt(value, key) ?? '') ?? [];
  if (moment === undefined) return undefined;
  const time = new Date(`${moment.replace(' ', 'T')}${zone ?? 'Z'}`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function assetsOf(nodeId: string, index: NodeIndex): readonly string[] {
  const own = index.assetOfNode(nodeId);
  return own === undefined ? index.assetsOfTest(nodeId) : [own];
}

function toRun(fqn: string, outcomes: readonly Outcome[], metadata: JsonObject): ParsedRun {
  const started = outcomes.flatMap((outcome) => outcome.startedAt ?? []).sort();
  const finished = outcomes.flatMap((outcome) => outcome.finishedAt ?? []).sort();
  const dbtVersion = textAt(metadata, 'dbt_version');
  return {
    fqn,
    status: outcomes.some((outcome) => outcome.status === 'failed') ? 'failed' : 'passed',
    triggeredBy: 'build_test',
    runId: textAt(metadata, 'invocation_id') ?? null,
    guarantees: outcomes.map(({ nodeId, status, rows, message }) => ({
      name: nodeId,
      status,
      ...(rows === null ? {} : { rows }),
      ...(message === null ? {} : { message }),
    })),
    startedAt: started[0] ?? null,
    finishedAt: finished.at(-1) ?? timeAt(metadata, 'generated_at') ?? null,
    metadata: dbtVersion === undefined ? {} : { dbt_version: dbtVersion },
  };
}
