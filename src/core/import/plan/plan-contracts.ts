// Plans the contracts of an import: compatible changes are published, breaking ones proposed or
// refused. Nothing changes without being requested.

import type { ContractTerms } from '../../comparison.ts';
import { isSameJson } from '../../value/canonical-json.ts';
import { objectAt } from '../read-json.ts';
import { hasChanges, isStillRead } from './assess.ts';
import type {
  Assessment,
  ExistingAsset,
  ExistingProposal,
  ImportError,
  ImportOptions,
  PlanErrorCode,
  PlannedChange,
  PlannedItem,
  RemovedAsset,
} from './plan.types.ts';

interface PlannedContract {
  readonly change: PlannedChange | null;
  readonly error: { readonly code: PlanErrorCode; readonly message: string } | null;
  /** The asset is left out of the import. */
  readonly isLeftOut: boolean;
}

const nothing: PlannedContract = { change: null, error: null, isLeftOut: false };

export function planContract(assessment: Assessment, options: ImportOptions): PlannedContract {
  const { candidate, existing, line, terms, comparison, asking, key } = assessment;
  if (terms === null || candidate.terms === null) return nothing;
  const { format } = candidate.terms;
  const assetId = existing?.id ?? null;
  const base = line?.base ?? null;
  const publish: PlannedContract = {
    ...nothing,
    change: {
      kind: 'publish_contract',
      key,
      assetId,
      base,
      terms,
      format,
      comparison,
      asking,
    },
  };
  if (line === null || base === null) return options.autoPublishContracts ? publish : nothing;
  if (comparison === null || (!hasChanges(comparison) && base.status === 'active')) return nothing;
  if (!asking.isProposed) return options.autoPublishContracts ? publish : nothing;
  if (options.autoCreateProposals) {
    if (line.openProposal !== null) {
      return isProposed(line.openProposal, terms) ? nothing : pending(assessment);
    }
    const change = {
      kind: 'create_proposal' as const,
      key,
      assetId,
      base,
      terms,
      format,
      comparison,
      asking,
    };
    return { ...nothing, change };
  }
  return options.autoPublishContracts ? breaking(assessment) : nothing;
}

/** Importing the same file again makes no second proposal. */
function isProposed(open: ExistingProposal, terms: ContractTerms): boolean {
  return (
    open.terms !== null &&
    open.terms.compatibilityMode === terms.compatibilityMode &&
    isSameJson(open.terms.schema, terms.schema) &&
    isSameJson(open.terms.guarantees, terms.guarantees)
  );
}

/** An import does not replace an open proposal. */
function pending({ candidate }: Assessment): PlannedContract {
  const message = `${candidate.fqn} already has an open proposal, so no new one was created. Publish or withdraw it first.`;
  return { ...nothing, error: { code: 'PROPOSAL_PENDING', message } };
}

function breaking({ candidate, comparison }: Assessment): PlannedContract {
  const [first] = comparison?.changes ?? [];
  const message = `${candidate.fqn} breaks its contract: ${first?.description ?? 'see its diff'}.`;
  return { change: null, error: { code: 'BREAKING_CHANGE', message }, isLeftOut: true };
}

/**
 * A GraphQL contract includes other types in full, while their changes are reported at their own
 * contracts. While such a change awaits approval, or was left out, contracts that would include it
 * wait, too.
 */
export function holdBackShown(
  items: readonly PlannedItem[],
  changes: readonly PlannedChange[],
): { readonly changes: readonly PlannedChange[]; readonly errors: readonly ImportError[] } {
  const published = new Set(
    changes.filter(({ kind }) => kind === 'publish_contract').map(({ key }) => key),
  );
  const waiting = new Set(
    items.flatMap(({ assessment: { key, candidate, comparison } }) => {
      const waits = comparison !== null && hasChanges(comparison) && !published.has(key);
      return waits && candidate.label.kind === 'graphql' ? [candidate.label.type_name] : [];
    }),
  );
  if (waiting.size === 0) return { changes, errors: [] };
  const candidates = new Map(
    items.map(({ assessment: { key, candidate } }) => [key, candidate] as const),
  );
  const errors: ImportError[] = [];
  const kept = changes.filter((change) => {
    if (change.kind !== 'publish_contract' || change.base === null) return true;
    const [before, after] = [change.base.terms.schema, change.terms.schema].map(
      (schema) => objectAt(schema, '$defs') ?? {},
    );
    const shown = Object.entries(after ?? {}).find(
      ([name, definition]) => waiting.has(name) && !isSameJson(definition, before?.[name] ?? null),
    );
    const candidate = candidates.get(change.key);
    if (shown === undefined || candidate === undefined) return true;
    const { fqn, place } = candidate;
    const message = `${fqn} shows ${shown[0]}, whose own change is not published: its contract stays as it is. Import again once that is settled.`;
    errors.push({ code: 'SHOWN_TYPE_WAITS', message, fqn, place });
    return false;
  });
  return { changes: kept, errors };
}

/**
 * A missing asset keeps its contract, unless `prune` deprecates it; its consumers are asked first.
 * If something else would take its name, they are asked in any case.
 */
export function planDeprecations(
  removed: readonly RemovedAsset[],
  options: ImportOptions,
): { readonly changes: readonly PlannedChange[]; readonly errors: readonly ImportError[] } {
  const changes: PlannedChange[] = [];
  const errors: ImportError[] = [];
  for (const { key, asset, isReplaced, movedTo } of removed) {
    if (asset.base === null || asset.base.status !== 'active') continue;
    const isAskedFor = isReplaced
      ? options.autoCreateProposals && isStillRead(asset)
      : options.prune === 'deprecate';
    if (!isAskedFor) continue;
    const { id: contractId } = asset.base;
    const change = { key, assetId: asset.id, contractId };
    const missing =
      movedTo === null
        ? `${asset.fqn} is missing from the file`
        : `${asset.fqn} moved to ${movedTo} in the file`;
    if (asset.isManagedElsewhere) {
      const message = `${missing} but is managed elsewhere, so its contract was kept.`;
      errors.push({ code: 'ASSET_MANAGED_ELSEWHERE', message, fqn: asset.fqn, place: '$' });
    } else if (asset.consumers.length === 0) {
      changes.push({ kind: 'deprecate_contract', ...change });
    } else if (options.autoCreateProposals) {
      if (asset.openProposal === null) changes.push({ kind: 'propose_deprecation', ...change });
      else if (asset.openProposal.deprecates !== contractId) errors.push(hasOther(asset, missing));
    } else {
      const message = `${missing}, but its consumers must be asked before its contract is deprecated. Use auto_create_proposals.`;
      errors.push({ code: 'DEPRECATION', message, fqn: asset.fqn, place: '$' });
    }
  }
  return { changes, errors };
}

function hasOther({ fqn }: ExistingAsset, missing: string): ImportError {
  const message = `${missing} but already has an open proposal, so its deprecation was not proposed. Import again once that proposal is resolved.`;
  return { code: 'PROPOSAL_PENDING', message, fqn, place: '$' };
}
