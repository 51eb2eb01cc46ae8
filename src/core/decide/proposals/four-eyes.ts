// With FOUR_EYES a force takes two administrators: one requests it, and another one carries it out.

import type { Actor } from '../../actor.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { UserId } from '../../id.ts';
import type { ForceRequest, Proposal } from '../../proposal.ts';

interface ForceFacts {
  readonly needsTwo: boolean;
  readonly actor: Pick<Actor, 'userId'>;
  readonly proposal: Pick<Proposal, 'round' | 'forceRequested' | 'consumers'>;
  /** Whether the requester may still force proposals. */
  readonly mayStillForce: boolean;
}

type ForceStep =
  | { readonly kind: 'request'; readonly userId: UserId }
  /** `requested` is null if one administrator is enough. */
  | { readonly kind: 'carry_out'; readonly requested: ForceRequest | null };

/**
 * Decides whether an administrator's force is a request or is carried out.
 *
 * @example decideForce({ needsTwo: true, actor: ada, proposal: requestedByBob, mayStillForce:
 * true })
 * // accepted: { kind: 'carry_out', requested: the request of Bob }
 */
export function decideForce(facts: ForceFacts): Outcome<ForceStep> {
  const { needsTwo, actor, proposal, mayStillForce } = facts;
  if (!needsTwo) return accept({ kind: 'carry_out', requested: null });
  const person = decideForcingPerson(actor);
  if (!person.ok) return person;
  const requested = proposal.forceRequested;
  const stands = requested !== null && mayStillForce && doesRequestHold(proposal, requested);
  if (!stands) return accept({ kind: 'request', userId: person.value });
  if (requested.userId !== person.value) return accept({ kind: 'carry_out', requested });
  return refuse(
    'SECOND_ADMINISTRATOR_NEEDED',
    `You requested this force at ${requested.requestedAt}. A second administrator must also force the proposal.`,
  );
}

/** Whether a request is about what is proposed now, and about all consumers that have not agreed. */
export function doesRequestHold(
  proposal: Pick<Proposal, 'round' | 'consumers'>,
  requested: ForceRequest,
): boolean {
  const { round, overrides } = requested;
  return (
    round === proposal.round &&
    notAgreedOf(proposal).every(({ teamId }) => overrides.includes(teamId))
  );
}

/** The consumers that a force overrides. */
export function notAgreedOf({ consumers }: Pick<Proposal, 'consumers'>) {
  return consumers.filter(({ acknowledged }) => !acknowledged);
}

/**
 * The person who counts as one of the two. All keys and sessions of a user are one person. A key
 * without a user, the bootstrap key and a resource are refused, because the other administrator
 * could be using them.
 *
 * @example decideForcingPerson(bootstrapActor) // refused: FORBIDDEN
 */
export function decideForcingPerson({ userId }: Pick<Actor, 'userId'>): Outcome<UserId> {
  if (userId !== undefined) return accept(userId);
  return refuse(
    'FORBIDDEN',
    'In this registry, two administrators must force a proposal (FOUR_EYES), but this key does not belong to a user. Sign in, or use a key that belongs to a user.',
  );
}
