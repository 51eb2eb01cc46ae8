// auto_publish: looked at after every change of the consumers or of their answers. It comes after
// the change has been committed, as the system's own act; what a crash leaves is swept up later.

import { systemActor } from '../../core/actor.ts';
import { accept } from '../../core/failure.ts';
import type { AssetId, ProposalId } from '../../core/id.ts';
import { isProposedByManager } from '../../core/proposal.ts';
import type { Context, Ports } from '../ports.ts';
import { concludeProposal } from './conclude-proposal.ts';
import { reopenIfAwaited } from './reopen-proposal.ts';

/**
 * Publishes the asset's proposal if it publishes by itself and nobody is awaited any more. One that
 * was approved without a team that consumes by now is pending again.
 */
export async function settleProposal(
  ports: Ports,
  context: Context<never>,
  assetId: AssetId,
): Promise<void> {
  try {
    const [asset, proposal] = await Promise.all([
      ports.reads.getAsset(assetId),
      ports.reads.getOpenProposal(assetId),
    ]);
    const { requestId, now, newId } = context;
    const system: Context = { actor: systemActor, requestId, now, newId };
    if (proposal?.status === 'approved' && !proposal.progress.canPublish) {
      await ports.transact(system, async (transaction) => {
        await reopenIfAwaited(transaction, { openProposal: proposal });
        return accept(true);
      });
    }
    if (asset?.autoPublish !== true || proposal?.status !== 'pending') return;
    if (!proposal.progress.canPublish || !isProposedByManager(asset, proposal)) return;
    // Refused where it is stale, or where a consumer came in between: it waits for people then.
    await concludeProposal(ports, system, {
      proposalId: proposal.id,
      act: 'auto_publish',
      reason: null,
      override: false,
    });
  } catch (error) {
    ports.reportError(error, `auto_publish of asset ${assetId}`);
  }
}

/** The number that one sweep handles; the next sweep comes soon. */
const sweepLimit = 100;

/**
 * For the start and now and then: what a crash between an answer and its consequence left. Those that
 * cannot be settled stay, so that each sweep takes the next ones; behind the last it begins anew.
 */
export async function settleOverdueProposals(
  ports: Ports,
  context: Context<never>,
  after: ProposalId | null,
): Promise<ProposalId | null> {
  const overdue = await ports.reads.listOverdueProposals(after, sweepLimit);
  for (const { assetId } of overdue) await settleProposal(ports, context, assetId);
  return overdue.length < sweepLimit ? null : (overdue.at(-1)?.id ?? null);
}
