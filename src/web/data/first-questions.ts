// What Home and the sidebar ask, so that it can be asked before they are drawn.

import type { Session } from '../session/auth.ts';
import { mayChooseTeam } from '../session/team-choice.ts';
import { type Question, questionOf } from './cache.ts';
import type { CallTo } from './shapes.ts';

const one = { page_size: 1 } as const;
const askedProposals = 50;
/** More than are shown, because similar events in a row become one line. */
const askedEvents = 100;
/** The maximum page size of the registry. */
export const listedTeams = 100;

export const allTeams = { query: { page_size: listedTeams, sort: 'name' } } as const;

export const allServices = { query: { page_size: listedTeams, sort: 'name' } } as const;

/** Everything in a list, to count it. */
export const counted = { query: one } as const;

/** Blocked, and not replaced by a newer one. */
export const blockedQuery = {
  status: 'rejected',
  superseded: false,
  page_size: askedProposals,
} as const;

/** About contracts: leaves out users, keys and sign-ins, which the audit trail lists. */
export const recentEvents = {
  query: { about: 'contracts', limit: askedEvents, include_total: false },
} as const;

export const pendingCount = { query: { status: 'pending', ...one } } as const;

export const dueProposals = {
  query: { status: 'pending', sort: 'answer_by', page_size: askedProposals },
} as const;

/** The proposals that a team has not answered yet. */
export function inboxOf(teamId: string): CallTo<'listProposals'> {
  return {
    query: {
      ...{ consumer_team_id: teamId, awaiting: true, status: 'pending' },
      ...{ sort: 'answer_by', page_size: askedProposals },
    },
  };
}

export const ownProposals = (teamId: string, status: 'pending' | 'approved') =>
  ({ query: { team_id: teamId, status, page_size: askedProposals } }) as const;

export const ownBlocked = (teamId: string) =>
  ({ query: { team_id: teamId, ...blockedQuery } }) as const;

export const ownCount = (teamId: string) => ({ query: { owner_team_id: teamId, ...one } }) as const;

export const consumedCount = (teamId: string) =>
  ({ query: { consumer_team_id: teamId, ...one } }) as const;

/** Assets whose last quality run failed. */
export const ownFailing = (teamId: string) =>
  ({ query: { owner_team_id: teamId, quality: 'failed', page_size: 5 } }) as const;

/** The slowest answer first. */
export function firstQuestions(
  session: Session,
  teamId: string | null,
  path: string,
): readonly Question[] {
  const isHome = path === '/';
  return [
    ...(isHome ? [questionOf('listEvents', recentEvents)] : []),
    ...(mayChooseTeam(session) ? [questionOf('listTeams', allTeams)] : []),
    ...(teamId === null
      ? []
      : [
          questionOf('getTeam', { params: { team_id: teamId } }),
          questionOf('listProposals', inboxOf(teamId)),
        ]),
    ...(isHome ? homeQuestions(session, teamId) : []),
  ];
}

function homeQuestions({ role }: Session, teamId: string | null): readonly Question[] {
  return [
    questionOf('listAssets', counted),
    questionOf('listRegistrations', counted),
    questionOf('listProposals', pendingCount),
    questionOf('listProposals', { query: blockedQuery }),
    ...(role === 'admin' ? [questionOf('listProposals', dueProposals)] : []),
    ...(teamId === null
      ? []
      : [
          questionOf('listProposals', ownProposals(teamId, 'pending')),
          questionOf('listProposals', ownProposals(teamId, 'approved')),
          questionOf('listProposals', ownBlocked(teamId)),
          questionOf('listAssets', ownFailing(teamId)),
          questionOf('listAssets', ownCount(teamId)),
          questionOf('listAssets', consumedCount(teamId)),
        ]),
  ];
}
