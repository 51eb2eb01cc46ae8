// Compares everything that an import would change, before taking any lock.

import type { Comparison } from '../../core/comparison.ts';
import { digestsOf } from '../../core/decide/asking.ts';
import type { ParsedImport } from '../../core/import/candidate.ts';
import {
  assessCandidates,
  assetKey,
  hasChanges,
  listComparisons,
} from '../../core/import/plan/assess.ts';
import type { ImportFound } from '../../core/import/plan/found.ts';
import type {
  AssetKey,
  Comparisons,
  ComparisonTask,
  ImportFacts,
  NeedVerdicts,
} from '../../core/import/plan/plan.types.ts';
import type { Verdicts } from '../../core/need.ts';
import { isSameJson } from '../../core/value/canonical-json.ts';
import { findVerdicts } from '../contracts/consumer-verdicts.ts';
import { withTurnedDirection } from '../contracts/terms.ts';
import type { Engine, Ports } from '../ports.ts';

/** A thread gets at least this many comparisons, because waking it costs more than most of them. */
const smallestChunk = 32;
/** A fifth of the engine's queue, so that other requests still fit. */
const mostChunks = 200;

export async function compareImport(
  engine: Engine,
  { candidates }: Pick<ParsedImport, 'candidates'>,
  facts: ImportFacts,
  environment: string,
): Promise<Comparisons> {
  const tasks = listComparisons(candidates, facts, environment);
  const comparisons = new Map<AssetKey, Comparison>();
  const open: ComparisonTask[] = [];
  for (const task of tasks) {
    if (isSame(task)) comparisons.set(task.key, unchanged);
    else open.push(task);
  }
  const chunkSize = Math.max(smallestChunk, Math.ceil(open.length / mostChunks));
  const chunks: ComparisonTask[][] = [];
  for (let at = 0; at < open.length; at += chunkSize) chunks.push(open.slice(at, at + chunkSize));
  // The pool has its own queue, so all chunks can be sent at once.
  const answers = await Promise.all(chunks.map((chunk) => engine.compareMany(chunk)));
  for (const [index, task] of open.entries()) {
    const answer = answers[Math.floor(index / chunkSize)]?.[index % chunkSize];
    if (answer === undefined) throw new Error(`${task.key} was not compared.`);
    const { old, next } = task;
    comparisons.set(
      task.key,
      old.direction === next.direction ? answer : withTurnedDirection(answer, old, next.direction),
    );
  }
  return comparisons;
}

const unchanged: Comparison = {
  changes: [],
  isBreaking: false,
  breaksBackward: false,
  bump: 'none',
  bumpReason: 'Nothing differs.',
  undecidedCount: 0,
  steps: 0,
};

/** A schema with the same text is the file's own object. */
function isSame({ old, next }: ComparisonTask): boolean {
  return (
    old.schema === next.schema &&
    old.dialect === next.dialect &&
    old.direction === next.direction &&
    old.compatibilityMode === next.compatibilityMode &&
    isSameJson(old.guarantees, next.guarantees)
  );
}

/** What the changes do to the needs of consumers, asset by asset: few have any. */
export async function judgeImport(
  ports: Pick<Ports, 'engine' | 'reads'>,
  { candidates }: Pick<ParsedImport, 'candidates'>,
  facts: ImportFacts,
  comparisons: Comparisons,
  environment: string,
): Promise<NeedVerdicts> {
  const verdicts = new Map<AssetKey, Verdicts>();
  const assessments = assessCandidates(candidates, facts, comparisons, environment);
  for (const { key, line, terms, comparison } of assessments) {
    const hasNeeds = line?.consumers.some((each) => digestsOf(each).length > 0) === true;
    if (!hasNeeds || line.base === null || terms === null || comparison === null) continue;
    if (!hasChanges(comparison)) continue;
    const change = { assetId: line.id, old: line.base.terms, next: terms, comparison };
    verdicts.set(key, await findVerdicts(ports, change));
  }
  return verdicts;
}

/** Whether the comparison is still current: the same assets, contracts and modes exist. */
export function isStillCompared(before: ImportFound, now: ImportFound): boolean {
  const compared = comparedBy(before);
  const current = comparedBy(now);
  return (
    compared.size === current.size &&
    [...current].every(([key, state]) => compared.get(key) === state)
  );
}

function comparedBy({ assets, predecessors }: ImportFound): ReadonlyMap<AssetKey, string> {
  return new Map(
    [...assets, ...predecessors].map(({ asset, base, consumers }) => [
      assetKey(asset.fqn, asset.environment),
      [asset.id, asset.deletedAt, asset.guaranteeMode, base?.id, base?.status]
        .concat(consumers.flatMap(digestsOf).sort())
        .join(' '),
    ]),
  );
}
