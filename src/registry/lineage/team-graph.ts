// The query and result types of the graph of teams.

import type { TeamId } from '../../core/id.ts';

export interface TeamGraphQuery {
  /** Only what this team owns, and who uses it. */
  readonly ownerTeamId?: TeamId | undefined;
  /** Only what lives in this environment, and who uses it. */
  readonly environment?: string | undefined;
}
