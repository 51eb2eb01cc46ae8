// Reviews a spec that was already handled. It is never published or proposed again, only compared
// with its result.

import type { Asset } from '../../core/asset.ts';
import type { BaseContract } from '../../core/decide/facts.ts';
import type { Proposal } from '../../core/proposal.ts';
import { type Handled, verdictOfFailure } from './contract-status.ts';
import { type ContractWork, isOwn, lastVerdict } from './contract-work.ts';
import { publishContractOf } from './publish-steps.ts';
import { reviewProposal } from './review-proposal.ts';
import { syncAsset } from './sync-asset.ts';
import { isEndedWithObject } from './withdraw-own.ts';
import { ChangedMeanwhile } from './world.ts';

/**
 * Requests the asset's changes first: its consumers are asked about the asset and the schema
 * separately.
 */
export async function askEverything(
  work: ContractWork,
  asset: Asset,
  /** The open proposal, if it is known. */
  known?: Proposal | null,
): Promise<Handled> {
  const { world, standing, digest } = work;
  const open = known === undefined ? await world.ports.reads.getOpenProposal(asset.id) : known;
  const synced = await syncAsset(work, asset, open !== null && isOwn(work, asset, open));
  if (!synced.ok) return { verdict: verdictOfFailure(synced.failure), asset };
  const id = synced.value.asked?.id;
  if (id === undefined || id === null) {
    const now = synced.value.asset;
    return publishOrAskAgain(work, now, now === asset ? open : undefined);
  }
  const proposal = await world.ports.reads.getProposal(id);
  if (proposal === null) throw new Error('a proposal that was just made is not there');
  const reviewed = await review(work, synced.value.asset, proposal);
  return { asset, team: standing.team.slug, handledDigest: digest, ...reviewed };
}

async function publishOrAskAgain(
  work: ContractWork,
  asset: Asset,
  known?: Proposal | null,
): Promise<Handled> {
  return (await publishContractOf(work, asset, known)) ?? askOnTop(work, asset);
}

/**
 * An earlier change of the spec may be published while the spec already requests another one. This
 * is treated as if it had been published earlier, and the current spec is requested on top of it.
 */
async function askOnTop(work: ContractWork, asset: Asset): Promise<Handled> {
  const now = await work.world.ports.reads.getAsset(asset.id);
  if (now === null) throw new ChangedMeanwhile(work.object);
  return askEverything(work, now);
}

export async function reviewHandled(work: ContractWork, asset: Asset): Promise<Handled> {
  const { world, object, standing, status } = work;
  const facts = await world.ports.reads.getAssetFacts(asset.id);
  const common = { asset, team: standing.team.slug, consumers: facts?.consumers.length ?? 0 };
  const proposalId = status.proposal?.id;
  const last = facts?.openProposal?.id;
  if (last !== undefined && last !== proposalId) {
    // An outdated reconcile opened a proposal and could not write its status; the spec no longer
    // requests it.
    const open = await world.ports.reads.getOpenProposal(asset.id);
    if (open !== null && isOwn(work, asset, open)) return askEverything(work, asset, open);
  }
  const proposal =
    proposalId === undefined ? null : await world.ports.reads.getProposal(proposalId);
  if (proposal !== null) {
    const isAskedAgain =
      object.reconcileAt !== null && object.reconcileAt !== status.lastHandledReconcileAt;
    const isOver = proposal.status === 'withdrawn' || proposal.status === 'rejected';
    // A withdrawal or a rejection is final for this spec, until somebody asks again. If a ContractProposal had asked
    // this change and was deleted, the spec still asks it. It does so once: what it proposes itself does not end so.
    if (isOver && (isAskedAgain || isEndedWithObject(proposal))) return askEverything(work, asset);
    return { ...common, ...(await review(work, asset, proposal)) };
  }
  // The database was restored to before the proposal.
  if (proposalId !== undefined) return askEverything(work, asset);
  return { ...common, ...(await reviewActive(work, asset, facts?.base ?? null)) };
}

async function review(work: ContractWork, asset: Asset, proposal: Proposal): Promise<Handled> {
  const reviewed = await reviewProposal(work, asset, proposal);
  switch (reviewed.next) {
    case 'stay':
      return reviewed.handled;
    case 'ask':
      return publishOrAskAgain(work, asset);
    // The change of the asset is settled, so the schema follows.
    case 'go_on': {
      const now = await work.world.ports.reads.getAsset(asset.id);
      return now === null ? reviewed.handled : askEverything(work, now);
    }
    default:
      return reviewed satisfies never;
  }
}

async function reviewActive(
  work: ContractWork,
  asset: Asset,
  base: BaseContract | null,
): Promise<Handled> {
  const { world, object, status } = work;
  const verdict = lastVerdict(object);
  if (asset.activeContractId === (status.contractId ?? null)) {
    // Written again, to correct a status that something else has changed.
    return base?.id === asset.activeContractId ? { verdict, contract: base } : { verdict };
  }
  const contract =
    asset.activeContractId === null
      ? null
      : await world.ports.reads.getContract(asset.activeContractId);
  if (contract === null) {
    return { verdict: { ...verdict, drift: `${asset.fqn} no longer has an active contract.` } };
  }
  const isKnown =
    status.contractId === undefined ||
    (await world.ports.reads.getContract(status.contractId)) !== null;
  // The database was restored to before the version that the spec made.
  if (!isKnown) return askEverything(work, asset);
  const { type, id, name } = contract.publishedByActor;
  // The object or the system published another change of this spec, before or after the status was
  // written; nobody overrode the current spec.
  const isOfObject = type === 'controller' && id === object.uid;
  if (isOfObject || type === 'system') return askEverything(work, asset);
  const drift = `${name} published version ${contract.version} in the registry. It stays until the spec changes.`;
  return { verdict: { ...verdict, drift } };
}
