// The response of an import: service.md's form A and form B in one.

import type { JsonObject } from '../../value/json.ts';
import type { ImportKind } from '../candidate.ts';
import { countGuarantees, type ImportProblem, unreadOf } from '../candidate.ts';
import { toProblemList } from './diff-report.ts';
import type {
  AppliedIds,
  AssetAction,
  AssetKey,
  ImportError,
  ImportPlan,
  PlannedChange,
  PlannedItem,
} from './plan.types.ts';
import { namesOf, namesOfRemoved, reportNames, type SourceTitle, titleOf } from './report-kinds.ts';

export interface Imported {
  readonly kind: ImportKind;
  readonly plan: ImportPlan;
  readonly problems: readonly ImportProblem[];
  /** The ids of created objects; empty in a dry run, whose response has null ids. */
  readonly applied: AppliedIds;
  readonly isDryRun: boolean;
  readonly title?: SourceTitle;
}

/** @example toImportReport({ kind: 'dbt', plan, problems, applied, isDryRun: false }).assets.created */
export function toImportReport(imported: Imported): JsonObject {
  const { kind, plan, applied, isDryRun, title } = imported;
  const names = reportNames[kind];
  const counts = countActions(plan.items);
  const published = changesOf(plan, 'publish_contract').length;
  const proposed = new Set(changesOf(plan, 'create_proposal').map(({ key }) => key));
  const items = plan.items.map((item) => toItem(item, proposed, applied));
  const unread = unreadOf(
    imported.problems,
    plan.items.map(({ assessment }) => assessment.candidate),
  );
  const unreadKeys = new Set([...unread].map(keyOf));
  return {
    status: counts.failed > 0 ? 'partial' : 'success',
    dry_run: isDryRun,
    assets: {
      created: counts.created,
      updated: counts.updated,
      skipped: counts.skipped,
      unchanged: counts.unchanged,
      failed: counts.failed,
      without_schema: plan.items.filter(({ assessment }) => assessment.terms === null).length,
    },
    contracts: { published, unchanged: countUnchangedContracts(plan.items) },
    proposals: proposalsOf(plan, applied),
    registrations: { created: changesOf(plan, 'register_consumer').length },
    guarantees_extracted: countExtracted(plan.items),
    [names.processed]: plan.items.length,
    removed: plan.removed.map((each) => ({
      ...namesOfRemoved(kind, each),
      breaking: each.isBreaking,
    })),
    complete: unread.size === 0,
    errors: plan.errors.map((error) => toErrorItem(error, unreadKeys)),
    [names.list]: items,
    ...(kind === 'openapi' ? formA(imported, items.length, counts, published, unread) : {}),
    ...titleOf(title),
  };
}

function formA(
  { problems }: Imported,
  found: number,
  counts: Readonly<Record<AssetAction, number>>,
  published: number,
  unread: ReadonlySet<ImportProblem>,
): JsonObject {
  return {
    endpoints_found: found,
    assets_created: counts.created,
    assets_updated: counts.updated,
    assets_skipped: counts.skipped,
    contracts_published: published,
    parse_errors: toProblemList(problems, unread),
  };
}

function countActions(items: readonly PlannedItem[]): Readonly<Record<AssetAction, number>> {
  const counts = { created: 0, updated: 0, skipped: 0, unchanged: 0, failed: 0 };
  for (const { action } of items) counts[action]++;
  return counts;
}

function countUnchangedContracts(items: readonly PlannedItem[]): number {
  return items.filter(({ assessment: { comparison } }) => {
    return comparison !== null && comparison.changes.length === 0 && comparison.bump === 'none';
  }).length;
}

/** The guarantees in the file, whether or not they were published. */
function countExtracted(items: readonly PlannedItem[]): number {
  return items.reduce((sum, { assessment: { candidate } }) => {
    const { guarantees } = candidate.metadata;
    const isListed = typeof guarantees === 'object' && guarantees !== null;
    return sum + (isListed ? countGuarantees(guarantees as JsonObject) : 0);
  }, 0);
}

function changesOf<Kind extends PlannedChange['kind']>(
  plan: ImportPlan,
  kind: Kind,
): readonly Extract<PlannedChange, { kind: Kind }>[] {
  return plan.changes.filter(
    (change): change is Extract<PlannedChange, { kind: Kind }> => change.kind === kind,
  );
}

/** Proposals of every kind: a schema, a new owner, a deprecation. */
function proposalsOf(plan: ImportPlan, applied: AppliedIds): JsonObject {
  const schemas = changesOf(plan, 'create_proposal').map(({ key, comparison }) => ({
    key,
    change_type: 'major',
    breaking_changes_count: comparison.changes.filter(({ breaking }) => breaking).length,
  }));
  const others = plan.changes
    .filter(({ kind }) => kind === 'propose_move' || kind === 'propose_deprecation')
    .map(({ key }) => ({ key, change_type: 'major', breaking_changes_count: 1 }));
  const details = [...schemas, ...others].map(({ key, ...rest }) => ({
    proposal_id: applied.proposalIds.get(key) ?? null,
    asset_fqn: key.slice(key.indexOf(' ') + 1),
    ...rest,
  }));
  return { created: details.length, details };
}

function toItem(
  item: PlannedItem,
  proposed: ReadonlySet<AssetKey>,
  applied: AppliedIds,
): JsonObject {
  const { key, candidate, existing, line } = item.assessment;
  const open = existing?.openProposal ?? null;
  return {
    ...namesOf(candidate),
    action: item.action,
    asset_id: applied.assetIds.get(key) ?? existing?.id ?? null,
    contract_id: applied.contractIds.get(key) ?? line?.base?.id ?? null,
    ...(proposed.has(key) || open !== null
      ? { proposal_id: applied.proposalIds.get(key) ?? open?.id ?? null }
      : {}),
  };
}

function toErrorItem(error: ImportError, unread: ReadonlySet<string>): JsonObject {
  const { code, message, fqn, place } = error;
  return { code, message, fqn, place, ...(unread.has(keyOf(error)) && { leaves_unread: true }) };
}

function keyOf({ code, place }: Pick<ImportError, 'code' | 'place'>): string {
  return `${code} ${place}`;
}
