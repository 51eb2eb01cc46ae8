// Proposes changes other than schemas: a move, a lower guarantee mode, a deprecation.

import { accept, type Outcome } from '../../failure.ts';
import type { ChangeRequest, Proposed, ProposedTerms } from '../../proposal.ts';
import type { ProposalCreated } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import type { AssetFacts, ProposalFacts } from '../facts.ts';
import { changesOfProposed } from '../publishing/proposed-changes.ts';
import { proposalOfFacts, proposeWrites } from '../publishing/proposing.ts';
import { breakingOf, decidePropose, proposedDigestOf } from '../publishing/publish.ts';

export type Gated = Exclude<Proposed, ProposedTerms>;

export interface AskingFacts extends AssetFacts {
  /** The open proposal, locked. */
  readonly open: ProposalFacts | null;
}

/** Proposing the same again returns the open proposal. */
export function decideAsking(
  facts: AskingFacts,
  proposed: Gated,
  how: {
    readonly supersede: boolean;
    readonly overriding: { readonly reason?: string };
    readonly request: ChangeRequest;
  },
  by: By,
): Outcome<Decided<ProposalCreated>> {
  const { open } = facts;
  const changes = changesOfProposed(proposed, facts);
  const breakingChanges = breakingOf(changes);
  const told = {
    action: 'proposal_created' as const,
    dryRun: false,
    changes,
    breakingChanges,
  };
  if (open !== null && open.proposedDigest === proposedDigestOf(proposed)) {
    return accept({ writes: [], answer: { ...told, proposal: open.proposal, existing: true } });
  }
  const decision = decidePropose(facts, how.supersede);
  if (!decision.ok) return decision;
  const proposal = proposalOfFacts(facts, { proposed, changes, request: how.request }, by);
  return accept({
    writes: proposeWrites(facts, proposal, open?.proposal ?? null, how.overriding),
    answer: { ...told, proposal, existing: false },
  });
}
