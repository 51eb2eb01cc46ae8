// The results of a build tool's run.

import { accept } from '../../core/failure.ts';
import { toProblemList } from '../../core/import/plan/diff-report.ts';
import type { RecordedRun, RecordedRuns } from '../../registry/lineage/run-results.types.ts';
import { contextOf } from '../handler.ts';
import type { ImportHandler, ImportReply } from '../import-handler.ts';

export const recordBuildtoolResults: ImportHandler = recording;
export const recordDbtResults: ImportHandler = recording;

async function recording(
  ...[{ ports, verbs }, call]: Parameters<ImportHandler>
): ReturnType<ImportHandler> {
  const { runResults } = call.document;
  if (runResults === null) throw new Error('Results were accepted and not read.');
  // The cast is safe: the shape of the route's row parsed the body.
  const { environment } = call.body as { readonly environment: string };
  const command = { environment, ...runResults };
  const outcome = await verbs.recordRunResults(ports, contextOf(call, replyOf), command);
  return outcome.ok ? accept(replyOf(outcome.value)) : outcome;
}

function replyOf({ runs, problems }: RecordedRuns): ImportReply {
  const unchanged = runs.filter(({ isKnown }) => isKnown).length;
  return {
    status: 200,
    body: {
      status: problems.length === 0 ? 'success' : 'partial',
      runs: {
        recorded: runs.length - unchanged,
        unchanged,
        failed: runs.filter(({ status }) => status === 'failed').length,
      },
      results: runs.map(toItem),
      errors: toProblemList(problems),
    },
  };
}

function toItem(run: RecordedRun) {
  return {
    fqn: run.assetFqn,
    asset_id: run.assetId,
    quality_run_id: run.id,
    action: run.isKnown ? 'unchanged' : 'recorded',
    status: run.status,
    guarantees: run.checked,
    failed_guarantees: run.failed,
  };
}
