import type { OpenProposal } from '../../core/decide/facts.ts';
import { decideReopening } from '../../core/decide/publishing/proposing.ts';
import type { Transaction } from '../transaction.ts';

/**
 * Runs after a team has become a consumer: a proposal that was approved without its answer asks
 * this team, too.
 */
export async function reopenIfAwaited(
  transaction: Transaction,
  { openProposal }: { readonly openProposal: Pick<OpenProposal, 'id' | 'status'> | null },
): Promise<void> {
  if (openProposal?.status !== 'approved') return;
  const facts = await transaction.lockProposal(openProposal.id);
  const write = facts === null ? null : decideReopening(facts);
  if (write !== null) await transaction.apply([write]);
}
