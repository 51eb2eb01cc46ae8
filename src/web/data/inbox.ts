import type { CallTo } from './shapes.ts';

/** The proposals that wait for the answer of a team: one question for the sidebar and Home. */
export function inboxOf(teamId: string): CallTo<'listProposals'> {
  return {
    query: {
      ...{ consumer_team_id: teamId, awaiting: true, status: 'pending' },
      ...{ sort: 'answer_by', page_size: 50 },
    },
  };
}
