// Withdraws proposals of an object that it no longer requests.

import type { Asset } from '../../core/asset.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { Proposal, ProposalSummary } from '../../core/proposal.ts';
import type { Context } from '../../registry/ports.ts';
import { isOwn } from './contract-work.ts';
import type { Named, World } from './world.ts';

/**
 * `carried_out`: the proposal was published at this moment, so earlier facts from the registry are
 * outdated.
 */
export type OwnWithdrawn = 'over' | 'carried_out';

interface Withdrawing {
  readonly world: World;
  readonly object: Named;
  readonly context: Context<unknown>;
}

/**
 * Withdraws all proposals of the object, whether or not its status names them, except those still
 * requested. Includes blocked ones: a consumer could take the block back, and the proposal would
 * then be published automatically.
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
  // Read after the blocked ones, because one of those may have been reopened in the meantime.
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

/**
 * The reason with which a proposal ends whose ContractProposal was deleted.
 *
 * @example reasonOfDeleted('ContractProposal shop/orders-plan') // 'ContractProposal shop/orders-plan was deleted'
 */
export function reasonOfDeleted(resource: string): string {
  return `${resource} was deleted`;
}

/** Whether it ended with the ContractProposal that made it. Nobody decided about the change then. */
export function isEndedWithObject({
  status,
  reason,
  proposedByActor: { type, name },
}: Proposal): boolean {
  const isOfObject = type === 'controller' && name.startsWith('ContractProposal ');
  return status === 'withdrawn' && isOfObject && reason === reasonOfDeleted(name);
}
