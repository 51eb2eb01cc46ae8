// The results of verbs that are not entities, as JSON.

import type { z } from 'zod';
import type { Contract as ContractEntity } from '../core/contract.ts';
import { termsOf } from '../core/contract.ts';
import type {
  Impact as ImpactResult,
  ProposalCreated as ProposalCreatedResult,
  Published as PublishedResult,
  Unchanged as UnchangedResult,
} from '../core/decide/commands.ts';
import { maxLineageDepth } from '../core/dependency.ts';
import { alignTerms } from '../core/import/openapi/align-terms.ts';
import type { Consumer } from '../core/registration.ts';
import type { Engine } from '../registry/ports.ts';
import { representChanges, representContractListed } from '../wire/represent/represent.ts';
import { representLineageAsset } from '../wire/represent/represent-lineage.ts';
import type {
  ContractDiff,
  Impact,
  ProposalCreated,
  Published,
  Unchanged,
} from '../wire/shapes/contract.ts';

export function representPublished(result: PublishedResult): z.output<typeof Published> {
  const { id, ...contract } = result.contract;
  return {
    action: 'published',
    contract: { ...representContractListed({ ...contract, id: '' }), id },
    change_type: result.changeType,
    changes: representChanges(result.changes),
    breaking_changes: representChanges(result.breakingChanges),
    ...(result.modeChange !== undefined && { mode_change: result.modeChange }),
    ...(result.dryRun && { dry_run: true }),
  };
}

export function representUnchanged(result: UnchangedResult): z.output<typeof Unchanged> {
  return {
    action: 'unchanged',
    contract: representContractListed(result.contract),
    change_type: 'none',
    changes: [],
    breaking_changes: [],
    ...(result.dryRun && { dry_run: true }),
  };
}

export function representProposalCreated(
  result: ProposalCreatedResult,
): z.output<typeof ProposalCreated> {
  const { proposal } = result;
  const breakingChanges = representChanges(result.breakingChanges);
  return {
    action: 'proposal_created',
    proposal: {
      id: proposal.id,
      asset_id: proposal.assetId,
      asset_fqn: proposal.assetFqn,
      kind: proposal.kind,
      status: proposal.status,
      change_type: proposal.changeType,
      breaking_changes: breakingChanges,
      total_consumers: proposal.progress.totalConsumers,
      affected_consumers: proposal.consumers.map(affectedConsumer),
    },
    change_type: proposal.changeType,
    changes: representChanges(result.changes),
    breaking_changes: breakingChanges,
    ...(result.modeChange !== undefined && { mode_change: result.modeChange }),
    ...(result.existing && { existing: true }),
    ...(result.dryRun && { dry_run: true }),
  };
}

export function representImpact(impact: ImpactResult): z.output<typeof Impact> {
  return {
    is_breaking: impact.isBreaking,
    breaking_changes: representChanges(impact.breakingChanges),
    affected_consumers: impact.affectedConsumers.map(affectedConsumer),
    consumers: impact.consumers.map(({ consumer, verdict, origin, path, witness, reason }) => ({
      team: { id: consumer.teamId, name: consumer.teamName },
      registration_id: consumer.registrationId,
      verdict,
      ...(path !== undefined && { path }),
      ...(witness !== undefined && { witness }),
      ...(reason !== undefined && { reason }),
      origin,
    })),
    changes: representChanges(impact.changes),
    change_type: impact.changeType,
    proposed_version: impact.proposedVersion,
    downstream: {
      results: impact.downstream.assets.map(representLineageAsset),
      max_depth: maxLineageDepth,
      truncated: impact.downstream.truncated,
    },
  };
}

function affectedConsumer({ teamId, teamName }: Pick<Consumer, 'teamId' | 'teamName'>) {
  return { team_id: teamId, team_name: teamName };
}

/** Compares two stored contracts in the worker pool. */
export async function compareContracts(
  engine: Engine,
  from: ContractEntity,
  to: ContractEntity,
): Promise<z.output<typeof ContractDiff>> {
  const [old, next] = alignTerms(termsOf(from), termsOf(to));
  const comparison = await engine.compare(old, next);
  return {
    from: { id: from.id, version: from.version },
    to: { id: to.id, version: to.version },
    is_breaking: comparison.isBreaking,
    changes: representChanges(comparison.changes),
    breaking_changes: representChanges(comparison.changes.filter((change) => change.breaking)),
    change_type: comparison.bump,
  };
}
