import { termsOf } from '../../core/contract.ts';
import { decideReassessment } from '../../core/decide/proposals/reassess.ts';
import { accept } from '../../core/failure.ts';
import type { Proposal } from '../../core/proposal.ts';
import { findVerdicts } from '../contracts/consumer-verdicts.ts';
import { compareTerms } from '../contracts/terms.ts';
import type { Context, Ports } from '../ports.ts';

/**
 * Finds the verdicts of needs that were stated after the proposal was made. Until then, their
 * consumers are asked. Returns the proposal as it is afterwards.
 */
export async function reassessProposal(
  ports: Ports,
  context: Context,
  proposal: Proposal,
): Promise<Proposal> {
  const { assetId, asks, baseContractId, proposed, round } = proposal;
  if (proposed.kind !== 'schema' || asks === 'all') return proposal;
  const found = await ports.reads.getPublishBase(assetId);
  if (found === null || found.base === null || !found.hasNeeds) return proposal;
  const { asset, base } = found;
  // A rebase asks again, about the newest contract.
  if (base.id !== baseContractId) return proposal;
  const needs = await ports.reads.listNeeds(assetId);
  if (needs.every(({ digest }) => Object.hasOwn(proposal.verdicts, digest))) return proposal;
  const next = termsOf(proposed);
  const comparison = await compareTerms(ports.engine, base, next, asset.guaranteeMode);
  const change = { assetId, old: termsOf(base), next, comparison };
  const verdicts = await findVerdicts(ports, change, proposal.verdicts);
  await ports.transact(context, async (transaction) => {
    const facts = await transaction.lockProposal(proposal.id);
    const write =
      facts === null ? null : decideReassessment(facts, { baseContractId, round, verdicts });
    if (write !== null) await transaction.apply([write]);
    return accept(true);
  });
  return (await ports.reads.getProposal(proposal.id)) ?? proposal;
}
