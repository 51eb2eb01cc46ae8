// Withdraws proposals of an object that it no longer requests.

import type { Asset } from '../../core/asset.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { ProposalSummary } from '../../core/proposal.ts';
import type { Context } from '../../registry/ports.ts';
import { isOwn } from './contract-work.ts';
import type { Named, World } from './world.ts';

/**
 * `carried_out`: it was published at this very moment, so what was concluded from the registry as
 * it was before no longer holds.
 */
export type OwnWithdrawn = 'over' | 'carried_out';

interface Withdrawing {
  readonly world: World;
  readonly object: Named;
  readonly context: Context<unknown>;
}

/**
 * Withdraws everything that was asked for the object, whatever the status remembers of it, but what
 * is asked still. What was blocked too: who blocked it may take that back, and then it would be
 * published by itself.
 */
export async function withdrawAllOwn(
  withdrawing: Withdrawing,
  asset: Asset,
  isStillAsked: (proposal: ProposalSummary) => boolean,
  reason: string,
): Promise<Outcome<OwnWithdrawn>> {
  const { world, object } = withdrawing;
  const { reads } = world.ports;
  const query = { assetId: asset.id, page: 1, pageSize: 100, includeTotal: false } as const;
  const blocked = await reads.listProposals({ ...query, status: 'rejected' });
  if (!blocked.ok) return blocked;
  // After the others: one of them may have been taken up again meanwhile.
  const open = await reads.getOpenProposal(asset.id);
  let result: OwnWithdrawn = 'over';
  for (const proposal of [...blocked.value.results, ...(open === null ? [] : [open])]) {
    if (!isOwn({ world, object }, asset, proposal) || isStillAsked(proposal)) continue;
    const withdrawn = await withdrawOne(withdrawing, proposal, reason);
    if (!withdrawn.ok) return withdrawn;
    if (withdrawn.value === 'carried_out') result = 'carried_out';
  }
  return accept(result);
}

export async function withdrawOne(
  { world, context }: Withdrawing,
  { id }: Pick<ProposalSummary, 'id'>,
  reason: string,
): Promise<Outcome<OwnWithdrawn>> {
  const outcome = await world.verbs.withdrawProposal(world.ports, context, {
    proposalId: id,
    reason,
  });
  if (outcome.ok) return accept('over');
  if (outcome.failure.code !== 'PROPOSAL_NOT_PENDING') return outcome;
  const now = await world.ports.reads.getProposal(id);
  const isDone = now?.status === 'published' || now?.status === 'force_published';
  return accept(isDone ? 'carried_out' : 'over');
}
