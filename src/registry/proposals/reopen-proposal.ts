import type { OpenProposal } from '../../core/decide/facts.ts';
import { decideReopening } from '../../core/decide/publishing/proposing.ts';
import type { Transaction } from '../transaction.ts';

/** After a team has become a consumer: where a proposal was approved without its answer, it is asked too. */
export async function reopenIfAwaited(
  transaction: Transaction,
  { openProposal }: { readonly openProposal: Pick<OpenProposal, 'id' | 'status'> | null },
): Promise<void> {
  if (openProposal?.status !== 'approved') return;
  const facts = await transaction.lockProposal(openProposal.id);
  const write = facts === null ? null : decideReopening(facts);
  if (write !== null) await transaction.apply([write]);
}
