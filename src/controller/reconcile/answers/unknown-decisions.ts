// Decisions in a DataContract that no proposal has waited for.

import { breakingOf } from '../../../core/decide/publishing/publish.ts';
import type { AssetId, ProposalId } from '../../../core/id.ts';
import type { Reads } from '../../../registry/ports.ts';
import { questionDigest } from '../../effective.ts';
import type { ContractWork } from '../contract-work.ts';

/** More than an asset is asked about in a year. */
const proposalsRead = 20;

/**
 * A sentence about the decisions whose digest is of no proposal of the asset; null if there are none, or if the asset
 * had more proposals than are read. Decisions stay in git after their change, so one on an earlier proposal is known, too.
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
  let unknown = decisions.map(({ digest }) => digest);
  for (const { id } of listed.value.results) {
    // Most decisions are on the newest proposal, so the others are not read.
    if (unknown.length === 0) return null;
    const known = await digestsOf(reads, id);
    unknown = unknown.filter((digest) => !known.includes(digest));
  }
  if (unknown.length === 0) return null;
  const shown = unknown.slice(0, 3).join(', ');
  const more = unknown.length > 3 ? ` and ${unknown.length - 3} more` : '';
  return `spec.decisions names a digest that no proposal of ${spec.fqn} has (${shown}${more}), so nothing was decided. Copy status.proposal.digest while a proposal waits, or remove the entry.`;
}

/** Of all rounds: a rebase asks the same change anew, with another digest. */
async function digestsOf(reads: Reads, id: ProposalId): Promise<readonly string[]> {
  const proposal = await reads.getProposal(id);
  if (proposal === null) return [];
  const now = questionDigest(proposal);
  if (proposal.round === 1) return [now];
  const earlier = await reads.listRevisions(id, proposal.round);
  return [
    now,
    ...earlier.map(({ round, baseContractId, changes }) =>
      questionDigest({ ...proposal, round, baseContractId, breakingChanges: breakingOf(changes) }),
    ),
  ];
}
