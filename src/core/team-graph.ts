// The graph of teams: which team uses the data of which other, whatever the number of assets. By service, the assets
// of a service are one block, and those without a service are in the block of their team.

import type { AssetId, ProposalId, ServiceId, TeamId } from './id.ts';

/**
 * The limit for a readable graph; teams with pending changes come first, then those with the most
 * data.
 */
export const maxGraphTeams = 200;
/** About 500 bytes each with its examples: a response of at most half a megabyte. */
export const maxGraphLines = 1_000;

export interface TeamGraph {
  readonly teams: readonly GraphTeam[];
  readonly lines: readonly GraphLine[];
  /** The totals, including unlisted ones. */
  readonly teamCount: number;
  readonly lineCount: number;
  readonly assetCount: number;
}

export const graphBlocks = ['team', 'service'] as const;

interface GraphTeam {
  readonly id: TeamId | ServiceId;
  /** Only in the graph by service. */
  readonly kind?: (typeof graphBlocks)[number];
  readonly name: string;
  readonly owned: number;
  /** The number of assets that it is registered for, including its own. */
  readonly consumed: number;
  /** Open proposals about its assets. */
  readonly pending: number;
}

/** Assets of one team that another one uses. A team has no line to itself. */
interface GraphLine {
  readonly fromTeamId: TeamId | ServiceId;
  readonly toTeamId: TeamId | ServiceId;
  /** The number of assets: registered for, depended on, or both. */
  readonly assets: number;
  readonly consumed: number;
  /** The number of dependencies from assets of one team on assets of the other. */
  readonly dependencies: number;
  /** Open proposals about these assets. */
  readonly pending: number;
  /** Up to three of the assets: one with an open proposal, the oldest, and the newest. */
  readonly examples: readonly GraphExample[];
}

interface GraphExample {
  readonly assetId: AssetId;
  readonly fqn: string;
  readonly proposalId: ProposalId | null;
}
