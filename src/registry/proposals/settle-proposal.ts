// auto_publish: checked after every change of consumers or answers, once that change is committed,
// as the system. The sweep repeats what a crash prevented.

import { systemActor } from '../../core/actor.ts';
import { accept } from '../../core/failure.ts';
import type { AssetId, ProposalId } from '../../core/id.ts';
import { isProposedByManager } from '../../core/proposal.ts';
import type { Context, Ports } from '../ports.ts';
import { concludeProposal } from './conclude-proposal.ts';
import { reassessProposal } from './reassess-proposal.ts';
import { reopenIfAwaited } from './reopen-proposal.ts';

/**
 * Publishes the asset's proposal if it publishes automatically and no answer is missing. An
 * approved proposal that lacks the answer of a new consumer becomes pending again.
 */
export async function settleProposal(
  ports: Ports,
  context: Context<never>,
  assetId: AssetId,
): Promise<void> {
  if (ports.settleLater !== undefined) return ports.settleLater(assetId);
  try {
    const [asset, open] = await Promise.all([
      ports.reads.getAsset(assetId),
      ports.reads.getOpenProposal(assetId),
    ]);
    const { requestId, now, newId } = context;
    const system: Context = { actor: systemActor, requestId, now, newId };
    const proposal = open === null ? null : await reassessProposal(ports, system, open);
    if (proposal?.status === 'approved' && !proposal.progress.canPublish) {
      await ports.transact(system, async (transaction) => {
        await reopenIfAwaited(transaction, { openProposal: proposal });
        return accept(true);
      });
    }
    if (asset?.autoPublish !== true || proposal?.status !== 'pending') return;
    if (!proposal.progress.canPublish || !isProposedByManager(asset, proposal)) return;
    // This is refused if the proposal is stale, or if a consumer registered meanwhile. People then
    // decide.
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
 * Settles proposals that a crash left open between an answer and its consequence; runs at startup
 * and now and then. Proposals that cannot be settled remain, so each sweep continues after the last
 * one it saw, and starts again from the beginning at the end.
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
