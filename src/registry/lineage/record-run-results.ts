import { decideAccess } from '../../core/decide/access.ts';
import type { RunFacts } from '../../core/decide/facts.ts';
import { qualityRunRecorded } from '../../core/decide/lineage/events.ts';
import { incidentOf } from '../../core/decide/lineage/incident.ts';
import type { Write } from '../../core/decide/write.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import { fatalOf, type ImportProblem, itemProblem } from '../../core/import/candidate.ts';
import { type ParsedRun, parseRunResults } from '../../core/import/dbt/run-results.ts';
import { indexAssets, type NodeIndex } from '../../core/import/dbt/run-results-index.ts';
import { refuseFatal } from '../../core/import/plan/plan.ts';
import { arrayAt, textAt } from '../../core/import/read-json.ts';
import { occurredAt, type QualityRun } from '../../core/quality-run.ts';
import type { Verb } from '../commands.ts';
import type { Context, Reads } from '../ports.ts';
import type { Transaction } from '../transaction.ts';
import type { RecordedRun, RecordedRuns, RecordRunResults } from './run-results.types.ts';

/**
 * Records one quality run per asset, all in one transaction. Sending the same run again changes
 * nothing.
 */
export const recordRunResults: Verb<RecordRunResults, RecordedRuns> = async (
  ports,
  context,
  command,
) => {
  const index = command.index ?? (await indexRegistry(ports.reads, command));
  const { runs, problems } = parseRunResults(command.results, index);
  const fatal = fatalOf(problems);
  if (fatal !== null) return refuseFatal(fatal);
  return ports.transact(context, (transaction) =>
    record(transaction, context, command.environment, runs, problems),
  );
};

/** Loads only the packages that the results name, because a registry holds many projects. */
async function indexRegistry(
  reads: Pick<Reads, 'listBuildNodes'>,
  { environment, results }: RecordRunResults,
): Promise<NodeIndex> {
  const ids = (arrayAt(results, 'results') ?? []).flatMap(
    (entry) => textAt(entry, 'unique_id') ?? [],
  );
  const packages = [...new Set(ids.flatMap((id) => id.split('.')[1] ?? []))];
  return indexAssets(await reads.listBuildNodes({ environment, packages }));
}

async function record(
  transaction: Transaction,
  context: Context<RecordedRuns>,
  environment: string,
  runs: readonly ParsedRun[],
  problems: readonly ImportProblem[],
): Promise<Outcome<RecordedRuns>> {
  const fqns = runs.map(({ fqn }) => fqn);
  const runId = runs[0]?.runId ?? null;
  const locked = await transaction.lockForRuns({ environment, fqns, runId });
  const facts = new Map(locked.map((each) => [each.asset.fqn, each]));
  const writes: Write[] = [];
  const recorded: RecordedRun[] = [];
  const missing: ImportProblem[] = [];
  for (const run of runs) {
    const found = facts.get(run.fqn);
    if (found === undefined) {
      missing.push(unknownAsset(run.fqn, environment));
      continue;
    }
    const { asset, known, consumerTeamIds, before } = found;
    const access = decideAccess(context.actor, 'record_quality_run', asset.ownerTeamId);
    if (!access.ok) return access;
    const id = known ?? context.newId();
    recorded.push(toRecorded(run, found, id));
    if (known !== null) continue;
    const made = qualityRunOf(run, asset.id, id, transaction.now());
    const incident = incidentOf(made, { before, contract: null, answers: [] });
    const event = qualityRunRecorded(made, asset, consumerTeamIds, incident);
    writes.push({ kind: 'insert_quality_run', run: made, events: [event] });
  }
  if (writes.length > 0) await transaction.apply(writes);
  return accept({ runs: recorded, problems: [...problems, ...missing] });
}

function unknownAsset(fqn: string, environment: string): ImportProblem {
  const message = `${environment} has no asset ${fqn}, so its results were skipped. Import the manifest first.`;
  return itemProblem('BROKEN_REFERENCE', message, '$.results');
}

function toRecorded(run: ParsedRun, { asset, known }: RunFacts, id: string): RecordedRun {
  return {
    id,
    assetId: asset.id,
    assetFqn: asset.fqn,
    status: run.status,
    checked: run.guarantees.length,
    failed: run.guarantees.filter(({ status }) => status === 'failed').length,
    isKnown: known !== null,
  };
}

function qualityRunOf(run: ParsedRun, assetId: string, id: string, recordedAt: string): QualityRun {
  const { startedAt, finishedAt } = run;
  return {
    id,
    assetId,
    contractId: null,
    contractVersion: null,
    status: run.status,
    triggeredBy: run.triggeredBy,
    runId: run.runId,
    guarantees: run.guarantees,
    startedAt,
    finishedAt,
    occurredAt: occurredAt(startedAt, finishedAt, recordedAt),
    recordedAt,
    metadata: run.metadata,
  };
}
