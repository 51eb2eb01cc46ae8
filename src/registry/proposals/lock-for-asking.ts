import type { AssetFacts } from '../../core/decide/facts.ts';
import type { AskingFacts } from '../../core/decide/proposals/ask.ts';
import type { AssetId } from '../../core/id.ts';
import type { Transaction } from '../transaction.ts';

/** Locks an asset and its open proposal, which a new proposal would repeat or replace. */
export async function lockForAsking(
  transaction: Transaction,
  assetId: AssetId,
): Promise<AskingFacts | null> {
  const facts = await transaction.lockAsset(assetId);
  return facts === null ? null : withOpen(transaction, facts);
}

export async function withOpen<Facts extends AssetFacts>(
  transaction: Transaction,
  facts: Facts,
): Promise<Facts & AskingFacts> {
  const { openProposal } = facts;
  const open = openProposal === null ? null : await transaction.lockProposal(openProposal.id);
  return { ...facts, open };
}
