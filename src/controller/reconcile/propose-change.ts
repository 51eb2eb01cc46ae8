// Proposes the change of a ContractProposal to the consumers; a change that affects none of them
// has no effect.

import type { ProposalCreated, RequestFields } from '../../core/decide/commands.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { Proposal } from '../../core/proposal.ts';
import { isOpen } from '../../core/proposal-machine.ts';
import type { ProposalWork } from './proposal-work.ts';
import { contextOf, isMadeBy } from './world.ts';

/** Null if no consumer needs to be asked. */
export async function proposeChange(
  work: ProposalWork,
  before: Proposal | null,
): Promise<Outcome<Proposal | null>> {
  const asked = await ask(work, before !== null && isMadeBy(work.object, before.proposedByActor));
  if (!asked.ok) return asked;
  if (asked.value.action !== 'proposal_created' || asked.value.proposal.id === null) {
    return accept(null);
  }
  const { id } = asked.value.proposal;
  return accept(await work.world.ports.reads.getProposal(id));
}

type Asked = ProposalCreated | { readonly action: 'published' | 'unchanged' | 'updated' };

async function ask(work: ProposalWork, supersede: boolean): Promise<Outcome<Asked>> {
  const { world, spec, asset, actor } = work;
  const { ports, verbs } = world;
  const context = contextOf(world, actor);
  const asked = { supersede, onlyPropose: true, request: requestOf(work) };
  const ofAsset = { ...asked, assetId: asset.id };
  const { kind = 'Schema' } = spec;
  switch (kind) {
    case 'Schema':
      return askTerms(work, supersede);
    case 'Deprecation': {
      if (asset.activeContractId === null) return accept({ action: 'unchanged' });
      const contractId = asset.activeContractId;
      const command = { ...asked, contractId, status: 'deprecated' as const };
      return verbs.updateContract(ports, context, command);
    }
    case 'Move': {
      const [team] = await ports.reads.listTeamsBySlug([spec.team ?? '']);
      if (team === undefined) {
        const message = `spec.team names ${spec.team}, but no team has that slug. Create the team, or correct the slug.`;
        return refuse('TEAM_NOT_FOUND', message);
      }
      return verbs.updateAsset(ports, context, { ...ofAsset, ownerTeamId: team.id });
    }
    case 'GuaranteeMode':
      return verbs.updateAsset(ports, context, { ...ofAsset, guaranteeMode: spec.guaranteeMode });
    case 'NeedsMode':
      return verbs.updateAsset(ports, context, { ...ofAsset, needsMode: spec.needsMode });
    default:
      return kind satisfies never;
  }
}

/** What the consumers are told. What the object does not say stays as the API set it. */
function requestOf({ spec }: ProposalWork): RequestFields {
  const { reason, contact, answerBy, migration, migrateBy } = spec;
  return { reason, contact, answerBy, migration, migrateBy };
}

/** Tells the consumers what the object says of its change by now. */
export async function explainProposal(
  work: ProposalWork,
  { id, status }: Proposal,
): Promise<Outcome<unknown>> {
  const { world, actor } = work;
  const request = requestOf(work);
  const saysNothing = Object.values(request).every((field) => field === undefined);
  if (saysNothing || (!isOpen(status) && status !== 'rejected')) return accept(null);
  return world.verbs.updateProposal(world.ports, contextOf(world, actor), {
    proposalId: id,
    request,
  });
}

async function askTerms(work: ProposalWork, supersede: boolean): Promise<Outcome<Asked>> {
  const { world, object, spec, asset, actor, read } = work;
  const { ports, verbs, source } = world;
  const base = read === null ? await ports.reads.getPublishBase(asset.id) : null;
  return verbs.publishContract(ports, contextOf(world, actor), {
    assetId: asset.id,
    schema: read?.schema ?? base?.base?.schema ?? {},
    format: read?.format,
    direction: read?.direction,
    compatibilityMode: spec.compatibilityMode,
    guarantees: spec.guarantees,
    dryRun: false,
    supersede,
    onlyPropose: true,
    request: requestOf(work),
    source: source.contractSource,
    sourceReference: object.path ?? `${object.namespace}/${object.name}`,
    commit: object.revision ?? undefined,
  });
}
