// A spec that was handled is never published or proposed again: it is compared with what became
// of it.

import type { Asset } from '../../core/asset.ts';
import type { BaseContract } from '../../registry/transaction.ts';
import type { Handled } from './contract-status.ts';
import { type ContractWork, lastVerdict } from './contract-work.ts';
import { publishContractOf } from './publish-steps.ts';
import { reviewProposal } from './review-proposal.ts';

export async function reviewHandled(work: ContractWork, asset: Asset): Promise<Handled> {
  const { world, object, standing, status } = work;
  const facts = await world.ports.reads.getAssetFacts(asset.id);
  const common = { asset, team: standing.team.slug, consumers: facts?.consumers.length ?? 0 };
  const proposalId = status.proposal?.id;
  const proposal =
    proposalId === undefined ? null : await world.ports.reads.getProposal(proposalId);
  if (proposal !== null) {
    const isAskedAgain =
      object.reconcileAt !== null && object.reconcileAt !== status.lastHandledReconcileAt;
    const isOver = proposal.status === 'withdrawn' || proposal.status === 'rejected';
    // A withdrawal or a rejection is final for this spec, until somebody asks anew.
    if (isOver && isAskedAgain) return publishContractOf(work, asset);
    return { ...common, ...(await reviewProposal(work, asset, proposal)) };
  }
  return { ...common, ...(await reviewActive(work, asset, facts?.base ?? null)) };
}

async function reviewActive(
  work: ContractWork,
  asset: Asset,
  base: BaseContract | null,
): Promise<Handled> {
  const { world, object, status } = work;
  const verdict = lastVerdict(object);
  if (asset.activeContractId === (status.contractId ?? null)) {
    // Said again, so that whatever another wrote into the status is put right.
    return base?.id === asset.activeContractId ? { verdict, contract: base } : { verdict };
  }
  const contract =
    asset.activeContractId === null
      ? null
      : await world.ports.reads.getContract(asset.activeContractId);
  if (contract === null) {
    return { verdict: { ...verdict, drift: `${asset.fqn} has no active contract any more.` } };
  }
  const { type, id, name } = contract.publishedByActor;
  // Published for this object, and it stopped before it could say so.
  if (type === 'controller' && id === object.uid) return { verdict, contract };
  const drift = `${name} published version ${contract.version} in the registry. It stays until the spec changes.`;
  return { verdict: { ...verdict, drift } };
}
