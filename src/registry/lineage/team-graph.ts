// The query and result types of the graph of teams.

import type { TeamId } from '../../core/id.ts';

export interface TeamGraphQuery {
  /** Restricts the graph to assets of this team and their consumers. */
  readonly ownerTeamId?: TeamId | undefined;
  /** Restricts the graph to assets in this environment and their consumers. */
  readonly environment?: string | undefined;
}
