// The graph of teams: which team uses the data of which other, whatever the number of assets.

import type { AssetId, ProposalId, TeamId } from './id.ts';

/** What a picture can hold; teams that a pending change concerns come first, then by their data. */
export const maxGraphTeams = 200;
/** About 500 bytes each with its examples: half a megabyte of answer at the most. */
export const maxGraphLines = 1_000;

export interface TeamGraph {
  readonly teams: readonly GraphTeam[];
  readonly lines: readonly GraphLine[];
  /** The totals, listed or not. */
  readonly teamCount: number;
  readonly lineCount: number;
  readonly assetCount: number;
}

interface GraphTeam {
  readonly id: TeamId;
  readonly name: string;
  readonly owned: number;
  /** Assets that it is registered for, its own among them. */
  readonly consumed: number;
  /** Open proposals about what it owns. */
  readonly pending: number;
}

/** Data of one team that another one uses. A team has no line to itself. */
interface GraphLine {
  readonly fromTeamId: TeamId;
  readonly toTeamId: TeamId;
  /** How many assets: registered for, depended on, or both. */
  readonly assets: number;
  readonly consumed: number;
  /** How many dependencies assets of the one have on assets of the other. */
  readonly dependencies: number;
  /** Open proposals about these assets. */
  readonly pending: number;
  /** Up to three of the assets: one with an open proposal first, the oldest, and the newest. */
  readonly examples: readonly GraphExample[];
}

interface GraphExample {
  readonly assetId: AssetId;
  readonly fqn: string;
  readonly proposalId: ProposalId | null;
}
