// The query and result types of the graph of teams.

import type { TeamId } from '../../core/id.ts';
import type { graphBlocks } from '../../core/team-graph.ts';

export interface TeamGraphQuery {
  readonly by: (typeof graphBlocks)[number];
  /** Restricts the graph to assets of this team and their consumers. */
  readonly ownerTeamId?: TeamId | undefined;
  /** Restricts the graph to assets in this environment and their consumers. */
  readonly environment?: string | undefined;
}
