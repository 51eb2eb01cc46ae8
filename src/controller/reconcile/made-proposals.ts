// The ContractProposals that the controller creates for its own proposals, if the source can create
// objects.

import type { Asset } from '../../core/asset.ts';
import { toManifestSpelling } from '../../core/export/spelling.ts';
import { isProposedByManager, type Proposal } from '../../core/proposal.ts';
import { isOpen } from '../../core/proposal-machine.ts';
import { isSameJson } from '../../core/value/canonical-json.ts';
import type { Json, JsonObject } from '../../core/value/json.ts';
import { proposedFields } from '../crd/contract-proposal.ts';
import type { ContractProposalSpec } from '../crd/resources.ts';
import { namedProposal, proposalName, resourceOfProposal } from '../effective.ts';
import { keyOf } from '../source/source.ts';
import type { Handled } from './contract-status.ts';
import type { ContractWork } from './contract-work.ts';
import { isFinished, statusOfProposal } from './proposal-status.ts';
import type { World } from './world.ts';

/** Creates the object if it is missing, and returns its name. */
export async function showProposal(
  work: ContractWork,
  asset: Asset,
  proposal: Proposal,
): Promise<Pick<Handled, 'proposalName'>> {
  const { world, object, status } = work;
  const { made } = world.source;
  if (!isProposedByManager(asset, proposal)) {
    const name = resourceOfProposal(namedProposal(proposal));
    return name === null ? {} : { proposalName: name };
  }
  if (made === undefined) return {};
  // A rebase through the API changes the proposal's base, but must not change the name.
  const known = status.proposal?.id === proposal.id ? status.proposal.name : undefined;
  const name = known ?? proposalName(object.name, namedProposal(proposal));
  const key = keyOf('ContractProposal', object.namespace, name);
  if (isOpen(proposal.status) && world.source.get(key) === null) {
    const spec = {
      contractRef: { name: object.name },
      ...toManifestSpelling(await proposedSpec(work.world, proposal)),
    };
    await made.create(object, { name, proposalId: proposal.id, spec });
    await dropOldest(work);
  }
  return { proposalName: name };
}

/** The field of a created object that differs from the registry; null if none does. */
export async function findEditedField(
  world: World,
  spec: ContractProposalSpec,
  proposal: Proposal,
): Promise<string | null> {
  const made = await proposedSpec(world, proposal);
  const held: Readonly<Record<string, unknown>> = { ...spec };
  const isEdited = (field: string) =>
    made[field] === undefined
      ? held[field] !== undefined
      : !isSameJson((held[field] ?? null) as Json, made[field]);
  return proposedFields.find(isEdited) ?? null;
}

async function proposedSpec(world: World, { proposed }: Proposal): Promise<JsonObject> {
  switch (proposed.kind) {
    case 'schema': {
      const { schema, compatibilityMode, guarantees } = proposed;
      return {
        schema,
        compatibilityMode,
        // A parser produced this object, and its interface names the members.
        ...(guarantees === null ? {} : { guarantees: guarantees as JsonObject }),
      };
    }
    case 'deprecation':
      return { kind: 'Deprecation' };
    case 'move': {
      const [team] = await world.ports.reads.listTeamsById([proposed.ownerTeamId]);
      return { kind: 'Move', team: team?.slug ?? proposed.ownerTeamId };
    }
    case 'guarantee_mode':
      return { kind: 'GuaranteeMode', guaranteeMode: proposed.guaranteeMode };
    case 'needs_mode':
      return { kind: 'NeedsMode', needsMode: proposed.needsMode };
    default:
      return proposed satisfies never;
  }
}

/** For each contract; the audit trail keeps their content. */
const finishedKept = 10;

async function dropOldest({ world, object }: ContractWork): Promise<void> {
  const finished = [...world.source.keys()]
    .filter((key) => key.startsWith(`ContractProposal/${object.namespace}/`))
    .map((key) => world.source.get(key))
    .filter((one) => one !== null)
    .filter((one) => one.ownerUid === object.uid && isFinished(statusOfProposal(one).phase))
    .sort((a, b) => (a.createdAt ?? '').localeCompare(b.createdAt ?? ''));
  const tooMany = finished.slice(0, Math.max(0, finished.length - finishedKept));
  for (const one of tooMany) await world.source.made?.remove(one);
}
