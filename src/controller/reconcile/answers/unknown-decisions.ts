// Decisions in a DataContract that no proposal has waited for.

import type { AssetId } from '../../../core/id.ts';
import { questionDigest } from '../../effective.ts';
import type { ContractWork } from '../contract-work.ts';

/** More than an asset is asked about in a year. */
const proposalsRead = 20;

/**
 * A sentence about the decisions whose digest is of no proposal of the asset; null if there are none, or if the asset
 * had more proposals than are read. Decisions stay in git after their change, so one on an earlier proposal is none.
 */
export async function findUnknownDecisions(
  { world, spec }: ContractWork,
  assetId: AssetId,
): Promise<string | null> {
  const { decisions = [] } = spec;
  if (decisions.length === 0) return null;
  const { reads } = world.ports;
  const page = { page: 1, pageSize: proposalsRead, includeTotal: false };
  const listed = await reads.listProposals({ assetId, ...page });
  if (!listed.ok) throw new Error(listed.failure.message);
  if (listed.value.nextCursor !== null) return null;
  const proposals = await Promise.all(listed.value.results.map(({ id }) => reads.getProposal(id)));
  const known = new Set(proposals.flatMap((one) => (one === null ? [] : questionDigest(one))));
  const unknown = decisions.map(({ digest }) => digest).filter((digest) => !known.has(digest));
  if (unknown.length === 0) return null;
  const shown = unknown.slice(0, 3).join(', ');
  const more = unknown.length > 3 ? ` and ${unknown.length - 3} more` : '';
  return `spec.decisions names a digest that no proposal of ${spec.fqn} has (${shown}${more}), so nothing was decided. Copy status.proposal.digest while a proposal waits, or remove the entry.`;
}
