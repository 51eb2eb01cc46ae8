// The data that the steps of one ContractProposal share.

import type { Actor } from '../../core/actor.ts';
import type { Asset } from '../../core/asset.ts';
import { type Outcome, refuse } from '../../core/failure.ts';
import type { Proposal } from '../../core/proposal.ts';
import type { Team } from '../../core/team.ts';
import type { ContractProposalSpec } from '../crd/resources.ts';
import type { SourceObject } from '../source/source.ts';
import type { SchemaRead } from './read-document.ts';
import type { World } from './world.ts';

export interface ProposalWork {
  readonly world: World;
  readonly object: SourceObject;
  readonly spec: ContractProposalSpec;
  readonly asset: Asset;
  /** Null if the spec names the asset itself. */
  readonly contract: SourceObject | null;
  /** The proposal that the status names. */
  readonly known: Proposal | null;
  /** Whether that one is finished, and the object is about an asset in another environment by now. */
  readonly isElsewhere?: boolean;
  /** The teams that the namespace acts for. */
  readonly teams: readonly Team[];
  readonly actor: Actor;
  /** Null if the spec contains no schema. */
  readonly read: SchemaRead | null;
  readonly digests: Digests;
}

interface Digests {
  /** The digest of the proposed change. */
  readonly asked: string;
  /** The digest of the acknowledgements, another one if they are outdated. */
  readonly said: string;
  /** The acknowledgements were written beside another change. */
  readonly areOutdated: boolean;
}

/** A refusal for rules that only the controller knows. */
export function notPermitted(message: string): Outcome<never> {
  return refuse('FORBIDDEN', message);
}
