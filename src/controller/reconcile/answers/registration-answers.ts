// The answers in a ContractRegistration: the proposal that each is for, and its result.

import type { Actor } from '../../../core/actor.ts';
import type { Asset } from '../../../core/asset.ts';
import { accept, type Outcome } from '../../../core/failure.ts';
import { isId, type TeamId } from '../../../core/id.ts';
import type { Proposal } from '../../../core/proposal.ts';
import type { RecordedAnswer } from '../../../registry/ports.ts';
import type {
  ContractRegistrationSpec,
  ContractRegistrationStatusAcknowledgement,
} from '../../crd/resources.ts';
import { isNamedAfterId, namedProposal, resourceOfProposal } from '../../effective.ts';
import type { World } from '../world.ts';
import { giveAnswer, isAnswerable, type WrittenAnswer } from './give-answer.ts';

interface Entry {
  readonly proposalRef: { readonly name?: string; readonly id?: string };
  readonly written: WrittenAnswer;
}

interface Answering {
  readonly world: World;
  readonly namespace: string;
  readonly actor: Actor;
  readonly teamId: TeamId;
  readonly asset: Asset;
  readonly open: Proposal | null;
}

interface AnswersGiven {
  /** In the order of the spec. */
  readonly states: readonly ContractRegistrationStatusAcknowledgement[];
  /** Why answers to open proposals, and to some that are not there, were not given. */
  readonly notGiven: readonly string[];
  /** Sentences about the answers that were given now. */
  readonly newlyGiven: readonly string[];
}

export async function giveAnswers(
  answering: Answering,
  spec: ContractRegistrationSpec,
): Promise<Outcome<AnswersGiven>> {
  const entries = entriesOf(spec);
  if (entries.length === 0) return accept({ states: [], notGiven: [], newlyGiven: [] });
  const { world, namespace, actor, teamId, asset } = answering;
  const earlier = await world.ports.reads.listAnswers(asset.id, teamId);
  const found = await findProposals(answering, entries, earlier);
  if (!found.ok) return found;
  const states: ContractRegistrationStatusAcknowledgement[] = [];
  const notGiven: string[] = [];
  const newlyGiven: string[] = [];
  for (const [index, { proposalRef, written }] of entries.entries()) {
    const named = { proposalRef, ...(written.digest !== undefined && { digest: written.digest }) };
    const proposal = found.value[index] ?? null;
    if (proposal === null) {
      states.push({ ...named, state: 'NotFound' });
      notGiven.push(notFound(asset, proposalRef));
      continue;
    }
    if (found.value.findLastIndex((one) => one?.id === proposal.id) > index) {
      const message = 'A later entry answers the same proposal. Remove this one.';
      states.push({ ...named, state: 'Stale', message });
      continue;
    }
    const isExact = proposalRef.id !== undefined || isNamedAfterId(proposal);
    const howToRepeat = `answer with the id ${proposal.id} in proposalRef`;
    const asked = { namespace, proposal, teamId, written, earlier, isExact, howToRepeat };
    const given = await giveAnswer(world, actor, asked);
    if (!given.ok) return given;
    const shown = proposalRef.name ?? proposalRef.id;
    if (given.value.state === 'Applied') {
      states.push({ ...named, state: 'Applied' });
      if (given.value.isNew) newlyGiven.push(`Answered ${written.response} to proposal ${shown}.`);
      continue;
    }
    states.push({ ...named, ...given.value });
    if (isAnswerable(proposal)) notGiven.push(`${shown}: ${given.value.message}`);
  }
  return accept({ states, notGiven, newlyGiven });
}

function notFound({ fqn }: Asset, { name, id }: Entry['proposalRef']): string {
  return `${name ?? id}: ${fqn} has no proposal of this ${name === undefined ? 'id' : 'name'}, so the answer waits for one. If it is another one, correct proposalRef: status.pendingProposals has what waits for this team.`;
}

function entriesOf({
  acknowledge = [],
  acknowledgements = [],
}: ContractRegistrationSpec): readonly Entry[] {
  const older = acknowledge.map(({ proposal, ...written }) => ({
    proposalRef: isId(proposal) ? { id: proposal } : { name: proposal },
    written,
  }));
  const entries = acknowledgements.map(({ proposalRef, reason, ...written }) => ({
    proposalRef,
    written: { ...written, notes: reason },
  }));
  return [...older, ...entries];
}

/** Null for a proposal that does not exist yet. */
async function findProposals(
  { world, asset, open }: Answering,
  entries: readonly Entry[],
  earlier: readonly RecordedAnswer[],
): Promise<Outcome<readonly (Proposal | null)[]>> {
  const { reads } = world.ports;
  const query = { assetId: asset.id, page: 1, pageSize: 1, includeTotal: false } as const;
  const listed = await reads.listProposals({ ...query, status: 'rejected' });
  if (!listed.ok) return listed;
  // Only the newest may still be answered: the others are superseded.
  const [newest] = listed.value.results;
  const blocked = newest === undefined ? null : await reads.getProposal(newest.id);
  const known = [open, blocked].filter((proposal) => proposal !== null);
  const found: (Proposal | null)[] = [];
  for (const { proposalRef } of entries) {
    const current = known.find(
      (proposal) =>
        proposal.id === proposalRef.id ||
        (proposalRef.name !== undefined &&
          resourceOfProposal(namedProposal(proposal)) === proposalRef.name),
    );
    const answered = earlier.find(
      ({ proposal }) => resourceOfProposal(proposal) === proposalRef.name,
    );
    const id = proposalRef.id ?? answered?.proposal.id;
    const other = current === undefined && id !== undefined ? await reads.getProposal(id) : null;
    found.push(current ?? (other?.assetId === asset.id ? other : null));
  }
  return accept(found);
}
