// The reports of diff and impact, in the form that service.md defines.

import type { Change } from '../../comparison.ts';
import { valuePlaceOf } from '../../schema/value-place.ts';
import type { Json, JsonObject } from '../../value/json.ts';
import { type ImportKind, type ImportProblem, unreadOf } from '../candidate.ts';
import type { Assessment, RemovedAsset } from './plan.types.ts';
import { namesOf, namesOfRemoved, reportNames, type SourceTitle, titleOf } from './report-kinds.ts';

export interface Assessed {
  readonly kind: ImportKind;
  readonly assessments: readonly Assessment[];
  readonly removed: readonly RemovedAsset[];
  readonly problems: readonly ImportProblem[];
  readonly title?: SourceTitle;
}

/**
 * @example
 * toDiffReport(assessed, { failOnBreaking: true })
 * // { status: 'breaking_changes_detected', summary: {...}, blocking: true, models: [...] }
 */
export function toDiffReport(
  assessed: Assessed,
  options: { readonly failOnBreaking: boolean },
): JsonObject {
  const { assessments, removed, kind, title } = assessed;
  const items = [
    ...assessments.map(toDiffItem),
    ...removed.map((each) => toRemovedItem(kind, each)),
  ];
  const count = (changeType: string) =>
    items.filter(({ change_type }) => change_type === changeType).length;
  const breaking = items.filter((item) => item.schema_change_type === 'breaking').length;
  const isChanged = items.some(({ change_type }) => change_type !== 'unchanged');
  return {
    status:
      breaking > 0 ? 'breaking_changes_detected' : isChanged ? 'changes_detected' : 'no_changes',
    ...titleOf(title),
    summary: {
      new: count('new'),
      modified: count('modified'),
      unchanged: count('unchanged'),
      breaking,
      removed: count('removed'),
    },
    blocking: options.failOnBreaking && breaking > 0,
    [reportNames[kind].list]: items,
    ...toProblems(assessed),
  };
}

/** OpenAPI reports have another field for what could not be read. */
function toProblems({ kind, problems, assessments }: Assessed): JsonObject {
  const unread = unreadOf(
    problems,
    assessments.map(({ candidate }) => candidate),
  );
  return {
    complete: unread.size === 0,
    [kind === 'openapi' ? 'parse_errors' : 'errors']: toProblemList(problems, unread),
  };
}

export function toProblemList(
  problems: readonly ImportProblem[],
  unread: ReadonlySet<ImportProblem> = new Set(),
): readonly Json[] {
  return problems.map((problem) => {
    const { code, message, place } = problem;
    return { code, message, place, ...(unread.has(problem) && { leaves_unread: true }) };
  });
}

interface DiffItem extends JsonObject {
  readonly change_type: string;
  readonly schema_change_type: string;
}

function toDiffItem(assessment: Assessment): DiffItem {
  const { candidate, changeType, comparison } = assessment;
  return {
    ...namesOf(candidate),
    change_type: changeType,
    schema_change_type: comparison?.isBreaking === true ? 'breaking' : 'none',
    breaking_changes: breakingOf(assessment).map(({ description }) => description),
    version_bump: bumpOf(assessment),
    changes: (comparison?.changes ?? []).map(toChange),
  };
}

function toRemovedItem(kind: ImportKind, removed: RemovedAsset): DiffItem {
  const { asset, isBreaking, movedTo } = removed;
  const count = `${asset.consumers.length} team(s) consume it`;
  const told =
    movedTo === null
      ? `${asset.fqn} is gone, and ${count}.`
      : `${asset.fqn} moved to ${movedTo}, and ${count} under its old name.`;
  return {
    ...namesOfRemoved(kind, removed),
    change_type: 'removed',
    schema_change_type: isBreaking ? 'breaking' : 'none',
    breaking_changes: isBreaking ? [told] : [],
    version_bump: 'none',
    changes: [],
  };
}

/** @example toImpactReport(assessed) // { status: 'success', total_models: 8, results: [...] } */
export function toImpactReport(assessed: Assessed): JsonObject {
  const { assessments, removed, kind, title } = assessed;
  const names = reportNames[kind];
  const count = assessments.reduce((sum, each) => sum + breakingOf(each).length, 0);
  const gone = removed.filter(({ isBreaking }) => isBreaking).length;
  const isBreaking = count + gone > 0;
  return {
    // For dbt, the status only says that the check ran; for the others, it states the result.
    status: isBreaking && kind !== 'dbt' ? 'breaking_changes_detected' : 'success',
    ...titleOf(title),
    [names.total]: assessments.length,
    [names.withContracts]: assessments.filter(hasContract).length,
    breaking_changes_count: count + gone,
    results: assessments.map(toImpactResult),
    removed: removed.map((each) => ({
      ...namesOfRemoved(kind, each),
      safe_to_publish: !each.isBreaking,
    })),
    ...toProblems(assessed),
  };
}

function toImpactResult(assessment: Assessment): JsonObject {
  return {
    ...namesOf(assessment.candidate),
    has_contract: hasContract(assessment),
    safe_to_publish: breakingOf(assessment).length === 0,
    change_type: hasContract(assessment) ? bumpOf(assessment) : 'new',
    breaking_changes: breakingOf(assessment).map((change) => ({
      type: change.type,
      property: propertyOf(change.path),
      message: change.description,
      path: change.path,
      ...(change.definition === undefined ? {} : { definition: change.definition }),
      ...(change.witness === undefined ? {} : { witness: change.witness }),
    })),
  };
}

function hasContract({ line }: Assessment): boolean {
  return line !== null && line.base !== null;
}

function breakingOf({ comparison }: Assessment): readonly Change[] {
  return comparison?.changes.filter(({ breaking }) => breaking) ?? [];
}

function bumpOf({ comparison }: Assessment): string {
  return comparison?.bump ?? 'none';
}

/** A change as JSON; the engine's own members are JSON already. */
function toChange(change: Change): JsonObject {
  return { ...change };
}

/**
 * The names of the properties on the way to a change.
 *
 * @example propertyOf('$.properties.lines.items.properties.sku') // 'lines.sku'
 */
export function propertyOf(path: string): string {
  return valuePlaceOf(path)
    .steps.filter((step) => typeof step === 'string')
    .join('.');
}
